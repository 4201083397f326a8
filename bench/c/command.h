/* Reads the driver's settings and executes the driver's commands. A command is a line with a task and a number; the program answers with
 * one line. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define KEY_ID "merchant-1"
#define SERVER_KEY_ID "service-1"

static char *webhook_body;
static size_t webhook_size;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what ? what : "failed");
    exit(1);
}

static const char *setting(const char *name) {
    const char *value = getenv(name);
    if (!value) fail(name);
    return value;
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *bytes;
    if (!file || fseek(file, 0, SEEK_END)) fail(path);
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*size ? *size : 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) fail(path);
    fclose(file);
    return bytes;
}

/* A task of a program. A task without a name ends the program's list of tasks. Every program has the task `status`. */
struct task {
    const char *name;
    void (*once)(void);
};

static const struct task *find(const struct task *tasks, const char *name) {
    while (tasks->name && strcmp(tasks->name, name)) tasks++;
    if (!tasks->name) fail(name);
    return tasks;
}

static const struct task *shared;

static void *share(void *calls) {
    size_t left = *(size_t *)calls;
    while (left--) shared->once();
    return NULL;
}

static void by_threads(size_t threads, size_t hundreds) {
    pthread_t running[2];
    size_t calls = hundreds * 100 / threads, i;
    for (i = 0; i < threads; i++)
        if (pthread_create(&running[i], NULL, share, &calls)) fail("no thread");
    for (i = 0; i < threads; i++) pthread_join(running[i], NULL);
}

static int serve(int argc, char **argv, const struct task *tasks) {
    char line[64], name[32];
    size_t count;
    shared = find(tasks, "status");
    webhook_body = read_file(setting("BENCH_WEBHOOK"), &webhook_size);
    if (argc == 2 && !strcmp(argv[1], "first")) {
        shared->once();
        return 0;
    }
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%31s %zu", name, &count) != 2) fail(line);
        if (!strcmp(name, "threads1")) by_threads(1, count);
        else if (!strcmp(name, "threads2")) by_threads(2, count);
        else
            for (const struct task *task = find(tasks, name); count; count--) task->once();
        puts("ok");
        fflush(stdout);
    }
    return 0;
}

#endif
