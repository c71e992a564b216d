/* StopIteration: how an iterator reports that it has returned, and its value.
 *
 * From Python 3.12 on, `await` calls the iterator's `__next__`, so each record raises a StopIteration. If nothing
 * refers to it any more, because the `await` took out its value immediately, it is reused.
 */
#ifndef KAFKA_NEXTGEN_STOPPING_H
#define KAFKA_NEXTGEN_STOPPING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "locking.h"

/* Raise a StopIteration with this value, whose reference this function takes. */
static void raise_new_stop(PyObject *value) {
    PyObject *stop = PyObject_CallOneArg(PyExc_StopIteration, value); /* PyErr_SetObject would unpack a tuple */
    if (stop != NULL)
        PyErr_SetObject(PyExc_StopIteration, stop);
    Py_XDECREF(stop);
    Py_DECREF(value);
}

#if PY_VERSION_HEX < 0x030C0000

static void raise_stop(PyObject **spare, PyObject *value) {
    (void)spare;
    raise_new_stop(value);
}

static void forget_value(PyObject *spare) { (void)spare; }

#else

static int is_unseen(PyObject *stop) {
    const PyBaseExceptionObject *error = (const PyBaseExceptionObject *)stop;
    return is_ours_alone(stop) && error->traceback == NULL && error->context == NULL && error->dict == NULL;
}

/* The same, but reuse the spare exception if nothing refers to it. */
static void raise_stop(PyObject **spare, PyObject *value) {
    if (!is_unseen(*spare))
        Py_XSETREF(*spare, PyObject_CallNoArgs(PyExc_StopIteration));
    if (*spare == NULL) {
        Py_DECREF(value);
        return;
    }
    Py_XSETREF(((PyStopIterationObject *)*spare)->value, value);
    PyErr_SetRaisedException(Py_NewRef(*spare));
}

/* Release the value in the spare exception. */
static void forget_value(PyObject *spare) {
    if (spare != NULL && is_unseen(spare))
        Py_CLEAR(((PyStopIterationObject *)spare)->value);
}

#endif

/* The value of the pending StopIteration; NULL if another exception is pending. */
static PyObject *returned_value(void) {
    PyObject *type, *error, *trace, *value;
    if (!PyErr_ExceptionMatches(PyExc_StopIteration))
        return NULL;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    value = PyObject_GetAttrString(error, "value");
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    return value;
}

#endif
