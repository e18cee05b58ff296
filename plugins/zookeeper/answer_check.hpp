// AnswerCheck: what ZooKeeper's servers send over one connection, checked before the client library reads it. The
// library trusts its server: an answer that nobody asked for, a field that is cut short or a claimed count ends its
// process. So each answer must belong to the next request that has none, have the fields of its kind, and be no larger
// than bounds.hpp says; there are no more events than watches, and no more answers to pings than pings. Pure.
//
//   AnswerCheck check;      check.on_request(frame);            // of the client; frames without their length
//   if (const std::string problem = check.on_answer(frame); !problem.empty()) close_both();
//
//   | state      | client's next frame       | server's next frame                  | left by                  |
//   | ---------- | ------------------------- | ------------------------------------ | ------------------------ |
//   | connecting | asks for a session        | grants it, or says that it is over   | the server's first frame |
//   | open       | a request                 | an answer, an event, a ping's answer | -                        |
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::zookeeper {

class AnswerCheck {
 public:
  /// "": it is passed on. Else a kind of request that the plugin does not use.
  std::string on_request(std::string_view frame);
  /// "": the library can take it. Else what is wrong with it, for people.
  std::string on_answer(std::string_view frame);

 private:
  struct Request {
    std::int32_t xid = 0;
    std::int32_t type = 0;
    std::vector<std::int32_t> parts = {};  // the types of a transaction's changes
  };

  std::string on_session(std::string_view frame);
  std::string on_event(std::string_view body);
  static std::string check_body(const Request& request, std::string_view body);

  bool asked_ = false;              // for a session
  std::int32_t timeout_asked_ = 0;  // of the session, in ms
  bool open_ = false;
  std::deque<Request> unanswered_;
  std::size_t pings_ = 0, logins_ = 0, watch_lists_ = 0;  // without an answer
  std::size_t watches_ = 0;                               // that have had no event, at most
};

}  // namespace ballot::zookeeper
