// Observer: the standing of one who only looks and asks, in a namespace that may not be there: nothing is made for it,
// it then is empty, and is looked for again with every call.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "session.hpp"
#include "standing.hpp"

namespace ballot::local {

class Observer final : public Standing {
 public:
  Observer(Session::Opening opening, Host& host);

  void carry_out(std::vector<Call> calls, Events& events) override;
  std::vector<int> ears() const override { return session_ ? session_->ears() : std::vector<int>{}; }
  bool hear(Events& events) override { return session_ && session_->hear(events); }
  void look(Events& events) override;
  Millis pace() const override;
  SteadyTime deadline() const noexcept override { return SteadyTime::max(); }
  void end_terms() noexcept override {}
  const std::optional<backend::SessionClosed>& over() const noexcept override;
  std::uint64_t revision() const noexcept { return session_ ? session_->revision() : 0; }

 private:
  void find();
  void answer_empty(const Call& call, Events& events);

  const Session::Opening opening_;
  Host& host_;
  std::unique_ptr<Session> session_;
  std::set<std::string> watches_;  // asked for before there was a store
  std::optional<backend::SessionClosed> over_;
};

}  // namespace ballot::local
