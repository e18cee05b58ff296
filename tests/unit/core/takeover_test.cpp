#include <gtest/gtest.h>

#include <chrono>
#include <ctime>

#include "core/core.hpp"
#include "core/store/known_store.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

/// A node that finds the registers of many jobs at its start, and what a daemon before has left.
struct StartOfANode : ::testing::Test {
  Core core{[] {
    CoreSettings settings;
    settings.node = "a";
    settings.boot_id = "boot";
    return settings;
  }()};
  Random random{1};
  std::vector<Register> registers;
  Load files;
  Inventory inventory;
  std::size_t lost = 0, forgotten = 0;

  /// Of a job that another node leads, with a run of it.
  RunId add_job(const std::string& name) {
    JobRegister stored;
    stored.group = "g";
    stored.definition = "d";
    stored.timing = {"UTC", {"0 0 1 1 *"}, {}, {}};
    stored.epoch = stored.fence = 1;
    OpenRun run;
    run.id = random.run_id({});
    run.fence = run.epoch = 1;
    run.node = "other";
    stored.runs.push_back(run);
    registers.push_back({job_register(name), to_text(stored), 1});
    return run.id;
  }
  void leave_row(const std::string& job, const RunId& run) {
    Row row;
    row.run = run;
    row.job = job;
    row.group = "g";
    row.attempt = 1;
    row.status = Status::claimed;
    row.node = "a";
    row.epoch = row.fence = 1;
    files.rows.push_back(row);
  }
  void leave_end(const RunId& run) {
    runner::Ended ended;
    ended.id = {run, 1};
    ended.exit_code = 0;
    inventory.ended.push_back(ended);
  }
  /// Of the store.
  Register identity() {
    KnownStore store("");
    return {std::string(identity_record), store.identity_text({}, random), 1};
  }
  void begin() {
    step(files);
    step(inventory);
  }

 private:
  void step(const Event& event) {
    for (const Action& action : core.step({WallTime(1000h), SteadyTime(1h)}, event)) {
      const auto* record = std::get_if<RecordRow>(&action);
      lost += record && record->row.status == Status::lost;
      forgotten += std::holds_alternative<Forget>(action);
      if (const auto* open = std::get_if<OpenSession>(&action))
        step(BackendEvent{open->generation, backend::SessionOpened{60s, Capability::fenced, "s"}});
      if (const auto* read = std::get_if<Read>(&action); read && read->names.front() == identity_record)
        step(BackendEvent{core.session().generation(),
                          backend::ReadDone{read->request, StoreResult::done, {identity()}, {}}});
      const auto* list = std::get_if<List>(&action);
      if (list && list->prefix == "j/")
        step(BackendEvent{core.session().generation(),
                          backend::ReadDone{list->request, StoreResult::done, registers, {}}});
    }
  }
};

TEST_F(StartOfANode, SettlesWhatNoRegisterShows) {
  const RunId shown = add_job("one"), also_shown = add_job("two");
  registers.back().value += "fence 0\n";  // a second one: it cannot be read
  leave_row("one", shown), leave_row("two", also_shown), leave_row("two", random.run_id({}));
  leave_end(shown), leave_end(also_shown), leave_end(random.run_id({}));
  begin();
  EXPECT_EQ(lost, 1u);
  EXPECT_EQ(forgotten, 1u);
}

TEST_F(StartOfANode, SettlesManyRunsBesideManyRegistersAtOnce) {
  constexpr int left = 2'000;
  for (int i = 0; i < 20'000; ++i) add_job("job" + std::to_string(i));
  for (int i = 0; i < left; ++i) {
    leave_row("job" + std::to_string(i), random.run_id({}));
    leave_end(random.run_id({}));
  }
  const std::clock_t begun = std::clock();  // of the processor: other tests run beside this one
  begin();
  EXPECT_LT(std::clock() - begun, 30 * CLOCKS_PER_SEC) << "a look at each register for each would be minutes";
  EXPECT_EQ(lost, static_cast<std::size_t>(left));
  EXPECT_EQ(forgotten, static_cast<std::size_t>(left));
}

}  // namespace
}  // namespace ballot::core
