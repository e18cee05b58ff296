// Failpoints: named places where a test makes this process fail, die or stop. Nothing of them is compiled but
// with -DBALLOT_FAILPOINTS=ON; then the environment variable BALLOT_FAILPOINTS says what happens where:
//
//   BALLOT_FAILPOINTS='runner.clone=fail(EAGAIN)@3;io.launch=stop@1;storage.write=fail(ENOSPC)@2-5'
//
//   rule    POINT=ACTION[@WHEN], rules are separated by `;`
//   ACTION  fail(ERRNO)  the call is not made and has failed so (a name as in errno.h, or a number)
//           kill, stop   SIGKILL, SIGSTOP to this process, at the point
//           hang         this thread goes no further
//           exit(CODE)   the process ends, without destructors
//   WHEN    N, N-M, N-   at the N-th time that the process passes the point, from the N-th to the M-th, from the N-th
//                        on; without it: always
//
// All but `fail` say `failpoint POINT` on standard error first (between clone and exec that is the run's output). A
// variable that cannot be read ends the process with 2. A daemon hands the variable on to its runner; each process
// counts for itself.
//
// Threads: any. A point may be between clone and exec once any point was passed before: no memory is taken there,
// and a child with memory of its own counts together with its parent.
//
//   if (BALLOT_FAILS("runner.pipe") || ::pipe2(ends, O_CLOEXEC) != 0) return cannot("pipe", errno);
//   BALLOT_FAILPOINT("io.launch");  // a place between two steps; `fail` does nothing here
#pragma once

#ifdef BALLOT_FAILPOINTS

#include <string_view>

namespace ballot {

/// True: to have failed, with errno set. Leaves errno alone otherwise.
bool failpoint(const char* name) noexcept;

/// The errno that it is to have failed with, else 0. Leaves errno alone.
int failpoint_error(const char* name) noexcept;

/// In place of what the environment says. Requires: no thread passes a point meanwhile.
void set_failpoints(std::string_view rules);

/// "BALLOT_FAILPOINTS=..." as this process has it; null where it has none.
char* failpoint_environment() noexcept;

}  // namespace ballot

#define BALLOT_FAILS(name) ::ballot::failpoint(name)
#define BALLOT_FAILS_WITH(name) ::ballot::failpoint_error(name)
#define BALLOT_FAILPOINT(name) static_cast<void>(::ballot::failpoint(name))
#define BALLOT_FAILPOINT_ENVIRONMENT ::ballot::failpoint_environment()

#else

#define BALLOT_FAILS(name) false
#define BALLOT_FAILS_WITH(name) 0
#define BALLOT_FAILPOINT(name) static_cast<void>(0)
#define BALLOT_FAILPOINT_ENVIRONMENT nullptr

#endif
