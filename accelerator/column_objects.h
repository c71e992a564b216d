/* Creates the Python objects that contain columns (wire/records/columns.py), for small answers. */
#ifndef KAFKA_NEXTGEN_COLUMN_OBJECTS_H
#define KAFKA_NEXTGEN_COLUMN_OBJECTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "buffers.h"
#include "state.h"

/* The classes Columns, BinaryColumn and HeaderColumn, borrowed, and the interned names needed to create instances. */
typedef struct {
    PyObject *columns, *strings, *headers;
    const Names *names;
} ColumnTypes;

/* The attributes of columns other than their buffers. */
typedef struct {
    PyObject *partition; /* borrowed */
    int64_t next_offset;
    int32_t data_bytes;
    int32_t end_epoch;
    int is_truncated;
    Py_ssize_t nbytes; /* the total size of their buffers */
} ColumnFacts;

/* Return a view of the memory as numbers of the format `letter`. Does nothing if an exception is already set. */
static PyObject *numbers_of(PyObject *bytes, const Names *names, PyObject *letter) {
    PyObject *view = PyErr_Occurred() ? NULL : PyMemoryView_FromObject(bytes);
    PyObject *args[] = {view, letter};
    PyObject *numbers = view == NULL ? NULL : PyObject_VectorcallMethod(names->cast, args, 2, NULL);
    Py_XDECREF(view);
    return numbers;
}

static PyObject *bounds_object(const Buffers *buffers, int index, const ColumnTypes *types) {
    return numbers_of(buffers->of[index], types->names, types->names->int32);
}

/* Create an object of an attrs class from all its attributes, without calling `__init__`, which would do nothing else.
 * Takes the references to the attributes. If one of them is NULL, an exception is already set.
 */
static PyObject *make_of(PyObject *type, const Names *names, PyObject **attributes, Py_ssize_t count) {
    PyObject *fields = PyErr_Occurred() ? NULL : PyObject_GetAttr(type, names->match_args);
    PyObject *made = NULL;
    int fits = fields != NULL && PyType_Check(type) && PyTuple_Check(fields) && PyTuple_GET_SIZE(fields) == count;
    if (fits)
        made = ((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, 0);
    else if (fields != NULL)
        PyErr_SetString(PyExc_TypeError, "the class of columns has unexpected attributes");
    for (Py_ssize_t i = 0; i < count; i++) {
        if (made != NULL && PyObject_GenericSetAttr(made, PyTuple_GET_ITEM(fields, i), attributes[i]) < 0)
            Py_CLEAR(made);
        Py_XDECREF(attributes[i]);
    }
    Py_XDECREF(fields);
    return made;
}

static PyObject *strings_object(const Buffers *buffers, int index, const ColumnTypes *types) {
    PyObject *validity = buffers->of[index + 2];
    PyObject *args[] = {Py_NewRef(buffers->of[index]), bounds_object(buffers, index + 1, types),
                        Py_NewRef(validity == NULL ? Py_None : validity)};
    return make_of(types->strings, types->names, args, 3);
}

static PyObject *headers_object(const Buffers *buffers, const ColumnTypes *types) {
    if (buffers->of[HEADER_BOUNDS] == NULL)
        Py_RETURN_NONE;
    PyObject *args[] = {bounds_object(buffers, HEADER_BOUNDS, types), strings_object(buffers, HEADER_KEYS, types),
                        strings_object(buffers, HEADER_VALUES, types)};
    return make_of(types->headers, types->names, args, 3);
}

static Py_ssize_t size_of_buffer(PyObject *bytes) {
    if (bytes == NULL)
        return 0;
    if (PyBytes_Check(bytes))
        return PyBytes_GET_SIZE(bytes);
    return PyMemoryView_Check(bytes) ? PyMemoryView_GET_BUFFER(bytes)->len : ((Memory *)bytes)->size;
}

static Py_ssize_t size_of_buffers(const Buffers *buffers) {
    Py_ssize_t bytes = 0;
    for (int i = 0; i < BUFFER_COUNT; i++)
        bytes += size_of_buffer(buffers->of[i]);
    return bytes;
}

static PyObject *columns_object(const Buffers *buffers, const ColumnFacts *facts, const ColumnTypes *types) {
    const Names *names = types->names;
    PyObject *args[] = {
        Py_NewRef(facts->partition),
        PyLong_FromLongLong(facts->next_offset),
        numbers_of(buffers->of[OFFSETS], names, names->int64),
        numbers_of(buffers->of[TIMESTAMPS], names, names->int64),
        strings_object(buffers, KEYS, types),
        strings_object(buffers, VALUES, types),
        headers_object(buffers, types),
        numbers_of(buffers->of[LEADER_EPOCHS], names, names->int32),
        numbers_of(buffers->of[TIMESTAMP_TYPES], names, names->int8),
        PyLong_FromLong(facts->data_bytes),
        PyBool_FromLong(facts->is_truncated),
        PyLong_FromLong(facts->end_epoch),
        PyLong_FromSsize_t(facts->nbytes),
    };
    return make_of(types->columns, names, args, sizeof args / sizeof *args);
}

#endif
