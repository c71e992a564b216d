/* Stream: `for` over what lies ready, and over what comes later, without an end: the twin of stream_in_python in
 * engine/application/iteration.py.
 *
 * Whatever is raised on the way ends nothing: who asks again goes on where it was. StopIteration ends a loop.
 */
#ifndef KAFKA_NEXTGEN_STREAM_H
#define KAFKA_NEXTGEN_STREAM_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "locking.h"

typedef struct {
    PyObject_HEAD
    PyObject *refill; /* see the doc of Stream */
    PyObject *ready;  /* an iterator, or NULL */
} Stream;

/* The next one that lies ready, or NULL: there is none, unless an exception is set. */
static PyObject *next_ready(Stream *stream) {
    PyObject *ready, *next;
    Py_BEGIN_CRITICAL_SECTION(stream);
    ready = Py_XNewRef(stream->ready); /* taking may run code that replaces it */
    Py_END_CRITICAL_SECTION();
    next = ready == NULL ? NULL : PyIter_Next(ready);
    Py_XDECREF(ready);
    return next;
}

static void replace_ready(Stream *stream, PyObject *iterator) {
    PyObject *before;
    Py_BEGIN_CRITICAL_SECTION(stream);
    before = stream->ready;
    stream->ready = Py_NewRef(iterator);
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(before);
}

/* 1 if there is something to take from now; 0 with an exception set. */
static int refill_stream(Stream *stream) {
    PyObject *given = PyObject_CallNoArgs(stream->refill);
    int is_iterator = given != NULL && PyIter_Check(given);
    if (is_iterator)
        replace_ready(stream, given);
    else if (given != NULL)
        PyErr_SetString(PyExc_TypeError, "refill() gives an iterator");
    Py_XDECREF(given);
    return is_iterator;
}

/* Taking is the last thing that is done: no signal handler runs between that and the loop. */
static PyObject *stream_next(PyObject *self) {
    PyObject *next;
    do {
        next = next_ready((Stream *)self);
    } while (next == NULL && !PyErr_Occurred() && refill_stream((Stream *)self));
    return next;
}

static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *refill;
    static char *names[] = {"", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:Stream", names, &refill))
        return NULL;
    Stream *stream = (Stream *)type->tp_alloc(type, 0);
    if (stream != NULL)
        stream->refill = Py_NewRef(refill);
    return (PyObject *)stream;
}

static int stream_traverse(PyObject *self, visitproc visit, void *arg) {
    Stream *stream = (Stream *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(stream->refill);
    Py_VISIT(stream->ready);
    return 0;
}

static int stream_clear(PyObject *self) {
    Stream *stream = (Stream *)self;
    Py_CLEAR(stream->refill);
    Py_CLEAR(stream->ready);
    return 0;
}

static void stream_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    stream_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyDoc_STRVAR(stream_doc,
             "Stream(refill)\n--\n\n"
             "An iterator. refill() gives the iterator to take from; it is called again when that has come to its end.");

static PyType_Slot stream_slots[] = {
    {Py_tp_doc, (void *)stream_doc},
    {Py_tp_new, stream_new},
    {Py_tp_dealloc, stream_dealloc},
    {Py_tp_traverse, stream_traverse},
    {Py_tp_clear, stream_clear},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, stream_next},
    {0, NULL},
};

static PyType_Spec stream_spec = {
    .name = "kafka_nextgen.compiled._accelerator.Stream",
    .basicsize = sizeof(Stream),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = stream_slots,
};

#endif
