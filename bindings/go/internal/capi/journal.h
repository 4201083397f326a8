/* The bridge between Go's journal and merchantpay.h, by the rules of bridge.h. */
#ifndef MERCHANTPAY_GO_JOURNAL_H
#define MERCHANTPAY_GO_JOURNAL_H

#include "bridge.h"

/* The functions that create a payment. */
enum { BRIDGE_PAY, BRIDGE_PAY_ASYNC };

/* The operations on an entry. */
enum { BRIDGE_CONFIRM_ENTRY, BRIDGE_CANCEL_ENTRY };

/* The result of receiving a webhook. */
struct bridge_received {
    mpay_entry *entry;
    mpay_error *failure;
    int32_t http_status;
};

/* The number of rows whose details were deleted. */
struct bridge_counted {
    mpay_error *failure;
    uint64_t count;
};

/* The operations with one text argument: a note, or the path of a copy. */
enum { BRIDGE_PAUSE, BRIDGE_RESUME, BRIDGE_BACKUP };

struct bridge_settled {
    mpay_error *failure;
    int64_t next_due_ms;
    uint32_t done;
};

mpay_error *bridge_journal_config_set(mpay_journal_config *config, const char *name, const char *text);
/* The argument handle is a cgo.Handle of the Go object that runs statements. The library releases the handle. */
int32_t bridge_journal_config_set_database(mpay_journal_config *config, int32_t dialect, uintptr_t handle);
mpay_error *bridge_journal_open(const mpay_client *client, const mpay_journal_config *config, mpay_journal **out);
mpay_error *bridge_journal_derive(const mpay_journal *journal, mpay_journal **out);

/* In the following functions the argument call is a cgo.Handle or 0. The statements of the call get this
 * handle. */
mpay_error *bridge_journal_pay(const mpay_journal *journal, uintptr_t call, int32_t what, const char *reference, const char *base,
                               const int64_t *at, uint32_t replace, mpay_entry **out);
mpay_error *bridge_journal_instruct(const mpay_journal *journal, uintptr_t call, int32_t what, const mpay_entry *entry, mpay_entry **out);
mpay_error *bridge_journal_instruct_by(const mpay_journal *journal, uintptr_t call, int32_t what, const char *reference, uint32_t attempt,
                                       mpay_entry **out);
struct bridge_received bridge_journal_receive(const mpay_journal *journal, uintptr_t call, const char *path, const void *body, size_t len,
                                              const char *signature, const char *key_id);
struct bridge_settled bridge_journal_settle(const mpay_journal *journal, uintptr_t call, uint32_t limit);
mpay_error *bridge_journal_wait(const mpay_journal *journal, uintptr_t call, const char *reference, uint32_t timeout_ms, int32_t until,
                                mpay_entry **out);
mpay_error *bridge_journal_find(const mpay_journal *journal, uintptr_t call, const char *reference, mpay_entry **out);
mpay_error *bridge_journal_list(const mpay_journal *journal, uintptr_t call, int32_t standing, uint32_t limit, const mpay_entry *before,
                                mpay_entries **out);
mpay_error *bridge_journal_news(const mpay_journal *journal, uintptr_t call, uint32_t limit, uint32_t claim_ms, mpay_entries **out);
mpay_error *bridge_journal_attention(const mpay_journal *journal, uintptr_t call, uint32_t limit, mpay_entries **out);
/* The argument transaction is 0, or a cgo.Handle of the Go object that runs statements in the merchant's own
 * transaction. */
mpay_error *bridge_journal_acknowledge(const mpay_journal *journal, uintptr_t call, const mpay_entry *entry, uintptr_t transaction,
                                       int32_t *changed);
mpay_error *bridge_journal_acknowledge_by(const mpay_journal *journal, uintptr_t call, const char *reference, uint32_t attempt,
                                          int32_t level, uintptr_t transaction, int32_t *changed);
mpay_error *bridge_journal_resolve(const mpay_journal *journal, uintptr_t call, const mpay_entry *entry, int32_t resolution,
                                   const char *order_id, const char *note);

mpay_error *bridge_journal_stats(const mpay_journal *journal, uintptr_t call, mpay_stats **out);
struct bridge_counted bridge_journal_purge(const mpay_journal *journal, uintptr_t call, int64_t before_ms);
struct bridge_counted bridge_journal_forget(const mpay_journal *journal, uintptr_t call, const char *reference);
mpay_error *bridge_journal_export(const mpay_journal *journal, uintptr_t call, mpay_export **out);
mpay_error *bridge_export_next(const mpay_export *lines, uintptr_t call);
mpay_error *bridge_journal_import(const mpay_journal *journal, uintptr_t call, const char *line, int32_t *imported);
mpay_error *bridge_journal_operate(const mpay_journal *journal, uintptr_t call, int32_t what, const char *text);

/* Adds a row. Its values are NUL-terminated texts in base, each at its offset; the offset -1 means SQL's NULL. */
int32_t bridge_rows_add(mpay_rows *rows, const char *base, const int64_t *at, size_t count);

#endif
