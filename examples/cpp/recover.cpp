// Makes exactly one payment, whatever fails: recover FILE [PORT]. FILE is the journal: a path, postgresql:// or mysql://. The
// program receives webhooks on PORT; without PORT, on any free port. Kill the program, lose its replies, and run it again with the same
// arguments: it continues the same payment.
#include "receiver.hpp"

using merchantpay::Entry;
using merchantpay::Journal;
using merchantpay::Standing;

namespace {

// Asks the service about what is due, and acts on all news. News that were read before a crash come again after a minute.
void settle(const Journal &journal) {
    journal.settle();
    for (const Entry &entry : journal.news()) {
        const char *task = entry.has_credentials() ? ": show the credentials" : "";
        if (entry.succeeded()) task = ": ship it";
        std::cout << entry.reference() << ' ' << entry.standing_name() << task << std::endl;
        journal.acknowledge(entry);
    }
}

void sell(const Journal &journal, example::Receiver &receiver, const std::string &reference) {
    merchantpay::PaymentRequest request;
    request.set_sum("1500.55").set_payment_method("sbp").set_customer_account("79001234567");
    // A repeated call returns the same payment. If the reply is lost, a webhook still brings the credentials.
    Entry entry = journal.pay_async(reference, request);
    std::cout << reference << ' ' << entry.standing_name() << std::endl;
    do {
        receiver.serve(100);
        settle(journal);
        entry = *journal.find(reference);
    } while ((entry.standing() != Standing::final && entry.standing() != Standing::refused) || !entry.acknowledged());
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::cerr << "usage: recover FILE [PORT]\n";
        return 2;
    }
    return example::run([&] {
        const merchantpay::Client client(example::config());
        example::Receiver receiver(argc > 2 ? static_cast<unsigned int>(std::strtoul(argv[2], nullptr, 10)) : 0);
        merchantpay::JournalConfig config;
        config.set_place(argv[1]).set_callback_url(receiver.url());
        const Journal journal(client, config);
        receiver.set_receive([&](const example::Webhook &webhook) {
            return static_cast<unsigned int>(journal.receive(webhook.path, webhook.body, webhook.signature, webhook.key_id).http_status);
        });
        sell(journal, receiver, "order-1017");
    });
}
