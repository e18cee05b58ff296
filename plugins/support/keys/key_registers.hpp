// KeyRegisters: writes, reads and lists of registers and records on a KeyStore. What is asked in one turn is sent
// together; changes of one key are sent one after the other, as answers may overtake each other. Used on the plugin's
// thread only.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "support/calls.hpp"
#include "support/keys/key_context.hpp"
#include "support/keys/key_elections.hpp"
#include "support/keys/key_queue.hpp"
#include "support/write_batch.hpp"

namespace ballot::support {

class KeyRegisters {
 public:
  KeyRegisters(KeyContext& context, KeyElections& elections)
      : context_(context), elections_(elections), queue_(context.store) {}

  void write(const WriteCall& call);
  void create(const CreateCall& call);
  void remove(const RemoveCall& call);
  void read(const ReadCall& call);
  void list(const ListCall& call);
  /// Sends what has gathered.
  void flush();
  bool idle() const noexcept { return queue_.idle(); }

 private:
  std::shared_ptr<WriteBatch> begin(RequestId request, std::size_t size);
  void write_one(const RegisterWrite& one, const std::function<void(WriteAnswer)>& answer);
  void flush_reads();
  bool name_first(const std::vector<ReadCall>& all);
  void send_reads(std::vector<ReadCall> all);

  KeyContext& context_;
  KeyElections& elections_;
  KeyQueue queue_;
  std::vector<ReadCall> reads_;  // of this turn, and while names are asked for
  bool naming_ = false;
  std::size_t names_there_ = 0;  // registers of jobs, where they were too many to be named
};

}  // namespace ballot::support
