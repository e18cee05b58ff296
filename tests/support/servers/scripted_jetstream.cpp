#include "support/servers/scripted_jetstream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <sstream>
#include <utility>

#include "support/servers/nats_words.hpp"

namespace ballot::testing {

namespace {

const std::string api = "$JS.API.CONSUMER.CREATE.KV_b.";

void say(int socket, const std::string& bytes) { (void)send_all(socket, bytes); }

/// What stands after "NAME":" in JSON.
std::string text_in(const std::string& json, const std::string& name) {
  const std::size_t at = json.find("\"" + name + "\":\"");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 4;
  return json.substr(begin, json.find('"', begin) - begin);
}

}  // namespace

ScriptedJetStream::ScriptedJetStream(std::vector<int> apart)
    : apart_(std::move(apart)), server_([this](int socket) { serve(socket); }) {}

void ScriptedJetStream::renumber(std::int64_t by) {
  const std::lock_guard hold(mutex_);
  last_ += by;
  for (auto& [subject, stored] : all_) stored.sequence += by;
  server_.break_connections();
}

void ScriptedJetStream::serve(int socket) {
  const std::lock_guard one_client(turn_);
  subscriptions_.clear();
  consumer_.clear();
  say(socket, "INFO {\"headers\":true}\r\n");
  std::string text;
  const auto more = [&] {
    char bytes[65536];
    const ssize_t size = ::recv(socket, bytes, sizeof bytes, 0);
    if (size > 0) text.append(bytes, static_cast<std::size_t>(size));
    return size > 0;
  };
  while (true) {
    const std::size_t end = text.find("\r\n");
    if (end == std::string::npos) {
      if (!more()) return;
      continue;
    }
    const std::vector<std::string> words = words_of(text.substr(0, end));
    text.erase(0, end + 2);
    if (words.empty()) continue;
    if (words[0] == "PING") say(socket, "PONG\r\n");
    if (words[0] == "SUB") subscriptions_[words[1]] = words.back();
    if (words[0] != "PUB" && words[0] != "HPUB") continue;
    const bool has_header = words[0] == "HPUB";
    const std::size_t size = std::stoul(words.back()), header = has_header ? std::stoul(words[words.size() - 2]) : 0;
    while (text.size() < size + 2)
      if (!more()) return;
    const bool has_reply = words.size() == (has_header ? 5u : 4u);
    on_published(socket, words[1], has_reply ? words[2] : "", text.substr(0, header),
                 text.substr(header, size - header));
    text.erase(0, size + 2);
  }
}

void ScriptedJetStream::on_published(int socket, const std::string& subject, const std::string& reply,
                                     std::string header, std::string data) {
  const auto answer = [&](const std::string& json) {
    if (!reply.empty()) say(socket, "MSG " + reply + " 1 " + std::to_string(json.size()) + "\r\n" + json + "\r\n");
  };
  if (subject.starts_with(api)) {
    answer("{\"type\":\"created\"}");
    return begin_consumer(socket, subject, data);
  }
  if (!subject.starts_with("$KV.b.")) return;
  const std::lock_guard hold(mutex_);
  Stored& stored = all_[subject];
  stored = {std::move(header), std::move(data), ++last_};
  answer("{\"stream\":\"KV_b\",\"seq\":" + std::to_string(stored.sequence) + "}");
  std::exchange(waits_, false) ? deliver_all(socket) : deliver(socket, subject, stored);
}

void ScriptedJetStream::begin_consumer(int socket, const std::string& subject, const std::string& request) {
  const std::lock_guard hold(mutex_);
  const std::size_t number = consumers_++;
  ahead_ = number < apart_.size() ? apart_[number] : 0;
  sent_ = 0;
  consumer_ = subject.substr(api.size());
  to_ = text_in(request, "deliver_subject");
  waits_ = pause_.load().count() > 0;
  if (!waits_) deliver_all(socket);
}

/// Requires: mutex_ is held.
void ScriptedJetStream::deliver_all(int socket) {
  std::map<std::int64_t, std::string> in_order;
  for (const auto& [one, stored] : all_) in_order[stored.sequence] = one;
  for (const auto& [sequence, one] : in_order) {
    if (pause_.load().count() > 0) ::poll(nullptr, 0, static_cast<int>(pause_.load().count()));
    deliver(socket, one, all_[one]);
  }
}

/// All have one time: it does not follow from the number.
void ScriptedJetStream::deliver(int socket, const std::string& subject, const Stored& stored) {
  const auto subscription = subscriptions_.find(to_);
  if (consumer_.empty() || subscription == subscriptions_.end()) return;
  const std::string reply = "$JS.ACK.KV_b." + consumer_ + ".1." + std::to_string(stored.sequence + ahead_) + "." +
                            std::to_string(++sent_) + ".1700000000123456789.0";
  const std::string sizes = (stored.header.empty() ? "" : std::to_string(stored.header.size()) + " ") +
                            std::to_string(stored.header.size() + stored.data.size());
  say(socket, (stored.header.empty() ? "MSG " : "HMSG ") + subject + " " + subscription->second + " " + reply + " " +
                  sizes + "\r\n" + stored.header + stored.data + "\r\n");
}

}  // namespace ballot::testing
