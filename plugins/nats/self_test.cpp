#include "self_test.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "api.hpp"
#include "subjects.hpp"

namespace ballot::nats {

namespace {

constexpr int rounds = 30;

/// What was found in this process.
class Found {
 public:
  static Found& all() {
    static auto* const one = new Found;
    return *one;
  }
  bool get(const std::string& bucket, SelfTest& found) {
    const std::lock_guard hold(mutex_);
    const auto at = found_.find(bucket);
    if (at != found_.end()) found = at->second;
    return at != found_.end();
  }
  void put(const std::string& bucket, const SelfTest& found) {
    const std::lock_guard hold(mutex_);
    found_[bucket] = found;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, SelfTest> found_;  // by bucket
};

/// One under way. Even rounds are plain, odd ones are ours. They leave their keys, for the next one: to purge them
/// makes a server of 2.9 skip what other consumers have not been sent yet.
struct Trial {
  Client& client;
  const std::string bucket, prefix;
  const std::function<void(const SelfTest&)> done;
  std::vector<int> written = std::vector<int>(2 * rounds);
  std::size_t open = 2 * rounds;
  bool unknown = false;
};
using Shared = std::shared_ptr<Trial>;

void finish(const Shared& trial) {
  SelfTest found{trial->unknown ? SelfTest::How::unknown : SelfTest::How::done, rounds};
  for (std::size_t i = 0; i < trial->written.size(); ++i)
    (i % 2 == 0 ? found.plain_doubled : found.ours_doubled) += trial->written[i] > 1;
  trial->done(found);
}

void write_pair(const Shared& trial, std::size_t round, std::uint64_t over) {
  const auto answers = std::make_shared<int>(0);
  for (int i = 0; i < 2; ++i) {
    Post post{trial->prefix + std::to_string(round), std::to_string(i)};
    post.headers.emplace_back("Nats-Expected-Last-Subject-Sequence", std::to_string(over));
    if (round % 2 == 1) post.headers.emplace_back("Nats-Msg-Id", post.subject + "/" + std::to_string(over));
    trial->client.ask(std::move(post), [trial, round, answers](const Answer& answer) {
      const Ack ack = answer.how == Answer::How::come ? parse_ack(answer.data) : Ack{0, false, {503}};
      trial->unknown |= ack.failure && ack.failure.code != error::wrong_last_sequence;
      trial->written[round] += !ack.failure && !ack.duplicate;
      if (++*answers == 2 && --trial->open == 0) finish(trial);
    });
  }
}

void begin(const Shared& trial, std::size_t round) {
  trial->client.ask({trial->prefix + std::to_string(round)}, [trial, round](const Answer& answer) {
    const Ack ack = answer.how == Answer::How::come ? parse_ack(answer.data) : Ack{0, false, {503}};
    if (!ack.failure) return write_pair(trial, round, ack.sequence);
    trial->unknown = true;
    if (--trial->open == 0) finish(trial);
  });
}

}  // namespace

void self_test(Client& client, const std::string& bucket, std::function<void(const SelfTest&)> done) {
  if (SelfTest found; Found::all().get(bucket, found)) return done(found);
  const auto keep = [bucket, done = std::move(done)](const SelfTest& found) {
    if (found.how == SelfTest::How::done) Found::all().put(bucket, found);
    done(found);
  };
  const auto trial = std::make_shared<Trial>(Trial{client, bucket, own_subject_of(bucket, "u."), keep});
  for (std::size_t round = 0; round < trial->written.size(); ++round) begin(trial, round);
}

}  // namespace ballot::nats
