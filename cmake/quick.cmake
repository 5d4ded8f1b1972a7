# With CLC_QUICK, for a build within minutes: several files of a target are compiled as one, so that the headers that they
# share are read once. The presets of clang leave it out, so that a file that lacks an include is found.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # What one file keeps to itself is seen by the others; the second is about one file alone.
  target_compile_options(clc_options INTERFACE -Wno-shadow -Wshadow=local -Wno-subobject-linkage)
else()
  target_compile_options(clc_options INTERFACE -Wno-shadow)
endif()
# Programs of tests need not be fast, only soon compiled; the reference and the random traces are in libraries. With
# sanitizers only the targets of `often` are optimized, in which tests would take much longer than their compilation.
set(in_tests -Og)
set(often "")
if(CLC_SANITIZE)
  set(in_tests -O0)
  set(often clc_clock clc_formats clc_lost clc_matching clc_sync clc_trace clc_tracegen clc_test_reference clc-test-sync)
endif()
# What runs once for a trace, not once for each record, need not be fast either; nor does clc-view for tests.
set(once clc_report clc_tool_common clc_estimator clc_view)
# Programs that know no clock take only the other files of it.
set(apart clc_tool_common)
# Files that use the names of a format, or that define what others do.
set(alone format.cpp kept_input.cpp binary/binary_sink.cpp binary/binary_source.cpp otf2/inspect.cpp otf2/retime.cpp
    paje/paje_source.cpp)
list(TRANSFORM alone PREPEND ${PROJECT_SOURCE_DIR}/src/formats/)
set_source_files_properties(${alone} DIRECTORY src/formats PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

function(clc_build_quickly folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$")
      if(NOT target IN_LIST apart)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
      endif()
      get_target_property(libraries ${target} LINK_LIBRARIES)
      if(target IN_LIST often)
        target_compile_options(${target} PRIVATE -O1)
      elseif(libraries MATCHES "clc_test_(format_)?support")
        target_compile_options(${target} PRIVATE ${in_tests})
      elseif(target IN_LIST once AND NOT CLC_SANITIZE)
        target_compile_options(${target} PRIVATE -O1)
      endif()
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    clc_build_quickly(${inner})
  endforeach()
endfunction()
