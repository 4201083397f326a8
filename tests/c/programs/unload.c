/* The library is loaded and unloaded a hundred times while a thread is in a call and while name look-ups may
   outlive their calls. The library must stay in the process. This program is built without linking the
   library. */
#define _POSIX_C_SOURCE 200809L
#include <merchantpay.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X)                                                                            \
    X(mpay_config *, config_new, (void))                                                        \
    X(int32_t, config_set_base_url, (mpay_config *, const char *))                              \
    X(int32_t, config_from_env, (mpay_config *, mpay_error **))                                 \
    X(int32_t, config_set_timeout_ms, (mpay_config *, uint32_t))                                \
    X(void, config_free, (mpay_config *))                                                       \
    X(int32_t, client_new, (const mpay_config *, mpay_client **, mpay_error **))                \
    X(int32_t, get_status, (const mpay_client *, const char *, mpay_payment **, mpay_error **)) \
    X(void, client_free, (mpay_client *))

struct library {
    void *handle;
#define POINTER(result, name, parameters) result(*name) parameters;
    FUNCTIONS(POINTER)
};

static void find(void *handle, const char *name, void *place) {
    void *symbol = dlsym(handle, name);
    if (!symbol) {
        fprintf(stderr, "%s is missing\n", name);
        exit(2);
    }
    memcpy(place, &symbol, sizeof symbol);
}

/* The library is still in memory although it is unloaded: a look-up may still run in it. */
static int is_resident(void) {
    void *handle = dlopen(getenv("LIBRARY"), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    return handle != NULL && dlclose(handle) == 0;
}

static struct library load(void) {
    struct library library;
    library.handle = dlopen(getenv("LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    if (!library.handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
#define FIND(result, name, parameters) find(library.handle, "mpay_" #name, &library.name);
    FUNCTIONS(FIND)
    return library;
}

static int32_t call(const struct library *library, const char *base_url, uint32_t timeout_ms) {
    mpay_config *config = library->config_new();
    mpay_client *client = NULL;
    mpay_payment *payment = NULL;
    int32_t code;
    library->config_from_env(config, NULL);
    library->config_set_base_url(config, base_url);
    library->config_set_timeout_ms(config, timeout_ms);
    code = library->client_new(config, &client, NULL);
    library->config_free(config);
    if (code == MPAY_OK) code = library->get_status(client, "no-such-order", &payment, NULL);
    library->client_free(client);
    return code;
}

static void *wait_for_the_slow_service(void *pointer) {
    return (void *)(intptr_t)call(pointer, getenv("SERVICE_SLOW"), 2000);
}

int main(void) {
    struct library first = load();
    pthread_t thread;
    void *code = NULL;
    int i;
    if (pthread_create(&thread, NULL, wait_for_the_slow_service, &first) != 0) return 2;
    for (i = 0; i < 100; i++) {
        struct library again = load();
        /* A millisecond may be too short for the name look-up, which then continues. */
        call(&again, getenv("SERVICE_BY_NAME"), 1);
        if (dlclose(again.handle) != 0) return 3;
    }
    if (dlclose(first.handle) != 0) return 4;
    if (pthread_join(thread, &code) != 0 || (intptr_t)code != MPAY_TIMEOUT) {
        fprintf(stderr, "the thread's call came to %d\n", (int)(intptr_t)code);
        return 5;
    }
    if (!is_resident()) return 7;
    first = load();
    i = call(&first, getenv("MERCHANTPAY_BASE_URL"), 20000) == MPAY_REJECTED ? 0 : 6;
    dlclose(first.handle);
    return i == 0 && !is_resident() ? 8 : i;
}
