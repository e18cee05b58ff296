// Options: what several stores have in common in their tables of ballot.toml: hosts, durations, files, the namespace as
// a part of a path. The tables of keys themselves are ballot/options.hpp's. Pure.
//
//   const HostList hosts = read_hosts(options.at("servers"), "2181");
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ballot/options.hpp"
#include "ballot/time.hpp"

namespace ballot::support {

/// Hosts as people write them: a list, or a text with commas, of "HOST", "HOST:PORT" or "[IPV6]:PORT". At the end of
/// any of them there may be a path, the same for all.
struct HostList {
  std::vector<std::string> hosts;  // each with its port
  std::string path;                // "/one/two", or ""
  std::string problem;             // "": none
  /// With commas.
  std::string text() const;
};
HostList read_hosts(const OptionValue& value, const std::string& default_port);

/// "2s" or "200ms", more than nothing and at most `most`.
std::optional<Millis> read_duration(const OptionValue& value, Millis most);

/// The text of a key; "" where there is none.
std::string text_at(const Options& options, const char* key);

/// The path of a file, from '/' on.
bool is_file(const OptionValue& value);

/// "NAME:FILE", such as a user and the file with the password.
struct NamedFile {
  std::string name, file;
};
/// Empty: it is none.
NamedFile read_named_file(const OptionValue& value);
NamedFile named_file_at(const Options& options, const char* key);

/// The name may be a part of a path: [A-Za-z0-9][A-Za-z0-9._-]*, at most 64 letters.
bool is_path_part(const std::string& name);

/// Of pairs of keys of which there must be both, or none, those of which there is one: a problem of that one.
std::vector<OptionProblem> half_pairs(const Options& options,
                                      const std::vector<std::pair<std::string, std::string>>& pairs);
/// Of keys of which there may be one, such as ways to log in, a problem of each but the first. `what` is said of them:
/// "each say who the daemon is".
std::vector<OptionProblem> rivals(const Options& options, const std::vector<std::string>& keys,
                                  const std::string& what);

/// Of keys that are of no use without another one, those that are there where that is not.
std::vector<OptionProblem> without(const Options& options, const std::vector<std::string>& keys,
                                   const std::string& other);

/// For tables of keys: a text, and a list of texts, that are not empty; what all keys of a store begin with, such parts
/// with slashes between; the path of a file.
std::string text_problem(const OptionValue& value) noexcept;
std::string list_problem(const OptionValue& value) noexcept;
std::string prefix_problem(const OptionValue& value) noexcept;
std::string file_problem(const OptionValue& value) noexcept;

}  // namespace ballot::support
