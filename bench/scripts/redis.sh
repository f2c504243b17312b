#!/bin/bash
# A Redis server under load, on a socket of its own and without persistence. First a fixed sequence
# of commands, whose result (a digest of all data) is printed; then redis-benchmark, whose keys are
# its own choice and whose figures depend on the machine, so they are not.
#
# usage: redis.sh COMMANDS REQUESTS
set -euo pipefail

commands=${1:?redis.sh: name a file of commands first}
requests=${2:?redis.sh: say how many requests of each kind redis-benchmark is to send}

# Debian's server is linked with jemalloc. With nothing preloaded it is to run on the C library's
# heap, like every other program: then the C library itself is preloaded.
export LD_PRELOAD=${LD_PRELOAD:-libc.so.6}

folder=$(mktemp -d)
socket=$folder/redis.sock
server=

finish() {
    if [[ -n $server ]]; then
        kill "$server" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap finish EXIT

redis-server --port 0 --unixsocket "$socket" --save '' --appendonly no --dir "$folder" \
    --enable-debug-command yes --daemonize no >"$folder/log" 2>&1 &
server=$!

ask() {
    redis-cli -s "$socket" "$@"
}

tries=0
until [[ -S $socket && $(ask ping 2>/dev/null) == PONG ]]; do
    if ((++tries > 1000)) || ! kill -0 "$server" 2>/dev/null; then
        echo "redis.sh: redis-server did not start; its log says:" >&2
        cat "$folder/log" >&2
        exit 1
    fi
    sleep 0.005 # short beside what is measured
done

if ! ask --pipe <"$commands" >"$folder/pipe" 2>&1 || ! grep -q 'errors: 0' "$folder/pipe"; then
    echo "redis.sh: the commands in $commands were not all accepted:" >&2
    cat "$folder/pipe" >&2
    exit 1
fi
echo "keys $(ask dbsize) digest $(ask debug digest)"

redis-benchmark -s "$socket" -q -P 16 -c 16 -r 50000 -d 100 -n "$requests" \
    -t set,get,lpush,rpop,sadd,hset,zadd,lrange_100 >"$folder/benchmark"

ask shutdown nosave >/dev/null 2>&1 || true
wait "$server" || true
server=
