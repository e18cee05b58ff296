#include "http/peer_lookup.hpp"

#include <netdb.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/signals_blocked.hpp"

namespace ballot::web {
namespace {

/// "": found.
std::string resolve(const std::string& host, const std::string& port, PeerLookup::Addresses& found) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* all = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &all); code != 0) return ::gai_strerror(code);
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

/// What a thread reaches of the lookup.
struct PeerLookup::Link {
  std::mutex mutex;
  PeerLookup* lookup = nullptr;  // under mutex; null: it is gone
};

PeerLookup::PeerLookup(boost::asio::io_context& io) : io_(io), link_(std::make_shared<Link>()) { link_->lookup = this; }

PeerLookup::~PeerLookup() {
  const std::lock_guard hold(link_->mutex);
  link_->lookup = nullptr;
}

void PeerLookup::find(const std::string& host, const std::string& port, Done done) {
  const int number = ++last_;
  waiting_.emplace(number, std::move(done));
  boost::system::error_code no_address;
  const auto address = boost::asio::ip::make_address(host, no_address);
  if (!no_address) {
    const auto port_number = static_cast<unsigned short>(std::atoi(port.c_str()));
    return boost::asio::post(io_, [this, number, address, port_number] {
      finish(number, "", {{address, port_number}});
    });
  }
  try {
    const SignalsBlocked blocked;
    std::thread([link = link_, number, host, port] {
      Addresses found;
      const std::string problem = resolve(host, port, found);
      const std::lock_guard hold(link->mutex);
      PeerLookup* const lookup = link->lookup;
      if (lookup == nullptr) return;
      boost::asio::post(lookup->io_, [lookup, number, problem, found] { lookup->finish(number, problem, found); });
    }).detach();
  } catch (const std::system_error& error) {
    boost::asio::post(io_, [this, number, what = std::string(error.what())] { finish(number, what, {}); });
  }
}

void PeerLookup::finish(int number, const std::string& problem, const Addresses& found) {
  const auto waiting = waiting_.extract(number);
  if (!waiting.empty()) waiting.mapped()(problem, found);
}

}  // namespace ballot::web
