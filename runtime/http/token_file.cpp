#include "http/token_file.hpp"

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
    return Error{code, std::string(table) + "tokens: " + path_ + ": " + error.what};
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

}  // namespace ballot::web
