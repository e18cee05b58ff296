// The words that a key with a fixed set of values takes.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ballot/job.hpp"
#include "ballot/log.hpp"
#include "config/config.hpp"

namespace ballot::config {

template <class E>
struct Word {
  std::string_view text;
  E value;
};

inline constexpr Word<RunOn> run_on_words[] = {{"leader", RunOn::leader}, {"each", RunOn::each}};
inline constexpr Word<Concurrency> concurrency_words[] = {{"skip", Concurrency::skip},
                                                          {"queue", Concurrency::queue},
                                                          {"replace", Concurrency::replace},
                                                          {"allow", Concurrency::allow}};
inline constexpr Word<QueueOverflow> queue_overflow_words[] = {{"drop-new", QueueOverflow::drop_new},
                                                               {"drop-old", QueueOverflow::drop_old}};
inline constexpr Word<Misfire> misfire_words[] = {
    {"latest", Misfire::latest}, {"all", Misfire::all}, {"skip", Misfire::skip}};
inline constexpr Word<Guarantee> guarantee_words[] = {{"at-most-once", Guarantee::at_most_once},
                                                      {"at-least-once", Guarantee::at_least_once}};
inline constexpr Word<AfterStatus> after_status_words[] = {
    {"succeeded", AfterStatus::succeeded}, {"failed", AfterStatus::failed}, {"ended", AfterStatus::ended}};
inline constexpr Word<OnLeadershipLost> on_leadership_lost_words[] = {{"terminate", OnLeadershipLost::terminate},
                                                                      {"finish", OnLeadershipLost::finish}};
inline constexpr Word<AfterRun> after_run_words[] = {
    {"ignore", AfterRun::ignore}, {"rerun", AfterRun::rerun}, {"reelect", AfterRun::reelect}};
inline constexpr Word<DayShift> day_shift_words[] = {
    {"none", DayShift::none}, {"next", DayShift::next}, {"previous", DayShift::previous}};
inline constexpr Word<OutputKeep> output_words[] = {{"history", OutputKeep::history}, {"discard", OutputKeep::discard}};
inline constexpr Word<Background> background_words[] = {{"kill", Background::kill}, {"leave", Background::leave}};
inline constexpr Word<MailOn> mail_on_words[] = {
    {"failure", MailOn::failure}, {"output", MailOn::output}, {"always", MailOn::always}};
inline constexpr Word<OnOutage> on_outage_words[] = {{"step_down", OnOutage::step_down}, {"hold", OnOutage::hold}};
inline constexpr Word<LogFormat> log_format_words[] = {
    {"human", LogFormat::human}, {"json", LogFormat::json}, {"raw", LogFormat::raw}};
inline constexpr Word<Level> level_words[] = {
    {"trace", Level::trace}, {"debug", Level::debug}, {"info", Level::info},    {"warn", Level::warn},
    {"error", Level::error}, {"fatal", Level::fatal}, {"warning", Level::warn}, {"panic", Level::fatal}};

inline std::span<const Word<RunOn>> words(RunOn) { return run_on_words; }
inline std::span<const Word<Concurrency>> words(Concurrency) { return concurrency_words; }
inline std::span<const Word<QueueOverflow>> words(QueueOverflow) { return queue_overflow_words; }
inline std::span<const Word<Misfire>> words(Misfire) { return misfire_words; }
inline std::span<const Word<Guarantee>> words(Guarantee) { return guarantee_words; }
inline std::span<const Word<AfterStatus>> words(AfterStatus) { return after_status_words; }
inline std::span<const Word<OnLeadershipLost>> words(OnLeadershipLost) { return on_leadership_lost_words; }
inline std::span<const Word<AfterRun>> words(AfterRun) { return after_run_words; }
inline std::span<const Word<DayShift>> words(DayShift) { return day_shift_words; }
inline std::span<const Word<OutputKeep>> words(OutputKeep) { return output_words; }
inline std::span<const Word<Background>> words(Background) { return background_words; }
inline std::span<const Word<MailOn>> words(MailOn) { return mail_on_words; }
inline std::span<const Word<OnOutage>> words(OnOutage) { return on_outage_words; }
inline std::span<const Word<LogFormat>> words(LogFormat) { return log_format_words; }
inline std::span<const Word<Level>> words(Level) { return level_words; }

template <class E>
std::optional<E> parse_word(std::string_view text) {
  for (const auto& word : words(E{}))
    if (word.text == text) return word.value;
  return std::nullopt;
}

template <class E>
std::string_view word_of(E value) {
  for (const auto& word : words(value))
    if (word.value == value) return word.text;
  return {};
}

template <class E>
std::vector<std::string_view> all_words() {
  std::vector<std::string_view> out;
  for (const auto& word : words(E{})) out.push_back(word.text);
  return out;
}

}  // namespace ballot::config
