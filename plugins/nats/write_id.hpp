// WriteId: the message id of a write to a key: "KEY/STAMP.N". STAMP is random and made with a write that is over no
// other one; what is written over a message has its STAMP and the next N. So writers that have read the same message
// write under the same id, by whatever number a server has it, and no other message ever has it. Pure.
//
//   first_id("r/j/x")                                  // "r/j/x/5f0c9b2e7a41d3c8.0"
//   next_id("r/j/x", "r/j/x/5f0c9b2e7a41d3c8.0", 17)   // "r/j/x/5f0c9b2e7a41d3c8.1"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ballot::nats {

std::string first_id(const std::string& key);
/// `over`: the id of the key's last message, `version` its number in the stream, which counts where it has none of
/// ours: somebody has written it by hand.
std::string next_id(const std::string& key, std::string_view over, std::uint64_t version);

}  // namespace ballot::nats
