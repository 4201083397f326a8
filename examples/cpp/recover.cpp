// Finds a payment again whose reply was lost: recover FILE [PORT], where FILE keeps the orders and PORT is where webhooks come, any
// free one unless given. Run it again with both after a crash: it goes on with the order that is open.
// libmicrohttpd serves HTTP here, on loopback: TLS is the business of the proxy in front of it. What comes while a call is under
// way waits in the listener's queue.
#include "example.hpp"

#include <microhttpd.h>

#include <algorithm>
#include <arpa/inet.h>
#include <cstdio>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <signal.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

// No webhook of the contract is near it.
const std::size_t largest_body = 65536;

struct Order {
    std::string token, sum, order_id;
};

// The shop's orders. The file has a line for each: token, sum and order id, which is - while it is not known.
class Orders {
public:
    std::vector<Order> all;

    explicit Orders(const std::string &file) : file_(file) {
        std::ifstream in(file);
        for (Order order; in >> order.token >> order.sum >> order.order_id;) all.push_back(order);
    }

    // All of it or nothing, also if the machine stops here.
    void save() const {
        const std::string beside = file_ + ".new";
        std::FILE *file = std::fopen(beside.c_str(), "w");
        if (file == nullptr) throw std::runtime_error("the orders cannot be written");
        for (const Order &order : all) std::fprintf(file, "%s %s %s\n", order.token.c_str(), order.sum.c_str(), order.order_id.c_str());
        bool written = std::fflush(file) == 0 && fsync(fileno(file)) == 0 && std::ferror(file) == 0;
        written = std::fclose(file) == 0 && written;
        if (!written || std::rename(beside.c_str(), file_.c_str()) != 0) throw std::runtime_error("the orders cannot be written");
    }

    // Gives an order its id, unless it has another one or that one is another order's: an old message that is replayed has a
    // good signature too.
    bool name(Order &order, const std::string &order_id) {
        if (order.order_id != "-" && order.order_id != order_id) return false;
        for (const Order &other : all)
            if (&other != &order && other.order_id == order_id) return false;
        order.order_id = order_id;
        save();
        return true;
    }

private:
    std::string file_;
};

struct Shop {
    Orders orders;
    merchantpay::Client client;
    merchantpay::Verifier verifier;
    // What a webhook has named, and the same once the webhook is answered.
    std::string named, found;
};

// 32 random bytes: nobody guesses the URL, and no two orders have the same.
std::string random_token() {
    std::ifstream random("/dev/urandom", std::ios::binary);
    char bytes[32];
    if (!random.read(bytes, sizeof bytes)) throw std::runtime_error("no random bytes");
    std::string token;
    for (const char byte : bytes) {
        token += "0123456789abcdef"[(byte >> 4) & 15];
        token += "0123456789abcdef"[byte & 15];
    }
    return token;
}

// Makes an order and calls for its payment. Says whether its webhook has to be waited for.
bool ask_for_payment(Shop &shop, unsigned int port) {
    const Order made = {random_token(), "1500.55", "-"};
    // Before the call: what is lost in it has to be found by this.
    shop.orders.all.push_back(made);
    shop.orders.save();
    std::cout << "stored " << made.sum << " RUB" << std::endl;
    merchantpay::PaymentRequest request;
    request.set_sum(made.sum).set_payment_method("sbp").set_customer_account("79001234567");
    request.set_status_webhook_url("http://127.0.0.1:" + std::to_string(port) + "/hooks/" + made.token);
    try {
        const merchantpay::Payment payment = shop.client.new_payment(request);
        if (!shop.orders.name(shop.orders.all.back(), payment.order_id())) throw std::runtime_error("this reply is about another order");
        std::cout << "order " << payment.order_id() << std::endl;
        return false;
    } catch (const merchantpay::Error &error) {
        if (error.outcome() == merchantpay::Outcome::not_sent || error.outcome() == merchantpay::Outcome::rejected) {
            // There is no such payment.
            shop.orders.all.pop_back();
            shop.orders.save();
            throw;
        }
        std::cout << "unknown " << error.code_name() << ": wait for the webhook" << std::endl;
        return true;
    }
}

merchantpay::Optional<std::string> header(MHD_Connection *connection, const char *name) {
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return value == nullptr ? merchantpay::Optional<std::string>() : merchantpay::Optional<std::string>(std::string(value));
}

