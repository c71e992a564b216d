/* SteadyFetch: keeps fetching from one broker as long as all answers are plain (`steady_answer.h`).
 *
 * It does no I/O: the caller passes in each answer, and gets the columns and the next request. An odd answer changes
 * nothing.
 */
#ifndef KAFKA_NEXTGEN_STEADY_FETCH_H
#define KAFKA_NEXTGEN_STEADY_FETCH_H

#include "state.h"
#include "steady_request.h"

#define FRAME_HEAD 5 /* of an answer: its correlation id, no tags */

typedef struct {
    PyObject_HEAD
    int check_crc;
    Places places;
    Request request;
    Moves moves;
    PyTypeObject *made, *columns; /* the second is borrowed from the module, which outlives this */
    ColumnTypes types;
    unsigned long long answers; /* the number of plain answers */
    uint64_t number; /* the number of the last answer, plain or not */
    int is_answering; /* `answer` is running */
} SteadyFetch;

/* Copy bytes; returns 0 with an exception set if memory is exhausted. */
static int copy_given(const Py_buffer *bytes, Given *given) {
    given->data = PyMem_RawMalloc((size_t)bytes->len + 1);
    if (given->data == NULL)
        return PyErr_NoMemory() != NULL;
    memcpy(given->data, bytes->buf, (size_t)bytes->len);
    given->size = bytes->len;
    return 1;
}

/* Keep references to the types of the results; returns 0 with an exception set if they are not valid. */
static int keep_types(SteadyFetch *fetch, PyObject *made, PyObject *types) {
    const ModuleState *state = PyType_GetModuleState(Py_TYPE(fetch));
    PyObject *columns, *strings, *headers;
    if (!PyArg_ParseTuple(types, "OOO:types", &columns, &strings, &headers))
        return 0;
    fetch->made = (PyTypeObject *)Py_NewRef(made), fetch->columns = state->columns;
    fetch->types = (ColumnTypes){Py_NewRef(columns), Py_NewRef(strings), Py_NewRef(headers), &state->names};
    return is_named_tuple(fetch->made, DECODED_FIELDS);
}

static int fill_fetch(SteadyFetch *fetch, PyObject *args) {
    Py_buffer client_id, limits, rest;
    Request *request = &fetch->request;
    PyObject *places, *made, *types;
    if (!PyArg_ParseTuple(args, "iiiy*y*y*OpO!O!:SteadyFetch", &request->version, &request->session_id,
                          &request->epoch, &client_id, &limits, &rest, &places, &fetch->check_crc, &PyType_Type, &made,
                          &PyTuple_Type, &types))
        return 0;
    int is_well = keep_types(fetch, made, types) && copy_given(&client_id, &request->client_id) &&
                  copy_given(&limits, &request->limits) && copy_given(&rest, &request->rest) &&
                  read_places(places, &fetch->places);
    PyBuffer_Release(&client_id);
    PyBuffer_Release(&limits);
    PyBuffer_Release(&rest);
    return is_well;
}

static PyObject *steady_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0)
        return PyErr_Format(PyExc_TypeError, "SteadyFetch takes no keywords");
    SteadyFetch *fetch = (SteadyFetch *)type->tp_alloc(type, 0);
    if (fetch != NULL && !fill_fetch(fetch, args))
        Py_CLEAR(fetch);
    return (PyObject *)fetch;
}

static void steady_dealloc(PyObject *self) {
    SteadyFetch *fetch = (SteadyFetch *)self;
    PyTypeObject *type = Py_TYPE(self);
    drop_places(&fetch->places);
    PyMem_RawFree(fetch->request.client_id.data);
    PyMem_RawFree(fetch->request.limits.data);
    PyMem_RawFree(fetch->request.rest.data);
    Py_XDECREF(fetch->made);
    Py_XDECREF(fetch->types.columns);
    Py_XDECREF(fetch->types.strings);
    Py_XDECREF(fetch->types.headers);
    type->tp_free(self);
    Py_DECREF(type);
}

/* Advance the positions past the records in the answer. */
static void move_on(SteadyFetch *fetch) {
    Request *request = &fetch->request;
    for (int i = 0; i < fetch->moves.count; i++) {
        const Move *move = &fetch->moves.of[i];
        move->place->offset = move->next_offset;
        if (move->end_epoch >= 0)
            move->place->last_epoch = move->end_epoch;
    }
    request->epoch = request->epoch == LAST_EPOCH ? 1 : request->epoch + 1;
    fetch->answers++;
}

/* Return the next request and the decoded partitions, whose reference this takes; NULL with an exception set on
 * failure. */
