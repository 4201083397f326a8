/* The process forks while a connection is kept alive. Parent and child both continue, and neither gets a reply to the other's request. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 100 };

static void ask(const mpay_client *client, const char *order_id) {
    int i;
    for (i = 0; i < CALLS; i++) {
        mpay_payment *payment = NULL;
        EXPECT(mpay_get_status(client, order_id, &payment, ERROR), MPAY_OK, 0);
        CHECK(same(mpay_payment_order_id(payment), order_id));
        mpay_payment_free(payment);
    }
}

RULE(parent_and_child_get_their_own_replies) {
    mpay_client *client = sandbox_client(NULL);
    char mine[128], yours[128];
    int status = 0;
    pid_t child;
    new_order(client, "79001234567", mine, sizeof mine);
    new_order(client, "79001234567", yours, sizeof yours);
    ask(client, mine); /* the connection is now kept alive */
    child = fork();
    if (child == 0) {
        ask(client, yours);
        mpay_client_free(client);
        _exit(failures() ? 1 : 0);
    }
    ask(client, mine);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ask(client, mine);
    mpay_client_free(client);
}
