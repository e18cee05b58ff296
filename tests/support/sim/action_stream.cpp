#include "support/sim/action_stream.hpp"

#include <type_traits>
#include <utility>

namespace ballot {
namespace {

/// Every field of an action, each with its end.
class Fields {
 public:
  explicit Fields(Fnv& hash) : hash_(hash) {}

  template <class... T>
  void put(const T&... fields) {
    (one(fields), ...);
  }

 private:
  void one(const std::string& text) { hash_.add_whole(text); }
  void one(const RunId& id) {
    for (const std::uint8_t byte : id.bytes) hash_.add(byte);
  }
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void one(T value) {
    auto number = static_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, number >>= 8) hash_.add(static_cast<unsigned char>(number));
  }
  template <class Enum>
  void one(const Named<Enum>& value) {
    one(value.number());
  }
  void one(Millis span) { one(span.count()); }
  void one(WallTime at) { one(at.time_since_epoch()); }
  void one(SteadyTime at) { one(at.time_since_epoch()); }
  template <class T>
  void one(const std::optional<T>& value) {
    one(value.has_value());
    if (value) one(*value);
  }
  template <class T>
  void one(const std::vector<T>& list) {
    one(list.size());
    for (const T& element : list) one(element);
  }
  template <class A, class B>
  void one(const std::pair<A, B>& pair) {
    put(pair.first, pair.second);
  }
  void one(const schedule::DefinitionPtr& definition) {
    one(definition != nullptr);
    if (definition) put(definition->job.name, definition->digest);
  }
  void one(const runner::AttemptId& id) { put(id.run, id.attempt); }
  void one(const RegisterWrite& w) { put(w.group, w.epoch, w.name, w.value, w.version); }
  void one(const ballot::Record& record) { put(record.name, record.value); }
  void one(const core::Settled& settled) { put(settled.job, settled.ranges); }
  void one(const Output& output) { put(output.head, output.tail, output.total_bytes); }
  void one(const Row& r) {
    put(r.run, r.job, r.group, r.slot, r.slot_until, r.slots, r.trigger, r.attempt, r.status, r.reason, r.exit_code,
        r.signal, r.started_at, r.ended_at, r.duration, r.node, r.epoch, r.fence, r.output_bytes, r.leftover);
  }
  void one(const TermRow& t) { put(t.group, t.node, t.epoch, t.elected_at, t.ended_at, t.cause); }

 public:
  void operator()(const core::OpenSession& a) { put(a.generation); }
  void operator()(const core::CloseSession& a) { put(a.keep); }
  void operator()(const core::Renew& a) { put(a.request); }
  void operator()(const core::Campaign& a) { put(a.group); }
  void operator()(const core::Resign& a) { put(a.group); }
  void operator()(const core::Write& a) { put(a.request, a.batch); }
  void operator()(const core::Read& a) { put(a.request, a.names); }
  void operator()(const core::List& a) { put(a.request, a.prefix); }
  void operator()(const core::Create& a) { put(a.request, a.records); }
  void operator()(const core::Remove& a) { put(a.request, a.names); }
  void operator()(const core::Watch& a) { put(a.prefix); }
  void operator()(const core::Observe& a) { put(a.request, a.group); }
  void operator()(const core::Launch& a) {
    put(a.id, a.group, a.definition, a.slot, a.trigger, a.epoch, a.fence, a.terminate, a.launch_not_after);
  }
  void operator()(const core::TermDeadline& a) { put(a.group, a.epoch, a.at, a.grace); }
  void operator()(const core::KillRun& a) { put(a.id, a.reason, a.signal, a.grace); }
  void operator()(const core::AwaitRecorded& a) { put(a.id); }
  void operator()(const core::AwaitSettled& a) { put(a.settled); }
  void operator()(const core::Forget& a) { put(a.id); }
  void operator()(const core::AskRunner& a) { put(a.node, a.socket); }
  void operator()(const core::RecordRow& a) { put(a.row, a.if_absent); }
  void operator()(const core::RecordTerm& a) { put(a.term); }
  void operator()(const core::RecordDefinition& a) {
    const DefinitionRow& d = a.row;
    put(d.job, d.group, d.node, d.from, d.epoch, d.before, d.basis, d.digest, d.schedule, d.anchors);
  }
  void operator()(const core::RecordKnown& a) {
    put(a.known.store, static_cast<int>(a.known.of), a.known.name, a.known.repair, a.known.count, a.known.times);
  }
  void operator()(const core::RecordPause& a) {
    put(a.pause.job, a.pause.group, a.pause.node, a.pause.from, a.pause.until, a.pause.by);
  }
  void operator()(const core::RecordRequest& a) {
    const RequestRow& r = a.request;
    put(r.id, r.kind, r.job, r.group, r.run, r.node, r.at, r.by);
  }
  void operator()(const core::RecordAnswer& a) { put(a.answer.id, a.answer.result, a.answer.text, a.answer.at); }
  void operator()(const core::RecordOutput& a) { put(a.id, a.output, a.is_mailed); }
  void operator()(const core::Notify& a) {
    put(a.event, a.row, a.definition, a.recovered);
    if (a.expected > Millis(0)) put(a.expected, std::optional<WallTime>(a.last_success));
  }
  void operator()(const core::Reply& a) { put(a.asker, a.ok, a.text, a.run, a.code); }
  void operator()(const core::RunEnded& a) { put(a.asker, a.row); }
  void operator()(const core::Notice& a) { put(a.level, a.text, a.fields); }
  void operator()(const core::Stopped& a) { put(a.refusal); }

 private:
  Fnv& hash_;
};

}  // namespace

std::vector<std::uint64_t>& ActionStream::ended() {
  static std::vector<std::uint64_t> hashes;
  return hashes;
}

void ActionStream::add(const std::string& node, Now now, const core::Actions& actions) {
  Fields fields(hash_);
  for (const core::Action& action : actions) {
    fields.put(node, now.wall, now.steady, action.index());
    std::visit(fields, action);
  }
}

}  // namespace ballot
