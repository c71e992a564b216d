/* Awaited: what `__anext__` of an Iteration returns. It behaves like a coroutine, but usually finishes immediately.
 *
 * When it is awaited, it takes the next item that is ready, and finishes. So an Awaited that is dropped, or cancelled
 * before it started, has taken nothing. If nothing is ready, it continues as the coroutine `refill()`: send, throw and
 * close are forwarded to that coroutine until it returns something to take.
 */
#ifndef KAFKA_NEXTGEN_AWAITED_H
#define KAFKA_NEXTGEN_AWAITED_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "locking.h"
#include "stopping.h"

typedef struct {
    PyObject_HEAD
    PyObject *refill; /* a coroutine function; see the docstring of Iteration */
    PyObject *ready;  /* an iterator, or NULL */
    Py_ssize_t count; /* how many items to take from it */
    PyObject *spare;  /* a finished Awaited to reuse, or NULL */
} Iteration;

typedef struct {
    PyObject_HEAD
    Iteration *iteration; /* NULL if this has finished */
    PyObject *refilling;  /* the coroutine that it continues as, or NULL */
    PyObject *stop;       /* a StopIteration to reuse, or NULL */
    int is_running;
} Awaited;

/* Return the next item; NULL without an exception means that none is ready. */
static PyObject *take_ready(Iteration *iteration) {
    PyObject *ready, *next;
    Py_BEGIN_CRITICAL_SECTION(iteration);
    ready = iteration->count > 0 ? Py_XNewRef(iteration->ready) : NULL; /* taking may run code that replaces it */
    iteration->count -= ready != NULL;
    Py_END_CRITICAL_SECTION();
    next = ready == NULL ? NULL : PyIter_Next(ready);
    Py_XDECREF(ready);
    return next;
}

/* Return 1 if refill() returned what is documented; 0 with an exception set if not. */
static int is_refill(PyObject *given, Py_ssize_t *count) {
    if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != 2 || !PyIter_Check(PyTuple_GET_ITEM(given, 0))) {
        PyErr_SetString(PyExc_TypeError, "refill() must return an iterator and the number of items to take from it");
        return 0;
    }
    *count = PyLong_AsSsize_t(PyTuple_GET_ITEM(given, 1));
    return *count != -1 || !PyErr_Occurred();
}

/* Make the result of refill(), a reference that this function takes, ready to use. Returns 0 with an exception set if
 * it is not valid. */
static int finish_refill(Awaited *awaited, PyObject *given) {
    PyObject *before = NULL;
    Iteration *iteration = awaited->iteration;
    Py_ssize_t count;
    int is_good = is_refill(given, &count);
    Py_CLEAR(awaited->refilling);
    if (is_good) {
        Py_BEGIN_CRITICAL_SECTION(iteration);
        before = iteration->ready;
        iteration->ready = Py_NewRef(PyTuple_GET_ITEM(given, 0));
        iteration->count = count;
        Py_END_CRITICAL_SECTION();
    }
    Py_XDECREF(before);
    Py_DECREF(given);
    return is_good;
}

static PySendResult begin_refill(Awaited *awaited) {
    awaited->refilling = PyObject_CallNoArgs(awaited->iteration->refill);
    if (awaited->refilling == NULL)
        return PYGEN_ERROR;
    if (PyCoro_CheckExact(awaited->refilling))
        return PYGEN_NEXT;
    PyErr_SetString(PyExc_TypeError, "refill() did not return a coroutine");
    return PYGEN_ERROR;
}

/* Taking the item is the last step, so no signal handler can run between it and the loop body. */
static PySendResult go_on(Awaited *awaited, PyObject *value, PyObject **result) {
    while (1) {
        *result = NULL;
        if (awaited->refilling == NULL) {
            *result = take_ready(awaited->iteration);
            if (*result != NULL)
                return PYGEN_RETURN;
            if (PyErr_Occurred() || begin_refill(awaited) == PYGEN_ERROR)
                return PYGEN_ERROR;
        }
        PySendResult sent = PyIter_Send(awaited->refilling, value, result);
        if (sent != PYGEN_RETURN)
            return sent;
        if (!finish_refill(awaited, *result)) {
            *result = NULL;
            return PYGEN_ERROR;
        }
        value = Py_None; /* there may still be nothing to take */
    }
}

/* Mark this as finished and keep it for reuse. A pending exception is kept. */
static void finish(Awaited *awaited) {
    Iteration *iteration = awaited->iteration;
    awaited->iteration = NULL;
    Py_CLEAR(awaited->refilling); /* it has ended */
    Py_BEGIN_CRITICAL_SECTION(iteration);
    if (iteration->spare == NULL)
        iteration->spare = Py_NewRef((PyObject *)awaited);
    Py_END_CRITICAL_SECTION();
    Py_DECREF(iteration);
}

/* Return 1 if it can continue; 0 with an exception set if not. */
static int may_go_on(const Awaited *awaited) {
    if (awaited->iteration == NULL)
        PyErr_SetString(PyExc_RuntimeError, "cannot reuse already awaited __anext__()");
    else if (awaited->is_running)
        PyErr_SetString(PyExc_ValueError, "__anext__() is already being awaited");
    else
        return 1;
    return 0;
}

