/* On Windows it is with the sockets. */
#include "../sys/socket.h"
