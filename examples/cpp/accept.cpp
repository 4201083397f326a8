// Accepts a payment: accept [customer-account].
#include "example.hpp"

int main(int argc, char **argv) {
    return example::run([&] {
        const merchantpay::Client client(example::config());
        merchantpay::PaymentRequest request;
        // Money is decimal text or whole kopecks, never a float.
        request.set_sum("1500.55").set_payment_method("sbp").set_customer_account(argc > 1 ? argv[1] : "79001234567");

        const merchantpay::AvailableAmounts amounts = client.get_available_amounts(request);
        for (const std::string &amount : amounts) std::cout << "available " << amount << " RUB\n";
        std::cout << "others possible " << (amounts.other_possible() ? "yes" : "no") << '\n';

        const merchantpay::Payment payment = client.new_payment(request);
        // A shop stores the order id before it does anything else.
        std::cout << "order " << payment.order_id() << '\n';
        std::cout << "pay " << example::shown(payment.sum()) << ' ' << example::shown(payment.currency()) << " to "
                  << example::shown(payment.payee_account()) << '\n';
        example::print("bank", payment.payee_account_bank());
        example::print("holder", payment.payee_name());
        example::print("link", payment.deeplink());

        // The customer has reported the transfer, so the shop reports it to the service.
        client.confirm(payment.order_id());
        std::cout << "confirmed\n";

        const merchantpay::Payment paid = example::wait(client, payment.order_id());
        // A failed payment also has a sum. The paid sum can differ from the requested sum.
        if (paid.status() == "doneSuccess") example::print("paid", paid.sum());
    });
}
