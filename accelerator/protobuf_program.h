/* Programs that read Protobuf messages, which values/protobuf/compiling.py creates from a descriptor.
 *
 * A program is a table of messages, each with a range of fields in the order of their numbers. Field 0 is the value
 * itself. Before a program is run, its columns, messages and tables are checked, so that none can lead out of bounds.
 */
#ifndef KAFKA_NEXTGEN_PROTOBUF_PROGRAM_H
#define KAFKA_NEXTGEN_PROTOBUF_PROGRAM_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#include "avro_program.h" /* is_aligned */
#include "column_builder.h"

typedef enum { /* as in program.py; from PB_MESSAGE on, a value is a message */
    PB_BOOL,
    PB_VARINT4,
    PB_VARINT8,
    PB_ZIGZAG4,
    PB_ZIGZAG8,
    PB_FIXED4,
    PB_FIXED8,
    PB_BYTES,
    PB_STRING,
    PB_ENUM,        /* a: the index of pairs (number, index of the name), b: their number; the same for the next two */
    PB_CLOSED_ENUM,
    PB_CLOSED_NUMBER, /* without names */
    PB_MESSAGE,     /* a: the index of the message; the same for the next one */
    PB_GROUP,
    PB_TIMESTAMP,   /* a: the nanoseconds in a unit; the same for the next one */
    PB_DURATION,
    PB_STRUCT,      /* google.protobuf.Struct as JSON; the same for the next two */
    PB_VALUE,
    PB_LIST,
    PB_OPERATIONS
} PbOperation;

typedef enum { PB_SINGULAR, PB_REPEATED, PB_MAP } PbShape;

typedef enum { /* what a column gets if the field is absent */
    PB_ABSENT_NULL,
    PB_ABSENT_DEFAULT, /* the bytes in the blob */
    PB_ABSENT_EMPTY    /* a message without fields */
} PbAbsent;

typedef enum { PB_CLOSE_NOTHING, PB_CLOSE_STRUCT, PB_CLOSE_BIT } PbClosing;

typedef struct {
    uint32_t tag, packed; /* packed: the tag of packed values; 0 if there are none */
    int32_t operation, column, shape, a, b;
    int32_t oneof; /* the index of the number and the columns of the oneof's other members in the table; -1 for none */
    int32_t absent, at, size;
} PbField;

#define PB_FIELD_NUMBERS 11

typedef struct {
    int32_t base; /* the column whose length gives the current row: the message's own, or that of its only field */
    int32_t closing, first, end;
} PbMessage;

#define PB_MESSAGE_NUMBERS 4
#define PB_MOST_FIELDS (1 << 18)

typedef struct {
    PbMessage *messages;
    PbField *fields;
    int64_t message_count, field_count;
    const int64_t *table, *path; /* path: the indexes that a frame must have */
    int64_t table_size, path_size;
    const uint8_t *blob;
    int64_t blob_size;
    Py_buffer buffers[5];
} PbProgram;

static int pb_is_column(const ColumnTree *tree, int64_t column, ColumnKind kind, int32_t width) {
    return column >= 0 && column < tree->count && tree->columns[column].kind == kind &&
           (kind != NUMBERS || tree->columns[column].width == width);
}

static int pb_is_range(int64_t begin, int64_t count, int64_t size) {
    return begin >= 0 && count >= 0 && begin <= size && count <= size - begin;
}

/* Whether a message can be read within another one. It must come later in the table, so that none can contain
 * itself. */
static int pb_is_message(const PbProgram *program, int64_t index, int64_t outer) {
    return index > outer && index < program->message_count;
}

static int pb_fits_column(const PbProgram *program, const ColumnTree *tree, const PbField *field, int64_t column) {
    switch (field->operation) {
    case PB_BOOL:
        return pb_is_column(tree, column, BITS, 0);
    case PB_VARINT4: case PB_ZIGZAG4: case PB_FIXED4: case PB_ENUM: case PB_CLOSED_ENUM: case PB_CLOSED_NUMBER:
        return pb_is_column(tree, column, NUMBERS, 4);
    case PB_VARINT8: case PB_ZIGZAG8: case PB_FIXED8: case PB_TIMESTAMP: case PB_DURATION:
        return pb_is_column(tree, column, NUMBERS, 8);
    case PB_MESSAGE: case PB_GROUP:
        return program->messages[field->a].base == column;
    default:
        return pb_is_column(tree, column, STRINGS, 0);
    }
}

