# cmake -DIN=file -DOUT=file -DFIND=text -DREPLACE=text -P mutate.cmake
# Writes OUT: IN with FIND, which must stand in it exactly once, replaced. Where it does not, that is an error.
file(READ ${IN} text)
string(FIND "${text}" "${FIND}" first)
string(FIND "${text}" "${FIND}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "the mutation does not apply to ${IN}, which has not exactly one: ${FIND}")
endif()
string(REPLACE "${FIND}" "${REPLACE}" text "${text}")
file(WRITE ${OUT} "${text}")
