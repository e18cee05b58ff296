#!/usr/bin/perl
# Makes the man pages of the reference in docs/: ballot(1), ballot-COMMAND(1), ballot-serve(8), ballot.toml(5), ballot-jobs(5).
# Which commands there are, and the line that says what each does, come from `ballot --help`. A command without a section
# in the reference is an error, and so is a section that belongs to no page: neither can be forgotten.
# The flags of a page's OPTIONS are those that `ballot COMMAND --help` prints. With --check nothing is made: it is compared
# whether the reference names each of them, and no other.
# Usage: make_pages.pl DOCS BALLOT VERSION FOLDER
#        make_pages.pl --check DOCS BALLOT
#
# Of Markdown it knows what the reference uses: headings, paragraphs, bullets, code, tables, links, `code`, **bold**, *italic*.
# A table becomes a list: its first column is the term, the others are named by their headings.
use strict;
use warnings;

my $check = @ARGV && $ARGV[0] eq '--check' && shift @ARGV;
my ($docs, $ballot, $version, $folder) = @ARGV;
die "Usage: make_pages.pl DOCS BALLOT VERSION FOLDER, or --check DOCS BALLOT\n" unless @ARGV == ($check ? 2 : 4);

# ---- what there is

my (@commands, %summary);
for (split /\n/, scalar qx{"$ballot" --help}) {
  push(@commands, $1), $summary{$1} = $2 if /^  ([a-z]+)  +(\S.*)/;
}
die "make_pages.pl: $ballot --help names no commands\n" unless @commands;

# Of a --help: the flags with their texts, and the subcommands.
sub help_of {
  my ($command) = @_;
  my ($part, @flags, @subcommands) = ('');
  for (split /\n/, scalar qx{"$ballot" $command --help}) {
    if (/^(Options|Subcommands|Positionals):/) { $part = $1 }
    elsif (/^$/) { $part = '' }
    elsif ($part eq 'Options' && /^  (?:-\w,)?(--[\w-]+)((?: [A-Z][A-Z\/]*)?)(?: REQUIRED)?( \.\.\.)?\s*(.*)/) { push @flags, [$1, $2, $4] }
    elsif ($part eq 'Options' && /^\s+(\S.*)/ && @flags) { $flags[-1][2] .= $1 }
    elsif ($part eq 'Subcommands' && /^  (\w+)/) { push @subcommands, $1 }
  }
  die "make_pages.pl: `$ballot $command --help` lists no flags\n" unless @flags;
  return (\@flags, \@subcommands);
}

