# Job files of a fleet, and no daemon.
begin() { settings host-1; }
