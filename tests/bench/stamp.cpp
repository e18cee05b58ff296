// stamp FILE: appends the wall-clock time that it began at to FILE, in a line of 21 bytes, and ends. Linked statically:
// what it costs is a fork, an exec and a write, for whoever launches it.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  char line[] = "0000000000.000000000\n";
  for (int i = 9; i >= 0; --i, now.tv_sec /= 10) line[i] = static_cast<char>('0' + now.tv_sec % 10);
  for (int i = 19; i > 10; --i, now.tv_nsec /= 10) line[i] = static_cast<char>('0' + now.tv_nsec % 10);
  const int file = argc == 2 ? ::open(argv[1], O_WRONLY | O_APPEND | O_CREAT, 0644) : -1;
  return ::write(file, line, sizeof line - 1) == sizeof line - 1 ? 0 : 1;
}
