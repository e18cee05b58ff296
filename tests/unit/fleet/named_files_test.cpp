// What `ballot check` says, and the daemon as it starts, of the files that a fleet's node names.
#include "library/named_files.hpp"

#include <gtest/gtest.h>

#include "support/servers/tls_files.hpp"
#include "support/temp_folder.hpp"

namespace ballot::library {
namespace {

struct FilesOfAFleet : ::testing::Test {
  FilesOfAFleet() {
    config.http.listen = "127.0.0.1:0";
    config.coordination.backend = "etcd";
  }
  std::vector<FileFault> faults_with(const std::string& tls_ca) {
    config.http.tls_ca = tls_ca;
    return check_named_files(config);
  }

  TempFolder folder;
  const testing::TlsFiles files{folder.path()};
  config::Config config;
};

TEST_F(FilesOfAFleet, AnAuthorityThatIsNotValidNowIsWarnedOf) {
  EXPECT_TRUE(faults_with(files.ca()).empty());
  const auto say = [&](long life, long from, const std::string& why) {
    files.make("old", "DNS:old", life, from);
    const auto faults = faults_with(files.cert("old"));
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_FALSE(faults[0].stops) << "the daemon starts all the same";
    EXPECT_EQ(faults[0].error.what.find("[http] tls_ca: " + files.cert("old") + ": the authority /CN=old " + why), 0u)
        << faults[0].error.what;
  };
  say(-60, -3600, "has expired, at ");
  say(7200, 3600, "is not valid before ");
}

}  // namespace
}  // namespace ballot::library
