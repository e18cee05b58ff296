// Spool: where records wait while the ledger cannot take them: one file of frames, each a u32 length and a u32 CRC-32
// (little-endian) before its record. Can keep room on the disk beforehand, so that it can be written when that is full.
//
// Thread: the writer's. Errors are `io`, and leave what the spool had before.
//
//   Spool spool("/var/lib/ballot/spool", "history.db.rows", 16 << 20);
//   spool.append(records);                                    // on the disk when it returns
//   spool.replay([&](std::vector<Record> records) { ... });   // in order, oldest first
//   spool.clear();
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "base/unique_fd.hpp"
#include "storage/record.hpp"

namespace ballot::storage {

class Spool {
 public:
  /// Opens nothing yet. `room`: bytes that keep_room() keeps for it.
  Spool(std::string folder, const std::string& name, std::int64_t room);

  /// Opens the file, made with its folder (not the folder's parents) if they are not there, and counts what waits in
  /// it. What is no frame, as a crash in the middle of a write leaves it at the end, is moved to a file of its own
  /// beside it, ending in `aside`. Returns a text that says so, or "". Does nothing when it is open.
  Result<std::string> open(std::string_view aside);
  /// Keeps the room on the disk, where it is not kept yet. Requires: open. Error: there is none to be had, or the file
  /// system cannot keep any.
  Result<void> keep_room();

  /// All of them or none. Requires: open.
  Result<void> append(std::span<const Record> records);
  /// Hands out everything in order, in groups for one transaction each. What `take` throws ends it. Requires: open.
  /// Error `refused`: there is a record of a newer ballot.
  Result<void> replay(const std::function<void(std::vector<Record>)>& take);
  /// Empties it, durably; the room is to be kept anew. Requires: open.
  Result<void> clear();

  /// Records that wait.
  std::int64_t records() const noexcept { return records_; }
  /// The file is there, of this process or of one before.
  bool is_there() const;
  bool is_open() const noexcept { return static_cast<bool>(file_); }

 private:
  Result<std::string> scan(std::string_view aside);
  Error failed(const char* doing) const;

  std::string folder_, path_;
  std::int64_t room_;
  bool has_room_ = false;
  UniqueFd file_;
  std::int64_t size_ = 0, records_ = 0;
};

}  // namespace ballot::storage
