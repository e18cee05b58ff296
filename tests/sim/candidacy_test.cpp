// Candidates of one group with their ticks, as `ballot run cron` has them, on a store and over links that do what they
// like: no two children at once, no tick twice, and none lost.
#include "core/candidate/candidacy.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "core/candidate/ticks.hpp"
#include "support/sim/sim_backend.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;
using core::Candidacy;

constexpr Millis kill_margin{200};

/// What is true of the children of all candidates.
struct Truth {
  SimLoop& loop;
  int running = 0;
  std::map<WallTime, int> starts;  // by tick
  std::set<WallTime> passed;       // ticks that a leader named and did not run
  std::vector<std::string> broken;

  void start(const std::string& who, WallTime slot) {
    if (++running > 1) broken.push_back(who + " starts a second child");
    if (++starts[slot] > 1) broken.push_back(who + " runs a tick twice");
  }
};

/// One candidate: its policy as ElectedCommand drives it, and a guard that outlives it.
class SimCandidate final : private Host {
 public:
  SimCandidate(Truth& truth, SimStore& store, std::string name)
      : truth_(truth), loop_(truth.loop), store_(store), clock_(loop_), name_(std::move(name)) {}
  ~SimCandidate() {
    if (process_ != 0) crash();
    loop_.drop(guard_);
  }

  SimLink link;

  void start() {
    process_ = loop_.new_owner();
    candidacy_ = std::make_unique<Candidacy>("g", 1s);
    ticks_ = std::make_unique<core::Ticks>(plan(), "g", name_);
    backend_ = std::make_unique<SimBackend>(store_, loop_, link, clock_, static_cast<Host&>(*this));
    feed(core::Enter{});
  }
  /// kill -9: the guard gives the child its grace, within the lease.
  void crash() {
    loop_.drop(process_);
    backend_->crash();
    backend_.reset();
    candidacy_.reset();
    ticks_.reset();
    held_.clear();
    process_ = 0;
    link.frozen = frozen_ = false;
    if (child_) end_by(std::min(clock_.now().steady + 300ms, lease_ - kill_margin));
  }
  void freeze() { link.frozen = frozen_ = true; }
  void thaw() {
    link.frozen = frozen_ = false;
    for (const auto& event : std::exchange(held_, {})) feed(event);
  }
  bool runs() const { return process_ != 0; }
  bool frozen() const { return frozen_; }
  /// The store finds it unfit to lead, or, with "", fit again.
  void find_unfit(const std::string& why) {
    link.unfit = why.empty() ? std::map<std::string, std::string>{} : std::map<std::string, std::string>{{"g", why}};
    if (backend_) backend_->tell_fitness("g");
  }
  void heal() {
    link = {};
    find_unfit("");
    if (!runs()) start();
    if (frozen_) thaw();
  }

 private:
  static schedule::Plan plan() {
    return std::get<schedule::Plan>(schedule::Plan::make({.expressions = {"* * * * * *"}}));
  }

  void post(BackendEvent event) noexcept override { feed(std::move(event)); }
  void log(Level, std::string_view) noexcept override {}

  void feed(Candidacy::Event event) {
    if (frozen_) return held_.push_back(std::move(event));
    const core::CandidateStatus before = candidacy_->status();
    const Now now = clock_.now();
    perform(candidacy_->step(now, event));
    on_changed(before);
    core::Actions out;
    std::optional<WallTime> claimed;
    if (const auto* event_of_store = std::get_if<BackendEvent>(&event)) {
      if (const auto* wrote = std::get_if<backend::Wrote>(&event_of_store->what))
        claimed = ticks_->on(now, *wrote, candidacy_->last_request(), out);
      if (const auto* read = std::get_if<backend::ReadDone>(&event_of_store->what))
        claimed = ticks_->on(now, *read, candidacy_->last_request(), out);
    }
    ticks_->on_time(now, candidacy_->last_request(), out);
    if (claimed) launch(*claimed);
    advance(now, out);
    perform(std::move(out));
    arm();
    if (candidacy_->status().asked_to_leave && candidacy_->status().leads())
      child_ ? end_by(now.steady + 100ms) : leave();
  }
  void leave() {
    feed(core::Leave{});
    feed(core::Enter{});
  }

  void on_changed(const core::CandidateStatus& before) {
    const core::CandidateStatus& now = candidacy_->status();
    if (now.epoch != 0) lease_ = now.deadline;
    if (child_ && now.epoch != 0) end_by(lease_ - kill_margin);
    if (child_ && now.epoch == 0 && before.epoch != 0) end_by(clock_.now().steady);
    core::Actions out;
    if (now.leads() && !before.leads()) ticks_->lead(now.epoch, candidacy_->last_request(), out);
    if (!now.leads() && before.leads()) ticks_->drop();
    perform(std::move(out));
  }

  void advance(Now now, core::Actions& out) {
    if (!candidacy_->may_act(now) || ticks_->state() != core::Ticks::State::ready) return;
    const core::Ticks::Look look = ticks_->look(now);
    if (!look.due) return;
    for (const WallTime slot : look.passed) truth_.passed.insert(slot);
    if (child_) {
      truth_.passed.insert(*look.due);
      return ticks_->skip(*look.due, candidacy_->last_request(), out);
    }
    ticks_->claim(*look.due, name_ + std::to_string(++run_), candidacy_->last_request(), out);
  }

  /// The guard checks the clock last.
  void launch(WallTime slot) {
    const Now now = clock_.now();
    if (now.steady > candidacy_->launch_not_after() || child_) {
      truth_.passed.insert(slot);
      return;
    }
    truth_.start(name_, slot);
    child_ = true;
    end_at_ = SteadyTime::max();
    end_by(now.steady + loop_.between(50ms, 1500ms));
    end_by(lease_ - kill_margin, true);
  }

