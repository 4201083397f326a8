/* Finds a payment again whose reply was lost: recover FILE [PORT], where FILE keeps the orders and PORT is where webhooks come, any
   free one unless given. Run it again with both after a crash: it goes on with the order that is open.
   libmicrohttpd serves HTTP here, on loopback: TLS is the business of the proxy in front of it. What comes while a call is under
   way waits in the listener's queue. */
#include "example.h"

#include <microhttpd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* No webhook of the contract is near it. */
#define LARGEST_BODY 65536
/* A shop has a database. */
#define MOST_ORDERS 1000
#define TOKEN_BYTES 32

/* The file has a line for each: token, sum and order id, which is - while it is not known. */
struct order {
    char token[2 * TOKEN_BYTES + 1], sum[32], order_id[65];
};

struct shop {
    const char *file;
    struct order orders[MOST_ORDERS];
    size_t count;
    const mpay_verifier *verifier;
    /* The order that a webhook has named, and the same once the webhook is answered. */
    const struct order *named, *found;
};

static int is_open(const struct order *order) {
    return strcmp(order->order_id, "-") == 0;
}

static int load(struct shop *shop) {
    FILE *file = fopen(shop->file, "r");
    if (file == NULL) return 0; /* There are none yet. */
    struct order order;
    while (shop->count < MOST_ORDERS && fscanf(file, "%64s %31s %64s", order.token, order.sum, order.order_id) == 3)
        shop->orders[shop->count++] = order;
    const int failed = ferror(file);
    fclose(file);
    return failed;
}

/* All of it or nothing, also if the machine stops here. */
static int save(const struct shop *shop) {
    char beside[4096];
    if (snprintf(beside, sizeof beside, "%s.new", shop->file) >= (int)sizeof beside) return -1;
    FILE *file = fopen(beside, "w");
    if (file == NULL) return -1;
    for (size_t i = 0; i < shop->count; i++)
        fprintf(file, "%s %s %s\n", shop->orders[i].token, shop->orders[i].sum, shop->orders[i].order_id);
    int failed = fflush(file) != 0 || fsync(fileno(file)) != 0 || ferror(file);
    failed |= fclose(file) != 0;
    return failed || rename(beside, shop->file) != 0 ? -1 : 0;
}

/* Gives an order its id: 0, 1 if it has another one or that one is another order's (an old message that is replayed has a good
   signature too), -1 if it cannot be written. */
static int name(struct shop *shop, struct order *order, const char *order_id) {
    if (strlen(order_id) >= sizeof order->order_id || (!is_open(order) && strcmp(order->order_id, order_id) != 0)) return 1;
    for (size_t i = 0; i < shop->count; i++)
        if (&shop->orders[i] != order && strcmp(shop->orders[i].order_id, order_id) == 0) return 1;
    strcpy(order->order_id, order_id);
    return save(shop);
}

/* 32 random bytes: nobody guesses the URL, and no two orders have the same. */
static int make_token(char *token) {
    unsigned char bytes[TOKEN_BYTES];
    FILE *random = fopen("/dev/urandom", "rb");
    if (random == NULL) return -1;
    const size_t read = fread(bytes, 1, sizeof bytes, random);
    fclose(random);
    for (size_t i = 0; i < read; i++) sprintf(token + 2 * i, "%02x", bytes[i]);
    return read == sizeof bytes ? 0 : -1;
}

/* Makes an order and calls for its payment. Says whether its webhook has to be waited for, or -1. */
static int ask_for_payment(const mpay_client *client, struct shop *shop, unsigned int port, mpay_error **error) {
    if (shop->count == MOST_ORDERS) return -1;
    struct order *order = &shop->orders[shop->count];
    if (make_token(order->token) != 0) return -1;
    strcpy(order->sum, "1500.55");
    strcpy(order->order_id, "-");
    shop->count++;
    /* Before the call: what is lost in it has to be found by this. */
    if (save(shop) != 0) return -1;
    printf("stored %s RUB\n", order->sum);

    char url[256];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/hooks/%s", port, order->token);
    mpay_payment_request *request = mpay_payment_request_new();
    mpay_payment_request_set_sum(request, order->sum);
    mpay_payment_request_set_payment_method(request, "sbp");
    mpay_payment_request_set_customer_account(request, "79001234567");
    mpay_payment_request_set_status_webhook_url(request, url);
    mpay_payment *payment = NULL;
    int waiting = 0;
    if (mpay_new_payment(client, request, &payment, error) == MPAY_OK) {
        if (name(shop, order, mpay_payment_order_id(payment)) == 0) {
            printf("order %s\n", mpay_payment_order_id(payment));
        } else {
            waiting = -1; /* This reply is about another order. */
        }
    } else if (mpay_error_outcome(*error) == MPAY_OUTCOME_NOT_SENT || mpay_error_outcome(*error) == MPAY_OUTCOME_REJECTED) {
        /* There is no such payment. */
        shop->count--;
        save(shop);
        waiting = -1;
    } else {
        printf("unknown %s: wait for the webhook\n", mpay_error_code_name(*error));
        mpay_error_free(*error);
        *error = NULL;
        waiting = 1;
    }
    mpay_payment_free(payment);
    mpay_payment_request_free(request);
    return waiting;
}

/* One request while it comes in. */
struct request {
    size_t len;
    char body[LARGEST_BODY];
};

