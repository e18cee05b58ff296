# What the rpm packages have otherwise than the Debian ones, linked anew from the same objects: `rpm_programs`, in
# build/<preset>/rpm. It runs on a distribution that has other client libraries than Debian 12, or none.
#   ballot-ping    asks for no version of libcurl's symbols: Debian's CURL_OPENSSL_4 is Debian's alone
#   zookeeper.so   has ZooKeeper's client in it

add_custom_target(rpm_programs)
set(programs ${CMAKE_BINARY_DIR}/rpm)

add_library(rpm_libcurl SHARED EXCLUDE_FROM_ALL rpm/libcurl.cpp)
set_target_properties(rpm_libcurl PROPERTIES
  OUTPUT_NAME curl SOVERSION 4 LIBRARY_OUTPUT_DIRECTORY ${programs}/link CXX_VISIBILITY_PRESET default)
add_executable(rpm_ping EXCLUDE_FROM_ALL $<TARGET_OBJECTS:ballot-ping> $<TARGET_OBJECTS:ballot_ping>)
set_target_properties(rpm_ping PROPERTIES
  OUTPUT_NAME ballot-ping LINKER_LANGUAGE CXX SKIP_BUILD_RPATH ON RUNTIME_OUTPUT_DIRECTORY ${programs})
target_link_libraries(rpm_ping PRIVATE rpm_libcurl)
add_dependencies(rpm_programs rpm_ping)

# rpm_plugin(NAME LIBRARY...)
function(rpm_plugin name)
  if(NOT TARGET ballot_plugin_${name})
    return()
  endif()
  add_library(rpm_plugin_${name} MODULE EXCLUDE_FROM_ALL $<TARGET_OBJECTS:ballot_plugin_${name}>)
  set_target_properties(rpm_plugin_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${programs})
  target_link_libraries(rpm_plugin_${name} PRIVATE ${ARGN})
  target_link_options(rpm_plugin_${name} PRIVATE -Wl,-z,nodelete -Wl,-z,defs -Wl,--exclude-libs,ALL)
  add_dependencies(rpm_programs rpm_plugin_${name})
endfunction()
if(TARGET ballot_plugin_zookeeper)
  find_library(ZOOKEEPER_ARCHIVE libzookeeper_mt.a REQUIRED)
endif()
rpm_plugin(zookeeper ballot_support ${ZOOKEEPER_ARCHIVE} Threads::Threads)
