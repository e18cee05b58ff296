#include "config/crontab/crontab_file.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/trust.hpp"
#include "base/trusted_open.hpp"
#include "config/text_file.hpp"

namespace ballot::config {
namespace {

Error ignored_by_cron(const std::string& fault) {
  return {Errc::refused, fault + "; cron ignores such a crontab. Look at its lines before you change that"};
}

Error crontab_open_error(int number) {
  if (number == ENOENT || number == ENOTDIR) return {Errc::not_found, "no such file"};
  if (number == ELOOP) return ignored_by_cron("this is a link; name the file that it leads to");
  if (number == ENXIO) return {Errc::refused, "this is no regular file; remove it or rename it"};
  return {Errc::io, "the file cannot be opened: " + std::system_category().message(number)};
}

std::string mode_text(mode_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777));
  return text.data();
}

/// Why cron does not read a file of this mode; none: it does.
std::optional<std::string> wrong_mode(const CrontabSource& source, mode_t mode) {
  const bool is_exact = (mode & 07777) == 0600, is_readable_text = (mode & 07533) == 0400;
  if (source.spool == CrontabSpool::debian && !is_exact)
    return "the file has the mode " + mode_text(mode) + "; in its spool cron wants 0600: chmod 0600 it";
  if (source.spool == CrontabSpool::cronie && !is_readable_text)
    return "the file has the mode " + mode_text(mode) + "; in its spool cron wants 0600: chmod 0600 it";
  if ((mode & (S_IWGRP | S_IWOTH)) != 0)
    return "the file is writable by others (mode " + mode_text(mode) + "); take that away with chmod go-w";
  return std::nullopt;
}

Result<TrustedFile> open_of_user(int folder, const std::string& name, const CrontabSource& source,
                                 std::uint32_t invoker, Identities& identities) {
  TrustedFile file{UniqueFd(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)),
                   {}};
  if (!file.fd || ::fstat(file.fd.get(), &file.info) != 0) return crontab_open_error(errno);
  if (!S_ISREG(file.info.st_mode)) return crontab_open_error(ENXIO);
  const auto& user = identities.user(source.user);
  const bool is_users = user && file.info.st_uid == (*user)->uid;
  if (file.info.st_uid != 0 && file.info.st_uid != invoker && !is_users) {
    const auto& owner = identities.user(file.info.st_uid);
    const std::string name_of_owner = owner ? (*owner)->user : std::to_string(file.info.st_uid);
    return ignored_by_cron("the file belongs to " + name_of_owner + ", and its jobs would run as " + source.user +
                           "; if it is the crontab of " + name_of_owner + ", say --user " + name_of_owner);
  }
  if (const auto fault = wrong_mode(source, file.info.st_mode)) return ignored_by_cron(*fault);
  return file;
}

Result<TrustedFile> open_of_system(int folder, const std::string& name, std::uint32_t invoker) {
  auto file = open_trusted(folder, name, invoker);
  if (!file && file.error().code == Errc::refused) return ignored_by_cron(file.error().what);
  return file;
}

}  // namespace

Result<struct stat> read_crontab_file(const CrontabSource& source, std::uint32_t invoker, Identities& identities,
                                      std::string& text) {
  const std::filesystem::path path(source.file);
  const std::string name = path.filename();
  const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".";
  const UniqueFd folder(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return crontab_open_error(errno);
  const auto file = source.form == CrontabForm::system ? open_of_system(folder.get(), name, invoker)
                                                       : open_of_user(folder.get(), name, source, invoker, identities);
  if (!file) return file.error();
  if (file->info.st_nlink != 1)
    return ignored_by_cron("the file has " + std::to_string(file->info.st_nlink) +
                           " hard links, so that it can be written by another name; put a copy in its place");
  if (const auto done = read_text(file->fd.get(), file->info, text); !done) return done.error();
  return file->info;
}

}  // namespace ballot::config
