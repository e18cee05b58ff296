// The local backend on a disk of which the n-th call fails, for every n and each kind of call: what was acknowledged is
// there, what was refused is not, and when the disk is well again the daemon leads and writes.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "support/failing_vfs.hpp"
#include "unit/plugins/local_daemon.hpp"

namespace ballot {
namespace {

namespace fs = std::filesystem;

using namespace conformance;
using ballot::testing::FailingVfs;
using ballot::testing::FileCall;

constexpr std::size_t registers = 4;

/// The answers to a daemon that writes some registers, one after the other.
struct Answers {
  std::map<std::string, std::uint64_t> done;  // and their versions
  std::set<std::string> failed;
};

/// A daemon's first minute; whatever fails is tried again, as the core does, with a register of another name.
Answers write_registers(Daemon& daemon) {
  Answers answers;
  std::optional<std::uint64_t> epoch;
  for (std::size_t i = 0, tries = 0; i < registers && tries < 40; ++tries) {
    if (!epoch || daemon.closed()) {
      epoch.reset();
      if (daemon.open() != "") continue;
      epoch = daemon.lead("g");
      if (!epoch) continue;
    }
    if (i == 2) daemon.renew();
    const std::string name = "j/r" + std::to_string(tries);
    const WriteAnswer answer = daemon.write({"g", *epoch, name, "value", 0});
    if (answer.outcome == StoreResult::done) {
      answers.done[name] = answer.version;
      ++i;
    } else if (answer.outcome == StoreResult::failed) {
      answers.failed.insert(name);
    }
  }
  return answers;
}

void expect_kept(const fs::path& state, const Answers& answers) {
  Daemon later(state, "later");
  ASSERT_EQ(later.open(), "") << "the file is sound";
  ASSERT_TRUE(later.lead("g"));
  later.backend().list(9999, "j/");
  ASSERT_TRUE(later.wait([&] { return later.events.answer<backend::ReadDone>(1, 9999).has_value(); }, 5s));
  std::map<std::string, std::uint64_t> found;
  const backend::ReadDone read = *later.events.answer<backend::ReadDone>(1, 9999);
  for (const Register& one : read.registers) found[one.name] = one.version;
  for (const auto& [name, version] : answers.done) EXPECT_EQ(found[name], version) << name << " was acknowledged";
  for (const std::string& name : answers.failed) EXPECT_FALSE(found.contains(name)) << name << " was refused";
  EXPECT_EQ(answers.done.size(), registers) << "it goes on when the disk is well again";
}

struct Kind {
  const char* name;
  FileCall call;
  int code;  // 0: the usual one
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class LocalFaults : public ::testing::TestWithParam<Kind> {};

TEST_P(LocalFaults, KeepWhatWasAcknowledgedAtWhicheverCall) {
  const Kind kind = GetParam();
  std::int64_t calls = 0;
  {
    const TemporaryFolder folder;
    FailingVfs vfs;
    Daemon daemon(folder.path(), "a");
    EXPECT_EQ(write_registers(daemon).done.size(), registers);
    calls = vfs.count(kind.call);
  }
  ASSERT_GT(calls, 0) << "the scenario makes no such call";
  const std::int64_t step = std::getenv("BALLOT_FAULTS") ? 1 : std::max<std::int64_t>(1, calls / 4);
  for (std::int64_t n = 1; n <= calls; n += step)
    for (const std::int64_t length : {1, 4}) {
      SCOPED_TRACE("calls " + std::to_string(n) + " to " + std::to_string(n + length - 1) + " of " +
                   std::to_string(calls));
      const TemporaryFolder folder;
      Answers answers;
      {
        FailingVfs vfs;
        vfs.fail(kind.call, n, n + length - 1, kind.code);
        Daemon daemon(folder.path(), "a");
        answers = write_registers(daemon);
      }
      expect_kept(folder.path(), answers);
    }
}

INSTANTIATE_TEST_SUITE_P(Of, LocalFaults,
                         ::testing::Values(Kind{"Open", FileCall::open, 0}, Kind{"Read", FileCall::read, 0},
                                           Kind{"Write", FileCall::write, 0},
                                           Kind{"WriteOnAFullDisk", FileCall::write, SQLITE_FULL},
                                           Kind{"Sync", FileCall::sync, 0}, Kind{"Lock", FileCall::lock, 0},
                                           Kind{"Busy", FileCall::lock, SQLITE_BUSY}),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace ballot
