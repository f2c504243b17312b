# For cases that start a server.

# Fails unless a server that was started under a preloaded library has it, too.
under_the_same_heap() {
    [[ -z ${LD_PRELOAD:-} ]] || grep -qF "$(realpath "${LD_PRELOAD##*:}")" "/proc/$1/maps" || {
        echo "process $1 does not have $LD_PRELOAD" >&2
        exit 90
    }
}

# Waits until a command succeeds, for a minute at most.
until_true() {
    for _ in $(seq 600); do
        "$@" > /dev/null 2>&1 && return
        sleep 0.1
    done
    echo "in vain: $*" >&2
    exit 91
}
