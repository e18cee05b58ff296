// Subjects: a bucket's keys as subjects of NATS, and back: '/' is '.', and what a token of a bucket's key may not have
// is "=XX" in hexadecimal digits, so that every key fits and `nats kv` shows it. Pure.
//
//   subject_of("ballot-test", "r/j/a.b")   // "$KV.ballot-test.r.j.a=2Eb"
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ballot::nats {

/// Of buckets' names, and of the tokens of keys.
inline constexpr std::string_view plain_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

inline std::string stream_of(const std::string& bucket) { return "KV_" + bucket; }
/// Of all its keys.
inline std::string all_subjects_of(const std::string& bucket) { return "$KV." + bucket + ".>"; }
/// One that no key has: for barriers and tests. `name`: of letters, digits and dots.
inline std::string own_subject_of(const std::string& bucket, const std::string& name) {
  return "$KV." + bucket + ".=." + name;
}
std::string subject_of(const std::string& bucket, std::string_view key);
/// None: it is of no key.
std::optional<std::string> key_of(const std::string& bucket, std::string_view subject);

}  // namespace ballot::nats
