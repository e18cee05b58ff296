# ballot's job files. The daemon watches the folder; nothing is restarted.
#
# @param jobs_dir Where job files go.
# @param command The program that checks each file before it is moved there.
# @param config The configuration that it is checked against.
# @param purge Files of the folder that no resource describes are removed.
# @param job_files The files to make, by name: what ballot::job_file takes.
# @param paused Jobs that start nothing until they are resumed.
# @param resumed Jobs that are to be resumed.
# @param reload_command What reads everything again at once after a change; '': the watch alone.
class ballot (
  String $jobs_dir = '/etc/ballot/jobs.d',
  String $command = '/usr/bin/ballot',
  String $config = '/etc/ballot/ballot.toml',
  Boolean $purge = false,
  Hash[String, Hash] $job_files = {},
  Array[String] $paused = [],
  Array[String] $resumed = [],
  String $reload_command = '/usr/bin/systemctl reload ballot',
) {
  file { $jobs_dir:
    ensure  => directory,
    owner   => 'root',
    group   => 'root',
    mode    => '0755',
    purge   => $purge,
    recurse => $purge,
    notify  => Exec['ballot reload'],
  }

  exec { 'ballot reload':
    command     => $reload_command ? { '' => '/bin/true', default => $reload_command },
    refreshonly => true,
  }

  create_resources('ballot::job_file', $job_files)
  $paused.each |String $job| { ballot::pause { $job: } }
  $resumed.each |String $job| { ballot::pause { $job: ensure => absent } }
}