/* Verifies one webhook or refuses it, and gives the HTTP status to answer. */
static unsigned int receive(struct shop *shop, struct MHD_Connection *connection, const char *url, const struct request *request) {
    /* The token says which order is meant. It proves nothing: it stands in logs, and the signature is the proof. */
    struct order *order = NULL;
    for (size_t i = 0; i < shop->count && strncmp(url, "/hooks/", 7) == 0; i++)
        if (strcmp(url + 7, shop->orders[i].token) == 0) order = &shop->orders[i];
    if (order == NULL) return MHD_HTTP_NOT_FOUND;
    const char *signature = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "X-Signature");
    const char *key_id = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "X-KeyId");
    mpay_event *event = NULL;
    mpay_error *error = NULL;
    /* The bytes as they came: a parser in between would make other bytes of them. */
    if (mpay_verify_webhook(shop->verifier, request->body, request->len, signature, key_id, &event, &error) != MPAY_OK) {
        printf("refused %s\n", mpay_error_code_name(error));
        mpay_error_free(error);
        return MHD_HTTP_BAD_REQUEST;
    }
    /* Written before it is answered: a webhook that was taken does not come again. */
    const int named = name(shop, order, mpay_payment_order_id(mpay_event_payment(event)));
    mpay_event_free(event);
    if (named < 0) return MHD_HTTP_INTERNAL_SERVER_ERROR;
    if (named > 0) {
        printf("refused other_order\n");
        return MHD_HTTP_CONFLICT;
    }
    shop->named = order;
    return MHD_HTTP_OK;
}

/* Called once for the headers, for each piece of the body, and once behind it. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
                              const char *data, size_t *len, void **state) {
    (void)version;
    struct request *request = *state;
    if (request == NULL) {
        *state = request = malloc(sizeof *request);
        if (request == NULL) return MHD_NO;
        request->len = 0;
        return MHD_YES;
    }
    if (*len > 0) {
        const size_t room = sizeof request->body - request->len, taken = *len < room ? *len : room;
        memcpy(request->body + request->len, data, taken);
        request->len += taken;
        *len = 0;
        return MHD_YES;
    }
    const unsigned int status = strcmp(method, "POST") == 0 ? receive(context, connection, url, request) : MHD_HTTP_METHOD_NOT_ALLOWED;
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) return MHD_NO;
    const enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

/* Called when the answer is out, or the connection broken. */
static void completed(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode how) {
    (void)connection, (void)how;
    struct shop *shop = context;
    shop->found = shop->named;
    free(*state);
    *state = NULL;
}

/* Opens the receiver, which serves while main runs it, and does the rest. Gives what main is to return. */
static int run(struct shop *shop, const mpay_client *client, unsigned int port, mpay_error **error) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)port);
    struct MHD_Daemon *server =
        MHD_start_daemon(0, 0, NULL, NULL, handle, shop, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED,
                         completed, shop, MHD_OPTION_CONNECTION_TIMEOUT, 10u, MHD_OPTION_CONNECTION_LIMIT, 100u, MHD_OPTION_END);
    if (server == NULL) return EXIT_FAILURE;
    port = MHD_get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT)->port;
    printf("listening %u\n", port);

    const struct order *open = NULL;
    for (size_t i = 0; i < shop->count; i++)
        if (is_open(&shop->orders[i])) open = &shop->orders[i];
    int waiting = 1;
    if (open != NULL) {
        /* The program ended while its call was under way, or before the webhook came: nobody knows whether it took effect. */
        printf("open %s RUB\n", open->sum);
    } else {
        waiting = ask_for_payment(client, shop, port, error);
    }
    int ended = waiting < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    while (waiting > 0 && ended == EXIT_SUCCESS && shop->found == NULL)
        if (MHD_run_wait(server, -1) != MHD_YES) ended = EXIT_FAILURE;
    if (shop->found != NULL) {
        mpay_payment *payment = NULL;
        printf("found %s\n", shop->found->order_id);
        if (mpay_get_status(client, shop->found->order_id, &payment, error) == MPAY_OK)
            example_print("status", mpay_payment_status(payment));
        mpay_payment_free(payment);
    }
    MHD_stop_daemon(server);
    return ended;
}

int main(int argc, char **argv) {
    static struct shop shop;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: recover FILE [PORT]\n");
        return 2;
    }
    mpay_config *config = example_config();
    mpay_client *client = NULL;
    mpay_verifier *verifier = NULL;
    mpay_error *error = NULL;
    int ended = EXIT_FAILURE;

    /* Each line at once, also into a pipe. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    /* A caller that hangs up is no reason to end. */
    signal(SIGPIPE, SIG_IGN);
    shop.file = argv[1];
    if (mpay_client_new(config, &client, &error) == MPAY_OK && mpay_verifier_new(config, &verifier, &error) == MPAY_OK) {
        shop.verifier = verifier;
        if (load(&shop) == 0) ended = run(&shop, client, argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0, &error);
        if (ended != EXIT_SUCCESS && error == NULL) fprintf(stderr, "error: the orders or the receiver do not work\n");
    }
    mpay_verifier_free(verifier);
    mpay_client_free(client);
    mpay_config_free(config);
    return example_end(error) == EXIT_SUCCESS ? ended : EXIT_FAILURE;
}
