#include "journal.h"

#include "_cgo_export.h"

/* The call that runs on this thread. The statements of a call run on the thread of the call. */
static _Thread_local uintptr_t current_call;

static uintptr_t enter(uintptr_t call) {
    uintptr_t outer = current_call;
    current_call = call;
    return outer;
}

static int32_t MPAY_CALL run_statement(void *user_data, const char *sql, const char *const *parameters, size_t count, mpay_rows *out) {
    return merchantpayGoStatement((uintptr_t)user_data, current_call, (char *)sql, (char **)parameters, count, out);
}

mpay_error *bridge_journal_config_set(mpay_journal_config *config, const char *name, const char *text) {
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_config_set(config, name, text, &failure);
    return bridge_failure(code, failure);
}

int32_t bridge_journal_config_set_database(mpay_journal_config *config, int32_t dialect, uintptr_t handle) {
    int32_t placeholders = dialect == MPAY_DIALECT_POSTGRESQL ? MPAY_PLACEHOLDERS_NUMBERED : MPAY_PLACEHOLDERS_QUESTION;
    return mpay_journal_config_set_database(config, dialect, placeholders, run_statement, (void *)handle, bridge_release);
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

mpay_error *bridge_journal_instruct_by(const mpay_journal *journal, uintptr_t call, int32_t what, const char *reference, uint32_t attempt,
                                       mpay_entry **out) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code;
    if (what == BRIDGE_CONFIRM_ENTRY) code = mpay_journal_confirm_by(journal, reference, attempt, out, &failure);
    else code = mpay_journal_cancel_by(journal, reference, attempt, out, &failure);
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

mpay_error *bridge_journal_stats(const mpay_journal *journal, uintptr_t call, mpay_stats **out) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_stats(journal, out, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

struct bridge_counted bridge_journal_purge(const mpay_journal *journal, uintptr_t call, int64_t before_ms) {
    uintptr_t outer = enter(call);
    struct bridge_counted counted = {NULL, 0};
    int32_t code = mpay_journal_purge(journal, before_ms, &counted.count, &counted.failure);
    enter(outer);
    counted.failure = bridge_failure(code, counted.failure);
    return counted;
}

struct bridge_counted bridge_journal_forget(const mpay_journal *journal, uintptr_t call, const char *reference) {
    uintptr_t outer = enter(call);
    struct bridge_counted counted = {NULL, 0};
    int32_t code = mpay_journal_forget(journal, reference, &counted.count, &counted.failure);
    enter(outer);
    counted.failure = bridge_failure(code, counted.failure);
    return counted;
}

mpay_error *bridge_journal_export(const mpay_journal *journal, uintptr_t call, mpay_export **out) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_export(journal, out, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_export_next(const mpay_export *lines, uintptr_t call) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code = mpay_export_next(lines, NULL, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_import(const mpay_journal *journal, uintptr_t call, const char *line, int32_t *imported) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code = mpay_journal_import(journal, line, imported, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_operate(const mpay_journal *journal, uintptr_t call, int32_t what, const char *text) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code;
    if (what == BRIDGE_PAUSE) code = mpay_journal_pause(journal, text, &failure);
    else if (what == BRIDGE_RESUME) code = mpay_journal_resume(journal, text, &failure);
    else code = mpay_journal_backup(journal, text, &failure);
    enter(outer);
    return bridge_failure(code, failure);
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

mpay_error *bridge_journal_acknowledge(const mpay_journal *journal, uintptr_t call, const mpay_entry *entry, uintptr_t transaction,
                                       int32_t *changed) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code;
    if (transaction == 0) code = mpay_journal_acknowledge(journal, entry, changed, &failure);
    else code = mpay_journal_acknowledge_with(journal, entry, run_statement, (void *)transaction, changed, &failure);
    enter(outer);
    return bridge_failure(code, failure);
}

mpay_error *bridge_journal_acknowledge_by(const mpay_journal *journal, uintptr_t call, const char *reference, uint32_t attempt,
                                          int32_t level, uintptr_t transaction, int32_t *changed) {
    uintptr_t outer = enter(call);
    mpay_error *failure = NULL;
    int32_t code;
    if (transaction == 0) code = mpay_journal_acknowledge_by(journal, reference, attempt, level, changed, &failure);
    else code = mpay_journal_acknowledge_by_with(journal, reference, attempt, level, run_statement, (void *)transaction, changed, &failure);
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

int32_t bridge_rows_add(mpay_rows *rows, const char *base, const int64_t *at, size_t count) {
    const char *values[256]; /* No row of the library has more values. */
    if (count > sizeof values / sizeof *values) return mpay_rows_add(rows, NULL, 0);
    for (size_t place = 0; place < count; place++) values[place] = at[place] < 0 ? NULL : base + at[place];
    return mpay_rows_add(rows, values, count);
}
