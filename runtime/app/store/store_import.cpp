// ballot store import FILE: fills an empty namespace with a copy that nobody else has imported, as the old store says.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "app/client/ledger_access.hpp"
#include "app/print/escape.hpp"
#include "app/store/namespace_copy.hpp"
#include "app/store/store_commands.hpp"
#include "base/duration.hpp"
#include "base/failpoint.hpp"
#include "base/random.hpp"
#include "core/record/register.hpp"
#include "core/store/known_store.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

constexpr std::string_view import_command = "store import";
using core::import_not_ended;

constexpr std::string_view not_ended = "the import has not ended, and daemons wait for it: run this command again";

using EntryKind = StoredEntry::Kind;

/// The namespaces of an import: where the copy goes, and the one that it is of, where that is asked.
struct Namespaces {
  NamespaceSession& into;
  NamespaceSession* from;  // nullptr: it is not
};

/// One import, step by step. The namespace is held from the first mark on until the last step has removed it; whoever
/// is killed in between runs the command again.
class Import {
 public:
  Import(const ReadCopy& read, Millis patience, Namespaces namespaces)
      : copy_(read.copy), patience_(patience), session_(namespaces.into), from_(namespaces.from) {
    const WallTime now = io::read_clocks().wall;
    mark_ = {copy_.id, now, caller_name(), {}, read.digest};
    mark_.import = Random(std::random_device{}()).run_id(now);
  }

  /// `name`: of the namespace where the copy goes, for people.
  Result<void> run(const std::string& name) {
    mark_.to = name;
    for (const auto step : {&Import::begin, &Import::claim, &Import::lead, &Import::write_registers,
                            &Import::write_records, &Import::verify, &Import::open_groups, &Import::end})
      if (const auto done = (this->*step)(); !done) return explained(done.error());
    return {};
  }

 private:
  /// With what stands in the namespace now, and what to do.
  Error explained(Error error) const {
    if (is_begun_) error.what += "; " + std::string(not_ended);
    return error;
  }

  Result<void> begin() {
    const auto marks = read_marks(session_);
    if (!marks) return marks.error();
    if (marks->moved || marks->exporting)
      return Error{Errc::refused, "this namespace is itself one that " +
                                      std::string(marks->moved ? "was" : "is being") +
                                      " moved to another store: name an empty one"};
    has_identity_ = marks->has_identity;
    if (marks->importing) return go_on(*marks->importing);
    if (const auto empty = require_empty(); !empty) return empty;
    const auto made = session_.create({{std::string(core::import_mark), to_text(mark_)}});
    if (!made) return made.error();
    is_begun_ = true;
    BALLOT_FAILPOINT("store.import.begun");
    // A daemon that has come in between has left something, or finds the mark.
    if (const auto empty = require_empty(); !empty) {
      const auto removed = session_.remove({std::string(core::import_mark)});
      is_begun_ = !removed;
      return removed ? empty : removed;
    }
    return {};
  }

  Result<void> go_on(const core::MoveMark& begun) {
    if (begun.digest != mark_.digest)
      return Error{Errc::refused, std::string(import_not_ended) + ", and it is of another file (digest " +
                                      begun.digest + "): end it with that file, or empty the namespace"};
    is_begun_ = goes_on_ = true;
    mark_.import = begun.import;
    say(import_command, "goes on with the import of this file that was begun by " + begun.by);
    return {};
  }

  /// Says in the old store where its copy is, unless it is elsewhere. What is refused leaves the new one empty.
  Result<void> claim() {
    if (!from_) return {};
    const auto claimed = claim_copy();
    if (claimed || claimed.error().code != Errc::refused || goes_on_) return claimed;
    if (session_.remove({std::string(core::import_mark)})) is_begun_ = false;
    return claimed;
  }

  Result<void> claim_copy() {
    const auto before = read_marks(*from_);
    if (!before) return in_old_store(before.error());
    if (!before->moved || before->moved->id != copy_.id)
      return Error{Errc::refused,
                   "the old store is not marked as moved by this copy: the move was given up, or was made "
                   "anew; export it again"};
    if (!before->imported) {
      const auto made = from_->create({{std::string(core::imported_mark), to_text(mark_)}});
      if (!made) return in_old_store(made.error());
    }
    const auto after = read_marks(*from_);  // of two at once the first one counts
    if (!after) return in_old_store(after.error());
    if (!after->imported || after->imported->import != mark_.import)
      return Error{Errc::refused,
                   "this copy was imported before" +
                       (after->imported ? ", into " + imported_into(*after->imported) : "") +
                       ": two namespaces with it would be two fleets with the same jobs. Where that one was removed: "
                       "`ballot store reopen --import-undone` in the old store, and export it again"};
    from_->close();
    BALLOT_FAILPOINT("store.import.claimed");
    return {};
  }

