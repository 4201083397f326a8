/* Receives webhooks: webhook [COUNT], where COUNT is how many to receive before it ends.
   libmicrohttpd serves HTTP here, on loopback: TLS is the business of the proxy in front of it. */
#include "example.h"

#include <microhttpd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>

/* No webhook of the contract is near it. */
#define LARGEST_BODY 65536

struct receiver {
    const mpay_verifier *verifier;
    unsigned long received;
};

/* One request while it comes in. */
struct request {
    size_t len;
    int too_large;
    int taken;
    char body[LARGEST_BODY];
};

static void print_event(const mpay_event *event) {
    const mpay_payment *payment = mpay_event_payment(event);
    const char *order_id = mpay_payment_order_id(payment);
    switch (mpay_event_kind(event)) {
    case MPAY_EVENT_CREDENTIALS:
        printf("credentials %s pay %s RUB to %s\n", order_id, example_shown(mpay_payment_sum(payment)),
               example_shown(mpay_payment_payee_account(payment)));
        break;
    case MPAY_EVENT_CREDENTIALS_FAILED:
        printf("credentials_failed %s\n", order_id);
        break;
    case MPAY_EVENT_STATUS:
        printf("status %s %s\n", order_id, example_shown(mpay_payment_status(payment)));
        break;
    default: /* A later version of the library may know more kinds. */
        printf("event %s\n", order_id);
        break;
    }
}

/* A header that stands once; a second one would leave it open which of them counts. */
struct header {
    const char *name, *value;
    int times;
};

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    struct header *header = context;
    (void)kind;
    if (strcasecmp(name, header->name) == 0) {
        header->value = value;
        header->times++;
    }
    return MHD_YES;
}

static const char *once(struct MHD_Connection *connection, const char *name) {
    struct header header = {name, NULL, 0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &header);
    return header.times > 1 ? "" : header.value;
}

/* Verifies one webhook or refuses it, and gives the HTTP status to answer. The same event may come again: a shop handles it once. */
static unsigned int receive(const struct receiver *receiver, struct MHD_Connection *connection, struct request *request) {
    if (request->too_large) {
        printf("refused too_large\n");
        return MHD_HTTP_BAD_REQUEST;
    }
    const char *signature = once(connection, "X-Signature");
    const char *key_id = once(connection, "X-KeyId");
    mpay_event *event = NULL;
    mpay_error *error = NULL;
    /* The bytes as they came: a parser in between would make other bytes of them. */
    if (mpay_verify_webhook(receiver->verifier, request->body, request->len, signature, key_id, &event, &error) != MPAY_OK) {
        printf("refused %s\n", mpay_error_code_name(error));
        mpay_error_free(error);
        return MHD_HTTP_BAD_REQUEST;
    }
    print_event(event);
    mpay_event_free(event);
    request->taken = 1;
    return MHD_HTTP_OK;
}

/* Called once for the headers, for each piece of the body, and once behind it. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
                              const char *data, size_t *len, void **state) {
    (void)url, (void)version;
    struct request *request = *state;
    if (request == NULL) {
        request = malloc(sizeof *request);
        if (request == NULL) return MHD_NO;
        request->len = 0;
        request->too_large = request->taken = 0;
        *state = request;
        return MHD_YES;
    }
    if (*len > 0) {
        if (*len > sizeof request->body - request->len) {
            request->too_large = 1;
        } else {
            memcpy(request->body + request->len, data, *len);
            request->len += *len;
        }
        *len = 0;
        return MHD_YES;
    }
    const unsigned int status = strcmp(method, "POST") == 0 ? receive(context, connection, request) : MHD_HTTP_METHOD_NOT_ALLOWED;
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) return MHD_NO;
    const enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

/* Called when the answer is out, or the connection broken. */
static void completed(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode how) {
    (void)connection, (void)how;
    struct receiver *receiver = context;
    struct request *request = *state;
    if (request != NULL && request->taken) receiver->received++;
    free(request);
    *state = NULL;
}

int main(int argc, char **argv) {
    const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0; /* 0 is without end. */
    mpay_config *config = example_config();
    mpay_verifier *verifier = NULL;
    mpay_error *error = NULL;
    int ended = EXIT_FAILURE;

    /* Each line at once, also into a pipe. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    /* A caller that hangs up is no reason to end. */
    signal(SIGPIPE, SIG_IGN);

    /* Of the settings it needs the service's public key alone; the others make it stricter. */
    if (mpay_verifier_new(config, &verifier, &error) == MPAY_OK) {
        struct receiver receiver = {verifier, 0};
        struct sockaddr_in address;
        memset(&address, 0, sizeof address);
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        /* One thread: it serves while main runs it. */
        struct MHD_Daemon *server = MHD_start_daemon(0, 0, NULL, NULL, handle, &receiver, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
                                                     MHD_OPTION_NOTIFY_COMPLETED, completed, &receiver, MHD_OPTION_CONNECTION_TIMEOUT, 10u,
                                                     MHD_OPTION_CONNECTION_LIMIT, 100u, MHD_OPTION_END);
        if (server != NULL) {
            printf("listening %u\n", (unsigned int)MHD_get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT)->port);
            enum MHD_Result running = MHD_YES;
            while (running == MHD_YES && (count == 0 || receiver.received < count)) running = MHD_run_wait(server, -1);
            if (running == MHD_YES) ended = EXIT_SUCCESS;
            MHD_stop_daemon(server);
        }
        if (ended != EXIT_SUCCESS) fprintf(stderr, "error: the server cannot serve\n");
    }

    mpay_verifier_free(verifier);
    mpay_config_free(config);
    return example_end(error) == EXIT_SUCCESS ? ended : EXIT_FAILURE;
}
