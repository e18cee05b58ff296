// clone3: as clone() of libc, with the arguments of the newer system call, for which libc has no function: the child
// runs `function` on its own stack and ends with what that returns. Only where its few instructions are written down:
// else ENOSYS, as on a system without the call.
#pragma once

#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include <cerrno>

namespace ballot::runner {

/// -1, with errno. Requires: arguments.stack is set, its end on a boundary of 16 bytes.
inline pid_t clone3([[maybe_unused]] clone_args& arguments, [[maybe_unused]] int (*function)(void*),
                    [[maybe_unused]] void* argument) {
  long result = -ENOSYS;
#if defined(__x86_64__)
  // In the child the result is 0, the stack is empty, and of the registers only rax, rcx and r11 have changed.
  register int (*in_r12)(void*) __asm__("r12") = function;
  register void* in_r13 __asm__("r13") = argument;
  __asm__ volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "movq %%r13, %%rdi\n\t"
      "callq *%%r12\n\t"
      "movl %%eax, %%edi\n\t"
      "movl %[exit], %%eax\n\t"
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "=a"(result)
      : "a"(static_cast<long>(SYS_clone3)), "D"(&arguments), "S"(sizeof arguments), "r"(in_r12),
        "r"(in_r13), [exit] "i"(SYS_exit)
      : "rcx", "r11", "memory");
#endif
  if (result < 0) return errno = static_cast<int>(-result), -1;
  return static_cast<pid_t>(result);
}

}  // namespace ballot::runner
