#include "support/term_inquiry.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace ballot::support {

namespace {

struct Inquiry {
  std::size_t open = 0;
  Step step = {};
  TermFacts facts = {};
  std::function<void(const Step&, TermFacts)> done;

  void answered() {
    if (--open == 0) done(step, std::move(facts));
  }
};

}  // namespace

void inquire(QueueStore& store, const TermRecord& term, const std::string& session,
             const std::optional<MemberRecord>& before, std::function<void(const Step&, TermFacts)> done) {
  std::vector<SessionOf> sessions = term.before;
  if (term.epoch != 0 && !term.clean) sessions.push_back({term.node, term.session});
  std::erase_if(sessions, [&](const SessionOf& one) { return one.session == session; });
  const auto inquiry = std::make_shared<Inquiry>();
  inquiry->open = sessions.size() + 1;
  inquiry->done = std::move(done);
  // The record of this node's session before has been written over since; that session has ended.
  if (before && !term.clean && before->session == term.session) inquiry->facts.last_alive = before->renewed;
  for (const SessionOf& one : sessions) {
    const auto found = [one, inquiry, last = term.session](const Step& step, const QueueStore::Member& member) {
      if (!step.ok()) inquiry->step = step;
      TermFacts& facts = inquiry->facts;
      const auto& open = member.open;
      if (std::find(open.begin(), open.end(), one.session) != open.end()) facts.unfinished.push_back(one);
      if (member.record && member.record->session == one.session && one.session == last)
        facts.last_alive = member.record->renewed;
      inquiry->answered();
    };
    store.find_member(one.node, found);
  }
  inquiry->answered();
}

}  // namespace ballot::support
