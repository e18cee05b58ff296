// KeySession: one daemon's session on a KeyStore, or an observer's: from the first question to the last answer. Carries
// out calls and gathers what is to be posted. Used on the plugin's thread only.
//
//   | phase     | what is under way                                                    | next                        |
//   | --------- | -------------------------------------------------------------------- | --------------------------- |
//   | beginning | the session before is resumed, or to be ended; or a new one begins   | entering; open: an observer |
//   | entering  | the node's name is taken (KeyMembership)                             | open, ending                |
//   | ending    | a session that is not to be used is ended                            | beginning, over             |
//   | open      | calls are carried out                                                | leaving, over               |
//   | leaving   | what was asked before is answered, the end written down              | over                        |
//
// The session ends by itself where the store says so, where no renewal was answered for T, and where its name is gone.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "support/handle_store.hpp"
#include "support/keys/key_driver.hpp"
#include "support/keys/key_elections.hpp"
#include "support/keys/key_membership.hpp"
#include "support/keys/key_observation.hpp"
#include "support/keys/key_registers.hpp"
#include "support/keys/key_tidy.hpp"

namespace ballot::support {

class KeySession final : private KeyStore::Listener {
 public:
  struct Opening {
    SessionRequest request;        // its node is a member name
    std::optional<Handle> before;  // left behind by the session before; of this boot
    Millis timeout{0};             // that is asked for
    std::map<std::string, Options> groups = {};
  };

  /// Throws where there is no store to be had.
  KeySession(Opening opening, const KeyPlace& place, Host& host,
             const std::function<std::unique_ptr<KeyStore>(KeyStore::Listener&)>& make);

  void configure(const std::map<std::string, Options>& groups) { store_->configure(groups); }
  void carry_out(const Call& call);
  void close(bool keep);
  /// Withdraws at once, and waits for nothing.
  void drop() noexcept;
  /// Not renewed in time.
  void expire();

  void receive() { store_->receive(); }
  /// Sends what has gathered, and does what is due.
  void advance();
  std::optional<SteadyTime> due() const;

  Events take_events();
  /// The session bears no name and need not be renewed; also a deputy, which acts for a dead daemon.
  bool observes() const noexcept { return opening_.request.observer || is_deputy(); }
  bool is_deputy() const noexcept { return !opening_.request.handle.empty(); }
  /// T counts from here.
  SteadyTime base() const noexcept { return membership_ ? membership_->confirmed() : SteadyTime{}; }
  Handle handle() const;
  const std::optional<backend::SessionClosed>& over() const noexcept { return over_; }
  Rest rest() const noexcept { return rest_; }

 private:
  enum class Phase { beginning, entering, ending, open, leaving };
  enum class Goal {
    fresh,
    resume,
    discard  // the session before is resumed to be ended
  };
  /// The parts of an open session.
  struct Open {
    Open(KeyContext& context, KeyView& view, LastSeen& last_seen, KeySelf self)
        : elections(context, view, last_seen, self), registers(context, elections), observation(context) {}
    KeyElections elections;
    KeyRegisters registers;
    KeyObservation observation;
  };

  void on_listed(const std::string& prefix, const std::vector<KeyEntry>& entries) override;
  void on_written(const KeyEntry& entry) override;
  void on_removed(const std::string& key) override;
  void on_touched(const std::string& prefix) override;
  void on_session_lost(const std::string& text) override;
  void on_connected() override {}
  void on_unfit(const std::string& group, const std::string& why) override;

  void begin(Goal goal);
  void on_begun(const SessionBegun& begun);
  void enter();
  void on_entered(KeyMembership::Entry entry, std::string text);
  void end_then(Goal next);
  void end_with(backend::SessionClosed verdict);
  void open();
  void on_gone(const std::vector<KeyView::Gone>& gone);

  void carry(const RenewCall&) {}
  void carry(const CampaignCall& call) { open_->elections.campaign(call.group); }
  void carry(const ResignCall& call) { open_->elections.resign(call.group); }
  void carry(const WriteCall& call) { open_->registers.write(call); }
  void carry(const ReadCall& call) { open_->registers.read(call); }
  void carry(const CreateCall& call) { open_->registers.create(call); }
  void carry(const RemoveCall& call) { open_->registers.remove(call); }
  void carry(const WatchCall& call) { store_->watch(KeyNames::of_register(call.prefix)); }
  void carry(const ObserveCall& call) { open_->observation.observe(call); }
  void carry(const EvictCall& call) { open_->observation.evict(call); }
  void carry(const ListCall& call) { open_->registers.list(call); }

  bool drained() const;
  void leave_on();
  void check_size();
  void fail(backend::SessionClosed why, Rest rest);
  backend::SessionClosed unreached() const;
  backend::SessionClosed unrenewed() const;
  Rest rest(Rest known) const;
  SteadyTime give_up() const;
  void check_time(SteadyTime now);

  const Opening opening_;
  const KeyPlace& place_;
  Host& host_;
  const std::unique_ptr<KeyStore> store_;
  KeyContext context_;
  KeyView view_;
  LastSeen last_seen_;
  std::optional<KeyMembership> membership_;
  std::optional<Open> open_;  // also while it leaves
  std::optional<KeyTidy> tidy_;
  std::map<std::string, std::string> found_unfit_;  // before it was open: groups, and why

  Phase phase_ = Phase::beginning;
  Goal goal_ = Goal::fresh;
  std::optional<SteadyTime> again_at_;             // the store could not be reached: it is asked again
  SteadyTime give_up_at_{};                        // while it is not open
  std::string problem_;                            // why the store could not be reached
  std::optional<backend::SessionClosed> verdict_;  // of what was begun and is being ended again
  std::string secret_;

  bool keep_ = false;
  enum class Leaving { draining, ending } leaving_ = Leaving::draining;
  SteadyTime leave_by_{};
  std::optional<backend::SessionClosed> over_;
  Rest rest_ = Rest::nothing;
};

}  // namespace ballot::support
