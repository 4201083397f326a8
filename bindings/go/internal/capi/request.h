#ifndef MERCHANTPAY_GO_REQUEST_H
#define MERCHANTPAY_GO_REQUEST_H

#include <merchantpay.h>

/* Texts of a payment request, in the order of the definition. */
enum {
    /* generated: begin texts */
    BRIDGE_SUM,
    BRIDGE_CURRENCY,
    BRIDGE_PAYMENT_METHOD,
    BRIDGE_CUSTOMER_ACCOUNT,
    BRIDGE_STATUS_WEBHOOK_URL,
    BRIDGE_CREDENTIALS_WEBHOOK_URL,
    BRIDGE_PAYER_BANK,
    BRIDGE_MERCHANT_ID,
    BRIDGE_SUM_DRIFT_UP,
    BRIDGE_SUM_DRIFT_DOWN,
    /* generated: end */
    BRIDGE_REQUEST_TEXTS
};

/* Sets the texts of a request: NUL-terminated at base + at[i], or absent if at[i] is negative. The function
   that uses the request reports an invalid text. */
void bridge_set_request(mpay_payment_request *request, const char *base, const int64_t *at);

#endif
