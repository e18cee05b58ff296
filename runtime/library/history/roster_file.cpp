#include "library/history/roster_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "base/unique_fd.hpp"
#include "io/message.hpp"
#include "io/trusted_file.hpp"
#include "library/history/wire_values.hpp"

namespace ballot::library {
namespace {

using io::Message;

Message roster_message(const std::string& name, const KnownNode& node) {
  Message message;
  message.set("node", name).set("url", node.url).set("machine", node.machine);
  message.set("published_at", in_ms(node.published_at));
  if (node.seen_at) message.set("seen_at", in_ms(*node.seen_at));
  if (node.answered_at) message.set("answered_at", in_ms(*node.answered_at));
  if (node.left_at) message.set("left_at", in_ms(*node.left_at));
  return message;
}

KnownNode known_node(const Message& message) {
  return {message.text("url").value_or(""),
          message.text("machine").value_or(""),
          instant_of(message, "published_at").value_or(WallTime{}),
          instant_of(message, "seen_at"),
          instant_of(message, "answered_at"),
          instant_of(message, "left_at")};
}

Error roster_failure(const std::string& what) { return {Errc::io, what + ": " + std::strerror(errno)}; }

}  // namespace

Result<void> write_roster(const std::string& path, const KnownNodes& nodes) {
  std::vector<Message> all;
  for (const auto& [name, node] : nodes) all.push_back(roster_message(name, node));
  const std::string text = io::encode(Message().set("nodes", std::move(all))) + "\n";
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());
  const UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) || ::fsync(fd.get()) != 0)
    return roster_failure("cannot write " + fresh);
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return roster_failure("cannot replace " + path);
  return {};
}

Result<KnownNodes> read_roster(const std::string& path) {
  auto text = io::read_trusted_file(path, io::Readers::owner);
  if (!text) return Error{text.error().code, path + ": " + text.error().what};
  while (text->ends_with('\n')) text->pop_back();
  const auto message = io::decode(*text);
  if (!message) return Error{Errc::corrupt, path + ": " + message.error().what};
  KnownNodes nodes;
  for (const Message& one : message->objects("nodes"))
    if (const auto name = one.text("node")) nodes[*name] = known_node(one);
  return nodes;
}

}  // namespace ballot::library
