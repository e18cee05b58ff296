// DeskCase: a RequestDesk, requests for it, and what it wants done as short texts, one an errand, in which the requests
// are named by letters in their order:
//
//   const Request a = make(Kind::trigger);
//   EXPECT_EQ(texts(accept(a)), Texts{"create q/A"});
#pragma once

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "core/record/outcome.hpp"
#include "core/record/register.hpp"
#include "core/request/request_desk.hpp"

namespace ballot::core {

struct DeskCase : ::testing::Test {
  using Kind = Request::Kind;
  using Texts = std::vector<std::string>;
  using Errands = RequestDesk::Errands;
  using RecordOp = StoreClient::RecordOp;
  static constexpr Asker asker = 7;
  static constexpr Millis patience{30'000};

  RequestDesk desk;

  static Now at(Millis t) { return {WallTime(std::chrono::hours(1000) + t), SteadyTime(t)}; }
  static WallTime wall(Millis t) { return at(t).wall; }
  static SteadyTime steady(Millis t) { return at(t).steady; }

  RunId new_id() { return ids_.emplace_back(random_.run_id(wall(Millis(ids_.size())))); }
  Request make(Kind kind, bool wait = false) {
    Request request;
    request.kind = kind;
    request.id = new_id();
    request.job = "a";
    request.wait = wait;
    request.until = wall(patience);
    return request;
  }
  /// Of a run that is known by its last digits.
  Request make_kill() {
    Request request = make(Kind::kill);
    request.job = "";
    return request;
  }
  Errands accept(const Request& request, Millis t = Millis(0), bool open = true) {
    return desk.accept(at(t), {asker, request, suffix, patience, gone}, open);
  }
  /// It was asked here, and the store has it.
  Request stored(Request request) {
    accept(request);
    desk.on_stored(request.id);
    return request;
  }
  std::string suffix;
  std::set<std::string> gone;

  static Register record_of(const Request& request) { return {request_record(request.id), to_text(request), 1}; }
  static Register answer_of(const Request& request, Answer answer, Millis until) {
    answer.until = wall(until);
    return {answer_record(request.id), to_text(answer), 1};
  }
  static Row row_of(const Request& request, Millis ended = Millis(0)) {
    Row row;
    row.run = request.id;
    row.job = request.job;
    row.group = "g";
    row.attempt = 1;
    row.status = Status::succeeded;
    row.node = "n2";
    row.ended_at = wall(ended);
    return row;
  }
  static Register end_of(const Request& request, Millis ended) {
    return {end_record(request.id), outcome_text(row_of(request, ended)), 1};
  }
  static Register job_with(const std::string& job, const std::vector<RunId>& runs, std::vector<RunId> triggered = {},
                           OnLeadershipLost on_leadership_lost = OnLeadershipLost::terminate) {
    JobRegister r;
    r.group = "g";
    r.definition = "d";
    r.timing = {"UTC", {"0 0 1 1 *"}, {}, {}};
    r.fence = r.epoch = 1;
    r.triggered = std::move(triggered);
    for (const RunId& id : runs) {
      OpenRun run;
      run.id = id;
      run.fence = run.epoch = 1;
      run.on_leadership_lost = on_leadership_lost;
      run.node = "n2";
      r.runs.push_back(run);
    }
    return {job_register(job), to_text(r), 1};
  }

  /// Without what is recorded of the requests.
  Texts texts(const Errands& errands) const {
    Texts texts;
    for (const RequestDesk::Errand& errand : errands)
      if (!std::holds_alternative<RequestDesk::Conclude>(errand))
        texts.push_back(named(std::visit([](const auto& one) { return text(one); }, errand)));
    return texts;
  }
  /// What is recorded: "A refused: why", with "and A" where the request is recorded with it.
  Texts conclusions(const Errands& errands) const {
    Texts texts;
    for (const RequestDesk::Errand& errand : errands)
      if (std::holds_alternative<RequestDesk::Conclude>(errand))
        texts.push_back(named(std::visit([](const auto& one) { return text(one); }, errand)));
    return texts;
  }

 private:
  static std::string text(const RecordOp& one) {
    std::string text = one.records.empty() ? "remove" : "create";
    for (const ballot::Record& record : one.records) text += " " + record.name;
    for (const std::string& name : one.removals) text += " " + name;
    return one.answered ? text + ", then answer " + one.answered->text() : text;
  }
  static std::string text(const RequestDesk::TakeUp& one) { return "take up " + one.request.id.text(); }
  static std::string text(const RequestDesk::ListRuns& one) { return "list runs for " + one.request.text(); }
  static std::string text(const RequestDesk::ReadFate& one) {
    return "read the fate of " + one.request.text() + " in " + one.job;
  }
  static std::string text(const RequestDesk::Conclude& one) {
    std::string text = one.request.text() + " " + one.result;
    if (!one.text.empty()) text += ": " + one.text;
    return one.unrecorded ? text + ", and " + one.unrecorded->id.text() : text;
  }
  static std::string text(const Reply& one) {
    static constexpr std::array<std::string_view, 8> codes = {"invalid",     "not_found", "conflict", "refused",
                                                              "unavailable", "timeout",   "io",       "corrupt"};
    std::string text = "reply " + std::to_string(one.asker) + ": ";
    text += one.ok ? "done" : codes[static_cast<std::size_t>(one.code)];
    if (one.run) text += " " + one.run->text();
    if (one.repeats && one.ok) text += ", which repeats another";
    return one.text.empty() ? text : text + ": " + one.text;
  }
  static std::string text(const RunEnded& one) {
    return "reply " + std::to_string(one.asker) + " the end of " + one.row.run->text();
  }
  std::string named(std::string text) const {
    for (std::size_t i = 0; i < ids_.size(); ++i)
      if (const auto place = text.find(ids_[i].text()); place != std::string::npos) {
        text.replace(place, 36, 1, static_cast<char>('A' + i));
        --i;  // it may be named twice
      }
    return text;
  }

  Random random_{1};
  std::vector<RunId> ids_;
};

}  // namespace ballot::core
