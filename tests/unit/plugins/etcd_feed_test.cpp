// What a feed asks of a server that ends each stream at once.
#include <gtest/gtest.h>

#include <algorithm>

#include "asked_store.hpp"
#include "etcd/feed.hpp"
#include "support/clock.hpp"
#include "support/servers/http_peer.hpp"

namespace ballot::etcd {
namespace {

using testing::HttpPeer;

class EtcdFeeds : public ::testing::Test {
 protected:
  /// How many requests the server is asked in half a second.
  std::size_t requests() {
    feed_.follow("t/");
    for (const SteadyTime end = support::boot_now() + Millis(500); support::boot_now() < end;) {
      wakeup_->wait(std::min(end, feed_.due().value_or(end)));
      gateway_.receive();
      feed_.tick(support::boot_now());
    }
    return peer_.asked().size();
  }

  std::string line_;  // of a stream
  HttpPeer peer_{[this](HttpPeer::Talk& talk) {
    if (talk.asked() != "POST /v3/watch") return talk.answer(200, R"({"header":{"revision":"9"},"kvs":[]})");
    talk.begin_chunks();
    talk.chunk("{\"result\":{\"created\":true}}\n" + line_);
    talk.end_chunks();
  }};
  std::shared_ptr<support::Wakeup> wakeup_ = std::make_shared<support::Wakeup>();
  support::NoHost host_;
  support::NoListener listener_;
  Settings settings_{.servers = {{"127.0.0.1", std::to_string(peer_.port())}}};
  Gateway gateway_{settings_, "", wakeup_};
  Keyspace keyspace_{"b/", "17", ""};
  Reads reads_{gateway_, keyspace_};
  Feed feed_{gateway_, reads_, keyspace_, listener_, host_};
};

constexpr std::size_t most = 12;  // pauses of 0, 100, 200 and 400 ms, with two requests each

TEST_F(EtcdFeeds, WaitLongerEachTimeWhereTheStreamEnds) { EXPECT_LE(requests(), most); }

TEST_F(EtcdFeeds, WaitLongerEachTimeWhereTheStreamIsCancelled) {
  line_ = "{\"result\":{\"canceled\":true}}\n";
  EXPECT_LE(requests(), most);
}

TEST_F(EtcdFeeds, WaitLongerEachTimeWhereAChangeHasNoRevision) {
  line_ = R"({"result":{"events":[{"kv":{"key":"Yi90L2c=","value":"eA==","mod_revision":"-1"}}]}})"
          "\n";
  EXPECT_LE(requests(), most);
}

}  // namespace
}  // namespace ballot::etcd
