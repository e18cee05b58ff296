// Descriptor: a file descriptor that is closed with its owner. Knows nothing of what it leads to.
//
//   const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
//   if (file) ::read(file.get(), ...);
#pragma once

#include <unistd.h>

#include <utility>

namespace ballot::support {

class Descriptor {
 public:
  /// Negative: none.
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void close() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

}  // namespace ballot::support
