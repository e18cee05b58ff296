// ReservedPort: a port of 127.0.0.1 that belongs to one test while the object lives, whether anybody listens on it or
// not: servers that are started later, and started again, and addresses where nobody answers. No test of another
// process has it meanwhile, nor does the kernel give it to a client, as it would a port of its ephemeral range.
//
//   const ReservedPort port;
//   serve_on(port.number());
#pragma once

namespace ballot::testing {

class ReservedPort {
 public:
  ReservedPort();
  /// The first free one from `from` on.
  explicit ReservedPort(int from);
  ~ReservedPort();
  ReservedPort(ReservedPort&& other) noexcept;
  ReservedPort& operator=(ReservedPort&&) = delete;

  int number() const noexcept { return number_; }

 private:
  bool reserve(int number);

  int number_ = 0;
  int lock_ = -1;  // a socket with an abstract name, which ends with its process
};

}  // namespace ballot::testing