  void end_by(SteadyTime at, bool = true) {
    if (at >= end_at_) return;
    end_at_ = at;
    loop_.drop(guard_);
    guard_ = loop_.new_owner();
    loop_.at(std::max(loop_.now(), at), guard_, [this] { ended(); });
  }
  void ended() {
    child_ = false;
    --truth_.running;
    if (runs() && !frozen_) leave();
  }

  void arm() {
    loop_.cancel(timer_);
    SteadyTime wake = loop_.now() + 100ms;  // ticks
    if (const auto at = candidacy_->wake()) wake = std::min(wake, *at);
    timer_ = loop_.at(wake, process_, [this] { feed(core::Tick{}); });
  }

  void perform(core::Actions actions) {
    for (core::Action& action : actions) std::visit([this](auto& what) { perform(what); }, action);
  }
  void perform(core::OpenSession& a) {
    backend_->open({a.generation, name_, "boot", "machine", "host", 1, "t", "", 3s});
  }
  void perform(core::CloseSession& a) { backend_->close(a.keep); }
  void perform(core::Renew& a) { backend_->renew(a.request); }
  void perform(core::Campaign& a) { backend_->campaign(a.group); }
  void perform(core::Resign& a) { backend_->resign(a.group); }
  void perform(core::Write& a) { backend_->write(a.request, a.batch); }
  void perform(core::Read& a) { backend_->read(a.request, a.names); }
  void perform(core::List& a) { backend_->list(a.request, a.prefix); }
  void perform(core::Watch& a) { backend_->watch(a.prefix); }
  void perform(core::Observe& a) { backend_->observe(a.request, a.group); }
  template <class Other>
  void perform(Other&) {}

  Truth& truth_;
  SimLoop& loop_;
  SimStore& store_;
  SimClock clock_;
  const std::string name_;
  SimLoop::Owner process_ = 0, guard_ = 0;
  SimLoop::Timer timer_ = 0;
  std::unique_ptr<Candidacy> candidacy_;
  std::unique_ptr<core::Ticks> ticks_;
  std::unique_ptr<SimBackend> backend_;
  std::vector<Candidacy::Event> held_;  // while it is stopped
  bool frozen_ = false, child_ = false;
  SteadyTime lease_{}, end_at_ = SteadyTime::max();
  int run_ = 0;
};

struct Town {
  explicit Town(std::uint64_t seed, bool death_frees)
      : loop(seed),
        health_checks(seed % 3 == 0),
        fitness(~seed),
        store(loop, {3000ms, Capability::fenced, true, death_frees}) {
    for (const char* name : {"a", "b", "c"}) all.push_back(std::make_unique<SimCandidate>(truth, store, name));
    for (const auto& one : all) one->start();
  }

  /// In one seed of three the store's health checks have their ups and downs.
  void find_unfit() {
    if (health_checks && fitness.below(3) == 0)
      all[fitness.below(all.size())]->find_unfit(fitness.below(2) == 0 ? "a check is critical" : "");
  }
  void harm(SimCandidate& one) {
    find_unfit();
    switch (loop.between(0ms, 9ms).count()) {
      case 0: one.link.cut = !one.link.cut; break;
      case 1: one.link.answers_cut = !one.link.answers_cut; break;
      case 2: one.link.lose_answer = 200; break;
      case 3: one.link.lose_renewal = 300; break;
      case 4: one.link.slow_answers = loop.between(0ms, 900ms); break;
      case 5: one.runs() ? one.crash() : one.start(); break;
      case 6:
        if (one.runs()) one.frozen() ? one.thaw() : one.freeze();
        break;
      default: one.heal();
    }
  }
  /// Every second between the first tick that ran and the last was run or named.
  std::string account() const {
    const WallTime first = truth.starts.begin()->first, last = truth.starts.rbegin()->first;
    int lost = 0;
    for (WallTime slot = first; slot <= last; slot += 1s)
      lost += !truth.starts.contains(slot) && !truth.passed.contains(slot);
    return lost == 0 ? "" : std::to_string(lost) + " ticks are lost";
  }

  SimLoop loop;
  const bool health_checks;
  Random fitness;  // its own: what else a seed draws is the same with and without it
  SimStore store;
  Truth truth{loop, 0, {}, {}, {}};
  std::vector<std::unique_ptr<SimCandidate>> all;
};

TEST(Candidates, TakeTurnsAndLoseNoTickWhereAllIsWell) {
  Town town(1, true);
  town.loop.run_for(5min);
  EXPECT_EQ(town.truth.broken, std::vector<std::string>{});
  EXPECT_EQ(town.account(), "");
  EXPECT_GE(town.truth.starts.size(), 140u) << "the others find the child before running, or are skipped by it";
}

TEST(Candidates, RunNoTwoChildrenAndNoTickTwiceWhateverHappens) {
  const char* text = std::getenv("BALLOT_SEEDS");
  const std::uint64_t seeds = text ? std::strtoull(text, nullptr, 10) : 200;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Town town(seed, seed % 2 == 0);
    for (int i = 0; i < 60; ++i) {
      town.loop.run_for(town.loop.between(100ms, 4000ms));
      town.harm(*town.all[static_cast<std::size_t>(town.loop.between(0ms, 2ms).count())]);
    }
    for (const auto& one : town.all) one->heal();
    const std::size_t before = town.truth.starts.size();
    town.loop.run_for(30s);
    ASSERT_EQ(town.truth.broken, std::vector<std::string>{}) << "seed " << seed;
    ASSERT_GT(town.truth.starts.size(), before + 5) << "seed " << seed << ": they go on once all is well";
  }
}

}  // namespace
}  // namespace ballot
