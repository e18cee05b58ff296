#include "http/peer_client.hpp"

#include <openssl/x509v3.h>

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <memory>
#include <utility>

#include "http/peer_lookup.hpp"
#include "http/tls_file.hpp"
#include "io/message.hpp"

namespace ballot::web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ssl = boost::asio::ssl;

constexpr Millis stop_interval{50};  // whether it is still to go on
constexpr std::uint32_t most_head = 16 * 1024;

Result<std::shared_ptr<ssl::context>> peer_context(const std::string& ca_file) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  boost::system::error_code error;
  context->set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, error);
  context->set_verify_mode(ssl::verify_peer, error);
  if (ca_file.empty()) {
    context->set_default_verify_paths(error);
    return context;
  }
  if (const auto trusted = check_tls_file("tls_ca", ca_file); !trusted) return trusted.error();
  if (context->load_verify_file(ca_file, error))
    return Error{Errc::invalid, "[http] tls_ca: the authorities in " + ca_file + " cannot be used: " + error.message()};
  return context;
}

/// The handshake fails unless the certificate is for this name or address.
bool require_name(SSL* ssl, const std::string& name) {
  boost::system::error_code no_address;
  asio::ip::make_address(name, no_address);
  X509_VERIFY_PARAM* const checks = SSL_get0_param(ssl);
  if (!no_address) return X509_VERIFY_PARAM_set1_ip_asc(checks, name.c_str()) == 1;
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(checks, name.data(), name.size()) == 1 &&
         SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
}

/// A status other than 200; the body is a problem (RFC 9457). A question is answered with 200 whatever the answer is,
/// so another status says nothing of what was asked: it may be that of a proxy, or of another server.
Error api_error(unsigned status, const std::string& body, bool has_token) {
  const auto problem = io::decode(body);
  const std::string detail = problem ? problem->text("detail").value_or("") : "";
  const std::string text =
      "its API answers with status " + std::to_string(status) + (detail.empty() ? "" : ": " + detail);
  constexpr const char* to_do =
      "no token was shown: set [fleet] token_file on the node that asks (guide/ask-the-fleet.md): ";
  if (status == 401)
    return {Errc::refused, (has_token ? "it does not take the token of [fleet] token_file: " : to_do) + text};
  return {status == 403 ? Errc::refused : Errc::unavailable, text};
}

bool is_loopback(const std::string& host) {
  boost::system::error_code no_address;
  const auto address = asio::ip::make_address(host, no_address);
  return no_address ? host == "localhost" : address.is_loopback();
}

/// Why the node of that URL is not asked. None: it is.
std::optional<Error> refusal(const PeerUrl& url, const PeerSettings& settings) {
  if (settings.token.empty() || url.is_tls || is_loopback(url.host)) return std::nullopt;
  return Error{Errc::refused, "the URL that it publishes is of plain http, at " + url.host +
                                  ": the token of [fleet] token_file is sent over https only, but to this machine"};
}

/// One request to one node.
class PeerCall : public std::enable_shared_from_this<PeerCall> {
 public:
  /// `bytes_left`: of all calls together, outlives them.
  PeerCall(asio::io_context& io, PeerLookup& lookup, std::shared_ptr<ssl::context> tls, PeerUrl url,
           std::size_t& bytes_left)
      : io_(io), lookup_(lookup), tls_(std::move(tls)), url_(std::move(url)), bytes_left_(bytes_left) {}

  void begin(const PeerRequest& request, const PeerSettings& settings) {
    parser_.body_limit(settings.most_bytes);
    parser_.header_limit(most_head);
    parser_.eager(true);
    most_bytes_ = settings.most_bytes;
    request_.method(beast::http::verb::post);
    request_.target(url_.path);
    request_.version(11);
    request_.set(beast::http::field::host, url_.host.find(':') == std::string::npos
                                               ? url_.host + ":" + url_.port
                                               : "[" + url_.host + "]:" + url_.port);
    request_.set(beast::http::field::content_type, "application/json");
    request_.set(beast::http::field::connection, "close");
    if (!settings.token.empty()) request_.set(beast::http::field::authorization, "Bearer " + settings.token);
    request_.body() = request.body;
    request_.prepare_payload();
    lookup_.find(url_.host, url_.port, [self = shared_from_this()](const auto& problem, const auto& addresses) {
      if (problem.empty()) return self->connect(addresses);
      self->finish(Error{Errc::unavailable, "its host " + self->url_.host + " is not found: " + problem});
    });
  }

