#include "support/handle_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <limits>

#include "support/fields.hpp"
#include "support/member_name.hpp"

namespace ballot::support {

namespace {

constexpr std::time_t old_after = 24 * 3600;  // no session lasts so long without its daemon
constexpr std::size_t most_removed = 64;

std::string contents(int file) {
  std::string text(4096, '\0');
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

std::optional<Handle> parse(const std::string& text) {
  const Fields fields = fields_of(text);
  Handle handle;
  handle.session = field_of(fields, "session");
  if (!fields.contains("end") || handle.session.empty()) return std::nullopt;
  handle.secret = field_of(fields, "password");
  handle.node = field_of(fields, "node");
  handle.boot_id = field_of(fields, "boot");
  handle.machine_id = field_of(fields, "machine");
  handle.host = field_of(fields, "host");
  handle.pid = static_cast<int>(number_of(fields, "pid", std::numeric_limits<int>::max()));
  handle.servers = field_of(fields, "servers");
  handle.root = field_of(fields, "root");
  handle.over = field_of(fields, "over") == "1";
  return handle;
}

}  // namespace

std::string handle_text(const Handle& handle) { return handle.node + " " + handle.session + " " + handle.secret; }

std::string node_of(const std::string& handle_text) { return handle_text.substr(0, handle_text.find(' ')); }

Result<HandleFile> HandleFile::open(const std::string& path) {
  HandleFile file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), path);
  if (!file.file_) return Error{Errc::io, "cannot open " + path + ": " + std::strerror(errno)};
  if (::flock(file.file_.get(), LOCK_EX | LOCK_NB) == 0) return file.is_removed() ? open(path) : std::move(file);
  if (errno != EWOULDBLOCK) return Error{Errc::io, "cannot lock " + path + ": " + std::strerror(errno)};
  const auto other = parse(contents(file.file_.get()));
  return Error{Errc::conflict, other ? in_use_text(other->node, other->pid, other->host)
                                     : path +
                                           " is in use by another process on this host, which opens its session: "
                                           "give this one another name (node)"};
}

std::optional<Handle> HandleFile::read() const { return parse(contents(file_.get())); }

bool HandleFile::write(const Handle& handle) const {
  FieldWriter out;
  out.put("session", handle.session);
  out.put("password", handle.secret);
  out.put("node", handle.node);
  out.put("boot", handle.boot_id);
  out.put("machine", handle.machine_id);
  out.put("host", handle.host);
  out.put("pid", handle.pid);
  out.put("servers", handle.servers);
  out.put("root", handle.root);
  out.put("over", handle.over ? 1 : 0);
  out.put("end", 1);
  const std::string& text = out.text();
  if (::ftruncate(file_.get(), 0) != 0) return false;
  return ::pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

bool HandleFile::is_removed() const {
  struct stat info {};
  return ::fstat(file_.get(), &info) == 0 && info.st_nlink == 0;
}

void HandleFile::remove() const { ::unlink(path_.c_str()); }

void HandleFile::remove_old(const std::string& folder, const std::string& prefix) {
  std::error_code error;
  std::size_t left = most_removed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(prefix) || !name.ends_with(".session")) continue;
    const HandleFile file(::open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW), entry.path());
    struct stat info {};
    if (!file.file_ || ::fstat(file.file_.get(), &info) != 0 || ::time(nullptr) - info.st_mtime < old_after) continue;
    if (::flock(file.file_.get(), LOCK_EX | LOCK_NB) == 0) file.remove();
    if (--left == 0) return;
  }
}

}  // namespace ballot::support
