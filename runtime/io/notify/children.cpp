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

/// The child's output, on one line.
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
    runner::Start& start = next->item.start;
    start.id = {random_.run_id(read_clocks().wall), child_attempt};
    start.terminate = false;
    start.launch_not_after = SteadyTime::max();
    start.output_limit = output_kept;
    const Child& child = under_way_[start.id.run] = std::move(next->item);
    send_(child.start);
  }
}

void Children::kill(const std::string& key, Millis grace) {
  for (const auto& [id, child] : under_way_)
    if (child.key == key) send_(runner::Kill{{id, child_attempt}, Reason::shutdown, 15, grace});
}

void Children::on_runner(RunnerLink link) {
  ready_ = link != RunnerLink::broken;
  const std::set<RunId> named = std::exchange(inventory_, {});
  if (!ready_) return;
  std::vector<RunId> unknown;
  for (const auto& [id, child] : under_way_)
    if (!named.contains(id)) unknown.push_back(id);
  for (const RunId& id : unknown) {
    const runner::Start& start = under_way_[id].start;
    if (link == RunnerLink::taken_up && !start.argv.empty())
      send_(start);
    else
      end(id, " is lost: its runner is gone", {});
  }
  begin_next();
}

void Children::adopt(const runner::Running& running, const std::string& key) {
  Child child;
  child.key = key;
  child.what = "what an earlier daemon began";
  inventory_.insert(running.id.run);
  if (under_way_.try_emplace(running.id.run, std::move(child)).second) queue_.occupy(key);
}

bool Children::takes(const runner::FromRunner& message) {
  const runner::AttemptId* id = id_of(message);
  if (id == nullptr || id->attempt != child_attempt) return false;
  const auto child = under_way_.find(id->run);
  if (child == under_way_.end()) return false;
  if (std::holds_alternative<runner::Started>(message)) {
    child->second.start = {};
  } else if (std::holds_alternative<runner::Running>(message)) {
    child->second.start = {};
    inventory_.insert(id->run);
  } else if (const auto* cannot = std::get_if<runner::CannotStart>(&message)) {
    const std::vector<std::string>& argv = child->second.start.argv;
    const std::string program = cannot->stage == "exec" && !argv.empty() ? " " + argv.front() : "";
    end(id->run, " cannot be started: " + cannot->stage + program + ": " + ::strerror(cannot->error), {});
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
