# What `cmake --install` puts down beside the command and the recorder (each installed where it is built): the file format for
# readers in other languages, and the documentation.
install(FILES proto/trace.proto proto/report.proto DESTINATION ${CMAKE_INSTALL_DATADIR}/rollcall/proto)
install(FILES proto/trace_fields.h proto/raw_layout.h proto/fingerprint.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rollcall)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")

set(settings_table ${PROJECT_SOURCE_DIR}/interpose/core/settings.def)
set(settings_page ${PROJECT_BINARY_DIR}/docs/settings.md)
add_custom_command(
  OUTPUT ${settings_page}
  COMMAND ${CMAKE_COMMAND} -D TABLE=${settings_table} -D PAGE=${settings_page} -P ${PROJECT_SOURCE_DIR}/cmake/settings_page.cmake
  DEPENDS ${settings_table} ${PROJECT_SOURCE_DIR}/cmake/settings_page.cmake
  VERBATIM)
add_custom_target(rollcall_documentation ALL DEPENDS ${settings_page})
install(FILES ${settings_page} DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_PACKAGE_NAME rollcall)
set(CPACK_PACKAGE_VENDOR "The Rollcall authors")
set(CPACK_PACKAGE_CONTACT "The Rollcall authors")
set(CPACK_GENERATOR TGZ)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
include(CPack)
