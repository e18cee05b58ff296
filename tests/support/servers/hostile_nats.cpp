#include "support/servers/hostile_nats.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "support/servers/nats_words.hpp"

namespace ballot::testing {

namespace {

const std::string honest_info =
    "INFO {\"server_id\":\"test\",\"version\":\"2.9.10\",\"headers\":true,\"max_payload\":1048576,\"proto\":1}\r\n";

/// Takes whole lines off the front; a payload's too, as those of tests have no line that begins like one of these.
bool read_lines(std::string& text, NatsClientSide& client) {
  bool pinged = false;
  for (std::size_t end; (end = text.find("\r\n")) != std::string::npos; text.erase(0, end + 2)) {
    const std::vector<std::string> words = words_of(text.substr(0, end));
    if (words.empty()) continue;
    if (words[0] == "PING") pinged = true;
    if (words[0] == "SUB" && client.subject.empty()) {
      client.subject = words[1].substr(0, words[1].find('*')) + "1";
      client.subscription = words.back();
    }
    if (words[0] == "PUB" && words.size() == 4) client.reply = words[2];
    if (words[0] == "HPUB" && words.size() == 5) client.reply = words[2];
  }
  return pinged;
}

/// More of it, as far as it has come. False: the client is gone.
bool receive(int socket, std::string& text, int flags) {
  char bytes[65536];
  const ssize_t size = ::recv(socket, bytes, sizeof bytes, flags);
  if (size > 0) text.append(bytes, static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && flags != 0);
}

std::string repeated(const std::string& text, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += text;
  return all;
}

constexpr std::size_t piece = 64 * 1024;

NatsAttack with_line(std::string name, std::string after_subscription) {
  const auto line = [after = std::move(after_subscription)](const NatsClientSide& client) {
    return "MSG " + client.subject + " " + client.subscription + " " + after + "\r\n";
  };
  const auto payload = [](const NatsClientSide&) { return std::string(piece, 'x'); };
  return {std::move(name), NatsAttack::When::logged_in, line, payload};
}

NatsAttack with_bytes(std::string name, NatsAttack::When when, std::string once, std::string again) {
  const auto first = [bytes = std::move(once)](const NatsClientSide&) { return bytes; };
  const auto next = [bytes = repeated(again, piece)](const NatsClientSide&) { return bytes; };
  return {std::move(name), when, first, next};
}

NatsAttack with_messages(std::string name, std::size_t size) {
  const auto many = [size](const NatsClientSide& client) {
    const std::string line = "MSG " + client.subject + " " + client.subscription + " " + std::to_string(size);
    return repeated(line + "\r\n" + std::string(size, 'x') + "\r\n", piece);
  };
  return {std::move(name), NatsAttack::When::logged_in, {}, many};
}

NatsAttack with_junk_answers() {
  const std::string junk = "[" + repeated("0,", 48 * 1024) + "0]";
  const auto answer = [junk](const NatsClientSide& client) {
    if (client.reply.empty()) return std::string();
    return "MSG " + client.reply + " " + client.subscription + " " + std::to_string(junk.size()) + "\r\n" + junk +
           "\r\n";
  };
  return {"JunkAnswers", NatsAttack::When::logged_in, {}, answer, std::chrono::milliseconds(1)};
}

NatsAttack with_huge_headers() {
  const auto line = [](const NatsClientSide& client) {
    const std::string size = std::to_string(8 << 20);
    return "HMSG " + client.subject + " " + client.subscription + " " + size + " " + size + "\r\n" +
           std::string(8 << 20, 'h') + "\r\n";
  };
  return {"HugeHeaders", NatsAttack::When::logged_in, {}, line};
}

}  // namespace

const std::vector<NatsAttack>& nats_attacks() {
  using When = NatsAttack::When;
  static const std::vector<NatsAttack> all{
      with_line("AMessageOfAsManyBytesAsAnIntHolds", "2147483647"),
      with_line("AMessageOfTwoBillionBytes", "2000000000"),
      with_line("AMessageOfMoreBytesThanANumberHolds", "99999999999999999999"),
      with_line("AMessageOfFewerThanNoBytes", "-1"),
      with_line("AMessageWithoutASize", ""),
      with_bytes("ALineWithoutAnEnd", When::logged_in, "MSG ", "a"),
      with_bytes("AnErrorWithoutAnEnd", When::logged_in, "-ERR '", "e"),
      with_bytes("ErrorsWithoutAnEnd", When::logged_in, "", "-ERR 'Permissions Violation for Publish to \"x\"'\r\n"),
      with_bytes("AnInfoWithoutAnEnd", When::in_place_of_info, "INFO {\"a\":\"", "i"),
      with_bytes("InfosWithoutAnEnd", When::logged_in, "", honest_info),
      with_bytes("PingsWithoutAnEnd", When::logged_in, "", "PING\r\n"),
      with_bytes("AnotherProtocol", When::in_place_of_info, "HTTP/1.1 400 Bad Request\r\n", "\r\n"),
      with_bytes("AHeaderLongerThanItsMessage", When::logged_in, "HMSG a 1 100 10\r\n", "h"),
      with_bytes("MessagesForNobody", When::logged_in, "", "MSG a 77 0\r\n\r\n"),
      with_messages("EmptyMessages", 0),
      with_messages("MessagesThatAreLarge", 60 * 1024),
      with_junk_answers(),
      with_huge_headers(),
      {"Silence"},
      {"AnInfoInDrips",
       When::in_place_of_info,
       {},
       [](const NatsClientSide&) { return std::string("I"); },
       std::chrono::milliseconds(20)},
  };
  return all;
}

HostileNats::HostileNats(NatsAttack attack)
    : attack_(std::move(attack)), server_([this](int socket) { serve(socket); }) {}

void HostileNats::serve(int socket) {
  const bool honest = honest_;
  NatsClientSide client;
  if (!honest && attack_.when == NatsAttack::When::in_place_of_info) return harm(socket, client);
  if (!send_all(socket, honest_info)) return;
  std::string text;
  while (receive(socket, text, 0)) {
    if (!read_lines(text, client)) continue;
    if (!send_all(socket, "PONG\r\n")) return;
    if (!honest) return harm(socket, client);
  }
}

void HostileNats::harm(int socket, NatsClientSide client) {
  ++attacked_;
  if (attack_.once && !send_all(socket, attack_.once(client))) return;
  std::string text;
  for (std::size_t sent = 0; sent < NatsAttack::most_bytes;) {
    if (!attack_.again) {
      if (!receive(socket, text, 0)) return;
      text.clear();
      continue;
    }
    if (!receive(socket, text, MSG_DONTWAIT)) return;
    read_lines(text, client);
    const std::string next = attack_.again(client);
    if (!send_all(socket, next)) return;
    sent += next.size();
    if (attack_.pause.count() > 0) ::poll(nullptr, 0, static_cast<int>(attack_.pause.count()));
  }
  while (receive(socket, text, 0)) text.clear();
}

}  // namespace ballot::testing
