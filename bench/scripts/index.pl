# Perl: documents indexed by their words, and asked which of them have two words in common.
use strict;
use warnings;
my ($count, $state) = @ARGV;
sub draw { $state = $state * 16807 % 2147483647; return $state % $_[0]; }
my (@documents, %index);
for my $number (0 .. $count - 1) {
    my %words = map { ("term" . int(draw(3000) * draw(3000) / 3000) => 1) } 1 .. 12;
    my $document = {title => "document number $number", words => [sort keys %words]};
    push @documents, $document;
    push @{$index{$_}}, $document for @{$document->{words}};
}
my $total = 0;
my @terms = sort keys %index;
for (1 .. 400) {
    my ($one, $other) = map { $index{$terms[draw(scalar @terms)]} } 1 .. 2;
    my %in = map { ($_->{title} => 1) } @$one;
    $total += scalar grep { $in{$_->{title}} } @$other;
    $total += length($_->{words}[0]) for @$other;
}
print "$total\n";
