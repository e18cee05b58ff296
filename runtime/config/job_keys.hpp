// The keys of `[job.NAME]`: one row each. What concerns more than one key is job_file's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ballot/job.hpp"
#include "config/value.hpp"
#include "schedule/plan.hpp"

namespace ballot::config {

/// A job while its table is read: its details are beside it until it is done, and user and groups are as the file has
/// them.
struct JobDraft : Job, JobDetails, Expectations {
  std::string user;
  std::optional<std::vector<std::string>> group_names;
};

/// Reads every key; each thing wrong is one finding, and leaves its key at the default.
void read_job_keys(const toml::table& table, JobDraft& draft, Findings& findings);

/// Reports the keys that go with a schedule of the job's own, where it has that of the first job in `after`, and those
/// that go with `after` or with a schedule where it has none.
void check_after(const toml::table& table, const JobDraft& job, Findings& findings);
/// Reports hooks of what is not expected, and what could never be noticed. Requires: all else of the job is read.
void check_expectations(const toml::table& table, const JobDraft& job, Findings& findings);

/// Where each name in `after` is.
std::vector<Position> places_in_after(const toml::table& table);

/// Of everything that the file says of the job. Requires: the timezone is resolved.
std::string digest_of(const JobDraft& draft);

/// The names of the keys in which two jobs differ, sorted; `shell` counts as `command`, what users and groups resolve
/// to as `user`.
std::vector<std::string_view> differing_keys(const Job& a, const Job& b);

/// The keys that the job's file sets, as DefinitionRow::keys has them: `shell` as `command`, of its user the name, of
/// its groups the numbers on this node.
std::string keys_of(const Job& job);

/// The names of all keys, sorted.
std::vector<std::string_view> job_key_names();

}  // namespace ballot::config
