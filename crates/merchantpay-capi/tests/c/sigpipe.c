/* A host with the default SIGPIPE lives on when a service closes the connection that is being written to. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    enum { SIZE = 8 * 1024 * 1024 };
    mpay_client *client = sandbox_client(setting("SERVICE_CLOSES"));
    mpay_receipt *receipt = mpay_receipt_new("order-1");
    struct sigaction action;
    char *data = calloc(SIZE, 1);
    int i;
    CHECK(sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    CHECK(data != NULL);
    EXPECT(mpay_receipt_add_bytes(receipt, "big.pdf", "application/pdf", data, SIZE, ERROR), MPAY_OK, 0);
    for (i = 0; i < 5; i++) EXPECT(mpay_attach_receipt(client, receipt, ERROR), MPAY_TRANSPORT, MPAY_OUTCOME_UNKNOWN);
    CHECK(sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    free(data);
    mpay_receipt_free(receipt);
    mpay_client_free(client);
    return failures() ? 1 : 0;
}
