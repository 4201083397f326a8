#!/bin/sh
# Payments from their creation to their end, by commands that you can repeat. `make demo` runs this script in a sandbox,
# and so does: merchantpay sandbox -- sh examples/demo.sh
set -eu

folder=$(mktemp -d)
steps=0 wrong=0 handed=0 receiver=
trap 'kill $receiver 2>/dev/null; rm -rf "$folder"' EXIT

say() { printf '\n# %s\n' "$*"; }

# step STATUS TEXT COMMAND… shows a command and its output. It must exit with the status, and print the text.
step() {
    expected=$1 text=$2
    shift 2
    printf '\n$ %s\n' "$*"
    status=0
    output=$("$@" 2>&1) || status=$?
    printf '%s\n' "$output"
    steps=$((steps + 1))
    case $status:$output in
    "$expected":*"$text"*) ;;
    *)
        wrong=$((wrong + 1))
        echo "FAILED: exit status $status; expected $expected and $text"
        ;;
    esac
}

# The value of a JSON line's field.
field() { printf '%s\n' "$2" | sed "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/"; }

# Waits for the next webhook that the receiver got, and takes its URL, signature and body from the sandbox's records.
next_webhook() {
    handed=$((handed + 1)) tries=0
    until webhook=$(merchantpay sandbox api "webhooks/$handed" 2>/dev/null) && [ "$(field state "$webhook")" = delivered ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || { echo "no webhook came" >&2; exit 1; }
        sleep 0.1
    done
    url=$(field url "$webhook")
    webhook=$(printf '%s\n' "$webhook" | sed 's/.*"request"://; s/"attemptList".*//')
    signature=$(field signature "$webhook")
    field base64 "$webhook" | base64 -d >"$folder/body"
}

# The handler of a web server does this with each webhook. The answer says what to answer the service.
hand_over() {
    next_webhook
    step 0 '"httpStatus":200' merchantpay journal receive --path "$url" --signature "$signature" <"$folder/body"
}

# Confirms a payment, waits for its end, and takes the news of it once.
confirm_and_ship() {
    step 0 accepted merchantpay journal confirm "$1"
    hand_over
    step 0 '"succeeded":true' merchantpay journal wait "$1" --timeout 20s
    step 0 "$1" merchantpay journal news
    news=$(printf '%s\n' "$output" | sed 's/.*"news":\([0-9]*\).*/\1/')
    step 0 '"acknowledged":true' merchantpay journal acknowledge "$1" --attempt 1 --news "$news"
}

export MERCHANTPAY_JOURNAL="$folder/payments.db"
merchantpay webhook listen --port 0 >"$folder/webhooks" &
receiver=$!
until grep -qs listening "$folder/webhooks"; do sleep 0.1; done
MERCHANTPAY_CALLBACK_URL=$(field listening "$(cat "$folder/webhooks")")callback
export MERCHANTPAY_CALLBACK_URL

say "Which amounts could be paid now"
step 0 availableAmounts merchantpay available --sum 1500.50 --payment-method sbp

say "A shop takes a payment for its order-1017. The journal keeps it in a file: whatever is done twice, the payment is one"
pay="--payment-method sbp --customer-account 79001234567"
step 0 payments.db merchantpay journal init
# shellcheck disable=SC2086
step 0 payeeAccount merchantpay journal pay --reference order-1017 --sum 1500.50 $pay
# shellcheck disable=SC2086
step 0 payeeAccount merchantpay journal pay --reference order-1017 --sum 1500.50 $pay
step 0 '"newPayment":1' merchantpay sandbox api /
say "The customer has paid. The service calls back, and there are news: ship it, once"
confirm_and_ship order-1017

say "The next payment is made, but the service's reply is lost on its way: a cut cable, a crash, a restart. The shop must"
say "not take a second payment, and does not know the first one's order id"
step 0 dropAfterCommit merchantpay sandbox faults add drop-after-commit --operation newPaymentAsync
# shellcheck disable=SC2086
step 4 unknown merchantpay journal pay --async --reference order-1018 --sum 100 $pay
# shellcheck disable=SC2086
step 4 unknown merchantpay journal pay --async --reference order-1018 --sum 100 $pay
step 0 '"newPaymentAsync":1' merchantpay sandbox api /
say "The service calls back. The URL is order-1018's alone, so the payment is found"
hand_over
step 0 payeeAccount merchantpay journal show order-1018
confirm_and_ship order-1018

say "Without the journal: the operations one by one. The credentials come by webhook"
step 0 orderId merchantpay new-async --sum 2000 --payment-method card --customer-account 2200000000000004 \
    --credentials-webhook-url "$MERCHANTPAY_CALLBACK_URL" --status-webhook-url "$MERCHANTPAY_CALLBACK_URL"
order=$(field orderId "$output")
next_webhook
step 0 '"kind":"credentials"' merchantpay webhook verify --signature "$signature" <"$folder/body"
step 0 "$order" merchantpay confirm "$order"
next_webhook
step 0 doneSuccess merchantpay webhook verify --signature "$signature" <"$folder/body"

say "A payment that is disputed: the service asks for a receipt"
step 0 payeeAccount merchantpay new --sum 999.99 --payment-method sbp --customer-account arbitration
order=$(field orderId "$output")
step 0 "$order" merchantpay confirm "$order"
tries=0
while [ "$(field status "$(merchantpay status "$order")")" = pending ] && [ "$tries" -lt 200 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
step 0 receiptRequired merchantpay status "$order"
printf '%%PDF-1.4\n%% a receipt of the demonstration\n%%%%EOF\n' >"$folder/receipt.pdf"
step 0 "$order" merchantpay attach-receipt "$order" "$folder/receipt.pdf"
step 0 doneSuccess merchantpay status "$order" --wait --timeout 20s

say "What is refused, and what is not verified"
step 1 payment_could_not_be_canceled merchantpay cancel "$order"
step 0 wrongKey merchantpay sandbox faults add wrong-key --operation getStatus
step 4 unverified merchantpay status "$order"

printf '\n%s of %s steps went as expected.\n' $((steps - wrong)) "$steps"
[ "$wrong" = 0 ]
