/* `avro_decode`: decodes the Avro values of consecutive records into columns.
 *
 * A null value becomes a null row. So does a bad value, which is also reported with its row number. Values with
 * Confluent's frame (0, then an id of four bytes) are read with the program for their id, or with the only program,
 * whatever their id is. If there is no program for an id yet, decoding stops, so that the caller can compile one and
 * continue.
 */
#ifndef KAFKA_NEXTGEN_AVRO_H
#define KAFKA_NEXTGEN_AVRO_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "avro_run.h"
#include "batch.h"
#include "binary.h"
#include "column_builder_type.h"
#include "gil.h"
#include "state.h"

#define FRAME_BYTES 5
#define UNKNOWN_ID (-3)

enum { BARE, ANY_ID, BY_ID }; /* FrameUse of values/avro/program.py */

typedef struct {
    int64_t row, status, at, detail;
} BadValue;

typedef struct {
    AvroProgram *programs;
    Py_ssize_t count;
    Py_ssize_t last; /* the index of the program used last */
    int framing;
    Strings values;
    ColumnTree *tree;
    BadValue *bad;
    int64_t bad_count, bad_capacity;
} AvroWork;

static const AvroProgram *program_of(AvroWork *work, int64_t id) {
    if (work->last < work->count && work->programs[work->last].id == id)
        return &work->programs[work->last];
    for (work->last = 0; work->last < work->count; work->last++)
        if (work->programs[work->last].id == id)
            return &work->programs[work->last];
    return NULL;
}

static int note_bad(AvroWork *work, int64_t row, int status, int64_t at, int64_t detail) {
    if (work->bad_count == work->bad_capacity) {
        int64_t capacity = work->bad_capacity * 2 + 16;
        BadValue *bad = resized(work->bad, capacity * (int64_t)sizeof(BadValue));
        if (bad == NULL)
            return NO_MEMORY;
        work->bad = bad;
        work->bad_capacity = capacity;
    }
    work->bad[work->bad_count++] = (BadValue){row, status, at, detail};
    return FILLED;
}

/* Find the bytes of a value; returns 0 if it is null. A value outside its column counts as empty; this does not happen
 * with decoded columns. */
static int value_at(const Strings *strings, Py_ssize_t row, Cursor *cursor) {
    const uint8_t *validity = strings->validity.buf;
    const int32_t *bounds = strings->bounds.buf;
    if (validity != NULL && !(validity[row >> 3] >> (row & 7) & 1))
        return 0;
    int32_t begin = bounds[row], end = bounds[row + 1];
    int is_inside = begin >= 0 && end >= begin && end <= strings->data.len;
    cursor->at = (const uint8_t *)strings->data.buf + (is_inside ? begin : 0);
    cursor->end = cursor->at + (is_inside ? end - begin : 0);
    return 1;
}

/* Return the program for a value, and move the cursor past the value's frame. Returns NULL and sets `status` if there
 * is none. */
static const AvroProgram *begin_value(AvroWork *work, Cursor *cursor, int *status) {
    if (work->framing == BARE)
        return &work->programs[0];
    if (cursor->end - cursor->at < FRAME_BYTES || cursor->at[0] != 0) {
        *status = NO_FRAME;
        return NULL;
    }
    const AvroProgram *program =
        work->framing == ANY_ID ? &work->programs[0] : program_of(work, int32_at(cursor->at + 1));
    cursor->at += FRAME_BYTES;
    if (program == NULL)
        *status = UNKNOWN_ID;
    return program;
}

static int decode_row(AvroWork *work, Py_ssize_t row) {
    BuiltColumn *columns = work->tree->columns;
    AvroRun run;
    begin_run(&run);
    int64_t rows = columns[0].length;
    int status = FILLED;
    if (!value_at(&work->values, row, &run.cursor))
        return append_null(columns, 0);
    const uint8_t *begin = run.cursor.at;
    run.allowance += EXPANSION * (int64_t)(run.cursor.end - begin);
    const AvroProgram *program = begin_value(work, &run.cursor, &status);
    if (program != NULL)
        status = run_program(&run, program, columns);
    if (status == FILLED || status == UNKNOWN_ID)
        return status;
    cut_rows(work->tree, rows);
    if (status < 0)
        return status;
    int64_t at = run.resumed.at == NULL ? run.cursor.at - begin : 0; /* positions within a default are not reported */
    status = note_bad(work, row, status, at, run.detail);
    return status == FILLED ? append_null(columns, 0) : status;
}

