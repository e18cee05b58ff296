# cmake -DPROGRAM=file -DFILTER=tests -DFINDING=regex -P expect_finding.cmake
# Fails unless PROGRAM fails, and says FINDING: that a mutant dies, and of what it should. Where the first test that
# fails says something else, all of them are asked.
foreach(until --gtest_fail_fast --gtest_filter=${FILTER})
  execute_process(COMMAND ${PROGRAM} --gtest_filter=${FILTER} ${until} RESULT_VARIABLE code OUTPUT_VARIABLE said
    ERROR_VARIABLE said)
  if(code EQUAL 0)
    message(FATAL_ERROR "the mutant survives: ${FILTER}")
  endif()
  string(REGEX MATCH "[^\n]*(${FINDING})[^\n]*" line "${said}")
  if(line)
    break()
  endif()
endforeach()
if(NOT line)
  message(FATAL_ERROR "the mutant dies, but not of \"${FINDING}\":\n${said}")
endif()
string(SUBSTRING "${line}" 0 160 line)
message(STATUS "dies: ${line}")
