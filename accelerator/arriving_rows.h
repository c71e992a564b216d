/* ArrivingRows: hands over the records that lent sockets receive, as they arrive, and waits for the next ones itself.
 *
 * `next` hands over one record; no line of Python runs between two of them, whether the next one has arrived or not.
 * `offer` offers all records that have arrived, as columns. An offer is handed over once `is_taken` is set, which the
 * caller does by its last operation, provided that `offered` is still this offer: a signal handler may raise before, and
 * then the next call offers the same again; or it may make a call that takes or withdraws the offer.
 *
 * The rows end when something happens that a poll has to handle: `end` was called, the waker was woken, a socket's
 * service is over, the time is over, or enough was handed over that the positions should advance.
 */
#ifndef KAFKA_NEXTGEN_ARRIVING_ROWS_H
#define KAFKA_NEXTGEN_ARRIVING_ROWS_H

#include "record_rows.h"
#include "steady_socket.h"

#ifndef MS_WINDOWS

#define MOST_SOCKETS 64
/* How many results are handed over until the positions advance. They are kept until then, and each has two objects that
 * the garbage collector counts. With 700 of these, each run would start a collection, and every 121st is one of all
 * objects of the process (if enough of them are new), which takes tens of milliseconds. */
#define MOST_HANDED 96
#define COMPLETE (-1) /* in place of a row: all of the columns' records */

typedef struct {
    PyObject_HEAD
    PyObject *sockets;   /* a tuple */
    PyTypeObject *record; /* the type of records */
    PyObject *kinds;      /* the names of their timestamp types, a tuple */
    PyTypeObject *rows_type; /* RecordRows; borrowed from the module, which outlives this */
    PyObject *rows;      /* the current ones, or NULL */
    PyObject *handed;    /* a list: the columns that were handed over, the last ones perhaps in part */
    PyObject *offered;   /* a list: the columns of the offer, or NULL */
    SteadySocket *offering; /* the socket whose first results they are */
    int is_taken, is_asked, waker, is_over, is_running, is_waiting;
    double until, waited_s; /* monotonic seconds; how long it has waited */
    unsigned long offers;
} ArrivingRows;

static SteadySocket *socket_at(const ArrivingRows *self, Py_ssize_t number) {
    return (SteadySocket *)PyTuple_GET_ITEM(self->sockets, number);
}

/* The first socket with results that were not handed over, or NULL. */
static SteadySocket *socket_with_results(const ArrivingRows *self) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->sockets); i++) {
        SteadySocket *socket = socket_at(self, i);
        if (socket->queue != NULL && PyList_GET_SIZE(socket->queue) > 0)
            return socket;
    }
    return NULL;
}

/* Begin the records of the next result. Returns 1, 0 if there is none, or -1 with an exception set. */
static int begin_result(ArrivingRows *self) {
    SteadySocket *from = socket_with_results(self);
    if (from == NULL)
        return 0;
    PyObject *queue = from->queue, *result = Py_NewRef(PyList_GET_ITEM(queue, 0));
    PyObject *columns = PyTuple_GET_ITEM(result, DECODED_COLUMNS);
    Py_ssize_t count = ((ArrivedColumns *)columns)->count;
    PyObject *rows = rows_of((ArrivedColumns *)columns, self->rows_type, self->record, self->kinds, 0, count);
    int status = rows == NULL ? -1 : 1;
    if (status == 1 && !self->is_over && PyList_GET_SIZE(queue) > 0 && PyList_GET_ITEM(queue, 0) == result) {
        /* Without this item, a poll would still find the records: they are in `taken`, too. */
        if (PyList_SetSlice(queue, 0, 1, NULL) < 0 || PyList_Append(self->handed, columns) < 0)
            self->is_over = 1, status = -1;
        else
            Py_XSETREF(self->rows, Py_NewRef(rows));
    }
    Py_XDECREF(rows);
    Py_DECREF(result);
    return status;
}

static int is_any_over(const ArrivingRows *self) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->sockets); i++)
        if (socket_at(self, i)->is_over)
            return 1;
    return 0;
}

/* Whether records of the current columns are left. */
static int is_in_columns(const ArrivingRows *self) {
    const RecordRows *rows = (RecordRows *)self->rows;
    return rows != NULL && rows->row < rows->stop;
}

