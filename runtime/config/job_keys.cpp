#include "config/job_keys.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>

#include "config/key_table.hpp"

namespace ballot::config {
namespace {

constexpr std::int64_t second_ms = 1'000;
constexpr std::int64_t largest_job_count = 1'000'000;
constexpr std::size_t most_parents = 16;
constexpr std::size_t most_trigger_variables = 32;
constexpr std::size_t most_schedules = 32;                 // they must fit into the job's register, with their anchors
constexpr std::int64_t largest_output = 32 * 1024 * 1024;  // what the runner keeps of a run

template <auto Member>
constexpr Key<JobDraft> job_row(std::string_view name, void (*read)(const Value&, JobDraft&)) {
  return row<JobDraft, Member>(name, read);
}

void read_command(const Value& value, JobDraft& job) {
  if (value.node().is_string())
    return value.error("must be a list of strings, a program and its arguments; a line for the shell goes to 'shell'");
  auto words = value.strings();
  if (!words) return;
  if (words->empty() || words->front().empty())
    return value.error("must name a program: a list such as [\"/usr/bin/program\", \"argument\"]");
  job.command = std::move(*words);
}

void read_shell(const Value& value, JobDraft& job) {
  const auto text = value.argument();
  if (!text) return;
  if (text->empty()) return value.error("must not be empty");
  job.command = {"/bin/sh", "-c", std::string(*text)};
}

void read_schedule(const Value& value, JobDraft& job) {
  if (const auto* list = value.node().as_array()) {
    if (list->size() > most_schedules)
      return value.error("has " + std::to_string(list->size()) + " schedules; a job may have " +
                         std::to_string(most_schedules));
    return as_strings<&Job::schedule>(value, job);
  }
  if (!value.node().is_string()) {
    value.error("must be a schedule such as \"0 2 * * *\", or a list of them");
    return;
  }
  if (const auto text = value.string()) job.schedule = {std::string(*text)};
}

void read_after(const Value& value, JobDraft& job) {
  const auto names = value.strings();
  if (!names) return;
  if (names->empty()) return value.error("must name at least one job");
  if (names->size() > most_parents)
    return value.error("names " + std::to_string(names->size()) + " jobs; a job may come after " +
                       std::to_string(most_parents));
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::string& name = (*names)[i];
    if (!is_name(name)) return value.error("must be names of jobs, and " + in_quotes(name) + " is none");
    if (name == job.name) return value.error("names the job itself: it would wait for itself");
    if (std::find(names->begin(), names->begin() + static_cast<std::ptrdiff_t>(i), name) !=
        names->begin() + static_cast<std::ptrdiff_t>(i))
      return value.error("names " + in_quotes(name) + " twice");
  }
  job.after = *names;
}

void read_timezone(const Value& value, JobDraft& job) {
  const auto text = value.string();
  if (!text) return;
  if (text->empty()) return value.error("must be the name of a zone such as \"Europe/Paris\", not \"\"");
  job.timezone = *text;
}

void read_user(const Value& value, JobDraft& job) {
  const auto text = value.string();
  if (!text) return;
  if (text->empty()) return value.error("must be the name of a user, not \"\"");
  job.user = *text;
}

void read_umask(const Value& value, JobDraft& job) {
  const auto text = value.string();
  if (!text) return;
  const bool octal = !text->empty() && text->size() <= 4 && text->find_first_not_of("01234567") == std::string::npos;
  std::uint32_t mask = 0;
  if (octal) std::from_chars(text->data(), text->data() + text->size(), mask, 8);
  if (!octal || mask > 0777) return value.error("must be three octal digits such as \"022\", not " + in_quotes(*text));
  job.umask = mask;
}

/// "TERM" or "SIGTERM" to its number; 0 if there is no such signal.
int signal_number(std::string_view name) {
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (int number = 1; number < 32; ++number) {
    const char* const known = ::sigabbrev_np(number);
    if (known != nullptr && name == known) return number;
  }
  return 0;
}

void read_kill_signal(const Value& value, JobDraft& job) {
  const auto text = value.string();
  if (!text) return;
  const int number = signal_number(*text);
  if (number == 0)
    return value.error("must be the name of a signal such as \"TERM\" or \"SIGINT\", not " + in_quotes(*text));
  job.kill_signal = number;
}

void read_success_codes(const Value& value, JobDraft& job) {
  const toml::array* const list = value.list("exit codes");
  if (list == nullptr) return;
  if (list->empty()) return value.error("must contain at least one exit code: with none, no run could succeed");
  std::vector<int> codes;
  for (const toml::node& element : *list) {
    const auto code = Value(value.key(), element, value.findings()).integer(0, 255);
    if (!code) return;
    codes.push_back(static_cast<int>(*code));
  }
  job.success_codes = std::move(codes);
}

/// A table NAME = text, with names that a job may give to variables.
std::map<std::string, std::string> read_variables(const Value& value) {
  std::map<std::string, std::string> out;
  const toml::table* const table = value.table();
  if (table == nullptr) return out;
  for (auto&& [key, node] : *table) {
    const Position at = position_of(key.source());
    const auto text = Value(key.str(), node, value.findings()).string();
    if (!is_variable_name(key.str()))
      value.findings().error(at, in_quotes(key.str()) + " is not a valid variable name: letters, digits and '_'");
    else if (key.str().starts_with("BALLOT_"))
      value.findings().error(
          at, in_quotes(key.str()) + " is one of the variables that ballot itself sets; use another name");
    else if (text && key.str().size() + 1 + text->size() > longest_argument)
      value.findings().error(position_of(node.source()), in_quotes(key.str()) + " has more than the " +
                                                             std::to_string(longest_argument) +
                                                             " bytes that Linux gives to a variable with its name");
    else if (text)
      out.emplace(key.str(), *text);
  }
  return out;
}

void read_env(const Value& value, JobDraft& job) { job.env = read_variables(value); }

void read_secrets(const Value& value, JobDraft& job) {
  auto secrets = read_variables(value);
  for (const auto& [name, path] : secrets)
    if (path.empty()) return value.error("has an empty path for " + in_quotes(name));
  job.secrets = std::move(secrets);
}

/// Names that whoever triggers a run may give values.
void read_trigger_env(const Value& value, JobDraft& job) {
  const auto names = value.strings();
  if (!names) return;
  if (names->size() > most_trigger_variables)
    return value.error("names " + std::to_string(names->size()) + " variables; a job may have " +
                       std::to_string(most_trigger_variables));
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::string& name = (*names)[i];
    if (!is_variable_name(name))
      return value.error("must be names of variables: letters, digits and '_', no digit first, not " + in_quotes(name));
    if (is_reserved_variable(name))
      return value.error("names " + in_quotes(name) +
                         ", which ballot sets, or by which the loader chooses what a program executes; use another "
                         "name");
    if (std::find(names->begin(), names->begin() + static_cast<std::ptrdiff_t>(i), name) !=
        names->begin() + static_cast<std::ptrdiff_t>(i))
      return value.error("names " + in_quotes(name) + " twice");
  }
  job.trigger_env = *names;
}

