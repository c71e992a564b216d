/* Converts the headers of consecutive records to objects: HeaderColumn in wire/records/columns.py, in C. */
#ifndef KAFKA_NEXTGEN_HEADERS_H
#define KAFKA_NEXTGEN_HEADERS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "binary.h"

typedef struct {
    Py_buffer bounds; /* the bounds of each record's headers */
    Strings keys;
    Strings values;
} HeaderLists;

static void drop_header_lists(HeaderLists *lists) {
    PyBuffer_Release(&lists->bounds);
    drop_strings(&lists->keys);
    drop_strings(&lists->values);
}

static PyObject *key_at(const Strings *keys, Py_ssize_t row) {
    PyObject *bytes = string_at(keys, row);
    if (bytes == NULL || bytes == Py_None)
        return bytes;
    PyObject *key = PyUnicode_DecodeUTF8(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes), NULL);
    Py_DECREF(bytes);
    return key;
}

static PyObject *header_at(const HeaderLists *lists, Py_ssize_t row) {
    PyObject *key = key_at(&lists->keys, row);
    PyObject *value = key == NULL ? NULL : string_at(&lists->values, row);
    PyObject *pair = value == NULL ? NULL : PyTuple_Pack(2, key, value);
    Py_XDECREF(key);
    Py_XDECREF(value);
    return pair;
}

static PyObject *headers_between(const HeaderLists *lists, Py_ssize_t begin, Py_ssize_t end) {
    if (begin < 0 || begin > end || !strings_fit(&lists->keys, end) || !strings_fit(&lists->values, end)) {
        PyErr_SetString(PyExc_ValueError, "a record's headers are outside their columns");
        return NULL;
    }
    PyObject *headers = PyTuple_New(end - begin);
    for (Py_ssize_t row = begin; headers != NULL && row < end; row++) {
        PyObject *header = header_at(lists, row);
        if (header == NULL)
            Py_CLEAR(headers);
        else
            PyTuple_SET_ITEM(headers, row - begin, header);
    }
    return headers;
}

static int header_lists_fit(const HeaderLists *lists, Py_ssize_t stop) {
    return holds(&lists->bounds, stop + 1, sizeof(int32_t));
}

static PyObject *headers_at(const HeaderLists *lists, Py_ssize_t row) {
    const int32_t *bounds = lists->bounds.buf;
    return headers_between(lists, bounds[row], bounds[row + 1]);
}

static PyObject *list_of_headers(const HeaderLists *lists, Py_ssize_t start, Py_ssize_t stop) {
    if (start < 0 || start > stop || stop >= INT32_MAX || !header_lists_fit(lists, stop)) {
        PyErr_SetString(PyExc_ValueError, "the rows are outside their column");
        return NULL;
    }
    PyObject *list = PyList_New(stop - start);
    for (Py_ssize_t row = start; list != NULL && row < stop; row++) {
        PyObject *headers = headers_at(lists, row);
        if (headers == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, row - start, headers);
    }
    return list;
}

PyDoc_STRVAR(to_headers_doc,
             "to_headers(bounds, keys, values, start, stop)\n--\n\n"
             "Return the headers of the records from start up to, but not including, stop: a list with a tuple of\n"
             "pairs for each record. keys and values are (data, bounds, validity).");

static PyObject *to_headers(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *of[6];
    Py_ssize_t start, stop;
    HeaderLists lists;
    memset(&lists, 0, sizeof lists);
    if (!PyArg_ParseTuple(args, "y*(OOO)(OOO)nn:to_headers", &lists.bounds, &of[0], &of[1], &of[2], &of[3], &of[4],
                          &of[5], &start, &stop))
        return NULL;
    PyObject *list = NULL;
    if (take_strings(of[0], of[1], of[2], &lists.keys) && take_strings(of[3], of[4], of[5], &lists.values))
        list = list_of_headers(&lists, start, stop);
    drop_header_lists(&lists);
    return list;
}

#endif
