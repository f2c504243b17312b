# Hashes, strings, regular expressions, sorting, closures, fork and pipes.
# needs: perl perl
cat > work.pl <<'PERL'
use strict; use warnings;
my (%words, @list);
srand(1); my $state = 12345;
sub rnd { $state = ($state * 1103515245 + 12345) % 2147483648; return $state % $_[0]; }
for my $i (1 .. 200_000) {
    my $word = join '', map { chr(97 + rnd(26)) } 1 .. 3 + rnd(6);
    $words{$word}++;
    push @list, [$i, $word, { n => $i }] if $i % 10 == 0;
}
printf "%d words, the last %s\n", scalar(keys %words), (sort keys %words)[-1];
my @sorted = sort { $a->[1] cmp $b->[1] || $a->[0] <=> $b->[0] } @list;
print join(',', map { $_->[1] } @sorted[0 .. 9]), "\n";
my $text = join ' ', map { $_->[1] } @sorted;
(my $changed = $text) =~ s/([aeiou])([^aeiou ])/$2$1/g;
printf "%d %d\n", length $changed, unpack('%32C*', $changed) % 65535;
my @counters = map { my $n = $_; sub { $n += shift } } 1 .. 20_000;
my $total = 0; $total += $_->(3) for @counters; print "$total\n";
delete @words{ (sort keys %words)[0 .. 20_000] }; print scalar(keys %words), "\n";
for my $child (1 .. 5) {
    my $pid = open(my $pipe, '-|') // die;
    if (!$pid) { my @x = map { "$child:$_" } 1 .. 5000; print scalar(@x), " $x[-1]\n"; exit 0; }
    print while <$pipe>; close $pipe;
}
my $deep = []; my $at = $deep; for (1 .. 50_000) { $at->[0] = []; $at = $at->[0]; }
my $long = ''; $long .= "x$_" for 1 .. 300_000; print length($long), "\n";
print sprintf('%s', substr(reverse($long), 0, 30)), "\n";
PERL
perl work.pl
