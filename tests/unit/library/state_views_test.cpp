// What a runtime shows, while its loop has other things to do.
#include "library/state_views.hpp"

#include <gtest/gtest.h>

#include <set>

#include "io/clocks.hpp"
#include "library/fleet_questions.hpp"
#include "library/next_answers.hpp"
#include "library/shown/ahead_answers.hpp"
#include "library/shown/values.hpp"
#include "support/temp_folder.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;

constexpr int many = 1000;

std::string name_of(int number) {
  const std::string digits = std::to_string(number);
  return "job-" + std::string(4 - digits.size(), '0') + digits;
}

schedule::DefinitionPtr definition(int number, const std::string& schedule) {
  Job job;
  job.name = name_of(number);
  schedule::PlanSpec spec;
  spec.expressions = job.schedule = {schedule};
  spec.group = job.group;
  spec.job = job.name;
  job.command = {"/bin/true"};
  return std::make_shared<schedule::Definition>(job, std::get<schedule::Plan>(schedule::Plan::make(spec)), "digest");
}

/// Leads a thousand jobs, of which the last is due first.
struct RuntimeOfManyJobs : ::testing::Test {
  void SetUp() override {
    ASSERT_TRUE(node.start(Resume::allowed));
    std::vector<schedule::DefinitionPtr> jobs;
    for (int i = 0; i < many; ++i) jobs.push_back(definition(i, i + 1 == many ? "0 0 1 1 *" : "0 0 29 2 *"));
    node.define(std::move(jobs), {}, {});
  }

  NodeSettings settings() const {
    NodeSettings settings;
    settings.plugin_dir = BALLOT_PLUGIN_DIR;
    settings.backend = "local";
    settings.engine.node = "n1";
    settings.engine.backend.name_space = "views";
    settings.engine.backend.state_dir = folder.path();
    settings.engine.runner = {folder / "runner.sock", BALLOT_RUNNER};
    settings.ledger.path = folder / "history.db";
    return settings;
  }
  /// Runs the loop until it leads, calls `look`, and goes on until that has ended the run.
  void run_once_it_leads(const std::function<void()>& look) {
    const auto again = [this, look] {
      bool leads = false;
      node.core().views().visit_groups("", 1, [&](const core::GroupView& group) { leads = group.state == "leading"; });
      if (!leads) return run_once_it_leads(look);
      look();
    };
    node.loop().post(again);
    if (std::exchange(runs, true)) return;
    ASSERT_TRUE(node.run());
  }
  void end() { node.stop({config::OnStop::Kind::kill, 0ms}); }

  const TempFolder folder;
  Node node{settings(), [](Level, std::string_view, const LogFields&) {}};
  const StateViews views{node};
  const config::JobSet files;  // none: the jobs are a program's
  FleetQuestions fleet{node, "n1"};
  bool runs = false;
};

TEST(NodeStatus, NamesTheFirstJobsOfEachReasonAndCountsTheOthers) {
  NodeStatus status;
  for (int job = 0; job < 1000; ++job) status.degrade("halted", std::to_string(job), ": the register is unreadable");
  status.degrade("clock_skew", "x", " is settled ahead of this clock");
  status.name_rest();
  ASSERT_EQ(status.degraded.size(), 12u);
  EXPECT_EQ(status.degraded[9], "halted: job 9: the register is unreadable");
  EXPECT_EQ(status.degraded[10], "clock_skew: job x is settled ahead of this clock");
  EXPECT_EQ(status.degraded[11], "halted: 990 more jobs; `ballot jobs` shows which");
}

TEST_F(RuntimeOfManyJobs, ShowsAllOfThemByNameWhileTheLoopGoesOn) {
  std::vector<std::string> names;
  std::size_t before_other_work = 0;
  const auto page = [&](std::span<const core::JobView> jobs) {
    for (const core::JobView& job : jobs) {
      names.emplace_back(job.name);
      EXPECT_EQ(job.leader, "n1");
    }
    if (names.size() == jobs.size()) node.loop().post([&] { before_other_work = names.size(); });
    return true;
  };
  run_once_it_leads([&] { views.jobs(page, [this] { end(); }); });
  ASSERT_EQ(names.size(), static_cast<std::size_t>(many));
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_GT(before_other_work, 0U);
  EXPECT_LE(before_other_work, 200U) << "what was asked for during the first page came after most others";
}

