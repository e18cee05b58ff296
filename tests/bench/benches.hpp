// The benches: each measures what exists against its floor in the same run and adds its rows to the figures. They take
// minutes at full length, and seconds in the short form, whose figures prove nothing but that the bench works.
#pragma once

#include "bench/figures.hpp"

namespace ballot::bench {

struct Scale {
  bool small = false;
  int pairs = 5;
  /// `full`, or `few` of it in the short form.
  int count(int full, int few) const { return small ? few : full; }
};

/// 1,000 jobs due at one instant, claimed and recorded, beside a bare loop of posix_spawn and wait.
void measure_burst(const Scale& scale, Figures& figures);
/// One job due each second, beside a bare loop of timer, durable commit and posix_spawn.
void measure_lateness(const Scale& scale, Figures& figures);
/// 100,000 job files, beside toml::parse_file over the same; one of them changed.
void measure_load(const Scale& scale, Figures& figures);
/// The daemon with 0, 10,000 and 100,000 jobs; daemon and runner over 100,000 runs; and the CPU of 10,000 idle jobs.
void measure_memory(const Scale& scale, Figures& figures);
void measure_flatness(const Scale& scale, Figures& figures);
void measure_idle(const Scale& scale, Figures& figures);
/// How long 10,000 jobs keep the loop from anything else when they are asked for, beside the same time without that.
void measure_answers(const Scale& scale, Figures& figures);
/// Launches beside 1,000 hostile clients of the API, and beside a scrape each second; pages and metrics of 100,000
/// jobs.
void measure_api(const Scale& scale, Figures& figures);
/// 1,000 runs a second for ten minutes.
void measure_sustained(const Scale& scale, Figures& figures);
/// The burst by other schedulers, those that are installed. Only by name: see Bench.
void measure_peers(const Scale& scale, Figures& figures);
void measure_next(const Scale& scale, Figures& figures);
void measure_ledger(const Scale& scale, Figures& figures);

}  // namespace ballot::bench
