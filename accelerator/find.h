/* `find_all`: finds the positions of one byte string in another. */
#ifndef KAFKA_NEXTGEN_FIND_H
#define KAFKA_NEXTGEN_FIND_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#include "gil.h"

/* Return the next occurrence, starting at `at`; NULL if there is none. */
static const uint8_t *find_next(const uint8_t *at, const uint8_t *end, const uint8_t *wanted, Py_ssize_t size) {
    while (end - at >= size) {
        at = memchr(at, wanted[0], (size_t)(end - at - size + 1));
        if (at == NULL || memcmp(at, wanted, (size_t)size) == 0)
            return at;
        at++;
    }
    return NULL;
}

/* Find at most `most` occurrences and return their number; `places` has space for that many. */
static Py_ssize_t find_places(const Py_buffer *data, const Py_buffer *wanted, Py_ssize_t *places, Py_ssize_t most) {
    const uint8_t *begin = data->buf, *end = begin + data->len, *at = begin;
    Py_ssize_t count = 0;
    while (count < most && (at = find_next(at, end, wanted->buf, wanted->len)) != NULL) {
        places[count++] = at - begin;
        at += wanted->len;
    }
    return count;
}

static PyObject *list_of(const Py_ssize_t *numbers, Py_ssize_t count) {
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
        PyObject *number = PyLong_FromSsize_t(numbers[i]);
        if (number == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, number);
    }
    return list;
}

static PyObject *list_places(const Py_buffer *data, const Py_buffer *wanted, Py_ssize_t most) {
    if (wanted->len == 0 || most < 0)
        return PyErr_Format(PyExc_ValueError, "wanted must not be empty, and most must not be negative");
    Py_ssize_t *places = PyMem_RawCalloc((size_t)most, sizeof(Py_ssize_t));
    if (places == NULL)
        return PyErr_NoMemory();
    PyThreadState *state = release_gil(data->len);
    Py_ssize_t count = find_places(data, wanted, places, most);
    take_gil(state);
    PyObject *list = list_of(places, count);
    PyMem_RawFree(places);
    return list;
}

PyDoc_STRVAR(find_all_doc,
             "find_all(data, wanted, most)\n--\n\n"
             "Return a list of the positions of wanted in data: all, or only the first `most` if there are more.\n"
             "Occurrences do not overlap.");

static PyObject *find_all(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer data, wanted;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "y*y*n:find_all", &data, &wanted, &most))
        return NULL;
    PyObject *list = list_places(&data, &wanted, most);
    PyBuffer_Release(&data);
    PyBuffer_Release(&wanted);
    return list;
}

#endif