/// The value becomes a header of a mail: one line, and something in it.
void read_mail_to(const Value& value, JobDraft& job) {
  const auto text = value.string();
  if (!text) return;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  if (std::any_of(text->begin(), text->end(), is_control))
    return value.error("must be addresses on one line, such as \"root, ops@example.org\", without control characters");
  if (text->find_first_not_of(' ') == std::string_view::npos && !text->empty())
    return value.error("must name somebody, or be \"\" for nobody");
  job.mail_to = *text;
}

void read_ping_url(const Value& value, JobDraft& job) {
  const auto text = value.string();
  if (!text) return;
  std::string_view rest = *text;
  for (const std::string_view scheme : {"http://", "https://"})
    if (text->starts_with(scheme)) rest = text->substr(scheme.size());
  const bool has_host = rest.size() < text->size() && !rest.empty() && rest.front() != '/' && rest.front() != '?';
  const bool clean = std::all_of(text->begin(), text->end(), [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
  if (!has_host || !clean)
    return value.error("must be a URL such as \"https://host/path\" (http or https, no '#'), not " + in_quotes(*text));
  job.ping_url = *text;
}

void read_cpu_time(const Value& value, Limits& limits) {
  const auto time = value.duration(Millis(second_ms));
  if (!time) return;
  if (*time % std::chrono::seconds(1) != Millis(0)) return value.error("must be whole seconds");
  limits.cpu_time_seconds = static_cast<std::uint64_t>(time->count() / second_ms);
}

template <auto Member>
constexpr Key<Limits> limit_row(std::string_view name, void (*read)(const Value&, Limits&)) {
  return row<Limits, Member>(name, read);
}

constexpr Key<Limits> limit_keys[] = {
    limit_row<&Limits::address_space>("address_space", as_size<&Limits::address_space, 1, unlimited>),
    limit_row<&Limits::cpu_time_seconds>("cpu_time", read_cpu_time),
    limit_row<&Limits::cpu_weight>("cpu_weight", as_integer<&Limits::cpu_weight, 1, 10'000>),
    limit_row<&Limits::memory_max>("memory_max", as_size<&Limits::memory_max, 1, unlimited>),
    limit_row<&Limits::open_files>("open_files", as_integer<&Limits::open_files, 1, unlimited>),
    limit_row<&Limits::processes>("processes", as_integer<&Limits::processes, 1, unlimited>),
    limit_row<&Limits::tasks_max>("tasks_max", as_integer<&Limits::tasks_max, 1, unlimited>),
};
static_assert(is_sorted(limit_keys));

void read_limits(const Value& value, JobDraft& job) {
  if (const toml::table* const table = value.table()) read_table(*table, limit_keys, job.limits, value.findings());
}

constexpr Key<JobDraft> limits_row{"limits", read_limits,
                                   [](const JobDraft& a, const JobDraft& b) { return a.limits != b.limits; },
                                   [](Digest& digest, const JobDraft& job) {
                                     digest.bytes("{");
                                     digest_table(digest, limit_keys, job.limits);
                                     digest.bytes("}");
                                   }};

/// Always in the digest: what a job without one gets is the daemon's, and differs from node to node.
constexpr Key<JobDraft> timezone_row{"timezone", read_timezone, [](const JobDraft&, const JobDraft&) { return true; },
                                     [](Digest& digest, const JobDraft& job) { digest.put(job.timezone); }};

constexpr Key<JobDraft> job_keys[] = {
    job_row<&JobDetails::after>("after", read_after),
    job_row<&JobDetails::after_status>("after_status", as_word<&JobDetails::after_status>),
    job_row<&JobDetails::background>("background", as_word<&JobDetails::background>),
    job_row<&Job::command>("command", read_command),
    job_row<&Job::concurrency>("concurrency", as_word<&Job::concurrency>),
    job_row<&Job::deadline>("deadline", as_duration<&Job::deadline, 1>),
    job_row<&Job::description>("description", as_string<&Job::description>),
    job_row<&Job::enabled>("enabled", as_boolean<&Job::enabled>),
    job_row<&JobDetails::env>("env", read_env),
    job_row<&JobDetails::env_file>("env_file", as_path<&JobDetails::env_file>),
    job_row<&JobDetails::except>("except", as_strings<&JobDetails::except>),
    job_row<&Expectations::expect_success>("expect_success", as_duration<&Expectations::expect_success, 1000>),
    job_row<&Expectations::expect_within>("expect_within", as_duration<&Expectations::expect_within, 1>),
    job_row<&JobDetails::function>("function", as_name<&JobDetails::function>),
    job_row<&Job::group>("group", as_name<&Job::group>),
    job_row<&JobDraft::group_names>("groups", as_strings<&JobDraft::group_names>),
    job_row<&Job::guarantee>("guarantee", as_word<&Job::guarantee>),
    job_row<&JobDetails::hook_timeout>("hook_timeout", as_duration<&JobDetails::hook_timeout, 1>),
    job_row<&Job::jitter>("jitter", as_duration<&Job::jitter, 0>),
    job_row<&Job::kill_grace>("kill_grace", as_duration<&Job::kill_grace, 0>),
    job_row<&JobDetails::kill_signal>("kill_signal", read_kill_signal),
    job_row<&Expectations::late_after>("late_after", as_duration<&Expectations::late_after, 1>),
    limits_row,
    job_row<&Job::log_output>("log_output", as_boolean<&Job::log_output>),
    job_row<&JobDetails::lost_after>("lost_after", as_duration<&JobDetails::lost_after, 1>),
    job_row<&JobDetails::lost_limit>("lost_limit", as_integer<&JobDetails::lost_limit, 1, largest_job_count>),
    job_row<&JobDetails::mail_on>("mail_on", as_word<&JobDetails::mail_on>),
    job_row<&JobDetails::mail_to>("mail_to", read_mail_to),
    job_row<&Job::max_running>("max_running", as_integer<&Job::max_running, 1, 16>),
    job_row<&Job::misfire>("misfire", as_word<&Job::misfire>),
    job_row<&JobDetails::misfire_limit>("misfire_limit", as_integer<&JobDetails::misfire_limit, 1, largest_job_count>),
    job_row<&JobDetails::nice>("nice", as_integer<&JobDetails::nice, -20, 19>),
    job_row<&JobDetails::no_new_privs>("no_new_privs", as_boolean<&JobDetails::no_new_privs>),
    job_row<&Job::not_after>("not_after", as_date_time<&Job::not_after>),
    job_row<&Job::not_before>("not_before", as_date_time<&Job::not_before>),
    job_row<&Job::on_error>("on_error", as_word<&Job::on_error>),
    job_row<&JobDetails::on_failure>("on_failure", as_hook<&JobDetails::on_failure>),
    job_row<&Expectations::on_late>("on_late", as_hook<&Expectations::on_late>),
    job_row<&Job::on_leadership_lost>("on_leadership_lost", as_word<&Job::on_leadership_lost>),
    job_row<&JobDetails::on_missed>("on_missed", as_hook<&JobDetails::on_missed>),
    job_row<&Expectations::on_overdue>("on_overdue", as_hook<&Expectations::on_overdue>),
    job_row<&JobDetails::on_recovery>("on_recovery", as_hook<&JobDetails::on_recovery>),
    job_row<&Expectations::on_slow>("on_slow", as_hook<&Expectations::on_slow>),
    job_row<&Job::on_success>("on_success", as_word<&Job::on_success>),
    job_row<&JobDetails::only>("only", as_strings<&JobDetails::only>),
    job_row<&Job::output>("output", as_word<&Job::output>),
    job_row<&JobDetails::output_limit>("output_limit", as_size<&JobDetails::output_limit, 0, largest_output>),
    job_row<&JobDetails::ping_url>("ping_url", read_ping_url),
    job_row<&JobDetails::priority>("priority",
                                   as_integer<&JobDetails::priority, -largest_job_count, largest_job_count>),
    job_row<&JobDetails::queue_limit>("queue_limit", as_integer<&JobDetails::queue_limit, 1, largest_job_count>),
    job_row<&Job::queue_overflow>("queue_overflow", as_word<&Job::queue_overflow>),
    job_row<&Job::retries>("retries", as_integer<&Job::retries, 0, largest_job_count>),
    job_row<&JobDetails::retry_backoff>("retry_backoff",
                                        [](const Value& value, JobDraft& job) {
                                          if (const auto factor = value.number(1, 1'000)) job.retry_backoff = *factor;
                                        }),
    job_row<&JobDetails::retry_delay>("retry_delay", as_duration<&JobDetails::retry_delay, 0>),
    job_row<&JobDetails::retry_max_delay>("retry_max_delay", as_duration<&JobDetails::retry_max_delay, 0>),
    job_row<&Job::run_on>("run_on", as_word<&Job::run_on>),
    job_row<&Job::schedule>("schedule", read_schedule),
    job_row<&JobDetails::secrets>("secrets", read_secrets),
    plain_row<JobDraft>("shell", read_shell),
    job_row<&JobDetails::shift>("shift", as_word<&JobDetails::shift>),
    job_row<&Job::start_deadline>("start_deadline", as_duration<&Job::start_deadline, 1>),
    job_row<&JobDetails::standard_input>("stdin", as_string<&JobDetails::standard_input>),
    job_row<&JobDetails::success_codes>("success_codes", read_success_codes),
    timezone_row,
    job_row<&JobDetails::trigger_env>("trigger_env", read_trigger_env),
    job_row<&JobDetails::umask>("umask", read_umask),
    job_row<&JobDraft::user>("user", read_user),
    job_row<&JobDetails::working_dir>("working_dir", as_path<&JobDetails::working_dir>),
};
static_assert(is_sorted(job_keys));

}  // namespace

void read_job_keys(const toml::table& table, JobDraft& draft, Findings& findings) {
  read_table(table, job_keys, draft, findings);
}

void check_after(const toml::table& table, const JobDraft& job, Findings& findings) {
  const auto warn = [&](const char* key, bool is_idle, const char* why) {
    if (const toml::node* const node = is_idle ? table.get(key) : nullptr; node != nullptr)
      findings.warning(position_of(node->source()), in_quotes(key) + why);
  };
  warn("after_status", job.after.empty() && job.after_status != AfterStatus::succeeded,
       " says how the jobs in 'after' must have ended, and the job has none there");
  warn("jitter", job.after.empty() && job.schedule->empty() && job.jitter > Millis(0),
       " delays slots, and a job without a 'schedule' has none");
  if (!job.has_slots_of_first) return;
  for (const char* key : {"not_after", "not_before", "timezone"})
    if (const toml::node* const node = table.get(key))
      findings.error(position_of(node->source()), in_quotes(key) +
                                                      " needs a 'schedule' of the job's own: its slots are those of "
                                                      "the first job in 'after'");
}

std::vector<Position> places_in_after(const toml::table& table) {
  std::vector<Position> places;
  if (const toml::array* const names = table.get_as<toml::array>("after"))
    for (const toml::node& name : *names) places.push_back(position_of(name.source()));
  return places;
}

std::string digest_of(const JobDraft& draft) {
  Digest digest;
  digest.bytes("job=");
  digest.put(draft.name);
  digest.bytes("\n");
  digest_table(digest, job_keys, draft);
  if (draft.days.empty()) return digest.hex();
  digest.bytes("days=");
  digest.put(draft.days);
  digest.bytes("\n");
  return digest.hex();
}

namespace {

/// Without its user and groups.
JobDraft draft_of(const Job& job) {
  JobDraft draft;
  static_cast<Job&>(draft) = job;
  static_cast<JobDetails&>(draft) = *job.details;
  static_cast<Expectations&>(draft) = *job.details->expects;
  return draft;
}

std::vector<std::string> numbers_of(const std::vector<std::uint32_t>& groups) {
  std::vector<std::string> texts;
  for (const std::uint32_t group : groups) texts.push_back(std::to_string(group));
  return texts;
}

}  // namespace

std::string keys_of(const Job& job) {
  constexpr std::size_t digits = 32, kept = 8;  // the last ones: the first hardly change with the last letters
  static const JobDraft defaults;
  JobDraft draft = draft_of(job);
  if (job.identity) draft.user = job.identity->user, draft.group_names = numbers_of(job.identity->groups);
  std::vector<std::string> words;
  const auto add = [&](std::string_view name, const auto& put) {
    Digest digest;
    put(digest);
    words.push_back(std::string(name) + '=' + digest.hex().substr(digits - kept));
  };
  for (const auto& key : job_keys)
    if (key.digest != nullptr && key.differs(draft, defaults))
      add(key.name, [&](Digest& digest) { key.digest(digest, draft); });
  if (!draft.days.empty()) add("calendar", [&](Digest& digest) { digest.put(draft.days); });
  std::sort(words.begin(), words.end());
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string_view> differing_keys(const Job& a, const Job& b) {
  const auto resolved = [](const Job& job) {
    JobDraft draft = draft_of(job);
    if (!job.identity) return draft;
    draft.user = job.identity->user + ' ' + std::to_string(job.identity->uid) + ' ' + std::to_string(job.identity->gid);
    for (const std::string& group : numbers_of(job.identity->groups)) draft.user += ' ' + group;
    return draft;
  };
  const JobDraft one = resolved(a), other = resolved(b);
  std::vector<std::string_view> names;
  for (const auto& key : job_keys) {
    const bool same_zone = key.name == timezone_row.name && a.timezone == b.timezone;
    if (key.digest != nullptr && !same_zone && key.differs(one, other)) names.push_back(key.name);
  }
  const bool are_named = one.except == other.except && one.only == other.only && one.shift == other.shift;
  if (are_named && one.days != other.days)
    names.insert(std::lower_bound(names.begin(), names.end(), "calendar"), "calendar");
  return names;
}

std::vector<std::string_view> job_key_names() {
  std::vector<std::string_view> names;
  for (const auto& key : job_keys) names.push_back(key.name);
  return names;
}

}  // namespace ballot::config
