/* Iteration: `async for` over items that are ready, without a coroutine for each item. It is the C version of
 * IterationInPython in engine/application/iteration.py.
 *
 * `__anext__` returns an Awaited (awaited.h), which takes the next item only when it is awaited. The next `__anext__`
 * reuses a finished Awaited if nothing else refers to it.
 */
#ifndef KAFKA_NEXTGEN_ITERATION_H
#define KAFKA_NEXTGEN_ITERATION_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "awaited.h"
#include "locking.h"
#include "state.h"

static PyObject *new_awaited(PyTypeObject *iteration_type) {
    const ModuleState *state = PyType_GetModuleState(iteration_type);
    return state == NULL ? NULL : state->awaited->tp_alloc(state->awaited, 0);
}

static PyObject *iteration_anext(PyObject *self) {
    Iteration *iteration = (Iteration *)self;
    PyObject *awaited;
    Py_BEGIN_CRITICAL_SECTION(self);
    awaited = iteration->spare;
    iteration->spare = NULL;
    Py_END_CRITICAL_SECTION();
    if (!is_ours_alone(awaited)) {
        Py_XDECREF(awaited);
        awaited = new_awaited(Py_TYPE(self));
    }
    if (awaited != NULL)
        ((Awaited *)awaited)->iteration = (Iteration *)Py_NewRef(self);
    return awaited;
}

static PyObject *iteration_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *refill;
    static char *names[] = {"", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:Iteration", names, &refill))
        return NULL;
    Iteration *iteration = (Iteration *)type->tp_alloc(type, 0);
    if (iteration != NULL)
        iteration->refill = Py_NewRef(refill);
    return (PyObject *)iteration;
}

static int iteration_traverse(PyObject *self, visitproc visit, void *arg) {
    Iteration *iteration = (Iteration *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(iteration->refill);
    Py_VISIT(iteration->ready);
    Py_VISIT(iteration->spare);
    return 0;
}

static int iteration_clear(PyObject *self) {
    Iteration *iteration = (Iteration *)self;
    Py_CLEAR(iteration->refill);
    Py_CLEAR(iteration->ready);
    Py_CLEAR(iteration->spare);
    return 0;
}

static void iteration_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    iteration_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyDoc_STRVAR(iteration_doc,
             "Iteration(refill)\n--\n\n"
             "An asynchronous iterator. The coroutine function refill returns an iterator and the number of items to\n"
             "take from it. It is called again after that many items, or earlier if the iterator ends.");

static PyType_Slot iteration_slots[] = {
    {Py_tp_doc, (void *)iteration_doc},
    {Py_tp_new, iteration_new},
    {Py_tp_dealloc, iteration_dealloc},
    {Py_tp_traverse, iteration_traverse},
    {Py_tp_clear, iteration_clear},
    {Py_am_aiter, PyObject_SelfIter},
    {Py_am_anext, iteration_anext},
    {0, NULL},
};

static PyType_Spec iteration_spec = {
    .name = "kafka_nextgen.compiled._accelerator.Iteration",
    .basicsize = sizeof(Iteration),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = iteration_slots,
};

#endif
