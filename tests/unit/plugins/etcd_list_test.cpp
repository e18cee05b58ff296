// Lists of a server that says what the test has it say.
#include <gtest/gtest.h>

#include "etcd/reads.hpp"
#include "http/base64.hpp"
#include "support/bounds.hpp"
#include "support/clock.hpp"
#include "support/servers/http_peer.hpp"

namespace ballot::etcd {
namespace {

using testing::HttpPeer;

class EtcdLists : public ::testing::Test {
 protected:
  /// Of a hundred keys of 8 KB; `first`: the number of the first.
  static std::string page(std::size_t first) {
    static const std::string value = http::to_base64(std::string(8000, 'x'));
    std::string kvs;
    for (std::size_t i = 0; i < 100; ++i)
      kvs += (i == 0 ? "" : ",") + (R"({"key":")" + http::to_base64("b/r/q/" + std::to_string(1'000'000 + first + i)) +
                                    R"(","value":")" + value + R"(","mod_revision":"7"})");
    return R"({"header":{"revision":"9"},"more":true,"kvs":[)" + kvs + "]}";
  }
  Reads::Found list() {
    std::optional<Reads::Found> found;
    reads_.list("b/r/q/", "b/r/q0", Millis(10'000), [&](const Reads::Found& one) { found = one; });
    for (const SteadyTime end = support::boot_now() + Millis(20'000); !found && support::boot_now() < end;) {
      wakeup_->wait(end);
      gateway_.receive();
    }
    EXPECT_TRUE(found);
    return found.value_or(Reads::Found{});
  }

  std::size_t pages_ = 0;
  std::size_t step_ = 100;  // from page to page
  HttpPeer peer_{[this](HttpPeer::Talk& talk) { talk.answer(200, page(step_ * pages_++)); }};
  std::shared_ptr<support::Wakeup> wakeup_ = std::make_shared<support::Wakeup>();
  Settings settings_{.servers = {{"127.0.0.1", std::to_string(peer_.port())}}};
  Gateway gateway_{settings_, "", wakeup_};
  Keyspace keyspace_{"b/"};
  Reads reads_{gateway_, keyspace_};
};

TEST_F(EtcdLists, WithoutAnEndAreGivenUp) {
  const Reads::Found found = list();
  EXPECT_EQ(found.read.outcome, StoreResult::unknown);
  EXPECT_TRUE(found.read.entries.empty());
  EXPECT_NE(found.read.text.find("more than"), std::string::npos) << found.read.text;
  EXPECT_LE(pages_, support::bounds::pages / 800'000 + 2);
}

TEST_F(EtcdLists, ThatDoNotGoOnAreGivenUp) {
  step_ = 0;
  const Reads::Found found = list();
  EXPECT_EQ(found.read.outcome, StoreResult::unknown);
  EXPECT_EQ(pages_, 2u);
}

}  // namespace
}  // namespace ballot::etcd