static int pb_is_argument_sound(const PbProgram *program, const PbField *field, int64_t message) {
    switch (field->operation) {
    case PB_ENUM: case PB_CLOSED_ENUM: case PB_CLOSED_NUMBER:
        return pb_is_range(field->a, 2 * (int64_t)field->b, program->table_size);
    case PB_MESSAGE: case PB_GROUP:
        return pb_is_message(program, field->a, message);
    case PB_TIMESTAMP: case PB_DURATION:
        return field->a == 1 || field->a == 1000;
    default:
        return 1;
    }
}

static int pb_is_oneof_sound(const PbProgram *program, const ColumnTree *tree, const PbField *field) {
    if (field->oneof == -1)
        return 1;
    if (field->shape != PB_SINGULAR || !pb_is_range(field->oneof, 1, program->table_size) ||
        !pb_is_range(field->oneof + 1, program->table[field->oneof], program->table_size))
        return 0;
    for (int64_t i = 1; i <= program->table[field->oneof]; i++)
        if (program->table[field->oneof + i] < 0 || program->table[field->oneof + i] >= tree->count)
            return 0;
    return 1;
}

/* A default has the size of an entry, or one byte for a column of bits. */
static int pb_is_absent_sound(const PbProgram *program, const ColumnTree *tree, const PbField *field) {
    const BuiltColumn *column = &tree->columns[field->column];
    if (field->absent == PB_ABSENT_EMPTY)
        return field->operation == PB_MESSAGE;
    if (field->absent != PB_ABSENT_DEFAULT)
        return field->absent == PB_ABSENT_NULL;
    return pb_is_range(field->at, field->size, program->blob_size) &&
           (column->kind == STRINGS || (column->kind == NUMBERS && column->width == field->size) ||
            (column->kind == BITS && field->size == 1));
}

/* The items of a list are in the next column. In a map, the next column has structs, and the keys are in the column
 * after it. */
static int pb_is_shape_sound(const ColumnTree *tree, const PbField *field) {
    int64_t column = field->column;
    if (field->shape == PB_SINGULAR)
        return column >= 0 && column < tree->count;
    if (field->shape != PB_REPEATED && field->shape != PB_MAP)
        return 0;
    return pb_is_column(tree, column, LISTS, 0) &&
           (field->shape == PB_REPEATED || (field->operation == PB_MESSAGE && pb_is_column(tree, column + 1, STRUCTS, 0) &&
                                            tree->columns[column + 1].end > column + 2));
}

static int pb_is_field_sound(const PbProgram *program, const ColumnTree *tree, const PbField *field, int64_t message) {
    return field->operation >= 0 && field->operation < PB_OPERATIONS && pb_is_shape_sound(tree, field) &&
           pb_is_argument_sound(program, field, message) &&
           pb_fits_column(program, tree, field, field->column + (field->shape != PB_SINGULAR)) &&
           pb_is_oneof_sound(program, tree, field) && pb_is_absent_sound(program, tree, field);
}

static int pb_is_message_sound(const PbProgram *program, const ColumnTree *tree, int64_t index) {
    const PbMessage *message = &program->messages[index];
    if (message->base < 0 || message->base >= tree->count || message->first < 1 || message->end < message->first ||
        message->end > program->field_count)
        return 0;
    if (message->closing == PB_CLOSE_STRUCT ? tree->columns[message->base].kind != STRUCTS
                                            : message->closing == PB_CLOSE_BIT
                                                  ? tree->columns[message->base].kind != BITS
                                                  : message->closing != PB_CLOSE_NOTHING)
        return 0;
    for (int64_t i = message->first; i < message->end; i++)
        if (!pb_is_field_sound(program, tree, &program->fields[i], index) ||
            (i > message->first && program->fields[i].tag >> 3 <= program->fields[i - 1].tag >> 3))
            return 0;
    return 1;
}

