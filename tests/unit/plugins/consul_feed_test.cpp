// What a feed asks of an agent that answers a blocking query at once, whatever it was asked to wait for.
#include <gtest/gtest.h>

#include <atomic>

#include "asked_store.hpp"
#include "consul/feed.hpp"
#include "support/clock.hpp"
#include "support/servers/http_peer.hpp"

namespace ballot::consul {
namespace {

using testing::HttpPeer;

class ConsulFeeds : public ::testing::Test {
 protected:
  /// How many requests the agent is asked in half a second.
  std::size_t requests(Feed::Wants wants) {
    Feed feed(agent_, paths_, "t/", wants, listener_);
    for (const SteadyTime end = support::boot_now() + Millis(500); support::boot_now() < end;) {
      wakeup_->wait(std::min(end, feed.due().value_or(end)));
      agent_.receive();
      feed.tick(support::boot_now());
    }
    return peer_.asked().size();
  }

  std::atomic<std::uint64_t> index_{7}, step_{0};
  HttpPeer peer_{[this](HttpPeer::Talk& talk) {
    talk.answer(200, "[]", "X-Consul-Index: " + std::to_string(index_ += step_) + "\r\n");
  }};
  std::shared_ptr<support::Wakeup> wakeup_ = std::make_shared<support::Wakeup>();
  support::NoListener listener_;
  Agent agent_{{.servers = {{"127.0.0.1", std::to_string(peer_.port())}}}, wakeup_, "", [] {}};
  KeyPaths paths_{"b/"};
};

constexpr std::size_t most = 150;  // a round of each kind takes at least 10 ms

TEST_F(ConsulFeeds, PauseWhereTheIndexStaysTheSame) {
  agent_.set_patience(Millis(10'000));
  EXPECT_LT(requests(Feed::Wants::changes), most);
}

TEST_F(ConsulFeeds, PauseWhereThereIsNoIndex) {
  agent_.set_patience(Millis(10'000));
  index_ = 0;
  EXPECT_LT(requests(Feed::Wants::changes), most);
}

TEST_F(ConsulFeeds, PauseWhereTheIndexAlwaysGrows) {
  agent_.set_patience(Millis(10'000));
  step_ = 1;
  EXPECT_LT(requests(Feed::Wants::changes), most);
}

}  // namespace
}  // namespace ballot::consul
