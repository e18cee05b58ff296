# The Debian packages: their files that no other kind of package has, and how CPack makes them.

set(debian ${CMAKE_CURRENT_SOURCE_DIR}/debian)
set(changelog ${CMAKE_CURRENT_BINARY_DIR}/changelog)
configure_file(${debian}/changelog.in ${changelog} @ONLY)
execute_process(COMMAND gzip -9nfk ${changelog} COMMAND_ERROR_IS_FATAL ANY)

install(FILES completions/ballot.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _ballot)
install(FILES ${debian}/ballot.lintian DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ballot)
install(FILES ${debian}/libballot0/lintian DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME libballot0 COMPONENT libballot0)

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)  # on exactly this version: the plugins' ABI is the program's

foreach(component IN LISTS ballot_components ITEMS libballot0 libballot-dev)
  string(TOUPPER ${component} upper)
  set(package ballot-${component})
  if(component MATCHES "^(lib)?ballot")
    set(package ${component})
  endif()
  if(NOT component STREQUAL ballot)
    set(CPACK_COMPONENT_${upper}_DEPENDS ballot)
  endif()
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary_of_${component}}\n${ballot_about}\n.\n${about_${component}}")
  install(FILES ${debian}/copyright ${changelog}.gz DESTINATION ${ballot_doc}/${package} COMPONENT ${component})
endforeach()

set(CPACK_DEBIAN_LIBBALLOT0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBBALLOT0_PACKAGE_CONTROL_EXTRA ${debian}/libballot0/symbols ${debian}/libballot0/shlibs ${debian}/libballot0/triggers)
set(CPACK_COMPONENT_LIBBALLOT-DEV_DEPENDS libballot0)
set(CPACK_DEBIAN_LIBBALLOT-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBBALLOT-DEV_PACKAGE_SUGGESTS "libgtest-dev")
set(CPACK_DEBIAN_BALLOT_PACKAGE_DEPENDS "passwd, tzdata")
set(CPACK_DEBIAN_BALLOT_PACKAGE_RECOMMENDS man-db)
set(CPACK_DEBIAN_BALLOT_PACKAGE_SUGGESTS
  "ballot-zookeeper, ballot-etcd, ballot-consul, ballot-nats, ballot-postgresql, default-mta | mail-transport-agent")
set(CPACK_DEBIAN_BALLOT_PACKAGE_CONTROL_EXTRA
  ${debian}/conffiles ${debian}/postinst ${debian}/prerm ${debian}/postrm ${debian}/triggers)
