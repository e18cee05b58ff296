#include "support/options.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ballot::support {

namespace {

constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool is_port(const std::string& text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

bool is_path(const std::string& path) {
  for (std::size_t slash = 0; slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(slash + 1, path.find('/', slash + 1) - slash - 1);
    if (part.empty() || part == "." || part == ".." || part.find_first_of(" \t") != std::string::npos) return false;
  }
  return true;
}

/// A name, an IPv4 address, or an IPv6 address in brackets.
bool is_host(const std::string& host) {
  const bool literal = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const std::string_view name = literal ? std::string_view(host).substr(1, host.size() - 2) : std::string_view(host);
  return !name.empty() && name.find_first_of(literal ? "[] \t\n" : "[]: \t\n") == std::string_view::npos;
}

void add_host(const std::string& text, const std::string& default_port, HostList& list) {
  if (text.empty()) {
    list.problem = "an empty server: write host or host:port";
    return;
  }
  const auto bracket = text.rfind(']');
  const auto colon = text.rfind(':');
  const bool has_port = colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  const std::string host = text.substr(0, has_port ? colon : text.size());
  const std::string port = has_port ? text.substr(colon + 1) : default_port;
  if (!is_host(host) || !is_port(port)) list.problem = "'" + text + "' is no server: write host or host:port";
  list.hosts.push_back(host + ":" + port);
}

void add_path(std::string path, HostList& list) {
  while (!path.empty() && path.back() == '/') path.pop_back();
  if (path.empty()) return;
  if (!list.path.empty() && path != list.path)
    list.problem = "two paths, '" + list.path + "' and '" + path + "': there is one for all servers";
  else if (!is_path(path))
    list.problem = "'" + path + "' is no path: write host:port/folder/folder";
  list.path = path;
}

/// One entry of the list, which may itself be several with commas.
void add_entry(std::string text, const std::string& default_port, HostList& list) {
  if (const auto slash = text.find('/'); slash != std::string::npos) {
    add_path(text.substr(slash), list);
    text.resize(slash);
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    add_host(text.substr(begin, end - begin), default_port, list);
    begin = end + 1;
  }
}

}  // namespace

std::string HostList::text() const {
  std::string all;
  for (const std::string& host : hosts) all += (all.empty() ? "" : ",") + host;
  return all;
}

HostList read_hosts(const OptionValue& value, const std::string& default_port) {
  HostList list;
  if (const auto* text = std::get_if<std::string>(&value))
    add_entry(*text, default_port, list);
  else if (const auto* entries = std::get_if<std::vector<std::string>>(&value))
    for (const std::string& entry : *entries) add_entry(entry, default_port, list);
  else
    list.problem = "must be a list of servers, host or host:port";
  if (list.problem.empty() && list.hosts.empty()) list.problem = "must name a server, host or host:port";
  return list;
}

std::optional<Millis> read_duration(const OptionValue& value, Millis most) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [unit, error] = std::from_chars(text->data(), end, number);
  const std::string_view rest(unit, static_cast<std::size_t>(end - unit));
  if (error != std::errc() || (rest != "ms" && rest != "s") || number <= 0 || number > most.count())
    return std::nullopt;
  const Millis read(rest == "s" ? number * 1000 : number);
  return read <= most ? std::optional(read) : std::nullopt;
}

std::string text_at(const Options& options, const char* key) {
  const auto found = options.find(key);
  const auto* text = found == options.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? "" : *text;
}

bool is_file(const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && text->size() > 1 && text->starts_with('/');
}

NamedFile read_named_file(const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  const auto colon = text == nullptr ? std::string::npos : text->find(":/");
  if (colon == std::string::npos || colon == 0) return {};
  return {text->substr(0, colon), text->substr(colon + 1)};
}

NamedFile named_file_at(const Options& options, const char* key) {
  const auto found = options.find(key);
  return found == options.end() ? NamedFile{} : read_named_file(found->second);
}

std::vector<OptionProblem> half_pairs(const Options& options,
                                      const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<OptionProblem> problems;
  for (const auto& [one, other] : pairs)
    if (options.contains(one) != options.contains(other)) {
      const auto& [there, missing] = options.contains(one) ? std::pair(one, other) : std::pair(other, one);
      problems.push_back({there, there + " is of no use without " + missing + ": set both, or none"});
    }
  return problems;
}

std::vector<OptionProblem> rivals(const Options& options, const std::vector<std::string>& keys,
                                  const std::string& what) {
  std::vector<OptionProblem> problems;
  std::string first;
  for (const std::string& key : keys)
    if (options.contains(key) && !first.empty())
      problems.push_back({key, first + " and " + key + " " + what + ": keep one of them"});
    else if (options.contains(key))
      first = key;
  return problems;
}

std::vector<OptionProblem> without(const Options& options, const std::vector<std::string>& keys,
                                   const std::string& other) {
  std::vector<OptionProblem> problems;
  for (const std::string& key : keys)
    if (options.contains(key) && !options.contains(other))
      problems.push_back({key, key + " is of no use without " + other + ": set that too"});
  return problems;
}

bool is_path_part(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::string_view(letters).find(name[0]) != std::string_view::npos &&
         name.find_first_not_of(std::string(letters) + "._-") == std::string::npos;
}

std::string text_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && !text->empty() ? "" : "must be a text that is not empty";
}

std::string list_problem(const OptionValue& value) noexcept {
  const auto* texts = std::get_if<std::vector<std::string>>(&value);
  return texts != nullptr && !texts->empty() ? "" : "must be a list of texts that is not empty";
}

std::string prefix_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  std::string rest = text == nullptr ? "/" : *text + "/";
  for (std::size_t slash; (slash = rest.find('/')) != std::string::npos; rest.erase(0, slash + 1))
    if (!is_path_part(rest.substr(0, slash)))
      return "prefix must be what all keys begin with, such as \"ballot\" or \"team/ballot\"";
  return {};
}

std::string file_problem(const OptionValue& value) noexcept {
  return is_file(value) ? "" : "must be the path of a file, from '/' on";
}

}  // namespace ballot::support
