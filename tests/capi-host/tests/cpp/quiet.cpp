// A third file of a program, in which nothing is thrown.
#include <merchantpay.hpp>

std::string third_file();

std::string third_file() {
    merchantpay::Config config;
    const merchantpay::Result<merchantpay::Client> client = merchantpay::Client::create(config);
    return client ? merchantpay::version() : client.error().code_name();
}
