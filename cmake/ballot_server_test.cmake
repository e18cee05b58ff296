# ballot_server_test(NAME LABEL SHARDS SOURCES file... [USES library...] [DEPENDS target...]): an executable whose tests
# share a server that takes long to start. ctest sees SHARDS tests, each a part of them in one
# process, which prints what fails and nothing else.
function(ballot_server_test name label shards)
  cmake_parse_arguments(TEST "" "" "SOURCES;USES;DEPENDS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  ballot_flags(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${TEST_USES} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(TEST_DEPENDS)
    add_dependencies(${name} ${TEST_DEPENDS})
  endif()
  if(NOT TARGET tests_${label})
    add_custom_target(tests_${label})
  endif()
  add_dependencies(tests_${label} ${name})
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}.${shard} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name}.${shard} PROPERTIES LABELS ${label} TIMEOUT 900
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()
