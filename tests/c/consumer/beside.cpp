// Two Rust static libraries in one C++ program; the program's own exceptions work before and after the libraries' panics.
#include "beside.inc"

#include <stdexcept>
#include <string>

static int thrown(int value) {
    try {
        std::string text(100, 'x');
        if (value > 0) {
            throw std::runtime_error(text);
        }
        return 0;
    } catch (const std::exception &error) {
        return static_cast<int>(std::string(error.what()).size());
    }
}

int main() {
    if (thrown(1) != 100) {
        return 1;
    }
    int result = consumer_main();
    std::printf("sum %d", static_cast<int>(second_sum(10)));
    std::printf(" caught %d", static_cast<int>(second_panics()));
    std::printf(" %d\n", static_cast<int>(second_panics()));
    return thrown(1) == 100 ? result : 1;
}
