#include "support/keys/key_registers.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ballot::support {

namespace {

constexpr std::size_t many_reads = 40;        // from so many on it may be worth asking first which are there
constexpr std::size_t names_for_a_read = 50;  // of those that are there, which take as long as reading one that is not
const std::string job_prefix = "j/";
constexpr std::size_t keys_together = 64;  // whoever begins to lead many groups reads those of each

std::string_view name_of(const KeyEntry& entry) {
  return std::string_view(entry.key).substr(std::string_view(KeyNames::registers).size());
}

bool is_jobs(const std::string& name) { return name.starts_with(job_prefix); }

}  // namespace

std::shared_ptr<WriteBatch> KeyRegisters::begin(RequestId request, std::size_t size) {
  return std::make_shared<WriteBatch>(request, size, [this](Event wrote) { context_.post(std::move(wrote)); });
}

void KeyRegisters::write(const WriteCall& call) {
  const auto batch = begin(call.request, call.batch.size());
  for (std::size_t i = 0; i < call.batch.size(); ++i) {
    elections_.write_began(call.batch[i].group);
    write_one(call.batch[i], [this, batch, i, group = call.batch[i].group](WriteAnswer answer) {
      elections_.write_ended(group);
      batch->answer(i, std::move(answer));
    });
  }
}

/// A writer that does not lead any more, as far as the store knows, does not know of it yet.
void KeyRegisters::write_one(const RegisterWrite& one, const std::function<void(WriteAnswer)>& answer) {
  if (auto problem = problem_of(one.name, one.value); !problem.empty())
    return answer({StoreResult::failed, 0, std::move(problem)});
  if (one.epoch == 0 || elections_.epoch(one.group) != one.epoch) return answer({StoreResult::not_leader, 0, {}});
  KeyChange change{KeyNames::of_register(one.name), one.value, one.version, true};
  change.term_key = KeyNames::term(one.group);
  change.term_version = elections_.term_version(one.group);
  queue_.add(std::move(change), [this, answer, group = one.group](const KeyAnswer& found) {
    if (found.outcome == StoreResult::not_leader) elections_.doubt(group);
    answer({found.outcome, found.version, found.text});
  });
}

void KeyRegisters::create(const CreateCall& call) {
  const auto batch = begin(call.request, call.records.size());
  for (std::size_t i = 0; i < call.records.size(); ++i) {
    const Record& one = call.records[i];
    const auto answer = [batch, i](const KeyAnswer& found) { batch->answer(i, {found.outcome, 0, found.text}); };
    if (auto problem = problem_of(one.name, one.value); !problem.empty())
      answer({StoreResult::failed, 0, std::move(problem)});
    else
      queue_.add({KeyNames::of_register(one.name), one.value, 0}, answer);
  }
}

void KeyRegisters::remove(const RemoveCall& call) {
  const auto batch = begin(call.request, call.names.size());
  for (std::size_t i = 0; i < call.names.size(); ++i)
    queue_.add({KeyNames::of_register(call.names[i])}, [batch, i](const KeyAnswer& found) {
      batch->answer(i, {found.outcome, 0, found.text});
    });
}

void KeyRegisters::read(const ReadCall& call) {
  if (call.names.empty()) return context_.post(backend::ReadDone{call.request, StoreResult::done, {}, {}});
  reads_.push_back(call);
}

void KeyRegisters::flush() {
  queue_.flush();
  flush_reads();
}

/// Registers of jobs that are asked for while the store says which are there wait, and go together then.
void KeyRegisters::flush_reads() {
  std::vector<ReadCall> all = std::exchange(reads_, {});
  if (naming_) {
    const auto waits = [](const ReadCall& call) { return std::any_of(call.names.begin(), call.names.end(), is_jobs); };
    const auto others = std::stable_partition(all.begin(), all.end(), waits);
    reads_.assign(std::make_move_iterator(all.begin()), std::make_move_iterator(others));
    all.erase(all.begin(), others);
  }
  if (naming_ || !name_first(all)) send_reads(std::move(all));
}

/// New elections ask for thousands of registers that nobody has written yet: those need not be read.
bool KeyRegisters::name_first(const std::vector<ReadCall>& all) {
  std::size_t jobs = 0;
  for (const ReadCall& call : all)
    jobs += static_cast<std::size_t>(std::count_if(call.names.begin(), call.names.end(), is_jobs));
  const std::size_t most = names_for_a_read * jobs;
  if (jobs < many_reads || most < names_there_) return false;
  const auto named = [this, all](const KeysThere& found) {
    naming_ = false;
    names_there_ = found.count;
    if (!found.keys) return send_reads(all);
    const std::unordered_set<std::string_view> there(found.keys->begin(), found.keys->end());
    std::vector<ReadCall> rest = all;
    for (ReadCall& call : rest)
      std::erase_if(call.names, [&](const std::string& name) {
        return is_jobs(name) && !there.contains(KeyNames::of_register(name));
      });
    send_reads(std::move(rest));
  };
  return naming_ = context_.store.name_keys(KeyNames::of_register(job_prefix), most, named);
}

void KeyRegisters::send_reads(std::vector<ReadCall> all) {
  std::erase_if(all, [this](const ReadCall& call) {
    if (call.names.empty()) context_.post(backend::ReadDone{call.request, StoreResult::done, {}, {}});
    return call.names.empty();
  });
  for (auto next = all.begin(); next != all.end();) {
    std::vector<ReadCall> calls;
    std::vector<std::string> keys;
    do {
      calls.push_back(*next);
      for (const std::string& name : next->names) keys.push_back(KeyNames::of_register(name));
      ++next;
    } while (next != all.end() && keys.size() + next->names.size() <= keys_together);
    context_.store.get(std::move(keys), [this, calls = std::move(calls)](const KeyRead& read) {
      std::unordered_map<std::string_view, const KeyEntry*> found;
      if (read.outcome == StoreResult::done)
        for (const KeyEntry& entry : read.entries) found.emplace(name_of(entry), &entry);
      for (const ReadCall& call : calls) {
        backend::ReadDone done{call.request, read.outcome, {}, read.text};
        for (const std::string& name : call.names)
          if (const auto one = found.find(name); one != found.end())
            done.registers.push_back({name, one->second->value, one->second->version});
        context_.post(std::move(done));
      }
    });
  }
}

void KeyRegisters::list(const ListCall& call) {
  context_.store.list(KeyNames::of_register(call.prefix), [this, request = call.request](const KeyRead& read) {
    backend::ReadDone done{request, read.outcome, {}, read.text};
    if (read.outcome == StoreResult::done)
      for (const KeyEntry& entry : read.entries)
        done.registers.push_back({std::string(name_of(entry)), entry.value, entry.version});
    context_.post(std::move(done));
  });
}

}  // namespace ballot::support
