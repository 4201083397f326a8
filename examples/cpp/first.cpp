#include <merchantpay.hpp>

#include <chrono>
#include <iostream>

int main() {
    try {
        merchantpay::Config config;
        config.set_from_env();
        const merchantpay::Client client(config);
        merchantpay::PaymentRequest request;
        request.set_sum("1500.50").set_payment_method("sbp").set_customer_account("79001234567");
        merchantpay::Payment payment = client.new_payment(request);
        std::cout << "pay " << payment.sum().value_or("-") << " to " << payment.payee_account().value_or("-") << '\n';
        client.confirm(payment.order_id());                                 // the customer says that the money was sent
        payment = client.wait(payment.order_id(), std::chrono::minutes(1)); // asks for the status until it is final
        std::cout << payment.status().value_or("-") << ' ' << payment.sum().value_or("-") << '\n';
    } catch (const merchantpay::Error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
