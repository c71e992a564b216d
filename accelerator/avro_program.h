/* Programs that read Avro values, which values/avro/compiling.py creates from a writer's and a reader's schema.
 *
 * An instruction has five numbers: the operation, the column (-1: read and drop), and three arguments. The third
 * argument is the number of bytes that NULL, STRUCT, BRANCH, NULLABLE (for null) and DEFAULT add to columns without
 * reading bytes of the value (0: not counted). Before a program is run, its columns, places and tables are checked, so
 * that none can lead out of bounds.
 */
#ifndef KAFKA_NEXTGEN_AVRO_PROGRAM_H
#define KAFKA_NEXTGEN_AVRO_PROGRAM_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#include "column_builder.h"

typedef enum { /* as in program.py */
    AVRO_END,
    AVRO_NULL,         /* a: the end of the siblings that become null with the column, 0 for the column alone */
    AVRO_BOOLEAN,
    AVRO_INT,          /* a: the exclusive upper limit, 0 for none; the same for the next two */
    AVRO_LONG,
    AVRO_LONG_OF_INT,
    AVRO_FLOAT,
    AVRO_FLOAT_OF_INT,
    AVRO_FLOAT_OF_LONG,
    AVRO_DOUBLE,
    AVRO_DOUBLE_OF_INT,
    AVRO_DOUBLE_OF_LONG,
    AVRO_DOUBLE_OF_FLOAT,
    AVRO_BYTES,
    AVRO_STRING,
    AVRO_FIXED,        /* a: its size */
    AVRO_ENUM,         /* a: the number of symbols, b: the index of the table of the reader's symbols */
    AVRO_DECIMAL,      /* a: its size or -1, b: the index of four words with the smallest number of too many digits */
    AVRO_UUID,
    AVRO_DURATION,
    AVRO_STRUCT,
    AVRO_BRANCH,       /* a: the column of the branch, whose siblings become null */
    AVRO_LIST,         /* a: the place after the list, b: the minimum size of an item */
    AVRO_NEXT,         /* a: the place of an item, b: as for LIST */
    AVRO_SWITCH,       /* a: the number of branches, b: the index of their places in the table */
    AVRO_NULLABLE,     /* a: the index of null, b: the place to jump to for null */
    AVRO_JUMP,         /* a: the place to jump to */
    AVRO_DEFAULT,      /* a: the offset of the default's bytes in the blob, b: their number */
    AVRO_RESUME,       /* continue with the value after a default */
    AVRO_FAIL,         /* a: a number that the creator of the program chose */
    AVRO_LONG_FIXED,   /* a: its size; stored in a column of strings */
    AVRO_OPERATIONS
} AvroOperation;

typedef struct {
    int64_t operation, column, a, b, c;
} Instruction;

typedef struct {
    int64_t id;
    const Instruction *code;
    int64_t count;
    const int64_t *table;
    int64_t table_size;
    const uint8_t *blob;
    int64_t blob_size;
    Py_buffer buffers[3]; /* the buffers that contain the three arrays */
} AvroProgram;

static int is_kind(const ColumnTree *tree, int64_t column, ColumnKind kind, int64_t width) {
    return column >= 0 && column < tree->count && tree->columns[column].kind == kind &&
           (kind != NUMBERS || tree->columns[column].width == width);
}

/* Whether this instruction can write to its column; -1 means no column. */
static int fits_column(const ColumnTree *tree, const Instruction *at) {
    static const int8_t widths[AVRO_OPERATIONS] = {
        [AVRO_INT] = 4, [AVRO_LONG] = 8, [AVRO_LONG_OF_INT] = 8, [AVRO_FLOAT] = 4, [AVRO_FLOAT_OF_INT] = 4,
        [AVRO_FLOAT_OF_LONG] = 4, [AVRO_DOUBLE] = 8, [AVRO_DOUBLE_OF_INT] = 8, [AVRO_DOUBLE_OF_LONG] = 8,
        [AVRO_DOUBLE_OF_FLOAT] = 8, [AVRO_ENUM] = 4, [AVRO_UUID] = 16, [AVRO_DURATION] = 16,
    };
    int64_t column = at->column;
    if (column == -1)
        return at->operation != AVRO_BRANCH;
    switch (at->operation) {
    case AVRO_NULL: case AVRO_NULLABLE:
        return column >= 0 && column < tree->count;
    case AVRO_BOOLEAN:
        return is_kind(tree, column, BITS, 0);
    case AVRO_BYTES: case AVRO_STRING: case AVRO_LONG_FIXED:
        return is_kind(tree, column, STRINGS, 0);
    case AVRO_FIXED:
        return is_kind(tree, column, NUMBERS, at->a);
    case AVRO_DECIMAL:
        return is_kind(tree, column, NUMBERS, 16) || is_kind(tree, column, NUMBERS, 32);
    case AVRO_STRUCT:
        return is_kind(tree, column, STRUCTS, 0);
    case AVRO_BRANCH:
        return is_kind(tree, column, STRUCTS, 0) && at->a > column && at->a < tree->columns[column].end;
    case AVRO_LIST: case AVRO_NEXT:
        return is_kind(tree, column, LISTS, 0);
    default:
        return widths[at->operation] > 0 && is_kind(tree, column, NUMBERS, widths[at->operation]);
    }
}

