/* Bell as a Python type. Signal handlers run during a wait, and an exception that one raises ends the wait. */
#ifndef KAFKA_NEXTGEN_BELL_OBJECT_H
#define KAFKA_NEXTGEN_BELL_OBJECT_H

#include "bell.h"

#ifdef __linux__

#define MOST_WAIT_S 1e6 /* longer waits end after this time */

/* Wait for a ring, and run signal handlers meanwhile. Returns 0 with an exception set if a handler raises.
 *
 * Any other error, such as a kernel without this call, ends the wait at once.
 */
static int wait_for_ring(Bell *bell, uint32_t rings, const struct timespec *until) {
    int error = 0;
    while (!has_rung(bell, rings) && (error == 0 || error == EINTR || error == EAGAIN)) {
        Py_BEGIN_ALLOW_THREADS;
        error = wait_on_futex(bell, rings, until);
        Py_END_ALLOW_THREADS;
        if (error == EINTR && PyErr_CheckSignals() < 0)
            return 0;
    }
    return 1;
}

static PyObject *bell_ring(PyObject *self, PyObject *nothing) {
    (void)nothing;
    ring_bell((Bell *)self);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(bell_ring_doc, "ring()\n--\n\nWake all threads that wait.");

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
             "Block while the count of rings is ``rings``, at most timeout_s seconds.");

static PyObject *bell_rings(PyObject *self, void *nothing) {
    (void)nothing;
    return PyLong_FromUnsignedLong(__atomic_load_n(&((Bell *)self)->rings, __ATOMIC_SEQ_CST));
}

static PyObject *bell_is_awaited(PyObject *self, void *nothing) {
    (void)nothing;
    return PyBool_FromLong(__atomic_load_n(&((Bell *)self)->waiting, __ATOMIC_SEQ_CST) > 0);
}

static PyMethodDef bell_methods[] = {
    {"ring", bell_ring, METH_NOARGS, bell_ring_doc},
    {"wait", bell_wait, METH_VARARGS, bell_wait_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef bell_fields[] = {
    {"rings", bell_rings, NULL, PyDoc_STR("How often it has been rung, modulo 2**32."), NULL},
    {"is_awaited", bell_is_awaited, NULL, PyDoc_STR("Whether a thread waits for it."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* object's own tp_new and tp_dealloc do: all fields begin as 0, and none needs to be freed. */
static PyType_Slot bell_slots[] = {
    {Py_tp_doc, (void *)PyDoc_STR("Bell()\n--\n\nWakes threads that wait; any thread rings it.")},
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
