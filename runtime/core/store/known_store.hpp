// KnownStore: which store this is, and what this node's ledger knows of it from before the daemon was started. A store
// bears its identity in the record s/identity, which a snapshot of it has too; where the store is says less: it may be
// reached in another way, and another store may lie in its place.
//
//   state        | event                      | next
//   unidentified | the identity is read       | identified
//   unidentified | the record is not there    | unidentified: it is created, and read again
//   unidentified | the record cannot be read  | identified: as the last store that was used in this place
//   identified   | -                          | identified, as long as the daemon runs
//
// A record that is not there is created with the identity of the store that was in this place before: that store was
// emptied, and every node that knows more of it sees so. Where none was, the store is new.
//
//   known.on_load(rows);
//   if (known.identify(registers)) for (KnownRow& row : known.take_rows()) ...
//   else create({identity_record, known.identity_text(random, now)});
//
// Pure values; used by Core only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/backend.hpp"
#include "ballot/ledger.hpp"
#include "base/random.hpp"

namespace ballot::core {

class StoreGuard;

inline constexpr std::string_view identity_record = "s/identity";

/// The text of an identity record.
std::string identity_text(const RunId& id);

class KnownStore {
 public:
  /// `place`: where the store is, in the words of this node's configuration.
  explicit KnownStore(std::string place) : place_(std::move(place)) {}

  /// What the ledger knows of stores, in the order in which it was written. The first load counts.
  void on_load(std::vector<KnownRow> rows);

  bool is_identified() const { return is_identified_; }
  /// `read`: the identity record, where it is there. False: it is to be created.
  bool identify(const std::vector<Register>& read);
  /// The record's text, where it is to be created.
  std::string identity_text(WallTime now, Random& random);
  /// None before it is identified, and where its identity cannot be read and no store is known in this place.
  const std::optional<RunId>& identity() const { return identity_; }
  /// A store in this place was known that had another identity.
  bool is_another() const;
  /// What is known of this one. Once; everything else is forgotten.
  std::vector<KnownRow> take_rows();

  /// The store's own row, where it is due: first, once a minute while it changes, and whenever it has gone back.
  std::optional<KnownRow> due_row(const StoreGuard& guard, SteadyTime now);
  /// The same at once, where it has changed.
  std::optional<KnownRow> last_row(const StoreGuard& guard);

 private:
  std::optional<RunId> known_here() const;

  std::string place_;
  bool is_loaded_ = false, is_identified_ = false;
  std::vector<KnownRow> rows_;
  std::optional<RunId> identity_, before_;  // `before_`: of the store that was last known in this place
  KnownRow recorded_;                       // the store's own row,
  std::optional<SteadyTime> recorded_at_;   // and when it was recorded
};

}  // namespace ballot::core
