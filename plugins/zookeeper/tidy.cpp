#include "tidy.hpp"

#include <utility>

namespace ballot::zookeeper {

void Tidy::tick(SteadyTime now) {
  if (!at_ || now < *at_) return;
  at_.reset();
  context_.client.children(context_.paths.members(), Watch::no, [this](const Reply& all) { check_nodes(all.names); });
}

/// From one on that differs from session to session, so that the same ones are not always left out.
void Tidy::check_nodes(const std::vector<std::string>& nodes) {
  if (nodes.size() < 2) return;
  const std::size_t first = std::hash<std::string>()(context_.session) % nodes.size();
  open_ = 1;
  for (std::size_t i = 0; i < std::min(nodes.size(), most_nodes); ++i) {
    const std::string& node = nodes[(first + i) % nodes.size()];
    if (node == context_.self.node) continue;
    ++open_;
    const auto seen = [this, node](const Reply& reply) {
      if (reply.rc == ZOK && reply.stat.numChildren == 0) left_.emplace(node, reply.stat.version);
      arrived();
    };
    context_.client.get(context_.paths.member(node), Watch::no, seen, Priority::low);
  }
  arrived();
}

void Tidy::arrived() {
  if (--open_ > 0 || left_.empty()) return;
  std::exchange(groups_seen_, true) ? remove() : check_groups();
}

void Tidy::check_groups() {
  context_.client.children(context_.paths.groups(), Watch::no, [this](const Reply& all) {
    if (all.rc != ZOK || all.names.size() > most_groups) return;
    open_ = all.names.size() + 1;
    for (const std::string& group : all.names) {
      const auto seen = [this](const Reply& reply) {
        if (reply.rc == ZOK) keep(parse_term(reply.value));
        if (reply.rc != ZOK && reply.rc != ZNONODE) left_.clear();  // it may name any of them
        arrived();
      };
      context_.client.get(context_.paths.group(group), Watch::no, seen, Priority::low);
    }
    arrived();
  });
}

void Tidy::keep(const TermRecord& term) {
  if (!term.clean) left_.erase(term.node);
  for (const SessionOf& one : term.before) left_.erase(one.node);
}

/// One that has come back meanwhile has another version.
void Tidy::remove() {
  for (const auto& [node, version] : std::exchange(left_, {}))
    context_.client.remove(
        context_.paths.member(node), [](const Reply&) {}, version);
}

}  // namespace ballot::zookeeper
