# ballot_plugin(NAME SOURCES file... [LIBRARIES library...])
# Makes the backend plugin NAME: a module that sees only the public headers, is found by name in the plugin folder, and
# is never unloaded (-z nodelete: its threads and objects may outlive any handle to it).
function(ballot_plugin name)
  cmake_parse_arguments(PLUGIN "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(ballot_plugin_${name} MODULE ${PLUGIN_SOURCES})
  set_target_properties(ballot_plugin_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  ballot_flags(ballot_plugin_${name})
  target_link_libraries(ballot_plugin_${name} PRIVATE ballot_public ${PLUGIN_LIBRARIES})
  target_link_options(ballot_plugin_${name} PRIVATE -Wl,-z,nodelete)
  if(NOT BALLOT_SANITIZER)
    target_link_options(ballot_plugin_${name} PRIVATE -Wl,-z,defs)
  endif()
  install(TARGETS ballot_plugin_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ballot/plugins)
endfunction()
