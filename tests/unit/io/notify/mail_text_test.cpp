#include "io/notify/mail_text.hpp"

#include <gtest/gtest.h>

#include "unit/io/notify/told.hpp"

namespace ballot::io {
namespace {

using testing::told_of;

Job job() {
  Job job;
  job.name = "nightly";
  job.details.edit().mail_to = "root, ops@example.org";
  return job;
}

std::string mail(const core::Notify& told, const std::optional<Output>& output, const std::string& user = "backup") {
  return mail_text({told.definition->job, told.row, user, "n1", output});
}

std::string body_of(const std::string& text) { return text.substr(text.find("\n\n") + 2); }

core::Notify failed() {
  core::Notify told = told_of(job(), Status::failed, Reason::exit_code);
  told.row.exit_code = 3;
  return told;
}

TEST(MailText, IsCronsWithTheRunsFacts) {
  EXPECT_EQ(mail(failed(), Output{"disk full\n", "", 10}),
            "From: backup (Cron Daemon)\n"
            "To: root, ops@example.org\n"
            "Subject: Cron <backup@n1> nightly: failed: exit_code 3\n"
            "MIME-Version: 1.0\n"
            "Content-Type: text/plain; charset=UTF-8\n"
            "Content-Transfer-Encoding: 8bit\n"
            "Auto-Submitted: auto-generated\n"
            "X-Cron-Env: <BALLOT_JOB=nightly>\n"
            "X-Cron-Env: <BALLOT_GROUP=default>\n"
            "X-Cron-Env: <BALLOT_NODE=n1>\n"
            "X-Cron-Env: <BALLOT_RUN_ID=00000000-0000-7000-8000-000000000001>\n"
            "X-Cron-Env: <BALLOT_ATTEMPT=1>\n"
            "X-Cron-Env: <BALLOT_SLOT=2025-06-01T02:00:00Z>\n"
            "X-Cron-Env: <BALLOT_TRIGGER=schedule>\n"
            "X-Cron-Env: <BALLOT_STATUS=failed>\n"
            "X-Cron-Env: <BALLOT_REASON=exit_code>\n"
            "X-Cron-Env: <BALLOT_EXIT_CODE=3>\n"
            "\n"
            "disk full\n");
}

TEST(MailText, HasNoHeaderThatAValueBringsAlong) {
  Job bad = job();
  bad.details.edit().mail_to = "root\nBcc: everybody@example.org\r\n\r\nbody";
  core::Notify told = told_of(bad, Status::failed, Reason::exit_code);
  told.row.node = "n1\nX-Evil: 1";
  const std::string text = mail(told, Output{"out\n", "", 4}, "u\nX-Evil: 2");
  const std::string headers = text.substr(0, text.find("\n\n") + 1);
  EXPECT_EQ(body_of(text), "out\n");
  for (const char* name : {"\nBcc:", "\nX-Evil:", "\r"}) EXPECT_EQ(headers.find(name), std::string::npos) << headers;
  EXPECT_NE(headers.find("\nTo: root?Bcc: everybody@example.org????body\n"), std::string::npos) << headers;
}

TEST(MailText, SaysHowMuchOfTheOutputIsLeftOut) {
  EXPECT_EQ(body_of(mail(failed(), Output{"head", "tail", 100})), "head\n[ballot: 92 bytes left out]\ntail");
}

TEST(MailText, SaysWhereTheOutputIsThatIsNotHere) {
  core::Notify told = failed();
  EXPECT_EQ(body_of(mail(told, {})), "[ballot: the run printed nothing]\n");
  told.row.output_bytes = 12;
  EXPECT_EQ(body_of(mail(told, {})), "[ballot: the run printed 12 bytes, which are not kept]\n");
  told.row.node = "n2";
  EXPECT_EQ(
      body_of(mail(told, {})),
      "[ballot: the run was executed by n2; there `ballot output 00000000-0000-7000-8000-000000000001` shows what it "
      "printed]\n");
}

TEST(MailOn, IsALadder) {
  const core::Notify failure = failed();
  core::Notify silent = told_of(job(), Status::succeeded), loud = silent;
  loud.row.output_bytes = 5;
  const core::Notify killed = told_of(job(), Status::killed, Reason::operator_);
  const auto wanted = [&](MailOn on) {
    Job with = job();
    with.details.edit().mail_on = on;
    std::string text;
    for (const core::Notify* told : std::vector<const core::Notify*>{&failure, &loud, &silent, &killed})
      text += wants_mail(with, told->row) ? "1" : "0";
    return text;
  };
  EXPECT_EQ(wanted(MailOn::failure), "1000");
  EXPECT_EQ(wanted(MailOn::output), "1100");
  EXPECT_EQ(wanted(MailOn::always), "1111");
  EXPECT_FALSE(wants_mail(Job{}, failure.row)) << "nobody is named";
}

}  // namespace
}  // namespace ballot::io
