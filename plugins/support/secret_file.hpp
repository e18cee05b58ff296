// SecretFile: the first line, or all, of a file that only root and this user may read or write, nor reach by a folder
// that others may write to: passwords and tokens of a store. The rules of a job's `secrets`.
//
//   const auto password = read_secret("/etc/ballot/zookeeper-password");
#pragma once

#include <string>

#include "ballot/error.hpp"

namespace ballot::support {

/// Errors, each with the path: refused, where others may read or change it; invalid, where its first line is empty; io.
Result<std::string> read_secret(const std::string& path);
/// All of such a file, where it has several lines: at most 16 KiB. Errors as those of read_secret(): invalid, where it
/// is empty or longer.
Result<std::string> read_secret_text(const std::string& path);
/// The first line, or the text, of a file that [TABLE] KEY names; "" where it names none. Errors are refused or
/// invalid, and name the key.
Result<std::string> secret_of(const std::string& table, const std::string& key, const std::string& path);
Result<std::string> secret_text_of(const std::string& table, const std::string& key, const std::string& path);

}  // namespace ballot::support
