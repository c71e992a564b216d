/* Decodes one Avro value with a program: values/avro/twin.py in C.
 *
 * Nothing here is recursive: `left` counts the remaining items of nested lists. Time and memory are bounded by the size
 * of the value: only NEXT jumps back, once per item. Each item takes at least a byte, or counts as EMPTY_ITEM_BYTES.
 * What items add to columns without reading bytes (nulls in structs, defaults) counts too, and each value has an
 * allowance for all of this.
 */
#ifndef KAFKA_NEXTGEN_AVRO_RUN_H
#define KAFKA_NEXTGEN_AVRO_RUN_H

#include "avro_program.h"
#include "avro_values.h"

#define FREE_BYTES 4096 /* the allowance of a value: this, plus EXPANSION times its size */
#define EXPANSION 256
#define EMPTY_ITEM_BYTES 8

typedef struct {
    Cursor cursor, resumed; /* the position; where to continue after a default: at is NULL outside defaults */
    int64_t left[MOST_DEPTH]; /* the remaining items in the current block of each open list */
    int depth;
    int64_t allowance; /* the part of the allowance that is left */
    int64_t detail;    /* a detail of the fault */
} AvroRun;

static void begin_run(AvroRun *run) {
    run->depth = 0;
    run->resumed.at = NULL;
    run->allowance = FREE_BYTES;
    run->detail = 0;
}

/* Count the bytes that an instruction adds to columns without reading them from the value. */
static inline int spend(AvroRun *run, const Instruction *at) {
    run->allowance -= Py_MIN(at->c, run->allowance + 1);
    return run->allowance < 0 ? EXPANDS_TOO_FAR : FILLED;
}

/* Read the number of items in the next block; 0 means the end of the list. A number that the remaining bytes or the
 * allowance can't hold is refused. */
static int begin_block(AvroRun *run, int64_t least, int64_t *items) {
    int64_t count, size;
    int status = read_avro_long(&run->cursor, &count);
    if (status == FILLED && count < 0) {
        status = read_avro_long(&run->cursor, &size);
        if (status == FILLED && (size < 0 || size > run->cursor.end - run->cursor.at || count == INT64_MIN))
            status = BAD_LENGTH;
        count = status == FILLED ? -count : 0;
    }
    if (status != FILLED)
        return status;
    if (least > 0 && count > (run->cursor.end - run->cursor.at) / least)
        return TOO_MANY_ITEMS;
    if (least == 0 && count > run->allowance / EMPTY_ITEM_BYTES)
        return EXPANDS_TOO_FAR;
    run->allowance -= least == 0 ? count * EMPTY_ITEM_BYTES : 0;
    *items = count;
    return FILLED;
}

/* Begin a list, or its next block. `place` becomes the place of the next item, or the place after the list. */
static int go_through_list(AvroRun *run, BuiltColumn *column, int64_t least, int64_t item, int64_t behind, int64_t *place) {
    int64_t *left = &run->left[run->depth - 1];
    int status = begin_block(run, least, left);
    *place = item;
    if (status == FILLED && *left == 0) {
        *place = behind;
        run->depth--;
        status = column == NULL ? FILLED : append_list(column);
    }
    return status;
}

static int begin_list(AvroRun *run, BuiltColumn *column, const Instruction *at, int64_t *place) {
    if (run->depth == MOST_DEPTH)
        return TOO_LARGE;
    run->depth++;
    return go_through_list(run, column, at->b, *place, at->a, place);
}

static int next_item(AvroRun *run, BuiltColumn *column, const Instruction *at, int64_t *place) {
    if (run->depth == 0)
        return NOT_RESOLVED; /* compiled programs never do this */
    if (--run->left[run->depth - 1] > 0) {
        *place = at->a;
        return FILLED;
    }
    return go_through_list(run, column, at->b, at->a, *place, place);
}

static int choose_branch(AvroRun *run, const AvroProgram *program, const Instruction *at, int64_t *place) {
    int64_t index;
    int status = read_avro_long(&run->cursor, &index);
    if (status != FILLED)
        return status;
    if (index < 0 || index >= at->a)
        return NO_BRANCH;
    *place = program->table[at->b + index];
    return FILLED;
}

/* Read the branch of a union of null and one other type. */
static inline int choose_null(AvroRun *run, BuiltColumn *columns, const Instruction *at, int64_t *place) {
    int64_t index;
    int status = read_avro_long(&run->cursor, &index);
    if (status != FILLED)
        return status;
    if (index < 0 || index > 1)
        return NO_BRANCH;
    if (index != at->a)
        return FILLED;
    *place = at->b;
    status = spend(run, at);
    return status != FILLED || at->column < 0 ? status : append_null(columns, (int32_t)at->column);
}

/* Append null to a column, and to the siblings after it that are before column `at->a`. */
static int append_nulls(BuiltColumn *columns, const Instruction *at) {
    int32_t column = (int32_t)at->column;
    int status;
    do {
        status = append_null(columns, column);
        column = columns[column].end;
    } while (status == FILLED && column < at->a);
    return status;
}

