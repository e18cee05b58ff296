#include "handle_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>
#include <utility>

#include "paths.hpp"

namespace ballot::zookeeper {

namespace {

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
  HandleFile file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.file_ < 0) return Error{Errc::io, "cannot open " + path + ": " + std::strerror(errno)};
  if (::flock(file.file_, LOCK_EX | LOCK_NB) == 0) return file;
  if (errno != EWOULDBLOCK) return Error{Errc::io, "cannot lock " + path + ": " + std::strerror(errno)};
  const Handle other = parse(contents(file.file_)).value_or(Handle{});
  return Error{Errc::conflict, "node " + (other.node.empty() ? "of " + path : other.node) +
                                   " is in use by the daemon with pid " + std::to_string(other.pid) + " on " +
                                   (other.host.empty() ? "this host" : other.host) +
                                   ": give this one another name (node)"};
}

HandleFile::~HandleFile() {
  if (file_ >= 0) ::close(file_);
}

HandleFile::HandleFile(HandleFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

HandleFile& HandleFile::operator=(HandleFile&& other) noexcept {
  std::swap(file_, other.file_);
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

void HandleFile::clear() const { [[maybe_unused]] const int ignored = ::ftruncate(file_, 0); }

}  // namespace ballot::zookeeper
