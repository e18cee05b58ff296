#include "sim/chaos.hpp"
#include "support/sim/core_views.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/duration.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "core/record/standing_pause.hpp"
#include "core/store/known_store.hpp"

namespace ballot {

using namespace std::chrono_literals;

namespace {

constexpr const char* fault_names[] = {
    "crash",         "reboot",      "stop",        "freeze",        "suspend",      "runner_crash", "clock_step",
    "cut",           "answers_cut", "partition",   "lose_requests", "lose_answers", "duplicates",   "never_answered",
    "lose_renewals", "slow_link",   "fading_link", "store_full",    "slow_ledger",  "slow_runner",  "early_expiry",
    "late_expiry",   "depose",      "expire",      "spoil",         "store_down"};
constexpr Millis target{5500};  // T + 0.5 s

SimStore::Settings settings_of(std::uint64_t seed, Capability capability) {
  SimStore::Settings settings;
  settings.capability = capability;
  settings.death_frees = seed % 3 == 0;
  settings.resumes = seed % 5 != 0;
  settings.has_clock = seed % 3 != 0 && seed % 2 == 0;
  return settings;
}

}  // namespace

Chaos::Chaos(std::uint64_t seed, Capability of_store)
    : one_host_(seed % 3 == 0),
      store_lies_(seed % 4 == 1),
      health_checks_(seed % 5 == 3),
      asks_for_backfills_(seed % 3 == 2),
      world_(seed, settings_of(seed, of_store)),
      backfills_(seed ^ 0xbacf111),
      chains_(seed ^ 0xc4a1),
      fitness_(~seed),
      functions_(seed ^ 0xf00d),
      links_(seed ^ 0x11f7),
      pauses_(seed ^ 0x9a05e5),
      places_(seed ^ 0x91ace5),
      triggers_(seed ^ 0x741663),
      zones_(seed ^ 0x20e5),
      days_(seed ^ 0xda75),
      expected_(seed ^ 0xe59ec7),
      variables_(seed ^ 0x7a41ab1e),
      tails_(seed ^ 0x7a115),
      parents_(seed ^ 0x9a4e275),
      lines_(seed ^ 0x11e5) {
  world_.oracle.overlap_within_promise = store_lies_ && !one_host_;
  if (one_in(3)) slowest_ = some(5ms, 250ms);
  world_.oracle.counts_slots = true;
  if (zones_.below(2) == 0) go_to_a_change_of_clocks();
  make_jobs();
  if (days_.below(2) == 0) add_job_with_calendars();
  if (tails_.below(2) == 0) add_tail();
  limit_starts();
  if (expected_.below(2) == 0)
    for (Job& job : files_) expect(job);
  make_nodes();
}

/// Life begins some minutes before the clocks of a zone are put forward or back.
void Chaos::go_to_a_change_of_clocks() {
  using namespace std::chrono;
  struct Change {
    const char* zone;
    sys_seconds at;
  };
  static constexpr Change changes[] = {
      {"Europe/Paris", sys_days(2026y / 3 / 29) + 1h},
      {"Europe/Paris", sys_days(2026y / 10 / 25) + 1h},
      {"America/New_York", sys_days(2026y / 3 / 8) + 7h},
      {"America/New_York", sys_days(2026y / 11 / 1) + 6h},
      {"Australia/Lord_Howe", sys_days(2026y / 4 / 4) + 15h},
      {"Australia/Lord_Howe", sys_days(2026y / 10 / 3) + 15h + 30min},
  };
  const Change& change = changes[zones_.below(std::size(changes))];
  zone_ = change.zone;
  world_.run_for(WallTime(change.at) - world_.wall() - Millis(static_cast<std::int64_t>(zones_.below(20 * 60'000))));
}

/// Small values are as likely as large ones.
Millis Chaos::some(Millis low, Millis high) {
  const double share = static_cast<double>(below(1'000'000)) / 1e6;
  const auto factor = static_cast<double>(high.count()) / static_cast<double>(low.count());
  return Millis(static_cast<std::int64_t>(static_cast<double>(low.count()) * std::pow(factor, share)));
}

void Chaos::make_nodes() {
  const std::size_t count = 1 + below(5);
  const bool spread = one_in(2);
  const auto election = [this](const char* name) -> Group& {
    elections_.emplace_back().name = name;
    return elections_.back();
  };
  if (one_in(3)) election("two").preferred = {"b", "a"};
  if (one_in(4)) election("three").candidates = {"a", "?c", "d*"};
  if (one_in(4)) {
    if (elections_.empty() || elections_.back().name != "three") election("three");
    elections_.back().max_running = world_.oracle.group_limits["three"] = 3 + static_cast<int>(below(4));
  }
  if (places_.below(4) == 0)
    election("one").max_running = world_.oracle.group_limits["one"] = 1 + static_cast<int>(places_.below(2));
  const int most = one_in(4) ? 4 + static_cast<int>(below(8)) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    SimNode& node = one_host_ && i > 0 ? world_.add(name, *world_.machines[0]) : world_.add(name);
    node.link.delay_min = fastest_;
    node.link.delay_max = slowest_;
    equip(node);
    node.spread = spread;
    node.max_running = most;
    habits(node);
    keep_expected(node);
    node.start();
  }
  story_ = std::to_string(count) + (one_host_ ? " nodes on one host" : " nodes") + (zone_.empty() ? "" : ", " + zone_) +
           (store_lies_ ? ", the store lies" : "") + (health_checks_ ? ", health checks" : "") +
           (asks_for_backfills_ ? ", backfills" : "");
}

void Chaos::disturb() {
  find_unfit();
  break_links();
  if (file_of("tail") && tails_.below(12) == 0) spoil("finishes");
  for (std::size_t i = 1 + below(3); i > 0; --i) {
    const auto fault = static_cast<Fault>(below(fault_count));
    const bool lie = fault == Fault::early_expiry || fault == Fault::depose || fault == Fault::expire;
    if (!lie || store_lies_) disturb(any_node(), fault);
  }
}

/// In one seed of five the store's health checks have their ups and downs.
void Chaos::find_unfit() {
  if (!health_checks_ || fitness_.below(2) == 0) return;
  SimNode& node = *world_.nodes[fitness_.below(world_.nodes.size())];
  const std::uint64_t which = fitness_.below(4);
  world_.oracle.note(node.name, "fault: found unfit");
  node.find_unfit(which < 3 ? groups[which] : "", "a check is critical");
}

/// The runner lives, and what it has goes on.
void Chaos::break_links() {
  for (const auto& node : world_.nodes) {
    if (links_.below(3) != 0) continue;
    const Millis noticed(1 + static_cast<std::int64_t>(links_.below(500)));
    const Millis down(10 + static_cast<std::int64_t>(links_.below(links_.below(2) == 0 ? 100 : 3000)));
    world_.oracle.note(node->name, "fault: the link to its runner breaks");
    node->runner.break_link(noticed, down);
  }
}

void Chaos::disturb(SimNode& node, Fault fault) {
  SimLink& link = node.link;
  world_.oracle.note(node.name, std::string("fault: ") + fault_names[static_cast<std::size_t>(fault)]);
  switch (fault) {
    case Fault::crash: {
      const bool killed = node.running() && !node.stopping();  // nobody resigns for one that was asked to stop
      node.crash();
      if (killed && one_in(2)) node.resign_after(some(1s, 10s));
      return;
    }
    case Fault::reboot: return node.reboot();
    case Fault::stop:
      if (node.running()) node.stop(one_in(2) ? Millis(0) : some(1s, 30s), one_in(3));
      return;
    case Fault::freeze:
      if (node.running()) node.freeze();
      return;
    case Fault::suspend: return world_.suspend(node.machine);
    case Fault::runner_crash: return node.runner.crash();
    case Fault::clock_step: {
      const Millis by = some(1s, one_in(4) ? Millis(2h) : Millis(5min));
      return node.step_clock(one_in(2) ? by : -by);
    }
    case Fault::cut: link.cut = true; return;
    case Fault::answers_cut: link.answers_cut = true; return;
    case Fault::partition:
      for (const auto& other : world_.nodes) other->link.cut = one_in(2);
      return;
    case Fault::lose_requests:
      link.lose_request = 300;
      link.late_request = 100;
      return;
    case Fault::lose_answers: link.lose_answer = 300; return;
    case Fault::duplicates:
      link.duplicate = 300;
      link.late_max = some(100ms, 10s);
      return;
    case Fault::never_answered:
      link.never_answer = 500;
      link.lose_answer = 100;
      return;
    case Fault::lose_renewals: link.lose_renewal = 500; return;
    case Fault::slow_link:
      link.delay_max = some(500ms, 3s);
      link.request_timeout = some(800ms, 6s);
      return;
    case Fault::fading_link: return fade(node);
    case Fault::store_full: link.refuse_write = 700; return;
    case Fault::slow_ledger: node.ledger.slowest = some(100ms, 20s); return;
    case Fault::slow_runner: node.runner.habits.slowest_start = some(10ms, 5s); return;
    case Fault::early_expiry: link.expiry_shift = -some(500ms, 4s); return;
    case Fault::late_expiry: link.expiry_shift = some(500ms, 10s); return;
    case Fault::depose: return world_.store.depose(any_group(), Cause::superseded);
    case Fault::expire: return world_.store.expire(node.name);
    case Fault::spoil: {
      const std::string job = any_job();
      const bool spared = job == "again" || job == "hand" || job == "reboots" || job == "finishes";
      return spared ? void() : spoil(job);
    }
    case Fault::store_down: return world_.store.stop();
  }
}

/// Answers take long, and then no renewal arrives any more: a lease counted from the answer is seconds too long.
void Chaos::fade(SimNode& node) {
  const Millis slow = some(500ms, 2s);
  node.link.slow_answers = slow;
  node.link.request_timeout = 6s;
  world_.loop.after(some(4s, 12s), 0, [&link = node.link, slow] {
    if (link.slow_answers == slow) link.lose_renewal = 1000;
  });
}

/// Half the time one that leads.
SimNode& Chaos::any_node() {
  const auto leader = world_.store.leader(groups[below(3)]);
  for (const auto& node : world_.nodes)
    if (leader && node->name == leader->node && one_in(2)) return *node;
  return *world_.nodes[below(world_.nodes.size())];
}

void Chaos::heal(SimNode& node) {
  world_.resume(node.machine);
  node.thaw();
  const Millis offset = node.clock.wall_offset();
  if (offset != Millis(0)) node.step_clock(-offset);
  const auto unfit = std::exchange(node.link, SimLink{}).unfit;
  for (const auto& [group, why] : unfit) node.find_unfit(group, "");
  node.link.delay_min = fastest_;
  node.link.delay_max = slowest_;
  node.ledger.slowest = 5ms;
  node.runner.habits.slowest_start = 2ms;
  if (world_.store.down()) world_.store.start();
  if (node.stopping()) {
    world_.run_while_not([&] { return node.stopped() || !world_.oracle.finding().empty(); }, 5min);
    node.crash();
  }
  if (!node.running()) node.start();
}

void Chaos::heal_all() {
  for (const auto& node : world_.nodes) heal(*node);
  for (Job& job : files_) job.enabled = true;
  for (const auto& node : world_.nodes) {
    equip(*node);
    node->load();
  }
}

std::string Chaos::run() {
  world_.run_for(2s);
  for (std::size_t rounds = 6 + below(8); rounds > 0 && world_.oracle.finding().empty(); --rounds) {
    disturb();
    world_.run_for(some(50ms, 60s));
    if (one_in(2)) people();
    if (one_in(2)) world_.run_for(some(50ms, 20s));
    for (const auto& node : world_.nodes)
      if (one_in(2)) heal(*node);
    world_.run_for(some(50ms, 30s));
  }
  if (!world_.oracle.finding().empty()) return world_.oracle.finding();
  heal_all();
  std::string what;
  if (what = leaders(); !what.empty()) return what;
  if (what = settle(); !what.empty()) return what;
  if (what = lives_on(); !what.empty()) return what;
  if (what = world_.unaccounted(); !what.empty()) return what;
  world_.judge_ends();
  return world_.broken_promises();
}

/// Every group has a leader within twice the target; edits may have taken all jobs out of one.
std::string Chaos::leaders() {
  const std::set<std::string> named = groups_in_force();
  const auto led = [&](const std::string& group) {
    return std::any_of(world_.nodes.begin(), world_.nodes.end(), [&](const auto& node) { return node->leads(group); });
  };
  const auto all = [&] { return std::all_of(named.begin(), named.end(), led); };
  if (world_.run_while_not(all, 2 * target + 10 * slowest_)) return "";
  for (const std::string& group : named)
    if (!led(group)) world_.oracle.find("group " + group + " has no leader in time after healing");
  return world_.oracle.finding();
}

/// What was paused with an end is due again without anybody's doing.
void Chaos::await_ends() {
  const auto ends = [&] {
    std::map<std::string, WallTime> of_what;
    for (const Job& job : jobs())
      if (const auto* known = world_.oracle.job_register(job.name); known && !spoiled_.contains(job.name))
        if (const auto at = known->pause_ends()) of_what.emplace("job " + job.name, *at);
    for (const std::string& group : groups_in_force()) {
      const auto stored = world_.store.contents().registers.find(core::group_register(group));
      if (stored == world_.store.contents().registers.end()) continue;
      const auto read = core::parse_group_register(stored->second.value);
      if (read && read->paused && read->pause_terms.ends) of_what.emplace("group " + group, *read->pause_terms.ends);
    }
    return of_what;
  };
  WallTime latest = world_.wall();
  for (const auto& [what, at] : ends()) latest = std::max(latest, at);
  world_.run_for(std::min(latest - world_.wall(), Millis(3h)) + 15s);
  for (const auto& [what, at] : ends())
    if (at < world_.wall() - 10s)
      world_.oracle.find("the pause of " + what + " has an end, " + format_millis(at) + ", and goes on after it");
}

/// What was asked is answered, what was paused is resumed, and no cursor is in the future.
std::string Chaos::settle() {
  world_.run_for(31s);
  await_ends();
  const auto resume = [&](const std::string& job, const std::string& group) {
    using Kind = core::Request::Kind;
    for (int i = 0; i < 3; ++i) {
      if (ask_for(Kind::resume, job, group)) return;  // not yet where its leader is evicted, and waits for runs to end
      if (spoiled_.contains(job)) ask_for(Kind::repair, job, "");
    }
    const auto& replies = world_.nodes[0]->replies;
    world_.oracle.find("cannot resume " + job + group +
                       " after healing: " + (replies.empty() ? "no answer" : replies[0].text));
  };
  for (const std::string& group : groups_in_force()) resume("", group);
  for (const Job& job : files_) resume(job.name, "");
  for (const Job& job : jobs())
    if (job.run_on == RunOn::each) resume(job.name, "");
  repair_spoiled();
  give_time();
  hold_up();
  WallTime latest = world_.wall();
  for (const Job& job : jobs())
    if (const auto* known = world_.oracle.job_register(job.name)) latest = std::max(latest, known->cursor);
  world_.run_for(latest - world_.wall() + 4min);
  if (asks_for_backfills_) end_backfills();
  return world_.broken_promises();
}

/// What is asked of the first node, and done.
bool Chaos::ask_for(core::Request::Kind kind, const std::string& job, const std::string& group) {
  SimNode& node = *world_.nodes[0];
  core::Request request;
  request.kind = kind;
  request.job = job;
  request.group = group;
  node.replies.clear();
  node.ask(request);
  world_.run_while_not([&] { return !node.replies.empty(); }, 31s);
  return !node.replies.empty() && node.replies[0].ok;
}

bool Chaos::is_limited() const {
  return world_.nodes[0]->max_running > 0 ||
         std::any_of(elections_.begin(), elections_.end(), [](const Group& group) { return group.max_running > 0; });
}

/// A node may have only so many writes under way.
bool Chaos::is_throttled() const {
  return std::any_of(world_.nodes.begin(), world_.nodes.end(),
                     [](const auto& node) { return node->most_writes < 5000; });
}

/// The next minutes are as if nothing had been: nothing is missed but what waits too long; nothing is left over.
/// Of a start in quiet time: a write of its register that is under way, its claim, and the runner. Where a node may
/// have only so many writes under way, those of the other jobs that are due at the same instant come first, too.
Millis Chaos::lateness() const {
  const bool throttled = is_throttled();
  Millis gathers{0};
  for (const auto& node : world_.nodes) gathers = std::max(gathers, node->gathers);
  return 150ms + (throttled ? 40 : 6) * slowest_ + (throttled ? 10 : 0) * gathers;
}

std::string Chaos::lives_on() {
  const WallTime from = world_.wall();
  end_a_run(*world_.nodes[0], core::Request::Kind::kill);
  watch_lags(3min);
  world_.judge.judge_quiet(jobs(), {from + 5s, world_.wall() - 10s, lateness(), is_limited()});
  world_.nodes[0]->trigger("hand");  // what is over goes when the next request comes
  world_.run_for(is_limited() ? 35s : 5s);
  for (const auto& node : world_.nodes) {
    for (const Row& row : node->rows())
      if (row.slot > from && row.status == Status::missed && row.reason != Reason::start_deadline &&
          !(comes_after(row.job) && row.reason != Reason::misfire) &&
          !(row.reason == Reason::no_leader && catches_up_nothing(row.job)) &&            // a hand-over
          !((is_limited() || row.job == "allows") && row.reason == Reason::unclaimed) &&  // it waited for a place
          !((is_limited() || (is_throttled() && comes_after(row.job))) &&
            row.reason == Reason::misfire))  // so did it, or for its write, till later ones were due
        world_.oracle.find("missed after healing: " + line_of(row));
    for (const runner::Ended& ended : node->runner.unacknowledged()) {
      if (const Start* start = world_.oracle.start_of(ended.id); start && world_.judge.was_spoiled(start->job))
        continue;
      if (ended.ended_at < world_.wall() - 20s)
        world_.oracle.find("the runner of " + node->name + " still keeps the end of run " + ended.id.run.text());
    }
    if (node->unanswered() > 0) world_.oracle.find(node->name + " has left somebody without an answer");
    for (const auto& view : jobs_of(*node))
      if (view.state != "active" && !view.leader.empty())
        world_.oracle.find("job " + view.name + " is " + view.state + " on its leader after healing: " + view.trouble +
                           "\n" + register_of(view.name));
  }
  for (const Job& job : jobs()) {
    const core::JobRegister* known = world_.oracle.job_register(job.name);
    if (!known) {
      world_.oracle.find("job " + job.name + " has no register");
    } else if (!job.schedule.empty() && job.name != "reboots" && job.name != "local" && job.name != "chosen" &&
               known->cursor < world_.wall() - patience(job)) {
      world_.oracle.find("the cursor of job " + job.name + " does not move from " + format_slot(known->cursor));
    }
  }
  for (const auto& [name, record] : world_.store.contents().records) {
    if (name == core::identity_record || core::resumed_job({name, "", 0})) continue;  // these stay
    const auto node = core::parse_node_record(record.value);
    const bool told = name.starts_with(core::node_prefix) && node && world_.store.is_open(std::stoull(node->session));
    if (!told) world_.oracle.find("record " + name + " is left in the store: " + record.value);
  }
  return world_.broken_promises();
}

}  // namespace ballot
