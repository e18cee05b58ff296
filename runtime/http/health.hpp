// Health: /healthz and /readyz: whether the loop turns, and whether this node can do its work: a session is open, the
// runner answers, the ledger takes rows. The loop is asked once a second at most, however many ask.
//
// Thread: the server's.
//
//   Health health(ask);                          // outlives the routes
//   health.add_to(routes);
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "http/exchange.hpp"
#include "io/question.hpp"

namespace ballot::web {

class Health {
 public:
  using Ask = std::function<void(io::Question, std::function<void(AnswerLine)>)>;
  explicit Health(Ask ask) : ask_(std::move(ask)) {}

  void add_to(Routes& routes);

 private:
  enum class What { lives, is_ready };
  struct Waiting {
    What what;
    ExchangePtr exchange;
  };
  void answer(What what, const ExchangePtr& exchange);
  void on_line(const AnswerLine& line);
  HttpResponse response(What what) const;

  const Ask ask_;
  std::vector<Waiting> waiting_;
  std::optional<io::Message> known_;
  SteadyTime asked_at_{};
};

}  // namespace ballot::web
