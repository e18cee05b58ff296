#include "library/shown/expects_text.hpp"

#include "base/duration.hpp"

namespace ballot::library {

std::string expects_text(const Expectations& expects) {
  std::string text;
  const auto add = [&](const char* what, Millis time) {
    if (time > Millis(0)) text += (text.empty() ? "" : ", ") + std::string(what) + format_duration(time);
  };
  add("success within ", expects.expect_success);
  add("runs of at most ", expects.expect_within);
  add("a start within ", expects.late_after);
  return text;
}

}  // namespace ballot::library
