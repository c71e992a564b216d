/* The bytes objects that columns are made of: made with the GIL held, filled without it, handed over in tuples. */
#ifndef KAFKA_NEXTGEN_BUFFERS_H
#define KAFKA_NEXTGEN_BUFFERS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "columns.h"

enum {
    OFFSETS, TIMESTAMPS, LEADER_EPOCHS, TIMESTAMP_TYPES,
    KEYS, VALUES = KEYS + 3, /* three each: data, bounds, validity */
    HEADER_BOUNDS = VALUES + 3,
    HEADER_KEYS, HEADER_VALUES = HEADER_KEYS + 3,
    BUFFER_COUNT = HEADER_VALUES + 3
};

typedef struct {
    PyObject *of[BUFFER_COUNT]; /* NULL where there is none: headers, or the validity of a column without nulls */
} Buffers;

/* A new bytes object at this index; its bytes, or NULL if there is no memory for it. */
static void *new_buffer(Buffers *buffers, int index, int64_t count, size_t size) {
    if (count > (int64_t)(PY_SSIZE_T_MAX / 2 / size))
        return PyErr_NoMemory();
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)count * (Py_ssize_t)size);
    buffers->of[index] = bytes;
    return bytes == NULL ? NULL : PyBytes_AS_STRING(bytes);
}

/* Arrow's bounds: one more than there are entries, beginning with 0. */
static int32_t *new_bounds(Buffers *buffers, int index, int64_t entries) {
    int32_t *bounds = new_buffer(buffers, index, entries + 1, sizeof(int32_t));
    if (bounds != NULL)
        bounds[0] = 0;
    return bounds;
}

static int new_column(Buffers *buffers, int index, const ColumnSize *size, Column *column) {
    column->most_entries = (int32_t)size->entries;
    column->most_bytes = (int32_t)size->bytes;
    column->data = new_buffer(buffers, index, size->bytes, 1);
    column->bounds = new_bounds(buffers, index + 1, size->entries);
    if (column->data == NULL || column->bounds == NULL)
        return 0;
    if (size->nulls == 0)
        return 1;
    int64_t bitmap_bytes = (size->entries + 7) / 8;
    column->validity = new_buffer(buffers, index + 2, bitmap_bytes, 1);
    if (column->validity == NULL)
        return 0;
    memset(column->validity, 0, (size_t)bitmap_bytes);
    return 1;
}

static int new_headers(Buffers *buffers, const Sizes *sizes, Columns *columns) {
    columns->header_bounds = new_bounds(buffers, HEADER_BOUNDS, sizes->keys.entries);
    return columns->header_bounds != NULL &&
           new_column(buffers, HEADER_KEYS, &sizes->header_keys, &columns->header_keys) &&
           new_column(buffers, HEADER_VALUES, &sizes->header_values, &columns->header_values);
}

static int new_columns(Buffers *buffers, const Sizes *sizes, Columns *columns) {
    int64_t count = sizes->keys.entries;
    memset(columns, 0, sizeof *columns);
    columns->offsets = new_buffer(buffers, OFFSETS, count, sizeof(int64_t));
    columns->timestamps = new_buffer(buffers, TIMESTAMPS, count, sizeof(int64_t));
    columns->leader_epochs = new_buffer(buffers, LEADER_EPOCHS, count, sizeof(int32_t));
    columns->timestamp_types = new_buffer(buffers, TIMESTAMP_TYPES, count, sizeof(int8_t));
    return columns->offsets != NULL && columns->timestamps != NULL && columns->leader_epochs != NULL &&
           columns->timestamp_types != NULL && new_column(buffers, KEYS, &sizes->keys, &columns->keys) &&
           new_column(buffers, VALUES, &sizes->values, &columns->values) &&
           (!sizes->has_headers || new_headers(buffers, sizes, columns));
}

static void drop_buffers(Buffers *buffers) {
    for (int i = 0; i < BUFFER_COUNT; i++)
        Py_CLEAR(buffers->of[i]);
}

/* One buffer, or None. */
static PyObject *buffer_or_none(const Buffers *buffers, int index) {
    return buffers->of[index] != NULL ? buffers->of[index] : Py_None;
}

static PyObject *column_tuple(const Buffers *buffers, int index) {
    return PyTuple_Pack(3, buffers->of[index], buffers->of[index + 1], buffer_or_none(buffers, index + 2));
}

static PyObject *header_tuple(const Buffers *buffers) {
    if (buffers->of[HEADER_BOUNDS] == NULL)
        Py_RETURN_NONE;
    return Py_BuildValue("ONN", buffers->of[HEADER_BOUNDS], column_tuple(buffers, HEADER_KEYS),
                         column_tuple(buffers, HEADER_VALUES));
}

/* offsets, timestamps, keys, values, headers, leader epochs, timestamp types, payload bytes */
static PyObject *columns_tuple(const Buffers *buffers, int64_t payload_bytes) {
    return Py_BuildValue("OONNNOOL", buffers->of[OFFSETS], buffers->of[TIMESTAMPS], column_tuple(buffers, KEYS),
                         column_tuple(buffers, VALUES), header_tuple(buffers), buffers->of[LEADER_EPOCHS],
                         buffers->of[TIMESTAMP_TYPES], (long long)payload_bytes);
}

#endif
