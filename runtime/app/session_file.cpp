#include "app/session_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/unique_fd.hpp"
#include "io/message.hpp"

namespace ballot::app {
namespace {

constexpr std::size_t longest = 16 * 1024;

Error failure(const std::string& what) {
  return {errno == ENOENT ? Errc::not_found : Errc::io, what + ": " + std::strerror(errno)};
}

}  // namespace

std::string session_path(const std::string& run_dir) { return run_dir + "/session"; }

Result<void> write_session_file(const std::string& path, const SessionFile& file) {
  io::Message message;
  message.set("backend", file.backend).set("namespace", file.name_space).set("node", file.node);
  message.set("handle", file.handle).set("runner", file.runner_socket);
  const std::string text = io::encode(message) + "\n";
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());
  const UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return failure("cannot write " + fresh);
  if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return failure("cannot write " + fresh);
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return failure("cannot replace " + path);
  return {};
}

Result<SessionFile> read_session_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return failure("cannot read " + path);
  struct stat found {};
  ::fstat(fd.get(), &found);
  if ((found.st_uid != 0 && found.st_uid != ::geteuid()) || (found.st_mode & 077) != 0)
    return Error{Errc::refused,
                 path + " is not this user's own, or is open to others; a daemon writes it with mode 0600"};
  std::array<char, longest> text;
  const ssize_t size = ::read(fd.get(), text.data(), text.size());
  std::string_view line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (line.ends_with('\n')) line.remove_suffix(1);
  const auto message = io::decode(line);
  SessionFile file;
  if (message) {
    file.backend = message->text("backend").value_or("");
    file.name_space = message->text("namespace").value_or("");
    file.node = message->text("node").value_or("");
    file.handle = message->text("handle").value_or("");
    file.runner_socket = message->text("runner").value_or("");
  }
  if (file.backend.empty() || file.handle.empty())
    return Error{Errc::corrupt, path + " is not the file of a session that a daemon has written"};
  return file;
}

}  // namespace ballot::app
