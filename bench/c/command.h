/* Executes the driver's commands. A command is a line with a task and a number; the program answers with one line. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define KEY_ID "merchant-1"

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what ? what : "failed");
    exit(1);
}

static const char *setting(const char *name) {
    const char *value = getenv(name);
    if (!value) fail(name);
    return value;
}

/* A task without a name ends a list of tasks. */
struct task {
    const char *name;
    void (*once)(void);
};

static int serve(const struct task *tasks) {
    char line[64], name[32];
    size_t count;
    while (fgets(line, sizeof line, stdin)) {
        const struct task *task = tasks;
        if (sscanf(line, "%31s %zu", name, &count) != 2) fail(line);
        while (task->name && strcmp(task->name, name)) task++;
        if (!task->name) fail(name);
        while (count--) task->once();
        puts("ok");
        fflush(stdout);
    }
    return 0;
}

#endif
