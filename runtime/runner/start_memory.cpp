#include "runner/start_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "runner/proc.hpp"

namespace ballot::runner {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t usual_room = 28u * 1024;  // most starts fit
constexpr std::size_t most_spare = 32;

std::size_t pages(std::size_t size) { return (size + page - 1) / page * page; }

std::size_t size_of(const std::vector<std::string>& texts) {
  std::size_t size = (texts.size() + 1) * sizeof(char*);
  for (const std::string& text : texts) size += text.size() + 1;
  return size;
}

/// Puts things one after the other.
class Filler {
 public:
  explicit Filler(char* at) : at_(at) {}

  char* text(const std::string& text) {
    std::memcpy(at_, text.c_str(), text.size() + 1);
    return std::exchange(at_, at_ + text.size() + 1);
  }
  template <class T>
  T* array(std::size_t count) {
    T* begin = reinterpret_cast<T*>(at_);
    at_ += count * sizeof(T);
    return begin;
  }
  char* at() const { return at_; }

 private:
  char* at_;
};

}  // namespace

StartMemory::StartMemory(std::size_t size, bool for_children) : room_(pages(size)) {
  void* memory = ::mmap(nullptr, page + stack_size + room_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
  ::mprotect(memory_, page, PROT_NONE);
  if (!for_children) ::madvise(memory_, page + stack_size + room_, MADV_DONTFORK);
}

StartMemory::~StartMemory() {
  if (memory_) ::munmap(memory_, page + stack_size + room_);
}

char* StartMemory::stack() const { return memory_ + page; }

std::size_t StartMemory::needed(const Start& start, const std::vector<std::string>& paths) {
  return sizeof(ChildPlan) + size_of(start.argv) + size_of(start.environment) + size_of(paths) +
         start.groups.size() * sizeof(start.groups[0]) + start.working_dir.size() + 2;
}

void StartMemory::fill(const ChildPlan& plan, const Start& start, const std::vector<std::string>& paths) {
  ChildPlan& ours = *new (stack_end()) ChildPlan(plan);
  Filler filler(stack_end() + sizeof(ChildPlan));
  const std::vector<std::string>* lists[] = {&start.argv, &start.environment, &paths};
  char** arrays[3];
  for (int i = 0; i < 3; ++i) arrays[i] = filler.array<char*>(lists[i]->size() + 1);
  auto* groups = filler.array<std::uint32_t>(start.groups.size());
  std::copy(start.groups.begin(), start.groups.end(), groups);
  for (int i = 0; i < 3; ++i) {
    char** next = arrays[i];
    for (const std::string& text : *lists[i]) *next++ = filler.text(text);
    *next = nullptr;
  }
  ours.argv = arrays[0], ours.envp = arrays[1], ours.paths = arrays[2];
  ours.groups = groups;
  ours.group_count = start.groups.size();
  ours.working_dir = filler.text(start.working_dir.empty() ? "/" : start.working_dir);
  const auto used = static_cast<std::size_t>(filler.at() - stack_end());
  if (used < used_) std::memset(stack_end() + used, 0, used_ - used);  // what the start before left
  used_ = used;
}

StartMemory StartMemories::take(const ChildPlan& plan, const Start& start, const std::vector<std::string>& paths) {
  const std::size_t needed = StartMemory::needed(start, paths);
  StartMemory memory;
  if (needed > usual_room) {
    memory = StartMemory(needed, false);
  } else if (free_.empty()) {
    memory = StartMemory(usual_room, false);
  } else {
    memory = std::move(free_.back());
    free_.pop_back();
  }
  memory.fill(plan, start, paths);
  return memory;
}

void StartMemories::put_back(StartMemory memory) {
  if (memory.room() == usual_room && free_.size() < most_spare) free_.push_back(std::move(memory));
}

StartMemory& StartMemories::for_child(const ChildPlan& plan, const Start& start,
                                      const std::vector<std::string>& paths) {
  const std::size_t needed = StartMemory::needed(start, paths);
  if (needed > own_.room() || (own_.room() > usual_room && needed <= usual_room))
    own_ = StartMemory(std::max(needed, usual_room), true);
  own_.fill(plan, start, paths);
  return own_;
}

/// Not where what every thread has (errno) lies in the heap too, as in a program without shared libraries.
HiddenHeap::HiddenHeap() {
  const std::string stat = proc_text(::getpid(), "stat");
  const auto words = words_of(std::string_view(stat).substr(std::min(stat.rfind(')'), stat.size())));
  constexpr std::size_t start_brk = 45;  // the 47th field; the first word is the end of the second
  const std::uint64_t begin = words.size() > start_brk ? number_of(words[start_brk]) : 0;
  if (begin == 0) return;
  char* heap = reinterpret_cast<char*>(pages(begin));
  const char* mine = reinterpret_cast<const char*>(&errno);
  if (mine >= heap && mine < static_cast<char*>(::sbrk(0))) return;
  begin_ = heap;
}

void HiddenHeap::hide() const { advise(MADV_DONTFORK); }
void HiddenHeap::show() const { advise(MADV_DOFORK); }

void HiddenHeap::advise(int advice) const {
  const char* end = static_cast<const char*>(::sbrk(0));
  if (begin_ && end > begin_) ::madvise(begin_, pages(static_cast<std::size_t>(end - begin_)), advice);
}

void hide_from_children(const char* begin, std::size_t size) {
  const auto at = pages(reinterpret_cast<std::uintptr_t>(begin));
  const auto end = (reinterpret_cast<std::uintptr_t>(begin) + size) / page * page;
  if (end > at) ::madvise(reinterpret_cast<void*>(at), end - at, MADV_DONTFORK);
}

}  // namespace ballot::runner
