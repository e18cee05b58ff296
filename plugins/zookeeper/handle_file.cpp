#include "handle_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

#include "paths.hpp"

namespace ballot::zookeeper {

namespace {

constexpr std::time_t old_after = 24 * 3600;  // no session lasts so long without its daemon
constexpr std::size_t most_removed = 64;
constexpr std::size_t password_size = sizeof(clientid_t::passwd);

std::string hex(const char* bytes, std::size_t size) {
  std::string text;
  char two[3];
  for (std::size_t i = 0; i < size; ++i) {
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(bytes[i]));
    text += two;
  }
  return text;
}

bool from_hex(const std::string& text, char* bytes, std::size_t size) {
  if (text.size() != 2 * size || text.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return true;
}

std::string contents(int file) {
  std::string text(4096, '\0');
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

std::optional<Handle> parse(const std::string& text) {
  std::map<std::string, std::string> fields;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (const auto space = line.find(' '); space != std::string::npos)
      fields[line.substr(0, space)] = line.substr(space + 1);
  Handle handle;
  const std::string& session = fields["session"];
  if (!fields.contains("end") || session.empty() || session.size() > 16 ||
      session.find_first_not_of("0123456789abcdef") != std::string::npos ||
      !from_hex(fields["password"], handle.session.passwd, password_size))
    return std::nullopt;
  handle.session.client_id = static_cast<std::int64_t>(std::stoull(session, nullptr, 16));
  handle.node = fields["node"];
  handle.boot_id = fields["boot"];
  handle.machine_id = fields["machine"];
  handle.host = fields["host"];
  handle.pid = std::atoi(fields["pid"].c_str());
  handle.servers = fields["servers"];
  handle.root = fields["root"];
  handle.over = fields["over"] == "1";
  return handle;
}

}  // namespace

std::string handle_text(const Handle& handle) {
  return handle.node + " " + session_text(handle.session.client_id) + " " + hex(handle.session.passwd, password_size);
}

std::string node_of(const std::string& handle_text) { return handle_text.substr(0, handle_text.find(' ')); }

Result<HandleFile> HandleFile::open(const std::string& path) {
  HandleFile file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), path);
  if (file.file_ < 0) return Error{Errc::io, "cannot open " + path + ": " + std::strerror(errno)};
  if (::flock(file.file_, LOCK_EX | LOCK_NB) == 0) return file.is_removed() ? open(path) : std::move(file);
  if (errno != EWOULDBLOCK) return Error{Errc::io, "cannot lock " + path + ": " + std::strerror(errno)};
  const Handle other = parse(contents(file.file_)).value_or(Handle{});
  return Error{Errc::conflict, "node " + (other.node.empty() ? "of " + path : shown(other.node)) +
                                   " is in use by the daemon with pid " + std::to_string(other.pid) + " on " +
                                   (other.host.empty() ? "this host" : other.host) +
                                   ": give this one another name (node)"};
}

HandleFile::~HandleFile() {
  if (file_ >= 0) ::close(file_);
}

HandleFile::HandleFile(HandleFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

HandleFile& HandleFile::operator=(HandleFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  return *this;
}

std::optional<Handle> HandleFile::read() const { return parse(contents(file_)); }

bool HandleFile::write(const Handle& handle) const {
  std::ostringstream out;
  char session[17];
  std::snprintf(session, sizeof session, "%llx", static_cast<unsigned long long>(handle.session.client_id));
  out << "session " << session << "\npassword " << hex(handle.session.passwd, password_size) << "\nnode " << handle.node
      << "\nboot " << handle.boot_id << "\nmachine " << handle.machine_id << "\nhost " << handle.host << "\npid "
      << handle.pid << "\nservers " << handle.servers << "\nroot " << handle.root << "\nover " << handle.over
      << "\nend 1\n";
  const std::string text = out.str();
  if (::ftruncate(file_, 0) != 0) return false;
  return ::pwrite(file_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

bool HandleFile::is_removed() const {
  struct stat info {};
  return ::fstat(file_, &info) == 0 && info.st_nlink == 0;
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
    if (file.file_ < 0 || ::fstat(file.file_, &info) != 0 || ::time(nullptr) - info.st_mtime < old_after) continue;
    if (::flock(file.file_, LOCK_EX | LOCK_NB) == 0) file.remove();
    if (--left == 0) return;
  }
}

}  // namespace ballot::zookeeper
