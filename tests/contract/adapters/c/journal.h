/* The commands of a journal. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include <cJSON.h>
#include <merchantpay.h>

/* The result of a command. NULL with an error if the library fails; NULL without an error if the command is unknown. */
cJSON *journal_answer(const cJSON *command, mpay_error **error);

/* Functions of adapter.c: they make settings and requests from names and texts, and results by name. After a failure they return NULL. */
mpay_config *config_of(const cJSON *settings, mpay_error **error);
mpay_payment_request *request_of(const cJSON *arguments, mpay_error **error);
cJSON *fields_of(const mpay_payment *payment);
cJSON *failure(const mpay_error *error);
char *unhex(const char *hex, size_t *len);

#endif
