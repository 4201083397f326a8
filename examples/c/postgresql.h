/* The journal in PostgreSQL, through libpq, with MPAY_DIALECT_POSTGRESQL and MPAY_PLACEHOLDERS_NUMBERED. */
#ifndef POSTGRESQL_H
#define POSTGRESQL_H

#include <merchantpay.h>

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

/* An mpay_database_callback: runs one statement of the journal on the PGconn in user_data. Only the journal uses this connection, and only
   one thread at a time. Create the tables with the statements that `merchantpay journal schema postgresql` prints. */
static int32_t postgresql_run(void *user_data, const char *sql, const char *const *parameters, size_t count, mpay_rows *out) {
    PGconn *connection = user_data;
    if (PQstatus(connection) != CONNECTION_OK) PQreset(connection);
    if (PQstatus(connection) != CONNECTION_OK) {
        mpay_rows_set_message(out, PQerrorMessage(connection));
        return MPAY_DATABASE_FAILED; /* Nothing was sent. */
    }
    /* The statement has no name, because pgbouncer in transaction mode does not support named statements. */
    PGresult *result = PQexecParams(connection, sql, (int)count, NULL, parameters, NULL, NULL, 0);
    int32_t code = MPAY_DATABASE_OK;
    const char *values[64];
    switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
        mpay_rows_set_affected(out, strtoull(PQcmdTuples(result), NULL, 10));
        break;
    case PGRES_TUPLES_OK:
        for (int row = 0; row < PQntuples(result); row++) {
            const int columns = PQnfields(result) < 64 ? PQnfields(result) : 64;
            for (int column = 0; column < columns; column++)
                values[column] = PQgetisnull(result, row, column) ? NULL : PQgetvalue(result, row, column);
            mpay_rows_add(out, values, (size_t)columns);
        }
        break;
    default:
        mpay_rows_set_message(out, PQresultErrorMessage(result));
        code = mpay_database_failure(MPAY_DIALECT_POSTGRESQL, PQresultErrorField(result, PG_DIAG_SQLSTATE));
    }
    PQclear(result);
    return code;
}

#endif