  bool is_done() const { return done_; }
  /// Nothing of it is waited for any more: `within` is over, or nobody wants the answer.
  Result<std::string> take(bool is_called_off) {
    if (!done_ && is_called_off) answer_ = Error{Errc::unavailable, "called off: nobody waits for its answer any more"};
    close();
    return std::move(answer_);
  }

 private:
  using Socket = beast::tcp_stream;

  void connect(const PeerLookup::Addresses& addresses) {
    socket_.emplace(io_);
    socket_->async_connect(addresses, [self = shared_from_this()](const auto& error, const auto&) {
      if (error) return self->fail("cannot be connected to", error);
      self->connected();
    });
  }

  void connected() {
    if (!url_.is_tls) return send(*socket_);
    secure_.emplace(std::move(*socket_), *tls_);
    if (!require_name(secure_->native_handle(), url_.host)) return finish(Error{Errc::io, "no memory for TLS"});
    secure_->async_handshake(ssl::stream_base::client, [self = shared_from_this()](const auto& error) {
      if (!error) return self->send(*self->secure_);
      const long verified = SSL_get_verify_result(self->secure_->native_handle());
      const std::string why = verified == X509_V_OK ? error.message() : X509_verify_cert_error_string(verified);
      self->finish(Error{Errc::refused, "TLS with " + self->url_.host + " fails: " + why});
    });
  }

  template <class Stream>
  void send(Stream& stream) {
    beast::http::async_write(stream, request_, [self = shared_from_this(), &stream](const auto& error, std::size_t) {
      if (error) return self->fail("does not take the question", error);
      self->receive(stream);
    });
  }

  template <class Stream>
  void receive(Stream& stream) {
    beast::http::async_read_some(
        stream, buffer_, parser_, [self = shared_from_this(), &stream](const auto& error, std::size_t) {
          if (error == beast::http::error::body_limit)
            return self->finish(
                Error{Errc::corrupt, "its answer is longer than " + std::to_string(self->most_bytes_) + " bytes"});
          if (error) return self->fail("does not answer", error);
          if (!self->count_bytes())
            return self->finish(Error{Errc::corrupt, "the answers of all nodes together are longer than they may be"});
          if (self->parser_.is_done()) return self->on_answer();
          self->receive(stream);
        });
  }

  /// False: the calls together hold more than they may.
  bool count_bytes() {
    const std::size_t size = parser_.get().body().size();
    if (size - counted_ > bytes_left_) return false;
    bytes_left_ -= size - std::exchange(counted_, size);
    return true;
  }

  /// What has come of an answer that fails is no use to anybody, and takes none of the others' room.
  void give_back_bytes() {
    parser_.get().body() = std::string();
    bytes_left_ += std::exchange(counted_, 0);
  }

  void on_answer() {
    auto& answer = parser_.get();
    if (answer.result() == beast::http::status::ok) return finish(std::move(answer.body()));
    const bool has_token = request_.find(beast::http::field::authorization) != request_.end();
    finish(api_error(answer.result_int(), answer.body(), has_token));
  }

  void fail(const char* what, const boost::system::error_code& error) {
    finish(Error{Errc::unavailable, "its API at " + url_.host + ":" + url_.port + " " + what + ": " + error.message()});
  }

  void finish(Result<std::string> answer) {
    if (std::exchange(done_, true)) return;
    answer_ = std::move(answer);
    if (!answer_) give_back_bytes();
    close();
  }

  void close() {
    boost::system::error_code ignored;
    if (secure_)
      beast::get_lowest_layer(*secure_).socket().close(ignored);
    else if (socket_)
      socket_->socket().close(ignored);
  }

  asio::io_context& io_;
  PeerLookup& lookup_;
  const std::shared_ptr<ssl::context> tls_;
  const PeerUrl url_;
  std::size_t most_bytes_ = 0;
  std::size_t& bytes_left_;
  std::size_t counted_ = 0;
  beast::http::request<beast::http::string_body> request_;
  beast::http::response_parser<beast::http::string_body> parser_;
  beast::flat_buffer buffer_{64 * 1024};
  std::optional<Socket> socket_;
  std::optional<ssl::stream<Socket>> secure_;
  bool done_ = false;
  Result<std::string> answer_ = Error{Errc::timeout, "it has not answered in time"};
};

}  // namespace

