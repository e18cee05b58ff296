// Lists of a server that says what the test has it say.
#include <gtest/gtest.h>

#include <functional>

#include "etcd/reads.hpp"
#include "http_client/base64.hpp"
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
  void pump(const std::function<bool()>& done) {
    for (const SteadyTime end = support::boot_now() + Millis(20'000); !done() && support::boot_now() < end;) {
      wakeup_->wait(end);
      gateway_.receive();
    }
    EXPECT_TRUE(done());
  }
  Reads::Found list() {
    std::optional<Reads::Found> found;
    reads_.list("b/r/q/", "b/r/q0", Millis(10'000), [&](const Reads::Found& one) { found = one; });
    pump([&] { return found.has_value(); });
    return found.value_or(Reads::Found{});
  }
  support::KeyRead get(const std::vector<std::string>& keys) {
    std::optional<support::KeyRead> found;
    reads_.get(keys, Millis(10'000), [&](const support::KeyRead& read) { found = read; });
    pump([&] { return found.has_value(); });
    return found.value_or(support::KeyRead{});
  }

  std::size_t pages_ = 0;
  std::size_t step_ = 100;  // from page to page
  std::string answer_;      // to each request; "": pages
  HttpPeer peer_{
      [this](HttpPeer::Talk& talk) { talk.answer(200, answer_.empty() ? page(step_ * pages_++) : answer_); }};
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

const std::string key = http::to_base64("b/r/q/1"), value = http::to_base64("x");

std::string entry(const std::string& version, const std::string& text = value) {
  return R"({"key":")" + key + R"(","value":")" + text + R"(","mod_revision":)" + version + "}";
}

/// A key that cannot be read is not absent, and no later version could follow such a one.
TEST_F(EtcdLists, OfKeysWithoutAVersionAreUnknown) {
  for (const char* const version :
       {R"("0")", R"("-1")", R"("9223372036854775807")", R"("18446744073709551615")", "1.5", "null", "[]"}) {
    answer_ = R"({"header":{"revision":"9"},"kvs":[)" + entry(version) + "]}";
    EXPECT_EQ(list().read.outcome, StoreResult::unknown) << version;
    answer_ = R"({"header":{"revision":"9"},"responses":[{"response_range":{"kvs":[)" + entry(version) + "]}}]}";
    EXPECT_EQ(get({"r/q/1"}).outcome, StoreResult::unknown) << version;
  }
  answer_ = R"({"header":{"revision":"9"},"responses":[{"response_range":{"kvs":[)" + entry(R"("7")") + "]}}]}";
  EXPECT_EQ(get({"r/q/1"}).outcome, StoreResult::done);
}

TEST_F(EtcdLists, OfValuesThatCannotBeReadAreUnknown) {
  answer_ = R"({"header":{"revision":"9"},"kvs":[)" + entry(R"("7")", "%%%") + "]}";
  EXPECT_EQ(list().read.outcome, StoreResult::unknown);
}

TEST_F(EtcdLists, WithoutARevisionOfTheirOwnAreUnknown) {
  for (const char* const header : {"{}", R"({"revision":"-1"})", R"({"revision":"18446744073709551615"})"}) {
    answer_ = std::string(R"({"header":)") + header + R"(,"kvs":[]})";
    EXPECT_EQ(list().read.outcome, StoreResult::unknown) << header;
  }
}

TEST_F(EtcdLists, ThatAnswerAnotherReadAreUnknown) {
  answer_ = R"({"header":{"revision":"9"},"responses":[]})";
  EXPECT_EQ(get({"r/q/1"}).outcome, StoreResult::unknown);
}

}  // namespace
}  // namespace ballot::etcd
