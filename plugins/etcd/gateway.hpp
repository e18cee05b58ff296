// Gateway: calls of etcd's JSON gateway: who asks proves who he is, an answer says whether it is one, and what may be
// repeated is, at another server, as long as the caller waits. Knows nothing of keys and leases. Used on the plugin's
// thread only.
//
//   gateway.ask({"/v3/kv/range", body, Repeat::safe, patience}, [](const Reply& reply) {
//     if (reply.kind == Reply::Kind::done) ... reply.revision();
//   });
//   gateway.receive();   // calls back
//
//   | credentials | what it does                                     | left by                                    |
//   | ----------- | ------------------------------------------------ | ------------------------------------------ |
//   | none        | asks without                                     | -                                          |
//   | needed      | nothing is asked                                 | a call: asking                             |
//   | asking      | calls wait for the token                         | held; refused or no answer: needed         |
//   | held        | asks with the token                              | a server does not know it any more: asking |
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ballot/backend.hpp"
#include "http_client/client.hpp"
#include "http_client/json.hpp"
#include "settings.hpp"
#include "support/bounds.hpp"
#include "support/keys/key_store.hpp"
#include "support/wakeup.hpp"

namespace ballot::etcd {

struct Reply {
  enum class Kind {
    done,
    not_found,  // the lease
    compacted,  // the revision is not there any more
    refused,    // it has not happened and will not; `text` says why and what to do
    unknown     // it may have happened, and may still
  };
  Kind kind = Kind::unknown;
  http::json::value body = {};
  std::string text = {};
  bool foreign = false;  // refused by what is no etcd: another server may be one
  bool full = false;     // refused for want of space, whoever asks

  bool done() const noexcept { return kind == Kind::done; }
  /// 0: the answer has none.
  std::uint64_t revision() const { return support::sound_version(http::number_at(body, "header", "revision")); }
  std::uint64_t raft_term() const { return http::number_at(body, "header", "raft_term"); }
};

/// For who asked for a change or a read.
StoreResult outcome_of(const Reply& reply);

/// What a server's answer means.
Reply reply_of(const http::Event& event);

enum class Repeat { never, safe };

class Gateway {
 public:
  using Done = std::function<void(const Reply&)>;
  using OnLine = std::function<void(const http::json::value&)>;
  /// `text`: why it has ended.
  using OnEnd = std::function<void(const std::string& text)>;

  struct Call {
    std::string path, body;
    Repeat repeat = Repeat::never;
    Millis patience{0};
    std::optional<std::size_t> server = {};         // none: any
    bool anonymous = false;                         // nothing shows who asks
    bool urgent = false;                            // it waits for no other call
    std::size_t largest = support::bounds::answer;  // bytes of the answer
  };

  /// Throws std::runtime_error where no client can be made.
  Gateway(const Settings& settings, std::string password, std::shared_ptr<support::Wakeup> wakeup);

  /// Answered once, within its patience, from receive().
  void ask(Call call, Done done);
  /// A stream of lines, until on_end or cancel(); `patience`: for its first line.
  std::uint64_t stream(const std::string& path, const std::string& body, Millis patience, OnLine on_line, OnEnd on_end);
  void cancel(std::uint64_t stream);
  /// The next call goes to another server than that of this stream.
  void leave(std::uint64_t stream);
  /// Nothing is called back any more.
  void abandon() noexcept;

  void receive();
  /// Requests carry credentials.
  bool authenticates() const noexcept { return credentials_ != Credentials::none; }
  std::size_t servers() const noexcept { return servers_.size(); }
  std::string server(std::size_t index) const { return http::text_of(servers_[index]); }
  /// The last answer was one, after some were not.
  bool take_reconnected();

 private:
  struct Asked {
    Call call;
    Done done;
    SteadyTime until{};
    std::size_t tries = 0;
    std::string token = {};  // that it was asked with
  };
  struct Stream {
    OnLine on_line;
    OnEnd on_end;
    std::size_t server = 0;  // of its last line
  };
  enum class Credentials { none, needed, asking, held };

  void send(Asked asked);
  void authenticate();
  void on_token(const Reply& reply);
  void on_answer(const http::Event& event);
  bool repeats(const Asked& asked, const Reply& reply, const http::Event& event);
  void on_stream(const http::Event& event);
  void note(const Reply& reply);

  const std::vector<http::Endpoint> servers_;
  const std::string user_, password_;
  std::unique_ptr<http::Client> client_;
  Credentials credentials_;
  std::string token_;
  std::map<std::uint64_t, Asked> asked_;  // by the client's id
  std::deque<Asked> waiting_;             // for the token
  std::map<std::uint64_t, Stream> streams_;
  enum class Contact { good, lost, found } contact_ = Contact::good;
};

/// Errors: as of http::Client.
http::Settings client_settings(const Settings& settings);

}  // namespace ballot::etcd
