# ballot's job files, its configuration and its tokens. The daemon watches the folder of job files and reads tokens again
# by itself; a change of ballot.toml restarts it.
#
# @param jobs_dir Where job files go.
# @param command The program that checks each file before it is moved there.
# @param config The configuration that it is checked against.
# @param toml ballot.toml as a whole, checked before it is moved there; undef: somebody else writes it.
# @param owner root, or the user that the daemon runs as: of ballot.toml and of the files of tokens.
# @param tokens Who may use the API, by name: what `ballot token new NAME --role ROLE` prints in a line;
#   undef: somebody else writes them; {}: nobody but the fleet's own.
# @param tokens_file Where they go (`[http] tokens`).
# @param fleet_token The token by which nodes ask each other; its line among the tokens is made of it.
# @param fleet_token_file Where it goes (`[fleet] token_file`).
# @param purge Files of the folder that no resource describes are removed.
# @param job_files The files to make, by name: what ballot::job_file takes.
# @param paused Jobs that start nothing until they are resumed.
# @param resumed Jobs that are to be resumed.
# @param reload_command What reads everything again at once after a change; '': the watch alone.
# @param restart_command What restarts the daemon after a change of ballot.toml, by the package's script without an end of
#   its runs; '': nothing does.
#
# @example
#   class { 'ballot':
#     toml        => file('profile/ballot.toml'),
#     tokens      => { 'prometheus' => { 'role' => 'viewer', 'sha256' => '1f0c...' } },
#     fleet_token => Sensitive(lookup('ballot_fleet_token')),
#   }
class ballot (
  String $jobs_dir = '/etc/ballot/jobs.d',
  String $command = '/usr/bin/ballot',
  String $config = '/etc/ballot/ballot.toml',
  Optional[String] $toml = undef,
  String $owner = 'root',
  Optional[Hash[Pattern[/\A[^\s#]+\z/], Struct[{
    role   => Enum['viewer', 'operator', 'admin'],
    sha256 => Pattern[/\A[0-9a-f]{64}\z/],
  }]]] $tokens = undef,
  String $tokens_file = '/etc/ballot/tokens',
  Optional[Sensitive[String[1]]] $fleet_token = undef,
  String $fleet_token_file = '/etc/ballot/fleet-token',
  Boolean $purge = false,
  Hash[String, Hash] $job_files = {},
  Array[String] $paused = [],
  Array[String] $resumed = [],
  String $reload_command = '/usr/bin/systemctl reload ballot',
  String $restart_command = '/usr/lib/ballot/restart /usr/bin/systemctl start ballot.service',
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

  # The daemon takes a file of this owner and mode alone. Of what is sensitive no diff is shown.
  $listed = ($tokens ? { undef => {}, default => $tokens }).map |String $name, Hash $token| { "${name} ${token['role']} ${token['sha256']}\n" }
  $of_fleet = $fleet_token ? {
    undef   => '',
    default => "fleet viewer ${sha256($fleet_token.unwrap)}\n",
  }
  if $fleet_token or $tokens =~ NotUndef {
    file { $tokens_file:
      ensure  => file,
      owner   => $owner,
      mode    => '0600',
      content => Sensitive("# written by configuration management\n${join($listed)}${of_fleet}"),
    }
  }
  if $fleet_token {
    file { $fleet_token_file:
      ensure  => file,
      owner   => $owner,
      mode    => '0600',
      content => Sensitive("${fleet_token.unwrap}\n"),
    }
  }
  if $toml {
    file { $config:
      ensure       => file,
      owner        => $owner,
      mode         => '0644',
      content      => $toml,
      validate_cmd => "${command} check --config %",
      notify       => Exec['ballot restart'],
    }
    File[$config] -> Ballot::Job_file <| |>
  }
  exec { 'ballot restart':
    command     => $restart_command ? { '' => '/bin/true', default => $restart_command },
    refreshonly => true,
    before      => Exec['ballot reload'],
  }

  create_resources('ballot::job_file', $job_files)
  $paused.each |String $job| { ballot::pause { $job: } }
  $resumed.each |String $job| { ballot::pause { $job: ensure => absent } }
}
