/* serve: wait for an event loop's sockets, and let relays go on meanwhile, all of it without the GIL.
 *
 * What has to do with no relay is what Python gets to see, as from its own `epoll.poll`; and of relays, those that are
 * over or have nobody to ring.
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
    struct epoll_event events[MOST_EVENTS]; /* those to be told */
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

/* Whether Python has to see to it. */
static int is_for_python(Relay *relay, uint32_t events) {
    if (events & ~(uint32_t)EPOLLIN) {
        end_relay(relay); /* whatever it is */
        return 1;
    }
    Outcome outcome = pass_on(relay);
    return outcome == OVER || (outcome == WENT_ON && relay->bell == NULL);
}

/* Let relays go on whose turn it is; keep of the events those for Python. */
static void let_go_on(Service *service, int count) {
    for (int i = 0; i < count; i++) {
        struct epoll_event event = service->events[i];
        Relay *relay = find_relay(service, event.data.fd);
        if (relay == NULL || is_for_python(relay, event.events)) {
            event.events = relay == NULL ? event.events : 0;
            service->events[service->count++] = event;
        }
    }
}

static int milliseconds_until(double at) {
    double left_ms = ceil((at - now_s()) * 1e3);
    return left_ms <= 0 ? 0 : left_ms < INT_MAX ? (int)left_ms : INT_MAX;
}

/* 0, or an error number. */
static int serve_until(Service *service, double at) {
    int count, left_ms;
    do {
        left_ms = milliseconds_until(at);
        count = epoll_wait(service->epoll_fd, service->events, MOST_EVENTS, left_ms);
        if (count < 0)
            return errno == EINTR ? 0 : errno;
        let_go_on(service, count);
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
             "Wait for events at most so long, and let relays, a tuple, go on meanwhile; no other thread may serve these.\n"
             "Answers with (fd, events) of all others; and of a relay with (fd, 0), if it is over, or went on and has no\n"
             "bell.");

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
