# The components libballot0, the library, and libballot-dev: what others build programs and plugins with, found by
# find_package(ballot) under any prefix.
#
#   LIBDIR/libballot.so.0             the library: all of the runtime but its commands ballot::ballot
#   include/ballot/                   the public headers                               ballot::headers
#   include/ballot/plugin/support/    plugins/support, as #include "support/..."       ballot::plugin_support
#   share/ballot/suite/               the conformance suite, with a relay to cut       ballot::conformance
#   LIBDIR/cmake/ballot/              ballotConfig.cmake, ballot_plugin()
#   LIBDIR/pkgconfig/ballot.pc        the library, for builds without CMake
#   share/doc/libballot-dev/examples/ projects that use it
#
# A target that is to be found too joins the export set `ballot`: install(TARGETS ... EXPORT ballot ...).
include(CMakePackageConfigHelpers)
set(ballot_dev COMPONENT libballot-dev)
set(ballot_suite ${CMAKE_INSTALL_DATADIR}/ballot/suite)
set(ballot_cmake ${CMAKE_INSTALL_LIBDIR}/cmake/ballot)

install(DIRECTORY runtime/include/ballot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${ballot_dev} FILES_MATCHING PATTERN *.hpp)
install(DIRECTORY plugins/support DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ballot/plugin ${ballot_dev} FILES_MATCHING PATTERN *.hpp)

target_include_directories(ballot_public INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(ballot_support INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ballot/plugin>)
set_target_properties(ballot_public PROPERTIES EXPORT_NAME headers)
set_target_properties(ballot_support PROPERTIES EXPORT_NAME plugin_support OUTPUT_NAME ballot_plugin_support)
install(TARGETS ballot_public ballot_support EXPORT ballot ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} ${ballot_dev})
install(EXPORT ballot NAMESPACE ballot:: FILE ballotTargets.cmake DESTINATION ${ballot_cmake} ${ballot_dev})

# libballot.so shows what cmake/libballot.map says, and nothing of what it is made of.
set(ballot_map ${CMAKE_CURRENT_SOURCE_DIR}/cmake/libballot.map)
add_library(ballot_shared SHARED ${CMAKE_CURRENT_BINARY_DIR}/libballot.cpp)
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/libballot.cpp CONTENT "// What libballot.so is made of are the rooms of runtime/.\n")
ballot_flags(ballot_shared)
set_target_properties(ballot_shared PROPERTIES
  OUTPUT_NAME ballot EXPORT_NAME ballot VERSION ${PROJECT_VERSION} SOVERSION 0 LINK_DEPENDS ${ballot_map} UNITY_BUILD OFF)
# The shared cctz comes first, so that nothing of it is taken from the archive.
target_link_libraries(ballot_shared PUBLIC ballot_public PRIVATE
  -Wl,--push-state,--no-as-needed ${Cctz_SHARED_LIBRARY} -Wl,--pop-state $<LINK_LIBRARY:WHOLE_ARCHIVE,ballot_library>)
target_link_options(ballot_shared PRIVATE -Wl,--version-script=${ballot_map})
if(NOT BALLOT_SANITIZER)
  target_link_options(ballot_shared PRIVATE -Wl,-z,defs)
endif()
install(TARGETS ballot_shared EXPORT ballot
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libballot0 NAMELINK_COMPONENT libballot-dev)

# The suite's headers, what runs a candidate in a process of its own, and what of tests/support a networked store needs.
set(conformance tests/conformance)
set(conformance_files
  backend_conformance.hpp backend_fixture.hpp backend_under_test.hpp recorder.hpp register_history.hpp plugin_file.hpp
  election_tests.hpp fault_tests.hpp name_tests.hpp observation_tests.hpp record_tests.hpp register_tests.hpp session_tests.hpp watch_tests.hpp
  candidate_wire.hpp process_backend.hpp process_backend.cpp candidate_main.cpp
  history_conformance.hpp history_fixture.hpp history_under_test.hpp history_kind_tests.hpp history_put_tests.hpp history_read_tests.hpp)
list(TRANSFORM conformance_files PREPEND ${conformance}/)
install(FILES ${conformance_files} DESTINATION ${ballot_suite}/conformance ${ballot_dev})
install(FILES tests/support/temp_folder.hpp DESTINATION ${ballot_suite}/support ${ballot_dev})
install(FILES tests/support/servers/tcp_relay.hpp tests/support/servers/tcp_relay.cpp
  DESTINATION ${ballot_suite}/support/servers ${ballot_dev})

install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libballot-dev ${ballot_dev})

configure_package_config_file(cmake/ballotConfig.cmake.in ${CMAKE_BINARY_DIR}/ballotConfig.cmake
  INSTALL_DESTINATION ${ballot_cmake} PATH_VARS ballot_suite)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ballotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ballotConfig.cmake ${CMAKE_BINARY_DIR}/ballotConfigVersion.cmake cmake/ballot_plugin.cmake
  DESTINATION ${ballot_cmake} ${ballot_dev})

# Below the prefix that it lies in, wherever that is.
set(ballot_pc ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH ballot_pc_to_prefix /${ballot_pc} /)
configure_file(cmake/ballot.pc.in ${CMAKE_BINARY_DIR}/ballot.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/ballot.pc DESTINATION ${ballot_pc} ${ballot_dev})
