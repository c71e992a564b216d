/* The Python type of ArrivingRows (arriving_rows.h). */
#ifndef KAFKA_NEXTGEN_ARRIVING_ROWS_TYPE_H
#define KAFKA_NEXTGEN_ARRIVING_ROWS_TYPE_H

#include "arriving_rows.h"

/* Have each socket queue its results from now on; returns 0 with an exception set if memory is exhausted. */
static int begin_queues(ArrivingRows *self) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->sockets); i++) {
        PyObject *queue = PyList_New(0);
        if (queue == NULL)
            return 0;
        Py_XSETREF(socket_at(self, i)->queue, queue);
    }
    return 1;
}

/* Whether these are sockets, and not too many; 0 with an exception set if not. */
static int are_sockets(PyObject *sockets, const ModuleState *state) {
    int are = PyTuple_GET_SIZE(sockets) <= MOST_SOCKETS;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sockets); i++)
        are &= Py_IS_TYPE(PyTuple_GET_ITEM(sockets, i), state->socket);
    if (!are)
        PyErr_Format(PyExc_TypeError, "ArrivingRows takes at most %d sockets", MOST_SOCKETS);
    return are;
}

static PyObject *arriving_rows_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const ModuleState *state = PyType_GetModuleState(type);
    PyObject *sockets, *record, *kinds;
    int waker;
    double until;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0)
        return PyErr_Format(PyExc_TypeError, "ArrivingRows takes no keywords");
    if (state == NULL ||
        !PyArg_ParseTuple(args, "O!O!O!id:ArrivingRows", &PyTuple_Type, &sockets, &PyType_Type, &record, &PyTuple_Type,
                          &kinds, &waker, &until) ||
        !are_sockets(sockets, state))
        return NULL;
    ArrivingRows *self = (ArrivingRows *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->sockets = Py_NewRef(sockets), self->kinds = Py_NewRef(kinds);
    self->record = (PyTypeObject *)Py_NewRef(record), self->rows_type = state->rows;
    self->waker = waker, self->until = until;
    self->handed = PyList_New(0);
    if (self->handed == NULL || !begin_queues(self))
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int arriving_rows_traverse(PyObject *object, visitproc visit, void *arg) {
    ArrivingRows *self = (ArrivingRows *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->sockets);
    Py_VISIT(self->record);
    Py_VISIT(self->kinds);
    Py_VISIT(self->rows);
    Py_VISIT(self->handed);
    Py_VISIT(self->offered);
    return 0;
}

static int arriving_rows_clear(PyObject *object) {
    ArrivingRows *self = (ArrivingRows *)object;
    Py_CLEAR(self->sockets);
    Py_CLEAR(self->record);
    Py_CLEAR(self->kinds);
    Py_CLEAR(self->rows);
    Py_CLEAR(self->handed);
    Py_CLEAR(self->offered);
    return 0;
}

static void arriving_rows_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    arriving_rows_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *arriving_rows_next(PyObject *object) {
    ArrivingRows *self = (ArrivingRows *)object;
    if (self->is_running) /* called by a signal handler, whose call has ended the rows, or is refused */
        return NULL;
    self->is_running = self->is_asked = 1;
    PyObject *record = settle_offer(self) < 0 ? NULL : next_record(self);
    self->is_running = 0;
    if (record != NULL)
        self->is_asked = 0;
    return record;
}

static void end_rows(ArrivingRows *self) {
    self->is_over = 1;
    if (self->rows != NULL)
        ((RecordRows *)self->rows)->is_over = 1;
}

PyDoc_STRVAR(arriving_rows_offer_doc,
             "offer(until, most_records)\n--\n\n"
             "Wait until this time (monotonic seconds) for records, and offer all that have arrived, as a list of\n"
             "columns; it is empty if there are none, or if the rows have ended. They end here if there would be more\n"
             "than most_records. Set is_taken once they are handed over, if this list is still `offered`.");

static PyObject *arriving_rows_offer(PyObject *object, PyObject *args) {
    ArrivingRows *self = (ArrivingRows *)object;
    double until;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "dn:offer", &until, &most))
        return NULL;
    if (self->is_running) { /* a signal handler polls inside such a call */
        end_rows(self);
        return PyList_New(0);
    }
    self->is_running = self->is_asked = 1;
    PyObject *columns = make_offer(self, until, most);
    self->is_running = 0;
    return columns;
}

PyDoc_STRVAR(arriving_rows_end_doc,
             "end()\n--\n\nHand over no more records. Can be called from any thread, and never blocks.");

