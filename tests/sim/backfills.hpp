// Backfills: two nodes, a job that is due each minute, and the last ten of its slots.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/wall_text.hpp"
#include "sim/requests.hpp"
#include "support/sim/core_views.hpp"

namespace ballot {

struct Backfills : Requests {
  WallTime minute = std::chrono::floor<std::chrono::minutes>(world.wall());  // the first slots are after it

  void SetUp() override {
    Requests::SetUp();
    world.run_for(15min);
    minute = std::chrono::floor<std::chrono::minutes>(world.wall()) - 10min;
  }
  /// Ten minutes, of which the last is the newest.
  WallTime slot(int number) const { return minute + std::chrono::minutes(number); }
  static core::Request stop(const std::string& job = "one") { return of(Kind::backfill_stop, job, {}); }
  static core::Request of(core::Request::Kind kind, const std::string& job, core::SlotRanges slots) {
    core::Request request;
    request.kind = kind;
    request.job = job;
    request.slots = std::move(slots);
    request.by = "b uid 7";
    return request;
  }
  core::Request of_slots(int first, int last) const { return of(Kind::backfill, "one", {{slot(first), slot(last)}}); }
  core::Reply ask(SimNode& node, const core::Request& request) {
    node.replies.clear();
    node.ask(request);
    return wait_for_reply(node) ? node.replies[0] : core::Reply{};
  }
  void begin(const core::Request& request) {
    const core::Reply reply = ask(b, request);
    ASSERT_TRUE(reply.ok) << reply.text;
  }
  void take(Millis span) { a.takes["one"] = b.takes["one"] = span; }
  const core::Backfill* going_on(const std::string& job = "one") const {
    const core::JobRegister* const known = world.oracle.job_register(job);
    return known ? known->backfill() : nullptr;
  }
  bool wait_for_its_end(Millis limit = 15min) {
    const bool is_over = world.run_while_not([&] { return !going_on(); }, limit);
    world.run_for(1s);
    return is_over;
  }
  /// The files of both nodes have it so from now on.
  void edit(Job one) {
    one.description = *one.description + std::to_string(++edits);
    for (SimNode* node : {&a, &b}) node->jobs[0] = define(one), node->load();
    world.run_for(1min);
  }
  int edits = 0;
  /// The slots that its runs were of, by the minutes after `minute`, in the order in which they began; a retry too.
  std::string begun(const std::string& job = "one") const {
    std::string text;
    for (const Start& start : world.starts)
      if (start.job == job && start.trigger == Trigger::backfill)
        text += (text.empty() ? "" : " ") + std::to_string((start.slot - minute) / 1min) +
                (start.attempt > 1 ? "." + std::to_string(start.attempt) : "");
    return text;
  }
  std::string fate(int number, bool of_backfill) const {
    std::string text;
    for (const Row& row : world.merged())
      if (row.job == "one" && row.slot == slot(number) && (row.trigger == Trigger::backfill) == of_backfill)
        text = std::string(to_string(row.status)) +
               (row.reason == Reason::none ? "" : ": " + std::string(to_string(row.reason)));
    return text.empty() ? "none" : text;
  }
  bool was_said(const std::string& text) const {
    return std::any_of(world.nodes.begin(), world.nodes.end(), [&](const auto& node) {
      return std::any_of(node->notices.begin(), node->notices.end(),
                         [&](const core::Notice& one) { return one.text.find(text) != std::string::npos; });
    });
  }
  void expect_all_is_well() {
    world.run_for(2min);
    for (const auto& defined : {a.jobs[0], a.jobs[1]})
      EXPECT_EQ(world.unaccounted(*defined, from, world.wall() - 1min), "") << defined->job.name;
    world.judge_ends();
    EXPECT_EQ(world.unaccounted(), "");
    EXPECT_EQ(world.broken_promises(), "");
  }
};

}  // namespace ballot
