# Text processing: lines are split, matched, substituted, joined and counted.
#
# usage: perl text.pl FILE [passes]
use strict;
use warnings;

my $file = shift or die "text.pl: no input named; give a text file\n";
my $passes = shift // 1;

my (%words, %pairs, @long);
for my $pass (1 .. $passes) {
    open my $in, '<', $file or die "text.pl: cannot read $file: $!\n";
    while (my $line = <$in>) {
        chomp $line;
        my @found = $line =~ /([a-z]+)/g;
        $words{$_}++ for @found;
        $pairs{"$found[$_ - 1] $found[$_]"}++ for 1 .. $#found;
        (my $marked = $line) =~ s/\b([a-z])([a-z]*)\b/\u$1$2/g;
        push @long, join '-', reverse split / /, $marked if @found > 16;
    }
    close $in;
}

my @top = (sort { $words{$b} <=> $words{$a} || $a cmp $b } keys %words)[0 .. 4];
my $letters = 0;
$letters += length for @long;
print "words ", scalar(keys %words), " pairs ", scalar(keys %pairs), " long ", scalar(@long),
    " letters $letters\n";
print "$_ $words{$_}\n" for @top;