TEST_F(RuntimeOfManyJobs, ShowsNoMoreToWhoHasGone) {
  int pages = 0;
  const auto page = [&](std::span<const core::JobView>) { return ++pages < 2; };
  run_once_it_leads([&] { views.jobs(page, [this] { end(); }); });
  EXPECT_EQ(pages, 2);
}

TEST_F(RuntimeOfManyJobs, SkipsWhatIsRemovedMeanwhile) {
  std::vector<std::string> names;
  const auto page = [&](std::span<const core::JobView> jobs) {
    for (const core::JobView& job : jobs) names.emplace_back(job.name);
    if (names.size() == jobs.size()) node.define({}, {name_of(many - 1), names.back()}, {});
    return true;
  };
  run_once_it_leads([&] { views.jobs(page, [this] { end(); }); });
  EXPECT_EQ(names.size(), static_cast<std::size_t>(many) - 1);
  EXPECT_EQ(names.back(), name_of(many - 2));
}

/// All pages, one after the other.
struct Pages {
  void ask(const std::string& after) {
    ++count;
    views.page_of_jobs(
        {after, group, most}, [this](const core::JobView& job) { names.emplace_back(job.name); },
        [this](const core::Views::Next& next) { next&& count < 100 ? ask(*next) : done(); });
  }

  const StateViews& views;
  std::size_t most;
  std::function<void()> done;
  std::string group = {};
  std::vector<std::string> names = {};
  int count = 0;
};

TEST_F(RuntimeOfManyJobs, ShowsThemPageByPageAsLongAsAsked) {
  Pages pages{views, 300, [this] { end(); }};
  run_once_it_leads([&] { pages.ask(""); });
  EXPECT_EQ(pages.count, 4);
  ASSERT_EQ(pages.names.size(), static_cast<std::size_t>(many));
  EXPECT_TRUE(std::is_sorted(pages.names.begin(), pages.names.end()));
}

TEST_F(RuntimeOfManyJobs, ShowsAPageThatEndsWithTheLastJobAsTheLastOne) {
  Pages pages{views, many, [this] { end(); }};
  run_once_it_leads([&] { pages.ask(""); });
  EXPECT_EQ(pages.count, 1);
}

TEST_F(RuntimeOfManyJobs, ShowsNoneOfAGroupThatHasNone) {
  Pages pages{views, 300, [this] { end(); }, "other"};
  run_once_it_leads([&] { pages.ask(""); });
  EXPECT_EQ(pages.names.size(), 0U);
  EXPECT_EQ(pages.count, 1);
}

TEST_F(RuntimeOfManyJobs, ShowsOneWithItsLeaderOrThatThereIsNone) {
  std::string leader, other = "not asked";
  run_once_it_leads([&] {
    views.job(name_of(7), [&](const core::JobView* job) { leader = job ? std::string(job->leader) : "no such job"; });
    views.job("job-7", [&](const core::JobView* job) { other = job ? "there" : "no such job", end(); });
  });
  EXPECT_EQ(leader, "n1");
  EXPECT_EQ(other, "no such job");
}

/// Of a group that another node leads this node has no term.
TEST_F(RuntimeOfManyJobs, ShowsTheEpochOfALeadersTermAsTheStoreHasIt) {
  Leader leader;
  const auto take = [&](const LeadersPtr& leaders) {
    const auto found = leaders->find("default");
    if (found != leaders->end()) leader = found->second;
    end();
  };
  run_once_it_leads([&] { views.leaders(take); });
  EXPECT_EQ(leader.node, "n1");
  EXPECT_EQ(leader.epoch, 1U);
  const std::vector<std::string> drift;
  const core::GroupView group{
      .name = "default", .state = "candidate", .epoch = 0, .paused = false, .halted = "", .drift = drift};
  const io::Message of_other = shown(group, {"n2", 7}), of_nobody = shown(group, Leader());
  EXPECT_EQ(of_other.integer("epoch"), 7);
  EXPECT_EQ(of_other.text("leader"), "n2");
  EXPECT_FALSE(of_other.flag("paused")) << "only its leader knows";
  EXPECT_FALSE(of_nobody.integer("epoch") || of_nobody.text("leader"));
}

