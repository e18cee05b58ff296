# cmake -DIN=file -DOUT=file -DWORDS=file -P mutate.cmake
# Writes OUT: IN with FIND, which must stand in it exactly once, replaced by REPLACE. WORDS sets both.
include(${WORDS})
file(READ ${IN} text)
string(FIND "${text}" "${FIND}" first)
string(FIND "${text}" "${FIND}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "the mutation does not apply to ${IN}, which has not exactly one: ${FIND}")
endif()
string(REPLACE "${FIND}" "${REPLACE}" text "${text}")
file(WRITE ${OUT} "${text}")
