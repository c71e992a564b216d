/* Converts a row of columns to an object: a tuple of the record type.
 *
 * The contents of the columns were checked when they were created; here only values that could lead out of bounds are
 * checked again. The GIL is held, because everything created here is an object.
 *
 * Fields that are equal from row to row (the timestamp within a batch, the leader epoch) are created once. Tuples are
 * reused, too: when a loop requests the record after the next, it has usually released the current one. So the last two
 * are kept, and a record to which nothing else refers gets the fields of another row, as zip() does with its tuples.
 * Records with large strings are not kept, because a program that releases a record may rely on its memory being freed.
 */
#ifndef KAFKA_NEXTGEN_OBJECTS_H
#define KAFKA_NEXTGEN_OBJECTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "binary.h"
#include "headers.h"
#include "locking.h"
#include "record_fields.h"

#define KEPT_BYTES 4096 /* the maximum size of the strings of a record that is kept */

/* A number in the previous row, as an object; NULL if there is none. */
typedef struct {
    int64_t number;
    PyObject *object;
} Known;

typedef struct {
    PyTypeObject *type;
    PyObject *topic, *partition, *kinds, *no_headers;
    int has_headers;
    HeaderLists headers;
    Py_buffer offsets, timestamps, timestamp_types, leader_epochs;
    Strings keys, values;
    Known timestamp, leader_epoch;
    PyObject *kept[2]; /* the last two records, the older one first */
} Run;

static int run_fits(const Run *run, Py_ssize_t start, Py_ssize_t stop) {
    return 0 <= start && start <= stop && stop < INT32_MAX && holds(&run->offsets, stop, sizeof(int64_t)) &&
           holds(&run->timestamps, stop, sizeof(int64_t)) && holds(&run->timestamp_types, stop, 1) &&
           holds(&run->leader_epochs, stop, sizeof(int32_t)) && strings_fit(&run->keys, stop) &&
           strings_fit(&run->values, stop) && (!run->has_headers || header_lists_fit(&run->headers, stop));
}

static PyObject *known_or_new(Known *known, int64_t number) {
    if (known->object == NULL || known->number != number) {
        PyObject *object = PyLong_FromLongLong(number);
        if (object == NULL)
            return NULL;
        Py_XSETREF(known->object, object);
        known->number = number;
    }
    return Py_NewRef(known->object);
}

static PyObject *kind_at(const Run *run, Py_ssize_t row) {
    int8_t number = ((const int8_t *)run->timestamp_types.buf)[row];
    if (0 <= number && number < PyTuple_GET_SIZE(run->kinds))
        return Py_NewRef(PyTuple_GET_ITEM(run->kinds, number));
    PyErr_SetString(PyExc_ValueError, "there is no such timestamp type");
    return NULL;
}

/* Create all fields of a row. Returns 0 with an exception set if a field can't be created; it and the remaining fields
 * are NULL. */
static int fields_at(Run *run, Py_ssize_t row, PyObject **fields) {
    int64_t offset = ((const int64_t *)run->offsets.buf)[row], timestamp = ((const int64_t *)run->timestamps.buf)[row];
    int32_t leader_epoch = ((const int32_t *)run->leader_epochs.buf)[row];
    memset(fields, 0, FIELD_COUNT * sizeof *fields);
    fields[TOPIC] = Py_NewRef(run->topic);
    fields[PARTITION] = Py_NewRef(run->partition);
    return (fields[OFFSET] = PyLong_FromLongLong(offset)) != NULL &&
           (fields[TIMESTAMP] = known_or_new(&run->timestamp, timestamp)) != NULL &&
           (fields[TIMESTAMP_TYPE] = kind_at(run, row)) != NULL && (fields[KEY] = string_at(&run->keys, row)) != NULL &&
           (fields[VALUE] = string_at(&run->values, row)) != NULL &&
           (fields[HEADERS] = run->has_headers ? headers_at(&run->headers, row) : Py_NewRef(run->no_headers)) != NULL &&
           (fields[LEADER_EPOCH] = known_or_new(&run->leader_epoch, leader_epoch)) != NULL;
}

/* Put the fields into a tuple; the previous contents are released. */
static void fill_record(PyObject *record, PyObject **fields) {
    for (int i = 0; i < FIELD_COUNT; i++) {
        PyObject *before = PyTuple_GET_ITEM(record, i);
        PyTuple_SET_ITEM(record, i, fields[i]);
        Py_XDECREF(before);
    }
    forget_hash(record); /* the hash of the previous fields */
}

static PyObject *new_record(PyTypeObject *type) {
    PyObject *record = type->tp_alloc(type, FIELD_COUNT);
    if (record != NULL)
        PyObject_GC_UnTrack(record); /* it can't be part of a reference cycle */
    return record;
}

/* Return an empty record, or one that still has the fields of another row. */
static PyObject *spare_record(Run *run) {
    PyObject *older = run->kept[0];
    run->kept[0] = run->kept[1];
    run->kept[1] = NULL;
    if (is_ours_alone(older))
        return older;
    Py_XDECREF(older);
    return new_record(run->type);
}

static int is_small(PyObject *const *fields) {
    Py_ssize_t bytes = (fields[KEY] == Py_None ? 0 : PyBytes_GET_SIZE(fields[KEY])) +
                       (fields[VALUE] == Py_None ? 0 : PyBytes_GET_SIZE(fields[VALUE]));
    return bytes <= KEPT_BYTES;
}

static PyObject *record_at(Run *run, Py_ssize_t row) {
    PyObject *fields[FIELD_COUNT];
    PyObject *record = fields_at(run, row, fields) ? spare_record(run) : NULL;
    if (record == NULL) {
        for (int i = 0; i < FIELD_COUNT; i++)
            Py_XDECREF(fields[i]);
        return NULL;
    }
    if (is_small(fields))
        run->kept[1] = Py_NewRef(record);
    fill_record(record, fields);
    return record;
}

#endif
