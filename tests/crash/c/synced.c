/*
 * This library is preloaded into a database server. It records how much of each binary log has reached the
 * disk. A power loss destroys the rest of the log; killing the process does not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes the size to a file in the folder TMPDIR. The file has the log's name and `.synced`. */
static void note(int file, off_t size) {
    char link[64], path[PATH_MAX], place[PATH_MAX], text[32];
    const char *folder = getenv("TMPDIR"), *name;
    ssize_t length;
    int out;

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0 || !folder) return;
    path[length] = '\0';
    name = strrchr(path, '/');
    if (!name || strncmp(name, "/binlog.", 8) != 0) return;
    if (snprintf(place, sizeof place, "%s%s.synced", folder, name) >= (int)sizeof place) return;
    out = open(place, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (out < 0) return;
    /* The number is one write of constant length, so that after a kill the file has either the old or the new number. */
    length = snprintf(text, sizeof text, "%020lld", (long long)size);
    if (pwrite(out, text, (size_t)length, 0) != length) abort();
    close(out);
}

static int sync_as(const char *name, int file) {
    int (*real)(int), is_known, result;
    void *found = dlsym(RTLD_NEXT, name);
    struct stat before;

    memcpy(&real, &found, sizeof real);
    is_known = fstat(file, &before) == 0;
    result = real(file);
    if (result == 0 && is_known) note(file, before.st_size);
    return result;
}

int fsync(int file) {
    return sync_as("fsync", file);
}

int fdatasync(int file) {
    return sync_as("fdatasync", file);
}
