// NamespaceGate: between a backend and its user, while a namespace moves from one store to another
// (`ballot store`). It reads the namespace's marks before a session is reported as open, and whenever they change;
// what they mean is NamespaceState's. While the namespace is held, its user is told that it may lead nothing
// (backend::Unfit); one that was moved is not opened at all, but by who only reads. Epochs are counted on from those of
// the store before.
//
//   phase   | event                             | next
//   closed  | open()                            | opening
//   opening | SessionOpened                     | asking: what comes now waits
//   asking  | the marks are read                | open; closing, where the namespace was moved and this is the first
//           |                                   | session of one that would lead
//   asking  | they cannot be read               | closing
//   open    | a mark has changed                | open: the marks are read again
//   any     | SessionClosed                     | closed, with why
//
// Thread: that of its BackendPort's owner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "core/store/namespace_state.hpp"

namespace ballot::io {

class NamespaceGate {
 public:
  using Events = std::vector<BackendEvent>;

  void on_open(const SessionRequest& request);
  /// Takes what was posted, and returns what its user is to see.
  Events pass(Events posted, Backend& backend);
  /// Reads the marks again where that has failed: something is asked of the store now and then.
  void on_renew(Backend& backend);
  /// Has the store's own epochs in place of those that its user knows.
  void translate(std::vector<RegisterWrite>& batch) const;

  const core::NamespaceState& state() const { return state_; }

 private:
  enum class Phase { closed, opening, asking, open, closing };

  static constexpr RequestId first_request = RequestId{1} << 62;  // others count from 1, or from 2^63

  void ask(Backend& backend);
  void take(BackendEvent event, Backend& backend, Events& out);
  void on_marks(const backend::ReadDone& read, Backend& backend, Events& out);
  void admit(Backend& backend, Events& out);
  void close(Backend& backend, bool keep, Cause cause, std::string why);
  /// What the user takes for the node's fitness to lead anything.
  std::string why_unfit() const;

  Phase phase_ = Phase::closed;
  std::uint64_t generation_ = 0;
  bool only_reads_ = false;  // or leaves on behalf of a dead daemon
  bool was_open_ = false;    // in any generation
  core::NamespaceState state_;
  std::string unfit_of_backend_;        // as the backend has said of all groups
  std::optional<BackendEvent> opened_;  // waits for the marks,
  Events waiting_;                      // and what came after it
  RequestId asked_ = 0;                 // the read of the marks that is under way; 0: none
  RequestId last_asked_ = first_request;
  bool changed_ = false;                          // the marks have, since they were asked for
  std::optional<backend::SessionClosed> reason_;  // of closing
};

}  // namespace ballot::io
