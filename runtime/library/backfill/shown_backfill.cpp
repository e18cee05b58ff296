#include "library/backfill/shown_backfill.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/wall_text.hpp"
#include "core/record/register.hpp"
#include "io/clocks.hpp"
#include "library/node.hpp"

namespace ballot::library {
namespace {

using io::Message;

constexpr Millis shown_patience{2000};
constexpr const char* backfill_key = "backfill";

Message shown_backfill(const core::JobView::Backfill& backfill) {
  Message one;
  one.set("since", format_millis(backfill.at)).set("by", std::string(backfill.by));
  one.set("parallel", std::int64_t{backfill.parallel}).set("begun", std::int64_t{backfill.begun});
  one.set("running", std::int64_t{backfill.running});
  if (backfill.next) one.set("next_slot", format_slot(*backfill.next));
  if (backfill.last) one.set("last_slot", format_slot(*backfill.last));
  return one;
}

/// By the register: ranges may begin before their first slot.
core::JobView::Backfill backfill_of_register(const core::JobRegister& stored) {
  const core::Backfill& of = *stored.backfill();
  core::JobView::Backfill view{of.at, of.by, of.parallel, of.begun, 0, {}, {}};
  view.running = static_cast<int>(std::count_if(stored.runs.begin(), stored.runs.end(), [](const core::OpenRun& run) {
    return run.trigger == Trigger::backfill;
  }));
  if (!of.left.empty()) view.next = of.left.front().from, view.last = of.left.back().to;
  return view;
}

}  // namespace

void with_backfill(Node& node, const std::string& job, Message told, std::function<void(Message)> then) {
  const auto view = node.core().views().find_job(io::read_clocks().wall, job);
  if (view && view->backfill) told.set(backfill_key, std::vector{shown_backfill(*view->backfill)});
  if ((view && !view->leader.empty()) || !node.core().session().is_open()) return then(std::move(told));
  const auto read = [told = std::move(told), then = std::move(then)](const io::Engine::Registers& registers) mutable {
    const auto stored = registers && !registers->empty() ? core::parse_job_register(registers->front().value)
                                                         : Result<core::JobRegister>(Error{});
    if (stored && stored->backfill())
      told.set(backfill_key, std::vector{shown_backfill(backfill_of_register(*stored))});
    then(std::move(told));
  };
  node.read({core::job_register(job)}, shown_patience, std::move(read));
}

std::string backfill_text(const Message& told) {
  const auto all = told.objects(backfill_key);
  if (all.empty()) return {};
  const Message& one = all.front();
  const auto number = [&](const char* name) { return std::to_string(one.integer(name).value_or(0)); };
  std::string text = number("begun") + " slots begun, " + number("running") + " running";
  const auto next = one.text("next_slot"), last = one.text("last_slot");
  text += next ? ", next " + *next + ", up to " + last.value_or("?") : ", none left";
  text += "; since " + one.text("since").value_or("?");
  const std::string by = one.text("by").value_or("");
  if (!by.empty()) text += " by " + by;
  return number("parallel") == "1" ? text : text + ", " + number("parallel") + " at once";
}

}  // namespace ballot::library
