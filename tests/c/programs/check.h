/* The parts that the tests in C share: checks that count their failures, and the settings from the driver. */
#ifndef CHECK_H
#define CHECK_H

#include <merchantpay_bindings.h>

void check(int holds, const char *what, const char *file, int line);
#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)

/* The outcome is 0 for a success. Frees the error. */
void expect(int32_t code, mpay_error *error, int32_t wanted_code, int32_t wanted_outcome, const char *file, int line);
#define EXPECT(call, code, outcome)                                                   \
    do {                                                                              \
        mpay_error *expected_error = NULL;                                            \
        int32_t expected_code = (call);                                               \
        expect(expected_code, expected_error, (code), (outcome), __FILE__, __LINE__); \
    } while (0)
#define ERROR (&expected_error)
#define REFUSED(call) EXPECT(call, MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT)

#define NOT_UTF8 "\xff\xfe"

int same(const char *one, const char *other);

/* An environment variable that the driver must set. */
const char *setting(const char *name);

/* NULL for `base_url` means the healthy sandbox. */
mpay_config *sandbox_config(const char *base_url);
mpay_client *sandbox_client(const char *base_url);
mpay_payment_request *good_request(void);
/* At the healthy sandbox; copies the order id to `order_id`. */
void new_order(const mpay_client *client, const char *account, char *order_id, size_t size);

mpay_journal_config *journal_settings(const char *name);
mpay_journal *journal_in(const char *name, const mpay_client *client);

/* Checks that the fields returned together equal the getters' results. */
void the_fields_are_those_of_the_getters(const mpay_payment *payment);
void the_fields_of_an_event_are_those_of_the_getters(const mpay_event *event);
void the_fields_of_an_error_are_those_of_the_getters(const mpay_error *error);
void the_fields_of_an_entry_are_those_of_the_getters(const mpay_entry *entry);
void the_head_is_that_of_the_getters(const mpay_http_request *request);

/* main runs all rules, and prints the name of each and whether it holds. */
struct rule {
    const char *name;
    void (*check)(void);
    struct rule *next;
};
void add(struct rule *rule);
#define RULE(name)                                              \
    static void name(void);                                     \
    __attribute__((constructor)) static void add_##name(void) { \
        static struct rule rule = {#name, name, NULL};          \
        add(&rule);                                             \
    }                                                           \
    static void name(void)

int failures(void);

#endif
