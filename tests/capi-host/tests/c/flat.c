#include "flat.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const char *why) {
    fprintf(stderr, "flat vectors: %s\n", why);
    exit(2);
}

static int digit(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    give_up("no hex");
    return 0;
}

/* The rest of the line. */
static void read_value(flat_field *field) {
    size_t room = 64;
    int c = getchar();
    field->value = malloc(room);
    field->len = 0;
    if (!field->value) give_up("no memory");
    if (c == 'n') {
        while (c != '\n' && c != EOF) c = getchar();
        free(field->value);
        field->value = NULL;
        return;
    }
    if (c == '-') c = getchar();
    while (c != '\n') {
        int high = digit(c), low = digit(getchar());
        field->value[field->len++] = (char)(high * 16 + low);
        if (field->len + 1 >= room) {
            room *= 2;
            field->value = realloc(field->value, room);
            if (!field->value) give_up("no memory");
        }
        c = getchar();
    }
    field->value[field->len] = '\0';
}

/* A word, and what ends it. */
static int read_word(char *word, size_t size) {
    size_t len = 0;
    int c;
    while ((c = getchar()) != EOF && c != ' ' && c != '\n') {
        if (len + 1 >= size) give_up("a path is too long");
        word[len++] = (char)c;
    }
    word[len] = '\0';
    return c;
}

int flat_next(flat_case *one) {
    char word[sizeof one->fields[0].path];
    while (one->count > 0) free(one->fields[--one->count].value);
    if (read_word(word, sizeof word) == EOF && word[0] == '\0') return 0;
    if (strcmp(word, "case") != 0) give_up("no case");
    for (;;) {
        int ended_by = read_word(word, sizeof word);
        if (ended_by == '\n' && strcmp(word, "end") == 0) return 1;
        if (ended_by != ' ' || one->count == sizeof one->fields / sizeof one->fields[0]) give_up("no field, or too many");
        strcpy(one->fields[one->count].path, word);
        read_value(&one->fields[one->count++]);
    }
}

static const flat_field *find(const flat_case *one, const char *format, va_list arguments) {
    char path[sizeof one->fields[0].path];
    vsnprintf(path, sizeof path, format, arguments);
    for (size_t at = 0; at < one->count; at++)
        if (strcmp(one->fields[at].path, path) == 0) return &one->fields[at];
    return NULL;
}

const flat_field *flat_field_at(const flat_case *one, const char *path, ...) {
    va_list arguments;
    va_start(arguments, path);
    const flat_field *field = find(one, path, arguments);
    va_end(arguments);
    return field;
}

const char *flat_text(const flat_case *one, const char *path, ...) {
    va_list arguments;
    va_start(arguments, path);
    const flat_field *field = find(one, path, arguments);
    va_end(arguments);
    return field ? field->value : NULL;
}
