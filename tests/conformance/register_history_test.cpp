// The check of register histories finds what it is there to find, and the simulated store passes it under faults.
#include "conformance/register_history.hpp"

#include <gtest/gtest.h>

#include <list>

#include "support/sim/sim_backend.hpp"

namespace ballot::conformance {
namespace {

using namespace std::chrono_literals;
using Operation = RegisterHistory::Operation;
using Kind = Operation::Kind;

std::string verdict(const std::vector<Operation>& operations) {
  RegisterHistory history;
  for (const Operation& one : operations) history.add(one);
  return history.contradiction();
}

TEST(RegisterHistory, AcceptsWritesAndReadsInOneOrder) {
  EXPECT_EQ(verdict({{Kind::wrote, "r", "a", 0, 1, 1, 2},
                     {Kind::read, "r", "a", 0, 1, 3, 6},  // beside the next write: either value may be seen
                     {Kind::wrote, "r", "b", 1, 5, 4, 5},
                     {Kind::refused, "r", "c", 1, 5, 6, 7},
                     {Kind::read, "s", "", 0, 0, 1, 9}}),
            "");
}

TEST(RegisterHistory, FindsTwoWritesOverOneVersion) {
  EXPECT_NE(verdict({{Kind::wrote, "r", "a", 0, 1, 1, 2}, {Kind::wrote, "r", "b", 0, 2, 1, 2}}), "");
}

TEST(RegisterHistory, FindsAStaleRead) {
  EXPECT_NE(verdict({{Kind::wrote, "r", "a", 0, 1, 1, 2},
                     {Kind::wrote, "r", "b", 1, 2, 3, 4},
                     {Kind::read, "r", "a", 0, 1, 5, 6}}),
            "");
}

TEST(RegisterHistory, FindsReadsThatGoBack) {
  EXPECT_NE(verdict({{Kind::wrote, "r", "a", 0, 1, 1, 2},
                     {Kind::wrote, "r", "b", 1, 2, 3, 20},
                     {Kind::read, "r", "b", 0, 2, 5, 6},
                     {Kind::read, "r", "a", 0, 1, 7, 8}}),
            "");
}

TEST(RegisterHistory, FindsAValueThatNobodyWrote) {
  EXPECT_NE(verdict({{Kind::wrote, "r", "a", 0, 1, 1, 2}, {Kind::read, "r", "x", 0, 1, 3, 4}}), "");
  EXPECT_NE(verdict({{Kind::read, "r", "x", 0, 3, 3, 4}}), "");
}

TEST(RegisterHistory, CountsAnUnknownWriteFromWhenItIsSeen) {
  const Operation unknown{Kind::maybe_wrote, "r", "b", 1, 0, 3, RegisterHistory::never};
  EXPECT_EQ(verdict({{Kind::wrote, "r", "a", 0, 1, 1, 2}, unknown, {Kind::read, "r", "b", 0, 4, 8, 9}}), "");
  EXPECT_NE(verdict({{Kind::wrote, "r", "a", 0, 1, 1, 2},
                     unknown,
                     {Kind::read, "r", "b", 0, 4, 8, 9},
                     {Kind::wrote, "r", "c", 1, 5, 10, 11}}),
            "")
      << "both replaced version 1";
}

/// A client of the simulated backend that repeats random writes and reads, each after the answer to the one before.
class Client final : public Host {
 public:
  Client(SimLoop& loop, SimStore& store, const SimClock& clock, std::string node, RegisterHistory& history)
      : loop_(loop), node_(std::move(node)), history_(history) {
    link_.lose_request = link_.lose_answer = link_.late_request = link_.duplicate = 60;
    link_.delay_max = 40ms;
    backend_ = std::make_unique<SimBackend>(store, loop, link_, clock, *this);
    open();
  }

  void post(BackendEvent event) noexcept override {
    std::visit([this](const auto& what) { take(what); }, event.what);
  }
  void log(Level, std::string_view) noexcept override {}
  std::size_t writes() const { return writes_; }

 private:
  void take(const backend::SessionOpened&) { backend_->campaign("g-" + node_); }
  void take(const backend::SessionClosed&) { open(); }
  void take(const backend::Elected& elected) {
    epoch_ = elected.epoch;
    send();
  }
  void take(const backend::Deposed&) {}
  void take(const backend::Renewed&) {}
  void take(const backend::Changed&) {}
  void take(const backend::Observed&) {}
  void take(const backend::Outage&) {}
  void take(const backend::Unfit&) {}
  void take(const backend::Vacancy&) {}
  void take(const backend::Wrote& wrote) {
    const WriteAnswer& answer = wrote.answers.at(0);
    if (answer.outcome == StoreResult::done) now_.kind = Kind::wrote, ++writes_;
    if (answer.outcome == StoreResult::conflict) now_.kind = Kind::refused;
    now_.version = answer.version;
    if (answer.outcome == StoreResult::done) known_ = answer.version;
    finish(answer.outcome);
  }
  void take(const backend::ReadDone& done) {
    if (!done.registers.empty()) now_.value = done.registers[0].value;
    now_.version = known_ = done.registers.empty() ? 0 : done.registers[0].version;
    finish(done.outcome);
  }

  void open() { backend_->open({++generation_, node_, "boot", "machine", "host", 1, "", "", 1h}); }

  void send() {
    now_ = {loop_.chance(500) ? Kind::read : Kind::maybe_wrote, "j/x", {}, known_, 0, ++tick_, RegisterHistory::never};
    if (now_.kind == Kind::read) return backend_->read(++request_, {"j/x"});
    now_.value = node_ + std::to_string(++request_);
    backend_->write(request_, {{"g-" + node_, epoch_, "j/x", now_.value, known_}});
  }

  void finish(StoreResult outcome) {
    if (outcome != StoreResult::unknown) now_.ended = ++tick_;
    if (outcome != StoreResult::unknown || now_.kind != Kind::read) history_.add(now_);
    if (request_ < 60) send();
  }

  static inline std::uint64_t tick_ = 0;
  SimLoop& loop_;
  std::string node_;
  RegisterHistory& history_;
  SimLink link_;
  std::unique_ptr<SimBackend> backend_;
  std::uint64_t generation_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t known_ = 0;
  RequestId request_ = 0;
  std::size_t writes_ = 0;
  Operation now_;
};

TEST(SimStore, StaysLinearizableWhenRequestsAreLostLateAndDoubled) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SimLoop loop(seed);
    SimStore store(loop);
    const SimClock clock(loop);
    RegisterHistory history;
    std::list<Client> clients;
    for (const char* node : {"a", "b", "c"}) clients.emplace_back(loop, store, clock, node, history);
    loop.run_for(30min);
    std::size_t writes = 0;
    for (const Client& client : clients) writes += client.writes();
    EXPECT_GT(writes, 10u) << "seed " << seed;
    EXPECT_EQ(history.contradiction(), "") << "seed " << seed;
  }
}

TEST(SimLoop, ReplaysFromItsSeed) {
  const auto steps = [](std::uint64_t seed) {
    SimLoop loop(seed);
    SimStore store(loop);
    const SimClock clock(loop);
    RegisterHistory history;
    Client a(loop, store, clock, "a", history), b(loop, store, clock, "b", history);
    loop.run_for(10min);
    return std::pair(loop.steps(), store.contents().revision);
  };
  EXPECT_EQ(steps(5), steps(5));
  EXPECT_NE(steps(5), steps(6));
}

}  // namespace
}  // namespace ballot::conformance
