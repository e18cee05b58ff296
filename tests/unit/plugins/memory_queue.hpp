// MemoryQueue: a QueueStore in memory that several sessions share; each call is answered by run(), in order.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/queue_elections.hpp"

namespace ballot::support {

/// What all sessions see.
struct Shelf {
  struct Entry {
    std::string session;
    std::uint64_t revision = 0;
    std::string text = {};
  };
  struct Group {
    std::vector<std::pair<std::string, Entry>> queue;
    std::string term;
    std::int64_t version = 0;
    int made = 0;  // entries, ever
  };
  using Watcher = std::function<void(const std::string& group, const std::string& entry)>;

  Entry* find(const std::string& group, const std::string& name) {
    const auto found = groups.find(group);
    if (found == groups.end()) return nullptr;
    for (auto& [other, entry] : found->second.queue)
      if (other == name) return &entry;
    return nullptr;
  }
  void remove(const std::string& group, const std::string& name) {
    auto& queue = groups[group].queue;
    if (std::erase_if(queue, [&](const auto& one) { return one.first == name; }) == 0) return;
    if (const auto watched = watches.extract(group + "/" + name))
      for (const Watcher& watcher : watched.mapped()) watcher(group, name);
  }
  /// The store has ended it.
  void end(const std::string& session) {
    open_sessions.erase(session);
    for (auto& [name, group] : groups)
      for (const auto& [entry, facts] : std::vector(group.queue))
        if (facts.session == session) remove(name, entry);
  }

  std::map<std::string, Group> groups;
  std::set<std::string> open_sessions;
  std::uint64_t revision = 0;
  std::map<std::string, std::vector<Watcher>> watches;  // by "GROUP/ENTRY"; each goes off once
};

class MemoryQueue final : public QueueStore {
 public:
  MemoryQueue(Shelf& shelf, std::string session) : shelf_(shelf), session_(std::move(session)) {
    shelf_.open_sessions.insert(session_);
  }

  void enter(const Names& groups, const Names& texts, Done<std::vector<Made>> done) override {
    ++transactions;
    later([this, groups, texts, done] {
      std::vector<Made> made;
      for (const std::string& name : groups)
        if (!shelf_.groups.contains(name)) return done({Step::Code::missing}, made);
      for (const std::string& name : groups) {
        auto& group = shelf_.groups[name];
        made.push_back({session_ + "-" + std::to_string(group.made), group.made == 0});
        ++group.made;
        group.queue.push_back({made.back().name, {session_, ++shelf_.revision, texts[made.size() - 1]}});
        if (tells_epochs) made.back().epoch = shelf_.revision;
      }
      done({}, made);
    });
  }
  void prepare(const Names& groups, Done<> done) override {
    later([this, groups, done] {
      for (const std::string& name : groups)
        if (shelf_.groups.contains(name)) return done({Step::Code::exists});
      for (const std::string& name : groups) shelf_.groups[name];
      done({});
    });
  }
  void list(const std::string& group, Priority, Done<std::vector<Entry>, std::int64_t> done) override {
    later([this, group, done] {
      ++reads;
      std::vector<Entry> entries;
      for (const auto& [name, entry] : shelf_.groups[group].queue) entries.push_back({name, entry.session});
      done({}, entries, shelf_.groups[group].version);
    });
  }
  void read_term(const std::string& group, Done<Text> done) override {
    later([this, group, done] { done({}, {shelf_.groups[group].term, shelf_.groups[group].version}); });
  }
  void read_entry(const std::string& group, const std::string& name, Watched watched, Priority,
                  Done<EntryFacts> done) override {
    later([this, group, name, watched, done] {
      ++reads;
      const auto* entry = shelf_.find(group, name);
      if (entry == nullptr) return done({Step::Code::missing}, {});
      if (watched == Watched::yes) shelf_.watches[group + "/" + name].push_back(on_removed);
      done({}, {entry->revision, entry->session == session_, entry->text});
    });
  }
  void remove(const std::string& group, const std::string& name) override {
    later([this, group, name] { shelf_.remove(group, name); });
  }
  void claim(const std::vector<Claim>& claims, Done<std::vector<std::uint64_t>> done) override {
    ++transactions;
    later([this, claims, done] {
      const Step answer = std::exchange(next_claim, Step{});
      if (answer.code == Step::Code::failed) return done(answer, {});
      for (const Claim& one : claims) {
        if (shelf_.find(one.group, one.entry) == nullptr) return done({Step::Code::missing}, {});
        if (one.version && *one.version != shelf_.groups[one.group].version) return done({Step::Code::changed}, {});
      }
      std::vector<std::uint64_t> revisions;
      for (const Claim& one : claims) {
        write(one.group, one.term);
        revisions.push_back(++shelf_.revision);
      }
      done(answer, revisions);
    });
  }
  void leave(const std::vector<Leave>& leaves, Done<> done) override {
    later([this, leaves, done] {
      for (const Leave& one : leaves) {
        if (one.term) write(one.group, *one.term);
        shelf_.remove(one.group, one.entry);
      }
      done({});
    });
  }
  void find_member(const std::string& node, Done<Member> done) override {
    later([this, node, done] {
      Member member;
      member.open.assign(shelf_.open_sessions.begin(), shelf_.open_sessions.end());
      member.record.emplace();
      member.record->session = node;  // here a node has one session, of its name
      member.record->renewed = WallTime(Millis(7));
      done({}, member);
    });
  }
  void barrier(Done<> done) override {
    later([done] { done({}); });
  }
  void groups(Done<Names> done) override {
    later([this, done] {
      Names names;
      for (const auto& [name, group] : shelf_.groups) names.push_back(name);
      done({}, names);
    });
  }
  bool idle() const override { return todo_.empty(); }
  std::size_t size_of_entry(const std::string&) const override { return 10; }
  std::size_t most_size() const override { return 10'000; }
  std::string size_problem() const override { return "it is full"; }
  std::string place_of(const std::string& group) const override { return "/" + group; }

  /// False: there was nothing to do.
  bool run_one() {
    if (todo_.empty()) return false;
    const auto next = std::move(todo_.front());
    todo_.pop_front();
    next();
    return true;
  }

  Shelf::Watcher on_removed;
  Step next_claim = {};       // unknown: it happens, and the answer does not say so
  bool tells_epochs = false;  // of entries that were just made
  int transactions = 0;
  int reads = 0;  // of queues and entries

 private:
  void later(std::function<void()> work) { todo_.push_back(std::move(work)); }
  void write(const std::string& group, const std::string& term) {
    shelf_.groups[group].term = term;
    ++shelf_.groups[group].version;
  }

  Shelf& shelf_;
  const std::string session_;
  std::deque<std::function<void()>> todo_;
};

}  // namespace ballot::support