static int is_within(int64_t begin, int64_t count, int64_t size) {
    return begin >= 0 && count >= 0 && begin <= size && count <= size - begin;
}

/* Whether this place is later in the program. Only NEXT jumps back, once per item. */
static int is_ahead(const AvroProgram *program, int64_t place, int64_t target) {
    return target > place && target < program->count;
}

static int is_switch_sound(const AvroProgram *program, int64_t place, const Instruction *at) {
    if (!is_within(at->b, at->a, program->table_size))
        return 0;
    for (int64_t i = 0; i < at->a; i++)
        if (!is_ahead(program, place, program->table[at->b + i]))
            return 0;
    return 1;
}

static int is_instruction_sound(const AvroProgram *program, int64_t place, const ColumnTree *tree) {
    const Instruction *at = &program->code[place];
    if (at->operation < 0 || at->operation >= AVRO_OPERATIONS || at->c < 0 || !fits_column(tree, at))
        return 0;
    switch (at->operation) {
    case AVRO_NULL:
        return at->a == 0 || (at->a > at->column && at->a <= tree->count);
    case AVRO_FIXED: case AVRO_LONG_FIXED:
        return at->a >= 0 && at->a <= (1 << 20);
    case AVRO_ENUM:
        return is_within(at->b, at->a, program->table_size);
    case AVRO_DECIMAL:
        return at->a >= -1 && at->a <= (1 << 20) && is_within(at->b, 4, program->table_size);
    case AVRO_LIST:
        return is_ahead(program, place, at->a) && at->b >= 0;
    case AVRO_NEXT:
        return at->a >= 0 && at->a <= place && at->b >= 0;
    case AVRO_SWITCH:
        return is_switch_sound(program, place, at);
    case AVRO_NULLABLE:
        return is_ahead(program, place, at->b);
    case AVRO_JUMP:
        return is_ahead(program, place, at->a);
    case AVRO_DEFAULT:
        return is_within(at->a, at->b, program->blob_size);
    default:
        return 1;
    }
}

/* The last instruction must be END, so that execution can't run past it. */
static int is_program_sound(const AvroProgram *program, const ColumnTree *tree) {
    if (program->count < 1 || program->code[program->count - 1].operation != AVRO_END)
        return 0;
    for (int64_t place = 0; place < program->count; place++)
        if (!is_instruction_sound(program, place, tree))
            return 0;
    return 1;
}

static void drop_program(AvroProgram *program) {
    for (int i = 0; i < 3; i++)
        PyBuffer_Release(&program->buffers[i]);
}

/* Empty buffers need no alignment. */
static int is_aligned(const Py_buffer *buffer) {
    return buffer->len == 0 || (uintptr_t)buffer->buf % sizeof(int64_t) == 0;
}

/* Set up a program from a tuple of an id, code, table and blob. Returns 0 with an exception set if it is not valid. */
static int take_program(PyObject *entry, const ColumnTree *tree, AvroProgram *program) {
    Py_buffer *buffers = program->buffers;
    long long id;
    if (!PyTuple_Check(entry) || !PyArg_ParseTuple(entry, "Ly*y*y*", &id, &buffers[0], &buffers[1], &buffers[2])) {
        memset(buffers, 0, sizeof program->buffers); /* PyArg_ParseTuple has released them */
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a program must be a tuple");
        return 0;
    }
    program->id = id;
    program->code = buffers[0].buf;
    program->count = buffers[0].len / (Py_ssize_t)sizeof(Instruction);
    program->table = buffers[1].buf;
    program->table_size = buffers[1].len / (Py_ssize_t)sizeof(int64_t);
    program->blob = buffers[2].buf;
    program->blob_size = buffers[2].len;
    if (is_aligned(&buffers[0]) && is_aligned(&buffers[1]) && is_program_sound(program, tree))
        return 1;
    PyErr_SetString(PyExc_ValueError, "the program does not fit the columns");
    return 0;
}

#endif
