// StartMemory: what one child needs until it execs, in pages of its own: its stack, its ChildPlan and all that this
// points to. StartMemories: those that are free, to be used again.
//
//   StartMemory memory = memories.take(plan, start, paths);
//   clone(child_main, memory.stack_end(), flags, memory.plan());
//   ... once the child is known to have left it: memories.put_back(std::move(memory));
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/runner_wire.hpp"
#include "runner/child.hpp"

namespace ballot::runner {

class StartMemory {
 public:
  static constexpr std::size_t stack_size = 32u * 1024;

  StartMemory() = default;
  /// With room for `size` bytes beside the stack; throws std::bad_alloc. `for_children`: a child with memory of its own
  /// gets a copy of it; no such child gets one of another's.
  StartMemory(std::size_t size, bool for_children);
  StartMemory(StartMemory&& other) noexcept { swap(other); }
  StartMemory& operator=(StartMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~StartMemory();

  std::size_t room() const { return room_; }
  char* stack() const;
  char* stack_end() const { return stack() + stack_size; }
  ChildPlan* plan() const { return reinterpret_cast<ChildPlan*>(stack_end()); }

  /// Copies the plan, and what of the start it points to. Requires: needed() <= room().
  void fill(const ChildPlan& plan, const Start& start, const std::vector<std::string>& paths);
  static std::size_t needed(const Start& start, const std::vector<std::string>& paths);

 private:
  void swap(StartMemory& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(room_, other.room_);
    std::swap(used_, other.used_);
  }

  char* memory_ = nullptr;  // a page that nobody may touch, the stack, the room
  std::size_t room_ = 0, used_ = 0;
};

class StartMemories {
 public:
  StartMemory take(const ChildPlan& plan, const Start& start, const std::vector<std::string>& paths);
  void put_back(StartMemory memory);

  /// For a child with memory of its own, which is done with ours as soon as it was made.
  StartMemory& for_child(const ChildPlan& plan, const Start& start, const std::vector<std::string>& paths);

 private:
  std::vector<StartMemory> free_;
  StartMemory own_;
};

/// Keeps this process's heap out of the children that get a copy of its memory: what is copied is little, however large
/// the heap is, and nothing of other runs is in it.
class HiddenHeap {
 public:
  HiddenHeap();
  /// Before each such child: what the heap has become since is hidden too.
  void hide() const;
  /// Before a child of this process's own that needs the heap.
  void show() const;

 private:
  void advise(int advice) const;

  char* begin_ = nullptr;
};

/// The same for a large block, which malloc takes beside the heap: for its whole pages.
void hide_from_children(const char* begin, std::size_t size);

}  // namespace ballot::runner
