#include "config/job_file.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "base/duration.hpp"
#include "base/instance.hpp"
#include "config/document.hpp"
#include "config/group_keys.hpp"
#include "config/job_keys.hpp"
#include "config/names.hpp"
#include "schedule/bounds.hpp"

namespace ballot::config {
namespace {

using schedule::Plan;
using schedule::PlanError;

/// How many slots are compared to find the shortest period of a job with jitter.
constexpr int slots_compared = 500;

/// Where column `column` of a string's text is in its file; the string itself where it has escapes or several
/// lines.
Position inside_string(const toml::node& node, int column) {
  const Position at = position_of(node.source());
  const auto* const text = node.as_string();
  if (text == nullptr) return at;
  const toml::source_region& source = node.source();
  const std::size_t width = source.end.column - source.begin.column;
  const bool plain = source.begin.line == source.end.line && width == text->get().size() + 2;
  return plain ? Position{at.line, at.column + column} : at;
}

/// The shortest time between two slots of a plan, as far as `slots_compared` of them show.
std::optional<Millis> shortest_period(const Plan& plan, WallTime from) {
  const std::vector<WallTime> anchors(plan.everies().size(), from);
  std::optional<Millis> shortest;
  auto slot = plan.next(from, anchors);
  for (int i = 0; slot && i < slots_compared; ++i) {
    const auto following = plan.next(slot->at, anchors);
    if (following) shortest = std::min(shortest.value_or(longest_duration), following->at - slot->at);
    slot = following;
  }
  return shortest;
}

/// Reads one `[job.NAME]`.
class JobReader {
 public:
  /// `file`: its calendars are read before its jobs are.
  JobReader(const FileOrigin& origin, const JobSettings& settings, Identities& identities, SharedParts* parts,
            const Calendars& calendars, JobFile& file, Findings& findings)
      : origin_(origin),
        settings_(settings),
        identities_(identities),
        parts_(parts),
        file_(file),
        days_(calendars, file.calendars, findings),
        findings_(findings) {}

  /// The definition of a job; null, and findings, where its table has an error.
  schedule::DefinitionPtr read(const toml::key& key, const toml::table& table) {
    table_ = &table;
    at_ = position_of(key.source());
    job_ = JobDraft{};
    job_.name = key.str();
    job_.timezone = settings_.timezone;
    read_job_keys(table, job_, findings_);
    job_.has_slots_of_first = !job_.after.empty() && job_.schedule->empty();
    check_work();
    check_window();
    check_kill_grace();
    check_limits();
    check_reelection();
    check_after(table, job_, findings_);
    check_expectations(table, job_, findings_);
    resolve_identity();
    for (const auto& [hook, command] : programs()) check_program(hook, *command);
    check_working_dir();
    if (settings_.presence == Presence::looked_at) check_presence();
    const auto days = choose_days();
    std::string digest = digest_of(job_);  // of all its instances the same
    if (job_.run_on == RunOn::each && !settings_.node.empty()) {
      job_.name = instance_name(job_.name, settings_.node);
      job_.group = instance_name(*job_.group, settings_.node);
      for (std::string& name : job_.after) name = instance_name(name, settings_.node);
    }
    auto plan = compile(days.value_or(Shared<schedule::DayRule>()));
    if (!plan || !days) return nullptr;
    check_jitter(*plan);
    if (plan->is_never_due())
      findings_.warning(place_of("schedule", "except"),
                        "schedule: none of its slots is on a day that the job's calendars allow: each is left out");
    if (parts_ != nullptr) share_parts(*plan);
    job_.expects = Defaulted<Expectations>(std::move(static_cast<Expectations&>(job_)));
    job_.details = Defaulted<JobDetails>(std::move(static_cast<JobDetails&>(job_)));
    return std::make_shared<schedule::Definition>(
        schedule::Definition{std::move(static_cast<Job&>(job_)), std::move(*plan), std::move(digest)});
  }

