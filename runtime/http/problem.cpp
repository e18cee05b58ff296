// The reason phrases of statuses (status.hpp), and responses of errors (exchange.hpp).
#include <algorithm>
#include <array>

#include "http/exchange.hpp"
#include "http/status.hpp"

namespace ballot::web {
namespace {

struct Reason {
  int status;
  std::string_view text;
};

constexpr std::array reasons{
    Reason{200, "OK"},
    Reason{201, "Created"},
    Reason{202, "Accepted"},
    Reason{204, "No Content"},
    Reason{206, "Partial Content"},
    Reason{304, "Not Modified"},
    Reason{308, "Permanent Redirect"},
    Reason{400, "Bad Request"},
    Reason{401, "Unauthorized"},
    Reason{403, "Forbidden"},
    Reason{404, "Not Found"},
    Reason{405, "Method Not Allowed"},
    Reason{408, "Request Timeout"},
    Reason{409, "Conflict"},
    Reason{410, "Gone"},
    Reason{412, "Precondition Failed"},
    Reason{413, "Content Too Large"},
    Reason{415, "Unsupported Media Type"},
    Reason{416, "Range Not Satisfiable"},
    Reason{421, "Misdirected Request"},
    Reason{422, "Unprocessable Content"},
    Reason{429, "Too Many Requests"},
    Reason{431, "Request Header Fields Too Large"},
    Reason{500, "Internal Server Error"},
    Reason{501, "Not Implemented"},
    Reason{503, "Service Unavailable"},
    Reason{504, "Gateway Timeout"},
    Reason{505, "HTTP Version Not Supported"},
};

int status_of(Errc code) {
  switch (code) {
    case Errc::invalid: return 400;
    case Errc::refused:
    case Errc::denied: return 403;
    case Errc::not_found: return 404;
    case Errc::conflict: return 409;
    case Errc::unavailable: return 503;
    case Errc::timeout: return 504;
    default: return 500;
  }
}

}  // namespace

std::string_view reason_of(int status) {
  const auto* const found =
      std::find_if(reasons.begin(), reasons.end(), [status](const Reason& one) { return one.status == status; });
  return found == reasons.end() ? std::string_view() : found->text;
}

HttpResponse problem(int status, std::string_view detail) {
  io::Message message;
  message.set("type", "about:blank").set("title", std::string(reason_of(status)));
  message.set("status", std::int64_t{status}).set("detail", std::string(detail));
  return {status, "application/problem+json", {}, io::encode(message)};
}

HttpResponse problem(const Error& error) { return problem(status_of(error.code), error.what); }

}  // namespace ballot::web
