// Receives webhooks by HTTP on loopback, with libmicrohttpd. In production a proxy in front of the server does TLS.
#ifndef RECEIVER_HPP
#define RECEIVER_HPP

#include "example.hpp"

#include <microhttpd.h>

#include <arpa/inet.h>
#include <functional>
#include <memory>
#include <netinet/in.h>
#include <signal.h>
#include <stdexcept>
#include <strings.h>
#include <sys/socket.h>

namespace example {

// A request. It is complete when the receiver's function gets it.
struct Webhook {
    std::string path, body;
    merchantpay::Optional<std::string> signature, key_id;
    bool too_large = false;
    unsigned int http_status = 0;
};

// Calls a function for each webhook. The function returns the HTTP status of the answer.
class Receiver {
public:
    using Receive = std::function<unsigned int(const Webhook &webhook)>;

    // Listens on a port; 0 is any free port.
    explicit Receiver(unsigned int port, Receive receive = nullptr) : receive_(std::move(receive)), server_(nullptr, MHD_stop_daemon) {
        sockaddr_in address = sockaddr_in();
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<uint16_t>(port));
        // A sender that closes its connection must not end the program.
        signal(SIGPIPE, SIG_IGN);
        // The receiver has no thread: `serve` answers requests, and later requests wait in the listener's queue.
        server_.reset(MHD_start_daemon(0, 0, nullptr, nullptr, handle, this, MHD_OPTION_SOCK_ADDR, reinterpret_cast<sockaddr *>(&address),
                                       MHD_OPTION_NOTIFY_COMPLETED, completed, this, MHD_OPTION_CONNECTION_TIMEOUT, 10u,
                                       MHD_OPTION_CONNECTION_LIMIT, 100u, MHD_OPTION_END));
        if (!server_) throw std::runtime_error("the receiver cannot listen");
        std::cout << "listening " << this->port() << std::endl;
    }
    Receiver(const Receiver &) = delete;
    Receiver &operator=(const Receiver &) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port()) + "/hooks"; }
    // The number of webhooks that were answered with 200.
    unsigned long received() const { return received_; }
    void set_receive(Receive receive) { receive_ = std::move(receive); }
    // Serves requests for at most this many milliseconds; -1 waits for one request. Every accepted request is answered before the function
    // returns.
    void serve(int milliseconds) {
        do {
            if (MHD_run_wait(server_.get(), milliseconds) != MHD_YES) throw std::runtime_error("the receiver cannot go on");
        } while (unanswered_ > 0);
    }

private:
    // A header, and how many times it appears. A repeated header is treated as invalid, because it is ambiguous.
    struct Header {
        std::string name;
        merchantpay::Optional<std::string> value;
        int times = 0;
    };

    unsigned int port() const { return MHD_get_daemon_info(server_.get(), MHD_DAEMON_INFO_BIND_PORT)->port; }

    static MHD_Result count(void *context, MHD_ValueKind, const char *name, const char *value) {
        Header &header = *static_cast<Header *>(context);
        if (strcasecmp(name, header.name.c_str()) == 0 && ++header.times > 0) header.value = std::string(value != nullptr ? value : "");
        return MHD_YES;
    }

    static merchantpay::Optional<std::string> once(MHD_Connection *connection, const char *name) {
        Header header;
        header.name = name;
        MHD_get_connection_values(connection, MHD_HEADER_KIND, count, &header);
        return header.times > 1 ? std::string() : header.value;
    }

    // libmicrohttpd calls this function once for the headers, once for each piece of the body, and once after the body. No exception may
    // leave the function, because C calls it.
    static MHD_Result handle(void *context, MHD_Connection *connection, const char *url, const char *method, const char *, const char *data,
                             std::size_t *len, void **state) noexcept try {
        // The largest body that is accepted, in bytes. Every webhook of the contract is far smaller.
        const std::size_t largest_body = 65536;
        if (*state == nullptr) {
            *state = new Webhook();
            return MHD_YES;
        }
        Webhook &webhook = *static_cast<Webhook *>(*state);
        if (*len > 0) {
            if (*len > largest_body - webhook.body.size()) webhook.too_large = true;
            else webhook.body.append(data, *len);
            *len = 0;
            return MHD_YES;
        }
        webhook.path = url;
        webhook.signature = once(connection, "X-Signature");
        webhook.key_id = once(connection, "X-KeyId");
        Receiver &receiver = *static_cast<Receiver *>(context);
        webhook.http_status = std::string(method) == "POST" ? receiver.receive_(webhook) : MHD_HTTP_METHOD_NOT_ALLOWED;
        ++receiver.unanswered_;
        MHD_Response *response = MHD_create_response_from_buffer(0, nullptr, MHD_RESPMEM_PERSISTENT);
        if (response == nullptr) return MHD_NO;
        const MHD_Result queued = MHD_queue_response(connection, webhook.http_status, response);
        MHD_destroy_response(response);
        return queued;
    } catch (...) {
        return MHD_NO;
    }

    // libmicrohttpd calls this function after the answer was sent or the connection was broken.
    static void completed(void *context, MHD_Connection *, void **state, MHD_RequestTerminationCode) noexcept {
        const std::unique_ptr<Webhook> webhook(static_cast<Webhook *>(*state));
        Receiver &receiver = *static_cast<Receiver *>(context);
        if (webhook && webhook->http_status != 0) --receiver.unanswered_;
        if (webhook && webhook->http_status == MHD_HTTP_OK) ++receiver.received_;
        *state = nullptr;
    }

    Receive receive_;
    unsigned long received_ = 0;
    // The number of webhooks whose answer is not sent yet.
    unsigned long unanswered_ = 0;
    std::unique_ptr<MHD_Daemon, void (*)(MHD_Daemon *)> server_;
};

} // namespace example

#endif