 private:
  /// Checks that the job has one thing to run, and that this process can run it.
  void check_work() {
    std::vector<std::pair<const char*, const toml::node*>> given;
    for (const char* key : {"command", "function", "shell"})
      if (const toml::node* const node = table_->get(key)) given.emplace_back(key, node);
    if (given.empty())
      return findings_.error(at_, "job " + in_quotes(job_.name) + " has nothing to run; give it a 'command'" +
                                      (settings_.has_function ? ", a 'shell' or a 'function'" : " or a 'shell'"));
    if (given.size() > 1) {
      const auto later = [](const auto& a, const auto& b) {
        return a.second->source().begin < b.second->source().begin;
      };
      return findings_.error(
          position_of(std::max_element(given.begin(), given.end(), later)->second->source()),
          in_quotes(given[0].first) + " and " + in_quotes(given[1].first) + " exclude each other; keep one of them");
    }
    if (table_->get("function") != nullptr) check_function();
    if (!settings_.has_runner) check_without_runner(*given[0].second);
  }

  void check_function() {
    const Position at = position_of(table_->get("function")->source());
    if (!settings_.has_function)
      findings_.error(
          at,
          "'function' is for programs that embed ballot: only the one that reads this file knows it, and "
          "says in its log, and by `ballot status`, what is wrong with the file; `ballot serve` runs a "
          "'command' or a 'shell', and with command = [\"true\"] in its place `ballot check` checks the rest");
    else if (!job_.function.empty() && !settings_.has_function(job_.function))
      findings_.error(at, "this program has no function " + in_quotes(job_.function));
    for (const char* key :
         {"background", "env", "env_file", "groups", "kill_signal", "limits", "log_output", "nice", "no_new_privs",
          "output", "secrets", "stdin", "success_codes", "umask", "user", "working_dir"})
      if (const toml::node* const node = table_->get(key))
        findings_.error(position_of(node->source()), in_quotes(key) + " is for commands; a function has none");
  }

  void check_without_runner(const toml::node& work) {
    const auto refuse = [&](const char* key, const toml::node& node) {
      findings_.error(position_of(node.source()),
                      in_quotes(key) + " needs the runner, which this program does without");
    };
    if (table_->get("function") == nullptr) refuse(table_->get("command") ? "command" : "shell", work);
    for (const char* key :
         {"mail_to", "on_failure", "on_late", "on_missed", "on_overdue", "on_recovery", "on_slow", "ping_url"})
      if (const toml::node* const node = table_->get(key)) refuse(key, *node);
  }

  void check_window() {
    if (job_.not_before && *job_.not_before >= schedule::last_instant)
      findings_.error(position_of(table_->get("not_before")->source()),
                      "'not_before' is after the year 2399, the last one for which slots are computed: the job could "
                      "never be due");
    if (job_.not_after && *job_.not_after < schedule::first_instant)
      findings_.error(position_of(table_->get("not_after")->source()),
                      "'not_after' is before the year 1800, the first one for which slots are computed: the job could "
                      "never be due");
    if (job_.not_before && job_.not_after && *job_.not_after < *job_.not_before)
      findings_.error(position_of(table_->get("not_after")->source()),
                      "'not_after' is before 'not_before': the job could never be due");
  }

  void check_kill_grace() {
    if (!settings_.longest_kill_grace || job_.on_leadership_lost == OnLeadershipLost::finish) return;
    const toml::node* const written = table_->get("kill_grace");
    if (written == nullptr || job_.kill_grace <= *settings_.longest_kill_grace) return;
    findings_.warning(position_of(written->source()),
                      "'kill_grace' is longer than the " + format_duration(*settings_.longest_kill_grace) +
                          " that there is when leadership is lost; a longer session_timeout gives more");
  }

  void check_limits() {
    const std::tuple<const char*, bool, const char*> needs[] = {
        {"memory_max", job_.limits.memory_max.has_value(), "memory"},
        {"cpu_weight", job_.limits.cpu_weight.has_value(), "cpu"},
        {"tasks_max", job_.limits.tasks_max.has_value(), "pids"}};
    for (const auto& [key, is_set, controller] : needs) {
      if (!is_set || !settings_.controllers) continue;
      const auto& there = *settings_.controllers;
      if (std::find(there.begin(), there.end(), controller) != there.end()) continue;
      const Position at = position_of(table_->get_as<toml::table>("limits")->get(key)->source());
      const std::string text = in_quotes(key) + " needs the cgroup v2 controller " + in_quotes(controller) +
                               ", which this machine does not have";
      if (origin_.owner)
        findings_.error(at, text);
      else
        findings_.warning(at, text + ": a daemon on such a one refuses the file");
    }
  }

