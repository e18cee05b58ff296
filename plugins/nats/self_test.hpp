// SelfTest: whether a bucket's updates exclude one another, tried out on keys that nobody has: pairs of writes over one
// version, sent at once. Plain ones show what kind of server it is; ours, with message ids, must never both be done.
// Once a process and bucket. Knows nothing of sessions.
//
//   self_test(client, bucket, [](const SelfTest& found) { if (found.ours_doubled > 0) ... refuse it ... });
#pragma once

#include <functional>
#include <string>

#include "jetstream/client.hpp"

namespace ballot::nats {

using namespace jetstream;

struct SelfTest {
  int rounds = 0;                           // of each kind; 0: not tried, or the servers did not answer
  int plain_doubled = 0, ours_doubled = 0;  // rounds in which both were done
  std::string why = {};                     // rounds is 0, as the servers say
  bool is_full = false;                     // rounds is 0, as they have no space
};

void self_test(Client& client, const std::string& bucket, std::function<void(const SelfTest&)> done);

}  // namespace ballot::nats
