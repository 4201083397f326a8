/* Settings, TLS, names of numbers, keys and the balance. */
#include "../suite.h"

#include <stdint.h>
#include <string.h>

static void keys_of_the_service_can_be_taken_back(void) {
    mpay_config *config = sandbox_config(NULL);
    mpay_client *client = NULL;
    CHECK(mpay_config_add_server_public_key(config, "c2hvcnQ=") == MPAY_INVALID_KEY);
    CHECK(mpay_config_add_server_key_id(config, NOT_UTF8) == MPAY_INVALID_ARGUMENT);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_KEY, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_clear_server_keys(config) == MPAY_OK && mpay_config_clear_server_keys(NULL) == MPAY_INVALID_ARGUMENT);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_add_server_public_key(config, setting("MERCHANTPAY_SERVER_PUBLIC_KEY")) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    mpay_config_free(config);
}

static void a_number_has_its_name(void) {
    CHECK(same(mpay_code_name(MPAY_INVALID_ARGUMENT), "invalid_argument") && same(mpay_code_name(MPAY_INTERNAL), "internal"));
    CHECK(same(mpay_outcome_name(MPAY_OUTCOME_NOT_SENT), "not_sent") && same(mpay_outcome_name(MPAY_OUTCOME_UNKNOWN), "unknown"));
    CHECK(same(mpay_status_name(MPAY_STATUS_FREE), "free") && same(mpay_status_name(MPAY_STATUS_DONE_FAIL), "doneFail"));
    CHECK(same(mpay_reason_name(MPAY_REASON_INVALID_CURRENCY), "invalid_currency"));
    CHECK(mpay_code_name(MPAY_OK) == NULL && mpay_code_name(INT32_MIN) == NULL && mpay_outcome_name(0) == NULL);
    CHECK(mpay_status_name(0) == NULL && mpay_status_name(INT32_MAX) == NULL && mpay_reason_name(0) == NULL);
    CHECK(mpay_payment_status_code(NULL) == 0 && mpay_error_reason_code(NULL) == 0);
}

