/* Two Rust static libraries in one program: runs main.c, and then the second library. In C++ the program's own exceptions work before
   and after the libraries' panics. */
#define main consumer_main
#include "main.c"
#undef main

#ifdef __cplusplus
#include <stdexcept>
#include <string>

static bool throws() {
    try {
        throw std::runtime_error(std::string(100, 'x'));
    } catch (const std::exception &error) {
        return std::string(error.what()).size() == 100;
    }
}

extern "C" {
#else
static int throws(void) {
    return 1;
}
#endif
int32_t second_sum(int32_t up_to);
int32_t second_panics(void);
#ifdef __cplusplus
}
#endif

int main(void) {
    int result;
    if (!throws()) return 1;
    result = consumer_main();
    printf("sum %d", (int)second_sum(10));
    printf(" caught %d", (int)second_panics());
    printf(" %d\n", (int)second_panics());
    return throws() ? result : 1;
}
