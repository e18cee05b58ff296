#include "chaos/scenarios.hpp"

namespace ballot::chaos {

// clang-format off
const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all{
      {"S1", "a killed leader is succeeded at once, supervised or not; no slot is lost or run twice", {}, a_killed_leader},
      {"S2", "killed between claim and launch: the run is lost and not started, at-least-once is started as attempt 2", {}, a_kill_between_claim_and_launch},
      {"S3", "a lost host's runs are lost and not repeated, at-least-once is repeated with a higher fence", {}, a_lost_host},
      {"S4", "a leader frozen for three timeouts is succeeded, and launches nothing of its old term", {}, a_frozen_leader},
      {"S5", "stopped right after the claim's answer, past its deadline it launches nothing", {}, a_stop_after_the_claim},
      {"S6", "a leader that is cut from the store stops by its own clock; its terminate runs are dead by then", {Need::own_way}, a_leader_that_is_cut_off},
      {"S7", "answers are lost: no slot is run twice, none is lost", {Need::lost_answers}, lost_answers},
      {"S8", "a leader on the minority side steps down though it is answered", {Need::servers, Need::parting}, a_leader_on_the_minority_side},
      {"S9", "the store's own leader is killed (again and again, but NATS): no slot is lost or run twice", {Need::servers}, the_stores_leader_killed},
      {"S10", "nobody is served for longer than a timeout: nobody acts past its deadline, then all is caught up", {Need::outage}, every_server_down},
      {"S11", "a store that has gone back halts its leader until it is repaired; fences go on above", {Need::snapshot}, a_restored_store},
      {"S12", "conditional updates that are not atomic are found out, and no slot is claimed twice", {Need::weak_updates}, weak_updates},
      {"S13", "ten thousand groups are all led again when one of three nodes is killed", {Need::crowd}, ten_thousand_groups, true},
      {"S14", "a clean stop hands idle groups over at once, and ends or awaits the runs of the others, each recorded once", {}, a_clean_stop},
      {"S16", "a leader whose clock is 11 s off the store's gives its groups away, and takes part in no election until it is right again", {Need::clock}, a_clock_that_is_off},
      {"S22b", "runs of a daemon that is frozen or killed for good are ended by its deadline, before the successor's", {}, runs_of_a_daemon_that_is_gone},
      {"S24", "kills, freezes, lost hosts, cuts and delays at random break no promise", {}, all_at_once},
      {"S26", "renewals that fail while writes succeed, and the reverse, end the term by its deadline", {Need::renewals}, renewals_or_writes_alone},
      {"S27", "a leader whose loop hangs is succeeded", {}, a_hung_loop},
      {"S28", "a job that moves between groups while nodes get its file one by one has each slot once", {}, a_job_that_moves},
      {"S29", "a second daemon of a node's name is refused and names the first; so is one without a namespace", {}, two_daemons_of_one_name},
      {"S30", "a store that has gone back halts the group also under a node that never led", {Need::snapshot}, a_restored_store_under_a_new_leader},
      {"S33", "a store that was put back while no daemon ran halts the group until it is repaired; fences go on above", {Need::snapshot}, a_store_put_back_while_nobody_looked},
      {"S34", "packets lost one way between the server of a leader and the others end its term by its deadline; another leads, or soon after healing", {Need::servers, Need::parting}, packets_lost_one_way},
      {"kills", "hundreds of kills and stalls break no promise, and two timeouts after each 25 all groups are led", {}, kills_by_the_hundred},
      {"standstill", "a store that stands still for half a timeout kills no run, changes no leader and loses no slot", {Need::outage}, standstill},
      {"handover", "a hand-over takes no longer than promised", {}, handover, true},
  };
  return all;
}
// clang-format on

}  // namespace ballot::chaos
