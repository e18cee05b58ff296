#include "io/leader_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/unique_fd.hpp"
#include "base/wall_text.hpp"
#include "io/message.hpp"

namespace ballot::io {
namespace {

Error file_failure(const std::string& what) { return {Errc::io, what + ": " + std::strerror(errno)}; }
constexpr std::size_t largest = 16 * 1024;

Message message_of(const LeaderFile& file) {
  Message message;
  message.set("group", file.group).set("node", file.node);
  message.set("epoch", static_cast<std::int64_t>(file.epoch));
  message.set("boot_id", file.boot_id).set("deadline_ms", file.deadline.time_since_epoch().count());
  message.set("valid_until", format_millis(file.valid_until)).set("written", format_millis(file.written));
  return message;
}

/// The folder's owner decides which files are in it, as do root and this process's user.
bool is_trusted(const struct stat& file, const std::string& path) {
  struct stat folder {};
  const auto parent = std::filesystem::path(path).parent_path();
  const bool found = ::stat(parent.empty() ? "." : parent.c_str(), &folder) == 0;
  const bool owned = file.st_uid == 0 || file.st_uid == ::geteuid() || (found && file.st_uid == folder.st_uid);
  return owned && (file.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Whatever lies there: nothing is waited for, and no link is followed.
Result<std::string> read_leader_file(const std::string& path, const std::string& group) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!fd && errno == ENOENT) return Error{Errc::not_found, "nobody leads " + group + " here: there is no " + path};
  if (!fd && errno == ELOOP) return Error{Errc::refused, path + " is a link; name the file itself"};
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return file_failure("cannot read " + path);
  if (!S_ISREG(info.st_mode)) return Error{Errc::corrupt, path + " is no regular file"};
  if (!is_trusted(info, path))
    return Error{Errc::refused, path + " belongs to user " + std::to_string(info.st_uid) +
                                    " or is writable by others, so it proves nothing; remove it"};
  std::string text(largest + 1, '\0');
  const ssize_t size = ::read(fd.get(), text.data(), text.size());
  if (size < 0) return file_failure("cannot read " + path);
  if (size > static_cast<ssize_t>(largest)) return Error{Errc::corrupt, path + " was not written by ballot"};
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace

Result<void> replace_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());  // what is left there, or was laid there, is not written through
  const UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd || ::fchmod(fd.get(), 0644) != 0) return file_failure("cannot write " + fresh);  // whatever the umask
  if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return file_failure("cannot write " + fresh);
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return file_failure("cannot replace " + path);
  return {};
}

Result<void> write_leader_file(const std::string& path, const LeaderFile& file) {
  return replace_file(path, encode(message_of(file)) + "\n");
}

Result<LeaderFile> check_leader_file(const std::string& path, const std::string& group, SteadyTime now,
                                     const std::string& boot_id) {
  const auto read = read_leader_file(path, group);
  if (!read) return read.error();
  std::string_view text = *read;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const auto message = decode(text);
  const auto deadline = message ? message->integer("deadline_ms") : std::nullopt;
  if (!deadline) return Error{Errc::corrupt, path + " was not written by ballot"};
  LeaderFile file;
  file.group = message->text("group").value_or("");
  file.node = message->text("node").value_or("");
  file.epoch = static_cast<std::uint64_t>(message->integer("epoch").value_or(0));
  file.boot_id = message->text("boot_id").value_or("");
  file.deadline = SteadyTime(Millis(*deadline));
  if (file.group != group) return Error{Errc::refused, path + " is of group " + file.group + ", not " + group};
  if (file.boot_id != boot_id) return Error{Errc::refused, path + " is of another boot of this machine"};
  if (now >= file.deadline)
    return Error{Errc::refused, "nobody leads " + group + " here: the lease in " + path + " ran out at " +
                                    message->text("valid_until").value_or("?")};
  return file;
}

}  // namespace ballot::io
