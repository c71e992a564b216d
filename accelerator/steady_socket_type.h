/* The Python type of SteadySocket (steady_socket.h). */
#ifndef KAFKA_NEXTGEN_STEADY_SOCKET_TYPE_H
#define KAFKA_NEXTGEN_STEADY_SOCKET_TYPE_H

#include "steady_socket.h"

static PyObject *socket_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const ModuleState *state = PyType_GetModuleState(type);
    PyObject *fetch;
    int fd, number;
    double asked_at;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0)
        return PyErr_Format(PyExc_TypeError, "SteadySocket takes no keywords");
    if (state == NULL || !PyArg_ParseTuple(args, "O!iid:SteadySocket", state->fetch, &fetch, &fd, &number, &asked_at))
        return NULL;
    SteadySocket *self = (SteadySocket *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->fetch = (SteadyFetch *)Py_NewRef(fetch);
    self->fd = fd, self->number = number, self->asked_at = asked_at;
    self->taken = PyList_New(0);
    if (self->taken == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void socket_dealloc(PyObject *object) {
    SteadySocket *self = (SteadySocket *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->fetch);
    Py_XDECREF(self->taken);
    Py_XDECREF(self->queue);
    Py_XDECREF(self->unsent);
    type->tp_free(object);
    Py_DECREF(type);
}

PyDoc_STRVAR(socket_serve_doc,
             "serve()\n--\n\n"
             "Receive what has arrived, and send the next request after each answer. Returns 1 after an answer, 0 if\n"
             "none has arrived, and 2 if the service is over. An exception ends it, too.");

static PyObject *socket_serve(PyObject *object, PyObject *nothing) {
    (void)nothing;
    int status = serve_arrived((SteadySocket *)object);
    return status < 0 ? NULL : PyLong_FromLong(status);
}

PyDoc_STRVAR(socket_stop_doc, "stop()\n--\n\nEnd the service: serve does nothing from now on.");

static PyObject *socket_stop(PyObject *object, PyObject *nothing) {
    (void)nothing;
    ((SteadySocket *)object)->is_over = 1;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(socket_end_doc,
             "end()\n--\n\n"
             "End the service. Returns the bytes that were received and not used, those that are yet to be sent, and\n"
             "the correlation id of the request in flight.");

static PyObject *socket_end(PyObject *object, PyObject *nothing) {
    SteadySocket *self = (SteadySocket *)object;
    (void)nothing;
    self->is_over = 1;
    const char *unsent = self->unsent == NULL ? "" : PyBytes_AS_STRING(self->unsent) + self->sent;
    Py_ssize_t left = self->unsent == NULL ? 0 : PyBytes_GET_SIZE(self->unsent) - self->sent;
    return Py_BuildValue("y#y#i", self->bytes, self->filled, unsent, left, self->number);
}

PyDoc_STRVAR(socket_traffic_doc,
             "traffic()\n--\n\n"
             "Return what was counted since the last call: answers, bytes received, bytes sent, how long the answers\n"
             "took in total, and at most, in seconds.");

static PyObject *socket_traffic(PyObject *object, PyObject *nothing) {
    SteadySocket *self = (SteadySocket *)object;
    (void)nothing;
    unsigned long long answers = self->answers, bytes_in = self->bytes_in, bytes_out = self->bytes_out;
    double waited_s = self->waited_s, longest_s = self->longest_s;
    self->answers = self->bytes_in = self->bytes_out = 0; /* first: creating objects may let other threads run */
    self->waited_s = self->longest_s = 0.0;
    return Py_BuildValue("KKKdd", answers, bytes_in, bytes_out, waited_s, longest_s);
}

static PyMethodDef socket_methods[] = {
    {"serve", socket_serve, METH_NOARGS, socket_serve_doc},
    {"stop", socket_stop, METH_NOARGS, socket_stop_doc},
    {"end", socket_end, METH_NOARGS, socket_end_doc},
    {"traffic", socket_traffic, METH_NOARGS, socket_traffic_doc},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef socket_members[] = {
    {"taken", T_OBJECT, offsetof(SteadySocket, taken), READONLY,
     "A list: for each answer, the list of its results, or None. Whoever uses an item deletes it."},
    {"asked_at", T_DOUBLE, offsetof(SteadySocket, asked_at), READONLY,
     "When the request in flight was sent, in monotonic seconds."},
    {"answers", T_ULONGLONG, offsetof(SteadySocket, answers), READONLY, "How many answers `traffic` has yet to count."},
    {"is_over", T_INT, offsetof(SteadySocket, is_over), READONLY, "Whether serve does nothing any more."},
    {NULL, 0, 0, 0, NULL},
};

PyDoc_STRVAR(socket_doc,
             "SteadySocket(fetch, fd, correlation_id, asked_at, /)\n--\n\n"
             "Continues a SteadyFetch on a connected socket. correlation_id is that of the request in flight, which\n"
             "was sent at asked_at (monotonic seconds).");

static PyType_Slot socket_slots[] = {
    {Py_tp_doc, (void *)socket_doc},
    {Py_tp_new, socket_new},
    {Py_tp_dealloc, socket_dealloc},
    {Py_tp_methods, socket_methods},
    {Py_tp_members, socket_members},
    {0, NULL},
};

static PyType_Spec socket_spec = {
    .name = "kafka_nextgen.compiled._accelerator.SteadySocket",
    .basicsize = sizeof(SteadySocket),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = socket_slots,
};

#endif
