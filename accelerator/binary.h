/* Columns of byte strings that are passed back to C for conversion to objects: BinaryColumn in
 * wire/records/columns.py, in C.
 *
 * Their contents were checked when they were created; here only values that could lead out of bounds are checked again.
 */
#ifndef KAFKA_NEXTGEN_BINARY_H
#define KAFKA_NEXTGEN_BINARY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

typedef struct {
    Py_buffer data, bounds, validity; /* validity.buf is NULL if there are no nulls */
} Strings;

static int take_optional(PyObject *object, Py_buffer *buffer) {
    return object == Py_None || PyObject_GetBuffer(object, buffer, PyBUF_SIMPLE) == 0;
}

static int take_strings(PyObject *data, PyObject *bounds, PyObject *validity, Strings *strings) {
    return PyObject_GetBuffer(data, &strings->data, PyBUF_SIMPLE) == 0 &&
           PyObject_GetBuffer(bounds, &strings->bounds, PyBUF_SIMPLE) == 0 &&
           take_optional(validity, &strings->validity);
}

static void drop_strings(Strings *strings) {
    PyBuffer_Release(&strings->data);
    PyBuffer_Release(&strings->bounds);
    PyBuffer_Release(&strings->validity);
}

static int holds(const Py_buffer *buffer, Py_ssize_t count, Py_ssize_t size) {
    return count <= buffer->len / size;
}

static int strings_fit(const Strings *strings, Py_ssize_t stop) {
    return holds(&strings->bounds, stop + 1, sizeof(int32_t)) &&
           (strings->validity.buf == NULL || holds(&strings->validity, (stop + 7) / 8, 1));
}

static PyObject *string_at(const Strings *strings, Py_ssize_t row) {
    const uint8_t *validity = strings->validity.buf;
    const int32_t *bounds = strings->bounds.buf;
    if (validity != NULL && !(validity[row >> 3] >> (row & 7) & 1))
        return Py_NewRef(Py_None);
    int32_t begin = bounds[row], end = bounds[row + 1];
    if (begin < 0 || end < begin || end > strings->data.len) {
        PyErr_SetString(PyExc_ValueError, "a bound is outside its column");
        return NULL;
    }
    return PyBytes_FromStringAndSize((const char *)strings->data.buf + begin, end - begin);
}

static PyObject *strings_of(const Strings *strings, Py_ssize_t start, Py_ssize_t stop) {
    if (start < 0 || start > stop || stop >= INT32_MAX || !strings_fit(strings, stop)) {
        PyErr_SetString(PyExc_ValueError, "the rows are outside their column");
        return NULL;
    }
    PyObject *list = PyList_New(stop - start);
    for (Py_ssize_t row = start; list != NULL && row < stop; row++) {
        PyObject *string = string_at(strings, row);
        if (string == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, row - start, string);
    }
    return list;
}

PyDoc_STRVAR(to_list_doc,
             "to_list(data, bounds, validity, start, stop)\n--\n\n"
             "Return the entries of a column from start up to, but not including, stop, as a list of bytes; a null\n"
             "is None.");

static PyObject *to_list(PyObject *module, PyObject *args) {
    (void)module;
    Strings strings;
    Py_ssize_t start, stop;
    if (!PyArg_ParseTuple(args, "y*y*z*nn:to_list", &strings.data, &strings.bounds, &strings.validity, &start, &stop))
        return NULL;
    PyObject *list = strings_of(&strings, start, stop);
    drop_strings(&strings);
    return list;
}

#endif
