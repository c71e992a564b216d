/* `protobuf_decode`: decodes the Protobuf values of consecutive records into columns.
 *
 * A null value becomes a null row. So does a bad value, which is also reported with its row number. If later fields may
 * correct a fault, or if fields have to be merged, the value is passed to `merge`. It returns the message as rewritten
 * by protobuf's own parser and serializer, or None if the parser rejects it.
 */
#ifndef KAFKA_NEXTGEN_PROTOBUF_H
#define KAFKA_NEXTGEN_PROTOBUF_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "avro.h"
#include "protobuf_run.h"

#define RAISED (-4) /* an exception is set */

typedef struct {
    AvroWork rows; /* the values, the columns and the bad values */
    PbProgram program;
    PbRun run;
    PyObject *merge, *merged;
    PyThreadState *state;
} PbWork;

/* Read Confluent's frame: 0, an id of four bytes, and the indexes of the message as zigzag varints, preceded by their
 * number. A number of 0 stands for the single index 0. */
static int pb_read_frame(const PbProgram *program, Cursor *cursor) {
    int32_t count, index;
    if (cursor->end - cursor->at < FRAME_BYTES || *cursor->at != 0)
        return PB_NO_FRAME;
    cursor->at += FRAME_BYTES;
    if (!read_varint(cursor, &count))
        return PB_NO_FRAME;
    if (count == 0)
        return program->path_size == 1 && program->path[0] == 0 ? FILLED : PB_OTHER_MESSAGE;
    if (count < 0 || count > cursor->end - cursor->at)
        return PB_NO_FRAME;
    int status = count == program->path_size ? FILLED : PB_OTHER_MESSAGE;
    for (int32_t i = 0; i < count; i++) {
        if (!read_varint(cursor, &index))
            return PB_NO_FRAME;
        if (status == FILLED && index != program->path[i])
            status = PB_OTHER_MESSAGE;
    }
    return status;
}

static int pb_read_row(PbWork *work, Cursor *cursor, int is_merged) {
    work->run.json.is_merged = is_merged;
    work->run.levels = PB_MOST_LEVELS;
    work->run.absent = PB_MOST_ABSENT;
    work->run.detail = 0;
    work->run.json.keys.count = 0;
    return pb_run_program(&work->run, cursor);
}

/* Replace the bytes of a value with merged ones. Returns 1; 0 if the parser rejects the value; RAISED if `merge` raised
 * an exception. */
static int pb_merge(PbWork *work, Py_ssize_t row, Cursor *cursor) {
    take_gil(work->state);
    Py_XSETREF(work->merged, PyObject_CallFunction(work->merge, "n", row));
    int answer = work->merged == NULL ? RAISED : work->merged != Py_None;
    if (answer == 1 && !PyBytes_Check(work->merged)) {
        PyErr_SetString(PyExc_TypeError, "merge() must return bytes or None");
        answer = RAISED;
    }
    if (answer == 1) {
        cursor->at = (const uint8_t *)PyBytes_AS_STRING(work->merged);
        cursor->end = cursor->at + PyBytes_GET_SIZE(work->merged);
    }
    work->state = release_gil(work->state == NULL ? 0 : INT64_MAX);
    return answer;
}

static int pb_decode_row(PbWork *work, Py_ssize_t row) {
    const ColumnTree *tree = work->rows.tree;
    int64_t rows = tree->columns[0].length;
    Cursor cursor;
    if (!value_at(&work->rows.values, row, &cursor))
        return append_null(tree->columns, 0);
    const uint8_t *begin = cursor.at;
    int status = work->program.path_size > 0 ? pb_read_frame(&work->program, &cursor) : FILLED;
    if (status == FILLED)
        status = pb_read_row(work, &cursor, 0);
    int64_t at = cursor.at - begin, detail = work->run.detail;
    if (status != FILLED)
        cut_rows(tree, rows);
    if (status >= PB_NO_UTF8) {
        int answer = pb_merge(work, row, &cursor);
        if (answer == RAISED)
            return RAISED;
        if (answer)
            status = pb_read_row(work, &cursor, 1);
        if (answer && status != FILLED)
            cut_rows(tree, rows);
    }
    if (status <= 0)
        return status;
    status = note_bad(&work->rows, row, status, at, detail);
    return status == FILLED ? append_null(tree->columns, 0) : status;
}

static int pb_decode_rows(PbWork *work, Py_ssize_t row, Py_ssize_t stop) {
    int status = FILLED;
    while (row < stop && status == FILLED)
        status = pb_decode_row(work, row++);
    return status;
}

static void pb_drop_work(PbWork *work) {
    pb_drop_program(&work->program);
    PyMem_RawFree(work->run.json.text.data);
    PyMem_RawFree(work->run.json.keys.keys);
    Py_XDECREF(work->merged);
    drop_work_of_avro(&work->rows);
}

static PyObject *pb_decode_run(PbWork *work, PyObject *program, ColumnBuilder *builder, Py_ssize_t row, Py_ssize_t stop) {
    if (row < 0 || row > stop || stop >= INT32_MAX || !strings_fit(&work->rows.values, stop)) {
        PyErr_SetString(PyExc_ValueError, "the rows are outside their column");
        return NULL;
    }
    if (!pb_take_program(program, &builder->tree, &work->program))
        return NULL;
    work->run.program = &work->program;
    work->run.columns = builder->tree.columns;
    builder->is_busy = 1;
    work->state = release_gil(work->rows.values.data.len);
    int status = pb_decode_rows(work, row, stop);
    take_gil(work->state);
    builder->is_busy = 0;
    return status == RAISED ? NULL : avro_answer(&work->rows, stop, status);
}

PyDoc_STRVAR(protobuf_decode_doc,
             "protobuf_decode(builder, program, values, start, stop, merge)\n--\n\n"
             "Decode values, which are data, bounds and validity, from start up to, but not including, stop into the\n"
             "columns of builder. Returns stop and a list of bad values: the row, the fault, its position in bytes,\n"
             "and a detail. merge(row) returns the bytes to read in place of a value, or None if the value is bad.");

static PyObject *protobuf_decode(PyObject *module, PyObject *args) {
    ModuleState *state = PyModule_GetState(module);
    PbWork work = {0};
    Strings *values = &work.rows.values;
    PyObject *builder, *program;
    Py_ssize_t start, stop;
    if (!PyArg_ParseTuple(args, "O!O!(y*y*z*)nnO:protobuf_decode", state->builder, &builder, &PyTuple_Type, &program,
                          &values->data, &values->bounds, &values->validity, &start, &stop, &work.merge))
        return NULL;
    work.rows.tree = &((ColumnBuilder *)builder)->tree;
    PyObject *answer =
        is_free((ColumnBuilder *)builder) ? pb_decode_run(&work, program, (ColumnBuilder *)builder, start, stop) : NULL;
    pb_drop_work(&work);
    return answer;
}

#endif
