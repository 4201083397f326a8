#include "journal.h"

#include "_cgo_export.h"

#include <string.h>

/* The call that this thread is in. A call runs its statements on its own thread. */
static _Thread_local uintptr_t current_call;

static uintptr_t enter(uintptr_t call) {
    uintptr_t outer = current_call;
    current_call = call;
    return outer;
}

static int32_t MPAY_CALL run_statement(void *user_data, const char *sql, const char *const *parameters, size_t count, mpay_rows *out) {
    return merchantpayGoStatement((uintptr_t)user_data, current_call, (char *)sql, (char **)parameters, count, out);
}

int32_t bridge_journal_config_set_database(mpay_journal_config *config, int32_t dialect, uintptr_t handle) {
    int32_t placeholders = dialect == MPAY_DIALECT_POSTGRESQL ? MPAY_PLACEHOLDERS_NUMBERED : MPAY_PLACEHOLDERS_QUESTION;
    return mpay_journal_config_set_database(config, dialect, placeholders, run_statement, (void *)handle, NULL);
}

mpay_error *bridge_journal_open(const mpay_client *client, const mpay_journal_config *config, mpay_journal **out) {
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_open(client, config, out, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_derive(const mpay_journal *journal, mpay_journal **out) {
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_derive(journal, out, &failure);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_pay(const mpay_journal *journal, uintptr_t call, int32_t what, const char *reference, const char *base,
                               const int64_t *at, uint32_t replace, mpay_entry **out) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code;
    mpay_payment_request *request = mpay_payment_request_new();
    bridge_set_request(request, base, at);
    if (what == BRIDGE_PAY) code = mpay_journal_pay(journal, reference, request, replace, out, &failure);
    else code = mpay_journal_pay_async(journal, reference, request, replace, out, &failure);
    mpay_payment_request_free(request);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_instruct(const mpay_journal *journal, uintptr_t call, int32_t what, const mpay_entry *entry, mpay_entry **out) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code;
    if (what == BRIDGE_CONFIRM_ENTRY) code = mpay_journal_confirm(journal, entry, out, &failure);
    else code = mpay_journal_cancel(journal, entry, out, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

struct bridge_received bridge_journal_receive(const mpay_journal *journal, uintptr_t call, const char *path, const void *body, size_t len,
                                              const char *signature, const char *key_id) {
    uintptr_t outer = enter(call);
    struct bridge_received received = {NULL, NULL, 0};
    int32_t code =
        mpay_journal_receive(journal, path, body, len, signature, key_id, &received.http_status, &received.entry, &received.failure);
    enter(outer);
    received.failure = bridge_failure(code, received.failure);
    return received;
}

struct bridge_settled bridge_journal_settle(const mpay_journal *journal, uintptr_t call, uint32_t limit) {
    uintptr_t outer = enter(call);
    struct bridge_settled settled = {NULL, -1, 0};
    int32_t code = mpay_journal_settle(journal, limit, &settled.done, &settled.next_due_ms, &settled.failure);
    enter(outer);
    settled.failure = bridge_failure(code, settled.failure);
    return settled;
}

mpay_error *bridge_journal_wait(const mpay_journal *journal, uintptr_t call, const char *reference, uint32_t timeout_ms, int32_t until,
                                mpay_entry **out) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_wait(journal, reference, timeout_ms, until, out, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_find(const mpay_journal *journal, uintptr_t call, const char *reference, mpay_entry **out) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_find(journal, reference, out, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_list(const mpay_journal *journal, uintptr_t call, int32_t standing, uint32_t limit, const mpay_entry *before,
                                mpay_entries **out) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_list(journal, standing, limit, before, out, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_news(const mpay_journal *journal, uintptr_t call, uint32_t limit, uint32_t claim_ms, mpay_entries **out) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_news(journal, limit, claim_ms, out, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_attention(const mpay_journal *journal, uintptr_t call, uint32_t limit, mpay_entries **out) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_attention(journal, limit, out, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_acknowledge(const mpay_journal *journal, uintptr_t call, const mpay_entry *entry, int32_t *changed) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_acknowledge(journal, entry, changed, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_acknowledge_with(const mpay_journal *journal, uintptr_t call, const mpay_entry *entry, uintptr_t transaction) {
    uintptr_t outer = enter(call);
    int32_t changed = 0; /* It fails where nothing was. */
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_acknowledge_with(journal, entry, run_statement, (void *)transaction, &changed, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_resolve(const mpay_journal *journal, uintptr_t call, const mpay_entry *entry, int32_t resolution,
                                   const char *order_id, const char *note) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_resolve(journal, entry, resolution, order_id, note, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

/* A payment's fields, or NULL where there is no payment. */
static const void *fields_of(const mpay_payment *payment, size_t *len) {
    *len = 0;
    return payment == NULL ? NULL : mpay_payment_fields(payment, len);
}

void bridge_read_entry(const mpay_entry *entry, char *buffer, size_t size, struct bridge_entry *out) {
    int32_t code = mpay_entry_error_code(entry);
    const void *texts[BRIDGE_ENTRY_TEXTS] = {
        [BRIDGE_ENTRY_REFERENCE] = mpay_entry_reference(entry),
        [BRIDGE_ENTRY_ORDER_ID] = mpay_entry_order_id(entry),
        [BRIDGE_ENTRY_SUM_ASKED] = mpay_entry_sum_asked(entry),
        [BRIDGE_ENTRY_ERROR_CODE] = code == MPAY_OK ? NULL : mpay_code_name(code),
        [BRIDGE_ENTRY_ERROR_OUTCOME] = code == MPAY_OK ? NULL : mpay_outcome_name(mpay_entry_error_outcome(entry)),
        [BRIDGE_ENTRY_ERROR_DESCRIPTION] = mpay_entry_error_description(entry),
        [BRIDGE_ENTRY_JSON] = mpay_entry_json(entry),
    };
    out->total = 0;
    for (int i = 0; i < BRIDGE_ENTRY_CREDENTIALS; i++) out->lens[i] = texts[i] == NULL ? 0 : strlen(texts[i]);
    texts[BRIDGE_ENTRY_CREDENTIALS] = fields_of(mpay_entry_credentials(entry), &out->lens[BRIDGE_ENTRY_CREDENTIALS]);
    texts[BRIDGE_ENTRY_PAYMENT] = fields_of(mpay_entry_payment(entry), &out->lens[BRIDGE_ENTRY_PAYMENT]);
    for (int i = 0; i < BRIDGE_ENTRY_TEXTS; i++) out->total += out->lens[i];
    if (out->total > size) return;
    for (int i = 0; i < BRIDGE_ENTRY_TEXTS; i++) {
        if (out->lens[i] > 0) memcpy(buffer, texts[i], out->lens[i]);
        buffer += out->lens[i];
    }
    out->attempt = mpay_entry_attempt(entry);
    out->is_orphan = mpay_entry_is_orphan(entry);
    out->standing = mpay_entry_standing(entry);
    out->paid = mpay_entry_paid(entry);
    out->succeeded = mpay_entry_succeeded(entry);
    out->confirm = mpay_entry_confirm_state(entry);
    out->cancel = mpay_entry_cancel_state(entry);
    out->reported = mpay_entry_reported(entry);
    out->acknowledged = mpay_entry_acknowledged(entry);
    out->created_at_ms = mpay_entry_created_at_ms(entry);
    out->updated_at_ms = mpay_entry_updated_at_ms(entry);
    out->due_at_ms = mpay_entry_due_at_ms(entry);
    for (size_t place = 0; place < BRIDGE_REASONS; place++) {
        out->reasons[place] = mpay_entry_attention(entry, place);
        if (out->reasons[place] == 0) return;
    }
}

int32_t bridge_rows_add(mpay_rows *rows, const char *base, const int64_t *at, size_t count) {
    const char *values[256]; /* No row of the library has more. */
    if (count > sizeof values / sizeof *values) return mpay_rows_add(rows, NULL, 0);
    for (size_t place = 0; place < count; place++) values[place] = at[place] < 0 ? NULL : base + at[place];
    return mpay_rows_add(rows, values, count);
}
