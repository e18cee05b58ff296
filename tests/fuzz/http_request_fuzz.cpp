// A request of the API: its head, its body, its target, as anybody may send them.
#include "harness.hpp"
#include "http/request_reader.hpp"
#include "http/target.hpp"

namespace ballot::fuzz::http_request_harness {
namespace {

using web::RequestReader;

struct Read {
  enum class End { more, whole, fault } end = End::more;
  int status = 0;    // of the fault, in the head or after it
  std::string text;  // of the fault
  std::string body, target;
  bool operator==(const Read&) const = default;
};

web::HttpLimits small_limits() {
  web::HttpLimits limits;
  limits.head_bytes = 1024;
  limits.body_bytes = 256;
  return limits;
}

HttpSettings proxied_settings() {
  HttpSettings settings;
  settings.advertise = "https://h.example";
  settings.proxy_user_header = "X-User";
  return settings;
}

Read fault(const web::HeadFault& fault) { return {Read::End::fault, fault.status, fault.text, {}, {}}; }

Read read(const std::vector<std::string_view>& pieces) {
  static const web::HttpLimits limits = small_limits();
  static const HttpSettings settings = proxied_settings();
  RequestReader reader(limits);
  std::string buffer, target;
  for (const std::string_view piece : pieces) {
    buffer += piece;
    RequestReader::Step step = reader.feed(buffer);
    if (step == RequestReader::Step::head) {
      web::RequestHead head;
      if (const auto wrong = web::read_head(reader.fields(), settings, head)) return fault(*wrong);
      require(is_harmless(head.host) && head.host.size() <= 255, "a host can be shown", head.host);
      web::is_cross_site(head, settings);
      web::is_own_host(head, settings, "host-1");
      target = head.target;
      step = reader.feed(buffer);
    }
    if (step == RequestReader::Step::fault) return fault(reader.fault());
    if (step == RequestReader::Step::whole) return {Read::End::whole, 0, "", reader.take_body(), target};
    require(buffer.size() < limits.head_bytes, "what waits is bounded");
  }
  return {};
}

void take_apart(std::string_view text) {
  for (const char* const base : {"", "/ballot"}) {
    const auto target = web::parse_target(text, base);
    if (!target) {
      require(is_harmless(target.error().what), "an error can be shown", target.error().what);
      continue;
    }
    require(target->query.size() <= 64, "values are bounded");
    for (const std::string& segment : target->path)
      require(is_showable(segment) && !segment.empty() && segment != "." && segment != "..", "a segment is a name",
              segment);
    for (const auto& [name, value] : target->query)
      require(is_showable(name) && is_showable(value), "a value is a text", value);
  }
}

}  // namespace

BALLOT_FUZZ(http_request) {
  take_apart(input);
  if (input.empty()) return;
  const Read whole = read({input}), cut = read(in_pieces(input));
  require(whole.end == cut.end || whole.end == Read::End::fault || cut.end == Read::End::fault,
          "it does not matter how a request is cut");
  if (whole.end == Read::End::whole && cut.end == Read::End::whole) require(whole == cut, "nor for what it says");
  if (whole.end == Read::End::whole) take_apart(whole.target);
  require(whole.body.size() <= 256, "a body is bounded");
}

}  // namespace ballot::fuzz::http_request_harness