TEST_F(RuntimeOfManyJobs, PlansSlotsToComeAsTheScheduleHasThem) {
  std::vector<WallTime> slots;
  const WallTime now = io::read_clocks().wall, until = now + std::chrono::days(366 * 9);
  run_once_it_leads([&] {
    slots = *node.core().views().planned(name_of(0), now, now, until, 2);
    EXPECT_TRUE(node.core().views().planned("no-such-job", now, now, until, 2)->empty());
    end();
  });
  ASSERT_EQ(slots.size(), 2U);
  for (const WallTime slot : slots) {
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(slot));
    EXPECT_EQ(day.month(), std::chrono::February);
    EXPECT_EQ(day.day(), std::chrono::day(29));
  }
  EXPECT_LT(slots[0], slots[1]);
}

TEST_F(RuntimeOfManyJobs, SaysHowTheNodeIs) {
  NodeStatus status;
  const auto look = [&] {
    views.status([&](const NodeStatus& told) {
      status = told;
      end();
    });
  };
  run_once_it_leads(look);
  EXPECT_EQ(status.state(), NodeStatus::State::healthy)
      << (status.degraded.empty() ? "no session or no runner" : status.degraded.front());
  EXPECT_EQ(status.jobs, static_cast<std::size_t>(many));
  ASSERT_EQ(status.led.size(), 1U);
  EXPECT_EQ(status.led[0].group, "default");
  EXPECT_EQ(status.session, NodeStatus::Session::open);
  ASSERT_EQ(status.next.size(), 5U);
  EXPECT_EQ(status.next_left_out, static_cast<std::size_t>(many) - 5);
  EXPECT_TRUE(std::is_sorted(status.next.begin(), status.next.end(),
                             [](const auto& a, const auto& b) { return a.slot < b.slot; }));
}

/// What is answered, line by line.
struct Lines : io::AnswerSink {
  void send(const io::Message& message) override { lines.push_back(message); }
  void finish(std::string line) override {
    if (auto last = io::decode(line)) lines.push_back(*std::move(last));
    over = true;
    if (on_end) on_end();
  }
  bool is_over() const override { return over; }

  std::vector<io::Message> lines;
  bool over = false;
  std::function<void()> on_end;
};

TEST_F(RuntimeOfManyJobs, SaysWhatIsDueNextOverAllOfThemAndWhoLeadsIt) {
  const NextAnswers next({node, views, files, fleet}, "n1");
  const auto lines = std::make_shared<Lines>();
  lines->on_end = [this] { end(); };
  io::Message asked;
  asked.set("do", "next").set("for_ms", std::int64_t{Millis(366 * 24h).count()}).set("group", "default");
  run_once_it_leads([&] { next.answer(asked, io::Reply(lines)); });
  ASSERT_FALSE(lines->lines.empty());
  std::vector<std::string> of_last;
  for (const io::Message& line : lines->lines)
    for (const io::Message& slot : line.objects("slots"))
      if (slot.text("job") == name_of(many - 1))
        of_last.push_back(slot.text("slot").value_or("") + " " + slot.text("node").value_or("nobody"));
  ASSERT_FALSE(of_last.empty());
  EXPECT_NE(of_last[0].find("-01-01T00:00:00Z n1"), std::string::npos) << of_last[0];
}

TEST_F(RuntimeOfManyJobs, SaysWhatIsDueFromALaterTimeOn) {
  const NextAnswers next({node, views, files, fleet}, "n1");
  const auto year = std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(io::read_clocks().wall)).year();
  const WallTime slot = std::chrono::sys_days((year + std::chrono::years(1)) / 1 / 1);
  std::vector<std::size_t> slots;
  const auto ask = [&](WallTime from, std::function<void()> then) {
    const auto lines = std::make_shared<Lines>();
    lines->on_end = [&slots, then, it = lines.get()] {
      slots.push_back(it->lines.back().objects("slots").size());
      then();
    };
    const std::int64_t ms = from.time_since_epoch().count();
    next.answer(io::Message().set("from", ms).set("for_ms", std::int64_t{1000}), io::Reply(lines));
  };
  run_once_it_leads(
      [&] { ask(slot - Millis(1000), [&] { ask(slot, [&] { ask(slot + Millis(1), [this] { end(); }); }); }); });
  EXPECT_EQ(slots, (std::vector<std::size_t>{0, 1, 0}));
}

