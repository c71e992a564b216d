/* ArrivedColumns: the columns of a plain answer's partition, with the attributes of Columns (wire/records/columns.py).
 *
 * An answer often has a single record, whose views and columns of strings would take longer to create than everything
 * else, although nobody may look at them. So they are created on each access. Nothing here is known to the garbage
 * collector, which therefore does not run more often, however many answers are kept.
 */
#ifndef KAFKA_NEXTGEN_ARRIVED_COLUMNS_H
#define KAFKA_NEXTGEN_ARRIVED_COLUMNS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

#include "column_objects.h"
#include "record_rows.h"

typedef struct {
    PyObject_HEAD
    Buffers buffers;
    ColumnFacts facts; /* with a reference to the partition */
    ColumnTypes types; /* with references to the classes */
    Py_ssize_t count;
} ArrivedColumns;

/* Create the columns. Takes the references to the buffers. */
static PyObject *new_arrived_columns(PyTypeObject *type, Buffers *buffers, const ColumnFacts *facts,
                                     const ColumnTypes *types) {
    ArrivedColumns *made = (ArrivedColumns *)type->tp_alloc(type, 0);
    if (made == NULL)
        return NULL;
    made->buffers = *buffers, made->facts = *facts, made->types = *types;
    memset(buffers, 0, sizeof *buffers);
    made->count = size_of_buffer(made->buffers.of[OFFSETS]) / (Py_ssize_t)sizeof(int64_t);
    Py_INCREF(facts->partition);
    Py_INCREF(types->columns);
    Py_INCREF(types->strings);
    Py_INCREF(types->headers);
    return (PyObject *)made;
}

static void arrived_columns_dealloc(PyObject *object) {
    ArrivedColumns *self = (ArrivedColumns *)object;
    PyTypeObject *type = Py_TYPE(object);
    drop_buffers(&self->buffers);
    Py_DECREF(self->facts.partition);
    Py_DECREF(self->types.columns);
    Py_DECREF(self->types.strings);
    Py_DECREF(self->types.headers);
    type->tp_free(object);
    Py_DECREF(type);
}

static Py_ssize_t arrived_columns_length(PyObject *object) { return ((ArrivedColumns *)object)->count; }

/* The numbers in a buffer; `which` points to its index. */
static PyObject *get_int64(PyObject *object, void *which) {
    const ArrivedColumns *self = (ArrivedColumns *)object;
    return numbers_of(self->buffers.of[*(const int *)which], self->types.names, self->types.names->int64);
}

static PyObject *get_int32(PyObject *object, void *which) {
    const ArrivedColumns *self = (ArrivedColumns *)object;
    return numbers_of(self->buffers.of[*(const int *)which], self->types.names, self->types.names->int32);
}

static PyObject *get_int8(PyObject *object, void *which) {
    const ArrivedColumns *self = (ArrivedColumns *)object;
    return numbers_of(self->buffers.of[*(const int *)which], self->types.names, self->types.names->int8);
}

static PyObject *get_strings(PyObject *object, void *which) {
    const ArrivedColumns *self = (ArrivedColumns *)object;
    return strings_object(&self->buffers, *(const int *)which, &self->types);
}

static PyObject *get_headers(PyObject *object, void *nothing) {
    const ArrivedColumns *self = (ArrivedColumns *)object;
    (void)nothing;
    return headers_object(&self->buffers, &self->types);
}

static PyObject *get_truncated(PyObject *object, void *nothing) {
    (void)object, (void)nothing;
    Py_RETURN_FALSE;
}

PyDoc_STRVAR(arrived_columns_before_doc, "before(offset)\n--\n\nReturn the records before this offset, as Columns.");

static PyObject *arrived_columns_before(PyObject *object, PyObject *offset) {
    const ArrivedColumns *self = (ArrivedColumns *)object;
    PyObject *columns = columns_object(&self->buffers, &self->facts, &self->types);
    PyObject *before = columns == NULL ? NULL : PyObject_CallMethod(columns, "before", "O", offset);
    Py_XDECREF(columns);
    return before;
}

static int take_strings_of(const Buffers *buffers, int index, Strings *strings) {
    PyObject *validity = buffers->of[index + 2];
    return take_strings(buffers->of[index], buffers->of[index + 1], validity == NULL ? Py_None : validity, strings);
}

static int take_headers_of(const Buffers *buffers, Run *run) {
    if (buffers->of[HEADER_BOUNDS] == NULL)
        return 1;
    run->has_headers = 1;
    return PyObject_GetBuffer(buffers->of[HEADER_BOUNDS], &run->headers.bounds, PyBUF_SIMPLE) == 0 &&
           take_strings_of(buffers, HEADER_KEYS, &run->headers.keys) &&
           take_strings_of(buffers, HEADER_VALUES, &run->headers.values);
}

/* Keep what records are made of: their type, the names of timestamp types by number, and the columns. Returns 0 with an
 * exception set on failure. */
