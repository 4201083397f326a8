// Includes the header twice. This is the second file of a program.
#include <merchantpay.hpp>

#include <merchantpay.hpp>

std::string second_file();

std::string second_file() {
    merchantpay::Config config;
    merchantpay::PaymentRequest request;
    request.set_sum("1").set_sum_minor(2);
    try {
        merchantpay::Client client(config);
    } catch (const merchantpay::Error &error) {
        return error.code_name();
    }
    return merchantpay::version();
}
