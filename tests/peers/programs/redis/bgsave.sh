# A snapshot that a forked child writes while clients write on, and a start from it.
# needs: redis-server redis-server
# needs: redis-cli redis-tools
# needs: awk mawk
# stderr: ignore
source "$PEERS/redis/redis.bash"
serve
fill
digest before
ask bgsave > /dev/null
ask eval 'for i = 1, 20000 do redis.call("append", "later" .. i % 100, "z") end return redis.call("dbsize")' 0
until_true info rdb_bgsave_in_progress:0
ask info persistence | grep -o 'rdb_last_bgsave_status:ok'
digest after
stop
serve
digest loaded
stop
