/* `json_decode`: decodes the JSON values of consecutive records into columns.
 *
 * A null value becomes a null row. So does a bad value, which is also reported with its row number. A value is one JSON
 * document with optional surrounding white space, possibly after a frame such as Confluent's: 0, then the id of a
 * schema.
 */
#ifndef KAFKA_NEXTGEN_JSON_H
#define KAFKA_NEXTGEN_JSON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "avro.h"
#include "json_run.h"

typedef struct {
    int64_t row, status, column;
} BadJson;

typedef struct {
    JsonRun run;
    JsonProgram program;
    int32_t column; /* the column of the values */
    int32_t frame;  /* the number of bytes before each value; the first of them is 0 */
    Strings values;
    ColumnTree *tree;
    BadJson *bad;
    int64_t bad_count, bad_capacity;
} JsonWork;

static int note_bad_json(JsonWork *work, int64_t row, int status) {
    if (work->bad_count == work->bad_capacity) {
        int64_t capacity = work->bad_capacity * 2 + 16;
        BadJson *bad = resized(work->bad, capacity * (int64_t)sizeof(BadJson));
        if (bad == NULL)
            return NO_MEMORY;
        work->bad = bad;
        work->bad_capacity = capacity;
    }
    work->bad[work->bad_count++] = (BadJson){row, status, work->run.column};
    return FILLED;
}

/* Read a value that could not be read in one pass: check that it is JSON, then read it in careful mode. */
static int read_carefully(JsonWork *work, Cursor value) {
    int status = check_document(&work->run, value);
    if (status != FILLED)
        return status;
    work->run.is_careful = 1;
    status = read_document(&work->run, value, work->column);
    work->run.is_careful = 0;
    return status;
}

/* Skip the frame. Its faults are not attributed to a column. */
static int skip_frame(JsonWork *work, Cursor *value) {
    work->run.column = -1;
    if (work->frame > 0 && (value->end - value->at < work->frame || *value->at != 0))
        return JSON_NO_FRAME;
    value->at += work->frame;
    return FILLED;
}

static int decode_json_row(JsonWork *work, Py_ssize_t row) {
    BuiltColumn *columns = work->tree->columns;
    int64_t rows = columns[0].length;
    Cursor value;
    if (!value_at(&work->values, row, &value))
        return append_null(columns, 0);
    int status = skip_frame(work, &value);
    if (status == FILLED)
        status = read_document(&work->run, value, work->column);
    if (status > 0 && status != JSON_NO_FRAME) {
        cut_rows(work->tree, rows);
        status = read_carefully(work, value);
    }
    if (status <= 0)
        return status;
    cut_rows(work->tree, rows);
    status = note_bad_json(work, row, status);
    return status == FILLED ? append_null(columns, 0) : status;
}

static int decode_json_rows(JsonWork *work, Py_ssize_t start, Py_ssize_t stop) {
    int status = FILLED;
    for (Py_ssize_t row = start; status == FILLED && row < stop; row++)
        status = decode_json_row(work, row);
    return status;
}

static void drop_json_work(JsonWork *work) {
    drop_json_program(&work->program);
    PyMem_RawFree(work->run.marks);
    PyMem_RawFree(work->run.reader.text.data);
    PyMem_RawFree(work->run.reader.bytes.data);
    PyMem_RawFree(work->bad);
    drop_strings(&work->values);
}

static PyObject *json_answer(const JsonWork *work, int status) {
    if (status == NO_MEMORY)
        return PyErr_NoMemory();
    if (status == TOO_LARGE) {
        PyErr_SetString(PyExc_OverflowError, "a column exceeds 2**31 entries or bytes");
        return NULL;
    }
    PyObject *list = PyList_New((Py_ssize_t)work->bad_count);
    for (Py_ssize_t i = 0; list != NULL && i < work->bad_count; i++) {
        const BadJson *bad = &work->bad[i];
        PyObject *entry = Py_BuildValue("LLL", (long long)bad->row, (long long)bad->status, (long long)bad->column);
        if (entry == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, entry);
    }
    return list;
}

/* Check that the values belong in column 0 or in its only child, and prepare to decode them. Returns 0 with an
 * exception set on failure. */
static int begin_json(JsonWork *work) {
    int is_there = work->column == 0 ? work->program.nodes[0].operation == JSON_STRUCT
                                     : work->column == 1 && children_of(work->tree, 0) == 1;
    if (!is_there) {
        PyErr_SetString(PyExc_ValueError, "the values can't be decoded into this column");
        return 0;
    }
    prepare_base64();
    work->run.program = &work->program;
    work->run.columns = work->tree->columns;
    work->run.marks = PyMem_RawCalloc((size_t)work->tree->count, sizeof(int64_t));
    return work->run.marks != NULL || PyErr_NoMemory() != NULL;
}

static PyObject *json_decode_run(JsonWork *work, ColumnBuilder *builder, Py_ssize_t start, Py_ssize_t stop) {
    if (work->frame < 0 || start < 0 || start > stop || stop >= INT32_MAX || !strings_fit(&work->values, stop)) {
        PyErr_SetString(PyExc_ValueError, "the rows are outside their column");
        return NULL;
    }
    if (!take_json_program(&work->program, work->tree) || !begin_json(work))
        return NULL;
    builder->is_busy = 1;
    work->run.reader.state = release_gil(work->values.data.len);
    int status = decode_json_rows(work, start, stop);
    take_gil(work->run.reader.state);
    builder->is_busy = 0;
    return json_answer(work, status);
}

PyDoc_STRVAR(json_decode_doc,
             "json_decode(builder, program, column, frame, values, start, stop)\n--\n\n"
             "Decode values, which are data, bounds and validity, from start up to, but not including, stop into the\n"
             "columns of builder; column is the index of the values' column. Each value is preceded by frame bytes,\n"
             "the first of which is 0. Returns a list of bad values: the row, the fault, and the column.");

static PyObject *json_decode(PyObject *module, PyObject *args) {
    ModuleState *state = PyModule_GetState(module);
    JsonWork work = {0};
    Py_buffer *buffers = work.program.buffers;
    PyObject *builder;
    Py_ssize_t start, stop;
    if (!PyArg_ParseTuple(args, "O!(y*y*y*y*)ii(y*y*z*)nn:json_decode", state->builder, &builder, &buffers[0], &buffers[1],
                          &buffers[2], &buffers[3], &work.column, &work.frame, &work.values.data, &work.values.bounds,
                          &work.values.validity, &start, &stop))
        return NULL;
    work.tree = &((ColumnBuilder *)builder)->tree;
    PyObject *answer =
        is_free((ColumnBuilder *)builder) ? json_decode_run(&work, (ColumnBuilder *)builder, start, stop) : NULL;
    drop_json_work(&work);
    return answer;
}

#endif
