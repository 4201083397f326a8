/* The socket functions that the tests use, for Windows. */
#ifndef SYS_SOCKET_H
#define SYS_SOCKET_H
#pragma GCC system_header
/* NOGDI leaves out wingdi.h, which defines ERROR. */
#define NOGDI
#include <winsock2.h>
#include <ws2tcpip.h>

static inline SOCKET opened_socket(int family, int type, int protocol) {
    WSADATA data;
    WSAStartup(MAKEWORD(2, 2), &data);
    return socket(family, type, protocol);
}
#define socket(family, type, protocol) ((int)opened_socket(family, type, protocol))
#define accept(listener, address, len) ((int)accept(listener, address, len))
#endif
