#include "support/servers/reserved_port.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace ballot::testing {
namespace {

TEST(ReservedPort, IsNobodyElsesWhileItLives) {
  const ReservedPort first;
  const ReservedPort second(first.number());
  EXPECT_NE(second.number(), first.number());
}

TEST(ReservedPort, IsNoOtherProcessesWhileItLives) {
  const ReservedPort ours;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(ReservedPort(ours.number()).number() == ours.number() ? 1 : 0);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(ReservedPort, MayBeReservedAgainOnceItsOwnerIsGone) {
  int number = 0;
  {
    const ReservedPort port;
    number = port.number();
  }
  EXPECT_EQ(ReservedPort(number).number(), number);
}

TEST(ReservedPort, IsNoneThatTheKernelGivesToClients) {
  int lowest = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> lowest;
  EXPECT_LT(ReservedPort().number(), lowest);
}

}  // namespace
}  // namespace ballot::testing
