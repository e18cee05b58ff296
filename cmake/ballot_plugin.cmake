# In ballot's own tree, and installed for plugins of others (docs/plugins.md).

# ballot_plugin(NAME SOURCES file... [LIBRARIES library...])
# Makes the backend plugin NAME as the target ballot_plugin_NAME: the module plugins/NAME.so of the build folder, which
# sees only the public headers, exports only its handshake, and is never unloaded (-z nodelete: its threads and objects
# may outlive any handle to it). Installed to lib/ballot/plugins, where a daemon looks.
function(ballot_plugin name)
  cmake_parse_arguments(PLUGIN "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(ballot_plugin_${name} MODULE ${PLUGIN_SOURCES})
  set_target_properties(ballot_plugin_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(COMMAND ballot_flags)  # the tree's own
    ballot_flags(ballot_plugin_${name})
  endif()
  target_link_libraries(ballot_plugin_${name} PRIVATE ballot::headers ${PLUGIN_LIBRARIES})
  target_link_options(ballot_plugin_${name} PRIVATE -Wl,-z,nodelete)
  if(NOT BALLOT_SANITIZER)
    target_link_options(ballot_plugin_${name} PRIVATE -Wl,-z,defs)
  endif()
  set_property(GLOBAL APPEND PROPERTY ballot_plugins ballot_plugin_${name})
  set(package ${name})
  if(name STREQUAL local)
    set(package ballot)
  endif()
  install(TARGETS ballot_plugin_${name} LIBRARY DESTINATION lib/ballot/plugins COMPONENT ${package})
endfunction()

# ballot_conformance_test(NAME PLUGIN plugin SOURCES file... [LIBRARIES library...])
# Makes the executable NAME: the conformance suite on a plugin that ballot_plugin() has made, instantiated in SOURCES,
# which are compiled with BALLOT_PLUGIN_FILE, its file, and BALLOT_CANDIDATE, the program that has one candidate in a
# process of its own. Needs find_package(ballot COMPONENTS conformance), and is for installed use only.
function(ballot_conformance_test name)
  cmake_parse_arguments(TEST "" "PLUGIN" "SOURCES;LIBRARIES" ${ARGN})
  get_target_property(suite ballot::conformance INTERFACE_INCLUDE_DIRECTORIES)
  if(NOT TARGET conformance_candidate)
    add_executable(conformance_candidate ${suite}/conformance/candidate_main.cpp)
    target_include_directories(conformance_candidate PRIVATE ${suite})
    target_link_libraries(conformance_candidate PRIVATE ballot::headers ${CMAKE_DL_LIBS})
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ballot::conformance ${TEST_LIBRARIES})
  add_dependencies(${name} ballot_plugin_${TEST_PLUGIN} conformance_candidate)
  target_compile_definitions(${name} PRIVATE
    BALLOT_PLUGIN_FILE="$<TARGET_FILE:ballot_plugin_${TEST_PLUGIN}>" BALLOT_CANDIDATE="$<TARGET_FILE:conformance_candidate>")
endfunction()
