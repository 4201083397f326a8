/* On Windows the sockets header contains this. */
#include "../sys/socket.h"
