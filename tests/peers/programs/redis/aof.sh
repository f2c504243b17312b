# A log of commands that a forked child rewrites while clients write on, and a start from it.
# needs: redis-server redis-server
# needs: redis-cli redis-tools
# needs: awk mawk
# stderr: ignore
source "$PEERS/redis/redis.bash"
serve --appendonly yes --appendfsync no
until_true info aof_rewrite_in_progress:0
fill
digest before
ask bgrewriteaof > /dev/null
ask eval 'for i = 1, 20000 do redis.call("append", "later" .. i % 100, "z") end return redis.call("dbsize")' 0
until_true info aof_rewrite_in_progress:0
ask info persistence | grep -o 'aof_last_bgrewrite_status:ok'
digest after
stop
serve --appendonly yes
digest loaded
stop
