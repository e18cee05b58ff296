// BALLOT_ASSERT: for what must not be, in every build. A crashed node loses its lease safely, a confused one does not.
#pragma once

#include <cstdio>
#include <cstdlib>

#define BALLOT_ASSERT(condition, text)                                                                     \
  do {                                                                                                     \
    if (!(condition)) {                                                                                    \
      std::fprintf(stderr, "ballot: %s:%d: %s does not hold: %s\n", __FILE__, __LINE__, #condition, text); \
      std::abort();                                                                                        \
    }                                                                                                      \
  } while (false)
