/* Calls that a host makes while its process ends: the thread-local variables of its main thread are destroyed then. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

static mpay_client *client, *by_name;
static mpay_verifier *verifier;

static void use(void) {
    mpay_payment *payment = NULL;
    mpay_event *event = NULL;
    const char *body = setting("WEBHOOK_BODY");
    size_t length = 0;
    while (body[length]) length++;
    EXPECT(mpay_get_status(client, "no-such-order", &payment, ERROR), MPAY_REJECTED, MPAY_OUTCOME_REJECTED);
    EXPECT(mpay_client_connect(client, ERROR), MPAY_OK, 0);
    EXPECT(mpay_confirm(client, "no-such-order", ERROR), MPAY_REJECTED, MPAY_OUTCOME_REJECTED);
    EXPECT(mpay_get_status(by_name, "no-such-order", &payment, ERROR), MPAY_REJECTED, MPAY_OUTCOME_REJECTED);
    EXPECT(mpay_verify_webhook(verifier, body, length, setting("WEBHOOK_SIGNATURE"), setting("MERCHANTPAY_SERVER_KEY_ID"), &event, ERROR),
           MPAY_OK, 0);
    mpay_event_free(event);
}

static void at_the_end(void) {
    mpay_client_free(client);
    mpay_client_free(by_name);
    client = sandbox_client(NULL);
    by_name = sandbox_client(setting("SERVICE_BY_NAME"));
    use();
    use();
    mpay_verifier_free(verifier);
    mpay_client_free(by_name);
    mpay_client_free(client);
    if (failures()) _exit(1);
}

RULE(calls_work_while_the_process_ends) {
    mpay_config *config = sandbox_config(NULL);
    CHECK(atexit(at_the_end) == 0);
    client = sandbox_client(NULL);
    by_name = sandbox_client(setting("SERVICE_BY_NAME"));
    EXPECT(mpay_verifier_new(config, &verifier, ERROR), MPAY_OK, 0);
    mpay_config_free(config);
    use();
}
