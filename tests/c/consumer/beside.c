/* Two Rust static libraries in one C program. */
#include "beside.inc"

int main(void) {
    int result = consumer_main();
    printf("sum %d", (int)second_sum(10));
    printf(" caught %d", (int)second_panics());
    printf(" %d\n", (int)second_panics());
    return result;
}