/// What that node answers to `load`, from the control socket or an API.
struct Loads {
  explicit Loads(RuntimeOfManyJobs& runtime, const std::string& name = "n1")
      : node(runtime.node), ahead(runtime.node, runtime.views, name) {}

  std::shared_ptr<Lines> ask(std::function<void()> on_end) {
    const auto lines = std::make_shared<Lines>();
    lines->on_end = std::move(on_end);
    EXPECT_TRUE(ahead.answer({io::Message().set("do", "load"), {}}, io::Reply(lines)));
    return lines;
  }
  void define(int number, const std::string& schedule) { node.define({definition(number, schedule)}, {}, {}); }

  Node& node;
  const AheadAnswers ahead;
};

std::int64_t slots_in(const Lines& lines) {
  std::int64_t slots = 0;
  for (const io::Message& hour : lines.lines.back().objects("hours")) slots += *hour.integer("slots");
  return slots;
}

TEST_F(RuntimeOfManyJobs, TheLoadIsCountedOnceForAllWhoAskMeanwhileAndForWhoAsksWithinAMinute) {
  Loads loads(*this);
  std::shared_ptr<Lines> first, meanwhile, after;
  run_once_it_leads([&] {
    loads.define(0, "0 12 * * *");
    first = loads.ask([&] {
      loads.define(1, "0 * * * *");
      after = loads.ask([this] { end(); });
    });
    loads.define(2, "0 * * * *");
    node.loop().post([&] { meanwhile = loads.ask({}); });
  });
  ASSERT_TRUE(first->over && meanwhile && meanwhile->over && after->over);
  EXPECT_EQ(slots_in(*meanwhile), slots_in(*first));
  EXPECT_EQ(slots_in(*after), slots_in(*first)) << "counted again";
}

TEST_F(RuntimeOfManyJobs, TheLoadOfJobsWithTheSameSlotsIsCountedOnceForAllOfThem) {
  Loads loads(*this);
  std::shared_ptr<Lines> lines;
  run_once_it_leads([&] {
    for (int job = 0; job < many; ++job) loads.define(job, "*/20 * * * * *");
    lines = loads.ask([this] { end(); });
  });
  const io::Message& answer = lines->lines.back();
  EXPECT_EQ(answer.integer("left_out"), 0) << "of 30 million slots";
  EXPECT_GE(slots_in(*lines), many * 7 * 24 * 180);
  ASSERT_EQ(answer.objects("clashes").size(), 50u);
  EXPECT_EQ(answer.objects("clashes").back().integer("jobs"), many);
}

/// To a node of another name what this one leads is another node's.
TEST_F(RuntimeOfManyJobs, TheLoadHasNoSlotBeforeThePauseOfItsJobEndsWhicheverNodeIsAsked) {
  Loads of_leader(*this), of_follower(*this, "n2");
  std::shared_ptr<Lines> own, others;
  const auto pause = [this](int job, std::optional<WallTime> ends, std::function<void(const core::Reply&)> then) {
    core::Request pause;
    pause.kind = core::Request::Kind::pause;
    pause.job = name_of(job);
    pause.by = "n1 uid 0";
    pause.terms.ends = ends;
    node.ask(pause, "", 10s, std::move(then), nullptr);
  };
  const auto ask = [&](const core::Reply&) {
    own = of_leader.ask([&] { others = of_follower.ask([this] { end(); }); });
  };
  run_once_it_leads([&] {
    of_leader.define(0, "* * * * *");
    of_leader.define(1, "* * * * *");
    pause(0, io::read_clocks().wall + Millis(6 * 24h), [&](const core::Reply&) { pause(1, std::nullopt, ask); });
  });
  for (const auto& lines : {own, others}) {
    EXPECT_NEAR(static_cast<double>(slots_in(*lines)), 24 * 60, 61) << "of the one whose pause ends, the seventh day's";
    EXPECT_TRUE(lines->lines.back().objects("clashes").empty());
  }
}

