# cmake --install: programs (see src/tools), libraries, headers, manual pages, and what lets other projects
# find them: find_package(clc) with the targets clc::clc (the clock), clc::formats and clc::report, and clc.pc.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clc)

install(TARGETS clc_trace clc_clock clc_formats clc_report EXPORT clc ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/clc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT clc NAMESPACE clc:: FILE clc-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/clc-config.cmake.in ${PROJECT_BINARY_DIR}/clc-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/clc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/clc-config.cmake ${PROJECT_BINARY_DIR}/clc-config-version.cmake
        DESTINATION ${package_dir})

# Paths relative to where clc.pc lies, so that an installed tree can be moved; folders that are named in full stay there.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(CLC_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH CLC_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" CLC_PC_PREFIX "\${pcfiledir}/${CLC_PC_PREFIX}")
endif()
foreach(folder LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(CLC_PC_${folder} ${CMAKE_INSTALL_FULL_${folder}})
  else()
    set(CLC_PC_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
set(CLC_PC_OTF2 "")
if(CLC_WITH_OTF2)
  set(CLC_PC_OTF2 " otf2 >= 3.0")
endif()
configure_file(cmake/clc.pc.in ${PROJECT_BINARY_DIR}/clc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/clc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(GLOB manual_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.[1-9])
foreach(page ${manual_pages})
  string(REGEX REPLACE "^.*\\." "" section ${page})
  get_filename_component(program ${page} NAME_WLE)
  if(section EQUAL 1 AND NOT TARGET ${program})  # not built
    continue()
  endif()
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

# Completion: bash looks for a file with the name of the program. zsh of Debian's packages has a folder of its own.
foreach(program filter filter-mpi check tracegen sync view record)
  if(TARGET clc-${program})
    install(FILES completion/clc.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            RENAME clc-${program})
  endif()
endforeach()
set(zsh_folder ${CMAKE_INSTALL_DATADIR}/zsh)
if(NOT IS_ABSOLUTE "${zsh_folder}")
  set(zsh_folder "\${CMAKE_INSTALL_PREFIX}/${zsh_folder}")
endif()
install(CODE "
  set(folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(folder vendor-completions)
  endif()
  file(INSTALL \"${PROJECT_SOURCE_DIR}/completion/_clc\"
       DESTINATION \"${zsh_folder}/\${folder}\")")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/clc-filter RENAME copyright)
