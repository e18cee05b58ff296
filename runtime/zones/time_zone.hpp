// TimeZone: the facts of one zone of the IANA database, between instants and local labels. It makes no rule of them.
//
// The only place that knows cctz (in Abseil, see FindCctz.cmake), which loads each zone once and keeps it for the life
// of the process: a TimeZone is a pointer to that. Where the system's file of a zone has changed since, zone_changes()
// (zone_files.hpp) has it loaded anew, by those who load it from then on. Threads: immutable; load() may be called from
// any.
//
//   auto paris = TimeZone::load("Europe/Paris");
//   auto label = local_seconds(at.time_since_epoch() + paris->offset(at));
#pragma once

#include <absl/time/internal/cctz/include/cctz/time_zone.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "ballot/error.hpp"

namespace ballot::zones {

namespace cctz = absl::time_internal::cctz;

class TimeZone {
 public:
  /// The offset from UTC that applies from an instant until `end`, at most; sys_seconds::max() if it never changes.
  struct Span {
    std::chrono::seconds offset;
    std::chrono::sys_seconds end;
  };

  /// Where a local label lies. `once`: at `first`. `repeated`: at `first`, and again after the change of the offset.
  /// `skipped`: nowhere; the offset changes over it. `shift` is by how much it changes, `change` when it has.
  struct Place {
    enum class Kind { once, skipped, repeated };
    Kind kind = Kind::once;
    std::chrono::sys_seconds first, change;
    std::chrono::seconds shift{0};
  };

  /// A zone by its IANA name, spelt as in the database; never a path, `localtime` or a rule in POSIX form.
  /// Errc::not_found says what to write instead, with the nearest known name.
  static Result<TimeZone> load(const std::string& name);

  std::chrono::seconds offset(std::chrono::sys_seconds at) const;
  Span span(std::chrono::sys_seconds at) const;
  Place find(std::chrono::local_seconds label) const;

  /// The same rules: the same zone, of the same file.
  bool operator==(const TimeZone&) const = default;
  std::size_t hash() const { return std::hash<std::string>()(zone_.name()); }

 private:
  explicit TimeZone(cctz::time_zone zone) : zone_(zone) {}
  cctz::time_zone zone_;
};

}  // namespace ballot::zones
