/* FetchRelay as a Python type. */
#ifndef KAFKA_NEXTGEN_RELAY_OBJECT_H
#define KAFKA_NEXTGEN_RELAY_OBJECT_H

#include "relay.h"

#ifdef __linux__

#include "state.h"

/* Copy bytes; 0 with an exception set if there is no memory. */
static int copy_given(const Py_buffer *bytes, Given *given) {
    given->data = PyMem_RawMalloc((size_t)bytes->len + 1);
    if (given->data == NULL)
        return PyErr_NoMemory() != NULL;
    memcpy(given->data, bytes->buf, (size_t)bytes->len);
    given->size = bytes->len;
    return 1;
}

static int allocate_buffers(Relay *relay) {
    relay->findings = PyMem_RawCalloc(1, sizeof(Findings));
    relay->frame = PyMem_RawMalloc(MOST_FRAME);
    relay->asked = PyMem_RawMalloc((size_t)most_bytes_of(&relay->request));
    int is_well = relay->findings != NULL && relay->frame != NULL && relay->asked != NULL && begin_queue(relay);
    return is_well || PyErr_NoMemory() != NULL;
}

/* Store a Bell, or NULL for None; 0 with an exception set if it is neither. */
static int store_bell(Relay *relay, PyObject *bell) {
    const ModuleState *state = PyType_GetModuleState(Py_TYPE(relay));
    if (bell == Py_None)
        return 1;
    if (Py_TYPE(bell) != state->bell) {
        PyErr_SetString(PyExc_TypeError, "only a Bell can be rung without the GIL");
        return 0;
    }
    relay->bell = (Bell *)Py_NewRef(bell);
    return 1;
}

static int fill_relay(Relay *relay, PyObject *args) {
    Py_buffer client_id, limits, rest;
    Request *request = &relay->request;
    PyObject *places, *bell;
    if (!PyArg_ParseTuple(args, "iiiiiy*y*y*OpndO:FetchRelay", &relay->fd, &request->version, &request->correlation_id,
                          &request->session_id, &request->epoch, &client_id, &limits, &rest, &places,
                          &relay->check_crc, &relay->most_kept_bytes, &relay->asked_at, &bell))
        return 0;
    int is_well = copy_given(&client_id, &request->client_id) && copy_given(&limits, &request->limits) &&
                  copy_given(&rest, &request->rest) && read_places(places, &relay->places) && store_bell(relay, bell) &&
                  allocate_buffers(relay);
    PyBuffer_Release(&client_id);
    PyBuffer_Release(&limits);
    PyBuffer_Release(&rest);
    return is_well;
}

static PyObject *relay_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0)
        return PyErr_Format(PyExc_TypeError, "FetchRelay takes no keywords");
    Relay *relay = (Relay *)type->tp_alloc(type, 0);
    if (relay == NULL)
        return NULL;
    pthread_mutex_init(&relay->lock, NULL);
    if (!fill_relay(relay, args))
        Py_CLEAR(relay);
    return (PyObject *)relay;
}

static void drop_kept(Kept *kept) {
    while (kept != NULL) {
        Kept *next = kept->next;
        PyMem_RawFree(kept);
        kept = next;
    }
}

static void relay_dealloc(PyObject *self) {
    Relay *relay = (Relay *)self;
    PyTypeObject *type = Py_TYPE(self);
    drop_kept(relay->taken);
    pthread_mutex_destroy(&relay->lock);
    void *owned[] = {relay->places.of, relay->findings, relay->frame, relay->asked, relay->request.client_id.data,
                     relay->request.limits.data, relay->request.rest.data};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        PyMem_RawFree(owned[i]);
    Py_XDECREF(relay->bell);
    type->tp_free(self);
    Py_DECREF(type);
}

/* The first answer of the queue, or NULL. */
static Kept *first_kept(const Relay *relay) { return __atomic_load_n(&relay->taken->next, __ATOMIC_ACQUIRE); }

static PyObject *relay_first(PyObject *self, PyObject *nothing) {
    (void)nothing;
    const Kept *kept = first_kept((const Relay *)self);
    if (kept == NULL)
        Py_RETURN_NONE;
    long long number = kept->number; /* copied: making objects may run Python code that drops the answer */
    double came_at = kept->came_at;
    PyObject *body = PyBytes_FromStringAndSize((const char *)kept->data, kept->size);
    return body == NULL ? NULL : Py_BuildValue("LNd", number, body, came_at);
}

PyDoc_STRVAR(relay_first_doc,
             "first()\n--\n\n"
             "The oldest answer that is kept, or None: its number, its body, and when it came, in seconds on the monotonic\n"
             "clock. Any thread may call this.");

