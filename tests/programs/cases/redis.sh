# A server with several clients at once, snapshots and log rewrites by fork, and a restart.
# needs: redis-server redis-server
# needs: redis-cli redis-tools
# needs: redis-benchmark redis-tools
# needs: awk mawk
# stderr: ignore
serve() {
    redis-server --port 0 --unixsocket "$PWD/socket" --dir "$PWD" --save '' --io-threads 2 \
        --daemonize no "$@" > server.log 2>&1 &
    server=$!
    until redis-cli -s socket ping > /dev/null 2>&1; do
        kill -0 "$server" || { cat server.log; exit 1; }
        sleep 0.05
    done
}
ask() { redis-cli -s socket "$@"; }
halt() { ask shutdown nosave 2> /dev/null || true; wait "$server" || true; }
trap 'kill "$server" 2> /dev/null || true' EXIT

serve --appendonly no
for part in 1 2 3; do
    awk -v part=$part 'BEGIN { for (n = 1; n <= 20000; n++) {
        printf "SET string:%d:%d %" n % 90 + 1 "s\r\n", part, n, "x"
        printf "HSET hash:%d f%d v%d\r\nRPUSH list:%d e%d\r\n", n % 50, n, n, n % 30, n
        printf "ZADD zset:%d %d m%d\r\nSADD set:%d s%d\r\n", n % 20, n, n, n % 10, n } }' > "load$part"
done
for part in 1 2 3; do ask --pipe < "load$part" > "pipe$part" & loads[$part]=$!; done
for part in 1 2 3; do wait "${loads[$part]}"; grep -o 'errors: 0' "pipe$part"; done
redis-benchmark -s socket -q -n 20000 -c 20 -P 8 -d 200 -t set,get,incr,lpush,lpop,sadd,hset,spop,zadd,mset > bench.log
ask del mylist myset myhash myzset > /dev/null
ask eval 'for i = 1, 5000 do redis.call("append", "grown", string.rep("y", i % 50)) end return redis.call("strlen", "grown")' 0
for n in $(seq 1 100); do echo "DEL string:1:$n"; done | ask > /dev/null
ask config set activedefrag yes > /dev/null 2>&1 || true
for key in list:0 list:29; do ask lrange $key 0 -1 | wc -l; done
for n in $(seq 0 29); do ask sort "list:$n" alpha; done | sort | cksum
ask dbsize
ask memory purge > /dev/null 2>&1 || true
ask save
ask bgsave > /dev/null
until ask info persistence | grep -q 'rdb_bgsave_in_progress:0'; do sleep 0.05; done
ask info persistence | grep -o 'rdb_last_bgsave_status:ok'
halt
serve --appendonly yes
ask dbsize
ask bgrewriteaof > /dev/null || true
until ask info persistence | grep -q 'aof_rewrite_in_progress:0'; do sleep 0.05; done
ask info persistence | grep -o 'aof_last_bgrewrite_status:ok'
for n in $(seq 0 19); do ask zrange "zset:$n" 0 -1 withscores; done | cksum
ask flushall
ask dbsize
halt
