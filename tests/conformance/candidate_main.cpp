// A candidate in a process of its own: makes one backend of a plugin and does what comes in on descriptor 3, and
// reports its events there. Usage: conformance_candidate PLUGIN NAMESPACE STATE_DIR LINES, each KEY=VALUE, or empty
#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <mutex>
#include <sstream>

#include "conformance/candidate_wire.hpp"
#include "conformance/plugin_file.hpp"

namespace {

using namespace ballot;
using namespace ballot::conformance;

constexpr int wire = 3;

class Teller final : public Host {
 public:
  void post(BackendEvent event) noexcept override {
    const std::lock_guard hold(mutex_);
    send_frame(wire, pack_event(event));
  }
  void log(Level, std::string_view) noexcept override {}

 private:
  std::mutex mutex_;
};

void carry_out(Backend& backend, CandidateCall& call) {
  switch (call.kind) {
    case CandidateCall::Kind::open: return backend.open(call.session);
    case CandidateCall::Kind::renew: return backend.renew(call.request);
    case CandidateCall::Kind::campaign: return backend.campaign(call.text);
    case CandidateCall::Kind::resign: return backend.resign(call.text);
    case CandidateCall::Kind::write: return backend.write(call.request, std::move(call.batch));
    case CandidateCall::Kind::read: return backend.read(call.request, std::move(call.names));
    case CandidateCall::Kind::create: return backend.create(call.request, std::move(call.records));
    case CandidateCall::Kind::remove: return backend.remove(call.request, std::move(call.names));
    case CandidateCall::Kind::watch: return backend.watch(call.text);
    case CandidateCall::Kind::observe: return backend.observe(call.request, call.text);
    case CandidateCall::Kind::evict: return backend.evict(call.request, call.text);
    case CandidateCall::Kind::list: return backend.list(call.request, call.text);
    case CandidateCall::Kind::close: return backend.close(call.keep);
    case CandidateCall::Kind::quit: return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_IGN);
  Teller teller;
  try {
    Options options;
    std::istringstream lines(argv[4]);
    for (std::string option; std::getline(lines, option);)
      options[option.substr(0, option.find('='))] = option.substr(option.find('=') + 1);
    auto backend = make_backend(argv[1], {argv[2], argv[3], false, options}, teller);
    while (auto frame = receive_frame(wire)) {
      CandidateCall call;
      Unpacker unpack(std::move(*frame));
      unpack(call);
      if (call.kind == CandidateCall::Kind::quit) break;
      carry_out(*backend, call);
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "conformance_candidate: %s\n", failure.what());
    return 1;
  }
  return 0;
}
