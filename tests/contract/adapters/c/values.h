/* The values of a command, and of an answer. */
#ifndef VALUES_H
#define VALUES_H

#include <cJSON.h>
#include <merchantpay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *part(const cJSON *of, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(of, name);
}

static const char *text(const cJSON *of, const char *name) {
    return cJSON_GetStringValue(part(of, name));
}

static double number(const cJSON *of, const char *name) {
    const cJSON *found = part(of, name);
    return cJSON_IsNumber(found) ? found->valuedouble : 0;
}

static int is(const cJSON *of, const char *name, const char *value) {
    const char *given = text(of, name);
    return given != NULL && strcmp(given, value) == 0;
}

/* The place of a name in a list, counted from 1; 0 if there is no name. */
static int32_t place_of(const char *name, const char *const *list) {
    int32_t i;
    for (i = 0; name != NULL && list[i] != NULL; i++)
        if (strcmp(list[i], name) == 0) return i + 1;
    return 0;
}

/* The bytes of hex digits, and a NUL behind them; the caller frees them. */
static char *unhex(const char *hex, size_t *len) {
    size_t i;
    char *bytes = calloc(strlen(hex) / 2 + 1, 1);
    if (bytes == NULL) abort();
    *len = strlen(hex) / 2;
    for (i = 0; i < *len; i++) {
        const char digits[] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[i] = (char)strtoul(digits, NULL, 16);
    }
    return bytes;
}

static cJSON *hex(const void *bytes, size_t len) {
    size_t i;
    cJSON *item;
    char *digits = calloc(2 * len + 1, 1);
    if (digits == NULL) abort();
    for (i = 0; i < len; i++) sprintf(digits + 2 * i, "%02x", ((const unsigned char *)bytes)[i]);
    item = cJSON_CreateString(digits);
    free(digits);
    return item;
}

static void put_text(cJSON *into, const char *name, const char *value) {
    if (value != NULL) cJSON_AddStringToObject(into, name, value);
}

static void put_number(cJSON *into, const char *name, int64_t value) {
    cJSON_AddNumberToObject(into, name, (double)value);
}

/* A number that is absent if it is 0. */
static void put_some(cJSON *into, const char *name, int64_t value) {
    if (value != 0) put_number(into, name, value);
}

/* The lists of fields.h name these. The function that uses them has `fields`, and defines NUMBER and WORD. */
#define TEXT(name, value) put_text(fields, #name, value);
#define FLAG(name, value) cJSON_AddBoolToObject(fields, #name, value);

#endif
