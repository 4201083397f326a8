/* The functions of unistd.h that the tests use, for Windows: they only read and close sockets. Include it
 * after headers that declare functions with these names. */
#ifndef UNISTD_H
#define UNISTD_H
#pragma GCC system_header
#include "sys/socket.h"
#include <io.h>

#define read(connection, bytes, len) recv(connection, bytes, (int)(len), 0)
#define close(connection) closesocket(connection)
#endif
