/* Receives webhooks by HTTP on loopback, with libmicrohttpd. In production a proxy in front of the server does TLS. Include this file after
   example.h. */
#ifndef RECEIVER_H
#define RECEIVER_H

#include <microhttpd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>

/* The largest body that is accepted, in bytes. Every webhook of the contract is far smaller. */
#define LARGEST_BODY 65536

/* A request. It is complete when `receive` gets it. */
struct webhook {
    const char *path, *signature, *key_id;
    size_t len;
    int too_large;
    unsigned int http_status;
    char body[LARGEST_BODY];
};

struct receiver {
    /* Handles a webhook, and returns the HTTP status of the answer. */
    unsigned int (*receive)(void *context, const struct webhook *webhook);
    void *context;
    /* The number of webhooks that were answered with 200. */
    unsigned long received;
    /* The number of webhooks whose answer is not sent yet. */
    unsigned long unanswered;
    struct MHD_Daemon *server;
    char url[64];
};

static void receiver_fail(const char *why) {
    fprintf(stderr, "error: the receiver %s\n", why);
    exit(EXIT_FAILURE);
}

/* A header, and how many times it appears. A repeated header is treated as invalid, because it is ambiguous. */
struct header {
    const char *name, *value;
    int times;
};

static enum MHD_Result receiver_count(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    struct header *header = context;
    (void)kind;
    if (strcasecmp(name, header->name) == 0) {
        header->value = value;
        header->times++;
    }
    return MHD_YES;
}

static const char *receiver_once(struct MHD_Connection *connection, const char *name) {
    struct header header = {name, NULL, 0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, receiver_count, &header);
    return header.times > 1 ? "" : header.value;
}

/* libmicrohttpd calls this function once for the headers, once for each piece of the body, and once after the body. */
static enum MHD_Result receiver_handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                                       const char *version, const char *data, size_t *len, void **state) {
    (void)version;
    struct receiver *receiver = context;
    struct webhook *webhook = *state;
    if (webhook == NULL) {
        webhook = malloc(sizeof *webhook);
        if (webhook == NULL) return MHD_NO;
        webhook->len = 0;
        webhook->too_large = 0;
        webhook->http_status = 0;
        *state = webhook;
        return MHD_YES;
    }
    if (*len > 0) {
        if (*len > sizeof webhook->body - webhook->len) {
            webhook->too_large = 1;
        } else {
            memcpy(webhook->body + webhook->len, data, *len);
            webhook->len += *len;
        }
        *len = 0;
        return MHD_YES;
    }
    webhook->path = url;
    webhook->signature = receiver_once(connection, "X-Signature");
    webhook->key_id = receiver_once(connection, "X-KeyId");
    webhook->http_status = strcmp(method, "POST") == 0 ? receiver->receive(receiver->context, webhook) : MHD_HTTP_METHOD_NOT_ALLOWED;
    receiver->unanswered++;
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) return MHD_NO;
    const enum MHD_Result queued = MHD_queue_response(connection, webhook->http_status, response);
    MHD_destroy_response(response);
    return queued;
}

/* libmicrohttpd calls this function after the answer was sent or the connection was broken. */
static void receiver_completed(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode how) {
    (void)connection, (void)how;
    struct receiver *receiver = context;
    struct webhook *webhook = *state;
    if (webhook != NULL && webhook->http_status != 0) receiver->unanswered--;
    if (webhook != NULL && webhook->http_status == MHD_HTTP_OK) receiver->received++;
    free(webhook);
    *state = NULL;
}

/* Listens on a port (NULL for any free port), and returns the URL for webhooks. */
static const char *receiver_listen(struct receiver *receiver, const char *port) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port != NULL ? (uint16_t)strtoul(port, NULL, 10) : 0);
    /* From now on stdout writes each line immediately, also to a pipe. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    /* A sender that closes its connection must not end the program. */
    signal(SIGPIPE, SIG_IGN);
    /* The receiver has no thread: `serve` answers requests, and later requests wait in the listener's queue. */
    receiver->server = MHD_start_daemon(0, 0, NULL, NULL, receiver_handle, receiver, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
                                        MHD_OPTION_NOTIFY_COMPLETED, receiver_completed, receiver, MHD_OPTION_CONNECTION_TIMEOUT, 10u,
                                        MHD_OPTION_CONNECTION_LIMIT, 100u, MHD_OPTION_END);
    if (receiver->server == NULL) receiver_fail("cannot listen");
    const unsigned int listening = MHD_get_daemon_info(receiver->server, MHD_DAEMON_INFO_BIND_PORT)->port;
    printf("listening %u\n", listening);
    snprintf(receiver->url, sizeof receiver->url, "http://127.0.0.1:%u/hooks", listening);
    return receiver->url;
}

/* Serves requests for at most this many milliseconds; -1 waits for one request. Every accepted request is answered before the function
   returns. */
static void receiver_serve(const struct receiver *receiver, int milliseconds) {
    do {
        if (MHD_run_wait(receiver->server, milliseconds) != MHD_YES) receiver_fail("cannot go on");
    } while (receiver->unanswered > 0);
}

#endif
