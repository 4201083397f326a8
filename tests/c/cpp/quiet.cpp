// A third file of the program, without exceptions.
#include <merchantpay.hpp>

std::string third_file();

std::string third_file() {
    merchantpay::Config config;
    const merchantpay::Result<merchantpay::Client> client = merchantpay::Client::create(config);
    return client ? merchantpay::version() : client.error().code_name();
}
