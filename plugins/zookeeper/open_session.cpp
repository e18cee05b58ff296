#include "open_session.hpp"

#include <string>
#include <utility>

namespace ballot::zookeeper {

OpenSession::OpenSession(SessionContext& context, Members& members, ElectionSelf self)
    : context_(context),
      queue_(context, members),
      elections_(queue_, self),
      registers_(context, elections_),
      watches_(context),
      observation_(context, members) {
  if (!self.observes) tidy_.emplace(context, boot_now() + self.timeout / 2);
}

void OpenSession::carry_out(const Call& call) {
  std::visit([this](const auto& one) { carry(one); }, call);
}

void OpenSession::on_connected() {
  elections_.on_connected();
  watches_.on_connected();
}

void OpenSession::on_watch(const Message& message) {
  char letter = 0;
  if (context_.paths.watches_registers(message.path, letter)) return watches_.on_watch(letter);
  const std::string entry = message.path.substr(message.path.rfind('/') + 1);
  using Gone = QueueElections::Gone;
  elections_.on_watch(context_.paths.group_of(message.path), entry, message.gone ? Gone::yes : Gone::no);
}

void OpenSession::tick(SteadyTime now) {
  elections_.tick(now);
  if (tidy_) tidy_->tick(now);
}

void OpenSession::flush(bool all) {
  registers_.flush(all);
  elections_.flush(all);
}

std::optional<SteadyTime> OpenSession::due() const {
  const auto at = elections_.due();
  const auto tidy_at = tidy_ ? tidy_->due() : std::nullopt;
  return !at || (tidy_at && *tidy_at < *at) ? tidy_at : at;
}

}  // namespace ballot::zookeeper
