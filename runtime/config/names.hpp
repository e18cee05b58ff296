// Names: which ones are allowed, and which known one is nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/env_words.hpp"

namespace ballot::config {

/// Of ASCII.
bool is_letter_or_digit(char c);

/// Of jobs, groups, backends and namespaces: [A-Za-z0-9][A-Za-z0-9_-]{0,63}.
bool is_name(std::string_view text);

/// Of nodes: dots too.
bool is_node_name(std::string_view text);

/// JOB, or JOB@NODE: an instance of a job that runs on each node.
bool is_job_or_instance(std::string_view text);

/// Of a file that a jobs folder reads: [A-Za-z0-9][A-Za-z0-9._-]*\.toml. Others are ignored.
bool is_job_file_name(std::string_view text);

/// Of an environment variable that a job may set.
using ballot::is_variable_name;

/// The known name that takes the fewest edits (insert, delete, replace, swap neighbours); "" if none is near.
std::string_view nearest(std::string_view text, std::span<const std::string_view> known);

/// "; did you mean 'x'?", as the end of a message about an unknown name; "" where none is near.
std::string did_you_mean(std::string_view text, std::span<const std::string_view> known);

/// "; did you mean 'x'? Known are a, b, x": the end of a message about an unknown name.
std::string suggestion(std::string_view text, std::span<const std::string_view> known);

}  // namespace ballot::config
