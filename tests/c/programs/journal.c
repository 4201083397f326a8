/* What the contract's cases cannot see of the journal in C: who owns what, and NULL. The driver (../tests/memory.rs) passes the services by
   environment variables and runs this program alone, behind TLS, under valgrind and with sanitizers. */
#include "../../contract/adapters/c/calls.h"
#include "check.h"

#include <string.h>

/* Longer than valgrind needs on a busy machine. */
enum { PATIENCE_MS = 120000 };

RULE(entries_outlive_client_config_and_journal) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = journal_in("owned.db", client), *derived = NULL;
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL, *confirmed = NULL, *final = NULL;
    mpay_entries *news = NULL, *page = NULL;
    mpay_stats *stats = NULL;
    int32_t acknowledged = 7;
    mpay_client_free(client); /* the journal keeps what it needs */
    EXPECT(mpay_journal_derive(journal, &derived, ERROR), MPAY_OK, 0);
    mpay_journal_free(journal); /* and so does a derived one */
    EXPECT(mpay_journal_pay(derived, "owned-1", request, &entry, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_confirm(derived, "owned-1", 1, &confirmed, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_wait(derived, "owned-1", PATIENCE_MS, MPAY_UNTIL_FINAL, &final, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_news(derived, 10, &news, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_list(derived, MPAY_STANDING_FINAL, 10, "owned-1", mpay_entry_created_at_ms(final), &page, ERROR), MPAY_OK, 0);
    CHECK(mpay_entries_count(news) == 1 && mpay_entries_get(news, 1) == NULL && mpay_entries_count(page) == 0);
    EXPECT(mpay_journal_acknowledge(derived, "owned-1", 1, mpay_entry_news(final), &acknowledged, ERROR), MPAY_OK, 0);
    CHECK(acknowledged == 1);
    EXPECT(mpay_journal_acknowledge(derived, "owned-1", 1, mpay_entry_news(final), NULL, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_stats(derived, &stats, ERROR), MPAY_OK, 0);
    mpay_journal_free(derived);
    mpay_payment_request_free(request);

    CHECK(mpay_entry_standing(entry) == MPAY_STANDING_OPEN && mpay_entry_intent(confirmed) == MPAY_INTENT_CONFIRM);
    CHECK(same(mpay_payment_order_id(mpay_entry_credentials(entry)), mpay_entry_order_id(entry)) && mpay_entry_succeeded(final));
    CHECK(mpay_entry_acknowledge_sql(entry, MPAY_STYLE_DOLLAR) && !mpay_entry_acknowledge_sql(entry, 77));
    CHECK(mpay_stats_count(stats, MPAY_STANDING_OPEN) == 0 && mpay_stats_count(stats, 77) == 0 && mpay_stats_json(stats) != NULL);
    the_fields_of_an_entry_are_those_of_the_getters(entry);
    the_fields_of_an_entry_are_those_of_the_getters(final);
    the_fields_of_an_entry_are_those_of_the_getters(mpay_entries_get(news, 0));
    mpay_stats_free(stats);
    mpay_entries_free(page);
    mpay_entries_free(news);
    mpay_entry_free(final);
    mpay_entry_free(confirmed);
    mpay_entry_free(entry);
}

RULE(webhook_may_lack_everything) {
    const char *body = setting("WEBHOOK_BODY"), *signature = setting("WEBHOOK_SIGNATURE");
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = journal_in("orphans.db", client);
    mpay_entries *entries = NULL;
    const mpay_entry *orphan;
    int32_t status = 0;
    CHECK(mpay_journal_receive(journal, NULL, NULL, 0, NULL, NULL, &status, NULL, NULL) == MPAY_UNVERIFIED && status == 400);
    EXPECT(mpay_journal_receive(journal, "/hooks/none", body, strlen(body), signature, NULL, NULL, NULL, ERROR), MPAY_OK, 0);
    EXPECT(mpay_journal_attention(journal, 10, &entries, ERROR), MPAY_OK, 0);
    orphan = mpay_entries_get(entries, 0);
    CHECK(mpay_entry_is_orphan(orphan) && !mpay_entry_reference(orphan) && !mpay_entry_standing(orphan));
    CHECK(mpay_entry_acknowledge_sql(orphan, MPAY_STYLE_QUESTION) == NULL && mpay_entry_created_at_ms(orphan) > 0);
    the_fields_of_an_entry_are_those_of_the_getters(orphan);
    mpay_entries_free(entries);
    mpay_journal_free(journal);
    mpay_client_free(client);
}

RULE(null_is_refused_where_a_value_is_needed) {
    static const char *const without[] = {"open", "stats", "news", "attention", "list", "settle", "receive"};
    static const char *const texts[] = {NULL, "\xff"};
    mpay_client *client = sandbox_client(NULL);
    mpay_payment_request *request = good_request();
    struct values its;
    size_t i, place;
    memset(&its, 0, sizeof its);
    its.journal = journal_in("null.db", client);
    its.wanted = MPAY_UNTIL_FINAL;
    its.attempt = 1;
    for (i = 0; i < 2 * sizeof functions / sizeof *functions; i++) {
        const char *name = functions[i / 2].name;
#define SET(name) its.name = texts[i % 2];
        TEXTS(SET)
        if (strncmp(name, "mpay_journal_", strlen("mpay_journal_")) != 0) continue;
        for (place = 0; place < sizeof without / sizeof *without; place++)
            if (strcmp(name + strlen("mpay_journal_"), without[place]) == 0) break;
        if (place == sizeof without / sizeof *without) REFUSED(functions[i / 2].call(&its, ERROR));
    }
    REFUSED(mpay_journal_wait(its.journal, "null-1", 0, 77, &its.entry, ERROR));
    REFUSED(mpay_journal_list(its.journal, 77, 1, NULL, 0, &its.entries, ERROR));
    REFUSED(mpay_journal_pay(its.journal, "null-1", NULL, &its.entry, ERROR));
    REFUSED(mpay_journal_pay(its.journal, "null-1", request, NULL, ERROR)); /* nobody would know of the payment */
    CHECK(mpay_journal_find(its.journal, "null-1", &its.entry, NULL) == MPAY_OK && its.entry == NULL);
    free_handles(&its);
    mpay_payment_request_free(request);
    mpay_client_free(client);
}

RULE(setting_is_remembered_until_it_is_right) {
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = NULL;
    mpay_journal_config *config = journal_settings("settings.db");
    CHECK(mpay_journal_config_set_callback_url(config, NULL) == MPAY_OK && mpay_journal_config_set_password_file(config, NULL) == MPAY_OK);
    CHECK(mpay_journal_config_add_durability_vouched(config, "fuse") == MPAY_OK &&
          mpay_journal_config_set_connections(config, 2) == MPAY_OK);
    CHECK(mpay_journal_config_set_pay_wait_ms(config, 0) == MPAY_OK && mpay_journal_config_set_timeout_ms(config, 1000) == MPAY_OK);
    REFUSED(mpay_journal_open(client, config, &journal, ERROR)); /* shorter than the service may need */
    CHECK(mpay_journal_config_set_timeout_ms(config, 15000) == MPAY_OK);
    CHECK(mpay_journal_config_set_create(config, 7) == MPAY_INVALID_ARGUMENT);
    REFUSED(mpay_journal_open(client, config, &journal, ERROR));
    CHECK(mpay_journal_config_set_create(config, 1) == MPAY_OK);
    EXPECT(mpay_journal_open(client, config, &journal, ERROR), MPAY_OK, 0);
    mpay_journal_free(journal);
    mpay_journal_config_free(config);
    mpay_client_free(client);
}
