/* Opens the database that journal_ours.c and journal_peer.c use. The driver names the database: BENCH_STORE is postgresql or mariadb,
 * BENCH_SOCKET is the server's socket or the socket's folder, and BENCH_DATABASE is the database's name. */
#ifndef BENCH_JOURNAL_DATABASE_H
#define BENCH_JOURNAL_DATABASE_H

#include "command.h"

#include "../../examples/c/mariadb.h"
#include "../../examples/c/postgresql.h"

#include <time.h>

static struct mariadb mariadb;
static PGconn *postgresql;

static int is_mariadb(void) {
    return !strcmp(setting("BENCH_STORE"), "mariadb");
}

static void open_database(void) {
    const char *const names[] = {"host", "user", "dbname", NULL},
                      *values[] = {setting("BENCH_SOCKET"), "shop", setting("BENCH_DATABASE"), NULL};
    if (is_mariadb()) {
        mariadb.socket = setting("BENCH_SOCKET");
        mariadb.user = "root";
        mariadb.database = setting("BENCH_DATABASE");
    } else {
        postgresql = PQconnectdbParams(names, values, 0);
        if (PQstatus(postgresql) != CONNECTION_OK) fail(PQerrorMessage(postgresql));
    }
}

/* Writes a reference that no other process has used. */
static void new_reference(char *text, size_t room) {
    static long long began;
    static unsigned long paid;
    struct timespec now;
    if (!began) {
        clock_gettime(CLOCK_REALTIME, &now);
        began = now.tv_sec * 1000000LL + now.tv_nsec / 1000;
    }
    snprintf(text, room, "order-%lld-%lu", began, ++paid);
}

#endif
