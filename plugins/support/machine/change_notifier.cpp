#include "support/machine/change_notifier.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ballot::support {

ChangeNotifier::ChangeNotifier(const std::string& folder) : folder_(folder + "/bell/") {}

void ChangeNotifier::notify(const std::string& topic) const noexcept {
  // A file that is not there has no listener.
  ::utimensat(AT_FDCWD, (folder_ + topic).c_str(), nullptr, 0);
}

void ChangeNotifier::listen(const std::string& topic) {
  const auto known = [&](const auto& entry) { return entry.second == topic; };
  if (std::any_of(topics_.begin(), topics_.end(), known)) return;
  if (!inotify_) inotify_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  const std::string path = folder_ + topic;
  ::mkdir(folder_.c_str(), 0700);
  const Descriptor made(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  const int watch = ::inotify_add_watch(inotify_.get(), path.c_str(), IN_ATTRIB | IN_MOVE_SELF);
  if (watch < 0) {
    missing_.insert(topic);
    return;
  }
  topics_[watch] = topic;
  missing_.erase(topic);
}

std::set<std::string> ChangeNotifier::changed() {
  // Topics without a watch may have changed.
  std::set<std::string> topics = missing_;
  alignas(inotify_event) char buffer[4096];
  ssize_t size;
  while ((size = ::read(inotify_.get(), buffer, sizeof buffer)) > 0) {
    for (ssize_t at = 0; at < size;) {
      inotify_event event;
      std::memcpy(&event, buffer + at, sizeof event);
      at += static_cast<ssize_t>(sizeof event + event.len);
      if ((event.mask & IN_Q_OVERFLOW) != 0)
        for (const auto& [watch, topic] : topics_) topics.insert(topic);
      const auto found = topics_.find(event.wd);
      if (found == topics_.end()) continue;
      topics.insert(found->second);
      // Moved away: nobody touches that file any more. Its watch then ends as that of a removed one does.
      if ((event.mask & IN_MOVE_SELF) != 0) ::inotify_rm_watch(inotify_.get(), event.wd);
      if ((event.mask & IN_IGNORED) != 0) missing_.insert(topics_.extract(found).mapped());
    }
  }
  for (const std::string& topic : std::set(missing_)) listen(topic);
  return topics;
}

}  // namespace ballot::support
