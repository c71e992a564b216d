/* RecordRows: the records of a range of rows, each created on demand. It is the C version of RowsInPython in
 * engine/application/record_run.py.
 *
 * Creating one record at a time uses memory that is still in the processor's cache, unlike creating a list. RecordRows
 * also guarantees:
 *
 * - `row` is the next row at any moment, for any thread: a record is counted in the same step in which it is returned.
 * - After `end`, no more records are returned. Creating a record can let other threads run (in a garbage collection,
 *   before Python 3.12), so the last step checks whether another thread has called `end` or taken that row since then.
 */
#ifndef KAFKA_NEXTGEN_RECORD_ROWS_H
#define KAFKA_NEXTGEN_RECORD_ROWS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

#include "objects.h"

typedef struct {
    PyObject_HEAD
    Run run;
    Py_ssize_t row, stop;
    int is_over;
} RecordRows;

static int is_type_of_records(PyTypeObject *type) {
    return PyType_IsSubtype(type, &RecordFieldsType) && type->tp_basicsize == RecordFieldsType.tp_basicsize &&
           type->tp_dictoffset == 0 && type->tp_weaklistoffset == 0;
}

static int take_headers(PyObject *headers, Run *run) {
    PyObject *bounds, *of[6];
    if (headers == Py_None)
        return 1;
    if (!PyTuple_Check(headers)) {
        PyErr_SetString(PyExc_TypeError, "headers must be a tuple or None");
        return 0;
    }
    run->has_headers = 1;
    return PyArg_ParseTuple(headers, "O(OOO)(OOO)", &bounds, &of[0], &of[1], &of[2], &of[3], &of[4], &of[5]) &&
           PyObject_GetBuffer(bounds, &run->headers.bounds, PyBUF_SIMPLE) == 0 &&
           take_strings(of[0], of[1], of[2], &run->headers.keys) &&
           take_strings(of[3], of[4], of[5], &run->headers.values);
}

static int parse_rows(PyObject *args, RecordRows *rows) {
    Run *run = &rows->run;
    PyObject *headers, *of[6];
    if (!PyArg_ParseTuple(args, "O!O!OO!Oy*y*y*y*(OOO)(OOO)nn:RecordRows", &PyType_Type, &run->type, &PyUnicode_Type,
                          &run->topic, &run->partition, &PyTuple_Type, &run->kinds, &headers, &run->offsets,
                          &run->timestamps, &run->timestamp_types, &run->leader_epochs, &of[0], &of[1], &of[2], &of[3],
                          &of[4], &of[5], &rows->row, &rows->stop)) {
        run->type = NULL, run->topic = run->partition = run->kinds = NULL; /* they were borrowed until here */
        return 0;
    }
    Py_INCREF(run->type);
    Py_INCREF(run->topic);
    Py_INCREF(run->partition);
    Py_INCREF(run->kinds);
    run->no_headers = PyTuple_New(0);
    return run->no_headers != NULL && take_headers(headers, run) && take_strings(of[0], of[1], of[2], &run->keys) &&
           take_strings(of[3], of[4], of[5], &run->values);
}

/* Whether records can be created from these rows; 0 with an exception set if not. */
static int are_rows_well(const RecordRows *rows) {
    if (!is_type_of_records(rows->run.type))
        PyErr_SetString(PyExc_TypeError, "RecordRows requires a subtype of RecordFields without other attributes");
    else if (!run_fits(&rows->run, rows->row, rows->stop))
        PyErr_SetString(PyExc_ValueError, "the rows are outside their columns");
    else
        return 1;
    return 0;
}

static PyObject *rows_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    if (keywords != NULL && PyDict_GET_SIZE(keywords) > 0) {
        PyErr_SetString(PyExc_TypeError, "RecordRows takes no keyword arguments");
        return NULL;
    }
    RecordRows *rows = (RecordRows *)type->tp_alloc(type, 0);
    if (rows == NULL || !parse_rows(args, rows)) {
        Py_XDECREF(rows);
        return NULL;
    }
    if (!are_rows_well(rows))
        Py_CLEAR(rows);
    return (PyObject *)rows;
}

static PyObject *rows_next(PyObject *self) {
    RecordRows *rows = (RecordRows *)self;
    PyObject *record = NULL;
    Py_BEGIN_CRITICAL_SECTION(self);
    while (record == NULL && !rows->is_over && rows->row < rows->stop) {
        Py_ssize_t row = rows->row;
        record = record_at(&rows->run, row);
        if (record == NULL)
            break;
        if (!rows->is_over && rows->row == row)
            rows->row++;
        else
            Py_CLEAR(record);
    }
    Py_END_CRITICAL_SECTION();
    return record;
}

PyDoc_STRVAR(rows_end_doc, "end()\n--\n\nReturn no more records. Can be called from any thread, and never blocks.");

static PyObject *rows_end(PyObject *self, PyObject *unused) {
    (void)unused;
    Py_BEGIN_CRITICAL_SECTION(self);
    ((RecordRows *)self)->is_over = 1;
    Py_END_CRITICAL_SECTION();
    Py_RETURN_NONE;
}

static int rows_traverse(PyObject *self, visitproc visit, void *arg) {
    Run *run = &((RecordRows *)self)->run;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(run->type);
    Py_VISIT(run->kinds);
    return 0;
}

static void drop_run(Run *run) {
    Py_CLEAR(run->kept[0]);
    Py_CLEAR(run->kept[1]);
    Py_CLEAR(run->timestamp.object);
    Py_CLEAR(run->leader_epoch.object);
    Py_CLEAR(run->no_headers);
    Py_CLEAR(run->topic);
    Py_CLEAR(run->partition);
    Py_CLEAR(run->kinds);
    Py_CLEAR(run->type);
    PyBuffer_Release(&run->offsets);
    PyBuffer_Release(&run->timestamps);
    PyBuffer_Release(&run->timestamp_types);
    PyBuffer_Release(&run->leader_epochs);
    drop_strings(&run->keys);
    drop_strings(&run->values);
    drop_header_lists(&run->headers);
}

static void rows_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    drop_run(&((RecordRows *)self)->run);
    type->tp_free(self);
    Py_DECREF(type);
}

PyDoc_STRVAR(rows_doc,
             "RecordRows(type, topic, partition, kinds, headers, offsets, timestamps, timestamp_types,\n"
             "           leader_epochs, keys, values, start, stop)\n--\n\n"
             "An iterator over records, which are tuples of this type, for the rows from start up to, but not\n"
             "including, stop. keys and values are (data, bounds, validity), kinds the timestamp types by number,\n"
             "headers (bounds, keys, values) or None.");

static PyMethodDef rows_methods[] = {
    {"end", rows_end, METH_NOARGS, rows_end_doc},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef rows_members[] = {
    {"row", T_PYSSIZET, offsetof(RecordRows, row), READONLY, "The next row to be returned."},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot rows_slots[] = {
    {Py_tp_doc, (void *)rows_doc},
    {Py_tp_new, rows_new},
    {Py_tp_dealloc, rows_dealloc},
    {Py_tp_traverse, rows_traverse},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, rows_next},
    {Py_tp_methods, rows_methods},
    {Py_tp_members, rows_members},
    {0, NULL},
};

static PyType_Spec rows_spec = {
    .name = "kafka_nextgen.compiled._accelerator.RecordRows",
    .basicsize = sizeof(RecordRows),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = rows_slots,
};

#endif
