#include "registers.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ballot::zookeeper {

namespace {

constexpr std::size_t most_bytes = 200'000;  // of values in one transaction

}  // namespace

std::shared_ptr<WriteBatch> Registers::begin(RequestId request, std::size_t size) {
  return std::make_shared<WriteBatch>(request, size, [this](Event wrote) { context_.post(std::move(wrote)); });
}

void Registers::answer(const Change& change, WriteAnswer answer) {
  if (!change.group.empty()) elections_.write_ended(change.group);
  change.batch->answer(change.index, std::move(answer));
}

void Registers::write(const WriteCall& call) {
  const auto batch = begin(call.request, call.batch.size());
  for (std::size_t i = 0; i < call.batch.size(); ++i) {
    const RegisterWrite& one = call.batch[i];
    Change change{batch, i, one.group, {}, one.name[0], context_.paths.of_register(one.name), one.value, 0};
    change.version = one.version == 0 ? -1 : static_cast<int>(static_cast<std::uint32_t>(one.version - 1));
    elections_.write_began(one.group);
    if (auto problem = problem_of(one.name, one.value); !problem.empty()) {
      answer(change, {StoreResult::failed, 0, std::move(problem)});
    } else if (one.epoch == 0 || elections_.epoch(one.group) != one.epoch) {
      answer(change, {StoreResult::not_leader, 0, {}});
    } else {
      change.guard = context_.paths.candidate(one.group, elections_.own_entry(one.group));
      gathered_.push_back(std::move(change));
    }
  }
}

void Registers::create(const CreateCall& call) {
  const auto batch = begin(call.request, call.records.size());
  for (std::size_t i = 0; i < call.records.size(); ++i) {
    const Record& one = call.records[i];
    Change change{batch, i, {}, {}, one.name[0], context_.paths.of_register(one.name), one.value, -1};
    if (auto problem = problem_of(one.name, one.value); !problem.empty())
      answer(change, {StoreResult::failed, 0, std::move(problem)});
    else
      gathered_.push_back(std::move(change));
  }
}

void Registers::remove(const RemoveCall& call) {
  flush(true);  // of one caller's requests, the first happens first
  const auto batch = begin(call.request, call.names.size());
  for (std::size_t i = 0; i < call.names.size(); ++i) {
    context_.client.remove(context_.paths.of_register(call.names[i]), [this, batch, i](const Reply& reply) {
      const bool done = reply.rc == ZOK || reply.rc == ZNONODE;
      const StoreResult outcome = done                   ? StoreResult::done
                                  : is_unknown(reply.rc) ? StoreResult::unknown
                                                         : StoreResult::failed;
      batch->answer(i, {outcome, 0, done ? "" : text_of(reply.rc)});
    });
  }
}

void Registers::flush(bool all) {
  while (batching_.ready(gathered_.size(), all)) {
    Changes some;
    std::size_t bytes = 0;
    while (!gathered_.empty() && some.size() < batching_.most() && bytes < most_bytes) {
      bytes += gathered_.front().value.size();
      some.push_back(std::move(gathered_.front()));
      gathered_.pop_front();
    }
    send(std::move(some));
  }
}

/// A register that is set shows at its folder too: a watch of a folder fires for all that lies in it.
void Registers::send(Changes changes) {
  auto multi = context_.client.multi();
  std::set<char> letters;
  for (const Change& change : changes) {
    if (!change.guard.empty()) multi->check(change.guard);
    if (change.version < 0) {
      multi->create(change.path, change.value, ZOO_PERSISTENT);
    } else {
      multi->set(change.path, change.value, change.version);
      letters.insert(change.letter);
    }
  }
  for (const char letter : letters) multi->set(context_.paths.letter(letter), {}, -1);
  context_.client.commit(std::move(multi), batching_.counted([this, changes = std::move(changes)](const Reply& reply) {
    on_answer(changes, reply);
  }));
}

void Registers::on_answer(Changes changes, const Reply& reply) {
  if (is_unknown(reply.rc)) {
    for (const Change& change : changes) answer(change, {StoreResult::unknown, 0, text_of(reply.rc)});
  } else if (lacks_folder(changes, reply)) {
    make_folders(std::move(changes));
  } else if (reply.rc != ZOK && changes.size() > 1) {
    for (Change& change : changes) send({std::move(change)});
  } else {
    const OpAnswer* ops = reply.ops.data();
    for (Change& change : changes) {
      const OpAnswer* const own = std::exchange(ops, ops + change.ops());
      decide(std::move(change), own, reply.rc);
    }
  }
}

