/* The thread functions that the tests use, for Windows. */
#ifndef PTHREAD_H
#define PTHREAD_H
#pragma GCC system_header
#include <stdlib.h>
/* NOGDI leaves out wingdi.h, which defines ERROR. */
#define NOGDI
#include <winsock2.h>

struct pthread {
    HANDLE handle;
    void *(*function)(void *);
    void *argument, *result;
};
typedef struct pthread *pthread_t;

static inline DWORD WINAPI pthread_run(void *pointer) {
    pthread_t thread = (pthread_t)pointer;
    thread->result = thread->function(thread->argument);
    return 0;
}

static inline int pthread_create(pthread_t *out, const void *attributes, void *(*function)(void *), void *argument) {
    pthread_t thread = (pthread_t)malloc(sizeof *thread);
    (void)attributes;
    if (thread == NULL) return 1;
    thread->function = function;
    thread->argument = argument;
    *out = thread;
    thread->handle = CreateThread(NULL, 0, pthread_run, thread, 0, NULL);
    return thread->handle == NULL;
}

static inline int pthread_join(pthread_t thread, void **result) {
    if (WaitForSingleObject(thread->handle, INFINITE) != WAIT_OBJECT_0) return 1;
    CloseHandle(thread->handle);
    if (result != NULL) *result = thread->result;
    free(thread);
    return 0;
}

typedef SRWLOCK pthread_mutex_t;
#define PTHREAD_MUTEX_INITIALIZER SRWLOCK_INIT

static inline int pthread_mutex_lock(pthread_mutex_t *mutex) {
    AcquireSRWLockExclusive(mutex);
    return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    ReleaseSRWLockExclusive(mutex);
    return 0;
}
#endif
