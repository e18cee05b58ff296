// QueueStore: what QueueElections asks of a store in which a session can have an entry that goes with it, and in which
// entries of one group are in the order in which they were made. Every call is answered later, by `done`, in the
// order of asking; all of it on the plugin's thread.
//
//   class Queue final : public QueueStore { ... };    // a plugin's
//   QueueElections elections(queue, self, resumed_until);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "support/member.hpp"
#include "support/requests.hpp"

namespace ballot::support {

/// The result of a step.
struct Step {
  enum class Code {
    done,
    missing,  // what it needs is not there: nothing has happened
    exists,   // what it makes is there: nothing has happened
    changed,  // the term is not the one that was read any more: nothing has happened
    failed,   // nothing has happened; `text` says why
    unknown   // it may have happened, and may still happen
  };
  Code code = Code::done;
  std::string text = {};

  bool ok() const noexcept { return code == Code::done; }
};

class QueueStore {
 public:
  struct Entry {
    std::string name;     // in its group
    std::string session;  // whose it is
  };
  /// An entry that was just made.
  struct Made {
    std::string name;
    bool first = false;       // nobody has ever been before it: there is no term either
    std::uint64_t epoch = 0;  // that its term has; 0: it is to be read
  };
  /// Of an entry, as the store keeps it.
  struct EntryFacts {
    std::uint64_t epoch = 0;  // that its term has
    bool ours = false;
    std::string text = {};  // as it was entered
  };
  struct Text {
    std::string text;
    std::int64_t version = 0;
  };
  struct Claim {
    std::string group, entry;
    std::string term;
    std::optional<std::int64_t> version = {};  // only where the last term's is that
  };
  struct Leave {
    std::string group, entry;
    std::optional<std::string> term = {};  // to be written with it
  };
  /// The records of a node's sessions.
  struct Member {
    std::optional<MemberRecord> record;  // none: there is none, or it cannot be read
    std::vector<std::string> open;       // the open sessions that bear the name: one, or none
  };
  enum class Watched { no, yes };
  template <class... Answer>
  using Done = std::function<void(const Step&, const Answer&...)>;
  using Names = std::vector<std::string>;

  virtual ~QueueStore() = default;

  /// Makes an entry of ours in each group, or in none. missing: prepare() first.
  virtual void enter(const Names& groups, const Names& texts, Done<std::vector<Made>> done) = 0;
  /// Makes all of these groups, or none: exists.
  virtual void prepare(const Names& groups, Done<> done) = 0;
  /// The queue, the first first, and the version of the group's last term.
  virtual void list(const std::string& group, Priority priority, Done<std::vector<Entry>, std::int64_t> done) = 0;
  virtual void read_term(const std::string& group, Done<Text> done) = 0;
  /// Watched: QueueElections::on_watch() is called once when it has changed.
  virtual void read_entry(const std::string& group, const std::string& entry, Watched watched, Priority priority,
                          Done<EntryFacts> done) = 0;
  /// Of whatever session; nobody waits for it.
  virtual void remove(const std::string& group, const std::string& entry) = 0;
  /// Writes the terms, where the entries still exist: all, or none. Answers with the store's revisions.
  virtual void claim(const std::vector<Claim>& claims, Done<std::vector<std::uint64_t>> done) = 0;
  /// Removes the entries and writes the terms: all, or none.
  virtual void leave(const std::vector<Leave>& leaves, Done<> done) = 0;
  virtual void find_member(const std::string& node, Done<Member> done) = 0;
  /// Reads in `done` are at least as new as all that was acknowledged before this call.
  virtual void barrier(Done<> done) = 0;
  /// All of them.
  virtual void groups(Done<Names> done) = 0;

  /// Nothing is under way.
  virtual bool idle() const = 0;
  /// The size of an entry of ours, or of a watch of one; and the most that a session may have of both.
  virtual std::size_t size_of_entry(const std::string& group) const = 0;
  virtual std::size_t most_size() const = 0;
  /// For people: why there can be no more, and what to do about it; where a group is in the store.
  virtual std::string size_problem() const = 0;
  virtual std::string place_of(const std::string& group) const = 0;

 protected:
  QueueStore() = default;
  QueueStore(const QueueStore&) = delete;
  QueueStore& operator=(const QueueStore&) = delete;
};

/// Removes every entry of the session in groups for which `is_stray` is true.
void remove_entries(QueueStore& store, const std::string& session,
                    std::function<bool(const std::string& group)> is_stray);

}  // namespace ballot::support
