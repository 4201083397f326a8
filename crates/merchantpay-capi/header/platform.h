/** The linkage of the functions. On Windows it is static, unless MPAY_DLL is defined. */
#if defined(_WIN32) && defined(MPAY_DLL)
#define MPAY_API __declspec(dllimport)
#else
#define MPAY_API
#endif

/**
 * The calling convention of functions and callbacks. On 32-bit Windows a compiler can have a different
 * default, so declare your callbacks with MPAY_CALL.
 */
#if defined(_WIN32) && !defined(_WIN64)
#define MPAY_CALL __cdecl
#else
#define MPAY_CALL
#endif

/**
 * Marks functions whose result must not be ignored: an ignored code hides a failure, and an ignored getter
 * does nothing. The compiler warns if a result is ignored. To disable the warning, define this macro as empty
 * before including the header.
 */
#ifndef MPAY_NODISCARD
#if defined(__cplusplus) && (__cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L))
#define MPAY_NODISCARD [[nodiscard]]
#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202000L
#define MPAY_NODISCARD [[nodiscard]]
#elif defined(__GNUC__) || defined(__clang__)
#define MPAY_NODISCARD __attribute__((__warn_unused_result__))
#else
#define MPAY_NODISCARD
#endif
#endif

/**
 * Marks functions that a later version has replaced; the text names the better function. The marked functions
 * stay until the ABI changes.
 */
#if defined(_MSC_VER)
#define MPAY_DEPRECATED(text) __declspec(deprecated(text))
#elif defined(__GNUC__) || defined(__clang__)
#define MPAY_DEPRECATED(text) __attribute__((__deprecated__(text)))
#else
#define MPAY_DEPRECATED(text)
#endif
