#include "http_client/lookup.hpp"

#include <netdb.h>

#include <boost/asio/post.hpp>
#include <cstring>
#include <system_error>
#include <utility>

#include "support/thread.hpp"

namespace ballot::http {

namespace {

/// "": found.
std::string resolve(const Endpoint& endpoint, Lookup::Addresses& found) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* all = nullptr;
  const int code = ::getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &hints, &all);
  if (code != 0) return ::gai_strerror(code);
  for (const addrinfo* one = all; one != nullptr; one = one->ai_next) {
    boost::asio::ip::tcp::endpoint address;
    if (one->ai_addrlen > address.capacity()) continue;
    std::memcpy(address.data(), one->ai_addr, one->ai_addrlen);
    address.resize(one->ai_addrlen);
    found.push_back(address);
  }
  ::freeaddrinfo(all);
  return found.empty() ? "it has no address" : "";
}

}  // namespace

Lookup::Lookup(boost::asio::io_context& io) : io_(io), link_(std::make_shared<Link>()) { link_->lookup = this; }

Lookup::~Lookup() {
  const std::lock_guard hold(link_->mutex);
  link_->lookup = nullptr;
}

void Lookup::find(const Endpoint& endpoint, Done done) {
  const std::string name = text_of(endpoint);
  std::vector<Done>& waiting = waiting_[name];
  waiting.push_back(std::move(done));
  if (waiting.size() > 1) return;
  boost::system::error_code no_address;
  const auto address = boost::asio::ip::make_address(endpoint.host, no_address);
  if (!no_address) {
    const auto port = static_cast<unsigned short>(std::atoi(endpoint.port.c_str()));
    return boost::asio::post(io_, [this, name, address, port] { finish(name, "", {{address, port}}); });
  }
  try {
    support::start_thread("ballot-lookup", [link = link_, endpoint] { run(link, endpoint); }).detach();
  } catch (const std::system_error& error) {
    boost::asio::post(io_, [this, name, what = std::string(error.what())] { finish(name, what, {}); });
  }
}

void Lookup::run(const std::shared_ptr<Link>& link, const Endpoint& endpoint) {
  Addresses found;
  std::string problem = resolve(endpoint, found);
  const std::lock_guard hold(link->mutex);
  Lookup* const lookup = link->lookup;
  if (lookup == nullptr) return;
  boost::asio::post(lookup->io_, [lookup, name = text_of(endpoint), problem = std::move(problem), found] {
    lookup->finish(name, problem, found);
  });
}

void Lookup::finish(const std::string& name, const std::string& problem, const Addresses& addresses) {
  const auto node = waiting_.extract(name);
  if (node.empty()) return;
  for (const Done& done : node.mapped()) done(problem, addresses);
}

}  // namespace ballot::http
