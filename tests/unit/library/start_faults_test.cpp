// A start that the machine lets down in its midst: it can be made again.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "embedding_host.hpp"

namespace ballot {
namespace {

/// While it lives, this process gets so many descriptors more, and no other one.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const UniqueFd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const rlimit few{static_cast<rlim_t>(next.get()) + more, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

class HostWithoutDescriptors : public EmbeddingHost {
 protected:
  RuntimeSettings settings() {
    RuntimeSettings settings = EmbeddingHost::settings();
    settings.control_socket = folder_ / "host.sock";
    settings.jobs_dir = folder_ / "jobs.d";
    std::filesystem::create_directories(settings.jobs_dir);
    return settings;
  }
  void run_once() {  // what is loaded once for good
    Runtime runtime(settings());
    EXPECT_TRUE(runtime.start());
    EXPECT_TRUE(runtime.stop());
  }
};

TEST_F(HostWithoutDescriptors, MayBeStartedAgainWhereverItsStartHasFailed) {
  run_once();
  int failed = 0;
  for (rlim_t more = 0; more < 100; ++more) {
    Runtime runtime(settings());
    ASSERT_TRUE(runtime.add_group("g"));
    const auto start = [&] {
      const FewDescriptors few(more);
      return runtime.start();
    };
    if (start()) break;
    ++failed;
    ASSERT_TRUE(runtime.add_group("h")) << "as before a start";
    const auto again = runtime.start();
    ASSERT_TRUE(again) << "with " << more << " descriptors it failed, and then: " << again.error().what;
    ASSERT_TRUE(leads(runtime, "h"));
    const auto stopped = runtime.stop();
    ASSERT_TRUE(stopped) << stopped.error().what;
  }
  EXPECT_GT(failed, 3);
}

TEST_F(HostWithoutDescriptors, IsToldByStartWhatItCouldNotBeMadeWith) {
  run_once();
  for (rlim_t more = 0; more < 12; ++more) {
    std::optional<Runtime> runtime;
    const auto make = [&] {
      const FewDescriptors few(more);
      runtime.emplace(settings());
    };
    ASSERT_NO_THROW(make());
    const auto started = runtime->start();
    if (started) break;
    EXPECT_FALSE(started.error().what.empty());
  }
}

}  // namespace
}  // namespace ballot
