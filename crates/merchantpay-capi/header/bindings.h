/**
 * @file merchantpay_bindings.h For bindings of other languages, not for programs: each read returns several
 * values, which saves foreign calls. merchantpay.h returns the same values one by one. Written by `make
 * generate`: do not edit.
 *
 * Each function returns bytes that are borrowed from the handle, and writes their length to len, which may be
 * NULL.
 */

#ifndef MERCHANTPAY_BINDINGS_H
#define MERCHANTPAY_BINDINGS_H

#include "merchantpay.h"

#ifdef __cplusplus
extern "C" {
#endif

@FUNCTIONS@

#ifdef __cplusplus
}
#endif

#endif /* MERCHANTPAY_BINDINGS_H */
