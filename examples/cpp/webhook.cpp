// Receives webhooks: webhook [COUNT], where COUNT is how many to receive before it ends.
// libmicrohttpd serves HTTP here, on loopback: TLS is the business of the proxy in front of it.
#include "example.hpp"

#include <microhttpd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>

namespace {

// No webhook of the contract is near it.
const std::size_t largest_body = 65536;

struct Receiver {
    merchantpay::Verifier verifier;
    unsigned long received;
};

// One request while it comes in.
struct Request {
    std::string body;
    bool too_large = false;
    bool taken = false;
};

void print_event(const merchantpay::Event &event) {
    const merchantpay::Payment &payment = event.payment();
    switch (event.kind()) {
    case merchantpay::EventKind::credentials:
        std::cout << "credentials " << payment.order_id() << " pay " << example::shown(payment.sum()) << " RUB to "
                  << example::shown(payment.payee_account()) << std::endl;
        break;
    case merchantpay::EventKind::credentials_failed:
        std::cout << "credentials_failed " << payment.order_id() << std::endl;
        break;
    case merchantpay::EventKind::status:
        std::cout << "status " << payment.order_id() << ' ' << example::shown(payment.status()) << std::endl;
        break;
    default: // A later version of the library may know more kinds.
        std::cout << "event " << payment.order_id() << std::endl;
        break;
    }
}

// A header that stands once; a second one would leave it open which of them counts.
struct Header {
    std::string name;
    merchantpay::Optional<std::string> value;
    int times = 0;
};

MHD_Result count_header(void *context, MHD_ValueKind, const char *name, const char *value) {
    Header &header = *static_cast<Header *>(context);
    if (strcasecmp(name, header.name.c_str()) == 0 && ++header.times > 0) header.value = std::string(value != nullptr ? value : "");
    return MHD_YES;
}

merchantpay::Optional<std::string> once(MHD_Connection *connection, const char *name) {
    Header header;
    header.name = name;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &header);
    return header.times > 1 ? std::string() : header.value;
}

// Verifies one webhook or refuses it, and gives the HTTP status to answer. The same event may come again: a shop handles it once.
unsigned int receive(const Receiver &receiver, MHD_Connection *connection, Request &request) {
    if (request.too_large) {
        std::cout << "refused too_large" << std::endl;
        return MHD_HTTP_BAD_REQUEST;
    }
    try {
        const auto signature = once(connection, "X-Signature"), key_id = once(connection, "X-KeyId");
        // The bytes as they came: a parser in between would make other bytes of them.
        print_event(receiver.verifier.verify_webhook(request.body, signature, key_id));
        request.taken = true;
        return MHD_HTTP_OK;
    } catch (const merchantpay::Error &error) {
        std::cout << "refused " << error.code_name() << std::endl;
        return MHD_HTTP_BAD_REQUEST;
    }
}

// Called once for the headers, for each piece of the body, and once behind it. An exception would meet C here.
MHD_Result handle(void *context, MHD_Connection *connection, const char *, const char *method, const char *, const char *data,
                  std::size_t *len, void **state) noexcept try {
    if (*state == nullptr) {
        *state = new Request();
        return MHD_YES;
    }
    Request &request = *static_cast<Request *>(*state);
    if (*len > 0) {
        if (*len > largest_body - request.body.size()) request.too_large = true;
        else request.body.append(data, *len);
        *len = 0;
        return MHD_YES;
    }
    const Receiver &receiver = *static_cast<const Receiver *>(context);
    const unsigned int status = std::string(method) == "POST" ? receive(receiver, connection, request) : MHD_HTTP_METHOD_NOT_ALLOWED;
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
    Request *request = static_cast<Request *>(*state);
    if (request != nullptr && request->taken) ++static_cast<Receiver *>(context)->received;
    delete request;
    *state = nullptr;
}

} // namespace

int main(int argc, char **argv) {
    return example::run([&] {
        const unsigned long count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0; // 0 is without end.
        // A caller that hangs up is no reason to end.
        signal(SIGPIPE, SIG_IGN);

        // Of the settings it needs the service's public key alone; the others make it stricter.
        Receiver receiver = {merchantpay::Verifier(example::config()), 0};
        sockaddr_in address = sockaddr_in();
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        // One thread: it serves while main runs it.
        const std::unique_ptr<MHD_Daemon, void (*)(MHD_Daemon *)> server(
            MHD_start_daemon(0, 0, nullptr, nullptr, handle, &receiver, MHD_OPTION_SOCK_ADDR, reinterpret_cast<sockaddr *>(&address),
                             MHD_OPTION_NOTIFY_COMPLETED, completed, &receiver, MHD_OPTION_CONNECTION_TIMEOUT, 10u,
                             MHD_OPTION_CONNECTION_LIMIT, 100u, MHD_OPTION_END),
            MHD_stop_daemon);
        if (!server) throw std::runtime_error("the server cannot listen");
        std::cout << "listening " << MHD_get_daemon_info(server.get(), MHD_DAEMON_INFO_BIND_PORT)->port << std::endl;
        while (count == 0 || receiver.received < count) {
            if (MHD_run_wait(server.get(), -1) != MHD_YES) throw std::runtime_error("the server cannot go on");
        }
    });
}
