/* serve: waits for the sockets of an event loop without the GIL, and serves relays meanwhile.
 *
 * It returns the events of all other sockets, as `epoll.poll` does. It returns a relay's socket if the relay is over, or
 * has kept an answer and has no bell.
 */
#ifndef KAFKA_NEXTGEN_SERVING_H
#define KAFKA_NEXTGEN_SERVING_H

#include "relay_object.h"

#ifdef __linux__

#include <math.h>
#include <sys/epoll.h>

#define MOST_EVENTS 64

typedef struct {
    PyObject *relays; /* a tuple */
    int epoll_fd;
    struct epoll_event events[MOST_EVENTS]; /* the first `count` are for Python */
    int count;
} Service;

static Relay *find_relay(const Service *service, int fd) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(service->relays); i++) {
        Relay *relay = (Relay *)PyTuple_GET_ITEM(service->relays, i);
        if (relay->fd == fd)
            return relay;
    }
    return NULL;
}

/* Serve a relay's socket; whether Python has to hear of it. */
static int serve_relay(Relay *relay, uint32_t events) {
    if (events & ~(uint32_t)EPOLLIN) {
        end_relay(relay); /* hung up, failed, or writable: Python handles that */
        return 1;
    }
    Outcome outcome = on_readable(relay);
    return outcome == OVER || (outcome == KEPT && relay->bell == NULL);
}

/* Serve the relays that have events; keep the events that are for Python. */
static void handle_events(Service *service, int count) {
    for (int i = 0; i < count; i++) {
        struct epoll_event event = service->events[i];
        Relay *relay = find_relay(service, event.data.fd);
        if (relay == NULL || serve_relay(relay, event.events)) {
            event.events = relay == NULL ? event.events : 0;
            service->events[service->count++] = event;
        }
    }
}

static int milliseconds_until(double at) {
    double left_ms = ceil((at - now_s()) * 1e3);
    return left_ms <= 0 ? 0 : left_ms < INT_MAX ? (int)left_ms : INT_MAX;
}

/* Serve until an event is for Python, or until this time (monotonic seconds). Returns 0, or an error number. */
static int serve_until(Service *service, double at) {
    int count, left_ms;
    do {
        left_ms = milliseconds_until(at);
        count = epoll_wait(service->epoll_fd, service->events, MOST_EVENTS, left_ms);
        if (count < 0)
            return errno == EINTR ? 0 : errno;
        handle_events(service, count);
    } while (service->count == 0 && left_ms > 0);
    return 0;
}

static PyObject *list_of_events(const Service *service) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < service->count; i++) {
        PyObject *pair = Py_BuildValue("iI", service->events[i].data.fd, (unsigned)service->events[i].events);
        if (pair == NULL || PyList_Append(list, pair) < 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

/* Whether all are relays; 0 with an exception set if not. */
static int are_relays(PyObject *relays, const PyTypeObject *type) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(relays); i++)
        if (Py_TYPE(PyTuple_GET_ITEM(relays, i)) != type) {
            PyErr_SetString(PyExc_TypeError, "only a FetchRelay can be served");
            return 0;
        }
    return 1;
}

PyDoc_STRVAR(serve_doc,
             "serve(epoll_fd, timeout_s, relays)\n--\n\n"
             "Wait at most timeout_s seconds for an event that is for Python, and serve relays, a tuple, meanwhile. Returns\n"
             "(fd, events) of other sockets; of a relay (fd, 0), if it is over, or kept an answer and has no bell. No other\n"
             "thread may serve these relays. A signal ends the wait.");

static PyObject *serve(PyObject *module, PyObject *args) {
    const ModuleState *state = PyModule_GetState(module);
    double timeout_s;
    int error;
    Service service = {.count = 0};
    if (!PyArg_ParseTuple(args, "idO!:serve", &service.epoll_fd, &timeout_s, &PyTuple_Type, &service.relays) ||
        !are_relays(service.relays, state->relay))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    error = serve_until(&service, now_s() + timeout_s);
    Py_END_ALLOW_THREADS;
    if (error != 0) {
        errno = error;
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    return list_of_events(&service);
}

#define SERVE_METHODS {"serve", serve, METH_VARARGS, serve_doc},
#endif
#endif
