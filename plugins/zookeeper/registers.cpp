#include "registers.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

namespace ballot::zookeeper {

namespace {

constexpr std::size_t most_bytes = 200'000;  // of values in one transaction
constexpr std::size_t many_reads = 100;      // from so many on it may be worth asking first which are there
constexpr std::size_t long_list = 5000;
constexpr std::size_t names_for_a_read = 64;  // of a list that take as long as reading one

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
  get_wanted();
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

/// Changes of one group that come one after the other are guarded once.
std::vector<Registers::Place> Registers::places_of(const Changes& changes) {
  std::vector<Place> places;
  std::size_t next = 0;
  std::optional<std::size_t> guard;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (i == 0 || changes[i].guard != changes[i - 1].guard)
      guard = changes[i].guard.empty() ? std::nullopt : std::optional(next++);
    places.push_back({guard, next++});
  }
  return places;
}

/// A register that is set shows at its folder too: a watch of a folder fires for all that lies in it.
void Registers::send(Changes changes) {
  auto multi = context_.client.multi();
  std::set<char> letters;
  const std::vector<Place> places = places_of(changes);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    if (places[i].guard == multi->size()) multi->check(change.guard);
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
    const std::vector<Place> places = places_of(changes);
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const OpAnswer* const guard = places[i].guard ? &reply.ops.at(*places[i].guard) : nullptr;
      decide(std::move(changes[i]), guard, reply.ops.at(places[i].own), reply.rc);
    }
  }
}

/// One of them could not be created, and it has not been seen to yet.
bool Registers::lacks_folder(const Changes& changes, const Reply& reply) {
  const std::vector<Place> places = places_of(changes);
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (changes[i].version < 0 && !changes[i].retried && reply.ops.at(places[i].own).rc == ZNONODE) return true;
  return false;
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
void Registers::decide(Change change, const OpAnswer* guard, const OpAnswer& own, int rc) {
  if (rc == ZOK) {
    context_.see(own.stat);
    const auto version = change.version < 0 ? 1u : static_cast<std::uint32_t>(own.stat.version) + 1u;
    return answer(change, {StoreResult::done, guard != nullptr ? version : 0, {}});
  }
  if (guard != nullptr && guard->rc == ZNONODE) return answer(change, {StoreResult::not_leader, 0, {}});
  if (rc == ZNODEEXISTS || rc == ZBADVERSION || (rc == ZNONODE && change.version >= 0))
    return answer(change, {StoreResult::conflict, 0, {}});
  answer(change, {StoreResult::failed, 0, change.path + ": " + text_of(rc)});
}

void Registers::read(const ReadCall& call) {
  context_.after_barrier([this, call](int rc) {
    auto found = std::make_shared<Found>(Found{call.request, {}, call.names.size() + 1, rc});
    found->registers.resize(call.names.size());
    for (std::size_t i = 0; i < call.names.size(); ++i)
      rc == ZOK ? wanted_[call.names[i][0]].push_back({found, i, call.names[i]}) : arrived(found, rc);
    arrived(found, rc);
  });
}

/// What many calls ask for is got together: where a folder has not many times as many registers, those that are there.
void Registers::get_wanted() {
  for (auto& [letter, some] : std::exchange(wanted_, {})) {
    if (some.size() < many_reads) {
      get_all(some);
      continue;
    }
    const auto wanted = std::make_shared<const AllWanted>(std::move(some));
    const auto sized = [this, letter = letter, wanted](const Reply& folder) {
      if (folder.rc == ZNONODE) return none_there(*wanted);
      const auto names = static_cast<std::size_t>(folder.stat.numChildren);
      if (folder.rc != ZOK || names > wanted->size() * names_for_a_read) return get_all(*wanted);
      get_those_there(letter, wanted);
    };
    context_.client.exists(context_.paths.letter(letter), Watch::no, sized);
  }
}

/// New elections ask for registers that nobody has written yet.
void Registers::get_those_there(char letter, const std::shared_ptr<const AllWanted>& wanted) {
  const auto listed = [this, letter, wanted](const Reply& reply) {
    if (reply.rc == ZNONODE) return none_there(*wanted);
    if (reply.rc != ZOK) return get_all(*wanted);
    std::unordered_set<std::string> there;
    for (const std::string& one : reply.names) there.insert(std::string(1, letter) + "/" + Paths::unescaped(one));
    for (const Wanted& one : *wanted) there.contains(one.name) ? get(one) : arrived(one.found, ZNONODE);
  };
  context_.client.children(context_.paths.letter(letter), Watch::no, listed);
}

void Registers::none_there(const AllWanted& wanted) {
  for (const Wanted& one : wanted) arrived(one.found, ZNONODE);
}

void Registers::get_all(const AllWanted& wanted) {
  for (const Wanted& one : wanted) get(one);
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

/// Of a long list, what is asked for after it comes first.
void Registers::list_letter(const std::shared_ptr<Found>& found, char letter, const std::string& prefix) {
  context_.client.children(context_.paths.letter(letter), Watch::no, [this, found, letter, prefix](const Reply& reply) {
    const Priority priority = reply.names.size() < long_list ? Priority::normal : Priority::low;
    for (const std::string& one : reply.names) {
      const std::string name = std::string(1, letter) + "/" + Paths::unescaped(one);
      if (name.compare(0, prefix.size(), prefix) != 0) continue;
      ++found->open;
      found->registers.emplace_back();
      get({found, found->registers.size() - 1, name}, priority);
    }
    arrived(found, reply.rc);
  });
}

void Registers::get(const Wanted& wanted, Priority priority) {
  const auto got = [this, wanted](const Reply& reply) {
    if (reply.rc == ZOK) {
      context_.see(reply.stat);
      wanted.found->registers[wanted.index] = {wanted.name, reply.value,
                                               static_cast<std::uint32_t>(reply.stat.version) + 1u};
    }
    arrived(wanted.found, reply.rc);
  };
  context_.client.get(context_.paths.of_register(wanted.name), Watch::no, got, priority);
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
