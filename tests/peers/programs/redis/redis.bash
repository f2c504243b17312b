# A server of redis in the working directory, on a socket, and data of all kinds.
source "$PEERS/server.bash"

# Without this, newer servers have no digest.
has_debug=()
if [[ ! $(redis-server --version) =~ v=[0-6]\. ]]; then has_debug=(--enable-debug-command yes); fi

serve() {
    redis-server --port 0 --unixsocket "$PWD/socket" --dir "$PWD" --save '' --io-threads 2 \
        "${has_debug[@]}" --daemonize no "$@" >> server.log 2>&1 &
    server=$!
    trap 'kill "$server" 2> /dev/null || true' EXIT
    until_true ready
    under_the_same_heap "$server"
}

ready() { [[ $(ask ping) == PONG ]]; }
ask() { redis-cli -s socket "$@"; }
info() { ask info persistence | grep -q "$1"; }
digest() { echo "$1 $(ask dbsize) $(ask debug digest)"; }

stop() {
    ask shutdown nosave 2> /dev/null || true
    wait "$server"
    echo "server ended"
}

# Several clients at once, whose keys do not meet.
fill() {
    local part loads=()
    for part in 1 2 3; do
        awk -v part=$part 'BEGIN { for (n = 1; n <= 20000; n++) {
            printf "SET string:%d:%d %" n % 300 + 1 "s\r\nAPPEND grown:%d:%d y%d\r\n", part, n, "x", part, n % 9, n
            printf "HSET hash:%d:%d f%d v%d\r\nRPUSH list:%d:%d e%d\r\n", part, n % 50, n, n, part, n % 30, n
            printf "ZADD zset:%d:%d %d m%d\r\nSADD set:%d:%d s%d\r\n", part, n % 20, n, n, part, n % 10, n
            if (n % 3 == 0) printf "DEL string:%d:%d\r\n", part, n - 1 } }' > "load$part"
        ask --pipe < "load$part" > "pipe$part" &
        loads+=($!)
    done
    wait "${loads[@]}"
    cat pipe[123] | grep -o 'errors: [0-9]*'
}
