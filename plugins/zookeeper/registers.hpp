// Registers: writes, reads, lists, and records. A write checks in its transaction that our node in the group exists.
// Changes, also of several calls, are sent some together; where one is refused, each is sent again alone.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session_context.hpp"
#include "support/queue_elections.hpp"
#include "support/write_batch.hpp"

namespace ballot::zookeeper {

class Registers {
 public:
  Registers(SessionContext& context, QueueElections& elections) : context_(context), elections_(elections) {}

  void write(const WriteCall& call);
  void create(const CreateCall& call);
  void remove(const RemoveCall& call);
  void read(const ReadCall& call);
  void list(const ListCall& call);
  /// Sends what has gathered: what makes transactions now, or all of it.
  void flush(bool all = false);

 private:
  /// One change of a call.
  struct Change {
    std::shared_ptr<WriteBatch> batch;
    std::size_t index = 0;  // in the call
    std::string group;      // whose term writes; "": a record's
    std::string guard;      // our node in the group
    char letter = 0;
    std::string path, value;
    int version = 0;  // -1: it is created
    bool retried = false;
  };
  using Changes = std::vector<Change>;
  /// Where a change and what it is guarded by are in their transaction.
  struct Place {
    std::optional<std::size_t> guard;
    std::size_t own = 0;
  };
  /// A read under way.
  struct Found {
    RequestId request = 0;
    std::vector<Register> registers;  // without a name: absent
    std::size_t open = 0;
    int rc = ZOK;
  };
  /// A register that is to be got for a read under way.
  struct Wanted {
    std::shared_ptr<Found> found;
    std::size_t index = 0;
    std::string name;
  };
  using AllWanted = std::vector<Wanted>;

  std::shared_ptr<WriteBatch> begin(RequestId request, std::size_t size);
  void send(Changes changes);
  void on_answer(Changes changes, const Reply& reply);
  void decide(Change change, const OpAnswer* guard, const OpAnswer& own, int rc);
  static std::vector<Place> places_of(const Changes& changes);
  static bool lacks_folder(const Changes& changes, const Reply& reply);
  void make_folders(Changes changes);
  void answer(const Change& change, WriteAnswer answer);

  void list_letter(const std::shared_ptr<Found>& found, char letter, const std::string& prefix);
  void get_wanted();
  void get_those_there(char letter, const std::shared_ptr<const AllWanted>& wanted);
  void none_there(const AllWanted& wanted);
  void get_all(const AllWanted& wanted);
  void get(const Wanted& wanted, Priority priority = Priority::normal);
  void arrived(const std::shared_ptr<Found>& found, int rc);

  SessionContext& context_;
  QueueElections& elections_;
  Batching batching_{most_changes};
  std::deque<Change> gathered_;
  std::map<char, AllWanted> wanted_;  // by letter, behind their barrier
};

}  // namespace ballot::zookeeper
