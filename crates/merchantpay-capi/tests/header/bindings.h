/**
 * @file merchantpay_bindings.h
 * For bindings of other languages, not for programs: reads that save foreign calls, where each of them has a cost. What they give,
 * merchantpay.h gives too, one by one. Written by `make generate`: do not edit.
 *
 * Each gives the start of bytes that are borrowed from the handle, and their length through len, which may be NULL.
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
