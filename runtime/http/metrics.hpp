// Metrics: what a node counts from its start on, and what it shows of itself when it is scraped. Rows are counted as
// they are recorded. Knows nothing of jobs, terms and sockets.
//
// What is counted is kept by its label text, as it is exported. By job nothing is kept: at each scrape the loop hands
// over Figures, which are written piece by piece, so that no text of a hundred thousand jobs is ever whole in memory.
//
// Thread: any.
//
//   Metrics metrics("0.1.0");
//   metrics.count_attempt("nightly", "failed", "exit_code");
//   metrics.publish(std::move(figures));
//   Exposition shown = metrics.exposition();
//   for (std::string piece = shown.next(); !piece.empty(); piece = shown.next()) send(piece);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/time.hpp"
#include "http/figures.hpp"
#include "http/metric_families.hpp"
#include "http/metric_text.hpp"

namespace ballot::web {

/// The type of what an exposition's pieces are.
inline constexpr const char* exposition_type = "text/plain; version=0.0.4; charset=utf-8";

/// One answer to a scrape.
class Exposition {
 public:
  Exposition(std::string counted, std::shared_ptr<const Figures> figures)
      : counted_(std::move(counted)), figures_(std::move(figures)) {}

  /// The next piece, of some 64 KiB; "" after the last.
  std::string next();

 private:
  std::string counted_;
  std::shared_ptr<const Figures> figures_;
  std::size_t family_ = 0, job_ = 0;
};

class Metrics {
 public:
  explicit Metrics(std::string version);

  void count_slots(std::string_view group, std::string_view status, std::string_view reason, std::uint64_t slots);
  void count_attempt(std::string_view group, std::string_view status, std::string_view reason);
  void count_election(std::string_view group, std::string_view cause);
  /// By the key that says what was expected.
  void count_unmet(std::string_view group, std::string_view expectation);
  void add_start_lateness(std::string_view group, Millis late);
  void add_run_duration(std::string_view group, Millis ran);
  void add_claim_duration(std::string_view group, Millis took);

  /// What the next exposition shows. What is counted by group is there, as 0, from when the group is shown first:
  /// what rises from nothing has no rate.
  void publish(Figures figures);
  Exposition exposition() const;

 private:
  using Counter = std::map<std::string, std::uint64_t, std::less<>>;  // by label text
  struct Buckets {
    std::vector<std::uint64_t> counts;  // of each bound, and of what is above the last
    Millis sum{0};
  };
  struct Histogram {
    const MetricFamily& family;
    std::span<const Millis> bounds;
    std::map<std::string, Buckets, std::less<>> series{};

    Buckets& of(std::string_view group);
    void add(std::string_view group, Millis value);
    void write(MetricText& text) const;
  };

  void begin_group(const std::string& group);
  void count(Counter& counter, const std::string& labels, std::uint64_t by);
  void add(Histogram& histogram, std::string_view group, Millis value);

  const std::string version_;
  mutable std::mutex mutex_;
  Counter slots_, attempts_, elections_, unmet_;
  Histogram lateness_, duration_, claims_;
  std::set<std::string> begun_;  // the groups whose counters are there
  std::shared_ptr<const Figures> figures_;
};

}  // namespace ballot::web
