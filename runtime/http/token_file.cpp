#include "http/token_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/unique_fd.hpp"
#include "io/trusted_file.hpp"

namespace ballot::web {

Result<TokenFile> TokenFile::open(std::string path) {
  TokenFile made(std::move(path));
  if (made.path_.empty()) return made;
  if (const auto read = made.read(); !read) return read.error();
  return made;
}

Result<void> TokenFile::read() {
  const auto error_in = [this](const Error& error) {
    const Errc code = error.code == Errc::not_found ? Errc::invalid : error.code;
    const std::string to_do =
        error.code != Errc::not_found ? "" : ": `ballot token new NAME --role viewer --append " + path_ + "` makes it";
    return Error{code, std::string(table) + "tokens: " + path_ + ": " + error.what + to_do};
  };
  const auto text = io::read_trusted_file(path_, io::Readers::owner);
  if (!text) return error_in(text.error());
  auto tokens = Tokens::parse(*text);
  if (!tokens) return error_in(tokens.error());
  tokens_ = *std::move(tokens);
  return {};
}

Result<TokenFile::Refreshed> TokenFile::refresh() {
  const bool has_changed = !path_.empty() && file_.changed();
  const auto again = has_changed ? read() : Result<void>();
  if (!again) return faults_.is_new(again.error().what) ? Result<Refreshed>(again.error()) : Refreshed::same;
  faults_.is_over();
  file_.was_read();
  return has_changed ? Refreshed::changed : Refreshed::same;
}

Result<void> add_token(const std::string& path, const std::string& line) {
  const auto error_in = [&](const Error& error) { return Error{error.code, path + ": " + error.what}; };
  const auto there = io::read_trusted_file(path, io::Readers::owner);
  if (!there && there.error().code != Errc::not_found) return error_in(there.error());
  const std::string before = there ? *there : "";
  const std::string added = (before.empty() || before.ends_with('\n') ? "" : "\n") + line + "\n";
  if (const auto tokens = Tokens::parse(before + added); !tokens) return error_in({Errc::refused, tokens.error().what});
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  const bool is_written = file && ::write(file.get(), added.data(), added.size()) == static_cast<ssize_t>(added.size());
  if (!is_written || ::fsync(file.get()) != 0)
    return Error{Errc::io, "cannot write " + path + ": " + std::strerror(errno)};
  return {};
}

}  // namespace ballot::web