/* Take all bytes that wakers sent; returns whether there were any. */
static int was_woken(const ArrivingRows *self) {
    char bytes[64];
    int is_any = 0;
    while (recv(self->waker, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        is_any = 1;
    return is_any;
}

/* Wait without the GIL until a socket is readable, at most until this time. Returns the result of poll(). */
static int poll_sockets(ArrivingRows *self, struct pollfd *wanted, Py_ssize_t count, double until) {
    double began = now_s(), left_ms = (until - began) * 1000;
    int ready, failure, timeout_ms = left_ms <= 0 ? 0 : left_ms > 1e9 ? 1000000000 : (int)left_ms + 1;
    self->is_waiting = 1;
    Py_BEGIN_ALLOW_THREADS;
    ready = poll(wanted, (nfds_t)count, timeout_ms);
    failure = errno;
    Py_END_ALLOW_THREADS;
    self->is_waiting = 0;
    self->waited_s += now_s() - began;
    errno = failure;
    return ready;
}

/* Serve the sockets that are readable. Returns 0, or -1 with an exception set. */
static int serve_readable(ArrivingRows *self, const struct pollfd *found, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count && !self->is_over; i++)
        if (found[i].revents && serve_arrived(socket_at(self, i)) < 0)
            return -1;
    return 0;
}

/* Wait until something arrives. Returns 1, 0 if nothing has until this time, or -1 with an exception set. */
static int wait_for_answer(ArrivingRows *self, double until) {
    struct pollfd wanted[MOST_SOCKETS + 1];
    Py_ssize_t count = PyTuple_GET_SIZE(self->sockets);
    for (Py_ssize_t i = 0; i < count; i++)
        wanted[i] = (struct pollfd){.fd = socket_at(self, i)->fd, .events = POLLIN};
    wanted[count] = (struct pollfd){.fd = self->waker, .events = POLLIN};
    int ready = poll_sockets(self, wanted, count + 1, until);
    if (ready < 0 && errno == EINTR)
        return PyErr_CheckSignals() < 0 ? -1 : 1;
    self->is_over |= ready < 0 || (wanted[count].revents && was_woken(self));
    return ready == 0 ? 0 : serve_readable(self, wanted, count) < 0 ? -1 : 1;
}

/* Wait if that is allowed. Returns 1 to look again, 0 if nothing has arrived, or -1 with an exception set. */
static int look_again(ArrivingRows *self, double until) {
    self->is_over |= is_any_over(self);
    if (self->is_over || self->waker < 0)
        return 0;
    int status = wait_for_answer(self, until < self->until ? until : self->until);
    self->is_over |= status == 0 && self->until <= until;
    return status;
}

static PyObject *next_record(ArrivingRows *self) {
    for (int status = 1; status > 0 && !self->is_over;) {
        if (self->rows != NULL) {
            PyObject *rows = Py_NewRef(self->rows), *record = rows_next(rows);
            Py_DECREF(rows);
            if (record != NULL || PyErr_Occurred())
                return record;
        }
        if (PyList_GET_SIZE(self->handed) >= MOST_HANDED)
            self->is_over = 1;
        else if ((status = begin_result(self)) == 0)
            status = look_again(self, self->until);
    }
    return NULL;
}

/* Note that an offer that was taken is handed over, and forget any other. Returns 0, or -1 with an exception set. */
static int settle_offer(ArrivingRows *self) {
    PyObject *offered = self->offered;
    int is_taken = self->is_taken, status = 0;
    self->is_taken = 0, self->offered = NULL;
    if (offered != NULL && is_taken) {
        Py_ssize_t count = PyList_GET_SIZE(offered), end = PyList_GET_SIZE(self->handed);
        Py_CLEAR(self->rows);
        status = PyList_SetSlice(self->handed, end, end, offered);
        if (status < 0) { /* stays taken */
            self->offered = offered, self->is_taken = 1, self->is_over = 1;
            return -1;
        }
        status = PyList_SetSlice(self->offering->queue, 0, count, NULL);
        self->is_over |= status < 0;
    }
    Py_XDECREF(offered);
    return status;
}

/* The columns of all results of one socket; NULL with an exception set on failure. */
static PyObject *columns_of(const SteadySocket *socket) {
    int collects = PyGC_Disable(); /* its callbacks could change the queue */
    Py_ssize_t count = PyList_GET_SIZE(socket->queue);
    PyObject *columns = PyList_New(count);
    if (collects)
        PyGC_Enable();
    for (Py_ssize_t i = 0; i < count && columns != NULL; i++)
        PyList_SET_ITEM(columns, i, Py_NewRef(PyTuple_GET_ITEM(PyList_GET_ITEM(socket->queue, i), DECODED_COLUMNS)));
    return columns;
}

static Py_ssize_t records_in(PyObject *columns) {
    Py_ssize_t records = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(columns); i++)
        records += ((ArrivedColumns *)PyList_GET_ITEM(columns, i))->count;
    return records;
}

/* Offer these columns, unless they have too many records: then a poll has to divide them. */
static PyObject *offer_columns(ArrivingRows *self, SteadySocket *from, Py_ssize_t most) {
    PyObject *columns = columns_of(from);
    if (columns == NULL)
        return NULL;
    if (records_in(columns) > most) {
        Py_DECREF(columns);
        self->is_over = 1;
        return PyList_New(0);
    }
    self->offering = from, self->offered = columns;
    self->offers++;
    return Py_NewRef(columns);
}

static PyObject *make_offer(ArrivingRows *self, double until, Py_ssize_t most) {
    if (settle_offer(self) < 0)
        return NULL;
    if (PyList_GET_SIZE(self->handed) >= MOST_HANDED || is_in_columns(self) || now_s() >= self->until)
        self->is_over = 1; /* the second, if the application changes from `next` to `offer` */
    int status = 1;
    SteadySocket *from = NULL;
    while (status > 0 && !self->is_over && (from = socket_with_results(self)) == NULL)
        status = look_again(self, until);
    if (status < 0)
        return NULL;
    if (self->is_over || from == NULL)
        return PyList_New(0);
    return offer_columns(self, from, most);
}

#include "arriving_rows_type.h"

#define ARRIVING_ROWS_SPEC &arriving_rows_spec
#else
#define ARRIVING_ROWS_SPEC
#endif

#endif
