# Workers that serve, compress and pass on files to many connections at once, and are replaced meanwhile.
# needs: nginx nginx
# needs: curl curl
# stderr: ignore
source "$PEERS/server.bash"
mkdir files
for n in $(seq 1 60); do head -c $((n * n * 300)) /dev/zero | tr '\0' "$(printf "\\$(printf %o $((64 + n)))")" > "files/$n"; done
port=$((20000 + $$ % 20000))
cat > nginx.conf << CONFIG
worker_processes 2;
daemon off;
pid $PWD/pid;
error_log $PWD/errors;
$([[ $EUID -ne 0 ]] || echo 'user root;')
events { worker_connections 512; }
http {
    access_log $PWD/access combined buffer=4k;
    gzip on; gzip_types *; gzip_min_length 100;
    client_body_temp_path $PWD/body; proxy_temp_path $PWD/proxy; fastcgi_temp_path $PWD/fastcgi;
    uwsgi_temp_path $PWD/uwsgi; scgi_temp_path $PWD/scgi;
    proxy_cache_path $PWD/cache keys_zone=kept:1m;
    server { listen unix:$PWD/socket; location / { root $PWD/files; } }
    server { listen 127.0.0.1:$port; location / { proxy_cache kept; proxy_cache_valid 200 1s; proxy_pass http://unix:$PWD/socket:/; } }
}
CONFIG
nginx -e "$PWD/errors" -p "$PWD" -c "$PWD/nginx.conf" &
server=$!
trap 'kill "$server" 2> /dev/null || true' EXIT
until_true curl -sf "http://127.0.0.1:$port/1" -o /dev/null
under_the_same_heap "$server"
for turn in $(seq 1 12); do
    for client in 1 2 3; do
        curl -s --compressed --parallel --parallel-max 20 "http://127.0.0.1:$port/[1-60]" -o "got-$client-#1" &
        clients[client]=$!
    done
    [[ $((turn % 4)) -ne 0 ]] || kill -HUP "$server"
    wait "${clients[@]}"
    for n in $(seq 1 60); do for client in 1 2 3; do cmp "got-$client-$n" "files/$n"; done; done
    echo "turn $turn: all files as they are"
    rm got-*
done
kill -QUIT "$server"
wait "$server"
echo "server ended"
