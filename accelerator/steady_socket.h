/* SteadySocket: receives the answers of a SteadyFetch and sends its next requests, on any thread that has a moment.
 *
 * While records arrive one by one, waking the I/O thread for each answer, and then the application's thread, costs more
 * than everything else. So the I/O thread lends the socket to the application's thread, which waits for the next answer
 * itself. `serve` neither blocks nor releases the GIL nor runs a line of Python: it holds back the garbage collector,
 * whose callbacks could let other threads run. So no signal handler can interrupt it, and `end`, on any thread, always
 * falls between two answers.
 *
 * Anything but a plain answer ends the service. Whoever calls `end` gets the bytes that were received and not used, and
 * continues in the usual way. Windows does not have this type.
 */
#ifndef KAFKA_NEXTGEN_STEADY_SOCKET_H
#define KAFKA_NEXTGEN_STEADY_SOCKET_H

#include "receive.h"
#include "steady_fetch.h"

#ifndef MS_WINDOWS

#define LENGTH_BYTES 4
#define MOST_FRAME (FRAME_HEAD + MOST_ANSWER)

#ifndef MSG_NOSIGNAL /* macOS: Python ignores SIGPIPE anyway */
#define MSG_NOSIGNAL 0
#endif

#ifdef __APPLE__ /* the clock of time.monotonic */
#define MONOTONIC CLOCK_UPTIME_RAW
#else
#define MONOTONIC CLOCK_MONOTONIC
#endif

enum { IDLE, ANSWERED, OVER }; /* the results of `serve` */

typedef struct {
    PyObject_HEAD
    SteadyFetch *fetch;
    PyObject *taken;  /* a list: for each answer with records, the list of its results */
    PyObject *queue;  /* a list: the results that ArrivingRows has yet to hand over; NULL if there is none */
    PyObject *unsent; /* the last request if the socket did not accept all of it, or NULL */
    Py_ssize_t sent;  /* how many bytes of that it has accepted */
    int fd;
    int32_t number; /* the correlation id of the request in flight */
    int is_over;
    double asked_at; /* when the request in flight was sent, in monotonic seconds */
    unsigned long long answers, bytes_in, bytes_out; /* since `traffic` was called, like the next two */
    double waited_s, longest_s; /* for answers: in total, and at most */
    Py_ssize_t filled;
    uint8_t bytes[LENGTH_BYTES + MOST_FRAME];
} SteadySocket;

static double now_s(void) {
    struct timespec now;
    clock_gettime(MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Receive what has arrived. Returns ANSWERED if there is anything, IDLE if not, OVER if the connection has ended. */
static int receive_arrived(SteadySocket *self) {
    size_t room = sizeof self->bytes - (size_t)self->filled;
    ssize_t got = recv(self->fd, self->bytes + self->filled, room, MSG_DONTWAIT);
    if (got > 0) {
        self->filled += got;
        self->bytes_in += (unsigned long long)got;
        return ANSWERED;
    }
    return got < 0 && (is_only_empty() || errno == EINTR) ? IDLE : OVER;
}

/* The size of the first frame with its length; 0 while it is incomplete, -1 if it can't be a plain answer. */
static Py_ssize_t size_of_frame(const SteadySocket *self) {
    if (self->filled < LENGTH_BYTES)
        return 0;
    int32_t length = int32_at(self->bytes);
    if (length < FRAME_HEAD || length > MOST_FRAME)
        return -1;
    return self->filled < LENGTH_BYTES + length ? 0 : LENGTH_BYTES + length;
}

/* Send a request. Returns ANSWERED, or OVER if the socket did not accept all of it. */
static int send_request(SteadySocket *self, PyObject *request) {
    Py_ssize_t size = PyBytes_GET_SIZE(request);
    ssize_t sent = send(self->fd, PyBytes_AS_STRING(request), (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
    self->bytes_out += (unsigned long long)size;
    if (sent == size)
        return ANSWERED;
    self->sent = sent < 0 ? 0 : sent; /* if the connection has ended, whoever continues notices it */
    self->unsent = Py_NewRef(request);
    return OVER;
}

static void note_answer(SteadySocket *self, int32_t next) {
    double now = now_s(), took_s = now - self->asked_at;
    self->waited_s += took_s;
    if (took_s > self->longest_s)
        self->longest_s = took_s;
    self->asked_at = now;
    self->number = next;
    self->answers++;
}

/* Keep the results of an answer; `last` is the item of `taken` that was reserved for them. */
static int keep_results(SteadySocket *self, Py_ssize_t last, PyObject *results) {
    if (PyList_GET_SIZE(results) == 0)
        return PyList_SetSlice(self->taken, last, last + 1, NULL);
    PyList_SetItem(self->taken, last, Py_NewRef(results));
    if (self->queue == NULL)
        return 0;
    Py_ssize_t end = PyList_GET_SIZE(self->queue);
    return PyList_SetSlice(self->queue, end, end, results);
}

/* Decode a frame of this size. Returns the next request and the results; None if the frame is odd; NULL with an
 * exception set on failure. An item of `taken` is reserved first, as nothing may fail once the fetch has moved on. */
static PyObject *decode_frame(SteadySocket *self, Py_ssize_t size, int32_t next, Py_ssize_t *reserved) {
    Py_buffer frame = {.buf = self->bytes + LENGTH_BYTES, .len = size - LENGTH_BYTES};
    if (int32_at(self->bytes + LENGTH_BYTES) != self->number)
        return Py_NewRef(Py_None);
    if (PyList_Append(self->taken, Py_None) < 0)
        return NULL;
    *reserved = PyList_GET_SIZE(self->taken) - 1;
    return take_frame(self->fetch, &frame, next);
}

/* Use the first frame. Returns ANSWERED, OVER if it is odd, or -1 with an exception set. */
static int answer_frame(SteadySocket *self, Py_ssize_t size) {
    Py_ssize_t reserved = -1;
    int32_t next = self->number == INT32_MAX ? 0 : self->number + 1;
    PyObject *pair = decode_frame(self, size, next, &reserved);
    if (pair == NULL || pair == Py_None) {
        Py_XDECREF(pair); /* the reserved item stays None, which means nothing */
        return pair == NULL ? -1 : OVER;
    }
    note_answer(self, next);
    self->filled -= size;
    memmove(self->bytes, self->bytes + size, (size_t)self->filled);
    int is_kept = keep_results(self, reserved, PyTuple_GET_ITEM(pair, 1)) == 0;
    int status = send_request(self, PyTuple_GET_ITEM(pair, 0));
    Py_DECREF(pair);
    return is_kept ? status : -1;
}

/* Receive and answer what has arrived. Returns ANSWERED, IDLE, OVER, or -1 with an exception set. */
static int serve_arrived(SteadySocket *self) {
    if (self->is_over)
        return OVER;
    int collects = PyGC_Disable(); /* nothing else runs until it is enabled again */
    int status = receive_arrived(self), result = status == OVER ? OVER : IDLE;
    while (status == ANSWERED) {
        Py_ssize_t size = size_of_frame(self);
        if (size == 0)
            break;
        result = status = size < 0 ? OVER : answer_frame(self, size);
    }
    self->is_over |= result == OVER || result < 0;
    if (collects)
        PyGC_Enable();
    return result;
}

#include "steady_socket_type.h"

#endif
#endif