static PyObject *relay_drop(PyObject *self, PyObject *number) {
    Relay *relay = (Relay *)self;
    long long wanted = PyLong_AsLongLong(number);
    if (wanted == -1 && PyErr_Occurred())
        return NULL;
    Kept *kept = first_kept(relay);
    if (kept == NULL || kept->number != wanted)
        return PyErr_Format(PyExc_LookupError, "answer %lld is not the first", wanted);
    __atomic_sub_fetch(&relay->kept_bytes, bytes_to_keep(kept->size), __ATOMIC_RELAXED);
    PyMem_RawFree(relay->taken);
    relay->taken = kept;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(relay_drop_doc,
             "drop(number)\n--\n\n"
             "Drop the answer with this number; LookupError if it is not the oldest that is kept. Any thread may call\n"
             "this.");

static PyObject *relay_end(PyObject *self, PyObject *nothing) {
    (void)nothing;
    end_relay((Relay *)self); /* the GIL can stay: a thread that holds the lock never waits for it */
    Py_RETURN_NONE;
}

PyDoc_STRVAR(relay_end_doc, "end()\n--\n\nKeep no more answers. Any thread may call this.");

static PyObject *relay_left(PyObject *self, PyObject *nothing) {
    (void)nothing;
    const Relay *relay = (const Relay *)self;
    return Py_BuildValue("y#y#", relay->frame, relay->received, relay->asked + relay->sent, relay->asked_size - relay->sent);
}

PyDoc_STRVAR(relay_left_doc,
             "left()\n--\n\n"
             "The bytes received of an answer that is not kept, and the bytes of the last request that are not sent yet.\n"
             "This and all methods below are for the thread that serves, while it does not.");

/* Add one place to a dictionary; 0 with an exception set if that fails. */
static int add_place(PyObject *found, const Place *place) {
    PyObject *key = Py_BuildValue("y#i", place->topic, (Py_ssize_t)TOPIC_ID, place->number);
    PyObject *at = Py_BuildValue("Li", place->offset, place->last_epoch);
    int is_well = key != NULL && at != NULL && PyDict_SetItem(found, key, at) == 0;
    Py_XDECREF(key);
    Py_XDECREF(at);
    return is_well;
}

static PyObject *relay_places(PyObject *self, PyObject *nothing) {
    (void)nothing;
    const Places *places = &((Relay *)self)->places;
    PyObject *found = PyDict_New();
    for (Py_ssize_t i = 0; i < places->count && found != NULL; i++)
        if (!add_place(found, &places->of[i]))
            Py_CLEAR(found);
    return found;
}

PyDoc_STRVAR(relay_places_doc,
             "places()\n--\n\n"
             "What the last request asks for, by topic id and partition number: offset and last fetched epoch.");

static PyObject *relay_counted(PyObject *self, PyObject *nothing) {
    (void)nothing;
    Counted counted = ((Relay *)self)->counted;
    ((Relay *)self)->counted = (Counted){0};
    return Py_BuildValue("LLLLLdd", counted.answers, counted.bytes_in, counted.bytes_out, counted.records,
                         counted.data_bytes, counted.took_s, counted.longest_s);
}

PyDoc_STRVAR(relay_counted_doc,
             "counted()\n--\n\n"
             "Counts since the last call: answers, bytes received, bytes sent, records, bytes of their batches, and the sum\n"
             "and the longest of the times from request to answer (seconds).");

static PyObject *get_is_over(PyObject *self, void *nothing) {
    (void)nothing;
    return PyBool_FromLong(__atomic_load_n(&((Relay *)self)->is_over, __ATOMIC_ACQUIRE));
}

static PyObject *get_has_answers(PyObject *self, void *nothing) {
    (void)nothing;
    return PyBool_FromLong(first_kept((const Relay *)self) != NULL);
}

static PyObject *get_correlation_id(PyObject *self, void *nothing) {
    (void)nothing;
    return PyLong_FromLong(((Relay *)self)->request.correlation_id);
}

static PyObject *get_asked_at(PyObject *self, void *nothing) {
    (void)nothing;
    return PyFloat_FromDouble(((Relay *)self)->asked_at);
}

static PyMethodDef relay_methods[] = {
    {"first", relay_first, METH_NOARGS, relay_first_doc},
    {"drop", relay_drop, METH_O, relay_drop_doc},
    {"end", relay_end, METH_NOARGS, relay_end_doc},
    {"places", relay_places, METH_NOARGS, relay_places_doc},
    {"left", relay_left, METH_NOARGS, relay_left_doc},
    {"counted", relay_counted, METH_NOARGS, relay_counted_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef relay_fields[] = {
    {"is_over", get_is_over, NULL, PyDoc_STR("Whether it has ended."), NULL},
    {"has_answers", get_has_answers, NULL, PyDoc_STR("Whether any answer is kept."), NULL},
    {"correlation_id", get_correlation_id, NULL, PyDoc_STR("The correlation id of the last request."), NULL},
    {"asked_at", get_asked_at, NULL, PyDoc_STR("When the last request was sent, in seconds on the monotonic clock."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(relay_doc,
             "FetchRelay(fd, version, correlation_id, session_id, epoch, client_id, limits, rest, places, check_crc,\n"
             "           most_kept_bytes, asked_at, bell, /)\n--\n\n"
             "Goes on from a fetch that was sent at asked_at (monotonic seconds) with this correlation id, in this epoch\n"
             "of this session. places are the partitions of the session, as tuples: topic id, number, leader epoch, offset,\n"
             "last fetched epoch, max bytes. client_id, limits and rest are those parts of each request, as bytes. It keeps\n"
             "answers of at most most_kept_bytes, and rings the Bell, if it is not None, for each.");

static PyType_Slot relay_slots[] = {
    {Py_tp_doc, (void *)relay_doc},
    {Py_tp_new, relay_new},
    {Py_tp_dealloc, relay_dealloc},
    {Py_tp_methods, relay_methods},
    {Py_tp_getset, relay_fields},
    {0, NULL},
};

static PyType_Spec relay_spec = {
    .name = "kafka_nextgen.compiled._accelerator.FetchRelay",
    .basicsize = sizeof(Relay),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = relay_slots,
};

#endif
#endif
