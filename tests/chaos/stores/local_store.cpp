// The embedded backend: a folder of this host, without servers. What it can suffer is that its write lock is held, that
// its syncs are reported to have failed, and that it is restored from a backup.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/duration.hpp"
#include "chaos/stores/store.hpp"
#include "storage/database.hpp"
#include "support/judge/evidence.hpp"
#include "support/machine/write_lock.hpp"
#include "support/temp_folder.hpp"

namespace ballot::chaos {
namespace {

namespace fs = std::filesystem;

class LocalStore : public Store {
 public:
  std::string configuration(const std::string&, const std::string& name_space, Millis timeout) override {
    std::string text = "[coordination]\nnamespace = \"" + name_space + "\"\n";
    if (timeout > Millis(0)) text += "session_timeout = \"" + format_duration(timeout) + "\"\n";
    return text + "[local]\npath = \"" + (folder_ / "shared") + "\"\n";
  }
  std::vector<std::string> environment(const std::string& node) override {
    return {"LD_PRELOAD=" BALLOT_LOST_SYNC_LIBRARY, "BALLOT_LOST_SYNC=" + lost_file(node)};
  }
  std::vector<std::string> damage() const override {
    std::vector<std::string> all;
    for (const std::string& name_space : name_spaces())
      for (const std::string& one : testing::integrity_of(name_space + "/registers.db")) all.push_back(one);
    return all;
  }

  /// Commits land, and are reported to have failed.
  void cut(const std::string& node, Cut how) override {
    if (how != Cut::answers) throw std::logic_error("there is no way to the folder that could be cut");
    folder_.write("lost-" + node, "");
  }
  void heal(const std::string& node) override {
    std::error_code none;
    before_[node] += fs::file_size(lost_file(node), none);
    fs::remove(lost_file(node));
  }
  std::size_t lost(const std::string& node) const override {
    std::error_code none;
    const auto now = fs::file_size(lost_file(node), none);
    const auto before = before_.find(node);
    return (none ? 0 : now) + (before == before_.end() ? 0 : before->second);
  }

  /// Whoever writes waits.
  void stand_still() override {
    for (const std::string& name_space : name_spaces()) {
      auto file = support::LockFile::find(name_space + "/lock");
      if (!file) throw std::runtime_error(file.error().what);
      held_.push_back(std::make_unique<Held>(std::move(*file)));
    }
  }
  void go_on() override { held_.clear(); }
  void go_down() override { stand_still(); }
  void come_back() override { go_on(); }

  void save() override {
    for (const std::string& name_space : name_spaces()) run(name_space, "VACUUM INTO '" + name_space + "/backup'");
  }
  void restore() override {
    for (const std::string& name_space : name_spaces())
      run(name_space, "ATTACH '" + name_space +
                          "/backup' AS old; BEGIN IMMEDIATE; DELETE FROM register; INSERT INTO register SELECT * "
                          "FROM old.register; DELETE FROM term; INSERT INTO term SELECT * FROM old.term; UPDATE store "
                          "SET revision = (SELECT revision FROM old.store); COMMIT");
  }

 private:
  struct Held {
    explicit Held(support::LockFile lock_file) : file(std::move(lock_file)) {
      if (!lock) throw std::runtime_error("the write lock is not to be had");
    }
    support::LockFile file;
    const support::WriteLock lock{file, support::this_process(),
                                  [](int tries) { return tries < 10'000 && ::usleep(1000) == 0; }};
  };

  std::string lost_file(const std::string& node) const { return folder_ / ("lost-" + node); }
  std::vector<std::string> name_spaces() const {
    std::vector<std::string> all;
    if (!fs::exists(folder_ / "shared")) return all;
    for (const auto& entry : fs::directory_iterator(folder_ / "shared"))
      if (fs::exists(entry.path() / "registers.db")) all.push_back(entry.path());
    return all;
  }
  static void run(const std::string& name_space, const std::string& sql) {
    storage::Database db(name_space + "/registers.db", storage::Open::write);
    db.wait_for_locks(std::chrono::seconds(5));
    db.run(sql.c_str());
  }

  const TempFolder folder_;
  std::map<std::string, std::size_t> before_;
  std::vector<std::unique_ptr<Held>> held_;
};

std::string local_cannot(Need need) {
  switch (need) {
    case Need::own_way: return "all nodes are on the host that has the store: nothing can be cut between them";
    case Need::servers:
    case Need::parting: return "the store is a file, and has no servers";
    case Need::renewals:
      return "a renewal is a write to the lock file: there is nobody that could answer only one of two";
    case Need::weak_updates: return "SQLite's transactions are atomic";
    case Need::clock: return "its daemons have one clock";
    default: return "";
  }
}

}  // namespace

Backend local_backend() {
  return {.name = "local",
          .shortest_timeout = Millis(2000),
          .default_timeout = Millis(15'000),
          .open = [](const StoreSettings&) -> std::unique_ptr<Store> { return std::make_unique<LocalStore>(); },
          .cannot = local_cannot};
}

}  // namespace ballot::chaos
