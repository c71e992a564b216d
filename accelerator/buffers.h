/* The buffers of columns: allocated with the GIL held, filled without it, then trimmed and handed over. */
#ifndef KAFKA_NEXTGEN_BUFFERS_H
#define KAFKA_NEXTGEN_BUFFERS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "columns.h"
#include "memory.h"

#define LEAST_RECORD_BYTES 7 /* length, attributes, two deltas, two null lengths, number of headers: a byte each */

enum {
    OFFSETS, TIMESTAMPS, LEADER_EPOCHS, TIMESTAMP_TYPES,
    KEYS, VALUES = KEYS + 3, /* three each: data, bounds, validity */
    HEADER_BOUNDS = VALUES + 3,
    HEADER_KEYS, HEADER_VALUES = HEADER_KEYS + 3,
    BUFFER_COUNT = HEADER_VALUES + 3
};

typedef struct {
    PyObject *of[BUFFER_COUNT]; /* NULL for headers if there are none, and for the validity of a column without nulls */
} Buffers;

static void drop_buffers(Buffers *buffers) {
    for (int i = 0; i < BUFFER_COUNT; i++)
        Py_CLEAR(buffers->of[i]);
}

/* Allocate the buffer at this index. Returns its address, or NULL with an exception set if memory is exhausted. */
static void *new_buffer(Buffers *buffers, int index, int32_t count, size_t size) {
    if ((size_t)count > (size_t)PY_SSIZE_T_MAX / 2 / size)
        return PyErr_NoMemory();
    PyObject *bytes = new_bytes(count * (Py_ssize_t)size);
    buffers->of[index] = bytes;
    return bytes == NULL ? NULL : bytes_of(bytes);
}

static int cut_buffer(Buffers *buffers, int index, int32_t count, size_t size) {
    return finish_bytes(&buffers->of[index], count * (Py_ssize_t)size);
}

/* Allocate Arrow's bounds: one more than there are entries, beginning with 0. */
static int32_t *new_bounds(Buffers *buffers, int index, int32_t entries) {
    int32_t *bounds = new_buffer(buffers, index, entries + 1, sizeof(int32_t));
    if (bounds != NULL)
        bounds[0] = 0;
    return bounds;
}

static int new_column(Buffers *buffers, int index, int32_t entries, int32_t bytes, Column *column) {
    int32_t bitmap_bytes = entries / 8 + 1;
    column->data = new_buffer(buffers, index, bytes, 1);
    column->bounds = new_bounds(buffers, index + 1, entries);
    column->validity = new_buffer(buffers, index + 2, bitmap_bytes, 1);
    if (column->data == NULL || column->bounds == NULL || column->validity == NULL)
        return 0;
    memset(column->validity, 0xFF, (size_t)bitmap_bytes);
    return 1;
}

/* Drop the bitmap if there are no nulls; otherwise, clear the bits after the last entry. */
static int cut_validity(Buffers *buffers, int index, const Column *column) {
    if (column->nulls == 0) {
        Py_CLEAR(buffers->of[index]);
        return 1;
    }
    if (column->entries & 7)
        column->validity[column->entries >> 3] &= (uint8_t)((1 << (column->entries & 7)) - 1);
    return cut_buffer(buffers, index, (column->entries + 7) / 8, 1);
}

static int cut_column(Buffers *buffers, int index, const Column *column) {
    return cut_buffer(buffers, index, column->bytes, 1) &&
           cut_buffer(buffers, index + 1, column->entries + 1, sizeof(int32_t)) &&
           cut_validity(buffers, index + 2, column);
}

static int new_columns(Buffers *buffers, int32_t records, int32_t bytes, Columns *columns) {
    columns->offsets = new_buffer(buffers, OFFSETS, records, sizeof(int64_t));
    columns->timestamps = new_buffer(buffers, TIMESTAMPS, records, sizeof(int64_t));
    columns->leader_epochs = new_buffer(buffers, LEADER_EPOCHS, records, sizeof(int32_t));
    columns->timestamp_types = new_buffer(buffers, TIMESTAMP_TYPES, records, sizeof(int8_t));
    return columns->offsets != NULL && columns->timestamps != NULL && columns->leader_epochs != NULL &&
           columns->timestamp_types != NULL && new_column(buffers, KEYS, records, bytes, &columns->keys) &&
           new_column(buffers, VALUES, records, bytes, &columns->values);
}

static int cut_columns(Buffers *buffers, const Columns *columns) {
    int32_t records = columns->keys.entries;
    return cut_buffer(buffers, OFFSETS, records, sizeof(int64_t)) &&
           cut_buffer(buffers, TIMESTAMPS, records, sizeof(int64_t)) &&
           cut_buffer(buffers, LEADER_EPOCHS, records, sizeof(int32_t)) &&
           cut_buffer(buffers, TIMESTAMP_TYPES, records, sizeof(int8_t)) &&
           cut_column(buffers, KEYS, &columns->keys) && cut_column(buffers, VALUES, &columns->values);
}

static int new_headers(Buffers *buffers, const Columns *columns, Headers *headers) {
    headers->most_records = columns->keys.entries;
    headers->most = columns->header_sizes;
    headers->bounds = new_bounds(buffers, HEADER_BOUNDS, headers->most_records);
    return headers->bounds != NULL &&
           new_column(buffers, HEADER_KEYS, headers->most.entries, headers->most.key_bytes, &headers->keys) &&
           new_column(buffers, HEADER_VALUES, headers->most.entries, headers->most.value_bytes, &headers->values);
}

static int cut_headers(Buffers *buffers, const Headers *headers) {
    return cut_column(buffers, HEADER_KEYS, &headers->keys) && cut_column(buffers, HEADER_VALUES, &headers->values);
}

static PyObject *column_tuple(const Buffers *buffers, int index) {
    PyObject *validity = buffers->of[index + 2];
    return PyTuple_Pack(3, buffers->of[index], buffers->of[index + 1], validity == NULL ? Py_None : validity);
}

static PyObject *header_tuple(const Buffers *buffers) {
    if (buffers->of[HEADER_BOUNDS] == NULL)
        Py_RETURN_NONE;
    return Py_BuildValue("ONN", buffers->of[HEADER_BOUNDS], column_tuple(buffers, HEADER_KEYS),
                         column_tuple(buffers, HEADER_VALUES));
}

/* Offsets, timestamps, keys, values, headers, leader epochs, timestamp types and payload bytes. */
static PyObject *columns_tuple(const Buffers *buffers, int32_t payload_bytes) {
    return Py_BuildValue("OONNNOOi", buffers->of[OFFSETS], buffers->of[TIMESTAMPS], column_tuple(buffers, KEYS),
                         column_tuple(buffers, VALUES), header_tuple(buffers), buffers->of[LEADER_EPOCHS],
                         buffers->of[TIMESTAMP_TYPES], payload_bytes);
}

#endif
