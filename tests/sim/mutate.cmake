# cmake -DIN=file -DOUT=file -DFIND=text -DREPLACE=text -P mutate.cmake
# Writes OUT: IN with FIND, which must stand in it exactly once, replaced. Where it does not, OUT is IN, so that the
# mutation's test says that the mutant survives; and a line says why.
file(READ ${IN} text)
string(FIND "${text}" "${FIND}" first)
string(FIND "${text}" "${FIND}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(WARNING "the mutation does not apply to ${IN}, which has not exactly one: ${FIND}")
else()
  string(REPLACE "${FIND}" "${REPLACE}" text "${text}")
endif()
file(WRITE ${OUT} "${text}")
