/** How the functions are linked. On Windows: statically, unless MPAY_DLL is defined. */
#if defined(_WIN32) && defined(MPAY_DLL)
#define MPAY_API __declspec(dllimport)
#else
#define MPAY_API
#endif
