#include "library/shown/ahead_answers.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "library/held/pauses.hpp"
#include "library/held/states_reader.hpp"

namespace ballot::library {
namespace {

using io::Message;
using std::chrono::days;

constexpr Millis load_patience{5000};    // for the store
constexpr std::size_t jobs_a_step = 50;  // a fraction of a millisecond's work
constexpr Millis load_ahead = days(7), most_load_ahead = days(31);

}  // namespace

bool AheadAnswers::answer(const io::Question& question, const io::Reply& reply) const {
  if (question.message.text("do") == "load") return answer_load(question, reply), true;
  return false;
}

/// The jobs that may be counted, by name.
struct AheadAnswers::Loading {
  LoadCounts::Take take;
  std::function<void()> done;
  GroupsByJob jobs = {}, others = {};         // those that other nodes lead, or nobody, are among both
  StoredStatesPtr states = {};                // of the others; null: the store has not answered
  std::map<std::string, WallTime> ends = {};  // of the pauses of this node's own
  GroupsByJob::const_iterator next = {};
};

/// Those that have a slot to come, or may have one that only a register knows, but for what is held for good: of what
/// others lead the store says it, so that each node counts the same.
void AheadAnswers::load_jobs(const LoadCounts::Take& take, std::function<void()> done) const {
  const auto loading = std::make_shared<Loading>(Loading{take, std::move(done)});
  const auto collect = [this, loading](std::span<const core::JobView> jobs) {
    for (const core::JobView& job : jobs) {
      if (!job.next && job.state != core::JobState::active) continue;
      const auto end = paused_until(standing_pauses_of(job));
      if (job.leader == name_ && job.state == core::JobState::paused) {
        if (!end) continue;
        loading->ends.emplace(job.name, *end);
      }
      loading->jobs.emplace(job.name, job.group);
      if (job.leader != name_) loading->others.emplace(job.name, job.group);
    }
    return true;
  };
  views_.jobs(collect, [this, loading] {
    read_states(node_, loading->others, load_patience, [this, loading](const StoredStatesPtr& states) {
      loading->states = states;
      loading->next = loading->jobs.begin();
      take_on(loading);
    });
  });
}

/// Some at a time.
void AheadAnswers::take_on(const std::shared_ptr<Loading>& loading) const {
  for (std::size_t left = jobs_a_step; left > 0 && loading->next != loading->jobs.end(); --left, ++loading->next) {
    const auto& [job, group] = *loading->next;
    const schedule::Plan* const plan = node_.core().views().plan_of(job);
    const bool is_stored = loading->states && plan && loading->others.contains(job);
    const StoredState stored = is_stored ? loading->states->of(job, group) : StoredState();
    const auto end = loading->ends.find(job);
    const auto due = end == loading->ends.end() ? due_from(stored.word, stored.pauses, {}) : end->second;
    if (!due) continue;
    const auto phase = is_stored && !plan->everies().empty() ? loading->states->phase(job, *plan) : std::nullopt;
    loading->take(job, *due, phase.value_or(std::vector<WallTime>()));
  }
  if (loading->next == loading->jobs.end()) return loading->done();
  node_.loop().post([this, loading] { take_on(loading); });
}

void AheadAnswers::answer_load(const io::Question& question, const io::Reply& reply) const {
  const auto time = [&](const char* key, WallTime otherwise) {
    const auto asked = question.message.integer(key);
    return asked ? WallTime(Millis(*asked)) : otherwise;
  };
  const WallTime now = io::read_clocks().wall, last = now + most_load_ahead;
  const WallTime from = std::max(time("from", now), now), until = time("to", std::min(from + load_ahead, last));
  if (until > last) return reply.fail({Errc::invalid, "to: no more than 31 days from now on are counted"});
  loads_.ask(until, [from, until, reply](const LoadCounts::Count& count) {
    if (reply.gone()) return;
    Message whole = count.load.shown(from, until);
    whole.set("from", format_millis(from)).set("to", format_millis(until)).set("unknown", count.unknown);
    reply.finish(whole.set("left_out", count.left_out));
  });
}

}  // namespace ballot::library