  void check_reelection() {
    if (job_.run_on != RunOn::each) return;
    for (const auto& [key, then] : {std::pair("on_success", job_.on_success), {"on_error", job_.on_error}})
      if (then == AfterRun::reelect)
        findings_.error(position_of(table_->get(key)->source()),
                        in_quotes(key) +
                            " cannot be 'reelect' where 'run_on' is 'each': a node's own instance has no other leader");
  }

  /// By the keys that name them.
  std::vector<std::pair<const char*, const std::vector<std::string>*>> programs() const {
    return {{"command", &*job_.command},    {"on_failure", &job_.on_failure}, {"on_late", &job_.on_late},
            {"on_missed", &job_.on_missed}, {"on_overdue", &job_.on_overdue}, {"on_recovery", &job_.on_recovery},
            {"on_slow", &job_.on_slow}};
  }

  /// Warnings only: a program changes without the file.
  void check_program(const char* key, const std::vector<std::string>& command) {
    const toml::node* const written = command.empty() ? nullptr : table_->get(key);
    if (written == nullptr) return;
    const std::string& path = command.front();
    const Program& program = identities_.programs().at(path);
    const Position at = position_of(written->source());
    if (program.changes_identity && !job_.no_new_privs)
      findings_.warning(at, path +
                                " has a setuid or setgid bit: it runs with its owner's or group's privileges, whatever "
                                "the job's user is; 'no_new_privs = true' prevents that");
    if (runs_as_root() && !program.writable_by_others.empty())
      findings_.warning(at, "root executes what others may replace: " + program.writable_by_others);
  }

  /// A warning only: the folders on the way change without the file.
  void check_working_dir() {
    const toml::node* const written = table_->get("working_dir");
    if (written == nullptr || !runs_as_root()) return;
    if (const std::string& fault = identities_.programs().fault_of_folder(job_.working_dir); !fault.empty())
      findings_.warning(position_of(written->source()), "root runs in a folder that others may replace: " + fault);
  }

  bool runs_as_root() const { return (job_.identity ? job_.identity->uid : settings_.daemon) == 0; }

  void check_presence() {
    const auto path = job_.env.find("PATH");
    const bool path_is_known = job_.env_file.empty();
    const auto check = [&](const char* key, const std::vector<std::string>& command) {
      const toml::node* const written = table_->get(key);
      const bool searched = !command.empty() && command.front().find('/') == std::string::npos;
      if (written == nullptr || command.empty() || (searched && !path_is_known)) return;
      warn_absent(*written, program_absence(command.front(), path == job_.env.end() ? "" : path->second));
    };
    for (const auto& [key, command] : programs()) check(key, *command);
    if (const auto* const written = table_->get("working_dir")) warn_absent(*written, file_absence(job_.working_dir));
    if (const auto* const written = table_->get("env_file")) warn_absent(*written, file_absence(job_.env_file));
  }

  void warn_absent(const toml::node& written, const std::string& absent) {
    if (!absent.empty()) findings_.warning(position_of(written.source()), absent);
  }

  void check_jitter(const Plan& plan) {
    if (job_.jitter == Millis(0)) return;
    constexpr WallTime any = std::chrono::sys_days(std::chrono::year(2024) / 1 / 1);
    const auto period = shortest_period(plan, job_.not_before.value_or(any));
    if (period && job_.jitter > *period)
      findings_.error(position_of(table_->get("jitter")->source()),
                      "'jitter' must not be longer than the shortest period of the schedule, " +
                          format_duration(*period) + ", not " + format_duration(job_.jitter));
  }