static int pb_is_program_sound(const PbProgram *program, const ColumnTree *tree) {
    if (program->field_count < 1 || program->fields[0].operation < PB_MESSAGE ||
        program->fields[0].shape != PB_SINGULAR || !pb_is_field_sound(program, tree, &program->fields[0], -1))
        return 0;
    for (int64_t i = 0; i < program->message_count; i++)
        if (!pb_is_message_sound(program, tree, i))
            return 0;
    return 1;
}

static int pb_copy_fields(PbProgram *program, const int64_t *numbers) {
    program->fields = PyMem_RawCalloc((size_t)program->field_count + 1, sizeof(PbField));
    if (program->fields == NULL)
        return 0;
    for (int64_t i = 0; i < program->field_count; i++, numbers += PB_FIELD_NUMBERS)
        program->fields[i] = (PbField){(uint32_t)numbers[0], (uint32_t)numbers[1], (int32_t)numbers[2], (int32_t)numbers[3],
                                       (int32_t)numbers[4], (int32_t)numbers[5], (int32_t)numbers[6], (int32_t)numbers[7],
                                       (int32_t)numbers[8], (int32_t)numbers[9], (int32_t)numbers[10]};
    return 1;
}

static int pb_copy_messages(PbProgram *program, const int64_t *numbers) {
    program->messages = PyMem_RawCalloc((size_t)program->message_count + 1, sizeof(PbMessage));
    if (program->messages == NULL)
        return 0;
    for (int64_t i = 0; i < program->message_count; i++, numbers += PB_MESSAGE_NUMBERS)
        program->messages[i] =
            (PbMessage){(int32_t)numbers[0], (int32_t)numbers[1], (int32_t)numbers[2], (int32_t)numbers[3]};
    return 1;
}

static void pb_drop_program(PbProgram *program) {
    PyMem_RawFree(program->messages);
    PyMem_RawFree(program->fields);
    for (int i = 0; i < 5; i++)
        PyBuffer_Release(&program->buffers[i]);
}

static int64_t pb_numbers_in(const Py_buffer *buffer) { return buffer->len / (Py_ssize_t)sizeof(int64_t); }

/* Set up a program from a tuple of messages, fields, table, blob and path. Returns 0 with an exception set if it is not
 * valid. */
static int pb_take_program(PyObject *entry, const ColumnTree *tree, PbProgram *program) {
    Py_buffer *buffers = program->buffers;
    if (!PyArg_ParseTuple(entry, "y*y*y*y*y*", &buffers[0], &buffers[1], &buffers[2], &buffers[3], &buffers[4])) {
        memset(buffers, 0, sizeof program->buffers); /* PyArg_ParseTuple has released them */
        return 0;
    }
    program->message_count = pb_numbers_in(&buffers[0]) / PB_MESSAGE_NUMBERS;
    program->field_count = pb_numbers_in(&buffers[1]) / PB_FIELD_NUMBERS;
    program->table = buffers[2].buf;
    program->table_size = pb_numbers_in(&buffers[2]);
    program->blob = buffers[3].buf;
    program->blob_size = buffers[3].len;
    program->path = buffers[4].buf;
    program->path_size = pb_numbers_in(&buffers[4]);
    int is_aligned_everywhere = 1;
    for (int i = 0; i < 5; i++)
        is_aligned_everywhere &= i == 3 || is_aligned(&buffers[i]); /* the blob needs no alignment */
    if (is_aligned_everywhere && program->field_count <= PB_MOST_FIELDS && program->message_count <= PB_MOST_FIELDS) {
        if (!pb_copy_messages(program, buffers[0].buf) || !pb_copy_fields(program, buffers[1].buf))
            return PyErr_NoMemory() != NULL;
        if (pb_is_program_sound(program, tree))
            return 1;
    }
    PyErr_SetString(PyExc_ValueError, "the program does not fit the columns");
    return 0;
}

#endif