  static Error in_old_store(const Error& error) { return {error.code, "the old store: " + error.what}; }

  Result<void> require_empty() {
    const auto listed = session_.list("");
    if (!listed) return listed.error();
    std::vector<std::string> names;
    for (const Register& one : *listed)
      if (!one.name.starts_with(core::mark_prefix)) names.push_back(one.name);
    if (!names.empty())
      return Error{Errc::refused, "this namespace is not empty: it has " + std::to_string(names.size()) +
                                      " registers and records (" + some_of(names) +
                                      "); name another namespace, or empty this one while no daemon uses it"};
    const auto elections = session_.observe();
    if (!elections) return elections.error();
    for (const Election& election : *elections)
      for (const Candidate& one : election.candidates)
        if (one.node != mover_node)
          return Error{Errc::refused, "candidate " + one.node + " takes part in the election of " + election.group +
                                          " in this namespace: stop it first"};
    return {};
  }

  Result<void> lead() {
    last_words_.emplace(import_command, "ended; " + std::string(not_ended));
    say(import_command, "the namespace is held: daemons that find it wait until the import has ended");
    const auto led = session_.lead(groups_in(copy_.entries), patience_, waits_for_groups(import_command, {}));
    if (!led) return led;
    const auto made = session_.create({{std::string(core::epoch_mark), to_text(core::EpochMark{copy_.highest_epoch})}});
    if (!made) return made.error();
    const auto marks = read_marks(session_);
    if (!marks) return marks.error();
    if (marks->epoch_base != copy_.highest_epoch)
      return Error{Errc::refused, "this namespace counts its epochs from another number: empty it"};
    BALLOT_FAILPOINT("store.import.led");
    return {};
  }

  /// Groups first, halted: a daemon of a release that knows no marks launches nothing of them.
  Result<void> write_registers() {
    for (const bool of_groups : {true, false}) {
      const auto there = stored();
      if (!there) return there.error();
      std::vector<NamespaceSession::Change> changes;
      for (const StoredEntry& entry : copy_.entries) {
        if (entry.kind != EntryKind::of_register || entry.name.starts_with("g/") != of_groups) continue;
        if (there->contains(entry.name)) continue;  // verify() looks at it
        changes.push_back({group_of(entry), entry.name, of_groups ? halted(entry) : entry.value, 0});
      }
      const auto written = session_.write(changes);
      if (!written) return written.error();
      BALLOT_FAILPOINT("store.import.registers");
    }
    return {};
  }

  std::string halted(const StoredEntry& entry) const { return halted_text(entry.value, import_not_ended, copy_.at); }

  Result<std::map<std::string, Register>> stored() {
    auto listed = session_.list("");
    if (!listed) return listed.error();
    std::map<std::string, Register> there;
    for (Register& one : *listed) there.emplace(one.name, std::move(one));
    return there;
  }

  Result<void> write_records() {
    std::vector<Record> records;
    for (const StoredEntry& entry : copy_.entries)
      if (entry.kind == EntryKind::of_record) records.push_back({entry.name, entry.value});
    if (!has_identity_) {
      const RunId id = Random(std::random_device{}()).run_id(io::read_clocks().wall);
      records.push_back({std::string(core::identity_record), core::identity_text(id)});
    }
    const auto made = session_.create(records);
    if (!made) return made.error();
    BALLOT_FAILPOINT("store.import.records");
    return {};
  }

  /// All that is stored is the file's, and nothing else is.
  Result<void> verify() {
    auto listed = session_.list("");
    if (!listed) return listed.error();
    const auto entries = entries_of(*std::move(listed));
    if (!entries) return entries.error();
    const Differences found = differences(copy_.entries, *entries);
    if (found.size() == 0) return {};
    const auto& names = !found.differing.empty()     ? found.differing
                        : !found.only_second.empty() ? found.only_second
                                                     : found.only_first;
    return Error{Errc::conflict, "somebody else writes to this namespace (" + some_of(names) +
                                     "): stop the daemons that use it, empty it, and run this command again"};
  }

  Result<void> open_groups() {
    const auto groups = session_.list("g/");
    if (!groups) return groups.error();
    std::map<std::string_view, const Register*> there;
    for (const Register& one : *groups) there[one.name] = &one;
    std::vector<NamespaceSession::Change> changes;
    for (const StoredEntry& entry : copy_.entries) {
      const auto found = there.find(entry.name);
      if (found == there.end() || found->second->value == entry.value) continue;
      changes.push_back({group_of(entry), entry.name, entry.value, found->second->version});
    }
    const auto written = session_.write(changes);
    if (!written) return written.error();
    BALLOT_FAILPOINT("store.import.opened");
    return {};
  }

