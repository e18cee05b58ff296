# One job file. It is checked where it is prepared: one with an error never arrives, and what was there stays.
#
# @param content Its text; or
# @param source where it comes from.
#
# @example
#   ballot::job_file { 'backup':
#     content => @(TOML),
#       [job.nightly-backup]
#       schedule = "0 2 * * *"
#       command = ["/usr/local/bin/backup", "--all"]
#       | TOML
#   }
define ballot::job_file (
  Enum['present', 'absent'] $ensure = 'present',
  Optional[String] $content = undef,
  Optional[String] $source = undef,
) {
  include ballot
  file { "${ballot::jobs_dir}/${title}.toml":
    ensure       => $ensure ? { 'present' => file, default => absent },
    owner        => 'root',
    group        => 'root',
    mode         => '0644',
    content      => $content,
    source       => $source,
    validate_cmd => "${ballot::command} check --config ${ballot::config} %",
    notify       => Exec['ballot reload'],
  }
}
