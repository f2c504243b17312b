# awk: words counted, pairs of neighbours counted, fields joined again.
{
    line = ""
    for (i = 1; i <= NF; i++) {
        count[$i]++
        if (i > 1) pair[$(i - 1), $i, NR % 50]++
        line = line toupper(substr($i, 1, 1)) substr($i, 2) " "
    }
    kept[NR % 5000] = line
}
END {
    for (word in count) total += count[word] * length(word)
    for (two in pair) pairs += pair[two] % 7
    for (place in kept) bytes += length(kept[place])
    print total, pairs, bytes
}
