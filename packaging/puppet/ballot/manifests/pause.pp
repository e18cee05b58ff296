# A job that starts nothing until it is resumed; with `ensure => absent` one that is to be resumed. Needs a daemon that
# runs, which may still be reading the job's file.
define ballot::pause (
  Enum['present', 'absent'] $ensure = 'present',
) {
  include ballot
  $is_paused = "${ballot::command} jobs ${title} --format json --config ${ballot::config} | /bin/grep -q '\"state\":\"paused\"'"
  exec { "ballot pause ${title} ${ensure}":
    command   => $ensure ? {
      'present' => "${ballot::command} pause ${title} --config ${ballot::config}",
      default   => "${ballot::command} resume ${title} --config ${ballot::config}",
    },
    unless    => $ensure ? { 'present' => $is_paused, default => "! ${is_paused}" },
    provider  => shell,
    tries     => 10,
    try_sleep => 1,
    require   => Exec['ballot reload'],
  }
}
