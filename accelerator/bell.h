/* Bell: what the application's thread sleeps on, rung by threads that need not have the GIL: Linux's futex.
 *
 * It counts its rings, and nobody clears it (engine/application/signals.py, whose ThreadSignal is its twin). A signal
 * handler of Python's runs in the midst of a wait, and what it raises ends the wait.
 */
#ifndef KAFKA_NEXTGEN_BELL_H
#define KAFKA_NEXTGEN_BELL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef __linux__

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

#define MOST_WAIT_S 1e6 /* longer than that nobody waits */

typedef struct {
    PyObject_HEAD
    uint32_t rings;
    uint32_t waiting; /* how many threads do */
} Bell;

static void ring_bell(Bell *bell) {
    __atomic_add_fetch(&bell->rings, 1, __ATOMIC_SEQ_CST); /* first: who begins to wait now sees it, or is seen below */
    if (__atomic_load_n(&bell->waiting, __ATOMIC_SEQ_CST) > 0)
        syscall(SYS_futex, &bell->rings, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL, 0);
}

/* Sleep as long as there are so many rings; 0, or why it did not sleep to the end. */
static int sleep_at(Bell *bell, uint32_t rings, const struct timespec *until) {
    int operation = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG; /* until a moment of the monotonic clock */
    long status = syscall(SYS_futex, &bell->rings, operation, rings, until, NULL, FUTEX_BITSET_MATCH_ANY);
    return status == 0 ? 0 : errno;
}

/* Sleep, and run the handlers of signals meanwhile; 0 with an exception set if one raises. Where there is no such call,
 * it does not sleep at all.
 */
static int wait_for_ring(Bell *bell, uint32_t rings, const struct timespec *until) {
    int why = 0;
    while (__atomic_load_n(&bell->rings, __ATOMIC_SEQ_CST) == rings && (why == 0 || why == EINTR || why == EAGAIN)) {
        Py_BEGIN_ALLOW_THREADS;
        why = sleep_at(bell, rings, until);
        Py_END_ALLOW_THREADS;
        if (why == EINTR && PyErr_CheckSignals() < 0)
            return 0;
    }
    return 1;
}

static PyObject *bell_ring(PyObject *self, PyObject *nothing) {
    (void)nothing;
    ring_bell((Bell *)self);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(bell_ring_doc, "ring()\n--\n\nWake everybody who waits.");

static PyObject *bell_wait(PyObject *self, PyObject *args) {
    Bell *bell = (Bell *)self;
    unsigned int rings;
    double timeout_s;
    if (!PyArg_ParseTuple(args, "Id:wait", &rings, &timeout_s))
        return NULL;
    if (!(timeout_s > 0))
        Py_RETURN_NONE;
    struct timespec until = moment_at(now_s() + (timeout_s < MOST_WAIT_S ? timeout_s : MOST_WAIT_S));
    __atomic_add_fetch(&bell->waiting, 1, __ATOMIC_SEQ_CST);
    int is_well = wait_for_ring(bell, rings, &until);
    __atomic_sub_fetch(&bell->waiting, 1, __ATOMIC_SEQ_CST);
    return is_well ? Py_NewRef(Py_None) : NULL;
}

PyDoc_STRVAR(bell_wait_doc,
             "wait(rings, timeout_s)\n--\n\n"
             "Block until it was rung, if there are so many rings only, at most timeout_s seconds.");

static PyObject *bell_rings(PyObject *self, void *nothing) {
    (void)nothing;
    return PyLong_FromUnsignedLong(__atomic_load_n(&((Bell *)self)->rings, __ATOMIC_SEQ_CST));
}

static PyObject *bell_is_awaited(PyObject *self, void *nothing) {
    (void)nothing;
    return PyBool_FromLong(__atomic_load_n(&((Bell *)self)->waiting, __ATOMIC_SEQ_CST) > 0);
}

static PyObject *bell_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    if (PyTuple_GET_SIZE(args) > 0 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0))
        return PyErr_Format(PyExc_TypeError, "Bell() takes no arguments");
    return type->tp_alloc(type, 0);
}

static void bell_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef bell_methods[] = {
    {"ring", bell_ring, METH_NOARGS, bell_ring_doc},
    {"wait", bell_wait, METH_VARARGS, bell_wait_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef bell_fields[] = {
    {"rings", bell_rings, NULL, PyDoc_STR("How often it was rung so far, modulo 2**32."), NULL},
    {"is_awaited", bell_is_awaited, NULL, PyDoc_STR("Whether a thread waits for it."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot bell_slots[] = {
    {Py_tp_doc, (void *)PyDoc_STR("Bell()\n--\n\nWakes threads that wait, from any thread.")},
    {Py_tp_new, bell_new},
    {Py_tp_dealloc, bell_dealloc},
    {Py_tp_methods, bell_methods},
    {Py_tp_getset, bell_fields},
    {0, NULL},
};

static PyType_Spec bell_spec = {
    .name = "kafka_nextgen.compiled._accelerator.Bell",
    .basicsize = sizeof(Bell),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = bell_slots,
};

#endif
#endif
