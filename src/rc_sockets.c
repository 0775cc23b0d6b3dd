/* Sockets of R's connections that send at once. R writes a message to a socket in many pieces, all
 * but the first of which the operating system holds back until the other end has confirmed the
 * first, which may take 40 milliseconds, unless the socket has the option TCP_NODELAY. R sets it
 * only when a connection is opened. */
#if !defined(_WIN32)
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#endif

#include <string.h>

#include "rc.h"

#if !defined(_WIN32)

/* R cannot use sockets with larger numbers, because it waits for them with select(). */
enum { SOCKETS_MOST = 1024 };

typedef int name_of_end(int, struct sockaddr *, socklen_t *);

/* The port of one end of a socket; 0 if this is not a socket with ports. */
static int port_of(int socket, name_of_end *name) {
    struct sockaddr_storage at;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    socklen_t size = sizeof at;
    if (name(socket, (struct sockaddr *)(void *)&at, &size) != 0)
        return 0;
    memcpy(&v4, &at, sizeof v4);
    memcpy(&v6, &at, sizeof v6);
    if (at.ss_family == AF_INET)
        return ntohs(v4.sin_port);
    return at.ss_family == AF_INET6 ? ntohs(v6.sin6_port) : 0;
}

static void send_at_once(int port) {
    const int yes = 1;
    for (int s = 0; s < SOCKETS_MOST; s++)
        if (port_of(s, getsockname) == port || port_of(s, getpeername) == port)
            (void)setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

#else

static void send_at_once(int port) {
    (void)port;
}

#endif

/* The sockets of this process that have this port at either end send at once. */
SEXP rc_send_at_once(SEXP port) {
    send_at_once(rc_integers(port, 1, 1, 65535, "port")[0]);
    return R_NilValue;
}
