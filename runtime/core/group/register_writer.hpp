// GroupRegisterWriter: a group's register as this node knows it, and the one write of it in flight.
//
//   state           | event                          | next
//   as stored       | edit()                         | changed
//   changed         | begin_write()                  | writing
//   writing         | done                           | as stored; changed, where it was edited meanwhile
//   writing         | refused, or unknown            | changed, and read again 200 ms later, before it is written
//   any             | its format is a newer node's   | it is never written
//
// Pure values; used by Core only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "core/record/register.hpp"

namespace ballot::core {

class GroupRegisterWriter {
 public:
  const GroupRegister& value() const { return value_; }
  std::uint64_t version() const { return version_; }
  /// The register stays as a newer node has left it.
  bool is_newer() const { return is_newer_; }

  /// As it is read when a term begins; nullopt: it is not there. Why it cannot be read; "" where it can.
  std::string load(const std::optional<Register>& stored);
  /// The register, to be changed and written.
  GroupRegister& edit() {
    is_changed_ = true;
    return value_;
  }
  /// As a term begins with it.
  void begin(GroupRegister value, bool is_changed);
  /// The term is over: nothing is written any more.
  void end();

  /// Nothing is to be written or on its way.
  bool is_settled() const { return !is_changed_ && !is_writing_; }
  bool is_writing() const { return is_writing_; }
  /// The register is to be written, and may be now.
  bool is_due() const { return is_changed_ && !is_writing_ && !read_at_; }
  /// Nothing where it is not to be written.
  std::optional<RegisterWrite> begin_write(const std::string& group, std::uint64_t epoch);
  /// `answer` of that write. True: it is in the store.
  bool on_written(const WriteAnswer& answer);
  /// The register is read again, past this time, to see what became of the write.
  void read_again(SteadyTime at) {
    is_changed_ = true;
    read_at_ = at;
  }
  /// The register could not be read.
  void on_unread(SteadyTime at) { read_at_ = at; }
  /// The register is being read.
  void on_reading() { read_at_.reset(); }
  const std::optional<SteadyTime>& read_at() const { return read_at_; }
  /// After a write that may have happened. `registers`: it, or nothing.
  void on_read(const std::vector<Register>& registers);

 private:
  GroupRegister value_;
  std::uint64_t version_ = 0;
  bool is_changed_ = false, is_writing_ = false;
  bool is_newer_ = false;
  std::optional<SteadyTime> read_at_;
};

}  // namespace ballot::core
