#include "library/session_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/unique_fd.hpp"
#include "io/message.hpp"

namespace ballot::library {
namespace {

constexpr std::size_t longest = 16 * 1024;

Error failure(const std::string& what) {
  return {errno == ENOENT ? Errc::not_found : Errc::io, what + ": " + std::strerror(errno)};
}

SessionFile parse(const io::Message& message) {
  SessionFile file;
  file.backend = message.text("backend").value_or("");
  file.name_space = message.text("namespace").value_or("");
  file.plugin_dir = message.text("plugin_dir").value_or("");
  file.state_dir = message.text("state_dir").value_or("");
  file.timeout = Millis(message.integer("timeout_ms").value_or(0));
  file.node = message.text("node").value_or("");
  file.group = message.text("group").value_or("");
  file.handle = message.text("handle").value_or("");
  file.runner_socket = message.text("runner").value_or("");
  file.boot_id = message.text("boot").value_or("");
  if (const auto until = message.integer("left_until")) file.left_until = SteadyTime(Millis(*until));
  for (const io::Message& options : message.objects("options"))
    for (const auto& [key, value] : options.fields()) {
      if (const auto* flag = std::get_if<bool>(&value)) file.options[key] = *flag;
      if (const auto* number = std::get_if<std::int64_t>(&value)) file.options[key] = *number;
      if (const auto* text = std::get_if<std::string>(&value)) file.options[key] = *text;
      if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) file.options[key] = *texts;
    }
  return file;
}

std::string candidate_path(const config::Config& config, const char* kind, const std::string& group,
                           const std::string& candidate) {
  std::string folder = config.run_dir;
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    folder = config.state_dir;
    std::filesystem::create_directories(folder, ignored);
  }
  return folder + kind + group + "." + candidate;
}

}  // namespace

std::string session_path(const std::string& run_dir) { return run_dir + "/session"; }

std::string candidate_session_path(const config::Config& config, const std::string& group,
                                   const std::string& candidate) {
  return candidate_path(config, "/candidate-", group, candidate);
}

std::string candidate_epoch_path(const config::Config& config, const std::string& group, const std::string& candidate) {
  return candidate_path(config, "/epoch-", group, candidate.empty() ? config.node : candidate);
}

SessionFile about_session(const config::Config& config, const std::string& node) {
  SessionFile file;
  file.backend = config.coordination.backend;
  file.name_space = config.coordination.name_space;
  file.plugin_dir = config.plugin_dir;
  file.state_dir = config.state_dir;
  const auto table = config.backends.find(file.backend);
  if (table != config.backends.end()) file.options = table->second.options;
  file.timeout = config.coordination.session_timeout.value_or(Millis(0));
  file.node = node;
  return file;
}

config::Config config_of(const SessionFile& file) {
  config::Config config;
  config.coordination.backend = file.backend;
  config.coordination.name_space = file.name_space;
  if (file.timeout > Millis(0)) config.coordination.session_timeout = file.timeout;
  config.plugin_dir = file.plugin_dir;
  config.state_dir = file.state_dir;
  config.backends[file.backend].options = file.options;
  return config;
}

Result<void> write_session_file(const std::string& path, const SessionFile& file) {
  io::Message message, options;
  for (const auto& [key, value] : file.options)
    std::visit([&options, &name = key](const auto& one) { options.set(name, one); }, value);
  message.set("backend", file.backend).set("namespace", file.name_space).set("node", file.node);
  message.set("group", file.group);
  message.set("plugin_dir", file.plugin_dir).set("state_dir", file.state_dir);
  message.set("options", std::vector<io::Message>{options}).set("timeout_ms", std::int64_t{file.timeout.count()});
  message.set("handle", file.handle).set("runner", file.runner_socket).set("boot", file.boot_id);
  if (file.left_until) message.set("left_until", std::int64_t{file.left_until->time_since_epoch().count()});
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
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat found {};
  if (!fd && errno != ELOOP) return failure("cannot read " + path);
  if (!fd || ::fstat(fd.get(), &found) != 0 || !S_ISREG(found.st_mode))
    return Error{Errc::refused, path + " is no regular file; a daemon writes one, with mode 0600"};
  if ((found.st_uid != 0 && found.st_uid != ::geteuid()) || (found.st_mode & 077) != 0)
    return Error{Errc::refused,
                 path + " is not this user's own, or is open to others; a daemon writes it with mode 0600"};
  std::array<char, longest> text;
  const ssize_t size = ::read(fd.get(), text.data(), text.size());
  std::string_view line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (line.ends_with('\n')) line.remove_suffix(1);
  const auto message = io::decode(line);
  SessionFile file = message ? parse(*message) : SessionFile{};
  if (file.backend.empty())
    return Error{Errc::corrupt, path + " is not the file of a session that a daemon has written"};
  return file;
}

}  // namespace ballot::library