/* Append a struct in which one child gets the value and the others are null. */
static int begin_branch(BuiltColumn *columns, const Instruction *at) {
    int status = append_struct(&columns[at->column]);
    for (int64_t child = at->column + 1; status == FILLED && child < columns[at->column].end; child = columns[child].end)
        if (child != at->a)
            status = append_null(columns, (int32_t)child);
    return status;
}

static int begin_default(AvroRun *run, const AvroProgram *program, const Instruction *at) {
    run->resumed = run->cursor;
    run->cursor.at = program->blob + at->a;
    run->cursor.end = run->cursor.at + at->b;
    return FILLED;
}

static int resume(AvroRun *run) {
    if (run->resumed.at == NULL)
        return NOT_RESOLVED; /* compiled programs never do this */
    run->cursor = run->resumed;
    run->resumed.at = NULL;
    return FILLED;
}

static int fail(AvroRun *run, const Instruction *at) {
    run->detail = at->a;
    return NOT_RESOLVED;
}

/* Run an instruction that does not read a single value. `place` is the place after the instruction, and becomes that of
 * the next one to run. */
static int run_control(AvroRun *run, const AvroProgram *program, BuiltColumn *columns, BuiltColumn *column,
                       const Instruction *at, int64_t *place) {
    int status = spend(run, at);
    if (status != FILLED)
        return status;
    switch (at->operation) {
    case AVRO_NULL: return column == NULL ? FILLED : append_nulls(columns, at);
    case AVRO_STRUCT: return column == NULL ? FILLED : append_struct(column);
    case AVRO_BRANCH: return begin_branch(columns, at);
    case AVRO_LIST: return begin_list(run, column, at, place);
    case AVRO_NEXT: return next_item(run, column, at, place);
    case AVRO_SWITCH: return choose_branch(run, program, at, place);
    case AVRO_JUMP: *place = at->a; return FILLED;
    case AVRO_DEFAULT: return begin_default(run, program, at);
    case AVRO_RESUME: return resume(run);
    default: return fail(run, at);
    }
}

static int run_rare_value(Cursor *cursor, const AvroProgram *program, BuiltColumn *column, const Instruction *at) {
    switch (at->operation) {
    case AVRO_LONG_OF_INT: return read_long_value(cursor, column, at->a, 1);
    case AVRO_FLOAT_OF_INT: return read_promoted(cursor, column, 1, 0);
    case AVRO_FLOAT_OF_LONG: return read_promoted(cursor, column, 0, 0);
    case AVRO_DOUBLE_OF_INT: return read_promoted(cursor, column, 1, 1);
    case AVRO_DOUBLE_OF_LONG: return read_promoted(cursor, column, 0, 1);
    case AVRO_DOUBLE_OF_FLOAT: return read_float_as_double(cursor, column);
    case AVRO_DECIMAL: return read_decimal_value(cursor, column, at->a, program->table + at->b);
    case AVRO_UUID: return read_uuid_value(cursor, column);
    case AVRO_LONG_FIXED: return read_long_fixed(cursor, column, at->a);
    default: return read_duration_value(cursor, column);
    }
}

/* Run a program over the bytes at the cursor; all of them must be read. */
static int run_program(AvroRun *run, const AvroProgram *program, BuiltColumn *columns) {
    int64_t place = 0;
    int status = FILLED;
    while (status == FILLED) {
        const Instruction *at = &program->code[place++];
        BuiltColumn *column = at->column < 0 ? NULL : &columns[at->column];
        Cursor *cursor = &run->cursor;
        switch (at->operation) {
        case AVRO_END: return cursor->at == cursor->end ? FILLED : BYTES_LEFT;
        case AVRO_BOOLEAN: status = read_boolean_value(cursor, column); break;
        case AVRO_INT: status = read_int_value(cursor, column, at->a); break;
        case AVRO_LONG: status = read_long_value(cursor, column, at->a, 0); break;
        case AVRO_FLOAT: status = read_fixed_value(cursor, column, 4); break;
        case AVRO_DOUBLE: status = read_fixed_value(cursor, column, 8); break;
        case AVRO_BYTES: status = read_bytes_value(cursor, column, 0); break;
        case AVRO_STRING: status = read_bytes_value(cursor, column, 1); break;
        case AVRO_FIXED: status = read_fixed_value(cursor, column, at->a); break;
        case AVRO_ENUM: status = read_enum_value(cursor, column, at->a, program->table + at->b); break;
        case AVRO_NULLABLE: status = choose_null(run, columns, at, &place); break;
        case AVRO_LONG_OF_INT: case AVRO_FLOAT_OF_INT: case AVRO_FLOAT_OF_LONG: case AVRO_DOUBLE_OF_INT:
        case AVRO_DOUBLE_OF_LONG: case AVRO_DOUBLE_OF_FLOAT: case AVRO_DECIMAL: case AVRO_UUID: case AVRO_DURATION:
        case AVRO_LONG_FIXED:
            status = run_rare_value(cursor, program, column, at);
            break;
        default: status = run_control(run, program, columns, column, at, &place);
        }
    }
    return status;
}

#endif