static PyObject *arriving_rows_end(PyObject *object, PyObject *nothing) {
    (void)nothing;
    end_rows((ArrivingRows *)object);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(arriving_rows_finish_doc,
             "finish()\n--\n\n"
             "Hand over no more records, and withdraw an offer that was not taken. Never blocks.");

static PyObject *arriving_rows_finish(PyObject *object, PyObject *nothing) {
    ArrivingRows *self = (ArrivingRows *)object;
    (void)nothing;
    end_rows(self);
    if (!self->is_taken)
        Py_CLEAR(self->offered);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(arriving_rows_progress_doc,
             "progress()\n--\n\n"
             "Return the columns that were handed over, in order, the next row of the last ones, -1 if all of their\n"
             "records were, and how many of the columns are those of the last offer.");

static PyObject *arriving_rows_progress(PyObject *object, PyObject *nothing) {
    const ArrivingRows *self = (ArrivingRows *)object;
    (void)nothing;
    int collects = PyGC_Disable(); /* its callbacks could change all of this */
    PyObject *handed = PyList_GetSlice(self->handed, 0, PY_SSIZE_T_MAX);
    int is_taken = self->is_taken && self->offered != NULL;
    Py_ssize_t row = is_taken || self->rows == NULL ? COMPLETE : ((RecordRows *)self->rows)->row;
    Py_ssize_t last = is_taken ? PyList_GET_SIZE(self->offered) : 0;
    if (handed != NULL && is_taken && PyList_SetSlice(handed, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, self->offered) < 0)
        Py_CLEAR(handed);
    if (collects)
        PyGC_Enable();
    return handed == NULL ? NULL : Py_BuildValue("Nnn", handed, row, last);
}

PyDoc_STRVAR(arriving_rows_forget_doc,
             "forget(columns)\n--\n\n"
             "Remove these columns, the first ones of progress, but for the last ones, from progress.");

static PyObject *arriving_rows_forget(PyObject *object, PyObject *columns) {
    ArrivingRows *self = (ArrivingRows *)object;
    Py_ssize_t count = 0, most = PyList_GET_SIZE(self->handed) - 1;
    if (!PyList_Check(columns))
        return PyErr_Format(PyExc_TypeError, "forget() takes a list");
    while (count < most && count < PyList_GET_SIZE(columns) &&
           PyList_GET_ITEM(self->handed, count) == PyList_GET_ITEM(columns, count))
        count++;
    if (PyList_SetSlice(self->handed, 0, count, NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *get_is_ready(PyObject *object, void *nothing) {
    const ArrivingRows *self = (ArrivingRows *)object;
    (void)nothing;
    return PyBool_FromLong(is_in_columns(self) || socket_with_results(self) != NULL);
}

static PyObject *get_offered(PyObject *object, void *nothing) {
    PyObject *offered = ((ArrivingRows *)object)->offered;
    (void)nothing;
    return Py_NewRef(offered == NULL ? Py_None : offered);
}

static PyMethodDef arriving_rows_methods[] = {
    {"offer", arriving_rows_offer, METH_VARARGS, arriving_rows_offer_doc},
    {"end", arriving_rows_end, METH_NOARGS, arriving_rows_end_doc},
    {"finish", arriving_rows_finish, METH_NOARGS, arriving_rows_finish_doc},
    {"progress", arriving_rows_progress, METH_NOARGS, arriving_rows_progress_doc},
    {"forget", arriving_rows_forget, METH_O, arriving_rows_forget_doc},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef arriving_rows_members[] = {
    {"is_taken", T_INT, offsetof(ArrivingRows, is_taken), 0, "Whether the last offer is handed over."},
    {"is_asked", T_INT, offsetof(ArrivingRows, is_asked), READONLY,
     "Whether all records handed over so far are processed: the caller has asked for more, and got none yet."},
    {"is_running", T_INT, offsetof(ArrivingRows, is_running), READONLY, "Whether a caller is inside."},
    {"is_waiting", T_INT, offsetof(ArrivingRows, is_waiting), READONLY, "Whether it waits for an answer."},
    {"is_over", T_INT, offsetof(ArrivingRows, is_over), READONLY, "Whether no more records are handed over."},
    {"offers", T_ULONG, offsetof(ArrivingRows, offers), READONLY, "How many offers it has made."},
    {"waited_s", T_DOUBLE, offsetof(ArrivingRows, waited_s), READONLY, "How long it has waited, in seconds."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef arriving_rows_fields[] = {
    {"is_ready", get_is_ready, NULL, PyDoc_STR("Whether records have arrived that were not handed over."), NULL},
    {"offered", get_offered, NULL, PyDoc_STR("The last offer, until it is settled or withdrawn; or None."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(arriving_rows_doc,
             "ArrivingRows(sockets, record, kinds, waker, until, /)\n--\n\n"
             "An iterator over the records that these sockets receive from now on. They are tuples of the type\n"
             "record; kinds are their timestamp types by number. It waits until this time (monotonic seconds), or until something arrives at the socket waker.\n"
             "If waker is negative, it does not wait: it stops where nothing has arrived, and can go on later.");

static PyType_Slot arriving_rows_slots[] = {
    {Py_tp_doc, (void *)arriving_rows_doc},
    {Py_tp_new, arriving_rows_new},
    {Py_tp_dealloc, arriving_rows_dealloc},
    {Py_tp_traverse, arriving_rows_traverse},
    {Py_tp_clear, arriving_rows_clear},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, arriving_rows_next},
    {Py_tp_methods, arriving_rows_methods},
    {Py_tp_members, arriving_rows_members},
    {Py_tp_getset, arriving_rows_fields},
    {0, NULL},
};

static PyType_Spec arriving_rows_spec = {
    .name = "kafka_nextgen.compiled._accelerator.ArrivingRows",
    .basicsize = sizeof(ArrivingRows),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = arriving_rows_slots,
};

#endif
