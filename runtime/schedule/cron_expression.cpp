#include "schedule/cron_expression.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/duration.hpp"
#include "base/quoted.hpp"
#include "schedule/calendar.hpp"

namespace ballot::schedule {
namespace {

using std::chrono::seconds;

constexpr std::array<std::string_view, 2> zone_prefixes{"CRON_TZ=", "TZ="};
constexpr std::string_view known_macros =
    "@yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly, @every DURATION or @reboot";

struct Macro {
  std::string_view name, fields;
};
constexpr std::array<Macro, 8> macros{{{"@yearly", "0 0 1 1 *"},
                                       {"@annually", "0 0 1 1 *"},
                                       {"@monthly", "0 0 1 * *"},
                                       {"@weekly", "0 0 * * 0"},
                                       {"@daily", "0 0 * * *"},
                                       {"@midnight", "0 0 * * *"},
                                       {"@hourly", "0 * * * *"},
                                       {"@reboot", ""}}};

struct Word {
  std::string_view text;
  int column;
};

/// The words between blanks. More words than any expression has are not kept.
class Words {
 public:
  explicit Words(std::string_view text) {
    std::size_t end = 0;
    while (count_ < kept_.size()) {
      const std::size_t begin = text.find_first_not_of(" \t", end);
      if (begin == std::string_view::npos) return;
      end = std::min(text.find_first_of(" \t", begin), text.size());
      kept_[count_++] = {text.substr(begin, end - begin), static_cast<int>(begin) + 1};
    }
  }
  std::span<const Word> all() const { return {kept_.data(), count_}; }

 private:
  std::array<Word, 9> kept_{};
  std::size_t count_ = 0;
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

bool begins_with_star(std::string_view field) { return field.front() == '*' || field.front() == '?'; }

/// Reads one expression, collecting its faults.
class ExpressionReader {
 public:
  explicit ExpressionReader(const HashSeed& seed) : seed_(seed) {}

  CronExpression read(std::span<const Word> words);
  CronFaults& faults() { return faults_; }

 private:
  std::optional<TimeZone> read_zone(const Word& word, std::size_t at);
  std::variant<CronFields, Every, Reboot> read_macro(std::span<const Word> words);
  Every read_every(std::span<const Word> words);
  CronFields read_fields(std::span<const Word> words);
  void fault_in_count(std::span<const Word> words);
  void fault(int column, std::string text) { faults_.push_back({column, std::move(text)}); }

  const HashSeed& seed_;
  CronFaults faults_;
};

CronExpression ExpressionReader::read(std::span<const Word> words) {
  CronExpression result;
  for (const std::string_view prefix : zone_prefixes)
    if (!words.empty() && words[0].text.starts_with(prefix)) {
      result.zone = read_zone(words[0], prefix.size());
      words = words.subspan(1);
      break;
    }
  if (!words.empty() && words[0].text.starts_with('@'))
    result.when = read_macro(words);
  else
    result.when = read_fields(words);
  return result;
}

/// `at`: where its name begins.
std::optional<TimeZone> ExpressionReader::read_zone(const Word& word, std::size_t at) {
  const auto zone = TimeZone::load(std::string(word.text.substr(at)));
  if (zone) return *zone;
  fault(word.column + static_cast<int>(at), zone.error().what);
  return std::nullopt;
}

std::variant<CronFields, Every, Reboot> ExpressionReader::read_macro(std::span<const Word> words) {
  const std::string_view name = words[0].text;
  if (same_word(name, "@every")) return read_every(words);
  const auto macro =
      std::find_if(macros.begin(), macros.end(), [&](const Macro& m) { return same_word(name, m.name); });
  if (macro == macros.end())
    fault(words[0].column, "unknown macro " + quoted(name) + "; write " + std::string(known_macros));
  else if (words.size() > 1)
    fault(words[1].column, "nothing may follow " + std::string(macro->name));
  if (macro == macros.end() || macro->fields.empty()) return Reboot{};
  return read_fields(Words(macro->fields).all());
}

Every ExpressionReader::read_every(std::span<const Word> words) {
  const std::string usage = "@every takes one duration of whole seconds, from 1s, such as 90s or 1h30m";
  if (words.size() < 2) return fault(words[0].column, usage), Every{};
  const auto [text, column] = words[1];
  const auto period = parse_duration(text);
  if (!period || *period < seconds(1) || *period % seconds(1) != Millis(0))
    fault(column, usage + ", not " + quoted(text));
  else if (words.size() > 2)
    fault(words[2].column, usage + ", and nothing after it");
  return {std::chrono::floor<seconds>(period.value_or(Millis(0))), "@every " + std::string(text)};
}

CronFields ExpressionReader::read_fields(std::span<const Word> words) {
  CronFields fields;
  if (words.size() != 5 && words.size() != 6) return fault_in_count(words), fields;
  if (words.size() == 5) fields.seconds = 1;
  auto field = words.size() == 6 ? CronField::second : CronField::minute;
  const std::size_t faults_before = faults_.size();
  for (const Word& word : words) {
    if (auto wrong = parse_cron_field(field, word.text, word.column, seed_, fields))
      faults_.push_back(std::move(*wrong));
    field = static_cast<CronField>(static_cast<int>(field) + 1);
  }
  const auto dates = words.last<3>();
  fields.either_day = !begins_with_star(dates[0].text) && !begins_with_star(dates[2].text);
  if (faults_.size() == faults_before && Calendar(fields).never())
    fault(dates[0].column, "this never fires: no date has day-of-month " + quoted(dates[0].text) + ", month " +
                               quoted(dates[1].text) + " and day-of-week " + quoted(dates[2].text));
  return fields;
}

void ExpressionReader::fault_in_count(std::span<const Word> words) {
  const int column = words.empty() ? 1 : words[words.size() > 6 ? 6 : 0].column;
  const std::string count = words.size() > 6 ? "more than 6"
                            : words.empty()  ? "no"
                                             : "only " + std::to_string(words.size());
  fault(column,
        count + (words.size() == 1 ? " field" : " fields") +
            "; write 5 (minute hour day-of-month month day-of-week), 6 with second first, or a macro such as @daily");
}

}  // namespace

std::variant<CronExpression, CronFaults> parse_cron(std::string_view text, const HashSeed& seed) {
  ExpressionReader reader(seed);
  const Words words(text);
  auto expression = reader.read(words.all());
  if (!reader.faults().empty()) return std::move(reader.faults());
  return expression;
}

}  // namespace ballot::schedule
