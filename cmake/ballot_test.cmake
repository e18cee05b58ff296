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

# The labels of a test are the folders that it lies in: integration and daemon, of tests/integration/daemon. Besides,
# THREADS: it goes under ThreadSanitizer. LONG: it takes minutes, and is not of `all`.
function(ballot_labels to)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR}/tests OUTPUT_VARIABLE folders)
  string(REPLACE / ";" labels ${folders})
  foreach(second THREADS LONG)
    if(second IN_LIST ARGN)
      string(TOLOWER ${second} label)
      list(APPEND labels ${label})
    endif()
  endforeach()
  set(${to} ${labels} PARENT_SCOPE)
endfunction()

# ballot_test_program(NAME LABELS SOURCES file... [USES library...] [DEPENDS target...]): the executable alone. The target
# tests_LABEL builds all of a label.
function(ballot_test_program name labels)
  cmake_parse_arguments(TEST "" "" "SOURCES;USES;DEPENDS" ${ARGN})
  if(TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${name}: ${TEST_UNPARSED_ARGUMENTS}: a test's labels are the folders that it lies in")
  endif()
  add_executable(${name} ${TEST_SOURCES})
  ballot_flags(${name})
  ballot_idle(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${TEST_USES} GTest::gtest GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM ballot_tests_pch)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(TEST_DEPENDS)
    add_dependencies(${name} ${TEST_DEPENDS})
  endif()
  if("long" IN_LIST labels)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    set(labels long)
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

# ballot_shards(NAME LABELS SHARDS PROCESSORS COST): ctest runs the executable SHARDS times, each with a part of its tests.
function(ballot_shards name labels shards processors cost)
  math(EXPR last "${shards} - 1")
  ballot_test_timeout(timeout ${labels})
  foreach(shard RANGE ${last})
    add_test(NAME ${name}.${shard} COMMAND ${name})
    set_tests_properties(${name}.${shard} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout}
      PROCESSORS ${processors} COST ${cost} ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

# ballot_shards_filter(NAME SHARDS FILTER): of them only what googletest's filter names.
function(ballot_shards_filter name shards filter)
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    set_property(TEST ${name}.${shard} APPEND PROPERTY ENVIRONMENT "GTEST_FILTER=${filter}")
  endforeach()
endfunction()

# ballot_test(NAME [THREADS] [LONG] [PLAIN filter] [SHARDS n] SOURCES file... [USES library...] [DEPENDS target...])
# The tests of integration/ start processes, mostly wait, and are run one by one. All others, and what is long, are
# sharded; a shard keeps a core busy, and counts as two (tests/run.sh: at_a_time). PLAIN: a filter of googletest for the
# tests that measure memory or compute for long, which run without a sanitizer too (BALLOT_SANITIZED_ELSEWHERE).
function(ballot_test name)
  cmake_parse_arguments(TEST "THREADS;LONG" "PLAIN;SHARDS" "" ${ARGN})
  ballot_labels(labels ${ARGN})
  ballot_test_program(${name} "${labels}" ${TEST_UNPARSED_ARGUMENTS})
  if(BALLOT_SANITIZED_ELSEWHERE AND NOT TEST_PLAIN AND labels MATCHES "^(unit|fuzz)")
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  elseif("integration" IN_LIST labels AND NOT TEST_LONG)
    ballot_test_timeout(timeout ${labels})
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT ${timeout})
    # It takes no property that is a list.
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
    file(WRITE ${file} "if(${name}_TESTS)\n  set_tests_properties(\${${name}_TESTS} PROPERTIES LABELS \"${labels}\")\nendif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
  else()
    if(NOT TEST_SHARDS)
      set(TEST_SHARDS 1)
    endif()
    # What computes for a minute begins first, beside those that wait: at the end it would be waited for alone.
    set(cost 0)
    if(labels MATCHES "^(sim|conformance)")
      set(cost 200)
    endif()
    ballot_shards(${name} "${labels}" ${TEST_SHARDS} 2 ${cost})
    if(TEST_PLAIN AND BALLOT_SANITIZED_ELSEWHERE)
      ballot_shards_filter(${name} ${TEST_SHARDS} "${TEST_PLAIN}")
    endif()
  endif()
endfunction()

# ballot_server_test(NAME SHARDS [THREADS] [LONG] [SANITIZED filter] SOURCES ...): tests that share a server which takes
# long to start: sharded whatever the folder is, and, as they take the longest of all by the clock, begun first.
# SANITIZED: a filter of googletest for those that need not run here where they do so under a sanitizer
# (BALLOT_SANITIZED_ELSEWHERE).
function(ballot_server_test name shards)
  cmake_parse_arguments(TEST "THREADS;LONG" "SANITIZED" "" ${ARGN})
  ballot_labels(labels ${ARGN})
  ballot_test_program(${name} "${labels}" ${TEST_UNPARSED_ARGUMENTS})
  ballot_shards(${name} "${labels}" ${shards} 1 100)
  if(TEST_SANITIZED AND BALLOT_SANITIZED_ELSEWHERE)
    ballot_shards_filter(${name} ${shards} "-${TEST_SANITIZED}")
  endif()
endfunction()
