// SimBackend: a Backend on a SimStore, as a plugin on its server would be, in virtual time. Requests and answers take
// the delays of its SimLink and suffer its faults; campaign, resign, watch and close are repeated until they arrive.
// After a call without an answer the next answer is followed by Changed for every watch. Nothing is posted from within
// a call. One thread, the loop's.
//
//   SimLink link;                                    // of the node, for ever
//   auto backend = std::make_unique<SimBackend>(store, link, clock, host);
//   backend->open({.generation = 1, .node = "a", ...});
//   link.cut = true; ... link.cut = false;           // a partition
//   backend->crash(); backend.reset();               // kill -9: the store does not know
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/backend.hpp"
#include "support/sim/sim_link.hpp"
#include "support/sim/sim_loop.hpp"
#include "support/sim/sim_store.hpp"

namespace ballot {

class SimBackend final : public Backend {
 public:
  /// All must outlive it.
  SimBackend(SimStore& store, SimLoop& loop, SimLink& link, const SimClock& clock, Host& host);
  ~SimBackend() override;
  SimBackend(const SimBackend&) = delete;
  SimBackend& operator=(const SimBackend&) = delete;

  void open(const SessionRequest& request) noexcept override;
  void renew(RequestId request) noexcept override;
  void campaign(const std::string& group) noexcept override;
  void resign(const std::string& group) noexcept override;
  void write(RequestId request, std::vector<RegisterWrite> batch) noexcept override;
  void read(RequestId request, std::vector<std::string> names) noexcept override;
  void create(RequestId request, std::vector<Record> records) noexcept override;
  void remove(RequestId request, std::vector<std::string> names) noexcept override;
  void watch(const std::string& prefix) noexcept override;
  void observe(RequestId request, const std::string& group) noexcept override;
  void evict(RequestId request, const std::string& group) noexcept override;
  void list(RequestId request, std::string prefix) noexcept override;
  void close(bool keep) noexcept override;

  /// The link's `unfit` says something else of the group.
  void tell_fitness(const std::string& group);
  /// The process dies. Nothing is posted any more; only the destructor may be called.
  void crash() noexcept;

 private:
  using What = decltype(BackendEvent::what);
  /// Run in the process when the answer has come; `in_time`: not answered otherwise before.
  using Reply = std::function<void(bool in_time)>;
  /// Carried out at the store when the request arrives, even after the process has died: touches only the store.
  using Work = std::function<Reply()>;
  enum class Kind { open, renewal, write, read };

  Millis delay() { return loop_.between(link_.delay_min, link_.delay_max); }
  /// A batch of changes that are decided one by one.
  void change(RequestId request, std::size_t size, std::function<WriteAnswer(SimStore&, std::size_t)> one);
  void count_change(std::string_view what, const std::string& name, std::size_t bytes, bool opens);
  void call(Kind kind, Work work, What unknown);
  void await(std::uint64_t id, What unknown);
  bool suffers(Kind kind, const Work& work);
  void carry(Kind kind, std::uint64_t id, Work work);
  /// Answers `what` where `is_open`, else the session is gone.
  static Reply reply(SimBackend* to, bool is_open, What what);
  void opened(std::uint64_t generation, bool in_time, const SimStore::Opened& opened);
  void pushed(std::uint64_t generation, SimStore::Event event);
  void on_changed(const std::string& prefix);
  void restart_silence();
  void ask_for_quorum();
  void post(What what);
  void finish(Cause cause, std::string text);

  SimStore& store_;
  SimLoop& loop_;
  SimLink& link_;
  const SimClock& clock_;
  Host& host_;
  const SimLoop::Owner owner_;
  SimChannel out_;   // to the store
  SimChannel in_;    // from it
  SimChannel node_;  // into the process, where it is not frozen

  std::uint64_t generation_ = 0;
  bool observer_ = false;
  bool open_ = false;  // between open() and SessionClosed of generation_
  SimStore::SessionId session_ = 0;
  Millis timeout_{0};
  SteadyTime silent_until_{};  // not asked to renew by then: the session ends
  SimLoop::Timer silence_ = 0;
  std::uint64_t last_call_ = 0;
  std::set<std::uint64_t> calls_;  // not answered yet
  std::set<std::string> watches_;
  std::set<std::string> changes_;  // under way from the store: one of a prefix counts for all before it
  bool lost_ = false;              // a call had no answer, and none has had one since
};

}  // namespace ballot
