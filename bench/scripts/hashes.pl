# Hashes of arrays and hashes of hashes, grown, walked, cut back and grown again.
#
# usage: perl hashes.pl [keys] [rounds]
use strict;
use warnings;

my ($keys, $rounds) = (@ARGV, (60000, 3)[@ARGV .. 1]);

my $state = 1;

sub random {
    my ($limit) = @_;
    use integer;
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    return ($state >> 8) % $limit;
}

my %groups;
my ($total, $removed) = (0, 0);
for my $round (1 .. $rounds) {
    for my $number (1 .. $keys) {
        my $name  = 'group' . random($keys / 2);
        my $group = $groups{$name} //= { name => $name, members => [], seen => {} };
        push @{ $group->{members} }, { number => $number, text => "member $number of $name" };
        $group->{seen}{ 'r' . $round }++;
    }
    for my $name (sort keys %groups) {
        my $group = $groups{$name};
        $total += $_->{number} + length $_->{text} for @{ $group->{members} };
        if (random(3) == 0) {
            delete $groups{$name};
            $removed++;
        }
    }
}
print "keys $keys rounds $rounds groups ", scalar(keys %groups), " removed $removed total $total\n";
