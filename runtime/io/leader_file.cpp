#include "io/leader_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/unique_fd.hpp"
#include "base/wall_text.hpp"
#include "io/message.hpp"

namespace ballot::io {
namespace {

Error failure(const std::string& what) { return {Errc::io, what + ": " + std::strerror(errno)}; }

Message message_of(const LeaderFile& file) {
  Message message;
  message.set("group", file.group).set("node", file.node);
  message.set("epoch", static_cast<std::int64_t>(file.epoch));
  message.set("boot_id", file.boot_id).set("deadline_ms", file.deadline.time_since_epoch().count());
  message.set("valid_until", format_millis(file.valid_until)).set("written", format_millis(file.written));
  return message;
}

}  // namespace

Result<void> write_leader_file(const std::string& path, const LeaderFile& file) {
  const std::string text = encode(message_of(file)) + "\n";
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());  // what is left there, or was laid there, is not written through
  const UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd) return failure("cannot write " + fresh);
  if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return failure("cannot write " + fresh);
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return failure("cannot replace " + path);
  return {};
}

Result<LeaderFile> check_leader_file(const std::string& path, const std::string& group, SteadyTime now,
                                     const std::string& boot_id) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{Errc::not_found, "nobody leads " + group + " here: there is no " + path};
  std::string text{std::istreambuf_iterator<char>(in), {}};
  while (!text.empty() && text.back() == '\n') text.pop_back();
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
