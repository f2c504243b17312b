# A fresh database, transactions of several clients, a crash, and checksums of all tables.
# needs: psql postgresql
# needs: setpriv util-linux
# stderr: ignore
source "$PEERS/server.bash"
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)

# The server will not run as root.
if [[ $EUID == 0 ]]; then
    chown 65534:65534 .
    chmod 755 .
    user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
else
    user=()
fi
as_user() { "${user[@]}" "$@"; }
start() {
    as_user "$programs/postgres" -D data -k "$PWD" -c listen_addresses= -c shared_buffers=32MB -c fsync=off \
        -c max_wal_size=256MB >> server.log 2>&1 &
    until_true as_user "$programs/pg_isready" -h "$PWD" -d postgres
    server=$(head -n 1 data/postmaster.pid)
    under_the_same_heap "$server"
}
trap 'kill -9 $(head -n 1 data/postmaster.pid) 2> /dev/null || true' EXIT
ask() { as_user psql -h "$PWD" -d postgres -U postgres -At -c "$1"; }
checksums() {
    ask "select 'accounts', count(*), md5(string_agg(aid || ':' || abalance, ',' order by aid)) from pgbench_accounts"
    ask "select 'tellers', count(*), md5(string_agg(tid || ':' || tbalance, ',' order by tid)) from pgbench_tellers"
    ask "select 'branches', count(*), md5(string_agg(bid || ':' || bbalance, ',' order by bid)) from pgbench_branches"
    ask "select 'history', count(*), md5(string_agg(line, ',' order by line)) from
         (select tid || ':' || bid || ':' || aid || ':' || delta as line from pgbench_history) as lines"
}
bench() { as_user "$programs/pgbench" -h "$PWD" -U postgres "$@" postgres > bench.log 2>&1 || { cat bench.log; exit 1; }; }

as_user "$programs/initdb" -D data -U postgres -A trust --no-sync --locale C.UTF-8 > init.log 2>&1 || { cat init.log; exit 1; }
start
bench -i -s 3 -q
bench -n -c 8 -j 2 -t 300 --random-seed=7
bench -n -c 2 -t 1000 -S --random-seed=7
checksums
ask "select md5(string_agg(md5(i::text || repeat('x', i % 4000)), '' order by i desc)) from generate_series(1, 50000) as i"
ask "select count(*), sum(a.abalance::numeric * b.aid) from pgbench_accounts a join pgbench_accounts b on a.aid = 300001 - b.aid"
ask "create index on pgbench_accounts (abalance, aid)" && ask "vacuum full analyze"
kill -QUIT "$server" # as if it had crashed: the log of writes is read again
until_true test ! -e data/postmaster.pid
start
checksums
as_user "$programs/pg_ctl" -D data -m fast -w stop > /dev/null && echo "stopped"
