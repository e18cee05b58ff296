#include "support/secret_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "support/descriptor.hpp"
#include "support/trust.hpp"

namespace ballot::support {

namespace {

constexpr std::size_t longest = 16 * 1024;  // bytes

std::string fault_of(const std::string& path, const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return path + " is no regular file";
  if (const std::string fault = distrust_owner(info); !fault.empty()) return path + " " + fault;
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return path + " is open to others " + mode_of(info) + ": chmod 0600 it";
  return distrust_way(std::filesystem::path(path).parent_path().string());
}

/// With the key that names the file.
Result<std::string> named(const std::string& table, const std::string& key, Result<std::string> read) {
  if (read) return read;
  const Errc code = read.error().code == Errc::refused ? Errc::refused : Errc::invalid;
  return Error{code, "[" + table + "] " + key + ": " + read.error().what};
}

}  // namespace

Result<std::string> read_secret_text(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0)
    return Error{Errc::io, "cannot read " + path + ": " + (errno == ELOOP ? "it is a link" : std::strerror(errno))};
  if (const std::string fault = fault_of(path, info); !fault.empty()) return Error{Errc::refused, fault};
  std::string text(longest + 1, '\0');
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0) return Error{Errc::io, "cannot read " + path + ": " + std::strerror(errno)};
  text.resize(static_cast<std::size_t>(size));
  if (text.empty()) return Error{Errc::invalid, path + " is empty"};
  if (text.size() > longest) return Error{Errc::invalid, path + " has more than " + std::to_string(longest) + " bytes"};
  return text;
}

Result<std::string> read_secret(const std::string& path) {
  auto text = read_secret_text(path);
  if (!text) return text;
  std::string line = text->substr(0, text->find('\n'));
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.empty()) return Error{Errc::invalid, "the first line of " + path + " is empty"};
  return line;
}

Result<std::string> secret_of(const std::string& table, const std::string& key, const std::string& path) {
  if (path.empty()) return std::string();
  return named(table, key, read_secret(path));
}

Result<std::string> secret_text_of(const std::string& table, const std::string& key, const std::string& path) {
  if (path.empty()) return std::string();
  return named(table, key, read_secret_text(path));
}

}  // namespace ballot::support
