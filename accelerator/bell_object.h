/* Bell as Python sees it. A signal handler of Python's runs in the midst of a wait, and what it raises ends the wait. */
#ifndef KAFKA_NEXTGEN_BELL_OBJECT_H
#define KAFKA_NEXTGEN_BELL_OBJECT_H

#include "attending.h"

#ifdef __linux__

#define MOST_WAIT_S 1e6 /* longer than that nobody waits */

/* Wait, and run the handlers of signals meanwhile; 0 with an exception set if one raises. Where there are no such calls,
 * it does not wait at all.
 */
static int wait_for_ring(Bell *bell, uint32_t rings, double until_s) {
    int why = 0;
    while (!has_rung(bell, rings) && (why == 0 || why == EINTR || why == EAGAIN)) {
        Py_BEGIN_ALLOW_THREADS;
        why = attend_or_sleep(bell, rings, until_s);
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
    double until_s = now_s() + (timeout_s < MOST_WAIT_S ? timeout_s : MOST_WAIT_S);
    return wait_for_ring(bell, rings, until_s) ? Py_NewRef(Py_None) : NULL;
}

PyDoc_STRVAR(bell_wait_doc,
             "wait(rings, timeout_s)\n--\n\n"
             "Block until it was rung, if there are so many rings only, at most timeout_s seconds; attend the relays that\n"
             "ring it meanwhile, in place of the thread that serves them.");

static PyObject *bell_rings(PyObject *self, void *nothing) {
    (void)nothing;
    return PyLong_FromUnsignedLong(__atomic_load_n(&((Bell *)self)->rings, __ATOMIC_SEQ_CST));
}

static PyObject *bell_is_awaited(PyObject *self, void *nothing) {
    (void)nothing;
    const Bell *bell = (const Bell *)self;
    return PyBool_FromLong(__atomic_load_n(&bell->waiting, __ATOMIC_SEQ_CST) > 0 ||
                           __atomic_load_n(&bell->is_at_sockets, __ATOMIC_SEQ_CST));
}

static PyObject *bell_offered(PyObject *self, void *nothing) {
    (void)nothing;
    return PyLong_FromLong(__atomic_load_n(&((Bell *)self)->offered_count, __ATOMIC_RELAXED));
}

static PyObject *bell_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    if (PyTuple_GET_SIZE(args) > 0 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0))
        return PyErr_Format(PyExc_TypeError, "Bell() takes no arguments");
    Bell *bell = (Bell *)type->tp_alloc(type, 0);
    if (bell == NULL)
        return NULL;
    pthread_mutex_init(&bell->lock, NULL);
    bell->eventfd = -1;
    bell->pid = getpid();
    return (PyObject *)bell;
}

static void bell_dealloc(PyObject *self) {
    Bell *bell = (Bell *)self;
    PyTypeObject *type = Py_TYPE(self);
    pthread_mutex_destroy(&bell->lock);
    if (bell->eventfd >= 0 && is_ours(bell))
        close(bell->eventfd);
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
    {"offered", bell_offered, NULL, PyDoc_STR("How many relays whoever waits for it now may attend."), NULL},
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
