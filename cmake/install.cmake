# What `cmake --install` puts down beside the command and the recorder (each installed where it is built): the file format for
# readers in other languages, and the documentation.
install(FILES proto/trace.proto proto/report.proto DESTINATION ${CMAKE_INSTALL_DATADIR}/rollcall/proto)
install(FILES proto/trace_fields.h proto/raw_layout.h proto/fingerprint.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rollcall)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
set(CPACK_PACKAGE_NAME rollcall)
set(CPACK_PACKAGE_VENDOR "The Rollcall authors")
set(CPACK_PACKAGE_CONTACT "The Rollcall authors")
set(CPACK_GENERATOR TGZ)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
include(CPack)
