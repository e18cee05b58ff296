#include "support/machine/leases.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

namespace ballot::support {

namespace {

/// As it lies in the file.
struct Slot {
  std::int64_t session = 0;
  std::int64_t deadline = 0;  // these three: the owner's
  std::int64_t renewed = 0;
  std::uint64_t check = 0;
  std::int64_t barred = 0;  // the others': the session that is
  std::uint64_t boot = 0;
  std::int64_t pid = 0;
  std::int64_t space = 0;
  std::int64_t started = 0;
  std::array<std::int64_t, 7> spare{};
};
static_assert(sizeof(Slot) == 128);

constexpr std::int64_t slot_size = sizeof(Slot), page = 4096;
constexpr int reads = 64;  // of a slot that is being written

constexpr std::int64_t at(std::int64_t slot) { return LockFile::text_size + (slot - 1) * slot_size; }

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  for (int i = 0; i < 64; i += 8) hash = (hash ^ ((value >> i) & 0xff)) * 0x100000001b3;
  return hash;
}

std::uint64_t check_of(std::int64_t session, std::int64_t deadline, std::int64_t renewed) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::int64_t value : {session, deadline, renewed}) hash = mix(hash, static_cast<std::uint64_t>(value));
  return hash;
}

std::int64_t stored(SteadyTime time) { return time.time_since_epoch().count(); }
std::int64_t stored(WallTime time) { return time.time_since_epoch().count(); }

}  // namespace

std::uint64_t Leases::boot_mark(std::string_view boot_id) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : boot_id) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

std::int64_t Leases::count() const noexcept {
  const std::int64_t size = file_.size() - LockFile::text_size;
  return size <= 0 ? 0 : size / slot_size;
}

/// To the end of a page, with bytes and not with a hole: what is overwritten later has its place on the disk.
int Leases::grow() noexcept {
  const std::int64_t from = at(count() + 1);
  const std::int64_t to = (from / page + 1) * page;
  const std::array<char, page> zeros{};
  const int failed = file_.write(from, zeros.data(), static_cast<std::size_t>(to - from));
  if (failed != 0) return failed;
  return file_.sync() ? 0 : EIO;
}

std::optional<Lease> Leases::read(std::int64_t slot) const noexcept {
  Slot found;
  for (int i = 0; i < reads; ++i) {
    if (slot < 1 || !file_.read(at(slot), &found, sizeof found) || found.session == 0) return std::nullopt;
    if (found.check != check_of(found.session, found.deadline, found.renewed)) continue;
    return Lease{found.session, SteadyTime(Millis(found.deadline)), WallTime(Millis(found.renewed)), found.boot,
                 Process{found.pid, found.space, found.started}};
  }
  return std::nullopt;
}

int Leases::put(std::int64_t slot, const Lease& lease) noexcept {
  Slot made;
  made.session = lease.session;
  made.deadline = stored(lease.deadline);
  made.renewed = stored(lease.renewed);
  made.check = check_of(made.session, made.deadline, made.renewed);
  made.boot = lease.boot;
  made.pid = lease.process.pid;
  made.space = lease.process.space;
  made.started = lease.process.started;
  return file_.write(at(slot), &made, sizeof made);
}

int Leases::renew(std::int64_t slot, std::int64_t session, SteadyTime deadline, WallTime now) noexcept {
  const std::int64_t until = stored(deadline), when = stored(now);
  const struct {
    std::int64_t deadline, renewed;
    std::uint64_t check;
  } part{until, when, check_of(session, until, when)};
  const int failed = file_.write(at(slot) + static_cast<std::int64_t>(offsetof(Slot, deadline)), &part, sizeof part);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // what the owner reads next is no older than this
  return failed;
}

void Leases::bar(std::int64_t slot, std::int64_t session) noexcept {
  file_.write(at(slot) + static_cast<std::int64_t>(offsetof(Slot, barred)), &session, sizeof session);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // and so is what others read next
}

bool Leases::barred(std::int64_t slot, std::int64_t session) const noexcept {
  Slot found;
  return !file_.read(at(slot), &found, sizeof found) || found.session != session || found.barred == session;
}

}  // namespace ballot::support
