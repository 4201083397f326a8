/* What the tests use of unistd.h, on Windows: they read and close sockets only. Included behind what declares functions of these names. */
#ifndef UNISTD_H
#define UNISTD_H
#pragma GCC system_header
#include "sys/socket.h"
#include <io.h>

#define read(connection, bytes, len) recv(connection, bytes, (int)(len), 0)
#define close(connection) closesocket(connection)
#endif