// Verifies one webhook or refuses it, and gives the HTTP status to answer.
unsigned int receive(Shop &shop, MHD_Connection *connection, const std::string &url, const std::string &body) {
    // The token says which order is meant. It proves nothing: it stands in logs, and the signature is the proof.
    for (Order &order : shop.orders.all) {
        if (url != "/hooks/" + order.token) continue;
        try {
            // The bytes as they came: a parser in between would make other bytes of them.
            const auto event = shop.verifier.verify_webhook(body, header(connection, "X-Signature"), header(connection, "X-KeyId"));
            // Written before it is answered: a webhook that was taken does not come again.
            if (!shop.orders.name(order, event.payment().order_id())) {
                std::cout << "refused other_order" << std::endl;
                return MHD_HTTP_CONFLICT;
            }
        } catch (const merchantpay::Error &error) {
            std::cout << "refused " << error.code_name() << std::endl;
            return MHD_HTTP_BAD_REQUEST;
        }
        shop.named = order.order_id;
        return MHD_HTTP_OK;
    }
    return MHD_HTTP_NOT_FOUND;
}

// Called once for the headers, for each piece of the body, and once behind it. An exception would meet C here.
MHD_Result handle(void *context, MHD_Connection *connection, const char *url, const char *method, const char *, const char *data,
                  std::size_t *len, void **state) noexcept try {
    if (*state == nullptr) {
        *state = new std::string();
        return MHD_YES;
    }
    std::string &body = *static_cast<std::string *>(*state);
    if (*len > 0) {
        body.append(data, std::min(*len, largest_body - body.size()));
        *len = 0;
        return MHD_YES;
    }
    Shop &shop = *static_cast<Shop *>(context);
    const unsigned int status = std::string(method) == "POST" ? receive(shop, connection, url, body) : MHD_HTTP_METHOD_NOT_ALLOWED;
    MHD_Response *response = MHD_create_response_from_buffer(0, nullptr, MHD_RESPMEM_PERSISTENT);
    if (response == nullptr) return MHD_NO;
    const MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
} catch (...) {
    return MHD_NO;
}

// Called when the answer is out, or the connection broken.
void completed(void *context, MHD_Connection *, void **state, MHD_RequestTerminationCode) noexcept {
    static_cast<Shop *>(context)->found = static_cast<Shop *>(context)->named;
    delete static_cast<std::string *>(*state);
    *state = nullptr;
}

void recover(const char *file, unsigned int port) {
    Shop shop = {Orders(file), merchantpay::Client(example::config()), merchantpay::Verifier(example::config()), "", ""};
    sockaddr_in address = sockaddr_in();
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    const std::unique_ptr<MHD_Daemon, void (*)(MHD_Daemon *)> server(
        MHD_start_daemon(0, 0, nullptr, nullptr, handle, &shop, MHD_OPTION_SOCK_ADDR, reinterpret_cast<sockaddr *>(&address),
                         MHD_OPTION_NOTIFY_COMPLETED, completed, &shop, MHD_OPTION_CONNECTION_TIMEOUT, 10u, MHD_OPTION_CONNECTION_LIMIT,
                         100u, MHD_OPTION_END),
        MHD_stop_daemon);
    if (!server) throw std::runtime_error("the server cannot listen");
    port = MHD_get_daemon_info(server.get(), MHD_DAEMON_INFO_BIND_PORT)->port;
    std::cout << "listening " << port << std::endl;

    std::string open;
    for (const Order &order : shop.orders.all)
        if (order.order_id == "-") open = order.sum;
    if (!open.empty()) {
        // The program ended while its call was under way, or before the webhook came: nobody knows whether it took effect.
        std::cout << "open " << open << " RUB" << std::endl;
    } else if (!ask_for_payment(shop, port)) {
        return;
    }
    while (shop.found.empty())
        if (MHD_run_wait(server.get(), -1) != MHD_YES) throw std::runtime_error("the server cannot go on");
    std::cout << "found " << shop.found << std::endl;
    example::print("status", shop.client.get_status(shop.found).status());
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: recover FILE [PORT]\n";
        return 2;
    }
    // A caller that hangs up is no reason to end.
    signal(SIGPIPE, SIG_IGN);
    return example::run([&] { recover(argv[1], argc > 2 ? static_cast<unsigned int>(std::strtoul(argv[2], nullptr, 10)) : 0); });
}
