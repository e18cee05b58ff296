// KeyMembership: this node's name in a KeyStore. Taken when the session begins, renewed while it is open, given back
// when it ends. One daemon has a name at a time: whoever had it before is waited out, and only one that is seen to
// renew itself is in the way. Used on the plugin's thread only.
//
//   | state    | event                                                                   | next                       |
//   | -------- | ----------------------------------------------------------------------- | -------------------------- |
//   | entering | no session has the name: ours is bound, and renewed                     | entered                    |
//   | entering | ours has it (it was resumed)                                            | entered, or stale          |
//   | entering | another has it, which is waited for; ours is kept open meanwhile        | entering                   |
//   | entering | ours is over before it has the name                                     | stale                      |
//   | entering | it is one that this node has left without being sure                    | left behind                |
//   | entering | it renews itself, twice, and is none of this process                    | refused                    |
//   | entered  | a renewal finds that the session is over                                | lost                       |
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "support/keys/key_context.hpp"
#include "support/keys/last_seen.hpp"
#include "support/name_rival.hpp"

namespace ballot::support {

class KeyMembership {
 public:
  /// How entering has ended; `text` says why it was refused or failed. unwritten: the store refuses the write.
  enum class Entry { entered, stale, left_behind, refused, failed, unwritten };
  using Entered = std::function<void(Entry entry, std::string text)>;

  /// `left_behind`: the session that this node had before, where it may still be open.
  KeyMembership(KeyContext& context, LastSeen& last_seen, std::string left_behind);

  void enter(Entered entered);
  /// The session was resumed: its terms may be too, until then.
  std::optional<SteadyTime> resumed_until() const noexcept { return resumed_until_; }
  /// When the store last answered while it was being entered.
  SteadyTime last_answer() const noexcept { return last_answer_; }

  void renew(RequestId request, SteadyTime asked);
  /// When the last renewal that was answered was asked for.
  SteadyTime confirmed() const noexcept { return confirmed_; }
  /// Of our entry, as it was acknowledged last: the store's revision then.
  std::uint64_t version() const noexcept { return version_; }
  /// Why the store has refused to renew it, by its last answer; "": it has not.
  const std::string& refusal() const noexcept { return refusal_; }
  /// The session is over, for the store.
  bool lost() const noexcept { return lost_; }

  /// The session is over by its own wish: written down, or, with `forget`, what it has said of itself is removed; then
  /// the store ends it. `done`: with what the store has answered to that.
  void end(bool forget, std::function<void(StoreResult)> done);

  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const { return observe_at_; }

 private:
  void observe();
  void consider(const KeyEntry* session, const KeyEntry* member);
  void consider_own(const std::optional<MemberRecord>& record);
  void wait_for(MemberRecord rival, std::uint64_t version);
  void keep_open(std::function<void()> next);
  void bind();
  void write_entry();
  void finish(Entry entry, std::string text);
  bool again(StoreResult outcome, const std::string& text, Entry where_refused);

  std::string path() const { return KeyNames::member(context_.self.node); }
  MemberRecord record(bool ended) const;
  void on_renewed(const KeyAnswer& answer);

  KeyContext& context_;
  LastSeen& last_seen_;
  NameRival rival_;
  Entered entered_;
  std::optional<SteadyTime> observe_at_;
  std::optional<SteadyTime> resumed_until_;
  SteadyTime last_answer_;
  SteadyTime deadline_{};  // of our terms, as far as it was asked for
  SteadyTime confirmed_{};
  SteadyTime began_{};         // T counted from here before anything was followed
  std::uint64_t version_ = 0;  // of our entry, as it was acknowledged last
  bool bound_ = false;         // the name was taken by us
  bool lost_ = false;
  std::string refusal_;

  RequestId request_ = 0;  // a renewal under way; 0: none
  SteadyTime asked_{};
};

}  // namespace ballot::support
