// Includes the header after macros that systems and old headers define. This is the first file of a program.
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define minor(device) ((device) & 0xff)
#define major(device) ((device) >> 8)
#define ERROR 0
#define TRUE 1
#define FALSE 0
#define IN
#define OUT
#define NO_ERROR 0
#define interface struct
#define small char
#define near
#define far
#include <merchantpay.hpp>

std::string second_file();
std::string third_file();

int main() {
    merchantpay::Config config;
    try {
        merchantpay::Client client(config);
    } catch (const merchantpay::Error &error) {
        return second_file() == error.code_name() && third_file() == error.code_name() ? 0 : 1;
    }
    return 1;
}
