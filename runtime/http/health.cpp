#include "http/health.hpp"

#include <utility>

#include "io/clocks.hpp"

namespace ballot::web {
namespace {

constexpr Millis known_for{1000}, health_patience{5000};

HttpResponse plain(int status, std::string text) {
  return {status, "text/plain; charset=utf-8", {}, std::move(text) + "\n"};
}

}  // namespace

void Health::add_to(Routes& routes) {
  for (const auto& [path, what] : {std::pair("/healthz", What::lives), std::pair("/readyz", What::is_ready)})
    routes.push_back({Method::get, path, io::Role::none,
                      [this, what = what](const ExchangePtr& exchange) { answer(what, exchange); }, health_patience,
                      true});
}

void Health::answer(What what, const ExchangePtr& exchange) {
  const SteadyTime now = io::read_clocks().steady;
  if (known_ && now - asked_at_ < known_for) return exchange->finish(response(what));
  std::erase_if(waiting_, [](const Waiting& one) { return one.exchange->is_over(); });
  waiting_.push_back({what, exchange});
  if (waiting_.size() > 1 && now - asked_at_ < health_patience) return;
  asked_at_ = now;
  ask_({io::Message().set("do", "ready"), {io::Role::viewer, "health", "health"}},
       [this](const AnswerLine& line) { on_line(line); });
}

void Health::on_line(const AnswerLine& line) {
  auto message = line.message();
  if (!message) return;
  known_ = *std::move(message);
  for (const Waiting& one : std::exchange(waiting_, {})) one.exchange->finish(response(one.what));
}

/// Nothing is named of jobs and groups: anybody may ask.
HttpResponse Health::response(What what) const {
  if (what == What::lives) return plain(200, "ok");
  if (known_->flag("ready").value_or(false)) return plain(200, "ready");
  std::string text = "not ready";
  for (const std::string& why : known_->texts("why")) text += "\n" + why;
  return plain(503, text);
}

}  // namespace ballot::web