static void a_wrong_setting_is_told_at_once_and_once_more_when_it_is_used(void) {
    static const char STRAY_KEY[] = "c2hvcnQ=";
    mpay_config *config = sandbox_config(NULL);
    mpay_client *client = NULL;
    mpay_keypair *pair = NULL;

    CHECK(mpay_config_set_private_key(config, STRAY_KEY) == MPAY_INVALID_KEY);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_KEY, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_private_key(config, setting("MERCHANTPAY_PRIVATE_KEY")) == MPAY_OK);

    CHECK(mpay_config_set_user_agent(config, NOT_UTF8) == MPAY_INVALID_ARGUMENT);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_user_agent(config, "till/7") == MPAY_OK);

    CHECK(mpay_config_set_base_url(config, "ftp://x") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_base_url(config, setting("MERCHANTPAY_BASE_URL")) == MPAY_OK);

    CHECK(mpay_config_set_ca_file(config, "no such file") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_ca_file(config, NULL) == MPAY_OK);
    CHECK(mpay_config_set_ca_pem(config, "no certificate") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_ca_pem(config, NULL) == MPAY_OK);
    CHECK(mpay_config_set_proxy(config, "no proxy") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_proxy(config, NULL) == MPAY_OK);

    CHECK(mpay_config_set_timeout_ms(config, 0) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_timeout_ms(config, UINT32_MAX) == MPAY_OK);
    CHECK(mpay_config_set_connect_timeout_ms(config, 0) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_connect_timeout_ms(config, UINT32_MAX) == MPAY_OK);
    CHECK(mpay_config_set_reuse_idle_ms(config, UINT32_MAX) == MPAY_OK && mpay_config_set_connect_idle_ms(config, 0) == MPAY_OK);
    CHECK(mpay_config_set_max_retries(config, UINT32_MAX) == MPAY_OK);
    CHECK(mpay_config_set_max_reply_bytes(config, UINT64_MAX) == MPAY_OK);

    EXPECT(mpay_keypair_generate(&pair, ERROR), MPAY_OK, 0);
    CHECK(mpay_config_set_public_key(config, mpay_keypair_public_key(pair)) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_KEY, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_public_key(config, NULL) == MPAY_OK);
    CHECK(client == NULL);

    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    CHECK(client != NULL);
    CHECK(mpay_config_add_server_public_key(config, mpay_keypair_public_key(pair)) == MPAY_OK); /* a second key, as during a rotation */
    mpay_client_free(client);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    EXPECT(mpay_client_new(config, NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    mpay_keypair_free(pair);
    mpay_config_free(config);
}

static void plain_http_goes_to_another_machine_only_where_it_is_allowed(void) {
    mpay_config *config = sandbox_config(NULL);
    mpay_client *client = NULL;
    mpay_protocol *protocol = NULL;
    mpay_error *error = NULL;
    CHECK(mpay_config_set_base_url(config, "http://pay.example") == MPAY_OK);
    CHECK(mpay_client_new(config, &client, &error) == MPAY_INVALID_ARGUMENT && client == NULL);
    CHECK(strstr(mpay_error_message(error), "allow_http") != NULL);
    mpay_error_free(error);
    EXPECT(mpay_protocol_new(config, &protocol, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_allow_http(config, 1) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    EXPECT(mpay_protocol_new(config, &protocol, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    mpay_protocol_free(protocol);
    CHECK(mpay_config_set_allow_http(config, 2) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_base_url(config, "https://pay.example") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    EXPECT(mpay_protocol_new(config, &protocol, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_allow_http(config, 0) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    mpay_config_free(config);
}

static void a_wrong_setting_of_tls_is_refused(void) {
    mpay_config *config = sandbox_config("https://pay.example");
    mpay_client *client = NULL;

    CHECK(mpay_config_set_ca_file(config, NULL) == MPAY_OK);
    CHECK(mpay_config_set_exclusive_ca(config, 1) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT); /* no CA is set */
    CHECK(mpay_config_set_exclusive_ca(config, -1) == MPAY_INVALID_ARGUMENT);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_exclusive_ca(config, 0) == MPAY_OK);

    CHECK(mpay_config_set_client_certificate(config, "no such file", "no such file") == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_client_certificate(config, setting("CLIENT_CERTIFICATE"), setting("CLIENT_CERTIFICATE")) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT); /* the file contains no key */
    CHECK(mpay_config_set_client_certificate(config, "no key", NULL) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_client_certificate(config, NULL, "no certificate") == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_client_certificate(config, NOT_UTF8, "x") == MPAY_INVALID_ARGUMENT);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_client_certificate(config, NULL, NULL) == MPAY_OK);

    CHECK(mpay_config_add_pin_spki(config, setting("SERVICE_PIN")) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    CHECK(mpay_config_add_pin_spki(config, "sha256/short") == MPAY_INVALID_ARGUMENT);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
    mpay_config_free(config);
}

/* Asks the service about an unknown order, and returns the outcome: rejected if the connection was made. */
static int32_t ask(const mpay_config *config) {
    mpay_client *client = NULL;
    mpay_payment *payment = NULL;
    mpay_error *error = NULL;
    int32_t code, outcome;
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    code = mpay_get_status(client, "no-such-order", &payment, &error);
    outcome = mpay_error_outcome(error);
    CHECK(payment == NULL && code == (outcome == MPAY_OUTCOME_REJECTED ? MPAY_REJECTED : MPAY_TRANSPORT));
    /* A retry would get the same certificate, so the error is not transient. */
    CHECK(outcome != MPAY_OUTCOME_NOT_SENT || mpay_error_is_transient(error) == 0);
    mpay_error_free(error);
    mpay_client_free(client);
    return outcome;
}

static void tls_is_with_whom_the_settings_say(void) {
    static const char OTHER_PIN[] = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    mpay_config *config = sandbox_config(setting("SERVICE_MUTUAL_TLS"));

    CHECK(mpay_config_set_ca_file(config, setting("AUTHORITY")) == MPAY_OK);
    CHECK(mpay_config_set_exclusive_ca(config, 1) == MPAY_OK);
    CHECK(mpay_config_set_client_certificate(config, setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY")) == MPAY_OK);
    CHECK(ask(config) == MPAY_OUTCOME_REJECTED);
    CHECK(mpay_config_set_client_certificate(config, NULL, NULL) == MPAY_OK);
    CHECK(ask(config) != MPAY_OUTCOME_REJECTED); /* the service may refuse the connection only after the request was sent */
    CHECK(mpay_config_set_client_certificate(config, setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY")) == MPAY_OK);

    CHECK(mpay_config_set_ca_file(config, setting("CLIENT_CERTIFICATE")) == MPAY_OK); /* a certificate of another CA */
    CHECK(ask(config) == MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_set_ca_file(config, setting("AUTHORITY")) == MPAY_OK);

    CHECK(mpay_config_add_pin_spki(config, OTHER_PIN) == MPAY_OK);
    CHECK(ask(config) == MPAY_OUTCOME_NOT_SENT);
    CHECK(mpay_config_add_pin_spki(config, setting("SERVICE_PIN")) == MPAY_OK);
    CHECK(ask(config) == MPAY_OUTCOME_REJECTED);
    mpay_config_free(config);
}

static void what_a_client_needs_is_named(void) {
    static const char *const names[] = {"base_url", "key_id", "private_key", "server_public_key"};
    size_t set;
    for (set = 0; set < 4; set++) {
        mpay_config *config = mpay_config_new();
        mpay_client *client = NULL;
        mpay_error *error = NULL;
        if (set > 0) mpay_config_set_base_url(config, "https://pay.example");
        if (set > 1) mpay_config_set_key_id(config, "merchant");
        if (set > 2) mpay_config_set_private_key(config, setting("MERCHANTPAY_PRIVATE_KEY"));
        CHECK(mpay_client_new(config, &client, &error) == MPAY_INVALID_ARGUMENT && client == NULL);
        CHECK(strstr(mpay_error_message(error), names[set]) != NULL);
        mpay_error_free(error);
        mpay_config_free(config);
    }
}

static void a_pair_of_keys_is_of_the_contracts_sizes(void) {
    mpay_keypair *pair = NULL;
    EXPECT(mpay_keypair_generate(&pair, ERROR), MPAY_OK, 0);
    CHECK(strlen(mpay_keypair_private_key(pair)) == 88 && strlen(mpay_keypair_public_key(pair)) == 44);
    mpay_keypair_free(pair);
    EXPECT(mpay_keypair_generate(NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
}

static void the_balance_is_exact(void) {
    static const struct {
        const char *sum, *rate;
        int32_t balance;
        uint32_t scale;
        int32_t rounding;
        const char *text;
        int64_t minor;
    } rows[] = {
        {"1500.50", "92.45", MPAY_BALANCE_USDT, 6, MPAY_ROUNDING_HALF_EVEN, "16.230395", MPAY_NO_MINOR},
        {"1500.50", "0.955", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_DOWN, "1432.97", 143297},
        {"1500.50", "0.955", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_UP, "1432.98", 143298},
        {"0.05", "0.1", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_HALF_UP, "0.01", 1},
        {"0.05", "0.1", MPAY_BALANCE_RUB, 2, 0, NULL, 0},
        {"0.05", "0.1", MPAY_BALANCE_RUB, 2, 5, NULL, 0},
        {"0.05", "0.1", MPAY_BALANCE_RUB, 2, INT32_MIN, NULL, 0},
        {"0.05", "0.1", 0, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"0.05", "0.1", 3, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"0.05", "0.1", INT32_MAX, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"0.05", "0.1", MPAY_BALANCE_RUB, UINT32_MAX, MPAY_ROUNDING_UP, NULL, 0},
        {"0,05", "0.1", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"1e999999999999", "0.1", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"1", "0", MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP, NULL, 0},
        {NULL, "1", MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP, NULL, 0},
        {"1", NULL, MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP, NULL, 0},
        {NOT_UTF8, "1", MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP, NULL, 0},
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        mpay_amount *amount = NULL;
        EXPECT(mpay_to_balance(rows[i].sum, rows[i].rate, rows[i].balance, rows[i].scale, rows[i].rounding, &amount, ERROR),
               rows[i].text ? MPAY_OK : MPAY_INVALID_ARGUMENT, rows[i].text ? 0 : MPAY_OUTCOME_NOT_SENT);
        CHECK(same(mpay_amount_text(amount), rows[i].text));
        CHECK(mpay_amount_minor(amount) == (rows[i].text ? rows[i].minor : MPAY_NO_MINOR));
        mpay_amount_free(amount);
    }
    EXPECT(mpay_to_balance("1", "1", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_UP, NULL, ERROR), MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_NOT_SENT);
}

void suite_settings(void) {
    RUN(keys_of_the_service_can_be_taken_back);
    RUN(a_number_has_its_name);
    RUN(a_wrong_setting_is_told_at_once_and_once_more_when_it_is_used);
    RUN(plain_http_goes_to_another_machine_only_where_it_is_allowed);
    RUN(a_wrong_setting_of_tls_is_refused);
    RUN(tls_is_with_whom_the_settings_say);
    RUN(what_a_client_needs_is_named);
    RUN(a_pair_of_keys_is_of_the_contracts_sizes);
    RUN(the_balance_is_exact);
}
