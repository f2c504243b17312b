# A server with several clients at once, snapshots and log rewrites by fork, and a restart.
# needs: redis-server redis-server
# needs: redis-cli redis-tools
# needs: redis-benchmark redis-tools
# needs: awk mawk
# stderr: ignore
source "$PEERS/redis/redis.bash"

serve --appendonly no
fill
redis-benchmark -s socket -q -n 20000 -c 20 -P 8 -d 200 -t set,get,incr,lpush,lpop,sadd,hset,spop,zadd,mset > bench.log
ask del mylist myset myhash myzset > /dev/null
ask eval 'for i = 1, 5000 do redis.call("append", "grown", string.rep("y", i % 50)) end return redis.call("strlen", "grown")' 0
for n in $(seq 1 100); do echo "DEL string:1:$n"; done | ask > /dev/null
ask config set activedefrag yes > /dev/null 2>&1 || true
for key in list:1:0 list:1:29; do ask lrange $key 0 -1 | wc -l; done
for n in $(seq 0 29); do ask sort "list:2:$n" alpha; done | sort | cksum
ask dbsize
ask memory purge > /dev/null 2>&1 || true
ask save
ask bgsave > /dev/null
until_true info rdb_bgsave_in_progress:0
ask info persistence | grep -o 'rdb_last_bgsave_status:ok'
stop
serve --appendonly yes
ask dbsize
ask bgrewriteaof > /dev/null || true
until_true info aof_rewrite_in_progress:0
ask info persistence | grep -o 'aof_last_bgrewrite_status:ok'
for n in $(seq 0 19); do ask zrange "zset:3:$n" 0 -1 withscores; done | cksum
ask flushall
ask dbsize
stop
