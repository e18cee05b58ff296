// Figures: what the benches found, each beside its floor and its target, as a table or as JSON.
//
//   Figures figures;
//   figures.add({.name = "burst: launches", .unit = "1/s", .floor = 2300, .value = 2100, .ratio = 0.91,
//                .target = at_least_of_floor(0.85)});
//   figures.print_table();
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ballot::bench {

/// What a figure must reach: a bound of its ratio to the floor, or of the figure itself.
struct Target {
  enum class Of { ratio, value };
  enum class Sense { at_least, at_most };
  Of of = Of::ratio;
  Sense sense = Sense::at_least;
  double bound = 0;
};
constexpr Target at_least_of_floor(double ratio) { return {Target::Of::ratio, Target::Sense::at_least, ratio}; }
constexpr Target at_most_of_floor(double ratio) { return {Target::Of::ratio, Target::Sense::at_most, ratio}; }
constexpr Target at_most(double value) { return {Target::Of::value, Target::Sense::at_most, value}; }

struct Figure {
  std::string name;
  std::string unit;
  std::optional<double> floor = {};
  double value = 0;
  std::optional<double> ratio = {};   // of value to floor: the median of the pairs' ratios
  std::optional<Target> target = {};  // none: told for what it explains
  std::string note = {};              // how many pairs, how far they lie apart
};

/// Floor and ballot measured in turn.
class Pairs {
 public:
  void add(double floor, double value);
  /// Medians, and in the note the least and the largest ratio.
  Figure figure(std::string name, std::string unit, std::optional<Target> target) const;

 private:
  std::vector<double> floors_, values_, ratios_;
};

class Figures {
 public:
  void add(Figure figure);
  std::size_t size() const { return figures_.size(); }
  void print_table() const;
  void print_json() const;

 private:
  std::vector<Figure> figures_;
};

/// Requires: not empty.
double median(std::vector<double> values);
/// The value that a share of them, 0 to 1, does not exceed. Requires: not empty.
double quantile(std::vector<double> values, double share);

}  // namespace ballot::bench
