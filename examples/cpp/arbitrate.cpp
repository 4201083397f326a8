// Takes a payment through arbitration: arbitrate FILE, where FILE is a receipt (PDF, JPEG or PNG).
#include "example.hpp"

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: arbitrate FILE\n";
        return 2;
    }
    return example::run([&] {
        const merchantpay::Client client(example::config());
        merchantpay::PaymentRequest request;
        // This is a test account of the sandbox: its payments go to arbitration.
        request.set_sum("1500.55").set_payment_method("card").set_customer_account("arbitration");

        const std::string order_id = client.new_payment(request).order_id();
        std::cout << "order " << order_id << '\n';

        // Reads the file before the customer pays, so that a wrong file is found in time.
        merchantpay::Receipt receipt(order_id);
        receipt.add_file(argv[1]);

        client.confirm(order_id);
        std::cout << "confirmed\n";

        if (example::wait(client, order_id, "receiptRequired").is_final()) return;

        client.attach_receipt(receipt);
        std::cout << "receipt attached\n";

        example::wait(client, order_id);
    });
}
