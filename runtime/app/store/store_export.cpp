// ballot store export FILE: leads all groups, so that no daemon does, copies the namespace, and marks it as moved.
#include <iostream>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "app/client/ledger_access.hpp"
#include "app/print/escape.hpp"
#include "app/store/namespace_copy.hpp"
#include "app/store/part_file.hpp"
#include "app/store/store_commands.hpp"
#include "base/failpoint.hpp"
#include "base/random.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

constexpr std::string_view export_command = "store export";
constexpr std::string_view held_now =
    "the daemons are held: run this command again, or give the move up by `ballot store reopen`";
constexpr int most_copies = 5;  // of a namespace in which records still change

/// One export, step by step. After each of them the namespace is held or moved until the next, whoever is killed.
class Export {
 public:
  Export(const config::Config& config, const ExportRequest& request, NamespaceSession& session)
      : config_(config), request_(request), session_(session), file_(request.file) {}

  Result<void> run() {
    for (const auto step :
         {&Export::prepare, &Export::hold, &Export::lead, &Export::copy, &Export::mark, &Export::publish})
      if (const auto done = (this->*step)(); !done) {
        file_.remove();
        return explained(done.error());
      }
    return {};
  }
  const StoreCopy& copied() const { return copy_; }
  const std::string& digest() const { return mark_.digest; }
  const std::vector<std::string>& other_elections() const { return other_elections_; }

 private:
  /// With what stands in the namespace now, and what to do.
  Error explained(Error error) const {
    if (was_moved_) error.what += "; the namespace stays as it is: marked as moved";
    if (!was_moved_ && is_held_) error.what += "; " + std::string(held_now);
    return error;
  }

  /// Before anybody is held: all of it can be read, and there is room for the file.
  Result<void> prepare() {
    auto entries = entries_now();
    if (!entries) return entries.error();
    copy_.entries = *std::move(entries);
    return file_.write(to_text(copy_));
  }

  /// No daemon leads anything from here on, as soon as it has seen the mark.
  Result<void> hold() {
    const auto marks = read_marks(session_);
    if (!marks) return marks.error();
    epoch_base_ = marks->epoch_base;
    if (marks->importing)
      return Error{Errc::refused,
                   "an import into this namespace has not ended: end it by `ballot store import` of the "
                   "same file first"};
    if (marks->moved) {
      was_moved_ = true;
      mark_ = *marks->moved;
      say(export_command,
          "this namespace was moved to " + (mark_.to.empty() ? "another store" : mark_.to) + " at " +
              format_millis(mark_.at) + "; it is copied once more" +
              (marks->imported ? ". Its copy was imported into " + imported_into(*marks->imported) : ""));
      return {};
    }
    if (marks->exporting) {
      mark_ = *marks->exporting;
      say(export_command, "goes on with the export that was begun by " + mark_.by + " at " + format_millis(mark_.at));
    } else {
      const WallTime now = io::read_clocks().wall;
      mark_ = {Random(std::random_device{}()).run_id(now), now, caller_name(), request_.to, {}};
      const auto made = session_.create({{std::string(core::export_mark), to_text(mark_)}});
      if (!made) return made.error();
      is_begun_ = true;
    }
    is_held_ = true;
    last_words_.emplace(export_command, "ended before the namespace was moved; " + std::string(held_now));
    BALLOT_FAILPOINT("store.export.held");
    say(export_command, "all daemons of this namespace are held: they hand over what they lead, and launch nothing");
    return {};
  }

  Result<void> lead() {
    const auto entries = lead_all(session_, export_command, request_.patience);
    if (!entries) return not_held(entries.error());
    const auto quiet = session_.outwait_terms(request_.patience, waits_for_runs(export_command, *entries));
    if (!quiet) return quiet;
    BALLOT_FAILPOINT("store.export.led");
    if (!was_moved_)
      for (const auto& [group, epoch] : session_.led()) mark_.epochs = std::max(mark_.epochs, epoch + epoch_base_);
    return {};
  }

  /// What has not held the daemons is taken back, where this command has begun it.
  Result<void> not_held(const Error& why) {
    if (!is_begun_ || why.code != Errc::timeout) return why;
    std::string text = why.what + who_leads();
    const auto removed = session_.remove({std::string(core::export_mark)});
    if (removed) {
      is_held_ = false;
      last_words_.reset();
      text += "; nothing was moved, and the daemons go on";
    }
    return Error{why.code, text};
  }

  /// ": n2 (0.8.0) leads nightly; a release that knows no `ballot store` has to be stopped".
  std::string who_leads() {
    const auto elections = session_.observe();
    if (!elections) return {};
    for (const Election& election : *elections)
      for (const Candidate& candidate : election.candidates)
        if (candidate.leads && candidate.node != mover_node)
          return ": node " + candidate.node + " (ballot " + candidate.version + ", pid " +
                 std::to_string(candidate.pid) + " on " + candidate.host + ") leads " + election.group +
                 ": stop it, if it is of a release that knows nothing of moves";
    return {};
  }

