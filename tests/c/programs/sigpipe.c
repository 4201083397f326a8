/* A host with the default SIGPIPE survives when a service closes a connection during a write. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Checks that the service breaks the connection: SIGPIPE kills a child process that writes without protection. */
static void a_careless_writer_is_ended(void) {
    static char data[1 << 16];
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        struct sockaddr_in address;
        int tries, connection;
        memset(&address, 0, sizeof address);
        address.sin_family = AF_INET;
        address.sin_port = htons((unsigned short)atoi(setting("SERVICE_CLOSES_PORT")));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        for (tries = 0; tries < 100; tries++) {
            int written;
            connection = socket(AF_INET, SOCK_STREAM, 0);
            if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) _exit(1);
            for (written = 0; written < 1000; written++) {
                if (write(connection, data, sizeof data) < 0) break;
            }
            close(connection);
        }
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
}

RULE(a_broken_pipe_does_not_end_the_host) {
    enum { SIZE = 8 * 1024 * 1024 };
    mpay_client *client = sandbox_client(setting("SERVICE_CLOSES"));
    mpay_receipt *receipt = mpay_receipt_new("order-1");
    struct sigaction action;
    char *data = calloc(SIZE, 1);
    int i;
    CHECK(sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    CHECK(data != NULL);
    a_careless_writer_is_ended();
    memcpy(data, "%PDF-", 5);
    EXPECT(mpay_receipt_add_bytes(receipt, "big.pdf", "application/pdf", data, SIZE, ERROR), MPAY_OK, 0);
    for (i = 0; i < 20; i++) EXPECT(mpay_attach_receipt(client, receipt, ERROR), MPAY_TRANSPORT, MPAY_OUTCOME_UNKNOWN);
    CHECK(sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    free(data);
    mpay_receipt_free(receipt);
    mpay_client_free(client);
}