  /// From here on daemons use the namespace.
  Result<void> end() {
    if (const auto same = verify(); !same) return same;
    const auto removed = session_.remove({std::string(core::import_mark)});
    if (!removed) return removed;
    last_words_.reset();
    BALLOT_FAILPOINT("store.import.ended");
    return {};
  }

  const StoreCopy& copy_;
  const Millis patience_;
  NamespaceSession& session_;
  NamespaceSession* const from_;
  core::MoveMark mark_;
  bool has_identity_ = false;
  bool goes_on_ = false;   // the mark is of a run of this command before
  bool is_begun_ = false;  // the namespace has the mark of this import
  std::optional<LastWords> last_words_;
};

/// Before anything is written: whether a store takes every value, and the file is no patchwork.
Result<void> check_entries(const std::string& file, const StoreCopy& copy) {
  for (const StoredEntry& entry : copy.entries)
    if (entry.value.size() > core::register_limit)
      return Error{Errc::refused, file + ": " + entry.name + " has " + std::to_string(entry.value.size()) +
                                      " bytes, and a store takes " + std::to_string(core::register_limit) +
                                      "; nothing was written"};
  if (const std::uint64_t highest = highest_epoch_in(copy.entries); highest > copy.highest_epoch)
    return Error{Errc::refused, file + ": a register is of epoch " + std::to_string(highest) + ", above `epochs " +
                                    std::to_string(copy.highest_epoch) + "` in its head; nothing was written"};
  return {};
}

/// An old copy is rarely the one that is meant.
void note_age(const StoreCopy& copy) {
  constexpr std::chrono::hours usual{1};
  const auto age = std::chrono::floor<std::chrono::minutes>(io::read_clocks().wall - copy.at);
  if (age >= usual)
    say(import_command, "this copy is " + format_duration(age) +
                            " old: what was due since then is caught up by each "
                            "job's `misfire` and `start_deadline`, and nothing is known of what has run meanwhile");
}

std::string identity_in(const std::vector<Register>& records) {
  for (const Register& one : records)
    if (one.name == core::identity_record) return one.value;
  return {};
}

/// By what the configurations say. Two that say it differently may name one store all the same.
bool name_one_place(const config::Config& a, const config::Config& b) {
  const BackendSettings one = library::backend_settings(a), other = library::backend_settings(b);
  return a.coordination.backend == b.coordination.backend && one.name_space == other.name_space &&
         one.state_dir == other.state_dir && one.options == other.options;
}

/// Before there is a session in the old store, which would make one where there is none. Errors: not_found, where it
/// has nothing; refused, where it is the new one.
Result<void> look_at_old_store(const config::Config& from, const config::Config& into) {
  const auto old = look_at_marks(from);
  if (!old) return Error{old.error().code, "the old store: " + old.error().what};
  if (old->empty())
    return Error{Errc::not_found,
                 "the old store, " + name_of(from) +
                     ", is not there, or was never used: it was moved away or removed, or --from names another one. "
                     "Nothing was changed. Where it is gone for good: --old-store-is-gone in place of --from"};
  const std::string identity = identity_in(*old);
  const bool is_same = name_one_place(from, into);
  const auto there =
      is_same || identity.empty() ? Result<std::vector<Register>>(std::vector<Register>()) : look_at_marks(into);
  if (is_same || (there && !identity.empty() && identity_in(*there) == identity))
    return Error{Errc::refused, "--from names the store that the copy is to go into, " + name_of(into) +
                                    ": they have to be two. Name the new store by --config, or in ballot.toml"};
  return {};
}

}  // namespace

Exit import_store(const config::Config& config, const ImportRequest& request) {
  const auto read = read_store_copy(request.file);
  if (!read) return fail(import_command, read.error());
  if (const auto fits = check_entries(request.file, read->copy); !fits) return fail(import_command, fits.error());
  note_age(read->copy);
  std::unique_ptr<NamespaceSession> from;
  if (request.from) {
    if (const auto there = look_at_old_store(*request.from, config); !there) return fail(import_command, there.error());
    auto opened = NamespaceSession::open(*request.from);
    if (!opened) return fail_to_use(import_command, {opened.error().code, "the old store: " + opened.error().what});
    from = *std::move(opened);
  }
  const auto session = NamespaceSession::open(config);
  if (!session) return fail_to_use(import_command, session.error());
  Import moving(*read, request.patience, {**session, from.get()});
  if (const auto done = moving.run(name_of(config)); !done) return fail(import_command, done.error());
  (*session)->close();
  std::cout << summary_of(read->copy.entries) << "; " << read->copy.entries.size()
            << " registers and records; epochs go on above " << read->copy.highest_epoch << '\n';
  say(import_command, "the namespace is open: daemons that use it lead its groups, and catch up what was due since " +
                          read->copy.from + " was held. Pauses stand as they stood");
  return Exit::done;
}

}  // namespace ballot::app
