#include "support/texts.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>

#include "support/fields.hpp"

namespace ballot::support {

namespace {

constexpr std::int64_t latest_ms = 253'402'300'799'999;  // the end of the year 9999
constexpr std::int64_t longest_timeout_ms = 24 * 3'600'000;
constexpr std::size_t longest_node = 256;
constexpr std::uint64_t largest_epoch = std::uint64_t{1} << 62;

/// 0: it is none that can be counted on from.
std::uint64_t epoch_of(std::string_view text) {
  std::uint64_t epoch = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, epoch);
  return read.ec == std::errc() && read.ptr == end && epoch <= largest_epoch ? epoch : 0;
}

/// A node's name becomes part of a path, and is shown on screens.
bool is_node(std::string_view text) {
  return !text.empty() && text.size() <= longest_node && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f && c != '/'; });
}

}  // namespace

std::string format(const MemberRecord& record) {
  FieldWriter out;
  out.put("session", record.session);
  out.put("node", record.node);
  out.put("machine", record.machine_id);
  out.put("boot", record.boot_id);
  out.put("host", record.host);
  out.put("pid", record.pid);
  out.put("version", record.version);
  out.put("control", record.control);
  out.put("timeout_ms", record.timeout.count());
  out.put("deadline_ms", record.deadline.time_since_epoch().count());
  out.put("renewed_ms", record.renewed.time_since_epoch().count());
  out.put("ended", record.ended ? 1 : 0);
  return out.text();
}

std::optional<MemberRecord> parse_member(std::string_view text) {
  const Fields fields = fields_of(text);
  if (!fields.contains("session")) return std::nullopt;
  MemberRecord record;
  record.session = field_of(fields, "session");
  record.node = field_of(fields, "node");
  record.machine_id = field_of(fields, "machine");
  record.boot_id = field_of(fields, "boot");
  record.host = field_of(fields, "host");
  record.version = field_of(fields, "version");
  record.control = field_of(fields, "control");
  record.pid = static_cast<int>(number_of(fields, "pid", std::numeric_limits<int>::max()));
  record.timeout = Millis(number_of(fields, "timeout_ms", longest_timeout_ms));
  record.deadline = SteadyTime(Millis(number_of(fields, "deadline_ms", latest_ms)));
  record.renewed = WallTime(Millis(number_of(fields, "renewed_ms", latest_ms)));
  record.ended = field_of(fields, "ended") == "1";
  return record;
}

std::string format(const TermRecord& record) {
  std::string text = std::to_string(record.epoch) + " " + record.session + " " + record.node + " " +
                     (record.boot_id.empty() ? "-" : record.boot_id) + (record.clean ? " ended" : " open");
  const std::size_t skip = record.before.size() - std::min(record.before.size(), TermRecord::most_before);
  for (std::size_t i = skip; i < record.before.size(); ++i)
    text += " " + record.before[i].node + "/" + record.before[i].session;
  return text;
}

std::uint64_t next_epoch(std::uint64_t last) { return last >= largest_epoch ? 1 : last + 1; }

TermRecord parse_term(std::string_view text) {
  TermRecord record;
  std::istringstream in{std::string(text)};
  std::string epoch, end;
  if (!(in >> epoch >> record.session >> record.node >> record.boot_id >> end)) return {};
  record.epoch = epoch_of(epoch);
  if (record.epoch == 0) return {};
  record.clean = end == "ended";
  for (std::string one; in >> one && record.before.size() < TermRecord::most_before;)
    if (const auto slash = one.find('/'); slash != std::string::npos && slash > 0 && slash + 1 < one.size())
      record.before.push_back({one.substr(0, slash), one.substr(slash + 1)});
  return record;
}

std::string format(const CandidateText& text) {
  return text.node + " " + std::to_string(text.since.time_since_epoch().count());
}

std::optional<CandidateText> parse_candidate(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos || !is_node(text.substr(0, space))) return std::nullopt;
  std::int64_t since = 0;
  const char* const end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data() + space + 1, end, since); read.ec != std::errc() || read.ptr != end)
    return std::nullopt;
  if (since < 0 || since > latest_ms) return std::nullopt;
  return CandidateText{std::string(text.substr(0, space)), WallTime(Millis(since))};
}

}  // namespace ballot::support
