// The client without I/O: this program sends by itself, on a plain socket.
#include "check.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace merchantpay;

namespace {

// Sends a prepared request as it is, and gives the reply as it came.
HttpResponse send(const HttpRequest &request) {
    const std::string url = request.url(), base = check::setting("MERCHANTPAY_BASE_URL");
    const std::string host = base.substr(std::string("http://").size()), path = url.substr(base.size());
    std::string out = "POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n";
    for (const auto &header : request.headers()) out += header.first + ": " + header.second + "\r\n";
    out += "Content-Length: " + std::to_string(request.body().size()) + "\r\n\r\n" + request.body();

    sockaddr_in address = sockaddr_in();
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(host.substr(host.find(':') + 1))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int connection = ::socket(AF_INET, SOCK_STREAM, 0);
    CHECK(::connect(connection, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0);
    for (std::size_t sent = 0; sent < out.size();) {
        const ssize_t wrote = ::send(connection, out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
        CHECK(wrote > 0);
        sent += static_cast<std::size_t>(wrote);
    }
    std::string in;
    char piece[4096];
    for (ssize_t read; (read = ::recv(connection, piece, sizeof piece, 0)) > 0;) in.append(piece, static_cast<std::size_t>(read));
    ::close(connection);

    const std::size_t head = in.find("\r\n\r\n");
    CHECK(head != std::string::npos);
    HttpResponse response;
    response.set_status(std::stoi(in.substr(in.find(' ') + 1))).set_body(in.substr(head + 4));
    for (std::size_t line = in.find("\r\n"); line < head;) {
        const std::size_t end = in.find("\r\n", line + 2), colon = in.find(": ", line);
        response.add_header(in.substr(line + 2, colon - line - 2), in.substr(colon + 2, end - colon - 2));
        line = end;
    }
    return response;
}

void every_operation_can_be_prepared_sent_and_opened() {
    const Protocol protocol(check::config());
    const HttpRequest amounts = protocol.prepare_get_available_amounts(check::request());
    CHECK(amounts.open_get_available_amounts(send(amounts)).get(0) == "1500.50");

    const HttpRequest created = protocol.prepare_new_payment(check::request("arbitration"));
    const Payment payment = created.open_new_payment(send(created));
    CHECK(payment.sum_minor() == 150050);

    PaymentRequest later = check::request();
    later.set_credentials_webhook_url("http://127.0.0.1:1/");
    const HttpRequest registered = protocol.prepare_new_payment_async(later);
    CHECK(!registered.open_new_payment_async(send(registered)).order_id().empty());

    const HttpRequest confirmed = protocol.prepare_confirm(payment.order_id());
    confirmed.open_confirm(send(confirmed));

    for (;;) {
        const HttpRequest asked = protocol.prepare_get_status(payment.order_id());
        if (asked.open_get_status(send(asked)).status() == "receiptRequired") break;
    }
    Receipt receipt(payment.order_id());
    receipt.add_bytes("receipt.pdf", "application/pdf", std::string("%PDF-1.4\n\0\n", 11));
    const HttpRequest attached = protocol.prepare_attach_receipt(receipt);
    CHECK(attached.body().find('\0') != std::string::npos);
    attached.open_attach_receipt(send(attached));

    const HttpRequest cancelled = protocol.prepare_cancel("no-such-order");
    const HttpResponse refusal = send(cancelled);
    CHECK(check::is(check::error_of([&] { cancelled.open_cancel(refusal); }), Code::rejected, Outcome::rejected));
}

void a_reply_to_another_request_is_not_opened() {
    const Protocol protocol(check::config());
    const HttpRequest created = protocol.prepare_new_payment(check::request());
    const Payment payment = created.open_new_payment(send(created));
    const HttpResponse status = send(protocol.prepare_get_status(payment.order_id()));
    const HttpRequest other = protocol.prepare_get_status("another-order");
    CHECK(check::is(check::error_of([&] { return other.open_get_status(status); }), Code::malformed, Outcome::unknown));
}

void a_reply_that_is_not_signed_leaves_it_unknown() {
    const HttpRequest request = Protocol(check::config()).prepare_confirm("o-1");
    HttpResponse response;
    CHECK(check::is(check::error_of([&] { request.open_confirm(response); }), Code::invalid_argument, Outcome::unknown));
    response.set_status(200).set_body("{\"success\":true,\"orderId\":\"o-1\"}");
    CHECK(check::is(check::error_of([&] { request.open_confirm(response); }), Code::unverified, Outcome::unknown));
}

void what_was_prepared_outlives_its_protocol() {
    std::unique_ptr<Protocol> protocol(new Protocol(check::config()));
    const HttpRequest request = protocol->prepare_get_status("no-such-order");
    protocol.reset();
    CHECK(request.url() == check::setting("MERCHANTPAY_BASE_URL") + "/api/v1/merchant/pay/status");
    const HttpResponse refusal = send(request);
    CHECK(check::error_of([&] { return request.open_get_status(refusal); }).reason() == "order_not_found");
}

} // namespace

int main() {
    return check::run({
        {"every operation can be prepared, sent and opened", every_operation_can_be_prepared_sent_and_opened},
        {"a reply to another request is not opened", a_reply_to_another_request_is_not_opened},
        {"a reply that is not signed leaves it unknown", a_reply_that_is_not_signed_leaves_it_unknown},
        {"what was prepared outlives its protocol", what_was_prepared_outlives_its_protocol},
    });
}
