/* The commands of a journal, over a file or SQLite behind a callback. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include <cJSON.h>
#include <merchantpay.h>

/* What a command gives, or NULL and the library's error, or NULL alone for a command that it does not know. */
cJSON *journal_answer(const cJSON *command, mpay_error **error);

/* Of the adapter: settings and requests by their names and texts, results by their names. NULL with an error. */
mpay_config *config_of(const cJSON *settings, mpay_error **error);
mpay_payment_request *request_of(const cJSON *arguments, mpay_error **error);
cJSON *fields_of(const mpay_payment *payment);
cJSON *failure(const mpay_error *error);
char *unhex(const char *hex, size_t *len);

#endif
