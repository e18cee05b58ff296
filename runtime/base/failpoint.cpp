#include "base/failpoint.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>

namespace ballot {
namespace {

constexpr const char* variable = "BALLOT_FAILPOINTS";

enum class Act { fail, kill, stop, hang, exit };

struct Rule {
  char point[64] = {};
  Act act = Act::fail;
  int value = 0;  // errno, or the exit code
  std::uint64_t first = 1, last = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::uint64_t> passed{0};
};

/// In memory that a child shares after a fork, so that what it passes between fork and exec counts.
struct Rules {
  std::size_t count = 0;
  Rule all[64];
};

struct ErrorName {
  std::string_view name;
  int error;
};
constexpr ErrorName error_names[] = {{"EACCES", EACCES},   {"EAGAIN", EAGAIN}, {"ECONNREFUSED", ECONNREFUSED},
                                     {"EEXIST", EEXIST},   {"EINTR", EINTR},   {"EINVAL", EINVAL},
                                     {"EIO", EIO},         {"EMFILE", EMFILE}, {"ENFILE", ENFILE},
                                     {"ENOBUFS", ENOBUFS}, {"ENOENT", ENOENT}, {"ENOMEM", ENOMEM},
                                     {"ENOSPC", ENOSPC},   {"EPERM", EPERM},   {"EROFS", EROFS}};

void say(std::string_view text) {
  [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void refuse(std::string_view rule) {
  say(std::string(variable) + ": cannot read '" + std::string(rule) + "': POINT=ACTION[@N|@N-M|@N-]\n");
  ::_exit(2);
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<int> error_number(std::string_view text) {
  for (const auto& [name, error] : error_names)
    if (name == text) return error;
  return number<int>(text);
}

bool read_action(Rule& rule, std::string_view text) {
  const std::size_t open = text.find('(');
  const std::string_view word = text.substr(0, open);
  const bool has_value = open != std::string_view::npos;
  if (has_value && text.back() != ')') return false;
  const std::string_view value = has_value ? text.substr(open + 1, text.size() - open - 2) : std::string_view();
  if (word == "fail" || word == "exit") {
    rule.act = word == "fail" ? Act::fail : Act::exit;
    const auto read = word == "fail" ? error_number(value) : number<int>(value);
    rule.value = read.value_or(0);
    return read.has_value();
  }
  rule.act = word == "kill" ? Act::kill : word == "stop" ? Act::stop : Act::hang;
  return !has_value && (word == "kill" || word == "stop" || word == "hang");
}

bool read_when(Rule& rule, std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = number<std::uint64_t>(text.substr(0, dash));
  if (!first || *first == 0) return false;
  rule.first = rule.last = *first;
  if (dash == std::string_view::npos) return true;
  rule.last = std::numeric_limits<std::uint64_t>::max();
  if (dash + 1 == text.size()) return true;
  const auto last = number<std::uint64_t>(text.substr(dash + 1));
  rule.last = last.value_or(0);
  return rule.last >= rule.first;
}

void read_rule(Rules& rules, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) refuse(text);
  const std::size_t at = text.find('@', equals);
  if (rules.count == std::size(rules.all) || equals >= sizeof Rule::point) refuse(text);
  Rule& rule = rules.all[rules.count++];
  text.copy(rule.point, equals);
  const bool good = read_action(rule, text.substr(equals + 1, at - equals - 1)) &&
                    (at == std::string_view::npos || read_when(rule, text.substr(at + 1)));
  if (!good) refuse(text);
}

void read_rules(Rules& rules, std::string_view text) {
  while (!text.empty()) {
    const std::string_view rule = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(text.size(), rule.size() + 1));
    if (!rule.empty()) read_rule(rules, rule);
  }
}

Rules* make_rules(std::string_view text) {
  void* memory = ::mmap(nullptr, sizeof(Rules), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) refuse(text);
  auto* rules = new (memory) Rules;
  read_rules(*rules, text);
  return rules;
}

Rules* of_environment() {
  const char* value = std::getenv(variable);
  return make_rules(value ? value : "");
}

Rules*& all_rules() {
  static Rules* rules = of_environment();
  return rules;
}

/// This thread takes the signal, so that it goes no further than the point.
void signal_self(int signal) { ::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), signal); }

void announce(const char* name) {
  say("failpoint ");
  say(name);
  say("\n");
}

/// The error that the point is to fail with; 0: none. Leaves errno alone.
int act(const Rule& rule, const char* name) {
  if (rule.act == Act::fail) return rule.value;
  const int error = errno;
  announce(name);
  if (rule.act == Act::exit) ::_exit(rule.value);
  if (rule.act == Act::kill) signal_self(SIGKILL);
  if (rule.act == Act::stop) signal_self(SIGSTOP);
  while (rule.act == Act::hang) ::pause();
  errno = error;
  return 0;
}

}  // namespace

int failpoint_error(const char* name) noexcept {
  int error = 0;
  Rules& rules = *all_rules();
  for (std::size_t i = 0; i < rules.count; ++i) {
    Rule& rule = rules.all[i];
    if (std::strcmp(rule.point, name) != 0) continue;
    const std::uint64_t time = ++rule.passed;
    if (time < rule.first || time > rule.last) continue;
    if (const int failed = act(rule, name)) error = failed;
  }
  return error;
}

bool failpoint(const char* name) noexcept {
  const int error = failpoint_error(name);
  if (error != 0) errno = error;
  return error != 0;
}

void set_failpoints(std::string_view rules) { all_rules() = make_rules(rules); }

char* failpoint_environment() noexcept {
  for (char** entry = environ; entry && *entry; ++entry)
    if (std::string_view(*entry).starts_with(std::string(variable) + "=")) return *entry;
  return nullptr;
}

}  // namespace ballot
