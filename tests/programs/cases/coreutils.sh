# find, sort, awk, sed, grep, tar, gzip, xz, make, each with enough to do.
# needs: find findutils
# needs: awk mawk
# needs: tar tar
# needs: gzip gzip
# needs: xz xz-utils
# needs: make make
awk 'BEGIN { srand(1); x = 1; for (i = 0; i < 100000; i++) { x = (x * 16807) % 2147483647; print x % 100000, "word" x % 977, i } }' > data
sort -n data | cksum
sort --parallel=4 -S 4M -k2,2 -k1,1n -T . data | cksum
sort -u -k2,2 data | wc -l
awk '{ sum[$2] += $1; list[$2] = list[$2] "," $3 } END { for (w in sum) print w, sum[w], length(list[w]) }' data | sort | cksum
sed -E 's/([0-9]+) (word)([0-9]+)/\3-\2-\1/' data | cksum
grep -c 'word9[0-9]* .*7$' data
cut -d' ' -f2 data | sort | uniq -c | sort -rn | sed -n 1,3p
split -l 1000 data part-
find . -name 'part-*' -size +1k -newermt 2000-01-01 | sort | cksum
find . -name 'part-*' -print0 | sort -z | xargs -0 -n 20 cksum | cksum
tar --sort=name --mtime=@0 --owner=0 --group=0 -cf all.tar part-*
sha256sum all.tar
xz -T2 -3 -k all.tar && xz -t all.tar.xz && xz -dc all.tar.xz | cmp - all.tar && echo xz good
gzip -9nk all.tar && gzip -dc all.tar.gz | cmp - all.tar && echo gzip good
tar -tf all.tar.xz | wc -l
join <(sort -k1,1 data) <(sort -k1,1 data | sed -n 1,1000p) | cksum
comm -12 <(cut -d' ' -f1 data | sort -u) <(seq 0 7 100000 | sort) | wc -l
{
    printf 'all:'; for n in $(seq 1 100); do printf ' out%d' "$n"; done; echo
    printf 'out%%: data\n\t@head -$* data | cksum > $@\n'
    for n in $(seq 1 100); do printf 'V%d := $(shell echo %d)\n' "$n" "$n"; done
} > Makefile
make -s -j 4 && cat out* | cksum
od -An -tx1 data | sed -n 1,1000p | cksum
factor 1234567890123456789
