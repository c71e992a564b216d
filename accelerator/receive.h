/* receive: go on receiving, without the GIL, what the rest of a frame needs.
 *
 * An event loop lets go of the GIL twice for every piece that it receives, to wait and to receive, and where the
 * application's thread is busy waits for it twice: up to 5 ms each time, for a piece that was copied in a fraction of
 * that. So this goes on from piece to piece, as long as they come quickly, and at most for the time it is given.
 *
 * That the peer has ended, in any way, is left for the loop to find out: it is told so once more. On Windows, where
 * loops work otherwise, there is nothing of the sort.
 */
#ifndef KAFKA_NEXTGEN_RECEIVE_H
#define KAFKA_NEXTGEN_RECEIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifndef MS_WINDOWS

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#define QUIET_MS 1 /* how long the next piece may take to come */

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait until there is more to receive: 1, or 0 if there is none so soon. */
static int wait_for_more(int fd) {
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    return poll(&wanted, 1, QUIET_MS) > 0;
}

static int is_only_empty(void) { return errno == EAGAIN || errno == EWOULDBLOCK; }

/* How much was received. */
static Py_ssize_t receive_for(int fd, char *to, Py_ssize_t size, int64_t until_ms) {
    Py_ssize_t count = 0;
    while (count < size && now_ms() <= until_ms) {
        ssize_t got = recv(fd, to + count, (size_t)(size - count), MSG_DONTWAIT);
        if (got > 0)
            count += got;
        else if (got == 0 || !is_only_empty() || !wait_for_more(fd))
            break;
    }
    return count;
}

PyDoc_STRVAR(receive_doc,
             "receive(fd, to, most_ms)\n--\n\n"
             "Receive from the socket into a writable buffer until it is full, nothing comes for a millisecond, or\n"
             "most_ms have passed. Returns how many bytes came.");

static PyObject *receive(PyObject *module, PyObject *args) {
    Py_buffer to;
    Py_ssize_t count;
    int fd, most_ms;
    (void)module;
    if (!PyArg_ParseTuple(args, "iw*i:receive", &fd, &to, &most_ms))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    count = receive_for(fd, to.buf, to.len, now_ms() + most_ms);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&to);
    return PyLong_FromSsize_t(count);
}

#define RECEIVE_METHODS {"receive", receive, METH_VARARGS, receive_doc},
#else
#define RECEIVE_METHODS
#endif

#endif