TEST_F(RuntimeOfManyJobs, OfWhatAnotherNodeLeadsTheStoreSaysWhichJobsArePaused) {
  const NextAnswers of_leader({node, views, files, fleet}, "n1"), of_follower({node, views, files, fleet}, "n2");
  const auto has_job = [](const Lines& lines) {
    for (const io::Message& line : lines.lines)
      for (const io::Message& slot : line.objects("slots"))
        if (slot.text("job") == name_of(many - 1)) return true;
    return false;
  };
  const auto before = std::make_shared<Lines>(), own = std::make_shared<Lines>(), others = std::make_shared<Lines>();
  const io::Message asked = io::Message().set("for_ms", std::int64_t{Millis(366 * 24h).count()});
  const io::Message named = io::Message(asked).set("job", name_of(many - 1));
  others->on_end = [this] { end(); };
  own->on_end = [&] { of_follower.answer(named, io::Reply(others)); };
  before->on_end = [&] {
    core::Request pause;
    pause.kind = core::Request::Kind::pause;
    pause.job = name_of(many - 1);
    pause.by = "n1 uid 0";
    node.ask(
        pause, "", 10s, [&](const core::Reply&) { of_leader.answer(asked, io::Reply(own)); }, nullptr);
  };
  run_once_it_leads([&] { of_follower.answer(asked, io::Reply(before)); });
  EXPECT_TRUE(has_job(*before));
  EXPECT_FALSE(has_job(*own));
  EXPECT_FALSE(has_job(*others));
  ASSERT_FALSE(others->lines.empty());
  const auto held = others->lines.back().objects("held");
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(held[0].text("by"), "n1 uid 0");
  EXPECT_EQ(others->lines.back().flag("states_are_known"), true);
}

TEST_F(RuntimeOfManyJobs, RefusesToLookAheadForNoTimeOrForYears) {
  const NextAnswers next({node, views, files, fleet}, "n1");
  const std::int64_t at_last = Millis(io::read_clocks().wall.time_since_epoch() + 366 * 24h).count();
  for (const auto& [from, time] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {0, 0}, {0, Millis(367 * 24h).count()}, {at_last, Millis(1h).count()}}) {
    const auto lines = std::make_shared<Lines>();
    io::Message asked;
    asked.set("from", from).set("for_ms", time);
    next.answer(asked, io::Reply(lines));
    ASSERT_EQ(lines->lines.size(), 1U);
    EXPECT_EQ(io::to_error(lines->lines[0])->code, Errc::invalid);
  }
}

TEST_F(RuntimeOfManyJobs, ShowsTheNodesOfItsFleet) {
  const auto lines = std::make_shared<Lines>();
  lines->on_end = [this] { end(); };
  run_once_it_leads(
      [&] { views.status([&](const NodeStatus& status) { fleet.answer_nodes(status, io::Reply(lines)); }); });
  ASSERT_EQ(lines->lines.size(), 1U);
  const auto nodes = lines->lines[0].objects("nodes");
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].text("node"), "n1");
  EXPECT_EQ(nodes[0].texts("leads"), std::vector<std::string>{"default"});
  EXPECT_EQ(lines->lines[0].text("state"), "healthy");
}

TEST(StatusLine, SaysStartingWhileTheFirstSessionIsBeingOpened) {
  NodeStatus status;
  status.degraded = {"backend: the session is being opened"};
  EXPECT_EQ(summary_of(status),
            "not scheduling: backend: the session is being opened; leads 0 groups, 0 jobs, 0 runs open");
  status.is_starting = true;
  EXPECT_EQ(summary_of(status), "starting: backend: the session is being opened; leads 0 groups, 0 jobs, 0 runs open");
  EXPECT_EQ(status.state(), NodeStatus::State::not_scheduling) << "as a program sees it";
}

}  // namespace
}  // namespace ballot::library
