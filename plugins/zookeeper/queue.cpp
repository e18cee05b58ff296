#include "queue.hpp"

#include <algorithm>
#include <utility>

namespace ballot::zookeeper {

namespace {

constexpr std::size_t place_size = 28;  // of a candidate's name
constexpr std::size_t most_path_bytes =
    900'000;  // of one session's paths, and of what it watches: no larger packet is taken

Step step_of(int rc) {
  if (rc == ZOK) return {};
  const std::string text = text_of(rc);
  if (rc == ZNONODE) return {Step::Code::missing, text};
  if (rc == ZNODEEXISTS) return {Step::Code::exists, text};
  if (rc == ZBADVERSION) return {Step::Code::changed, text};
  return {is_unknown(rc) ? Step::Code::unknown : Step::Code::failed, text};
}

}  // namespace

/// All entries have the transaction's zxid, which is shown by what is set in it.
void Queue::enter(const Names& groups, const Names& texts, Done<std::vector<Made>> done) {
  auto multi = context_.client.multi();
  for (std::size_t i = 0; i < groups.size(); ++i)
    multi->create(context_.paths.candidate(groups[i], context_.session + "-"), texts[i], ZOO_EPHEMERAL_SEQUENTIAL);
  multi->set(context_.session_path, {}, -1);
  context_.client.commit(std::move(multi), [done](const Reply& reply) {
    std::vector<Made> made;
    if (reply.rc == ZOK)
      for (std::size_t i = 0; i + 1 < reply.ops.size(); ++i) {
        const std::string name = reply.ops[i].path.substr(reply.ops[i].path.rfind('/') + 1);
        const auto place = parse_place(name);
        made.push_back({name, place && place->sequence == 0, static_cast<std::uint64_t>(reply.ops.back().stat.mzxid)});
      }
    done(step_of(reply.rc), made);
  });
}

void Queue::prepare(const Names& groups, Done<> done) {
  auto multi = context_.client.multi();
  for (const std::string& group : groups) multi->create(context_.paths.group(group), {}, ZOO_PERSISTENT);
  context_.client.commit(std::move(multi), [this, done](const Reply& reply) {
    if (reply.rc == ZNONODE) context_.make_folders([](int) {});  // somebody has removed them
    done(step_of(reply.rc));
  });
}

void Queue::list(const std::string& group, Priority priority, Done<std::vector<Entry>, std::int64_t> done) {
  const auto listed = [done](const Reply& reply) {
    std::vector<std::pair<Place, std::string>> queue;
    for (const std::string& name : reply.names)
      if (auto place = parse_place(name)) queue.emplace_back(std::move(*place), name);
    std::sort(queue.begin(), queue.end(),
              [](const auto& a, const auto& b) { return before(a.first.sequence, b.first.sequence); });
    std::vector<Entry> entries;
    for (auto& [place, name] : queue) entries.push_back({std::move(name), std::move(place.session)});
    done(step_of(reply.rc), entries, reply.stat.version);
  };
  context_.client.children(context_.paths.group(group), Watch::no, listed, priority);
}

void Queue::read_term(const std::string& group, Done<Text> done) {
  context_.client.get(context_.paths.group(group), Watch::no, [done](const Reply& reply) {
    done(step_of(reply.rc), {reply.value, reply.stat.version});
  });
}

/// The lowest node leads only where it is this session's.
void Queue::read_entry(const std::string& group, const std::string& entry, Watched watched, Priority priority,
                       Done<EntryFacts> done) {
  const auto seen = [this, done](const Reply& reply) {
    if (reply.rc == ZOK) context_.see(reply.stat);
    const bool ours = session_text(reply.stat.ephemeralOwner) == context_.session;
    done(step_of(reply.rc), {static_cast<std::uint64_t>(reply.stat.czxid), ours, reply.value});
  };
  context_.client.get(context_.paths.candidate(group, entry), watched == Watched::yes ? Watch::yes : Watch::no, seen,
                      priority);
}

void Queue::remove(const std::string& group, const std::string& entry) {
  context_.client.remove(context_.paths.candidate(group, entry), [](const Reply&) {});
}

void Queue::claim(const std::vector<Claim>& claims, Done<std::vector<std::uint64_t>> done) {
  auto multi = context_.client.multi();
  for (const Claim& one : claims)
    multi->check(context_.paths.candidate(one.group, one.entry))
        .set(context_.paths.group(one.group), one.term, static_cast<int>(one.version.value_or(-1)));
  context_.client.commit(std::move(multi), [done](const Reply& reply) {
    std::vector<std::uint64_t> revisions;
    for (std::size_t i = 1; i < reply.ops.size(); i += 2)
      revisions.push_back(static_cast<std::uint64_t>(reply.ops[i].stat.mzxid));
    done(step_of(reply.rc), revisions);
  });
}

void Queue::leave(const std::vector<Leave>& leaves, Done<> done) {
  auto multi = context_.client.multi();
  for (const Leave& one : leaves) {
    multi->remove(context_.paths.candidate(one.group, one.entry));
    if (one.term) multi->set(context_.paths.group(one.group), *one.term, -1);
  }
  context_.client.commit(std::move(multi), [done](const Reply& reply) { done(step_of(reply.rc)); });
}

void Queue::find_member(const std::string& node, Done<Member> done) {
  members_.find(node, [done](int rc, const Member& member) { done(step_of(rc), member); });
}

void Queue::barrier(Done<> done) {
  context_.after_barrier([done](int rc) { done(step_of(rc)); });
}

void Queue::groups(Done<Names> done) {
  context_.client.children(context_.paths.groups(), Watch::no,
                           [done](const Reply& reply) { done(step_of(reply.rc), reply.names); });
}

std::size_t Queue::size_of_entry(const std::string& group) const { return place_of(group).size() + place_size; }

std::size_t Queue::most_size() const { return most_path_bytes; }

std::string Queue::size_problem() const {
  return "one session's paths would be longer than " + std::to_string(most_path_bytes) +
         " bytes: shorten the namespace, the path in servers, or names of groups";
}

}  // namespace ballot::zookeeper
