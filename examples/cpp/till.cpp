// A whole sale at a point of sale: till JOURNAL REFERENCE SUM [again]. JOURNAL is a file's absolute path, postgresql:// or mysql://. The
// till has no callback URL, so it asks for the status. Ctrl-C is the cashier's button, which ends the waiting. After a power cut, run the
// program again with the same arguments: it continues the same payment.
#include "example.hpp"

#include <cstring>
#ifdef _WIN32
#include <windows.h>
#else
#include <csignal>
#endif

using merchantpay::Entry;
using merchantpay::Intent;
using merchantpay::Journal;
using merchantpay::Standing;

namespace {

#ifdef _WIN32
// Interrupts the client's calls when the button is pressed, until the sale ends.
class Button {
public:
    explicit Button(const merchantpay::Client &client) {
        client_ = &client;
        SetConsoleCtrlHandler(pressed, TRUE);
    }
    Button(const Button &) = delete;
    Button &operator=(const Button &) = delete;
    ~Button() { SetConsoleCtrlHandler(pressed, FALSE); }

private:
    // Windows calls this function on a separate thread.
    static BOOL WINAPI pressed(DWORD event) {
        if (event != CTRL_C_EVENT) return FALSE;
        client_->interrupt();
        return TRUE;
    }

    static const merchantpay::Client *client_;
};

const merchantpay::Client *Button::client_ = nullptr;
#else
// Interrupts the client's calls when the button is pressed, until the sale ends.
class Button {
public:
    explicit Button(const merchantpay::Client &client) {
        sigemptyset(&signals_);
        sigaddset(&signals_, SIGINT);
        sigaddset(&signals_, SIGUSR1);
        // Blocks the signals before other threads start: all threads inherit the blocked signals.
        pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
        thread_ = std::thread([this, &client] {
            int signal = 0;
            sigwait(&signals_, &signal);
            if (signal == SIGINT) client.interrupt();
        });
    }
    Button(const Button &) = delete;
    Button &operator=(const Button &) = delete;
    ~Button() {
        pthread_kill(thread_.native_handle(), SIGUSR1);
        thread_.join();
    }

private:
    sigset_t signals_;
    std::thread thread_;
};
#endif

void say(const std::string &line) {
    std::cout << line << std::endl;
}

// Returns the payment of this sale: an existing one, or a new one.
Entry pay(const Journal &journal, const std::string &reference, const char *sum, bool again) {
    merchantpay::PaymentRequest request;
    request.set_sum(sum).set_payment_method("sbp").set_customer_account("79001234567");
    Entry entry = journal.pay(reference, request);
    // After a power cut during the call, the standing stays "sending" until the call's deadline.
    if (entry.standing() == Standing::sending) entry = journal.wait(reference, std::chrono::seconds(60));
    // The cashier has decided that no customer saw the old credentials, so no customer can use them.
    if (again && !entry.has_credentials() && !entry.succeeded()) entry = journal.replace(reference, entry.attempt(), request);
    return entry;
}

// Prints the receipt of a payment that has ended. After a power cut before the receipt, the entry is still not acknowledged.
void print_receipt(const Journal &journal, const Entry &entry) {
    const bool has_ended = entry.standing() == Standing::final || entry.standing() == Standing::refused;
    if (!has_ended || entry.acknowledged()) return;
    say((entry.succeeded() ? "sold " : "not sold ") + entry.reference());
    journal.acknowledge(entry);
}

int sell(const Journal &journal, const std::string &reference, const char *sum, bool again) {
    Entry entry = pay(journal, reference, sum, again);
    say(reference + ' ' + entry.standing_name());
    if (entry.standing() == Standing::unknown) {
        say("nobody knows whether there is a payment: try again, or ask support");
        return 4;
    }
    if (entry.has_credentials()) {
        const merchantpay::Payment credentials = entry.credentials();
        say("pay " + example::shown(credentials.sum()) + " to " + example::shown(credentials.payee_account()));
    }
    // The customer has paid. The journal stores the confirm first, and retries it after a power cut.
    if (entry.standing() == Standing::open && entry.intent() == Intent::none) {
        entry = journal.confirm(entry);
        say("confirmed " + reference);
    }
    entry = journal.wait(reference, std::chrono::minutes(10), merchantpay::Until::final);
    say("status " + example::shown(entry.status()));
    print_receipt(journal, entry);
    return entry.succeeded() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 4) {
        std::cerr << "usage: till JOURNAL REFERENCE SUM [again]\n";
        return 2;
    }
    int result = EXIT_FAILURE;
    const int ended = example::run([&] {
        const merchantpay::Client client(example::config());
        const Button button(client);
        merchantpay::JournalConfig config;
        config.set_place(argv[1]);
        result = sell(Journal(client, config), argv[2], argv[3], argc > 4 && std::strcmp(argv[4], "again") == 0);
    });
    return ended == EXIT_SUCCESS ? result : ended;
}
