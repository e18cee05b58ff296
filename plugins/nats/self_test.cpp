#include "self_test.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace ballot::nats {

namespace {

constexpr int rounds = 30;

std::mutex mutex;
std::map<std::string, SelfTest> found_before;  // in this process, by bucket

SelfTest found_of(const std::string& bucket) {
  const std::lock_guard hold(mutex);
  return found_before[bucket];
}
void keep(const std::string& bucket, const SelfTest& found) {
  const std::lock_guard hold(mutex);
  found_before[bucket] = found;
}

/// One under way. Its keys are left for the next one: to purge them makes a server of 2.9 skip what other consumers
/// have not been sent yet.
struct Trial {
  Client& client;
  const std::string bucket;
  const std::function<void(const SelfTest&)> done;
  SelfTest found{rounds};
  int open = 2 * rounds;     // rounds of both kinds
  std::string unknown = {};  // why it is not known what has happened
  bool is_full = false;      // that is why

  void give_up(const Answer& answer) {
    unknown = answer.text;
    is_full = is_full || answer.code == error::no_resources;
  }
};
using Shared = std::shared_ptr<Trial>;

void end_round(const Shared& trial) {
  if (--trial->open > 0) return;
  if (!trial->unknown.empty()) trial->found = {.why = trial->unknown, .is_full = trial->is_full};
  keep(trial->bucket, trial->found);
  trial->done(trial->found);
}

void write_pair(const Shared& trial, const std::string& subject, int& doubled, std::uint64_t over) {
  const auto answered = std::make_shared<int>(0), written = std::make_shared<int>(0);
  for (const char* const text : {"0", "1"}) {
    Post post{subject, text, {{"Nats-Expected-Last-Subject-Sequence", std::to_string(over)}}};
    if (&doubled == &trial->found.ours_doubled)
      post.headers.emplace_back(message_id, subject + "/" + std::to_string(over));
    trial->client.ask(std::move(post), [trial, &doubled, answered, written](const Answer& answer) {
      if (answer.failed() && answer.code != error::wrong_last_sequence) trial->give_up(answer);
      *written += !answer.failed() && !answer.is_duplicate();
      if (++*answered < 2) return;
      doubled += *written > 1;
      end_round(trial);
    });
  }
}

}  // namespace

void self_test(Client& client, const std::string& bucket, std::function<void(const SelfTest&)> done) {
  if (const SelfTest before = found_of(bucket); before.rounds > 0) return done(before);
  const auto trial = std::make_shared<Trial>(Trial{client, bucket, std::move(done)});
  for (int i = 0; i < 2 * rounds; ++i) {
    const std::string subject = own_subject_of(bucket, "u." + std::to_string(i));
    int& doubled = i % 2 == 0 ? trial->found.plain_doubled : trial->found.ours_doubled;
    client.ask({subject}, [trial, subject, &doubled](const Answer& answer) {
      if (!answer.failed()) return write_pair(trial, subject, doubled, answer.sequence());
      trial->give_up(answer);
      end_round(trial);
    });
  }
}

}  // namespace ballot::nats
