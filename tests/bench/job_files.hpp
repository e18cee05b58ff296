// Job files as people write them, by number.
#pragma once

#include <string>

namespace ballot::bench {

/// "job-000007"
std::string job_name(int number);
/// FOLDER/job-000007.toml: due on a leap day only, so that nothing runs while it is measured; with a `deadline` that a
/// later writing may change.
void write_job_file(const std::string& folder, int number, const char* deadline);
void write_job_files(const std::string& folder, int count);

}  // namespace ballot::bench
