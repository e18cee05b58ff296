# Killed by unit_io; see CMakeLists.txt.

# ---- a namespace that moves

ballot_mutant(held_namespace_is_led FILE runtime/io/namespace_gate.cpp
  FIND "if (state_.use != Use::open && !only_reads_) out.push_back" REPLACE "if (false) out.push_back"
  FINDING "FAILED.*Gate.SaysThatAHeldNamespaceMayNotBeLed" BY unit_io FILTER "Gate.*")
ballot_mutant(moved_namespace_is_opened FILE runtime/io/namespace_gate.cpp
  FIND "state_.use == Use::moved && !only_reads_ && !was_open_" REPLACE "false"
  FINDING "FAILED.*Gate.EndsTheFirstSession" BY unit_io FILTER "Gate.*")
ballot_mutant(epochs_begin_again FILE runtime/io/namespace_gate.cpp
  FIND "elected->epoch += state_.epoch_base" REPLACE "elected->epoch += 0"
  FINDING "FAILED.*Gate.CountsEpochsOn" BY unit_io FILTER "Gate.*")
ballot_mutant(backends_word_opens_a_held_namespace FILE runtime/io/namespace_gate.cpp
  FIND "    unfit->why = why_unfit();" REPLACE ""
  FINDING "FAILED.*Gate.KeepsWhatTheBackendSays" BY unit_io FILTER "Gate.*")
ballot_mutant(guard_forgets_why_it_ends_its_child FILE runtime/io/guard_process.cpp
  FIND "lost_ = lost_ && ending_;" REPLACE "lost_ = false;"
  BY unit_io FILTER "ChildGuard.*" FINDING "FAILED.*ChildGuard.SaysThatTheTermWasOver")
