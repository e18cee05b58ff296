// What the guard of a child reports of its end.
#include "io/child_guard.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <optional>

#include "io/clocks.hpp"
#include "support/process/process_facts.hpp"
#include "support/temp_folder.hpp"
#include "unit/io/loop_until.hpp"

namespace ballot::io {
namespace {

using testing::run_until;
using testing::wait_until;

TEST(ChildGuard, SaysThatTheTermWasOverAlsoWhereItIsRenewedWhileTheChildIsBeingEnded) {
  const TempFolder folder;
  const std::string deaf = "trap '' TERM; echo > " + folder / "deaf" + "; while :; do sleep 0.01; done";
  const auto guard = ChildGuard::make({.argv = {"/bin/sh", "-c", deaf}, .kill_grace = Millis(100)});
  ASSERT_TRUE(guard);
  boost::asio::io_context loop;
  std::optional<ChildEnd> end;
  (*guard)->attach(loop, {[](pid_t) {}, [&](ChildEnd how) { end = how; }});
  (*guard)->start({}, SteadyTime::max(), {});
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(folder / "deaf"); }));
  (*guard)->lost();
  (*guard)->lease(read_clocks().steady + std::chrono::hours(1), Millis(0));
  ASSERT_TRUE(run_until(loop, [&] { return end.has_value(); }));
  EXPECT_EQ(end->value, SIGKILL);
  EXPECT_TRUE(end->by_lease);
  (*guard)->detach();
}

}  // namespace
}  // namespace ballot::io
