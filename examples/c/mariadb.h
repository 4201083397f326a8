/* The journal in MariaDB, through libmariadb, with MPAY_DIALECT_MYSQL and MPAY_PLACEHOLDERS_QUESTION. */
#ifndef MARIADB_H
#define MARIADB_H

#include <merchantpay.h>

#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A connection that only the journal uses, and only one thread at a time. */
struct mariadb {
    const char *socket, *user, *password, *database;
    MYSQL *connection;
};

static void mariadb_close(struct mariadb *database) {
    if (database->connection != NULL) mysql_close(database->connection);
    database->connection = NULL;
}

static int mariadb_open(struct mariadb *database, mpay_rows *out) {
    if (database->connection != NULL) return 1;
    MYSQL *connection = mysql_init(NULL);
    if (connection == NULL) return 0;
    mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (mysql_real_connect(connection, NULL, database->user, database->password, database->database, 0, database->socket, 0) != NULL) {
        database->connection = connection;
        return 1;
    }
    mpay_rows_set_message(out, mysql_error(connection));
    mysql_close(connection);
    return 0;
}

/* Adds the rows that a SELECT has found. All values are texts. */
static int mariadb_read(MYSQL_STMT *statement, mpay_rows *out) {
    enum { COLUMNS = 64 };
    MYSQL_BIND bound[COLUMNS];
    unsigned long lengths[COLUMNS];
    my_bool nulls[COLUMNS];
    char *texts[COLUMNS] = {NULL};
    const char *values[COLUMNS];
    const my_bool wanted = 1;
    /* With this attribute the length of each column's longest value is known before the rows are fetched. */
    mysql_stmt_attr_set(statement, STMT_ATTR_UPDATE_MAX_LENGTH, &wanted);
    int status = mysql_stmt_store_result(statement) == 0 ? 0 : 1;
    MYSQL_RES *names = mysql_stmt_result_metadata(statement);
    const unsigned int found = mysql_stmt_field_count(statement), columns = found < COLUMNS ? found : COLUMNS;
    memset(bound, 0, sizeof bound);
    for (unsigned int column = 0; status == 0 && column < columns; column++) {
        const unsigned long longest = names != NULL ? mysql_fetch_field_direct(names, column)->max_length + 1 : 0;
        texts[column] = malloc(longest);
        if (texts[column] == NULL) status = 1;
        bound[column].buffer_type = MYSQL_TYPE_STRING;
        bound[column].buffer = texts[column];
        bound[column].buffer_length = longest;
        bound[column].length = &lengths[column];
        bound[column].is_null = &nulls[column];
    }
    if (status == 0) status = mysql_stmt_bind_result(statement, bound) ? 1 : 0;
    while (status == 0 && (status = mysql_stmt_fetch(statement)) == 0) {
        for (unsigned int column = 0; column < columns; column++) {
            if (!nulls[column]) texts[column][lengths[column]] = '\0';
            values[column] = nulls[column] ? NULL : texts[column];
        }
        if (mpay_rows_add(out, values, columns) != MPAY_OK) status = 1;
    }
    for (unsigned int column = 0; column < columns; column++) free(texts[column]);
    if (names != NULL) mysql_free_result(names);
    return status == MYSQL_NO_DATA;
}

/* An mpay_database_callback, whose user_data is a struct mariadb. Create the tables with the statements that `merchantpay journal schema
   mysql` prints. */
static int32_t mariadb_run(void *user_data, const char *sql, const char *const *parameters, size_t count, mpay_rows *out) {
    enum { MOST = 64 };
    struct mariadb *database = user_data;
    MYSQL_BIND bound[MOST];
    int32_t code = MPAY_DATABASE_FAILED; /* A failure before the statement is executed has no effect. */
    if (count > MOST || !mariadb_open(database, out)) return code;
    MYSQL_STMT *statement = mysql_stmt_init(database->connection);
    if (statement == NULL) return code;
    memset(bound, 0, sizeof bound);
    for (size_t i = 0; i < count; i++) {
        bound[i].buffer_type = parameters[i] != NULL ? MYSQL_TYPE_STRING : MYSQL_TYPE_NULL;
        bound[i].buffer = (void *)parameters[i];
        bound[i].buffer_length = parameters[i] != NULL ? strlen(parameters[i]) : 0;
    }
    int executed = 0;
    if (mysql_stmt_prepare(statement, sql, strlen(sql)) == 0 && mysql_stmt_param_count(statement) == count &&
        !mysql_stmt_bind_param(statement, bound)) {
        executed = 1;
        if (mysql_stmt_execute(statement) == 0) {
            if (mysql_stmt_field_count(statement) > 0) {
                code = mariadb_read(statement, out) ? MPAY_DATABASE_OK : MPAY_DATABASE_UNCLEAR;
            } else {
                mpay_rows_set_affected(out, mysql_stmt_affected_rows(statement));
                code = MPAY_DATABASE_OK;
            }
        }
    }
    const unsigned int number = mysql_stmt_errno(statement);
    if (code != MPAY_DATABASE_OK) {
        char text[12];
        snprintf(text, sizeof text, "%u", number);
        mpay_rows_set_message(out, mysql_stmt_error(statement));
        /* If the statement was not executed, the code stays MPAY_DATABASE_FAILED. */
        if (executed) code = mpay_database_failure(MPAY_DIALECT_MYSQL, text);
    }
    mysql_stmt_close(statement);
    if (code == MPAY_DATABASE_UNCLEAR || number >= 2000) mariadb_close(database);
    return code;
}

#endif
