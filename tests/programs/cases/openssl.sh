# Keys, signatures, certificates, digests and ciphers; a TLS server and client.
# needs: openssl openssl
# stderr: ignore
seq 1 200000 > plain
for digest in md5 sha1 sha256 sha512 sha3-256 blake2b512; do openssl dgst -$digest plain; done
for cipher in aes-256-cbc aes-128-ctr chacha20 camellia-256-cbc; do
    openssl enc -$cipher -pbkdf2 -pass pass:secret -S 0102030405060708 -in plain -out hidden
    openssl enc -d -$cipher -pbkdf2 -pass pass:secret -S 0102030405060708 -in hidden | cmp - plain && sha256sum hidden
done
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.key 2> /dev/null
openssl req -x509 -new -key rsa.key -days 2 -subj /CN=localhost -out rsa.crt
openssl x509 -in rsa.crt -noout -subject -issuer
openssl dgst -sha256 -sign rsa.key -out signature plain
openssl x509 -in rsa.crt -pubkey -noout > rsa.pub
openssl dgst -sha256 -verify rsa.pub -signature signature plain
for curve in prime256v1 secp384r1; do
    openssl ecparam -name $curve -genkey -noout -out ec.key
    openssl ec -in ec.key -pubout -out ec.pub 2> /dev/null
    openssl dgst -sha256 -sign ec.key -out signature plain
    openssl dgst -sha256 -verify ec.pub -signature signature plain
done
openssl pkcs12 -export -inkey rsa.key -in rsa.crt -passout pass:x -out both.p12
openssl pkcs12 -in both.p12 -passin pass:x -nodes 2> /dev/null | grep -c BEGIN
openssl verify -CAfile rsa.crt rsa.crt
openssl asn1parse -in rsa.crt | grep -c OBJECT
openssl prime -generate -bits 128 | wc -l

for port in $(seq 47111 47140); do
    openssl s_server -accept "127.0.0.1:$port" -key rsa.key -cert rsa.crt -www -quiet > /dev/null 2>&1 &
    server=$!
    for attempt in $(seq 1 100); do
        if ! kill -0 "$server" 2> /dev/null; then break; fi # the port was taken: try the next
        if printf 'GET / HTTP/1.0\r\n\r\n' | openssl s_client -connect "127.0.0.1:$port" -CAfile rsa.crt -quiet \
            -verify_return_error -ign_eof 2> /dev/null > page; then break 2; fi
        sleep 0.05
    done
done
grep -o 'HTTP/1.0 200 ok' page
for i in $(seq 1 20); do
    printf 'GET / HTTP/1.0\r\n\r\n' | openssl s_client -connect "127.0.0.1:$port" -tls1_2 -CAfile rsa.crt -quiet -ign_eof 2> /dev/null | grep -c '200 ok'
done | sort | uniq -c
kill "$server"
