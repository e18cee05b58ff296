// Session: one daemon's session in its namespace, or an observer's: from the first connection to the last answer.
// Carries out calls and posts events. Used on the plugin's thread only; knows nothing of queues and threads.
//
//   | phase      | what is under way                                                   | next                        |
//   | ---------- | ------------------------------------------------------------------- | --------------------------- |
//   | reviving   | connecting with the session that was left behind, to resume or end  | entering, discarding, or    |
//   |            |                                                                     | connecting: it has expired  |
//   | discarding | a session is ended: one that was left behind, or that waited too    | connecting, reviving        |
//   |            | long for its name                                                   |                             |
//   | connecting | a new session begins                                                | entering; open: an observer |
//   | entering   | the node's name is taken (Membership)                               | open, discarding, over      |
//   | open       | calls are carried out                                               | leaving, over               |
//   | leaving    | what was asked before is answered, the end written down, all closed | over                        |
//
// It is over by itself where the store says so, where no renewal has counted for T, and where its name is gone. Each
// try to connect with a session renews that session at the server, also where no answer comes back. So a session whose
// terms are over is connected with only after a server has answered (entering finds it), and others can succeed it
// meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ballot/backend.hpp"
#include "members.hpp"
#include "membership.hpp"
#include "open_session.hpp"
#include "session_context.hpp"
#include "support/handle_store.hpp"

namespace ballot::zookeeper {

class Session {
 public:
  struct Opening {
    SessionRequest request;
    Connection connection;  // with what timeout is asked for
    Millis tick{0};         // of the servers
    std::string root;
    std::optional<Handle> before;  // left behind by the session before; of this boot. It has a client_id
  };

  /// Throws std::system_error where there is no client to be had.
  Session(Opening opening, const Paths& paths, Host& host, std::shared_ptr<Inbox> inbox);
  ~Session();

  void on(Message& message);
  void carry_out(const Call& call);
  void close(bool keep);
  /// Withdraws at once, and waits for nothing.
  void drop();
  /// Not renewed in time.
  void expire();

  /// Sends what has gathered, and does what is due.
  void advance();
  std::optional<SteadyTime> due() const;

  Events take_events();
  /// The session bears no name and need not be renewed: an observer's, or a deputy's, which acts for a dead daemon.
  bool observes() const noexcept { return opening_.request.observer || is_deputy(); }
  bool is_deputy() const noexcept { return !opening_.request.handle.empty(); }
  /// When it was asked for: T counts from here.
  SteadyTime base() const noexcept { return base_; }
  Handle handle() const;
  const std::optional<backend::SessionClosed>& over() const noexcept { return over_; }
  Rest rest() const noexcept { return rest_; }

 private:
  enum class Phase { reviving, discarding, connecting, entering, open, leaving };

  Millis patience() const;
  enum class Resume { no, yes };
  void connect(Resume resume);
  void on_state(int state);
  void on_connected();
  void on_closed();
  void on_watch(const Message& message);
  void begin();
  void on_entered(Membership::Entry entry, Cause cause, std::string text);
  void open();
  ElectionSelf election_self();
  void discard();
  void leave_on();
  void end();
  void fail(Cause cause, std::string text, Rest rest);
  Rest rest(Rest known) const;
  SteadyTime give_up() const;
  void check_time(SteadyTime now);

  const Opening opening_;
  const Paths& paths_;
  Host& host_;
  const std::shared_ptr<Inbox> inbox_;
  Phase phase_ = Phase::connecting;
  bool connected_ = false;
  bool revive_ = false;      // resume the session before, rather than end it
  bool end_before_ = false;  // that one is still open: it is to be ended next
  SteadyTime base_{};
  SteadyTime give_up_at_{};  // while it is not open
  Millis timeout_{0};        // granted
  clientid_t credentials_{};

  std::unique_ptr<Client> client_;
  std::uint64_t client_id_ = 0;
  std::unique_ptr<SessionContext> context_;
  std::unique_ptr<Members> members_;
  std::unique_ptr<Membership> membership_;
  std::unique_ptr<OpenSession> open_;  // also while it leaves

  bool keep_ = false;
  enum class Leaving { draining, ending, closing } leaving_ = Leaving::draining;
  bool ended_ = false;  // the store has confirmed it
  SteadyTime leave_by_{};
  std::optional<backend::SessionClosed> over_;
  Rest rest_ = Rest::nothing;
};

}  // namespace ballot::zookeeper
