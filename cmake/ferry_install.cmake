include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(FERRY_CMAKE_FOLDER "${CMAKE_INSTALL_LIBDIR}/cmake/ferry")

get_property(targets GLOBAL PROPERTY FERRY_TARGETS)
install(TARGETS ${targets} EXPORT ferryTargets INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT ferryTargets NAMESPACE ferry:: DESTINATION "${FERRY_CMAKE_FOLDER}")

get_property(folders GLOBAL PROPERTY FERRY_HEADER_FOLDERS)
install(DIRECTORY ${folders} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

configure_package_config_file(cmake/ferryConfig.cmake.in "${PROJECT_BINARY_DIR}/ferryConfig.cmake"
                              INSTALL_DESTINATION "${FERRY_CMAKE_FOLDER}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ferryConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ferryConfig.cmake" "${PROJECT_BINARY_DIR}/ferryConfigVersion.cmake"
        DESTINATION "${FERRY_CMAKE_FOLDER}")
