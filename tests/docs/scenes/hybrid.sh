# A machine whose cgroups of version 2 have no controller `memory`: version 1 has it.
needs sh -c '! cat /sys/fs/cgroup/cgroup.controllers /sys/fs/cgroup/unified/cgroup.controllers | grep -qw memory'
begin() { settings host-1; }
