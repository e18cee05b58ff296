// QueueSender: entries, claims and resignations of many groups, sent to a QueueStore together. Where a transaction of
// several is refused, each is sent again alone; groups that are not there are made. Knows nothing of what becomes of a
// group: it reports each to whoever asked. Used on the plugin's thread only.
//
//   QueueSender sender(store, results);          // results: whoever decides about the groups
//   sender.enter("nightly", serial, text);  ... sender.flush();        // results.on_entered("nightly", serial, ...)
//   follows
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "support/queue_store.hpp"
#include "support/write_batch.hpp"

namespace ballot::support {

class QueueSender {
 public:
  class Results {
   public:
    /// False: what was to be sent for this group then is not to be sent any more.
    virtual bool wanted(const std::string& group, std::uint64_t serial) const = 0;
    virtual void on_entered(const std::string& group, std::uint64_t serial, const Step& step,
                            const QueueStore::Made& made) = 0;
    virtual void on_claimed(const std::string& group, std::uint64_t serial, const Step& step,
                            std::uint64_t revision) = 0;
    /// missing: the entry was not there.
    virtual void on_left(const std::string& group, std::uint64_t serial, const Step& step) = 0;

   protected:
    ~Results() = default;
  };

  /// Both outlive this.
  QueueSender(QueueStore& store, Results& results) : store_(store), results_(results) {}

  // Entries that gather until they are flushed.
  void enter(const std::string& group, std::uint64_t serial, std::string text);
  void claim(std::uint64_t serial, QueueStore::Claim claim);
  void leave(std::uint64_t serial, QueueStore::Leave leave);

  /// Sends what makes transactions now, or, as there will be no later flush, all that leaves.
  void flush(bool all);
  /// The same, of what leaves only.
  void flush_leaves(bool all);

 private:
  template <class What>
  struct Item {
    std::string group;
    std::uint64_t serial = 0;
    What what;
    bool alone = false;  // sent together with others it was refused
    int prepared = 0;    // so often another daemon had just made some of the groups
  };
  template <class What>
  using Queue = std::deque<Item<What>>;
  template <class What>
  using Items = std::vector<Item<What>>;

  template <class What>
  Items<What> take_some(Queue<What>& from) const;
  template <class What>
  bool send_again(const Items<What>& items, const Step& step, Queue<What>& to);
  void flush_entries();
  void flush_claims();
  void prepare(const Items<std::string>& items);

  static constexpr std::size_t most_together = 50;

  QueueStore& store_;
  Results& results_;
  Batching batching_{most_together};
  Queue<std::string> entries_;
  Queue<QueueStore::Claim> claims_;
  Queue<QueueStore::Leave> leaves_;
};

}  // namespace ballot::support