static PyObject *next_request(SteadyFetch *fetch, int32_t correlation_id, PyObject *decoded) {
    PyObject *frame = PyBytes_FromStringAndSize(NULL, size_of_request(&fetch->request, &fetch->moves));
    PyObject *pair = frame == NULL ? NULL : PyTuple_New(2);
    if (pair == NULL) {
        Py_XDECREF(frame);
        Py_DECREF(decoded);
        return NULL;
    }
    move_on(fetch); /* nothing can fail from here on */
    write_request(&fetch->request, correlation_id, &fetch->moves, (uint8_t *)PyBytes_AS_STRING(frame));
    PyTuple_SET_ITEM(pair, 0, frame);
    PyTuple_SET_ITEM(pair, 1, decoded);
    return pair;
}

static PyObject *take_frame(SteadyFetch *fetch, const Py_buffer *frame, int32_t correlation_id) {
    const uint8_t *bytes = frame->buf;
    if (frame->len < FRAME_HEAD || bytes[FRAME_HEAD - 1] != 0)
        Py_RETURN_NONE;
    PyObject *decoded = PyList_New(0);
    if (decoded == NULL)
        return NULL;
    fetch->moves.count = 0;
    Plain plain = {&fetch->places, ++fetch->number,  fetch->made,    fetch->columns,
                   fetch->types,   fetch->check_crc, &fetch->moves, decoded};
    Cursor body = {bytes + FRAME_HEAD, bytes + frame->len};
    int done = take_answer(&plain, body, fetch->request.session_id);
    if (done == 1)
        return next_request(fetch, correlation_id, decoded);
    Py_DECREF(decoded);
    return done == 0 ? Py_NewRef(Py_None) : NULL;
}

PyDoc_STRVAR(steady_answer_doc,
             "answer(frame, correlation_id)\n--\n\n"
             "Take an answer, a frame without its length. Returns the next request, a frame with its length, and a\n"
             "list of the results, by partition; None if the answer is odd, in which case nothing changes.");

static PyObject *steady_answer(PyObject *self, PyObject *args) {
    Py_buffer frame;
    int correlation_id;
    if (!PyArg_ParseTuple(args, "y*i:answer", &frame, &correlation_id))
        return NULL;
    SteadyFetch *fetch = (SteadyFetch *)self;
    PyObject *taken = NULL;
    if (fetch->is_answering) { /* called by the garbage collector's callbacks or by a finalizer */
        PyErr_SetString(PyExc_RuntimeError, "answer() is already running");
    } else {
        fetch->is_answering = 1;
        taken = take_frame(fetch, &frame, correlation_id);
        fetch->is_answering = 0;
    }
    PyBuffer_Release(&frame);
    return taken;
}

/* Add one place to a dictionary; returns 0 with an exception set on failure. */
static int add_place(PyObject *found, const Place *place) {
    PyObject *at = Py_BuildValue("Li", place->offset, place->last_epoch);
    int is_well = at != NULL && PyDict_SetItem(found, place->partition, at) == 0;
    Py_XDECREF(at);
    return is_well;
}

PyDoc_STRVAR(steady_places_doc,
             "places()\n--\n\n"
             "Return what the last request asks for, by partition: the offset and the last fetched epoch.");

static PyObject *steady_places(PyObject *self, PyObject *nothing) {
    (void)nothing;
    const Places *places = &((SteadyFetch *)self)->places;
    PyObject *found = PyDict_New();
    for (Py_ssize_t i = 0; i < places->count && found != NULL; i++)
        if (!add_place(found, &places->of[i]))
            Py_CLEAR(found);
    return found;
}

static PyObject *get_answers(PyObject *self, void *nothing) {
    (void)nothing;
    return PyLong_FromUnsignedLongLong(((SteadyFetch *)self)->answers);
}

static PyMethodDef steady_methods[] = {
    {"answer", steady_answer, METH_VARARGS, steady_answer_doc},
    {"places", steady_places, METH_NOARGS, steady_places_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef steady_fields[] = {
    {"answers", get_answers, NULL, PyDoc_STR("The number of plain answers so far."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(steady_doc,
             "SteadyFetch(version, session_id, epoch, client_id, limits, rest, places, check_crc, made, types, /)\n--\n\n"
             "Continues from the fetch in flight, in this epoch of this session. client_id, limits and rest are the\n"
             "constant parts of each request, as bytes. places are the partitions of the session, as tuples:\n"
             "partition, topic id, number, leader epoch, offset, last fetched epoch, max bytes. made is the named\n"
             "tuple type of a decoded partition; types are the classes of columns.");

static PyType_Slot steady_slots[] = {
    {Py_tp_doc, (void *)steady_doc},
    {Py_tp_new, steady_new},
    {Py_tp_dealloc, steady_dealloc},
    {Py_tp_methods, steady_methods},
    {Py_tp_getset, steady_fields},
    {0, NULL},
};

static PyType_Spec steady_spec = {
    .name = "kafka_nextgen.compiled._accelerator.SteadyFetch",
    .basicsize = sizeof(SteadyFetch),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = steady_slots,
};

#endif
