# Shows each command, its output and its exit status.
run() {
    echo "+ $*"
    "$@" 2>&1 || echo "= $?"
}
if [ -z "${tmp-}" ]; then
    export tmp=$(mktemp -d)
    key="$tmp/service.key"
    exec merchantpay sandbox --port 0 --pace 0 --seed 1 --clock manual --server-private-key-file "$key" -- sh session.sh
fi
trap 'rm -rf "$tmp"' EXIT
of() { printf '%s\n' "$reply" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
listen() {
    rm -f "$tmp/heard"
    merchantpay webhook listen --port 0 "$@" >"$tmp/heard" 2>&1 &
    listener=$!
    until grep -qs listening "$tmp/heard"; do sleep 0.05; done
    url=$(sed 's/.*"listening":"\([^"]*\)".*/\1/;q' "$tmp/heard")
}
send() {
    echo "+ merchantpay webhook send $*"
    merchantpay webhook send --url "$url" --server-private-key-file "$tmp/service.key" "$@" 2>&1 || echo "= $?"
}
# Shows what the listener has heard, and its exit status.
heard() {
    wait "$listener" || echo "= $?"
    tail -n +2 "$tmp/heard"
}

merchantpay story paid >/dev/null
reply=$(merchantpay sandbox api webhooks/1 | sed 's/.*"request"://')
signature=$(of signature)
of base64 | base64 -d >"$tmp/body"
sed 's/,/, /g' "$tmp/body" >"$tmp/spaced"
verify() {
    file=$1
    shift
    echo "+ merchantpay webhook verify $* < $file"
    merchantpay webhook verify "$@" --signature "$signature" <"$tmp/$file" 2>&1 || echo "= $?"
}
verify body
verify body --webhook-key-id sandbox-server
verify body --key-id sandbox-server
verify body --webhook-key-id ''
verify body --webhook-key-id another
verify body --webhook-key-id "$MERCHANTPAY_KEY_ID"
verify spaced
MERCHANTPAY_SERVER_PUBLIC_KEY='' verify body

echo '# Each kind arrives, and a body as it is.'
listen --count 4
send credentials
send credentials-failed
send status
echo '{"success":false,"orderId":"o-2"}' | send
heard
echo '# Each damage is found.'
listen --count 3
send status --tamper
send credentials --wrong-key
send status --no-signature
heard
echo '# A listener forwards to another one.'
listen --count 1
first=$listener
cp "$tmp/heard" "$tmp/first"
listen --count 2 --forward-to "$url"
send status
wait "$first"
send status
heard

echo '# What cannot be sent or heard.'
send paid
send --body /no/such/file
send </dev/null
url=ftp://x
send status
url=http://127.0.0.1:1
send status
run merchantpay webhook send --url http://127.0.0.1:1 status
run merchantpay webhook send --url http://127.0.0.1:1 --server-private-key-file /no/such/file status
run merchantpay webhook listen --port 0 --forward-to nowhere
run merchantpay webhook listen --port 0 --forward-unverified
run merchantpay webhook listen --port 0 --count 0
run merchantpay webhook listen --port 0 --signature-header 'a b'
run env MERCHANTPAY_SERVER_PUBLIC_KEY= merchantpay webhook listen