static int fill_run(const ArrivedColumns *self, PyTypeObject *record, PyObject *kinds, Run *run) {
    const Buffers *buffers = &self->buffers;
    PyObject *partition = self->facts.partition;
    if (!PyTuple_Check(partition) || PyTuple_GET_SIZE(partition) != 2)
        return PyErr_Format(PyExc_TypeError, "a partition must be a tuple of a topic and a number") != NULL;
    run->type = (PyTypeObject *)Py_NewRef((PyObject *)record), run->kinds = Py_NewRef(kinds);
    run->topic = Py_NewRef(PyTuple_GET_ITEM(partition, 0));
    run->partition = Py_NewRef(PyTuple_GET_ITEM(partition, 1));
    run->no_headers = PyTuple_New(0);
    return run->no_headers != NULL && PyObject_GetBuffer(buffers->of[OFFSETS], &run->offsets, PyBUF_SIMPLE) == 0 &&
           PyObject_GetBuffer(buffers->of[TIMESTAMPS], &run->timestamps, PyBUF_SIMPLE) == 0 &&
           PyObject_GetBuffer(buffers->of[TIMESTAMP_TYPES], &run->timestamp_types, PyBUF_SIMPLE) == 0 &&
           PyObject_GetBuffer(buffers->of[LEADER_EPOCHS], &run->leader_epochs, PyBUF_SIMPLE) == 0 &&
           take_strings_of(buffers, KEYS, &run->keys) && take_strings_of(buffers, VALUES, &run->values) &&
           take_headers_of(buffers, run);
}

/* Create the iterator over these rows, of the type RecordRows; NULL with an exception set on failure. */
static PyObject *rows_of(const ArrivedColumns *self, PyTypeObject *rows_type, PyTypeObject *record, PyObject *kinds,
                         Py_ssize_t start, Py_ssize_t stop) {
    RecordRows *rows = (RecordRows *)rows_type->tp_alloc(rows_type, 0);
    if (rows == NULL)
        return NULL;
    rows->row = start, rows->stop = stop;
    if (!fill_run(self, record, kinds, &rows->run) || !are_rows_well(rows))
        Py_CLEAR(rows);
    return (PyObject *)rows;
}

PyDoc_STRVAR(arrived_columns_rows_doc,
             "rows(type, kinds, start, stop)\n--\n\n"
             "Return RecordRows: an iterator over the records from start up to, but not including, stop.");

static PyObject *arrived_columns_rows(PyObject *object, PyObject *args) {
    const ModuleState *state = PyType_GetModuleState(Py_TYPE(object));
    PyObject *record, *kinds;
    Py_ssize_t start, stop;
    if (state == NULL ||
        !PyArg_ParseTuple(args, "O!O!nn:rows", &PyType_Type, &record, &PyTuple_Type, &kinds, &start, &stop))
        return NULL;
    return rows_of((ArrivedColumns *)object, state->rows, (PyTypeObject *)record, kinds, start, stop);
}

static const int index_of_offsets = OFFSETS, index_of_timestamps = TIMESTAMPS, index_of_epochs = LEADER_EPOCHS,
                 index_of_types = TIMESTAMP_TYPES, index_of_keys = KEYS, index_of_values = VALUES;

static PyMethodDef arrived_columns_methods[] = {
    {"before", arrived_columns_before, METH_O, arrived_columns_before_doc},
    {"rows", arrived_columns_rows, METH_VARARGS, arrived_columns_rows_doc},
    {NULL, NULL, 0, NULL},
};

#define AT(field) offsetof(ArrivedColumns, facts) + offsetof(ColumnFacts, field)

static PyMemberDef arrived_columns_members[] = {
    {"partition", T_OBJECT_EX, AT(partition), READONLY, "The partition."},
    {"next_offset", T_LONGLONG, AT(next_offset), READONLY, "Where reading continues."},
    {"data_bytes", T_INT, AT(data_bytes), READONLY, "The uncompressed size of the batches."},
    {"end_epoch", T_INT, AT(end_epoch), READONLY, "The leader epoch of the last batch."},
    {"nbytes", T_PYSSIZET, AT(nbytes), READONLY, "The memory that these records take, in bytes."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef arrived_columns_fields[] = {
    {"offsets", get_int64, NULL, PyDoc_STR("The offsets, int64."), (void *)&index_of_offsets},
    {"timestamps", get_int64, NULL, PyDoc_STR("The timestamps, int64."), (void *)&index_of_timestamps},
    {"leader_epochs", get_int32, NULL, PyDoc_STR("The leader epochs, int32."), (void *)&index_of_epochs},
    {"timestamp_types", get_int8, NULL, PyDoc_STR("The timestamp types, int8."), (void *)&index_of_types},
    {"keys", get_strings, NULL, PyDoc_STR("The keys."), (void *)&index_of_keys},
    {"values", get_strings, NULL, PyDoc_STR("The values."), (void *)&index_of_values},
    {"headers", get_headers, NULL, PyDoc_STR("The headers, or None."), NULL},
    {"truncated", get_truncated, NULL, PyDoc_STR("False: there are records."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(arrived_columns_doc,
             "The columns of a partition in an answer to SteadyFetch, with the attributes of Columns, which are created\n"
             "on each access.");

static PyType_Slot arrived_columns_slots[] = {
    {Py_tp_doc, (void *)arrived_columns_doc},
    {Py_tp_dealloc, arrived_columns_dealloc},
    {Py_tp_methods, arrived_columns_methods},
    {Py_tp_members, arrived_columns_members},
    {Py_tp_getset, arrived_columns_fields},
    {Py_sq_length, arrived_columns_length},
    {0, NULL},
};

static PyType_Spec arrived_columns_spec = {
    .name = "kafka_nextgen.compiled._accelerator.ArrivedColumns",
    .basicsize = sizeof(ArrivedColumns),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = arrived_columns_slots,
};

#endif
