/* A journal over a host's database. */
#include "../journal.h"

static void an_acknowledgement_in_the_hosts_transaction_fails_the_second_time(void) {
    struct host host = host_open();
    mpay_client *client = sandbox_client(NULL);
    mpay_journal *journal = host_journal(client, &host);
    mpay_payment_request *request = good_request();
    mpay_entry *entry = NULL;
    int32_t changed = 0;
    EXPECT(mpay_journal_pay(journal, "transaction-1", request, 0, &entry, ERROR), MPAY_OK, 0);
    host_execute(&host, "BEGIN");
    EXPECT(mpay_journal_acknowledge_with(journal, entry, run_statement, &host, &changed, ERROR), MPAY_OK, 0);
    CHECK(changed == 1);
    EXPECT(mpay_journal_acknowledge_with(journal, entry, run_statement, &host, &changed, ERROR), MPAY_CONFLICT, MPAY_OUTCOME_NOT_SENT);
    CHECK(changed == 0);
    host_execute(&host, "COMMIT");
    mpay_entry_free(entry);
    mpay_payment_request_free(request);
    mpay_journal_free(journal);
    mpay_client_free(client);
    host_close(&host);
}

static void a_callback_that_fails_sends_nothing_twice(void) {
    /* Each fault hits two INSERTs, then in a new journal two UPDATEs, then two SELECTs. */
    static const char *const words[] = {"INSERT", "UPDATE", "SELECT"};
    int fault;
    size_t word;
    for (fault = FAULT_UNCLEAR; fault < FAULTS; fault++) {
        for (word = 0; word < sizeof words / sizeof *words; word++) {
            struct host host = host_open();
            mpay_client *client = sandbox_client(NULL);
            mpay_journal *journal = host_journal(client, &host);
            mpay_payment_request *request = good_request();
            mpay_entry *entry = NULL, *again = NULL;
            int32_t code;
            host.journal = journal;
            host.word = words[word];
            host.fault = fault;
            host.left = 2;
            code = mpay_journal_pay(journal, "fault-1", request, 0, &entry, NULL);
            CHECK(code == MPAY_OK || code == MPAY_STORAGE);
            host.left = 0;
            EXPECT(mpay_journal_pay(journal, "fault-1", request, 0, &again, ERROR), MPAY_OK, 0);
            CHECK(mpay_entry_attempt(again) == 1);
            CHECK(entry == NULL || mpay_entry_order_id(entry) == NULL || same(mpay_entry_order_id(entry), mpay_entry_order_id(again)));
            mpay_entry_free(again);
            mpay_entry_free(entry);
            mpay_payment_request_free(request);
            mpay_journal_free(journal);
            mpay_client_free(client);
            host_close(&host);
        }
    }
}

void journal_database(void) {
    RUN(an_acknowledgement_in_the_hosts_transaction_fails_the_second_time);
    RUN(a_callback_that_fails_sends_nothing_twice);
}
