/* do_all: several calls as one step, for who must not be interrupted by the handler of a signal in the midst of them.
 *
 * Handlers run between the steps of Python's own code. Here there is none, as long as what is called is written in C.
 */
#ifndef KAFKA_NEXTGEN_DOING_H
#define KAFKA_NEXTGEN_DOING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Call what a tuple begins with, with what follows in it; 0 with an exception set if that raises. */
static int do_one(PyObject *call) {
    if (!PyTuple_Check(call) || PyTuple_GET_SIZE(call) == 0) {
        PyErr_SetString(PyExc_TypeError, "a call is a tuple of what is called, and arguments");
        return 0;
    }
    PyObject *const *items = &PyTuple_GET_ITEM(call, 0);
    PyObject *result = PyObject_Vectorcall(items[0], items + 1, (size_t)PyTuple_GET_SIZE(call) - 1, NULL);
    Py_XDECREF(result);
    return result != NULL;
}

PyDoc_STRVAR(do_all_doc,
             "do_all(calls)\n--\n\n"
             "Make calls, a list of tuples, one after the other; what one raises is raised, and ends it. If all are of\n"
             "what is written in C, no signal's handler runs in between, nor any other thread.");

static PyObject *do_all(PyObject *module, PyObject *calls) {
    (void)module;
    if (!PyList_Check(calls)) {
        PyErr_SetString(PyExc_TypeError, "calls are a list");
        return NULL;
    }
    int is_well = 1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(calls) && is_well; i++) {
        PyObject *call = Py_NewRef(PyList_GET_ITEM(calls, i)); /* what is called may change the list */
        is_well = do_one(call);
        Py_DECREF(call);
    }
    return is_well ? Py_NewRef(Py_None) : NULL;
}

#endif
