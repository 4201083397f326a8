#include "request.h"

static const char *text(const char *base, const int64_t *at, int i) {
    return at[i] < 0 ? NULL : base + at[i];
}

void bridge_set_request(mpay_payment_request *request, const char *base, const int64_t *at) {
    // generated: begin texts
    mpay_payment_request_set_sum(request, text(base, at, BRIDGE_SUM));
    mpay_payment_request_set_currency(request, text(base, at, BRIDGE_CURRENCY));
    mpay_payment_request_set_payment_method(request, text(base, at, BRIDGE_PAYMENT_METHOD));
    mpay_payment_request_set_customer_account(request, text(base, at, BRIDGE_CUSTOMER_ACCOUNT));
    mpay_payment_request_set_status_webhook_url(request, text(base, at, BRIDGE_STATUS_WEBHOOK_URL));
    mpay_payment_request_set_credentials_webhook_url(request, text(base, at, BRIDGE_CREDENTIALS_WEBHOOK_URL));
    mpay_payment_request_set_payer_bank(request, text(base, at, BRIDGE_PAYER_BANK));
    mpay_payment_request_set_merchant_id(request, text(base, at, BRIDGE_MERCHANT_ID));
    mpay_payment_request_set_sum_drift_up(request, text(base, at, BRIDGE_SUM_DRIFT_UP));
    mpay_payment_request_set_sum_drift_down(request, text(base, at, BRIDGE_SUM_DRIFT_DOWN));
    // generated: end
}
