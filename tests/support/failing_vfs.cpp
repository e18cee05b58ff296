#include "support/failing_vfs.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

namespace ballot::testing {
namespace {

/// SQLite allots the memory: this head, and behind it the file of the VFS that does the work.
struct File {
  sqlite3_file base;
  FailingVfs* owner;
  const char* path;  // SQLite keeps it as long as the file is open; null of one that has no name
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File* file_of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
sqlite3_file* real(sqlite3_file* file) { return file_of(file)->real(); }

int usual_code(FileCall call) {
  switch (call) {
    case FileCall::open: return SQLITE_CANTOPEN;
    case FileCall::read: return SQLITE_IOERR_READ;
    case FileCall::write: return SQLITE_IOERR_WRITE;
    case FileCall::truncate: return SQLITE_IOERR_TRUNCATE;
    case FileCall::sync: return SQLITE_IOERR_FSYNC;
    case FileCall::lock: return SQLITE_IOERR_LOCK;
    case FileCall::remove: return SQLITE_IOERR_DELETE;
  }
  return SQLITE_IOERR;
}

/// Fails, or hands the call on.
template <class Work>
int guarded(sqlite3_file* file, FileCall call, const Work& work) {
  const int code = file_of(file)->owner->pass(call);
  return code != SQLITE_OK ? code : work(real(file)->pMethods, real(file));
}

int close_file(sqlite3_file* file) {
  return real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
}
int read_file(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
  return guarded(file, FileCall::read, [&](auto* methods, auto* f) { return methods->xRead(f, to, size, at); });
}
int write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
  return guarded(file, FileCall::write, [&](auto* methods, auto* f) { return methods->xWrite(f, from, size, at); });
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  return guarded(file, FileCall::truncate, [&](auto* methods, auto* f) { return methods->xTruncate(f, size); });
}
int sync_file(sqlite3_file* file, int flags) {
  const int code = guarded(file, FileCall::sync, [&](auto* methods, auto* f) { return methods->xSync(f, flags); });
  if (code == SQLITE_OK && file_of(file)->path) file_of(file)->owner->keep(file_of(file)->path);
  return code;
}
int lock_file(sqlite3_file* file, int level) {
  return guarded(file, FileCall::lock, [&](auto* methods, auto* f) { return methods->xLock(f, level); });
}
int file_size(sqlite3_file* file, sqlite3_int64* size) { return real(file)->pMethods->xFileSize(real(file), size); }
int unlock_file(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
int reserved_lock(sqlite3_file* file, int* reserved) {
  return real(file)->pMethods->xCheckReservedLock(real(file), reserved);
}
int control(sqlite3_file* file, int what, void* value) {
  return real(file)->pMethods->xFileControl(real(file), what, value);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int device(sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** at) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, at);
}
int shm_lock(sqlite3_file* file, int at, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), at, count, flags);
}
void shm_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int shm_unmap(sqlite3_file* file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

constexpr sqlite3_io_methods methods{2,           close_file,  read_file, write_file,  truncate_file,
                                     sync_file,   file_size,   lock_file, unlock_file, reserved_lock,
                                     control,     sector_size, device,    shm_map,     shm_lock,
                                     shm_barrier, shm_unmap,   nullptr,   nullptr};

FailingVfs& owner_of(sqlite3_vfs* vfs) { return *static_cast<FailingVfs*>(vfs->pAppData); }
sqlite3_vfs* unix_vfs() { return sqlite3_vfs_find("unix"); }

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* made, int flags, int* out_flags) {
  File* file = file_of(made);
  file->base.pMethods = nullptr;
  file->owner = &owner_of(vfs);
  file->path = name;
  file->real()->pMethods = nullptr;
  if (const int code = file->owner->pass(FileCall::open); code != SQLITE_OK) return code;
  const int code = unix_vfs()->xOpen(unix_vfs(), name, file->real(), flags, out_flags);
  if (file->real()->pMethods) file->base.pMethods = &methods;
  return code;
}

int remove_file(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  const int code = owner_of(vfs).pass(FileCall::remove);
  if (code == SQLITE_OK) owner_of(vfs).forget(name);
  return code != SQLITE_OK ? code : unix_vfs()->xDelete(unix_vfs(), name, sync_folder);
}

}  // namespace

FailingVfs::FailingVfs() : before_(sqlite3_vfs_find(nullptr)) {
  vfs_ = *unix_vfs();  // its other functions use nothing of the VFS that they are called with
  vfs_.pNext = nullptr;
  vfs_.zName = "failing";
  vfs_.pAppData = this;
  vfs_.szOsFile = static_cast<int>(sizeof(File)) + unix_vfs()->szOsFile;
  vfs_.xOpen = open_file;
  vfs_.xDelete = remove_file;
  sqlite3_vfs_register(&vfs_, 1);
}

FailingVfs::~FailingVfs() {
  sqlite3_vfs_unregister(&vfs_);
  sqlite3_vfs_register(before_, 1);
  const std::lock_guard hold(mutex_);  // a thread that nobody has joined may have written to it last
  synced_.clear();
}

void FailingVfs::fail(FileCall call, std::int64_t n, std::int64_t m, int code) {
  Rule& r = rule(call);
  r.count = 0;
  r.code = code != 0 ? code : usual_code(call);
  r.last = m != 0 ? m : n;
  r.first = n;
}

void FailingVfs::reset() {
  for (Rule& r : rules_) r.first = r.last = r.count = 0;
}

std::int64_t FailingVfs::count(FileCall call) const { return rules_[static_cast<std::size_t>(call)].count; }

void FailingVfs::hang(FileCall call) {
  const std::lock_guard hold(mutex_);
  hung_ = call;
}

bool FailingVfs::wait_hanging(std::chrono::milliseconds limit) {
  std::unique_lock hold(mutex_);
  return changed_.wait_for(hold, limit, [this] { return hanging_ > 0; });
}

void FailingVfs::go_on() {
  const std::lock_guard hold(mutex_);
  hung_.reset();
  changed_.notify_all();
}

void FailingVfs::keep(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  const std::lock_guard hold(mutex_);
  synced_[path] = std::move(content);
}

void FailingVfs::forget(const std::string& path) {
  const std::lock_guard hold(mutex_);
  synced_.erase(path);
}

void FailingVfs::lose_power(const std::string& folder) {
  const std::lock_guard hold(mutex_);
  std::filesystem::create_directories(folder);
  for (const auto& [path, content] : synced_)
    std::ofstream(std::filesystem::path(folder) / std::filesystem::path(path).filename(), std::ios::binary) << content;
}

int FailingVfs::pass(FileCall call) {
  std::unique_lock hold(mutex_);  // to the end: the destructor comes after a thread's last call by it
  if (hung_ == call) {
    ++hanging_;
    changed_.notify_all();
    changed_.wait(hold, [&] { return hung_ != call; });
    --hanging_;
  }
  Rule& r = rule(call);
  const std::int64_t n = ++r.count;
  return n >= r.first && n <= r.last ? r.code.load() : SQLITE_OK;
}

}  // namespace ballot::testing
