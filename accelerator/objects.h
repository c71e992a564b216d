/* A run of records as objects: tuples of a type of ours, one column after the other taken apart into their fields.
 *
 * What the columns hold was checked when they were made; here only what could lead outside of a buffer is looked at
 * again. The GIL is held: everything made here is an object.
 */
#ifndef KAFKA_NEXTGEN_OBJECTS_H
#define KAFKA_NEXTGEN_OBJECTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "binary.h"

/* The fields of a record, in the order in which the type has them. */
enum { TOPIC, PARTITION, OFFSET, TIMESTAMP, TIMESTAMP_TYPE, KEY, VALUE, HEADERS, LEADER_EPOCH, FIELD_COUNT };

typedef struct {
    PyTypeObject *type;
    PyObject *topic, *partition, *kinds, *headers; /* headers: a list for the run, or None */
    Py_buffer offsets, timestamps, timestamp_types, leader_epochs;
    Strings keys, values;
    Py_ssize_t start, stop;
} Run;

static void drop_run(Run *run) {
    PyBuffer_Release(&run->offsets);
    PyBuffer_Release(&run->timestamps);
    PyBuffer_Release(&run->timestamp_types);
    PyBuffer_Release(&run->leader_epochs);
    drop_strings(&run->keys);
    drop_strings(&run->values);
}

static int run_fits(const Run *run) {
    return 0 <= run->start && run->start <= run->stop && run->stop < INT32_MAX &&
           holds(&run->offsets, run->stop, sizeof(int64_t)) && holds(&run->timestamps, run->stop, sizeof(int64_t)) &&
           holds(&run->timestamp_types, run->stop, 1) && holds(&run->leader_epochs, run->stop, sizeof(int32_t)) &&
           strings_fit(&run->keys, run->stop) && strings_fit(&run->values, run->stop) &&
           (run->headers == Py_None || PyList_GET_SIZE(run->headers) == run->stop - run->start);
}

static PyObject *kind_at(const Run *run, Py_ssize_t row) {
    int8_t number = ((const int8_t *)run->timestamp_types.buf)[row];
    if (0 <= number && number < PyTuple_GET_SIZE(run->kinds))
        return Py_NewRef(PyTuple_GET_ITEM(run->kinds, number));
    PyErr_SetString(PyExc_ValueError, "there is no such timestamp type");
    return NULL;
}

static PyObject *headers_at(const Run *run, Py_ssize_t row) {
    return run->headers == Py_None ? PyTuple_New(0) : Py_NewRef(PyList_GET_ITEM(run->headers, row - run->start));
}

static PyObject *record_at(const Run *run, Py_ssize_t row) {
    PyObject *record = run->type->tp_alloc(run->type, FIELD_COUNT);
    if (record == NULL)
        return NULL;
    PyObject_GC_UnTrack(record); /* what it holds can't lead back to it */
    PyObject *fields[FIELD_COUNT] = {
        Py_NewRef(run->topic),
        Py_NewRef(run->partition),
        PyLong_FromLongLong(((const int64_t *)run->offsets.buf)[row]),
        PyLong_FromLongLong(((const int64_t *)run->timestamps.buf)[row]),
        kind_at(run, row),
        string_at(&run->keys, row),
        string_at(&run->values, row),
        headers_at(run, row),
        PyLong_FromLong(((const int32_t *)run->leader_epochs.buf)[row]),
    };
    int is_whole = 1;
    for (int i = 0; i < FIELD_COUNT; i++) {
        PyTuple_SET_ITEM(record, i, fields[i]);
        is_whole &= fields[i] != NULL;
    }
    if (!is_whole)
        Py_CLEAR(record);
    return record;
}

static PyObject *records_of(const Run *run) {
    if (!run_fits(run)) {
        PyErr_SetString(PyExc_ValueError, "the run lies outside of its columns");
        return NULL;
    }
    PyObject *records = PyList_New(run->stop - run->start);
    for (Py_ssize_t row = run->start; records != NULL && row < run->stop; row++) {
        PyObject *record = record_at(run, row);
        if (record == NULL)
            Py_CLEAR(records);
        else
            PyList_SET_ITEM(records, row - run->start, record);
    }
    return records;
}

PyDoc_STRVAR(make_records_doc,
             "make_records(type, topic, partition, kinds, headers, offsets, timestamps, timestamp_types,\n"
             "             leader_epochs, keys, values, start, stop)\n--\n\n"
             "Make a list of records, tuples of this type, of the rows from start up to before stop. keys and values\n"
             "are (data, bounds, validity), kinds the timestamp types by number, headers a list for the run or None.");

static PyObject *make_records(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *of[6];
    Run run;
    memset(&run, 0, sizeof run);
    if (!PyArg_ParseTuple(args, "O!O!OO!Oy*y*y*y*(OOO)(OOO)nn:make_records", &PyType_Type, &run.type, &PyUnicode_Type,
                          &run.topic, &run.partition, &PyTuple_Type, &run.kinds, &run.headers, &run.offsets,
                          &run.timestamps, &run.timestamp_types, &run.leader_epochs, &of[0], &of[1], &of[2], &of[3],
                          &of[4], &of[5], &run.start, &run.stop))
        return NULL;
    PyObject *records = NULL;
    if (!PyType_IsSubtype(run.type, &PyTuple_Type) || (run.headers != Py_None && !PyList_Check(run.headers)))
        PyErr_SetString(PyExc_TypeError, "make_records takes a type of tuples, and a list of headers or None");
    else if (take_strings(of[0], of[1], of[2], &run.keys) && take_strings(of[3], of[4], of[5], &run.values))
        records = records_of(&run);
    drop_run(&run);
    return records;
}

#endif
