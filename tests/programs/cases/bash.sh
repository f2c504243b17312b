# A shell at work: arrays, substitutions, pipes, subshells, jobs, traps.
# needs: bash bash
declare -A counts
for i in $(seq 1 20000); do
    key="k$((i * 7919 % 997))"
    counts[$key]=$((${counts[$key]:-0} + i))
done
for key in $(printf '%s\n' "${!counts[@]}" | sort); do
    printf '%s=%s ' "$key" "${counts[$key]}"
done | cksum

text=$(printf 'line %s of a long text\n' $(seq 1 5000))
echo "${#text} ${text//of a/OF-A}" | cksum
sum=0
while read -r _ number _; do sum=$((sum + number)); done <<< "$text"
echo "sum $sum"

for job in 1 2 3 4; do
    (for n in $(seq 1 300); do x=$(echo "$n $job"); done; echo "$x" > "job$job") &
done
wait
cat job1 job2 job3 job4

fibonacci() { [ "$1" -lt 2 ] && echo "$1" || echo $(($(fibonacci $(($1 - 1))) + $(fibonacci $(($1 - 2))))); }
fibonacci 11
(trap 'echo trapped' EXIT; exec 3< <(seq 1 1000); mapfile -t -u 3 lines; echo "${#lines[@]} ${lines[-1]}")
printf -v padded '%050d' 12345; echo "$padded"
[[ "abc-123-xyz" =~ ([a-z]+)-([0-9]+) ]] && echo "${BASH_REMATCH[2]}"
