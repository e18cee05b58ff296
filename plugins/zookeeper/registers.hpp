// Registers: writes, reads, lists, and records. A write asserts in its transaction that our node in the group stands.
// Changes are sent some together; where one is refused, each is sent again alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "elections.hpp"
#include "link.hpp"

namespace ballot::zookeeper {

class Registers {
 public:
  static constexpr std::size_t most_value = 8192;

  Registers(Link& link, Elections& elections) : link_(link), elections_(elections) {}

  void write(const WriteCall& call);
  void create(const CreateCall& call);
  void remove(const RemoveCall& call);
  void read(const ReadCall& call);
  void list(const ListCall& call);

 private:
  /// One change of a call.
  struct Change {
    std::size_t index = 0;  // in the call
    std::string group;      // whose term writes; "": a record's
    std::string guard;      // our node in the group
    char letter = 0;
    std::string path, value;
    int version = 0;  // -1: it is created
    bool retried = false;

    std::size_t ops() const noexcept { return guard.empty() ? 1 : version < 0 ? 2 : 3; }
  };
  using Changes = std::vector<Change>;
  /// A call under way.
  struct Batch {
    RequestId request = 0;
    std::vector<WriteAnswer> answers;
    std::size_t open = 0;
  };
  using Shared = std::shared_ptr<Batch>;
  /// A read under way.
  struct Found {
    RequestId request = 0;
    std::vector<Register> registers;  // without a name: absent
    std::size_t open = 0;
    int rc = ZOK;
  };

  static Shared begin(RequestId request, std::size_t size);
  void send(const Shared& batch, Changes changes);
  void send_some(const Shared& batch, Changes changes);
  void on_answer(const Shared& batch, Changes changes, const Reply& reply);
  void decide(const Shared& batch, Change change, const OpAnswer* ops, int rc);
  void make_folder(const Shared& batch, Change change);
  void answer(const Shared& batch, const Change& change, WriteAnswer answer);
  void finish(const Shared& batch);

  void list_letter(const std::shared_ptr<Found>& found, char letter, const std::string& prefix);
  void get(const std::shared_ptr<Found>& found, std::size_t index, const std::string& name);
  void arrived(const std::shared_ptr<Found>& found, int rc);

  Link& link_;
  Elections& elections_;
};

}  // namespace ballot::zookeeper
