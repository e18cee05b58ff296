// MetricText: metrics as Prometheus reads them, in its text format 0.0.4: a family's help and type, then its samples.
//
//   MetricText text;
//   text.begin(metric::group_leader);
//   text.sample(metric::group_leader.name, label_text(metric::group_leader, {"nightly"}), 1);
//   send(text.take());
//
// Pure values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "ballot/time.hpp"
#include "http/metric_families.hpp"

namespace ballot::web {

/// The family's labels with these values, in their order: `group="nightly",cause="expired"`.
std::string label_text(const MetricFamily& family, std::initializer_list<std::string_view> values);
void append_labels(std::string& text, const MetricFamily& family, std::initializer_list<std::string_view> values);

class MetricText {
 public:
  void begin(const MetricFamily& family);
  /// `labels`: as label_text() makes them, or "".
  void sample(std::string_view name, std::string_view labels, std::uint64_t value);
  /// In seconds, as Prometheus counts instants and durations.
  void seconds(std::string_view name, std::string_view labels, Millis value);

  std::size_t size() const { return text_.size(); }
  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  std::string take();

 private:
  void begin_sample(std::string_view name, std::string_view labels);
  void number(std::uint64_t value);

  std::string text_;
};

}  // namespace ballot::web
