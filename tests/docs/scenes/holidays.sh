# Calendars and jobs that name them, and no daemon.
begin() { settings node-1; }