  void resolve_identity() {
    if (job_.user.empty() && !job_.group_names) return;
    const auto& user = job_.user.empty() ? identities_.user(settings_.daemon) : identities_.user(job_.user);
    if (!user) return findings_.error(place_of("user", "groups"), user.error().what);
    const bool other = (*user)->uid != settings_.daemon || job_.group_names;
    if (!other || !may_change_identity()) return;
    job_.identity = job_.group_names ? with_groups(**user) : *user;
  }

  bool may_change_identity() {
    if (!origin_.owner) return true;
    if (settings_.daemon != 0)
      findings_.error(place_of("user", "groups"), "another user or other groups need a daemon that runs as root");
    else if (*origin_.owner != 0)
      findings_.error(place_of("user", "groups"), "only a file that root owns may name another user or other groups");
    else
      return true;
    return false;
  }

  std::shared_ptr<const Identity> with_groups(Identity identity) {
    identity.groups.clear();
    for (const std::string& name : *job_.group_names) {
      const auto& group = identities_.group(name);
      if (group)
        identity.groups.push_back(*group);
      else
        findings_.error(place_of("groups", "groups"), group.error().what);
    }
    return std::make_shared<const Identity>(std::move(identity));
  }

  /// The rule that its calendars make; none, and findings, where they make none.
  std::optional<Shared<schedule::DayRule>> choose_days() {
    file_.calendar_names.insert(job_.except.begin(), job_.except.end());
    file_.calendar_names.insert(job_.only.begin(), job_.only.end());
    const bool has_none = job_.except.empty() && job_.only.empty();
    const char* const key = !job_.except.empty() ? "except" : has_none ? "shift" : "only";
    const auto refuse = [&](const std::string& why) {
      findings_.error(place_of(key, key), in_quotes(key) + why);
      return std::nullopt;
    };
    if (has_none && job_.shift == DayShift::none) return Shared<schedule::DayRule>();
    if (has_none)
      return refuse(
          " says where a slot goes from a day that calendars leave out, and the job names none in 'except' "
          "or 'only'");
    if (job_.schedule.empty()) return refuse(" chooses days of a 'schedule', and the job has none");
    auto& [text, rule] = rules_[{job_.except, job_.only, job_.shift}];
    if (rule.is_default()) {
      auto made = days_.rule(*table_, job_.except, job_.only, job_.shift);
      if (!made) return std::nullopt;
      text = made->text();
      rule = std::move(*made);
      if (parts_ != nullptr) text = parts_->shared(text), rule = parts_->shared(rule);
    }
    job_.days = text;
    return rule;
  }

  void share_parts(Plan& plan) {
    job_.group = parts_->shared(job_.group);
    job_.schedule = parts_->shared(job_.schedule);
    job_.timezone = parts_->shared(job_.timezone);
    job_.command = parts_->shared(job_.command);
    plan = parts_->shared(plan);
  }

  std::optional<Plan> compile(const Shared<schedule::DayRule>& days) {
    auto made =
        Plan::make({job_.schedule, job_.timezone, job_.not_before, job_.not_after, job_.group, job_.name, days});
    if (auto* const plan = std::get_if<Plan>(&made)) return std::move(*plan);
    for (const PlanError& error : std::get<std::vector<PlanError>>(made)) report(error);
    return std::nullopt;
  }

  void report(const PlanError& error) {
    if (error.kind == PlanError::Kind::timezone)
      return findings_.error(place_of("timezone", "schedule"), "timezone: " + error.text);
    const toml::node* node = table_->get("schedule");
    if (node != nullptr && node->is_array()) node = node->as_array()->get(error.index);
    findings_.error(node != nullptr ? inside_string(*node, error.column) : at_, "schedule: " + error.text);
  }

  /// The position of the first of two keys that is written; of the job where neither is.
  Position place_of(std::string_view first, std::string_view second) const {
    for (const std::string_view key : {first, second})
      if (const toml::node* const node = table_->get(key)) return position_of(node->source());
    return at_;
  }

