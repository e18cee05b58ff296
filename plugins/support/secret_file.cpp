#include "support/secret_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "support/descriptor.hpp"
#include "support/trust.hpp"

namespace ballot::support {

namespace {

std::string fault_of(const std::string& path, const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return path + " is no regular file";
  if (const std::string fault = distrust_owner(info); !fault.empty()) return path + " " + fault;
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return path + " is open to others " + mode_of(info) + ": chmod 0600 it";
  return distrust_way(std::filesystem::path(path).parent_path().string());
}

}  // namespace

Result<std::string> read_secret(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0)
    return Error{Errc::io, "cannot read " + path + ": " + (errno == ELOOP ? "it is a link" : std::strerror(errno))};
  if (const std::string fault = fault_of(path, info); !fault.empty()) return Error{Errc::refused, fault};
  std::array<char, 4096> text;
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  std::string line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  line.resize(std::min(line.find('\n'), line.size()));
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.empty()) return Error{Errc::invalid, "the first line of " + path + " is empty"};
  return line;
}

Result<std::string> secret_of(const std::string& table, const std::string& key, const std::string& path) {
  if (path.empty()) return std::string();
  auto line = read_secret(path);
  if (line) return line;
  const Errc code = line.error().code == Errc::refused ? Errc::refused : Errc::invalid;
  return Error{code, "[" + table + "] " + key + ": " + line.error().what};
}

}  // namespace ballot::support