/* Decode the rows from `*row` up to, but not including, `stop`, or until decoding has to stop. */
static int decode_rows(AvroWork *work, Py_ssize_t *row, Py_ssize_t stop) {
    int status = FILLED;
    while (*row < stop && (status = decode_row(work, *row)) == FILLED)
        ++*row;
    return status;
}

static int take_programs(AvroWork *work, PyObject *programs) {
    Py_ssize_t count = PyTuple_GET_SIZE(programs);
    work->programs = PyMem_RawCalloc((size_t)count + 1, sizeof(AvroProgram));
    if (work->programs == NULL)
        return PyErr_NoMemory() != NULL;
    for (; work->count < count; work->count++)
        if (!take_program(PyTuple_GET_ITEM(programs, work->count), work->tree, &work->programs[work->count])) {
            drop_program(&work->programs[work->count]);
            return 0;
        }
    if (count == 0 && work->framing != BY_ID)
        PyErr_SetString(PyExc_ValueError, "a program is required unless values are framed by id");
    return count > 0 || work->framing == BY_ID;
}

static void drop_work_of_avro(AvroWork *work) {
    for (Py_ssize_t i = 0; i < work->count; i++)
        drop_program(&work->programs[i]);
    PyMem_RawFree(work->programs);
    PyMem_RawFree(work->bad);
    drop_strings(&work->values);
}

static PyObject *avro_answer(const AvroWork *work, Py_ssize_t row, int status) {
    if (status == NO_MEMORY)
        return PyErr_NoMemory();
    if (status == TOO_LARGE) {
        PyErr_SetString(PyExc_OverflowError, "a column exceeds 2**31 entries or bytes");
        return NULL;
    }
    PyObject *list = PyList_New((Py_ssize_t)work->bad_count);
    for (Py_ssize_t i = 0; list != NULL && i < work->bad_count; i++) {
        const BadValue *bad = &work->bad[i];
        PyObject *entry = Py_BuildValue("LLLL", (long long)bad->row, (long long)bad->status, (long long)bad->at,
                                        (long long)bad->detail);
        if (entry == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, entry);
    }
    return list == NULL ? NULL : Py_BuildValue("nN", row, list);
}

static PyObject *avro_decode_run(AvroWork *work, PyObject *programs, ColumnBuilder *builder, Py_ssize_t row, Py_ssize_t stop) {
    if (row < 0 || row > stop || stop >= INT32_MAX || !strings_fit(&work->values, stop)) {
        PyErr_SetString(PyExc_ValueError, "the rows are outside their column");
        return NULL;
    }
    if (!take_programs(work, programs))
        return NULL;
    builder->is_busy = 1;
    /* Nulls have no bytes, but each of them is appended to all columns. */
    PyThreadState *state = release_gil(work->values.data.len + (int64_t)(stop - row) * work->tree->count);
    int status = decode_rows(work, &row, stop);
    take_gil(state);
    builder->is_busy = 0;
    return avro_answer(work, row, status);
}

PyDoc_STRVAR(avro_decode_doc,
             "avro_decode(builder, programs, framing, values, start, stop)\n--\n\n"
             "Decode values, which are data, bounds and validity, from start up to, but not including, stop into the\n"
             "columns of builder. Returns the row at which decoding stopped (stop, unless there is no program for\n"
             "the id of that row) and a list of bad values: the row, the fault, its position in bytes, and a detail.");

static PyObject *avro_decode(PyObject *module, PyObject *args) {
    ModuleState *state = PyModule_GetState(module);
    AvroWork work = {0};
    PyObject *builder, *programs;
    Py_ssize_t start, stop;
    if (!PyArg_ParseTuple(args, "O!O!i(y*y*z*)nn:avro_decode", state->builder, &builder, &PyTuple_Type, &programs,
                          &work.framing, &work.values.data, &work.values.bounds, &work.values.validity, &start, &stop))
        return NULL;
    work.tree = &((ColumnBuilder *)builder)->tree;
    PyObject *answer =
        is_free((ColumnBuilder *)builder) ? avro_decode_run(&work, programs, (ColumnBuilder *)builder, start, stop) : NULL;
    drop_work_of_avro(&work);
    return answer;
}

#endif