static int may_be_sent(const Awaited *awaited, PyObject *value) {
    if (awaited->refilling != NULL || value == Py_None)
        return 1;
    PyErr_SetString(PyExc_TypeError, "can't send non-None value to a just-started coroutine");
    return 0;
}

static PySendResult awaited_send(PyObject *self, PyObject *value, PyObject **result) {
    Awaited *awaited = (Awaited *)self;
    *result = NULL;
    if (!may_go_on(awaited) || !may_be_sent(awaited, value))
        return PYGEN_ERROR;
    awaited->is_running = 1;
    PySendResult status = go_on(awaited, value, result);
    awaited->is_running = 0;
    if (status != PYGEN_NEXT)
        finish(awaited);
    return status;
}

/* Convert a result for a Python method: the yielded value, or NULL with a StopIteration that has the returned value. */
static PyObject *as_method(PySendResult status, PyObject *result) {
    if (status != PYGEN_RETURN)
        return result;
    raise_new_stop(result);
    return NULL;
}

static PyObject *awaited_send_method(PyObject *self, PyObject *value) {
    PyObject *result;
    PySendResult status = awaited_send(self, value, &result);
    return as_method(status, result);
}

static PyObject *awaited_next(PyObject *self) {
    PyObject *result;
    forget_value(((Awaited *)self)->stop);
    PySendResult status = awaited_send(self, Py_None, &result);
    if (status != PYGEN_RETURN)
        return result;
    raise_stop(&((Awaited *)self)->stop, result);
    return NULL;
}

static PySendResult throw_into(Awaited *awaited, PyObject *args, PyObject **result) {
    PyObject *throw = PyObject_GetAttrString(awaited->refilling, "throw");
    *result = throw == NULL ? NULL : PyObject_CallObject(throw, args);
    Py_XDECREF(throw);
    if (*result != NULL)
        return PYGEN_NEXT;
    PyObject *given = returned_value();
    return given != NULL && finish_refill(awaited, given) ? go_on(awaited, Py_None, result) : PYGEN_ERROR;
}

/* Raise an exception that is thrown in before anything has started. */
static PySendResult raise_thrown(PyObject *args) {
    PyObject *type, *value = NULL, *trace = NULL;
    if (!PyArg_UnpackTuple(args, "throw", 1, 3, &type, &value, &trace))
        return PYGEN_ERROR;
    if (PyExceptionInstance_Check(type))
        PyErr_SetObject((PyObject *)Py_TYPE(type), type);
    else if (PyExceptionClass_Check(type))
        PyErr_SetObject(type, value);
    else
        PyErr_SetString(PyExc_TypeError, "exceptions must be classes or instances deriving from BaseException");
    return PYGEN_ERROR;
}

PyDoc_STRVAR(throw_doc, "throw(exception)\n--\n\nRaise the exception at the point where this is suspended.");

static PyObject *awaited_throw(PyObject *self, PyObject *args) {
    Awaited *awaited = (Awaited *)self;
    PyObject *result = NULL;
    if (!may_go_on(awaited))
        return NULL;
    awaited->is_running = 1;
    PySendResult status = awaited->refilling == NULL ? raise_thrown(args) : throw_into(awaited, args, &result);
    awaited->is_running = 0;
    if (status != PYGEN_NEXT)
        finish(awaited);
    return as_method(status, result);
}

PyDoc_STRVAR(close_doc, "close()\n--\n\nStop this at the point where it is suspended.");

static PyObject *awaited_close(PyObject *self, PyObject *unused) {
    Awaited *awaited = (Awaited *)self;
    PyObject *closed;
    (void)unused;
    if (awaited->iteration == NULL)
        Py_RETURN_NONE;
    if (!may_go_on(awaited))
        return NULL;
    awaited->is_running = 1;
    closed = awaited->refilling == NULL ? Py_NewRef(Py_None) : PyObject_CallMethod(awaited->refilling, "close", NULL);
    awaited->is_running = 0;
    finish(awaited);
    return closed;
}

static int awaited_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Awaited *)self)->iteration);
    Py_VISIT(((Awaited *)self)->refilling);
    Py_VISIT(((Awaited *)self)->stop);
    return 0;
}

static int awaited_clear(PyObject *self) {
    Py_CLEAR(((Awaited *)self)->refilling);
    Py_CLEAR(((Awaited *)self)->iteration);
    Py_CLEAR(((Awaited *)self)->stop);
    return 0;
}

static void awaited_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    awaited_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef awaited_methods[] = {
    {"send", awaited_send_method, METH_O, "send(value)\n--\n\nResume with a value."},
    {"throw", awaited_throw, METH_VARARGS, throw_doc},
    {"close", awaited_close, METH_NOARGS, close_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot awaited_slots[] = {
    {Py_tp_dealloc, awaited_dealloc},
    {Py_tp_traverse, awaited_traverse},
    {Py_tp_clear, awaited_clear},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, awaited_next},
    {Py_tp_methods, awaited_methods},
    {Py_am_await, PyObject_SelfIter},
    {Py_am_send, awaited_send},
    {0, NULL},
};

static PyType_Spec awaited_spec = {
    .name = "kafka_nextgen.compiled._accelerator.Awaited",
    .basicsize = sizeof(Awaited),
    .flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = awaited_slots,
};

#endif
