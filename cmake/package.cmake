# cpack -G DEB: a Debian package of all that is installed.
set(CPACK_PACKAGE_NAME clc-filter)
set(CPACK_PACKAGE_VENDOR "the clc-filter project")
set(CPACK_PACKAGE_CONTACT "the clc-filter project <clc-filter@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "correct the time stamps of traces of parallel programs")
set(CPACK_PACKAGE_DESCRIPTION "Reads a trace whose processes have clocks of their own and writes it with corrected times:
every message and every collective operation takes at least the minimum message delay.
With a judge of traces, a generator, a viewer, and the library with its headers.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# For programs that link with the library.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS libzstd-dev)
if(CLC_WITH_OTF2)
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libopen-trace-format2-dev")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR DEB)
# The time of all files in the package, unless SOURCE_DATE_EPOCH names another: it changes with the version.
set(CLC_SOURCE_DATE 1767225600)  # 2026-01-01
configure_file(${CMAKE_CURRENT_LIST_DIR}/package_config.cmake.in ${PROJECT_BINARY_DIR}/package_config.cmake @ONLY)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/package_config.cmake)
include(CPack)
