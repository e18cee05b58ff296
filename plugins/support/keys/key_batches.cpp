#include "support/keys/key_batches.hpp"

#include <algorithm>
#include <iterator>

#include "support/clock.hpp"
#include "support/join.hpp"

namespace ballot::support {

void KeyBatches::Part::answer(KeyAnswer answer) const {
  batch_->answers[index_] = std::move(answer);
  if (--batch_->open == 0) batch_->done(batch_->answers);
}

void KeyBatches::add(std::vector<KeyChange> changes, Millis patience, Done done) {
  const std::size_t size = changes.size();
  const auto batch = std::make_shared<Part::Batch>(Part::Batch{std::vector<KeyAnswer>(size), size, std::move(done)});
  for (std::size_t i = 0; i < size; ++i) {
    Part& part = queue_of(changes[i]).emplace_back();
    part.change = std::move(changes[i]);
    part.patience = patience;
    part.batch_ = batch;
    part.index_ = i;
    part.until_ = boot_now() + patience;
  }
  pump();
}

void KeyBatches::again(Parts parts) {
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    Waiting& waiting = queue_of(part->change);
    waiting.push_front(std::move(*part));
  }
}

void KeyBatches::give_up(const KeyAnswer& answer) {
  give_up(first_, answer);
  give_up(registers_, answer);
}

void KeyBatches::give_up(Waiting& waiting, const KeyAnswer& answer) {
  const SteadyTime now = boot_now();
  Waiting all = std::exchange(waiting, {});
  const auto late = std::stable_partition(all.begin(), all.end(), [&](const Part& part) { return part.until_ > now; });
  waiting.assign(std::make_move_iterator(all.begin()), std::make_move_iterator(late));
  std::for_each(late, all.end(), [&](const Part& part) { part.answer(answer); });
}

void KeyBatches::end_request() {
  --requests_;
  pump();
}

void KeyBatches::pump() {
  while (requests_ < most_requests_ && !(first_.empty() && registers_.empty())) {
    const bool is_first = !first_.empty() && (registers_.empty() || in_a_row_ < most_in_a_row);
    in_a_row_ = is_first ? in_a_row_ + 1 : 0;
    ++requests_;
    send_(is_first ? first_ : registers_);
  }
}

void get_in_parts(const std::vector<std::string>& keys, std::size_t most, const GetSome& get,
                  KeyStore::Done<KeyRead> done) {
  const auto read = std::make_shared<KeyRead>(KeyRead{StoreResult::done});
  const Join join([read, done = std::move(done)] { done(*read); });
  for (std::size_t begin = 0; begin < keys.size(); begin += most) {
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(most, keys.size() - begin));
    get({first, last}, [read, end = join.part()](const KeyRead& some) {
      if (some.outcome != StoreResult::done) *read = {some.outcome, {}, some.text};
      if (read->outcome == StoreResult::done)
        read->entries.insert(read->entries.end(), some.entries.begin(), some.entries.end());
      end();
    });
  }
}

}  // namespace ballot::support
