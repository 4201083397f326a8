#include "thread.h"

// A callback runs on the thread of its call. Calls of one thread can be nested: a logger may call the library.
static _Thread_local uintptr_t current;

int64_t merchantpay_go_call_back(mpay_handle handle, uint32_t call, const void *args, size_t len, const void *bulk, size_t bulk_len,
                                 void *buffer, size_t capacity, void **large, uintptr_t slot) {
    uintptr_t outer = current;
    current = slot;
    int64_t length = mpay_call(handle, call, args, len, bulk, bulk_len, buffer, capacity, large);
    current = outer;
    return length;
}

uintptr_t merchantpay_go_slot(void) {
    return current;
}
