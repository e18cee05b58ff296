// raw_call: a system call that answers -errno and leaves errno alone. A child that shares this process's memory until
// it execs shares its errno too, and the two run at the same time.
#pragma once

#include <unistd.h>

#include <cerrno>

namespace ballot::runner {

#if defined(__x86_64__) || defined(__aarch64__)
inline constexpr bool raw_calls_known = true;
#else
inline constexpr bool raw_calls_known = false;  // then errno is changed: only for a child with memory of its own
#endif

/// Arguments are integers or pointers.
template <class... Arguments>
__attribute__((always_inline)) inline long raw_call(long number, Arguments... arguments) {
  static_assert(sizeof...(Arguments) <= 5);
#if defined(__x86_64__)
  const long all[5] = {(long)(arguments)...};
  long result;
  register long fourth __asm__("r10") = all[3];
  register long fifth __asm__("r8") = all[4];
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(all[0]), "S"(all[1]), "d"(all[2]), "r"(fourth), "r"(fifth)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  const long all[5] = {(long)(arguments)...};
  register long n __asm__("x8") = number;
  register long x0 __asm__("x0") = all[0], x1 __asm__("x1") = all[1], x2 __asm__("x2") = all[2];
  register long x3 __asm__("x3") = all[3], x4 __asm__("x4") = all[4];
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(n), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
#else
  const long result = ::syscall(number, arguments...);
  return result < 0 ? -errno : result;
#endif
}

}  // namespace ballot::runner
