// Job files as texts, and what is found in them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/job_file.hpp"
#include "diagnostics_text.hpp"

namespace ballot::config {

inline constexpr std::uint32_t root = 0, somebody = 1000;

inline JobFile read(std::string_view text, JobSettings settings = {}, std::optional<std::uint32_t> owner = root) {
  Identities identities;
  return read_job_file(text, {"x.toml", owner}, settings, identities);
}

/// The only job of a text that is right.
inline Job job(const std::string& keys, JobSettings settings = {}) {
  const JobFile file = read("[job.x]\n" + keys, settings);
  EXPECT_FALSE(has_errors(file.diagnostics)) << text_of(file.diagnostics);
  return file.definitions.empty() ? Job{} : file.definitions.front().definition->job;
}

inline std::string findings(std::string_view text, JobSettings settings = {},
                            std::optional<std::uint32_t> owner = root) {
  return text_of(read(text, settings, owner).diagnostics);
}

inline JobSettings daemon_of(std::uint32_t uid) {
  JobSettings settings;
  settings.daemon = uid;
  return settings;
}

}  // namespace ballot::config
