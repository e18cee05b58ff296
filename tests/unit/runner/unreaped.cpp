// unreaped FIFO: a process that does not go away when it is killed, until FIFO is opened for writing. What it forks
// leaves its session, traces it, and so stands between it and whoever waits for it. Prints the tracer's pid.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <cstdio>

int main(int, char** argv) {
  int traced[2];
  if (::pipe(traced) != 0) return 1;
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const pid_t tracer = ::fork();
  if (tracer == 0) {
    ::setsid();
    const bool done = ::ptrace(PTRACE_SEIZE, ::getppid(), nullptr, nullptr) == 0;
    if (::write(traced[1], done ? "y" : "n", 1) != 1) return 1;
    ::open(argv[1], O_RDONLY);
    return 0;
  }
  char answer = 'n';
  if (::read(traced[0], &answer, 1) != 1 || answer != 'y') return 1;
  std::printf("%d\n", static_cast<int>(tracer));
  std::fflush(stdout);
  while (true) ::pause();
}