# The sections of a file: its headings in order, and the lines below each; "" is what stands before the first.
sub sections_of {
  my ($file) = @_;
  open my $in, '<', "$docs/$file" or die "make_pages.pl: $docs/$file: $!\n";
  my ($name, $fenced, @names, %lines) = ('', 0, '');
  while (<$in>) {
    chomp;
    $fenced = !$fenced if /^```/;
    next if !$fenced && /^<!-- .* -->$/;
    if (!$fenced && /^## (.*)/) { push @names, $name = $1; next }
    push @{$lines{$name}}, $_ unless !$fenced && /^# /;
  }
  return (\@names, \%lines);
}

my ($command_names, $command_lines) = sections_of('commands.md');
my ($election_names, $election_lines) = sections_of('elections.md');
my ($job_names, $job_lines) = sections_of('jobs.md');

my %of_page = ('All commands' => 'ballot', 'Requests' => 'ballot', 'ballot.toml' => 'ballot.toml',
               'One child at a time' => 'run', 'Eviction' => 'election');
my (%section, %page, %alias, %anchor);  # of a page: [title, lines]...; of an anchor of a file: its page

sub page_name { my ($name) = @_; return $name =~ /^ballot/ ? $name : "ballot-$name" }
sub page_number { my ($name) = @_; return $name eq 'serve' ? 8 : $name eq 'ballot.toml' ? 5 : 1 }
sub reference { my ($name) = @_; return page_name($name) . '(' . page_number($name) . ')' }

sub place {
  my ($file, $heading, $lines) = @_;
  my @words = map { exists $summary{$_} ? $_ : () } split / and /, $heading;
  my $name = $of_page{$heading};
  $name //= $words[0];
  $name //= $1 if $heading =~ /^(?:.*: )?([a-z]+)\b/ && exists $summary{$1};
  die "make_pages.pl: $docs/$file: '$heading' is a section of no command\n" unless defined $name;
  $alias{$_} = $words[0] for @words[1 .. $#words];
  push @{$section{$name}}, [$heading, $lines];
  (my $anchor = lc $heading) =~ tr/a-z0-9_ -//cd;
  $anchor =~ tr/ /-/;
  $anchor{"$file#$anchor"} = reference($name);
}
place('commands.md', $_, $command_lines->{$_}) for grep { $_ ne '' } @$command_names;
place('elections.md', $_, $election_lines->{$_}) for grep { $_ ne '' } @$election_names;
for my $command (@commands) {
  die "make_pages.pl: nothing in $docs says what `ballot $command` does\n" unless $section{$command} || $alias{$command};
}

# ---- the flags, both ways

sub flags_in { my %flags = map { $_ => 1 } join("\n", @_) =~ /(?<![\w-])(--[a-z][a-z-]*[a-z])/g; return \%flags }

if ($check) {
  my (@wrong, %any);
  my $common = flags_in(@{$command_lines->{'All commands'}});
  my $coordination = {map { $_ => 1 } '--backend', '--namespace', '--session-timeout', '--state-dir'};
  for my $command (@commands) {
    my @lines = map { @{$_->[1]} } @{$section{$alias{$command} // $command}};
    my $named = flags_in(@lines);
    my ($flags, $subcommands) = help_of($command);
    my @all = @$flags;
    push @all, @{(help_of("$command $_"))[0]} for @$subcommands;
    my %known = map { $_->[0] => 1 } @all;
    $any{$_} = 1 for keys %known;
    for my $flag (sort keys %known) {
      next if $named->{$flag} || $common->{$flag} || $flag eq '--help';
      next if $coordination->{$flag} && grep { /coordination flags/ } @lines;
      push @wrong, "$flag of `ballot $command` is not in the reference";
    }
    my ($in, @synopsis) = (0);
    for (@lines) { $in = /^    (?:ballot $command\b|  +\[-)/ ? 1 : 0; push @synopsis, $_ if $in }
    push @wrong, "`ballot $command` has no $_, which the reference names" for grep { !$known{$_} } sort keys %{flags_in(@synopsis)};
  }
  my @all = map { @$_ } values %$command_lines, values %$election_lines;
  push @wrong, "no command has $_, which the reference names" for grep { !$any{$_} } sort keys %{flags_in(grep { !/ -- / } @all)};
  print map { "make_pages.pl: $_\n" } @wrong;
  exit(@wrong ? 1 : 0);
}

# ---- Markdown to man(7)

my %see;  # what the page at hand refers to
my $at_hand = '';  # the page of a command at hand

sub link_text {
  my ($text, $target) = @_;
  if ($target =~ /^#(.*)/) {  # a section of the reference: of this page, or of another one
    my $to = $at_hand && ($anchor{"commands.md#$1"} // $anchor{"elections.md#$1"});
    return $text unless $to && $to ne $at_hand;
    $see{$to} = 1;
    return $text =~ /^`/ ? $text : "$text in $to";
  }
  return $text if $target =~ m{^\.\./};
  my ($file) = $target =~ /^([^#]*)/;
  my $to = $target =~ /^jobs\.md/ ? 'ballot-jobs(5)'
    : $anchor{$target} // ($file eq 'commands.md' ? 'ballot(1)' : $file eq 'elections.md' ? 'ballot-run(1)' : undef);
  $to //= "/usr/share/doc/ballot/$file" if $file =~ /\.md$/;
  $see{$to} = 1 if defined $to;
  return defined $to && $text =~ /^`?[\w\/-]+\.md`?$/ ? $to : $text;
}

sub plain {
  my ($text) = @_;
  $text =~ s/\\/\\e/g;
  return $text;
}

sub code { my ($text) = @_; $text = plain($text); $text =~ s/-/\\-/g; $text =~ s/'/\\(aq/g; return $text }

sub inline {
  my ($text) = @_;
  $text =~ s/\[((?:[^\[\]`]|`[^`]*`)+)\]\(([^)]+)\)/link_text($1, $2)/ge;
  my $out = '';
  while ($text =~ /\G(?:`([^`]*)`|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s][^*]*)\*|([^`*]+|[*`]))/g) {
    if (defined $1) { $out .= '\fB' . code($1) . '\fR' }
    elsif (defined $2) { $out .= '\fB' . inline($2) . '\fR' }
    elsif (defined $3) { $out .= '\fI' . plain($3) . '\fR' }
    else { $out .= plain($4) }
  }
  $out =~ s/^([.'])/\\&$1/mg;
  return $out;
}

sub cells_of {
  my ($row) = @_;
  $row =~ s/^\|\s*|\s*\|\s*$//g;
  my @cells = split /\s*(?<!\\)\|\s*/, $row, -1;
  s/\\\|/|/g for @cells;
  return @cells;
}

sub table {
  my ($head, undef, @rows) = @_;
  my @head = cells_of($head);
  my $out = '';
  for (@rows) {
    my ($term, @cells) = cells_of($_);
    if (!grep { $_ ne '' } @cells and $term =~ /^\*\*/) { $out .= ".PP\n" . inline($term) . "\n"; next }
    my (@named, $last);
    for my $i (0 .. $#cells) {
      next if $cells[$i] eq '';
      if (@head == 2 || $head[$i + 1] =~ /meaning$/) { $last = inline($cells[$i]); next }
      push @named, ($head[$i + 1] eq '' ? '' : '\fI' . inline($head[$i + 1]) . '\fR: ') . inline($cells[$i]);
    }
    my $body = join('; ', @named);
    $body .= ($body eq '' ? '' : "\n.br\n") . $last if defined $last;
    $out .= ".TP\n" . ($term eq '' ? '\&' : inline($term)) . "\n" . ($body eq '' ? '\&' : $body) . "\n";
  }
  return $out;
}

sub example {
  my (@lines) = @_;
  my $out = ".PP\n.RS 4\n.nf\n";
  for (@lines) { my $line = code($_); $line =~ s/^\./\\&./; $out .= "$line\n" }
  return "$out.fi\n.RE\n";
}

sub to_man {
  my @lines = @_;
  my $out = '';
  while (@lines) {
    my $line = shift @lines;
    if ($line =~ /^\s*$/) { next }
    elsif ($line =~ /^```/) {
      my @code;
      push @code, shift @lines while @lines && $lines[0] !~ /^```/;
      shift @lines;
      $out .= example(@code);
    } elsif ($line =~ /^    /) {
      my @code = ($line);
      push @code, shift @lines while @lines && ($lines[0] =~ /^    / || ($lines[0] eq '' && @lines > 1 && $lines[1] =~ /^    /));
      s/^    // for @code;
      $out .= example(@code);
    } elsif ($line =~ /^\|/) {
      my @rows = ($line);
      push @rows, shift @lines while @lines && $lines[0] =~ /^\|/;
      $out .= table(@rows);
    } elsif ($line =~ /^###+ (.*)/) {
      $out .= ".SS " . inline($1) . "\n";
    } elsif ($line =~ /^- (.*)/) {
      my $text = $1;
      $text .= "\n" . ($lines[0] =~ s/^\s+//r), shift @lines while @lines && $lines[0] =~ /^  \S/;
      $out .= ".IP \\(bu 2\n" . inline($text) . "\n";
    } else {
      my $text = $line;
      $text .= "\n" . shift @lines while @lines && $lines[0] !~ /^(\s*$|\||- |    |```|#)/;
      # A paragraph of nothing but links within the page is a list of contents.
      next if $text =~ /^(?:\[[^\]]+\]\(#[^)]+\)\s*\x{c2}?\x{b7}?\s*)+$/;
      $out .= ".PP\n" . inline($text) . "\n";
    }
  }
  return $out;
}

# ---- pages

sub page {
  my ($name, $number, $summary, $names, $text) = @_;
  my $own = page_name($name);
  delete $see{"$own($number)"};
  $see{'ballot(1)'} = 1 if $own ne 'ballot';
  my $all = '.TH "' . uc($own) . "\" \"$number\" \"\" \"ballot $version\" \"ballot\"\n.SH NAME\n"
    . join(', ', map { page_name($_) } @$names) . " \\- $summary\n$text.SH SEE ALSO\n"
    . join(",\n", map { inline($_) } sort { ($a =~ m{^/}) <=> ($b =~ m{^/}) || $a cmp $b } keys %see) . "\n";
  write_page($own, $number, $all);
  write_page(page_name($_), $number, ".so man$number/$own.$number\n") for @$names[1 .. $#$names];
  %see = ();
}

# The flags that the command has besides those of every command.
my %of_every_command = map { $_ => 1 } '--help', '--config', '--log-level', '--log-format', '--debug';
sub options {
  my ($command) = @_;
  my ($flags, $subcommands) = help_of($command);
  my $out = '';
  for (grep { !$of_every_command{$_->[0]} } @$flags) {
    my ($name, $value, $text) = @$_;
    $text =~ s/^(its plugin) \(.*\)/$1/;  # those of the build
    $out .= ".TP\n\\fB" . code($name) . '\fR' . ($value ? ' \fI' . ($value =~ s/^ //r) . '\fR' : '') . "\n" . inline($text) . "\n";
  }
  $out .= ".SS \"ballot $command $_\"\n" . options("$command $_") for @$subcommands;
  return $out;
}

# The same for `ballot help` where there is no man: what man would show, without its lines' ends and fonts.
sub to_text {
  my ($out, $margin, $is_example, $is_term, $text) = ('', 7, 0, 0, '');
  my $end = sub {
    my ($line, @lines) = ('');
    for my $word (split ' ', $text) {
      if ($line ne '' && length("$line $word") + $margin > 80) { push @lines, $line; $line = $word }
      else { $line .= ($line eq '' ? '' : ' ') . $word }
    }
    push @lines, $line if $line ne '';
    $out .= join('', map { ' ' x $margin . "$_\n" } @lines);
    $text = '';
  };
  for (split /\n/, $_[0]) {
    my $line = $_;
    if ($is_example && $line ne '.fi') { $out .= ' ' x ($margin + 4) . bare($line) . "\n" unless $line =~ /^\.RS/; next }
    if ($is_term) { $out .= ' ' x 7 . bare($line) . "\n"; ($is_term, $margin) = (0, 14); next }
    if ($line !~ /^\./) { $text .= ' ' . bare($line); next }
    if ($line =~ /^\.I (.*)/) { $text .= ' ' . bare($1); next }
    $end->();
    if ($line =~ /^\.(S[HS]) (.*)/) { $out .= "\n" . ($1 eq 'SS' ? '   ' : '') . (bare($2) =~ tr/"//dr) . "\n"; $margin = 7 }
    elsif ($line =~ /^\.(?:PP|RS)/) { $out .= "\n"; $margin = 7 }
    elsif ($line eq '.TP') { $out .= "\n"; $is_term = 1 }
    elsif ($line =~ /^\.IP/) { $margin = 7; $text = '-' }
    elsif ($line eq '.nf') { $is_example = 1 }
    elsif ($line eq '.fi') { $is_example = 0 }
  }
  $end->();
  return $out =~ s/^\n+//r =~ s/\n{3,}/\n\n/gr;
}

sub bare { my ($text) = @_; return $text =~ s/\\f[BIR]//gr =~ s/\\\(aq/'/gr =~ s/\\&//gr =~ s/\\-/-/gr =~ s/\\e/\\/gr }

my %text_of;  # by page

sub write_page {
  my ($own, $number, $text) = @_;
  if ($number != 5) {  # a command's
    $text_of{$own} = $text =~ m{^\.so man\d/(.*)\.\d$}m ? $text_of{$1} : to_text($text);
    open my $plain, '>', "$folder/$own.txt" or die "make_pages.pl: $folder/$own.txt: $!\n";
    print $plain $text_of{$own};
    close $plain or die "make_pages.pl: cannot write $folder/$own.txt\n";
  }
  mkdir "$folder/man$number";
  open my $gz, '|-', "gzip -9nc > '$folder/man$number/$own.$number.gz'" or die "make_pages.pl: gzip: $!\n";
  print $gz $text;
  close $gz or die "make_pages.pl: cannot write $folder/man$number/$own.$number.gz\n";
}

sub section { my ($title, @lines) = @_; return ".SH \"" . uc($title) . "\"\n" . to_man(@lines) }

system('rm', '-rf', $folder) == 0 or die "make_pages.pl: cannot remove $folder\n";
mkdir $folder or die "make_pages.pl: $folder: $!\n";

for my $name (@commands) {
  next if $alias{$name};
  my @names = ($name, sort grep { $alias{$_} eq $name } keys %alias);
  my ($first, @more) = @{$section{$name}};
  $at_hand = reference($name);
  my @lines = @{$first->[1]};
  my @synopsis;
  if (@lines && $lines[0] =~ /^    ballot /) { push @synopsis, shift(@lines) =~ s/^    //r while @lines && $lines[0] =~ /^    / }
  @synopsis = map { "ballot $_ [FLAGS]" } @names unless @synopsis;
  my $text = ".SH SYNOPSIS\n.nf\n" . join("\n", map { code($_) } @synopsis) . "\n.fi\n.SH DESCRIPTION\n";
  $text .= ".SS \"$first->[0]\"\n" if @more && $first->[0] ne $name;
  $text .= to_man(@lines);
  $text .= section(@$_[0], @{$_->[1]}) for @more;
  my $options = options($name);
  $text .= ".SH OPTIONS\n$options.PP\nThose of every command are in ballot(1).\n" if $options ne '';
  page($name, page_number($name), join('; ', map { $summary{$_} } @names), \@names, $text);
}

$at_hand = '';
my $list = join '', map { ".TP\n\\fB$_\\fR\n$summary{$_}\n" } @commands;
my @intro = grep { !/^\|/ } @{$command_lines->{''}};
my $main = ".SH SYNOPSIS\n\\fBballot\\fR COMMAND [FLAGS]\n.SH DESCRIPTION\n" . to_man(@intro) . ".SH COMMANDS\n"
  . ".PP\nEach has a page of its own, ballot\\-COMMAND; `ballot help COMMAND` shows it.\n$list"
  . join('', map { section($_->[0], @{$_->[1]}) } @{$section{ballot}});
$see{$_} = 1 for 'ballot-serve(8)', 'ballot-jobs(5)', 'ballot.toml(5)', '/usr/share/doc/ballot/examples';
page('ballot', 1, 'cron for a fleet of machines', ['ballot'], $main);

page('ballot.toml', 5, 'the configuration of ballot on a node', ['ballot.toml'],
     ".SH DESCRIPTION\n.I /etc/ballot/ballot.toml\n" . to_man(@{$section{'ballot.toml'}[0][1]}));

my $jobs = ".SH DESCRIPTION\n.I /etc/ballot/jobs.d/*.toml\n" . to_man(@{$job_lines->{''}});
$jobs .= section($_, @{$job_lines->{$_}}) for grep { $_ ne '' } @$job_names;
page('ballot-jobs', 5, 'job files: what is run, when, and as whom', ['ballot-jobs'], $jobs);
