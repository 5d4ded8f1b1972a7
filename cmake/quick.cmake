# With CLC_QUICK, for a build within minutes: several files of a target are compiled as one, so that the headers that they
# share are read once. The presets of clang leave it out, so that a file that lacks an include is found.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # What one file keeps to itself is seen by the others; the second is about one file alone.
  target_compile_options(clc_options INTERFACE -Wno-shadow -Wshadow=local -Wno-subobject-linkage)
else()
  target_compile_options(clc_options INTERFACE -Wno-shadow)
endif()
# Programs of tests need not be fast, only soon compiled; nor do those under test, which run on short traces: -O1 saves a
# third of what their compilation takes at -O3, and tests take as long. With sanitizers only the targets of `often` are
# optimized, in which tests would take much longer than their compilation.
set(in_tests -Og)
set(often "")
if(CLC_SANITIZE)
  set(in_tests -O0)
  set(often clc_clock clc_formats clc_lost clc_matching clc_sync clc_trace clc_tracegen clc_test_reference clc-test-sync)
endif()
# Programs that know no clock take only the other files of it.
set(apart clc_tool_common)
# Files that use the names of a format, or that define what others do.
set(alone format.cpp kept_input.cpp binary/binary_sink.cpp binary/binary_source.cpp otf2/inspect.cpp otf2/retime.cpp
    paje/paje_source.cpp)
list(TRANSFORM alone PREPEND ${PROJECT_SOURCE_DIR}/src/formats/)
set_source_files_properties(${alone} DIRECTORY src/formats PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# What nearly all files include is read once for all targets with the same level of optimization.
set(shared_headers <algorithm> <array> <cmath> <cstdint> <deque> <filesystem> <fstream> <functional> <iostream> <limits> <map>
    <memory> <numeric> <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <tuple> <utility> <vector>)
function(clc_share_headers target level)
  set(headers clc_headers${level})
  if(NOT TARGET ${headers})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
    add_library(${headers} OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
    target_compile_options(${headers} PRIVATE ${level})
    target_link_libraries(${headers} PRIVATE clc_options)
    target_precompile_headers(${headers} PRIVATE ${shared_headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

function(clc_build_quickly folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "^(STATIC_LIBRARY|SHARED_LIBRARY|EXECUTABLE)$")
      continue()
    endif()
    if(NOT target IN_LIST apart)
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    endif()
    get_target_property(libraries ${target} LINK_LIBRARIES)
    set(level "")
    if(libraries MATCHES "clc_test_(format_)?support")
      set(level ${in_tests})
    endif()
    if(target IN_LIST often OR NOT level AND NOT CLC_SANITIZE)
      set(level -O1)
    endif()
    target_compile_options(${target} PRIVATE ${level})
    if(libraries MATCHES "clc_options" AND NOT type STREQUAL "SHARED_LIBRARY")
      clc_share_headers(${target} "${level}")
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    clc_build_quickly(${inner})
  endforeach()
endfunction()
