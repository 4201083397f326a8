#include <merchantpay.h>

// mpay_call, while merchantpay_go_slot returns `slot` on the same thread.
int64_t merchantpay_go_call_back(mpay_handle handle, uint32_t call, const void *args, size_t len, const void *bulk, size_t bulk_len,
                                 void *buffer, size_t capacity, void **large, uintptr_t slot);
uintptr_t merchantpay_go_slot(void);
