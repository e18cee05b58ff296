#include "bench/figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ballot::bench {
namespace {

/// Four digits that matter, no more.
std::string number(double value) {
  char text[32];
  const int decimals = value == 0 ? 0 : std::clamp(3 - static_cast<int>(std::floor(std::log10(std::abs(value)))), 0, 4);
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string number(const std::optional<double>& value, const char* otherwise) {
  return value ? number(*value) : otherwise;
}

const char* sign(const Target& target) { return target.sense == Target::Sense::at_least ? ">=" : "<="; }

/// "ok", "short", or "" where there is nothing to reach.
const char* verdict(const Figure& figure) {
  if (!figure.target) return "";
  const Target& target = *figure.target;
  const double reached = target.of == Target::Of::value ? figure.value : figure.ratio.value_or(NAN);
  const bool met = target.sense == Target::Sense::at_least ? reached >= target.bound : reached <= target.bound;
  return met ? "ok" : "short";
}

std::string target_text(const Figure& figure) {
  if (!figure.target) return "";
  const bool of_floor = figure.target->of == Target::Of::ratio;
  return std::string(sign(*figure.target)) + " " + number(figure.target->bound) + (of_floor ? " x" : "");
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) (c == '"' || c == '\\' ? out += '\\' : out) += c;
  return out + "\"";
}

std::string json(const Figure& figure) {
  std::string text = "{\"figure\":" + quoted(figure.name) + ",\"unit\":" + quoted(figure.unit) +
                     ",\"floor\":" + number(figure.floor, "null") + ",\"measured\":" + number(figure.value) +
                     ",\"ratio\":" + number(figure.ratio, "null");
  if (figure.target)
    text += ",\"target\":" + quoted(target_text(figure)) + ",\"met\":" + (*verdict(figure) == 'o' ? "true" : "false");
  else
    text += ",\"target\":null,\"met\":null";
  return text + ",\"note\":" + quoted(figure.note) + "}";
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const auto last = values.size() - 1;
  return values[std::min(last, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void Pairs::add(double floor, double value) {
  floors_.push_back(floor);
  values_.push_back(value);
  ratios_.push_back(value / floor);
}

Figure Pairs::figure(std::string name, std::string unit, std::optional<Target> target) const {
  const auto [least, most] = std::minmax_element(ratios_.begin(), ratios_.end());
  const std::string note = std::to_string(ratios_.size()) + " pairs, " + number(*least) + " to " + number(*most);
  return {std::move(name), std::move(unit), median(floors_), median(values_), median(ratios_), target, note};
}

void Figures::add(Figure figure) {
  std::fprintf(stderr, "  %s: %s %s\n", figure.name.c_str(), number(figure.value).c_str(), figure.unit.c_str());
  figures_.push_back(std::move(figure));
}

void Figures::print_table() const {
  std::printf("%-56s %10s %10s %7s %-10s %-6s %-6s %s\n", "figure", "floor", "measured", "ratio", "target", "", "unit",
              "");
  for (const Figure& f : figures_)
    std::printf("%-56s %10s %10s %7s %-10s %-6s %-6s %s\n", f.name.c_str(), number(f.floor, "").c_str(),
                number(f.value).c_str(), number(f.ratio, "").c_str(), target_text(f).c_str(), verdict(f),
                f.unit.c_str(), f.note.c_str());
}

void Figures::print_json() const {
  std::printf("[");
  for (const char* between = "\n"; const Figure& figure : figures_) {
    std::printf("%s  %s", between, json(figure).c_str());
    between = ",\n";
  }
  std::printf("\n]\n");
}

}  // namespace ballot::bench
