/* Versions, names of numbers, settings with functions of their own, and the balance. */
#include "../check.h"

#include <stdint.h>
#include <string.h>

RULE(the_versions_agree) {
    CHECK(same(mpay_version(), MPAY_HEADER_VERSION));
    CHECK(mpay_version_number() == MPAY_HEADER_VERSION_NUMBER);
    CHECK(mpay_abi_version() == MPAY_HEADER_ABI);
}

RULE(a_number_has_its_name) {
    CHECK(same(mpay_code_name(MPAY_INVALID_ARGUMENT), "invalid_argument") && same(mpay_code_name(MPAY_INTERNAL), "internal"));
    CHECK(same(mpay_outcome_name(MPAY_OUTCOME_NOT_SENT), "not_sent") && same(mpay_outcome_name(MPAY_OUTCOME_UNKNOWN), "unknown"));
    CHECK(same(mpay_status_name(MPAY_STATUS_FREE), "free") && same(mpay_status_name(MPAY_STATUS_DONE_FAIL), "doneFail"));
    CHECK(same(mpay_reason_name(MPAY_REASON_INVALID_CURRENCY), "invalid_currency"));
    CHECK(mpay_code_name(MPAY_OK) == NULL && mpay_code_name(INT32_MIN) == NULL && mpay_outcome_name(0) == NULL);
    CHECK(mpay_status_name(0) == NULL && mpay_status_name(INT32_MAX) == NULL && mpay_reason_name(0) == NULL);
    CHECK(same(mpay_attention_name(MPAY_ATTENTION_UNKNOWN), "unknown") && mpay_attention_name(77) == NULL);
}

RULE(wrong_number_is_refused_until_right) {
    mpay_config *config = sandbox_config(NULL);
    mpay_client *client = NULL;
    mpay_error *error = NULL;
    CHECK(mpay_config_set_timeout_ms(config, UINT32_MAX) == MPAY_OK && mpay_config_set_connect_timeout_ms(config, UINT32_MAX) == MPAY_OK);
    CHECK(mpay_config_set_reuse_idle_ms(config, UINT32_MAX) == MPAY_OK && mpay_config_set_connect_idle_ms(config, 0) == MPAY_OK);
    CHECK(mpay_config_set_max_retries(config, UINT32_MAX) == MPAY_OK && mpay_config_set_max_reply_bytes(config, UINT64_MAX) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    CHECK(mpay_config_set_timeout_ms(config, 0) == MPAY_OK);
    REFUSED(mpay_client_new(config, &client, ERROR));
    CHECK(mpay_config_set_timeout_ms(config, 20000) == MPAY_OK);
    CHECK(mpay_config_set_allow_http(config, 2) == MPAY_INVALID_ARGUMENT);
    REFUSED(mpay_client_new(config, &client, ERROR));
    CHECK(mpay_config_set_allow_http(config, 0) == MPAY_OK);
    CHECK(mpay_config_set_exclusive_ca(config, -1) == MPAY_INVALID_ARGUMENT);
    REFUSED(mpay_client_new(config, &client, ERROR));
    CHECK(mpay_config_set_exclusive_ca(config, 0) == MPAY_OK);
    CHECK(mpay_config_set_client_certificate(config, "no key", NULL) == MPAY_INVALID_ARGUMENT);
    CHECK(mpay_config_set_client_certificate(config, NOT_UTF8, "x") == MPAY_INVALID_ARGUMENT);
    REFUSED(mpay_client_new(config, &client, ERROR));
    CHECK(mpay_config_set_client_certificate(config, setting("CERTIFICATE"), setting("RECEIPT")) == MPAY_OK);
    CHECK(mpay_client_new(config, &client, &error) == MPAY_INVALID_ARGUMENT && strstr(mpay_error_message(error), "with a private key"));
    mpay_error_free(error);
    CHECK(mpay_config_set_client_certificate(config, NULL, NULL) == MPAY_OK);
    EXPECT(mpay_client_new(config, &client, ERROR), MPAY_OK, 0);
    mpay_client_free(client);
    mpay_config_free(config);
}

RULE(the_balance_is_exact) {
    static const int32_t unknown[] = {INT32_MIN, 0, 77};
    mpay_amount *amount = NULL;
    size_t i;
    EXPECT(mpay_to_balance("1500.50", "92.45", MPAY_BALANCE_USDT, 6, MPAY_ROUNDING_HALF_EVEN, &amount, ERROR), MPAY_OK, 0);
    CHECK(same(mpay_amount_text(amount), "16.230395") && mpay_amount_minor(amount) == MPAY_NO_MINOR);
    mpay_amount_free(amount);
    EXPECT(mpay_to_balance("1500.50", "0.955", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_UP, &amount, ERROR), MPAY_OK, 0);
    CHECK(same(mpay_amount_text(amount), "1432.98") && mpay_amount_minor(amount) == 143298);
    mpay_amount_free(amount);
    for (i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        REFUSED(mpay_to_balance("1", "1", unknown[i], 2, MPAY_ROUNDING_UP, &amount, ERROR));
        REFUSED(mpay_to_balance("1", "1", MPAY_BALANCE_RUB, 2, unknown[i], &amount, ERROR));
    }
    REFUSED(mpay_to_balance("1", "1", MPAY_BALANCE_RUB, UINT32_MAX, MPAY_ROUNDING_UP, &amount, ERROR));
    REFUSED(mpay_to_balance(NULL, "1", MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP, &amount, ERROR));
    REFUSED(mpay_to_balance("1", NOT_UTF8, MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP, &amount, ERROR));
    REFUSED(mpay_to_balance("1", "1", MPAY_BALANCE_RUB, 2, MPAY_ROUNDING_UP, NULL, ERROR));
    CHECK(amount == NULL);
}
