# Shows each command, its output and its exit status.
run() {
    echo "+ $*"
    "$@" 2>&1 || echo "= $?"
}
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
printf '%%PDF-1.4' >receipt.pdf
echo paid >receipt.txt
of() { printf '%s\n' "$reply" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
new() { merchantpay new --sum 1500.50 --payment-method sbp --customer-account "$1"; }

run merchantpay available --sum 1500.50 --payment-method sbp
run merchantpay new --sum 1500.50 --payment-method sbp --customer-account 79001234567 --payer-bank 100000000111
reply=$(new 79001234567) order=$(of orderId)
run merchantpay status "$order"
run merchantpay confirm "$order"
run merchantpay status "$order" --wait --timeout 30s
run merchantpay cancel "$order"
reply=$(new -5) order=$(of orderId)
run merchantpay cancel "$order"

reply=$(new arbitration) order=$(of orderId)
merchantpay confirm "$order" >/dev/null
until merchantpay status "$order" | grep -q receiptRequired; do sleep 0.05; done
run merchantpay attach-receipt "$order" receipt.pdf receipt.txt
run merchantpay attach-receipt "$order" receipt.pdf
run merchantpay status "$order" --wait --timeout 30s
reply=$(new stays-pending) order=$(of orderId)
run merchantpay status "$order" --wait --timeout 100ms

run merchantpay new --sum 0 --payment-method sbp --customer-account 1
run merchantpay available --sum 1e99 --payment-method sbp
run merchantpay status "$order" --nonsense
run merchantpay status "$order" 79001234567
run merchantpay status "$order" --base-url nowhere
run merchantpay status "$order" --private-key AAAA
run merchantpay status "$order" --timeout 10
run merchantpay sandbox faults add wrong-key
run merchantpay status "$order"
run merchantpay sandbox faults add drop-after-commit
run merchantpay cancel "$order"
run merchantpay confirm "$order" --base-url http://127.0.0.1:1
new 1 2>&1 >/dev/full || echo "= $?"
