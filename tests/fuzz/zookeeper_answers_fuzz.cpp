// What a server of ZooKeeper may send, a frame after the other, to a client that has asked for one of each kind.
#include "harness.hpp"
#include "zookeeper/answer_check.hpp"

namespace ballot::fuzz::zookeeper_answers_harness {
namespace {

using zookeeper::AnswerCheck;

std::string number(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}
std::string request(std::uint32_t xid, std::uint32_t type, const std::string& more = {}) {
  return number(xid) + number(type) + more;
}

/// A transaction that creates and sets.
std::string transaction() {
  const std::string path = number(2) + "/x", none(1, '\0');
  return number(1) + none + number(0) + path + number(0) + number(0) + number(0) +  // create
         number(5) + none + number(0) + path + number(0) + number(0) +              // set
         number(0) + std::string(1, '\1') + number(0);
}

}  // namespace

BALLOT_FUZZ(zookeeper_answers) {
  const std::string watched = number(2) + "/x\1";
  AnswerCheck check;
  for (const std::string& one :
       {std::string("a session"), request(1, 1), request(2, 3, watched), request(3, 4, watched),
        request(4, 12, watched), request(5, 14, transaction()), request(0xfffffffe, 11)})
    require(check.on_request(one).empty(), "what the plugin asks is passed on", one);
  std::size_t passed = 0;
  while (!input.empty()) {
    const std::size_t size = std::min<std::size_t>(static_cast<unsigned char>(input[0]), input.size() - 1);
    const std::string problem = check.on_answer(input.substr(1, size));
    require(problem.size() < 200 && is_showable(problem), "a problem is for people", problem);
    if (!problem.empty()) break;
    input.remove_prefix(1 + size);
    ++passed;
  }
  require(passed <= 1 + 5 + 1 + 3,
          "there are no more answers than were asked for: of a session, each request, a ping, each watch");
}

}  // namespace ballot::fuzz::zookeeper_answers_harness