  Result<void> copy() {
    copy_.id = mark_.id, copy_.at = mark_.at, copy_.by = mark_.by, copy_.to = mark_.to;
    copy_.version = BALLOT_VERSION;
    copy_.from = name_of(config_);
    for (int tries = 0; tries < most_copies; ++tries) {
      auto entries = entries_now();
      if (!entries) return entries.error();
      copy_.entries = *std::move(entries);
      copy_.highest_epoch = std::max(mark_.epochs, highest_epoch_in(copy_.entries));
      const std::string text = to_text(copy_);
      if (const auto written = file_.write(text); !written) return written;
      BALLOT_FAILPOINT("store.export.written");
      const std::string before = std::exchange(mark_.digest, digest_in(text));
      if (was_moved_ && before != mark_.digest)
        say(export_command,
            "this copy differs from the first one: a daemon has written since, or ballot has another version");
      if (const auto halted = halt_groups(); !halted) return halted;
      const auto again = entries_now();
      if (!again) return again.error();
      if (*again == copy_.entries) return {};
    }
    return Error{Errc::unavailable, "what is stored changes all the time; who writes it? run this command again"};
  }

  Result<std::vector<StoredEntry>> entries_now() {
    auto listed = session_.list("");
    if (!listed) return listed.error();
    return entries_of(*std::move(listed));
  }

  /// For daemons of releases that do not know the marks: they read it in each group's register.
  Result<void> halt_groups() {
    const auto groups = session_.list("g/");
    if (!groups) return groups.error();
    std::vector<NamespaceSession::Change> changes;
    const std::string why = std::string(core::was_moved) + (mark_.to.empty() ? "another store" : mark_.to);
    for (const Register& one : *groups) {
      std::string halted = halted_text(one.value, why, mark_.at);
      if (halted == one.value) continue;
      changes.push_back({one.name.substr(2), one.name, std::move(halted), one.version});
    }
    const auto written = session_.write(changes);
    if (!written) return written.error();
    BALLOT_FAILPOINT("store.export.halted");
    return {};
  }

  Result<void> mark() {
    if (was_moved_) return {};
    const auto marked = session_.create({{std::string(core::moved_mark), to_text(mark_)}});
    if (!marked) return marked.error();
    last_words_.emplace(export_command, "ended before " + request_.file +
                                            " was whole; the namespace is marked as moved: run this "
                                            "command again");
    BALLOT_FAILPOINT("store.export.marked");
    return {};
  }

  /// The file has its name only now: who finds it may import it.
  Result<void> publish() {
    if (const auto published = file_.publish(); !published) return published;
    last_words_.reset();
    BALLOT_FAILPOINT("store.export.published");
    const auto removed = session_.remove({std::string(core::export_mark)});
    if (!removed) return removed;
    return name_other_elections();
  }

  /// Of other programs: their terms stay, as the copy has registers only.
  Result<void> name_other_elections() {
    std::set<std::string> of_jobs;
    for (const std::string& group : groups_in(copy_.entries)) of_jobs.insert(group);
    const auto elections = session_.observe();
    if (!elections) return elections.error();
    for (const Election& election : *elections)
      if (!of_jobs.contains(election.group)) other_elections_.push_back(election.group);
    return {};
  }

  const config::Config& config_;
  const ExportRequest& request_;
  NamespaceSession& session_;
  const PartFile file_;
  core::MoveMark mark_;
  std::uint64_t epoch_base_ = 0;
  bool was_moved_ = false;  // by an export that had ended, or nearly
  bool is_begun_ = false;   // by this command,
  bool is_held_ = false;    // and not taken back
  std::optional<LastWords> last_words_;
  StoreCopy copy_;
  std::vector<std::string> other_elections_;
};

}  // namespace

Exit export_store(const config::Config& config, const ExportRequest& request) {
  if (const auto free = PartFile(request.file).require_free(); !free) return fail(export_command, free.error());
  const auto session = NamespaceSession::open(config);
  if (!session) return fail_to_use(export_command, session.error());
  Export moving(config, request, **session);
  if (const auto done = moving.run(); !done) return fail(export_command, done.error());
  (*session)->close();
  const StoreCopy& copy = moving.copied();
  std::cout << escaped(request.file, Escape::plain) << ": " << summary_of(copy.entries) << "; " << copy.entries.size()
            << " registers and records, epochs up to " << copy.highest_epoch << "\ndigest " << moving.digest() << '\n';
  if (!moving.other_elections().empty())
    say(export_command, "left out: the terms of elections that have no jobs (" + some_of(moving.other_elections()) +
                            "): start their programs with the new store");
  say(export_command,
      "this namespace is marked as moved to " + (copy.to.empty() ? "another store" : copy.to) +
          ": daemons that use it launch nothing, and do not start. Import the file into the new store once, "
          "then restart the daemons with it; slots that are due meanwhile are caught up there");
  return Exit::done;
}

}  // namespace ballot::app
