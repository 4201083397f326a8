/* The parts of the suite, one file each. */
#ifndef SUITE_H
#define SUITE_H

#include "check.h"

#define NOT_UTF8 "\xff\xfe"

/* Checks that a call is refused, and that it has set its result to NULL. The macro needs <string.h>. */
#define REFUSED_AND_NULL(out, call)        \
    do {                                   \
        memset(&(out), 0x55, sizeof(out)); \
        REFUSED(call);                     \
        CHECK((out) == NULL);              \
    } while (0)

void suite_null(void);
void suite_settings(void);
void suite_calls(void);
void suite_callbacks(void);
void suite_protocol(void);
void suite_by_name(void);

/* Checks that the fields returned together equal the getters' results. */
void the_fields_are_those_of_the_getters(const mpay_payment *payment);
void the_fields_of_an_event_are_those_of_the_getters(const mpay_event *event);
void the_head_is_that_of_the_getters(const mpay_http_request *request);

#endif
