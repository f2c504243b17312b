# All data written out and read in again by the same process, several times, and defragmented where it can be.
# needs: redis-server redis-server
# needs: redis-cli redis-tools
# needs: awk mawk
# stderr: ignore
source "$PEERS/redis/redis.bash"
serve
fill
for turn in 1 2 3; do
    digest "before $turn"
    ask debug reload
    digest "after $turn"
done
ask memory purge > /dev/null
ask flushall async
fill
digest "filled again"
stop