std::optional<PeerUrl> PeerUrl::parse(const std::string& text) {
  PeerUrl url;
  std::string_view rest = text;
  if (rest.starts_with("https://"))
    url.is_tls = true, rest.remove_prefix(8);
  else if (rest.starts_with("http://"))
    rest.remove_prefix(7);
  else
    return std::nullopt;
  if (rest.find_first_of("@?# \t\r\n") != std::string_view::npos) return std::nullopt;
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  url.path = slash == rest.size() ? "/" : std::string(rest.substr(slash));
  std::string_view place = rest.substr(0, slash);
  const bool has_brackets = place.starts_with('[');
  const std::size_t end = has_brackets ? place.find(']') : std::min(place.find(':'), place.size());
  if (end == std::string_view::npos) return std::nullopt;
  url.host = place.substr(has_brackets ? 1 : 0, has_brackets ? end - 1 : end);
  place.remove_prefix(std::min(place.size(), has_brackets ? end + 1 : end));
  url.port = place.empty() ? (url.is_tls ? "443" : "80") : std::string(place.substr(1));
  const bool has_port = place.empty() || place.front() == ':';
  const bool is_number = !url.port.empty() && url.port.size() <= 5 &&
                         url.port.find_first_not_of("0123456789") == std::string::npos && std::stoi(url.port) <= 65535;
  return url.host.empty() || !has_port || !is_number ? std::nullopt : std::optional(url);
}

Result<void> check_authorities(const std::string& tls_ca) {
  const auto context = peer_context(tls_ca);
  return context ? Result<void>() : context.error();
}

std::optional<std::string> untimely_authority(const std::string& tls_ca) {
  if (tls_ca.empty()) return std::nullopt;
  const auto context = peer_context(tls_ca);
  if (!context) return std::nullopt;
  const STACK_OF(X509_OBJECT)* const all =
      ::X509_STORE_get0_objects(::SSL_CTX_get_cert_store((*context)->native_handle()));
  for (int i = 0; i < sk_X509_OBJECT_num(all); ++i) {
    const X509* const authority = ::X509_OBJECT_get0_X509(sk_X509_OBJECT_value(all, i));
    const auto why = authority != nullptr ? untimely(*authority) : std::nullopt;
    if (!why) continue;
    std::array<char, 256> name{};
    ::X509_NAME_oneline(::X509_get_subject_name(authority), name.data(), static_cast<int>(name.size()));
    return "[http] tls_ca: " + tls_ca + ": the authority " + name.data() + " " + *why;
  }
  return std::nullopt;
}

std::vector<Result<std::string>> ask_peers(const std::vector<PeerRequest>& requests, const PeerSettings& settings,
                                           const std::function<bool()>& goes_on) {
  std::vector<Result<std::string>> answers;
  const auto tls = peer_context(settings.tls_ca);
  std::size_t bytes_left = settings.most_bytes_together;
  asio::io_context io(1);
  PeerLookup lookup(io);
  std::vector<std::shared_ptr<PeerCall>> calls;
  for (const PeerRequest& request : requests) {
    auto url = PeerUrl::parse(request.url);
    answers.push_back(Error{Errc::invalid, "the URL that it publishes cannot be used: " + request.url});
    if (url && url->is_tls && !tls) answers.back() = tls.error();
    const auto refused = url ? refusal(*url, settings) : std::nullopt;
    if (refused) answers.back() = *refused;
    const bool can_be_asked = url && !refused && (!url->is_tls || tls);
    calls.push_back(can_be_asked
                        ? std::make_shared<PeerCall>(io, lookup, tls ? *tls : nullptr, *std::move(url), bytes_left)
                        : nullptr);
    if (can_be_asked) calls.back()->begin(request, settings);
  }
  const auto work = asio::make_work_guard(io);
  bool is_called_off = false;
  const auto until = std::chrono::steady_clock::now() + settings.within;
  const auto is_open = [](const std::shared_ptr<PeerCall>& call) { return call && !call->is_done(); };
  while (std::any_of(calls.begin(), calls.end(), is_open)) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= until) break;
    is_called_off = goes_on && !goes_on();
    if (is_called_off) break;
    io.run_one_until(std::min<std::chrono::steady_clock::time_point>(until, now + stop_interval));
  }
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (calls[i]) answers[i] = calls[i]->take(is_called_off);
  return answers;
}

}  // namespace ballot::web
