/* On Windows the sockets header contains these declarations. */
#include "../sys/socket.h"
