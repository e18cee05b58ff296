// What JetStream answers, as JSON, and the subjects of a bucket's messages, which anybody can have published.
#include "harness.hpp"
#include "jetstream/api.hpp"
#include "nats/state.hpp"

namespace ballot::fuzz::nats_harness {
namespace {

using namespace nats;

void look_at_subject(std::string_view input) {
  const std::string bucket = "b";
  const std::string subject = subject_of(bucket, input);
  require(subject.find_first_of(" *>\r\n") == std::string::npos, "a subject is one token after the other", subject);
  require(key_of(bucket, subject) == input, "a key comes back from its subject", subject);
  const std::string any = "$KV.b." + std::string(input);
  if (const auto key = key_of(bucket, any))
    require(key_of(bucket, subject_of(bucket, *key)) == key, "a key stays the same", *key);
}

}  // namespace

BALLOT_FUZZ(nats) {
  const Answer answer = parse_answer(std::string(input));
  require(answer.failed() || answer.content.is_object(), "what is not understood is a failure");
  require(!answer.is_unheard() || answer.failed(), "what nobody has answered is a failure");
  answer.sequence();
  const StreamConfig registers{.bucket = "b", .description = "ballot: registers"};
  const StreamConfig sessions{.bucket = "b", .description = "ballot: sessions", .max_age = Millis(6000)};
  fault_of(answer.content, registers);
  fault_of(answer.content, sessions);
  state_of(answer, answer, {});
  look_at_subject(input);
}

}  // namespace ballot::fuzz::nats_harness
