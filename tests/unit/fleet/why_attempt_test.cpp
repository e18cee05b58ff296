// Which attempt of a run is to come, as each node of a fleet says it.
#include "base/short_id.hpp"
#include "unit/fleet/why_in_a_fleet.hpp"

namespace ballot::library {
namespace {

TEST_F(WhyInAFleet, WhichAttemptIsToComeIsWhatItsLeaderSays) {
  write("host-3", {with(on("host-3", ran(1)), Status::failed, Reason::exit_code)});
  Row next = with(on("", ran(1)), Status::queued);
  next.attempt = 2;
  leader_says({}, {next});
  EXPECT_TRUE(contains(why(*fleet(), {"backup", run_id(1)}), "waits for attempt 2")) << why(*fleet());
}

/// The new leader had not known of the attempt: no row says what became of it.
TEST_F(WhyInAFleet, AnAttemptThatARepairHasDroppedIsNotPromised) {
  Row failed = with(on("host-2", ran(1)), Status::failed, Reason::exit_code);
  failed.ended_at = noon + Millis(1000);
  facts.job.facts.emplace();
  facts.job.facts->retries = 3;
  const auto repair = [&](std::uint32_t id, WallTime at, const std::string& said) {
    RequestRow request;
    request.id = run_id(id), request.kind = "repair", request.job = "backup", request.node = "host-3", request.at = at;
    write("host-3", {request, AnswerRow{request.id, "done", said, at + Millis(5)}});
  };
  const auto follows = [&](const std::string& part) {
    const std::string text = why(*fleet(), {"backup", run_id(1)});
    EXPECT_TRUE(contains(text, part)) << text;
  };
  write("host-2", {failed});
  repair(7, noon, "repaired: job backup");
  repair(8, noon + Millis(2000), "nothing to repair: job backup is not halted");
  follows("Another attempt may follow: retries = 3.");
  repair(9, noon + Millis(3000), "repaired: job backup");
  follows("No other attempt follows: the job was repaired since then, " + format_seconds(noon + Millis(3000)) +
          ", and a repair starts no attempt that waited.");
}

TEST_F(WhyInAFleet, ASlotThatWaitedForARunUntilItWasTooLateNamesThatRunAlone) {
  Row before = on("host-2", ran(1, noon - Millis(60'000)));
  before.started_at = before.slot, before.ended_at = noon + Millis(35'000);
  const Row missed = on("host-2", library::missed(noon, Reason::start_deadline));
  write("host-2", {before, missed});
  facts.job.facts.emplace();
  facts.job.facts->concurrency = Concurrency::queue;
  facts.job.facts->start_deadline = std::chrono::seconds(20);
  facts.scheduled = noon;
  const std::string text = why(*fleet());
  EXPECT_TRUE(contains(text, "It waited for run " + short_id(run_id(1)) + " of slot ")) << text;
  EXPECT_TRUE(contains(text, ", ended " + format_millis(*before.ended_at) + ". By then it was too late: the job has " +
                                 "start_deadline = 20s."))
      << text;
  EXPECT_FALSE(contains(text, "or no leader")) << text;
  facts.job.facts->start_deadline = std::chrono::seconds(40);
  EXPECT_TRUE(contains(why(*fleet()), "or no leader")) << "the run had ended in time: " << why(*fleet());
}

}  // namespace
}  // namespace ballot::library
