#include "texts.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <sstream>
#include <vector>

namespace ballot::zookeeper {

namespace {

using Fields = std::map<std::string, std::string, std::less<>>;

/// Lines of "key value".
Fields fields_of(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const auto space = line.find(' ');
    if (space != std::string_view::npos) fields.emplace(line.substr(0, space), line.substr(space + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

/// Within bounds that can be reckoned with: anybody may have written it.
std::int64_t number(std::string_view text, std::int64_t most) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::clamp<std::int64_t>(value, 0, most);
}

constexpr std::int64_t latest_ms = 253'402'300'799'999;  // the end of the year 9999
constexpr std::int64_t longest_timeout_ms = 24 * 3'600'000;
constexpr std::size_t longest_node = 256;

/// It becomes part of a path, and stands on screens.
bool is_node(std::string_view text) {
  return !text.empty() && text.size() <= longest_node && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f && c != '/'; });
}

/// A field never breaks the line that it stands on.
std::string one_line(std::string text) {
  for (char& letter : text)
    if (letter == '\n') letter = ' ';
  return text;
}

}  // namespace

std::string format(const MemberRecord& record) {
  std::ostringstream out;
  out << "session " << record.session << "\nnode " << one_line(record.node) << "\nmachine "
      << one_line(record.machine_id) << "\nboot " << one_line(record.boot_id) << "\nhost " << one_line(record.host)
      << "\npid " << record.pid << "\nversion " << one_line(record.version) << "\ncontrol " << one_line(record.control)
      << "\ntimeout_ms " << record.timeout.count() << "\ndeadline_ms " << record.deadline.time_since_epoch().count()
      << "\nrenewed_ms " << record.renewed.time_since_epoch().count() << "\nended " << record.ended << "\n";
  return out.str();
}

std::optional<MemberRecord> parse_member(std::string_view text) {
  Fields fields = fields_of(text);
  if (!fields.contains("session")) return std::nullopt;
  MemberRecord record;
  record.session = fields["session"];
  record.node = fields["node"];
  record.machine_id = fields["machine"];
  record.boot_id = fields["boot"];
  record.host = fields["host"];
  record.version = fields["version"];
  record.control = fields["control"];
  record.pid = static_cast<int>(number(fields["pid"], std::numeric_limits<int>::max()));
  record.timeout = Millis(number(fields["timeout_ms"], longest_timeout_ms));
  record.deadline = SteadyTime(Millis(number(fields["deadline_ms"], latest_ms)));
  record.renewed = WallTime(Millis(number(fields["renewed_ms"], latest_ms)));
  record.ended = fields["ended"] == "1";
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

TermRecord parse_term(std::string_view text) {
  TermRecord record;
  std::istringstream in{std::string(text)};
  std::string end;
  if (!(in >> record.epoch >> record.session >> record.node >> record.boot_id >> end)) return {};
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

}  // namespace ballot::zookeeper
