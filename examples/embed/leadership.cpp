// Leadership alone: this part of a service runs on one node. What it writes goes to a store that remembers the highest
// epoch with which it was written and refuses what comes with a lower one, so that a former leader which wakes late
// does no harm.
#include <condition_variable>
#include <fstream>
#include <mutex>

#include "example.hpp"

namespace {

/// A store that is fenced: here a file with its epoch in front, in place of a table with a column for it.
class FencedStore {
 public:
  explicit FencedStore(std::string path) : path_(std::move(path)) {}

  /// False: somebody has written with a higher epoch, so that whoever calls leads no more.
  bool write(std::uint64_t epoch, const std::string& value) {
    std::uint64_t highest = 0;
    if (std::ifstream in(path_); in) in >> highest;
    if (epoch < highest) return false;
    std::ofstream(path_) << epoch << ' ' << value << '\n';
    return true;
  }

 private:
  const std::string path_;
};

}  // namespace

int main(int argc, char** argv) {
  std::mutex mutex;
  std::condition_variable changed;
  bool leads = false;

  ballot::RuntimeSettings settings = settings_of(argc, argv);
  settings.commands = false;
  ballot::Runtime runtime(settings);
  const auto set = [&](bool now) {
    return [&, now](const ballot::Leadership& of) {
      std::cout << (now ? "leads " : "leads no more ") << of.group << '\n';
      const std::lock_guard lock(mutex);
      leads = now;
      changed.notify_one();
    };
  };
  runtime.on_elected(set(true));
  runtime.on_lost(set(false));
  require(runtime.add_group("indexer"));
  require(runtime.start());
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return leads; });
  }

  FencedStore store(settings.state_dir + "/index");
  // By the clock, however long this thread has slept since it was elected.
  if (const auto term = runtime.leadership("indexer"); term && store.write(term->epoch, "indexed"))
    std::cout << "written\n";
  if (!store.write(0, "of a former leader")) std::cout << "an older epoch is refused\n";
  require(runtime.stop());
  if (!runtime.leadership("indexer")) std::cout << "leads nothing\n";
}
