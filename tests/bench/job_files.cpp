#include "bench/job_files.hpp"

#include <cstdio>
#include <fstream>

namespace ballot::bench {

std::string job_name(int number) {
  char name[32];
  std::snprintf(name, sizeof name, "job-%06d", number);
  return name;
}

void write_job_file(const std::string& folder, int number, const char* deadline) {
  const std::string name = job_name(number);
  std::ofstream(folder + "/" + name + ".toml")
      << "[job." << name << "]\nschedule = \"" << number % 60 << " 2 29 2 *\"\ntimezone = \"Europe/Paris\"\n"
      << "command  = [\"/usr/local/bin/backup\", \"--all\"]\ngroup    = \"nightly\"\ndeadline = \"" << deadline
      << "\"\n";
}

void write_job_files(const std::string& folder, int count) {
  for (int i = 0; i < count; ++i) write_job_file(folder, i, "1h");
}

}  // namespace ballot::bench
