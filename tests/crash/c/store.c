/* Runs statements with the callbacks of the C examples: store postgresql FOLDER DATABASE, or store mariadb
   SOCKET DATABASE. It reads a statement from stdin and writes the result to stdout; each text follows its
   length, -1 for NULL. The library functions that the callback calls are replaced here, so that the test
   reaches the callback directly. */
#define _POSIX_C_SOURCE 200809L
#include "../../../examples/c/mariadb.h"
#include "../../../examples/c/postgresql.h"

#include <stdio.h>

struct mpay_rows {
    char *rows, *message;
    size_t size, count;
    uint64_t affected;
    FILE *file;
};

static void put(FILE *file, const char *text) {
    if (text == NULL) fprintf(file, "-1\n");
    else fprintf(file, "%zu\n%s", strlen(text), text);
}

int32_t mpay_rows_add(mpay_rows *rows, const char *const *values, size_t count) {
    size_t i;
    fprintf(rows->file, "%zu\n", count);
    for (i = 0; i < count; i++) put(rows->file, values[i]);
    rows->count++;
    return MPAY_OK;
}

int32_t mpay_rows_set_affected(mpay_rows *rows, uint64_t affected) {
    rows->affected = affected;
    return MPAY_OK;
}

int32_t mpay_rows_set_message(mpay_rows *rows, const char *message) {
    free(rows->message);
    rows->message = strdup(message);
    return MPAY_OK;
}

/* The code of the statement's error. The program that reads the output decides the code's meaning, as the library would. */
static char failure[16];

int32_t mpay_database_failure(int32_t dialect, const char *code) {
    (void)dialect;
    snprintf(failure, sizeof failure, "%s", code == NULL ? "" : code);
    return MPAY_DATABASE_UNCLEAR;
}

/* Reads a number and the end of its line. If there is no number, the program ends. */
static long number(void) {
    long number;
    if (scanf("%ld", &number) != 1 || getchar() != '\n') exit(0);
    return number;
}

/* Reads a text after its length. The caller frees the text. NULL for an SQL NULL. */
static char *text(void) {
    const long length = number();
    char *text;
    if (length < 0) return NULL;
    text = malloc((size_t)length + 1);
    if (text == NULL || fread(text, 1, (size_t)length, stdin) != (size_t)length) exit(1);
    text[length] = '\0';
    return text;
}

static void run(mpay_database_callback callback, void *user_data) {
    mpay_rows rows = {NULL, NULL, 0, 0, 0, NULL};
    char *sql = text(), *parameters[64];
    const long count = number();
    long i;
    int32_t code;
    if (sql == NULL || count < 0 || count > 64) exit(1);
    for (i = 0; i < count; i++) parameters[i] = text();
    rows.file = open_memstream(&rows.rows, &rows.size);
    failure[0] = '\0';
    code = callback(user_data, sql, (const char *const *)parameters, (size_t)count, &rows);
    fclose(rows.file);
    printf("%d\n%llu\n", (int)code, (unsigned long long)rows.affected);
    put(stdout, rows.message);
    put(stdout, failure);
    printf("%zu\n", rows.count);
    fwrite(rows.rows, 1, rows.size, stdout);
    fflush(stdout);
    for (i = 0; i < count; i++) free(parameters[i]);
    free(rows.rows);
    free(rows.message);
    free(sql);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    if (strcmp(argv[1], "mariadb") == 0) {
        struct mariadb database = {argv[2], "root", NULL, argv[3], NULL};
        for (;;) run(mariadb_run, &database);
    }
    {
        const char *const names[] = {"host", "user", "dbname", NULL}, *values[] = {argv[2], "shop", argv[3], NULL};
        PGconn *connection = PQconnectdbParams(names, values, 0);
        for (;;) run(postgresql_run, connection);
    }
}
