/* Replaces a valgrind suppression for TLS: wraps a function of ring. Memcheck cannot see that the function's
   result depends only on its arguments.

   ring's gcm_ghash_avx (crypto/fipsmodule/aes/asm/ghash-x86_64.pl), given less than 128 bytes, does

       vmovdqa %xmm0,%xmm3  ...  vpxor %xmm0,%xmm3,%xmm3

   and the same with xmm1 and xmm2: a value XOR a copy of itself, which is zero for any content of the
   register. To memcheck, a copy of an uninitialised register stays uninitialised, and so does the tag of each
   record of AES-GCM. It then reports the comparison of a received tag (ring::aead's open_within), and the
   bytes of each sent record.

   So the result is declared initialised if all arguments are. Everything else is checked normally, including
   the records' bytes. */
#include <stddef.h>

#include <valgrind/memcheck.h>

/* valgrind's spelling of libmerchantpay.so.* and ring_core_*gcm_ghash_avx. */
#define GCM_GHASH_AVX I_WRAP_SONAME_FNNAME_ZZ(libmerchantpayZdsoZdZa, ringZucoreZuZaZugcmZughashZuavx)

enum { BLOCK = 16, TABLE = 12 * BLOCK };

void GCM_GHASH_AVX(void *sum, const void *table, const void *input, size_t len);

void GCM_GHASH_AVX(void *sum, const void *table, const void *input, size_t len) {
    OrigFn original;
    int are_set;
    VALGRIND_GET_ORIG_FN(original);
    are_set = VALGRIND_CHECK_MEM_IS_DEFINED(sum, BLOCK) == 0 && VALGRIND_CHECK_MEM_IS_DEFINED(table, TABLE) == 0 &&
              VALGRIND_CHECK_MEM_IS_DEFINED(input, len) == 0;
    CALL_FN_v_WWWW(original, sum, table, input, len);
    if (are_set) (void)VALGRIND_MAKE_MEM_DEFINED(sum, BLOCK);
}
