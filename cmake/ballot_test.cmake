# How tests are built and run. ctest knows two kinds: a test that is a part of an executable's tests in one process
# ("sharded"), and one that is a single test in a process of its own.

# What nearly every test includes, compiled once. It is an executable, as its flags must be those of the tests.
add_executable(ballot_tests_pch ${CMAKE_SOURCE_DIR}/tests/support/pch_main.cpp)
ballot_flags(ballot_tests_pch)
ballot_idle(ballot_tests_pch)
set_target_properties(ballot_tests_pch PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(ballot_tests_pch PRIVATE GTest::gtest)
set(ballot_test_headers
  <gtest/gtest.h> <algorithm> <array> <chrono> <csignal> <cstdint> <filesystem> <fstream> <functional> <iostream> <map>
  <memory> <optional> <random> <set> <sstream> <string> <string_view> <thread> <variant> <vector>)
target_precompile_headers(ballot_tests_pch PRIVATE ${ballot_test_headers})

# ballot_test_program(NAME LABELS SOURCES file... [USES library...] [DEPENDS target...]): the executable alone. The target
# tests_LABEL builds all of a label.
function(ballot_test_program name labels)
  cmake_parse_arguments(TEST "" "" "SOURCES;USES;DEPENDS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  ballot_flags(${name})
  ballot_idle(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${TEST_USES} GTest::gtest GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM ballot_tests_pch)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if("long" IN_LIST labels)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  if(TEST_DEPENDS)
    add_dependencies(${name} ${TEST_DEPENDS})
  endif()
  foreach(label ${labels})
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${name})
  endforeach()
endfunction()

function(ballot_test_timeout to)
  set(${to} 900 PARENT_SCOPE)
  if("long" IN_LIST ARGN)
    set(${to} 7200 PARENT_SCOPE)
  endif()
endfunction()

# ballot_shards(NAME LABELS SHARDS): ctest runs the executable SHARDS times, each with a part of its tests.
# Such a part keeps a core busy, where a test of processes mostly waits: it counts as two (tests/run.sh: at_a_time). What
# runs a server takes the longest of all, by the clock, and is begun first.
function(ballot_shards name labels shards)
  math(EXPR last "${shards} - 1")
  set(processors 1)
  if(labels MATCHES "unit|sim|conformance")
    set(processors 2)
  endif()
  set(cost 0)
  if(name MATCHES "zookeeper" OR labels MATCHES "integration|ensemble")
    set(cost 100)
    set(processors 1)
  endif()
  ballot_test_timeout(timeout ${labels})
  foreach(shard RANGE ${last})
    add_test(NAME ${name}.${shard} COMMAND ${name})
    set_tests_properties(${name}.${shard} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout}
      PROCESSORS ${processors} COST ${cost} ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

# ballot_test(NAME LABELS [SHARDS n] SOURCES file... [USES library...] [DEPENDS target...])
# Labels: unit, sim, conformance and long are sharded. The tests of the others start processes and are run one by one:
# process, of the runner; daemon and integration, of the whole program; fleet, of two
# daemons on one host; ensemble, of daemons on three servers; long, for tests/run.sh --long. Under AddressSanitizer go unit,
# sim, conformance, process and daemon; under ThreadSanitizer what has the label threads besides ("unit;threads").
function(ballot_test name labels)
  cmake_parse_arguments(TEST "" "SHARDS" "" ${ARGN})
  ballot_test_program(${name} "${labels}" ${TEST_UNPARSED_ARGUMENTS})
  if(labels MATCHES "unit|sim|conformance|long")
    if(NOT TEST_SHARDS)
      set(TEST_SHARDS 1)
    endif()
    ballot_shards(${name} "${labels}" ${TEST_SHARDS})
  else()
    ballot_test_timeout(timeout ${labels})
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS "${labels}" TIMEOUT ${timeout})
  endif()
endfunction()

# ballot_server_test(NAME LABELS SHARDS SOURCES ...): tests that share a server which takes long to start; sharded whatever
# the label is.
function(ballot_server_test name labels shards)
  ballot_test_program(${name} "${labels}" ${ARGN})
  ballot_shards(${name} "${labels}" ${shards})
endfunction()
