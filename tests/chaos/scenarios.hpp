// The scenarios: written once, for every backend. Each has a trial of its own, and a process of its own (main.cpp).
// scenarios.cpp has the table; tests/scenarios.sh reads it.
#pragma once

#include <string>
#include <vector>

#include "chaos/trial.hpp"

namespace ballot::chaos {

struct Scenario {
  std::string name;
  std::string sentence;     // what must be true
  std::vector<Need> needs;  // of its store
  void (*run)(Trial&);
  bool only_long = false;
};

const std::vector<Scenario>& scenarios();

// Of daemons that are let down: daemon_scenarios.cpp.
void a_killed_leader(Trial& trial);                  // S1
void a_kill_between_claim_and_launch(Trial& trial);  // S2
void a_lost_host(Trial& trial);                      // S3
void a_frozen_leader(Trial& trial);                  // S4
void a_stop_after_the_claim(Trial& trial);           // S5
void a_hung_loop(Trial& trial);                      // S27
void runs_of_a_daemon_that_is_gone(Trial& trial);    // S22b

// Of the way to the store: way_scenarios.cpp.
void a_leader_that_is_cut_off(Trial& trial);       // S6
void lost_answers(Trial& trial);                   // S7
void a_clock_that_is_off(Trial& trial);            // S16
void a_leader_on_the_minority_side(Trial& trial);  // S8
void renewals_or_writes_alone(Trial& trial);       // S26
void packets_lost_one_way(Trial& trial);           // S34

// Of the store's servers: store_scenarios.cpp.
void the_stores_leader_killed(Trial& trial);              // S9
void every_server_down(Trial& trial);                     // S10
void a_restored_store(Trial& trial);                      // S11
void weak_updates(Trial& trial);                          // S12
void a_restored_store_under_a_new_leader(Trial& trial);   // S30
void a_store_put_back_while_nobody_looked(Trial& trial);  // S33

// Of people, files and numbers: fleet_scenarios.cpp, crowd_scenario.cpp.
void ten_thousand_groups(Trial& trial);      // S13
void a_clean_stop(Trial& trial);             // S14
void all_at_once(Trial& trial);              // S24
void a_job_that_moves(Trial& trial);         // S28
void two_daemons_of_one_name(Trial& trial);  // S29

// Of nothing but kills and stalls: kill_scenario.cpp.
void kills_by_the_hundred(Trial& trial);

// Of what is promised in figures: figures.cpp.
void standstill(Trial& trial);
void handover(Trial& trial);

}  // namespace ballot::chaos
