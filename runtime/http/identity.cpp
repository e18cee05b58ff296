#include "http/identity.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/utf8.hpp"

namespace ballot::web {
namespace {

constexpr std::size_t longest_user = 64;

/// Rows, logs and screens have it.
bool is_user_name(std::string_view text) {
  if (text.empty() || text.size() > longest_user) return false;
  for (std::size_t length = 0; !text.empty(); text.remove_prefix(length)) {
    length = utf8_length(text);
    if (length == 0 || is_display_control(utf8_character(text, length))) return false;
  }
  return true;
}

/// Between the words of who asked it is one: the user "x, token ci" is not taken for token ci.
std::string one_word(std::string_view user) {
  std::string word;
  for (const char c : user) switch (c) {
      case ' ': word += "%20"; break;
      case '"': word += "%22"; break;
      case '%': word += "%25"; break;
      case '\'': word += "%27"; break;
      case ',': word += "%2C"; break;
      default: word += c;
    }
  return word;
}

/// The token of "Bearer TOKEN"; none: another scheme, or letters that no token has.
std::optional<std::string_view> bearer_of(std::string_view header) {
  constexpr std::string_view scheme = "bearer ";
  if (header.size() <= scheme.size()) return std::nullopt;
  for (std::size_t i = 0; i < scheme.size(); ++i) {
    const char c = header[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != scheme[i]) return std::nullopt;
  }
  const std::string_view token = header.substr(header.find_first_not_of(' ', scheme.size() - 1));
  const bool is_plain = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  return is_plain && token.size() <= longest_token ? std::optional(token) : std::nullopt;
}

}  // namespace

std::string place_of(const Credentials& shown) {
  if (!shown.address) return "uid " + std::to_string(shown.peer.uid);
  if (shown.address->is_v4()) return "address " + shown.address->text();
  IpAddress network = *shown.address;
  std::fill(network.bytes.begin() + 8, network.bytes.end(), std::uint8_t{0});
  return "address " + network.text() + "/64";
}

Identity::Identity(const HttpSettings& settings, const TokenFile& tokens, const io::Roles& roles)
    : settings_(settings), tokens_(tokens), roles_(roles) {
  for (const std::string& proxy : settings.trusted_proxies) {
    if (proxy == proxy_on_socket)
      proxy_on_socket_ = true;
    else if (const auto range = AddressRange::parse(proxy))
      proxies_.push_back(*range);
  }
}

Result<Caller> Identity::of(const Credentials& shown) const {
  const std::string from = shown.address ? shown.address->text() : "the socket";
  if (shown.authorization) return by_token(*shown.authorization, from);
  if (shown.user && is_trusted(shown)) return by_proxy(shown, from);
  if (!shown.address) {
    const std::string name = "uid " + std::to_string(shown.peer.uid);
    const bool is_own = shown.peer.uid == 0 || shown.peer.uid == ::geteuid();
    // A proxy that forgets the header would lend its own role to everybody.
    const io::Role own = proxy_on_socket_ && !is_own ? io::Role::none : roles_.of(shown.peer);
    const io::Role role = std::max(own, settings_.anonymous_viewer ? io::Role::viewer : io::Role::none);
    return Caller{{role, name, name, is_own}, Caller::By::socket};
  }
  const io::Role role = settings_.anonymous_viewer ? io::Role::viewer : io::Role::none;
  return Caller{{.role = role, .key = place_of(shown), .name = "somebody from " + from, .is_known = false}};
}

Result<Caller> Identity::by_token(const std::string& authorization, const std::string& from) const {
  const auto shown = bearer_of(authorization);
  if (!shown) return Error{Errc::denied, "the header Authorization must be: Bearer TOKEN"};
  const Token* const found = tokens_.tokens().find(*shown);
  if (found == nullptr) return Error{Errc::denied, "this token is not known here"};
  return Caller{
      {found->role, "token " + found->name, "token " + found->name + " from " + from}, Caller::By::token, *found};
}

Result<Caller> Identity::by_proxy(const Credentials& shown, const std::string& from) const {
  if (!is_user_name(*shown.user))
    return Error{Errc::invalid, "the proxy names a user with more than 64 bytes, or with letters that no user has"};
  io::Role role = settings_.proxy_groups_header.empty() ? io::Role::viewer : role_in(shown.groups.value_or(""));
  if (!shown.address) role = std::min(role, roles_.of(shown.peer));
  const std::string name = "user " + one_word(*shown.user);
  return Caller{{role, name, name + " by the proxy at " + from}, Caller::By::proxy};
}

io::Role Identity::role_in(const std::string& groups) const {
  io::Role highest = io::Role::none;
  for (std::size_t from = 0; from <= groups.size();) {
    const std::size_t end = std::min(groups.find(',', from), groups.size());
    std::string_view group = std::string_view(groups).substr(from, end - from);
    while (group.starts_with(' ') || group.starts_with('\t')) group.remove_prefix(1);
    while (group.ends_with(' ') || group.ends_with('\t')) group.remove_suffix(1);
    for (const auto& [name, role] : settings_.proxy_roles)
      if (name == group) highest = std::max(highest, io::parse_role(role).value_or(io::Role::none));
    from = end + 1;
  }
  return highest;
}

bool Identity::is_trusted(const Credentials& shown) const {
  if (!shown.address) return proxy_on_socket_;
  return std::any_of(proxies_.begin(), proxies_.end(),
                     [&](const AddressRange& range) { return range.contains(*shown.address); });
}

bool Identity::ignores_proxy(const Credentials& shown) const {
  return (shown.user || shown.groups) && !is_trusted(shown);
}

bool Identity::is_current(const Caller& caller) const { return !caller.token || tokens_.tokens().has(*caller.token); }

}  // namespace ballot::web
