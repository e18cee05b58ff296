#include "http/token_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/trust.hpp"
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

namespace {

/// What is in the file; "" where there is none and one may be made.
Result<std::string> text_before(const std::string& path) {
  const auto text = io::read_trusted_file(path, io::Readers::owner);
  const bool is_missing = !text && text.error().code == Errc::not_found;
  if (!is_missing) return text;
  if (const auto fault = distrust_folder(path.substr(0, path.rfind('/') + 1), ::geteuid()))
    return Error{Errc::refused, *fault};
  return std::string();
}

/// All of it, or, where there is no space, nothing.
bool append(int file, std::size_t size_before, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(file, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      const int error = errno;
      if (::ftruncate(file, static_cast<off_t>(size_before)) == 0) errno = error;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return ::fsync(file) == 0;
}

}  // namespace

Result<void> add_token(const std::string& path, const std::string& line) {
  const auto error_in = [&](const Error& error) { return Error{Errc::refused, path + ": " + error.what}; };
  if (const auto usable = text_before(path); !usable) return error_in(usable.error());
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  const auto failure = [&] { return Error{Errc::io, "cannot write " + path + ": " + std::strerror(errno)}; };
  if (!file || ::flock(file.get(), LOCK_EX) != 0) return failure();  // two at once would both see a name free
  const auto before = text_before(path);
  if (!before) return error_in(before.error());
  const std::string added = (before->empty() || before->ends_with('\n') ? "" : "\n") + line + "\n";
  if (const auto tokens = Tokens::parse(*before + added); !tokens)
    return error_in({Errc::refused, tokens.error().what});
  if (!append(file.get(), before->size(), added)) return failure();
  return {};
}

}  // namespace ballot::web
