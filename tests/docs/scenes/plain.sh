# No daemon, no jobs: what needs neither.