  const FileOrigin& origin_;
  const JobSettings& settings_;
  Identities& identities_;
  SharedParts* const parts_;
  JobFile& file_;
  const DayKeys days_;
  Findings& findings_;
  using Days = std::tuple<std::vector<std::string>, std::vector<std::string>, DayShift>;
  std::map<Days, std::pair<Shared<std::string>, Shared<schedule::DayRule>>> rules_;  // of jobs before
  const toml::table* table_ = nullptr;
  Position at_;
  JobDraft job_;
};

void read_jobs(const Value& value, JobReader& reader, JobFile& file) {
  const toml::table* const jobs = value.table();
  if (jobs == nullptr) return;
  for (auto&& [key, node] : *jobs) {
    const Position at = position_of(key.source());
    const toml::table* const table = node.as_table();
    if (!is_name(key.str()))
      value.findings().error(at, in_quotes(key.str()) +
                                     " is not a valid job name: 1 to 64 letters, digits, '_' and '-', "
                                     "beginning with a letter or digit");
    else if (table == nullptr)
      value.findings().error(at, "'job' contains tables only: write [job.NAME], then the keys of the job below it");
    else if (auto definition = reader.read(key, *table); !definition) {
      file.refused.unread.emplace(key.str());
    } else {
      if (auto places = places_in_after(*table); !places.empty()) file.after.emplace(key.str(), std::move(places));
      file.definitions.push_back({std::move(definition), at});
    }
  }
}

void read_top(const toml::table& document, const JobSettings& settings, JobReader& reader, JobFile& file,
              Findings& findings) {
  constexpr std::string_view known[] = {"calendar", "group", "job"};
  for (auto&& [key, node] : document) {
    const Value value(key.str(), node, findings);
    if (key.str() == "calendar") continue;  // before all others
    if (key.str() == "job")
      read_jobs(value, reader, file);
    else if (key.str() == "group")
      read_groups(value, settings.backends, file.groups);
    else
      findings.error(position_of(key.source()),
                     "unknown key " + in_quotes(key.str()) + suggestion(key.str(), known) +
                         ": a job file contains [job.NAME], [group.NAME] and [calendar.NAME]");
  }
}

void check_presence(const PlacedGroup& placed, Findings& findings) {
  for (const std::vector<std::string>* const hook : {&placed.group.on_promote, &placed.group.on_demote})
    if (const std::string absent = hook->empty() ? "" : program_absence(hook->front(), ""); !absent.empty())
      findings.warning(placed.position, "group " + in_quotes(placed.group.name) + ": " + absent);
}

void check_without_runner(const PlacedGroup& placed, Findings& findings) {
  if (!placed.group.on_promote.empty() || !placed.group.on_demote.empty())
    findings.error(placed.position, "group " + in_quotes(placed.group.name) +
                                        ": its hooks need the runner, which this program does without");
}

}  // namespace

JobFile read_job_file(std::string_view text, const FileOrigin& origin, const JobSettings& settings,
                      Identities& identities, SharedParts* parts, const CalendarSource* calendars) {
  static const Calendars no_calendars;
  static const CalendarSource none{no_calendars, {}};
  const CalendarSource& source = calendars != nullptr ? *calendars : none;
  JobFile file;
  Findings findings(origin.name, file.diagnostics);
  if (const auto document = parse_toml(text, findings)) {
    if (const toml::node* const tables = document->get("calendar"))
      read_calendars(Value("calendar", *tables, findings), source.read_beside, file.calendars);
    JobReader reader(origin, settings, identities, parts, source.all, file, findings);
    read_top(*document, settings, reader, file, findings);
    check_group_tables(settings.backends, file.groups, findings);
    check_group_hooks(file.groups, settings.daemon, identities.programs(), findings);
    if (settings.presence == Presence::looked_at)
      for (const PlacedGroup& placed : file.groups) check_presence(placed, findings);
    if (!settings.has_runner)
      for (const PlacedGroup& placed : file.groups) check_without_runner(placed, findings);
  }
  if (has_errors(file.diagnostics)) {
    file.refused.definitions.swap(file.definitions), file.refused.after.swap(file.after);
    file.groups.clear();
    file.calendars.clear();
  }
  sort_and_bound(file.diagnostics);
  return file;
}

}  // namespace ballot::config
