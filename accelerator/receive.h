/* receive: receives the rest of a frame without the GIL.
 *
 * An event loop releases the GIL twice for each piece that it receives: to wait and to receive. If the application's
 * thread is busy, the loop waits up to 5 ms each time to reacquire it, although copying the piece takes a fraction of
 * that. So this function keeps receiving while pieces arrive quickly, up to a time limit.
 *
 * If the connection ends or fails, this function returns, and the loop notices that at its next attempt. On
 * Windows, where event loops work differently, this function does not exist.
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

#define QUIET_MS 1 /* how long to wait for the next piece */

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait until there is more to receive. Returns 1, or 0 if nothing arrives in time. */
static int wait_for_more(int fd) {
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    return poll(&wanted, 1, QUIET_MS) > 0;
}

static int is_only_empty(void) { return errno == EAGAIN || errno == EWOULDBLOCK; }

/* Receive until the buffer is full, nothing arrives in time, or the time limit is reached. Returns the number of bytes
 * received. */
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
             "Receive from the socket into a writable buffer until it is full, nothing arrives for a millisecond, or\n"
             "most_ms have passed. Returns the number of bytes received.");

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