/// One of them could not be created, and it has not been seen to yet.
bool Registers::lacks_folder(const Changes& changes, const Reply& reply) {
  std::size_t end = 0;
  return std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
    end += change.ops();
    return change.version < 0 && !change.retried && reply.ops.at(end - 1).rc == ZNONODE;
  });
}

/// Then all of them are sent again.
void Registers::make_folders(Changes changes) {
  context_.make_folders([](int) {});
  std::set<char> letters;
  for (Change& change : changes) {
    change.retried = true;
    letters.insert(change.letter);
  }
  const auto open = std::make_shared<std::size_t>(letters.size());
  const auto all = std::make_shared<Changes>(std::move(changes));
  for (const char letter : letters)
    context_.client.create(context_.paths.letter(letter), {}, ZOO_PERSISTENT, [this, open, all](const Reply&) {
      if (--*open == 0) send(std::move(*all));
    });
}

/// `rc`: of the whole, and known; where it is a refusal, the change was sent alone.
void Registers::decide(Change change, const OpAnswer* ops, int rc) {
  const bool fenced = !change.guard.empty();
  const OpAnswer& own = ops[fenced ? 1 : 0];
  if (rc == ZOK) {
    context_.see(own.stat);
    const auto version = change.version < 0 ? 1u : static_cast<std::uint32_t>(own.stat.version) + 1u;
    return answer(change, {StoreResult::done, fenced ? version : 0, {}});
  }
  if (fenced && ops[0].rc == ZNONODE) return answer(change, {StoreResult::not_leader, 0, {}});
  if (rc == ZNODEEXISTS || rc == ZBADVERSION || (rc == ZNONODE && change.version >= 0))
    return answer(change, {StoreResult::conflict, 0, {}});
  answer(change, {StoreResult::failed, 0, change.path + ": " + text_of(rc)});
}

void Registers::read(const ReadCall& call) {
  context_.after_barrier([this, call](int rc) {
    auto found = std::make_shared<Found>(Found{call.request, {}, call.names.size() + 1, rc});
    found->registers.resize(call.names.size());
    for (std::size_t i = 0; i < call.names.size(); ++i) rc == ZOK ? get(found, i, call.names[i]) : arrived(found, rc);
    arrived(found, rc);
  });
}

void Registers::list(const ListCall& call) {
  context_.after_barrier([this, call](int rc) {
    auto found = std::make_shared<Found>(Found{call.request, {}, 1, rc});
    if (rc != ZOK) return arrived(found, rc);
    if (!call.prefix.empty()) return list_letter(found, call.prefix[0], call.prefix);
    context_.client.children(context_.paths.registers(), Watch::no, [this, found](const Reply& letters) {
      found->open += letters.names.size();
      for (const std::string& letter : letters.names) list_letter(found, letter[0], {});
      arrived(found, letters.rc);
    });
  });
}

void Registers::list_letter(const std::shared_ptr<Found>& found, char letter, const std::string& prefix) {
  context_.client.children(context_.paths.letter(letter), Watch::no, [this, found, letter, prefix](const Reply& reply) {
    for (const std::string& one : reply.names) {
      const std::string name = std::string(1, letter) + "/" + Paths::unescaped(one);
      if (name.compare(0, prefix.size(), prefix) != 0) continue;
      ++found->open;
      found->registers.emplace_back();
      get(found, found->registers.size() - 1, name);
    }
    arrived(found, reply.rc);
  });
}

void Registers::get(const std::shared_ptr<Found>& found, std::size_t index, const std::string& name) {
  context_.client.get(context_.paths.of_register(name), Watch::no, [this, found, index, name](const Reply& reply) {
    if (reply.rc == ZOK) {
      context_.see(reply.stat);
      found->registers[index] = {name, reply.value, static_cast<std::uint32_t>(reply.stat.version) + 1u};
    }
    arrived(found, reply.rc);
  });
}

void Registers::arrived(const std::shared_ptr<Found>& found, int rc) {
  if (rc != ZOK && rc != ZNONODE) found->rc = rc;
  if (--found->open > 0) return;
  auto& registers = found->registers;
  std::erase_if(registers, [](const Register& one) { return one.name.empty(); });
  if (found->rc == ZOK || found->rc == ZNONODE)
    return context_.post(backend::ReadDone{found->request, StoreResult::done, std::move(registers), {}});
  const StoreResult outcome = is_unknown(found->rc) ? StoreResult::unknown : StoreResult::failed;
  context_.post(backend::ReadDone{found->request, outcome, {}, text_of(found->rc)});
}

}  // namespace ballot::zookeeper
