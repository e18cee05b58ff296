# No daemon, no jobs: what needs neither.
begin() { settings host-1; }
