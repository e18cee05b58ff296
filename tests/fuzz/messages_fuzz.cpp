// Lines of the control socket, as daemons and commands read them.
#include "harness.hpp"
#include "io/message.hpp"

namespace ballot::fuzz::messages_harness {

BALLOT_FUZZ(messages) {
  const auto message = io::decode(input);
  if (!message) {
    require(message.error().code == Errc::invalid, "what is no message is invalid");
    return;
  }
  const std::string text = io::encode(*message);
  require(text.find('\n') == std::string::npos, "a message is one line", text);
  const auto again = io::decode(text);
  require(again && *again == *message, "a message that is written is read as the same", text);
  if (const auto error = io::to_error(*message)) {
    const auto same = io::to_error(io::to_message(*error));
    require(same && same->code == error->code && same->what == error->what, "an error comes back as it was", text);
  }
}

}  // namespace ballot::fuzz::messages_harness
