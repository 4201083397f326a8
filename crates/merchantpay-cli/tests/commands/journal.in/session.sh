# Shows each command, its output and its exit status.
run() {
    echo "+ $*" | sed "s:$tmp:TMP:g"
    { "$@" 2>&1 || echo "= $?"; } | sed "s:$tmp:TMP:g"
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export MERCHANTPAY_JOURNAL="$tmp/payments.db" MERCHANTPAY_CALLBACK_URL=http://127.0.0.1:9/callback
journal() { run merchantpay journal "$@"; }
pay() {
    reference=$1 account=$2
    shift 2
    journal pay --reference "$reference" --sum 1500.50 --payment-method sbp --customer-account "$account" "$@"
}
quietly() { merchantpay journal "$@" >/dev/null || echo "= $?"; }

echo '# Before init, and at a wrong path.'
pay order-1 79001234567
journal show order-1 --journal payments.db
journal init
journal init

echo '# One payment, whatever is done twice.'
pay order-1 79001234567
pay order-1 79001234567
journal wait order-1 --until credentials
journal wait order-1 --timeout 1ms
journal confirm order-1
journal wait order-1
pay order-1 79001234567
pay order-1 79001234567 --currency USD
run merchantpay sandbox api exchanges?operation=newPayment

echo '# A failure, another sum, and a refusal that is made again.'
pay order-2 payment-fails
quietly confirm order-2
journal wait order-2
pay order-3 pays-less
quietly confirm order-3
journal wait order-3
pay order-4 no-credentials
journal wait order-4
pay order-4 79001234567
journal confirm order-4
journal cancel order-4 --attempt 3
journal cancel order-4 --attempt 2
journal show order-4
journal confirm no-such-order
pay order-5 79001234567 --async
MERCHANTPAY_CALLBACK_URL='' pay order-6 1 --async

echo '# A lost reply, and what the service says of an instruction.'
lose() { merchantpay sandbox faults add drop-after-commit --operation "$1" >/dev/null; }
replace() { journal replace order-7 --attempt "$1" --sum 1500.50 --payment-method sbp --customer-account 79001234567; }
lose newPayment
pay order-7 79001234567
journal confirm order-7
replace 1
replace 1
replace 3
pay order-8 stays-pending
lose confirm
journal confirm order-8
merchantpay cancel "$(merchantpay journal show order-8 | sed 's/.*"orderId":"\([^"]*\)".*/\1/')" >/dev/null
journal cancel order-8
journal acknowledge order-1 --attempt 1 --news 99
journal acknowledge order-1 --attempt 9 --news 1
journal acknowledge no-such-order --attempt 1 --news 1

echo '# Input that writes nothing.'
pay '' 1
pay order-6 1 --callback-url nowhere
pay order-6 1 --timeout 14999ms
pay order-6 1 --pay-wait soon
pay order-6 1 --journal-connections 0
pay order-6 1 --durability-vouched fsyncs
pay order-1 1 --journal postgresql://shop:secret@db.example/payments

echo '# Lists.'
journal list --standing final --limit 1
journal list --since 2001-01-01 --limit 1
journal list --standing lost
journal list --since 2999-01-01
journal list --until yesterday

journal pause --note 'restore of today'
pay order-9 79001234567
journal resume --note checked

run env MERCHANTPAY_KEY_ID=another merchantpay journal news
run env MERCHANTPAY_BASE_URL=http://127.0.0.1:9 merchantpay journal news

echo '# An operator needs no key.'
export MERCHANTPAY_BASE_URL= MERCHANTPAY_KEY_ID= MERCHANTPAY_PRIVATE_KEY=
journal list --standing superseded
journal attention
journal news
journal stats --max-attention 9
journal stats --max-attention 0 --quiet
journal stats --max-attention 9 --quiet
journal stats --quiet
journal stats --quiet --max-attention 1 --journal /no/such/file
journal pause --note 'restore of today'
journal pause
journal export >"$tmp/exported"
journal backup "$tmp/copy.db"
journal backup "$tmp/copy.db"
journal resume --note checked
journal init --journal "$tmp/other.db"
tail -n +2 "$tmp/exported" >"$tmp/lines"
journal import --journal "$tmp/other.db" <"$tmp/lines"
journal import --journal "$tmp/other.db" <"$tmp/lines"
echo '{"reference":' | journal import --journal "$tmp/other.db"
journal purge --before 2999-01-01
journal purge --older-than 99999999999d
journal purge
journal forget order-2
journal allow-key next
journal allow-url https://pay.example
journal schema oracle
for dialect in sqlite postgresql mysql; do
    merchantpay journal schema "$dialect" | grep -c 'CREATE TABLE IF NOT EXISTS merchantpay_attempts ('
done
