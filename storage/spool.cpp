#include "storage/spool.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/failpoint.hpp"
#include "base/regular_file.hpp"

namespace ballot::storage {
namespace {

constexpr std::size_t head_bytes = 8;
constexpr std::uint32_t most_bytes = 1u << 30;
constexpr std::size_t spool_group_records = 512;
constexpr std::size_t group_bytes = 4 << 20;

void put(std::string& bytes, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
}

std::uint32_t get(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

bool write_all(int fd, std::string_view bytes, std::int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += written;
  }
  return true;
}

/// As many of the bytes as there are.
std::string read_at(int fd, std::int64_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t have = 0;
  while (have < count) {
    const ssize_t got = ::pread(fd, bytes.data() + have, count - have, offset + static_cast<std::int64_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

/// The payload of the frame that begins at `offset`; nullopt if there is no whole, sound one.
std::optional<std::string> read_frame(int fd, std::int64_t offset) {
  const std::string head = read_at(fd, offset, head_bytes);
  if (head.size() < head_bytes || get(head) > most_bytes) return std::nullopt;
  struct stat file {};
  if (::fstat(fd, &file) != 0 || file.st_size - offset < static_cast<std::int64_t>(head_bytes + get(head)))
    return std::nullopt;
  std::string payload = read_at(fd, offset + static_cast<std::int64_t>(head_bytes), get(head));
  if (payload.size() != get(head) || crc32(payload) != get(std::string_view(head).substr(4))) return std::nullopt;
  return payload;
}

bool sync_folder(const std::string& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return fd && ::fsync(fd.get()) == 0;
}

bool save(const std::string& path, int from, std::int64_t begin, std::int64_t end) {
  const auto opened = open_regular(path, O_CREAT | O_WRONLY, 0640);
  if (!opened || ::ftruncate(opened->fd.get(), 0) != 0) return false;
  const UniqueFd& to = opened->fd;
  for (std::int64_t at = begin; at < end;) {
    const std::string bytes = read_at(from, at, group_bytes);
    if (bytes.empty() || !write_all(to.get(), bytes, at - begin)) return false;
    at += static_cast<std::int64_t>(bytes.size());
  }
  return ::fsync(to.get()) == 0;
}

}  // namespace

Spool::Spool(std::string folder, const std::string& name, std::int64_t room)
    : folder_(std::move(folder)), path_(folder_ + "/" + name), room_(room) {}

bool Spool::is_there() const { return ::access(path_.c_str(), F_OK) == 0; }

Error Spool::failed(const char* doing) const {
  const int error = errno;
  return {Errc::io, path_ + ": cannot " + doing + " it: " + std::strerror(error)};
}

Result<std::string> Spool::open(std::string_view aside) {
  if (file_) return std::string();
  if (::mkdir(folder_.c_str(), 0750) != 0 && errno != EEXIST) return failed("make the folder of");
  if (BALLOT_FAILS("storage.spool_open")) return failed("open");
  auto opened = open_regular(path_, O_CREAT | O_RDWR, 0640);
  if (!opened) return opened.error();
  file_ = std::move(opened->fd);
  Result<std::string> scanned = sync_folder(folder_) ? scan(aside) : failed("keep");
  if (!scanned) file_.reset();
  has_room_ = false;
  return scanned;
}

/// Beyond the file's end.
Result<void> Spool::keep_room() {
  if (has_room_ || room_ <= 0) return {};
  if (::fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, 0, room_) != 0)
    return failed(("keep " + std::to_string(room_ >> 20) + " MiB of its disk for").c_str());
  has_room_ = true;
  return {};
}

Result<std::string> Spool::scan(std::string_view aside) {
  size_ = records_ = 0;
  while (const std::optional<std::string> payload = read_frame(file_.get(), size_)) {
    size_ += static_cast<std::int64_t>(head_bytes + payload->size());
    ++records_;
  }
  struct stat file {};
  if (::fstat(file_.get(), &file) != 0) return failed("read");
  if (file.st_size == size_) return std::string();
  const std::string rest = path_ + std::string(aside);
  if (!save(rest, file_.get(), size_, file.st_size)) return failed("set aside the unreadable end of");
  if (::ftruncate(file_.get(), size_) != 0) return failed("shorten");
  return path_ + ": the last " + std::to_string(file.st_size - size_) +
         " bytes are no whole records, as a crash in the middle of a write leaves them: they are kept as " + rest;
}

Result<void> Spool::append(std::span<const Record> records) {
  std::string frames;
  for (const Record& record : records) {
    const std::string payload = encode(record);
    put(frames, static_cast<std::uint32_t>(payload.size()));
    put(frames, crc32(payload));
    frames += payload;
  }
  if (BALLOT_FAILS("storage.spool_write") || !write_all(file_.get(), frames, size_) ||
      BALLOT_FAILS("storage.spool_sync") || ::fdatasync(file_.get()) != 0) {
    Error error = failed("write");
    if (::ftruncate(file_.get(), size_) != 0) file_.reset();  // scanned again at the next open
    return error;
  }
  size_ += static_cast<std::int64_t>(frames.size());
  records_ += std::ssize(records);
  return {};
}

Result<void> Spool::replay(const std::function<void(std::vector<Record>)>& take) {
  std::vector<Record> group;
  std::int64_t group_begin = 0;
  for (std::int64_t at = 0; at < size_;) {
    const std::optional<std::string> payload = read_frame(file_.get(), at);
    if (!payload)
      return Error{Errc::io,
                   path_ + ": cannot read what was written to it: check the system's log for errors of its disk"};
    std::optional<Record> record = decode(*payload);
    if (!record)
      return Error{Errc::refused,
                   path_ + ": has records of a newer ballot: install that version, or move the file away"};
    at += static_cast<std::int64_t>(head_bytes + payload->size());
    group.push_back(std::move(*record));
    if (group.size() < spool_group_records && at - group_begin < static_cast<std::int64_t>(group_bytes)) continue;
    take(std::exchange(group, {}));
    group_begin = at;
  }
  if (!group.empty()) take(std::move(group));
  return {};
}

Result<void> Spool::clear() {
  if (BALLOT_FAILS("storage.spool_clear") || ::ftruncate(file_.get(), 0) != 0 || ::fsync(file_.get()) != 0)
    return failed("empty");
  size_ = records_ = 0;
  has_room_ = false;
  return {};
}

}  // namespace ballot::storage
