// A server that speaks HTTP and is none of the store's: said, and not taken for a store with nothing in it.
#include <gtest/gtest.h>

#include "support/process/run_program.hpp"
#include "support/servers/http_peer.hpp"
#include "support/temp_folder.hpp"

namespace ballot::testing {
namespace {

struct Wrong {
  std::string backend, flag, says;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.backend; }

struct WrongServer : ::testing::TestWithParam<Wrong> {
  TempFolder state;

  Ran list(int status, const std::string& body) {
    HttpPeer peer([&](HttpPeer::Talk& talk) { talk.answer(status, body); });
    return run_program({BALLOT_PROGRAM, "election", "list", "--backend", GetParam().backend, "--namespace", "test",
                        "--state-dir", state.path(), GetParam().flag, "127.0.0.1:" + std::to_string(peer.port())});
  }
  void expect_refused(const Ran& ran) {
    EXPECT_NE(ran.code, 0) << ran.out;
    EXPECT_NE(ran.err.find(GetParam().says), std::string::npos) << ran.err;
  }
};

TEST_P(WrongServer, ThatAnswersAllWithAnEmptyObjectIsNoStore) { expect_refused(list(200, "{}")); }

TEST_P(WrongServer, ThatAnswersAllWithWhatIsNoJsonIsNoStore) { EXPECT_NE(list(200, "{\"a\":").code, 0); }

TEST_P(WrongServer, ThatKnowsNoneOfThePathsIsNoStore) { EXPECT_NE(list(404, "404 page not found\n").code, 0); }

INSTANTIATE_TEST_SUITE_P(Of, WrongServer,
                         ::testing::Values(Wrong{"consul", "--consul-address", "look at [consul] address"},
                                           Wrong{"etcd", "--etcd-servers", "look at [etcd] servers"}),
                         [](const auto& one) { return one.param.backend; });

}  // namespace
}  // namespace ballot::testing
