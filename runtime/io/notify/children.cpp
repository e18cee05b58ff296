#include "io/notify/children.hpp"

#include <cstring>
#include <random>
#include <utility>

#include "io/clocks.hpp"

namespace ballot::io {
namespace {

constexpr std::int64_t output_kept = 1024;  // for the log
constexpr int child_attempt = 0;

std::uint64_t retry_seed() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

const runner::AttemptId* id_of(const runner::FromRunner& message) {
  return std::visit(
      [](const auto& m) -> const runner::AttemptId* {
        if constexpr (requires { m.id; })
          return &m.id;
        else
          return nullptr;
      },
      message);
}

std::size_t bytes_of(const runner::Start& start) {
  std::size_t bytes = start.standard_input.size();
  for (const std::string& text : start.environment) bytes += text.size();
  return bytes;
}

/// What it said, on one line.
std::string said(const Output& output) {
  std::string text = output.head + output.tail;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

bool is_of_child(const runner::FromRunner& message) {
  const runner::AttemptId* id = id_of(message);
  return id != nullptr && id->attempt == child_attempt;
}

Children::Children(QueueBounds bounds, ToRunner send, Log log)
    : queue_(bounds), send_(std::move(send)), log_(std::move(log)), random_(retry_seed()) {}

void Children::run(Child child) {
  const std::size_t bytes = bytes_of(child.start);
  std::string key = child.key;
  for (auto& dropped : queue_.push(std::move(key), std::move(child), bytes)) drop(std::move(dropped.item));
  begin_next();
}

void Children::drop(Child child) {
  log_(Level::warn, child.what + " left out: too many are waiting", child.fields);
  if (child.on_ended) child.on_ended();
}

void Children::begin_next() {
  while (ready_) {
    auto next = queue_.take();
    if (!next) return;
    Child child = std::move(next->item);
    runner::Start start = std::move(child.start);
    start.id = {random_.run_id(read_clocks().wall), child_attempt};
    start.terminate = false;
    start.launch_not_after = SteadyTime::max();
    start.output_limit = output_kept;
    under_way_[start.id.run] = std::move(child);
    send_(std::move(start));
  }
}

void Children::kill(const std::string& key, Millis grace) {
  for (const auto& [id, child] : under_way_)
    if (child.key == key) send_(runner::Kill{{id, child_attempt}, Reason::shutdown, 15, grace});
}

void Children::ready(bool is_ready) {
  ready_ = is_ready;
  if (ready_) return begin_next();
  while (!under_way_.empty()) end(under_way_.begin()->first, " is lost: its runner is gone", {});
}

void Children::adopt(const runner::Running& running, const std::string& key) {
  Child child;
  child.key = key;
  child.what = "what an earlier daemon began";
  if (under_way_.try_emplace(running.id.run, std::move(child)).second) queue_.occupy(key);
}

bool Children::takes(const runner::FromRunner& message) {
  const runner::AttemptId* id = id_of(message);
  if (id == nullptr || id->attempt != child_attempt) return false;
  if (!under_way_.contains(id->run)) return false;
  if (const auto* cannot = std::get_if<runner::CannotStart>(&message)) {
    end(id->run, " cannot be started: " + cannot->stage + ": " + ::strerror(cannot->error), {});
  } else if (std::holds_alternative<runner::Refused>(message)) {
    end(id->run, " is not started: the runner is ending", {});
  } else if (const auto* ended = std::get_if<runner::Ended>(&message)) {
    send_(runner::Ack{*id});
    LogFields more;
    if (ended->exit_code) more.emplace_back("exit_code", std::to_string(*ended->exit_code));
    if (ended->signal) more.emplace_back("signal", std::to_string(*ended->signal));
    if (const std::string text = said(ended->output); !text.empty()) more.emplace_back("output", text);
    const bool good = ended->exit_code == 0 && ended->reason == Reason::none;
    const char* problem = ended->reason == Reason::deadline ? " took too long and was killed"
                          : ended->reason != Reason::none   ? " was killed"
                                                            : " failed";
    end(id->run, good ? "" : problem, good ? LogFields{} : std::move(more));
  }
  return true;
}

void Children::end(const RunId& id, const std::string& problem, LogFields more) {
  const auto node = under_way_.extract(id);
  const Child& child = node.mapped();
  more.insert(more.begin(), child.fields.begin(), child.fields.end());
  if (problem.empty())
    log_(Level::debug, child.what + " is done", more);
  else
    log_(Level::warn, child.what + problem, more);
  queue_.done(child.key);
  if (child.on_ended) child.on_ended();
  begin_next();
}

}  // namespace ballot::io
