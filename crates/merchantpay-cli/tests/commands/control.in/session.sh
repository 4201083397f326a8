# Shows each command, its output and its exit status.
run() {
    echo "+ $*"
    "$@" 2>&1 || echo "= $?"
}
of() { printf '%s\n' "$reply" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
sandbox() { run merchantpay sandbox "$@"; }

reply=$(merchantpay new --sum 1500.50 --payment-method sbp --customer-account stays-pending \
    --status-webhook-url http://127.0.0.1:1/hook)
order=$(of orderId)
sandbox api payments?status=pending
sandbox pay "$order" less
sandbox pay "$order" --sum 1400.00
sandbox pay "$order"
sandbox operate "$order" require-receipt
sandbox operate "$order" release
sandbox operate "$order" release
sandbox operate "$order" aprove
printf "%%PDF-1.4" >"$tmp/receipt.pdf"
merchantpay attach-receipt "$order" "$tmp/receipt.pdf" >/dev/null
sandbox api "payments/$order/receipts/1"
echo
sandbox next-webhook "$order" wrong-key --times 2
sandbox next-webhook "$order" --clear
sandbox operate "$order" fail
sandbox api "webhooks?orderId=$order"
sandbox resend 1 delay --delay 9ms
sandbox api exchanges/1
sandbox api payments sum=10 paymentMethod=sbp customerAccount=arbitration
sandbox api payments/sb-none
sandbox api payments amount
sandbox api faults kind=latency latencyMs=5
sandbox faults add drop-after-commit --operation getStatus --probability 0.5 --seed 7
sandbox faults add latency --latency 5ms --times 2
sandbox faults add latency --operation getstatus
sandbox faults add unsigned --latency 5ms
sandbox next-webhook "$order" resend
sandbox resend 1 reorder
sandbox resend 1 delay --delay 999d
sandbox faults
sandbox faults clear 1
sandbox faults clear
sandbox clock 1500ms
sandbox clock
sandbox api payments -X DELETE
sandbox api clock --sandbox http://127.0.0.1:1
run merchantpay story paid-les
run merchantpay story paid-less
run merchantpay check-receiver shop
