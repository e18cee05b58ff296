#include "library/backfill/shown_backfill.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/wall_text.hpp"
#include "core/job/slots/slot_feed.hpp"
#include "core/record/register.hpp"
#include "io/clocks.hpp"
#include "library/backfill/slot_choice.hpp"
#include "library/node.hpp"

namespace ballot::library {
namespace {

using io::Message;

constexpr Millis shown_patience{2000};
constexpr const char* backfill_key = "backfill";
constexpr const char *begun_key = "backfill_begun", *left_key = "backfill_left";

/// `left`: how many slots are not begun; none: that is not known.
Message shown_backfill(const core::JobView::Backfill& backfill, const std::optional<std::int64_t>& left) {
  Message one;
  one.set("since", format_millis(backfill.at)).set("by", std::string(backfill.by));
  one.set("parallel", std::int64_t{backfill.parallel}).set("begun", std::int64_t{backfill.begun});
  if (left) one.set("left", *left);
  one.set("running", std::int64_t{backfill.running});
  if (backfill.next) one.set("next_slot", format_slot(*backfill.next));
  if (backfill.last) one.set("last_slot", format_slot(*backfill.last));
  return one;
}

/// By the register, and by the files here, of which plan `slots` are; none: the files here do not say which they are.
Message shown_backfill(const core::JobRegister& stored, const std::optional<std::vector<WallTime>>& slots) {
  const core::Backfill& of = *stored.backfill();
  core::JobView::Backfill view{of.at, of.by, of.parallel, of.begun, 0, {}, {}};
  view.running = static_cast<int>(std::count_if(stored.runs.begin(), stored.runs.end(), [](const core::OpenRun& run) {
    return run.trigger == Trigger::backfill;
  }));
  if (!of.left.empty()) view.last = of.left.back().to;
  if (!slots) return shown_backfill(view, std::nullopt);
  if (!slots->empty()) view.next = slots->front();
  return shown_backfill(view, std::ssize(*slots));
}

/// The slots that are not begun, by the plan of this node's files.
std::optional<std::vector<WallTime>> slots_left(const Node& node, const std::string& job,
                                                const core::JobRegister& stored) {
  const schedule::Plan* const plan = node.core().views().plan_of(job);
  const auto phase = plan ? core::phase_of(*plan, stored) : std::nullopt;
  if (!phase) return std::nullopt;
  std::vector<WallTime> slots;
  for (const core::SlotRange& range : stored.backfill()->left) {
    const auto more = slots_of_plan(*plan, *phase, range.from, range.to + Millis(1));
    if (!more || slots.size() + more->size() > most_slots_considered) return std::nullopt;
    slots.insert(slots.end(), more->begin(), more->end());
  }
  return slots;
}

}  // namespace

std::optional<BackfillPosition> position_of_backfill(const core::Views& views, const core::JobView& job) {
  if (!job.backfill) return std::nullopt;
  const auto left = views.left_of_backfill(std::string(job.name)).value_or(0);
  return BackfillPosition{job.backfill->begun, static_cast<std::int64_t>(left)};
}

void set_position(Message& job, const BackfillPosition& position) {
  job.set(begun_key, position.begun).set(left_key, position.left);
}

std::optional<BackfillPosition> position_in(const Message& job) {
  const auto begun = job.integer(begun_key), left = job.integer(left_key);
  return begun && left ? std::optional(BackfillPosition{*begun, *left}) : std::nullopt;
}

std::string text_of(const BackfillPosition& position) {
  return "backfill " + std::to_string(position.begun) + " of " + std::to_string(position.begun + position.left);
}

void with_backfill(Node& node, const std::string& job, Message told, std::function<void(Message)> then) {
  const core::Views views = node.core().views();
  const auto view = views.find_job(io::read_clocks().wall, job);
  if (const auto position = view ? position_of_backfill(views, *view) : std::nullopt)
    told.set(backfill_key, std::vector{shown_backfill(*view->backfill, position->left)});
  if ((view && !view->leader.empty()) || !node.core().session().is_open()) return then(std::move(told));
  const auto read = [&node, job, told = std::move(told),
                     then = std::move(then)](const io::Engine::Registers& registers) mutable {
    const auto stored = registers && !registers->empty() ? core::parse_job_register(registers->front().value)
                                                         : Result<core::JobRegister>(Error{});
    if (stored && stored->backfill())
      told.set(backfill_key, std::vector{shown_backfill(*stored, slots_left(node, job, *stored))});
    then(std::move(told));
  };
  node.read({core::job_register(job)}, shown_patience, std::move(read));
}

std::string backfill_text(const Message& told) {
  const auto all = told.objects(backfill_key);
  if (all.empty()) return {};
  const Message& one = all.front();
  const auto number = [&](const char* name) { return std::to_string(one.integer(name).value_or(0)); };
  const auto left = one.integer("left");
  const std::string of_all = left ? " of " + std::to_string(one.integer("begun").value_or(0) + *left) : "";
  std::string text = number("begun") + of_all + " slots begun, " + number("running") + " running";
  const auto next = one.text("next_slot"), last = one.text("last_slot");
  if (next) text += ", next " + *next;
  text += last ? ", up to " + *last : ", none left";
  text += "; since " + one.text("since").value_or("?");
  const std::string by = one.text("by").value_or("");
  if (!by.empty()) text += " by " + by;
  return number("parallel") == "1" ? text : text + ", " + number("parallel") + " at once";
}

}  // namespace ballot::library
