// What a hook gets to know, and where a ping goes.
#include <gtest/gtest.h>

#include "io/notify/hook_environment.hpp"
#include "io/notify/ping_address.hpp"
#include "unit/io/notify/told.hpp"

namespace ballot::io {
namespace {

using testing::told_of;
using testing::value_of;

const Identity daemon{"root", "/root", 0, 0, {}};

std::string address(const std::string& url, Status status, Reason reason = Reason::none) {
  Job job;
  job.name = "nightly";
  job.details.edit().ping_url = url;
  return ping_address(told_of(job, status, reason));
}

TEST(PingAddress, IsHealthchecksForm) {
  const std::string rid = "?rid=00000000-0000-7000-8000-000000000001";
  EXPECT_EQ(address("https://hc/uuid", Status::running), "https://hc/uuid/start" + rid);
  EXPECT_EQ(address("https://hc/uuid", Status::succeeded), "https://hc/uuid" + rid);
  EXPECT_EQ(address("https://hc/uuid/", Status::failed, Reason::exit_code), "https://hc/uuid/fail" + rid);
  EXPECT_EQ(address("https://hc/uuid", Status::lost, Reason::node_died), "https://hc/uuid/fail" + rid);
  EXPECT_EQ(address("https://hc/uuid", Status::killed, Reason::operator_), "") << "neither failed nor succeeded";
}

TEST(PingAddress, KeepsAQueryBehindThePath) {
  EXPECT_EQ(address("https://hc/key/slug?create=1", Status::running),
            "https://hc/key/slug/start?create=1&rid=00000000-0000-7000-8000-000000000001");
}

TEST(HookEnvironment, IsTheChildsWithWhatBecameOfTheRun) {
  Job job;
  job.name = "nightly";
  job.group = "reports";
  job.timezone = "Europe/Paris";
  job.deadline = std::chrono::minutes(1);
  job.details.edit().env = {{"MODE", "full"}};
  core::Notify told = told_of(job, Status::failed, Reason::exit_code);
  told.row.exit_code = 3;
  const auto environment = *hook_environment(told, daemon, "");
  EXPECT_EQ(value_of(environment, "PATH"), "/usr/local/bin:/usr/bin:/bin");
  EXPECT_EQ(value_of(environment, "TZ"), "Europe/Paris");
  EXPECT_EQ(value_of(environment, "MODE"), "full");
  EXPECT_EQ(value_of(environment, "BALLOT_JOB"), "nightly");
  EXPECT_EQ(value_of(environment, "BALLOT_GROUP"), "reports");
  EXPECT_EQ(value_of(environment, "BALLOT_NODE"), "n1");
  EXPECT_EQ(value_of(environment, "BALLOT_RUN_ID"), "00000000-0000-7000-8000-000000000001");
  EXPECT_EQ(value_of(environment, "BALLOT_FENCE"), "9");
  EXPECT_EQ(value_of(environment, "BALLOT_STATUS"), "failed");
  EXPECT_EQ(value_of(environment, "BALLOT_REASON"), "exit_code");
  EXPECT_EQ(value_of(environment, "BALLOT_EXIT_CODE"), "3");
  EXPECT_EQ(value_of(environment, "BALLOT_DEADLINE"), "(none)") << "the run's, and that is over";
  EXPECT_EQ(value_of(environment, "BALLOT_SLOTS"), "(none)");
}

TEST(HookEnvironment, OfMissedSlotsNamesNoRun) {
  Job job;
  job.name = "nightly";
  core::Notify told = told_of(job, Status::missed, Reason::misfire);
  told.row.run.reset();
  told.row.slot_until = told.row.slot + std::chrono::hours(2);
  told.row.slots = 3;
  const auto environment = *hook_environment(told, daemon, "");
  for (const char* name :
       {"BALLOT_RUN_ID", "BALLOT_ATTEMPT", "BALLOT_FENCE", "BALLOT_UNCLAIMED", "BALLOT_IDEMPOTENCY_KEY"})
    EXPECT_EQ(value_of(environment, name), "(none)") << name;
  EXPECT_EQ(value_of(environment, "BALLOT_SLOT"), "2025-06-01T02:00:00Z");
  EXPECT_EQ(value_of(environment, "BALLOT_SLOT_UNTIL"), "2025-06-01T04:00:00Z");
  EXPECT_EQ(value_of(environment, "BALLOT_SLOTS"), "3");
  EXPECT_EQ(value_of(environment, "BALLOT_REASON"), "misfire");
}

TEST(HookEnvironment, OfAJobThatIsOverdueNamesNoSlotAndWhenItHasSucceededLast) {
  Job job;
  job.name = "nightly";
  core::Notify told = told_of(job, Status::queued);
  told.event = core::Notify::Event::overdue;
  told.row.run.reset();
  told.expected = std::chrono::hours(26);
  auto environment = *hook_environment(told, daemon, "");
  for (const char* name : {"BALLOT_RUN_ID", "BALLOT_ATTEMPT", "BALLOT_SLOT", "BALLOT_TRIGGER", "BALLOT_STATUS"})
    EXPECT_EQ(value_of(environment, name), "(none)") << name;
  EXPECT_EQ(value_of(environment, "BALLOT_JOB"), "nightly");
  EXPECT_EQ(value_of(environment, "BALLOT_EXPECTED"), "1d2h");
  EXPECT_EQ(value_of(environment, "BALLOT_LAST_SUCCESS"), "");
  told.last_success = told.row.slot;
  environment = *hook_environment(told, daemon, "");
  EXPECT_EQ(value_of(environment, "BALLOT_LAST_SUCCESS"), "2025-06-01T02:00:00.000Z");
}

TEST(HookEnvironment, OfASlowRunSaysWhatWasExpected) {
  Job job;
  job.name = "nightly";
  core::Notify told = told_of(job, Status::running);
  told.event = core::Notify::Event::slow;
  told.expected = std::chrono::minutes(30);
  const auto environment = *hook_environment(told, daemon, "");
  EXPECT_EQ(value_of(environment, "BALLOT_EXPECTED"), "30m");
  EXPECT_EQ(value_of(environment, "BALLOT_STATUS"), "running");
  EXPECT_NE(value_of(environment, "BALLOT_RUN_ID"), "(none)");
  EXPECT_EQ(value_of(environment, "BALLOT_LAST_SUCCESS"), "(none)");
}

}  // namespace
}  // namespace ballot::io
