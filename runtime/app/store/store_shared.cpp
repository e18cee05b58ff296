// What the subcommands of `ballot store` share: see store_commands.hpp.
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "app/client/ledger_access.hpp"
#include "app/client/observer.hpp"
#include "app/print/escape.hpp"
#include "app/store/namespace_copy.hpp"
#include "app/store/store_commands.hpp"
#include "base/regular_file.hpp"
#include "base/short_id.hpp"
#include "base/wall_text.hpp"
#include "core/record/register.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

Error unreadable_file(const std::string& file, const std::string& why) {
  return {Errc::corrupt, file + " is not taken: " + why + "; nothing was changed"};
}

/// By group, those that hold up its leader: "run 2d40ef59c7d7 of backup on host-1".
std::map<std::string, std::vector<std::string>> terminate_runs(const std::vector<StoredEntry>& entries) {
  std::map<std::string, std::vector<std::string>> runs;
  for (const StoredEntry& entry : entries) {
    const auto stored = entry.name.starts_with("j/") ? core::parse_job_register(entry.value) : Error{};
    if (!stored) continue;
    for (const core::OpenRun& run : stored->runs)
      if (run.on_leadership_lost == OnLeadershipLost::terminate && !run.queued && !run.waits_until)
        runs[group_of(entry)].push_back("run " + short_id(run.id) + " of " + entry.name.substr(2) + " on " + run.node);
  }
  return runs;
}

const char* last_words = "";  // of a process that is ended by a signal

/// The signal ends the process once this has returned: its action is the default one by then.
void say_last_words(int signal) {
  const ssize_t written = ::write(STDERR_FILENO, last_words, std::strlen(last_words));
  static_cast<void>(written);
  ::raise(signal);
}

Result<std::optional<core::MoveMark>> mark_in(const std::vector<Register>& records, std::string_view name) {
  for (const Register& record : records) {
    if (record.name != name) continue;
    const auto mark = core::parse_move_mark(record.value);
    if (!mark) return Error{mark.error().code, record.name + ": " + mark.error().what};
    return std::optional(*mark);
  }
  return std::optional<core::MoveMark>();
}

}  // namespace

void say(std::string_view command, const std::string& text) {
  std::cerr << "ballot " << command << ": " << escaped(text, Escape::plain) << '\n';
}

Result<ReadCopy> read_store_copy(const std::string& file) {
  const auto opened = open_regular(file, O_RDONLY);
  if (!opened) return opened.error();
  if (static_cast<std::uint64_t>(opened->info.st_size) > largest_copy)
    return unreadable_file(file, "it has more than 1 GiB");
  std::string text(static_cast<std::size_t>(opened->info.st_size) + 1, '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::read(opened->fd.get(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{Errc::io, "cannot read " + file + ": " + std::system_category().message(errno)};
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  auto copy = parse_store_copy(text);
  if (!copy) return Error{copy.error().code, unreadable_file(file, copy.error().what).what};
  return ReadCopy{*std::move(copy), digest_in(text)};
}

Result<Marks> read_marks(NamespaceSession& session) {
  const auto records = session.list(std::string(core::mark_prefix));
  if (!records) return records.error();
  return marks_in(*records);
}

Result<std::vector<Register>> look_at_marks(const config::Config& config) {
  const auto observer = Observer::open_silently(config);
  if (!observer) return observer.error();
  return (*observer)->list(std::string(core::mark_prefix));
}

Result<Marks> marks_in(const std::vector<Register>& records) {
  Marks marks;
  for (const auto& [name, to] :
       {std::pair(core::export_mark, &marks.exporting), std::pair(core::moved_mark, &marks.moved),
        std::pair(core::imported_mark, &marks.imported), std::pair(core::import_mark, &marks.importing)}) {
    auto mark = mark_in(records, name);
    if (!mark) return mark.error();
    *to = *std::move(mark);
  }
  for (const Register& record : records) {
    marks.has_identity = marks.has_identity || record.name == core::identity_record;
    if (record.name != core::epoch_mark) continue;
    const auto epochs = core::parse_epoch_mark(record.value);
    if (!epochs) return epochs.error();
    marks.epoch_base = epochs->base;
  }
  return marks;
}

std::string imported_into(const core::MoveMark& mark) {
  return mark.to + " (by " + mark.by + " at " + format_millis(mark.at) + ")";
}

std::function<void(const std::vector<std::string>&)> waits_for_groups(std::string_view command,
                                                                      const std::vector<StoredEntry>& entries) {
  return [command, runs = terminate_runs(entries), is_said = false](const std::vector<std::string>& groups) mutable {
    if (std::exchange(is_said, true)) return;
    std::vector<std::string> open;
    for (const std::string& group : groups)
      if (const auto found = runs.find(group); found != runs.end())
        open.insert(open.end(), found->second.begin(), found->second.end());
    const bool is_one = groups.size() == 1;
    say(command,
        (is_one ? "waits for the leader of group " + groups.front()
                : "waits for the leaders of " + std::to_string(groups.size()) + " groups (" + some_of(groups) + ")") +
            " to leave; runs that end with a term have 30 s" + (open.empty() ? "" : ": " + some_of(open)));
  };
}

std::function<void(Millis)> waits_for_runs(std::string_view command, const std::vector<StoredEntry>& entries) {
  std::vector<std::string> open;
  for (const auto& [group, runs] : terminate_runs(entries)) open.insert(open.end(), runs.begin(), runs.end());
  return [command, open = std::move(open)](Millis left) {
    say(command, "waits until " + format_millis(io::read_clocks().wall + left) +
                     " for runs of a leader that has ended without leaving: those that end with a term go on until "
                     "then at the latest" +
                     (open.empty() ? "" : ": " + some_of(open)));
  };
}

LastWords::LastWords(std::string_view command, const std::string& text)
    : text_("\nballot " + std::string(command) + ": " + text + "\n") {
  last_words = text_.c_str();
  struct sigaction action {};
  action.sa_handler = say_last_words;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

LastWords::~LastWords() {
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
}

Result<std::vector<StoredEntry>> lead_all(NamespaceSession& session, std::string_view command, Millis patience) {
  std::function<void(const std::vector<std::string>&)> waits;
  while (true) {
    auto listed = session.list("");
    if (!listed) return listed.error();
    auto entries = entries_of(*std::move(listed));
    if (!entries) return entries.error();
    const auto elections = session.observe();
    if (!elections) return elections.error();
    std::set<std::string> groups;
    for (std::string& group : groups_in(*entries)) groups.insert(std::move(group));
    for (const Election& election : *elections) groups.insert(election.group);
    std::erase_if(groups, [&](const std::string& group) { return session.led().contains(group); });
    if (groups.empty()) return entries;
    if (!waits) waits = waits_for_groups(command, *entries);
    const auto led = session.lead({groups.begin(), groups.end()}, patience, waits);
    if (!led) return led.error();
  }
}

Exit fail_to_use(std::string_view command, const Error& error) {
  return error.code == Errc::conflict ? fail(command, error) : fail_to_open(command, error);
}

std::string caller_name() {
  const struct passwd* const user = ::getpwuid(::geteuid());
  return (user ? std::string(user->pw_name) : "uid " + std::to_string(::geteuid())) + " on " + io::host_name();
}

std::string name_of(const config::Config& config) {
  return "backend " + config.coordination.backend + ", namespace " + config.coordination.name_space;
}

}  // namespace ballot::app
