/* Reads single values of Protobuf's wire format into columns.
 *
 * `most` is the expected number of entries in the column. If there is one more, an earlier occurrence of the same field
 * added it, and it is replaced.
 */
#ifndef KAFKA_NEXTGEN_PROTOBUF_VALUES_H
#define KAFKA_NEXTGEN_PROTOBUF_VALUES_H

#include <stdint.h>
#include <string.h>

#include "avro_values.h"
#include "column_builder.h"
#include "protobuf_program.h"
#include "protobuf_wire.h"

/* Remove the entry of an earlier occurrence of the field: the last value counts. The entry is never null, because nulls
 * are filled in after all fields. */
static inline void pb_make_last(BuiltColumn *column, int64_t most) {
    if (column->length > most) {
        column->length--;
        if (column->kind == STRINGS)
            column->bytes = column->bounds[column->length];
    }
}

static inline int pb_put_number(BuiltColumn *column, const void *number, int32_t width, int64_t most) {
    pb_make_last(column, most);
    return append_number(column, number, width);
}

static inline int pb_read_bool(Cursor *cursor, BuiltColumn *column, int64_t most) {
    uint64_t raw;
    int status = pb_varint(cursor, &raw);
    if (status != FILLED)
        return status;
    pb_make_last(column, most);
    return append_bit(column, raw != 0);
}

static inline int pb_read_varint(Cursor *cursor, BuiltColumn *column, int operation, int64_t most) {
    uint64_t raw;
    int status = pb_varint(cursor, &raw);
    if (status != FILLED)
        return status;
    if (operation == PB_ZIGZAG4)
        raw = (uint64_t)unzigzag((uint32_t)raw);
    else if (operation == PB_ZIGZAG8)
        raw = (uint64_t)unzigzag(raw);
    if (operation == PB_VARINT8 || operation == PB_ZIGZAG8)
        return pb_put_number(column, &raw, 8, most);
    uint32_t narrow = (uint32_t)raw;
    return pb_put_number(column, &narrow, 4, most);
}

static inline int pb_read_fixed(Cursor *cursor, BuiltColumn *column, int32_t width, int64_t most) {
    const uint8_t *begin = cursor->at;
    int status = pb_pass(cursor, width);
    return status == FILLED ? pb_put_number(column, begin, width, most) : status;
}

static inline int pb_read_bytes(Cursor *cursor, BuiltColumn *column, int is_string, int64_t most) {
    Cursor span;
    int status = pb_span(cursor, &span);
    if (status != FILLED)
        return status;
    Entry entry = {span.at, (int32_t)(span.end - span.at)};
    if (is_string && !is_text(entry))
        return PB_NO_UTF8;
    pb_make_last(column, most);
    return append_string(column, entry.data, entry.size);
}

/* Find the pair for a number, in a table sorted by number; NULL if there is none. */
static const int64_t *pb_find_pair(const int64_t *table, int64_t count, int32_t number) {
    if (number >= 0 && number < count && table[2 * number] == number)
        return &table[2 * number];
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (table[2 * middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && table[2 * low] == number ? &table[2 * low] : NULL;
}

static int pb_read_enum(Cursor *cursor, BuiltColumn *column, const PbProgram *program, const PbField *field, int64_t most,
                        int64_t *detail) {
    uint64_t raw;
    int status = pb_varint(cursor, &raw);
    if (status != FILLED)
        return status;
    int32_t number = (int32_t)(uint32_t)raw;
    const int64_t *pair = pb_find_pair(program->table + field->a, field->b, number);
    if (pair == NULL) {
        *detail = number;
        return field->operation == PB_ENUM ? PB_NO_NAME : PB_SKIPPED;
    }
    int32_t index = field->operation == PB_CLOSED_NUMBER ? number : (int32_t)pair[1];
    return pb_put_number(column, &index, 4, most);
}

/* ---- times */

/* Read fields 1 and 2 of google.protobuf.Timestamp or Duration. */
static int pb_read_time(Cursor *span, int levels, int64_t *seconds, int32_t *nanos) {
    uint64_t raw;
    uint32_t tag;
    *seconds = 0;
    *nanos = 0;
    while (span->at < span->end) {
        int status = pb_tag(span, &tag);
        if (status == FILLED && tag >> 3 <= 2 && (tag & 7) == WIRE_VARINT) {
            status = pb_varint(span, &raw);
            if (status == FILLED && tag >> 3 == 1)
                *seconds = (int64_t)raw;
            else if (status == FILLED)
                *nanos = (int32_t)(uint32_t)raw;
        } else if (status == FILLED) {
            status = pb_skip(span, tag, levels);
        }
        if (status != FILLED)
            return status;
    }
    return FILLED;
}

/* Whether a time is valid according to the comments in the definitions of the two messages. */
static int pb_is_time(int operation, int64_t seconds, int32_t nanos) {
    if (operation == PB_TIMESTAMP)
        return seconds >= -62135596800 && seconds <= 253402300799 && nanos >= 0 && nanos <= 999999999;
    return seconds >= -315576000000 && seconds <= 315576000000 && nanos >= -999999999 && nanos <= 999999999 &&
           !(seconds > 0 && nanos < 0) && !(seconds < 0 && nanos > 0);
}

static int pb_append_time(Cursor *span, BuiltColumn *column, const PbField *field, int levels) {
    int64_t seconds;
    int32_t nanos;
    int status = pb_read_time(span, levels, &seconds, &nanos);
    if (status != FILLED)
        return status;
    if (!pb_is_time(field->operation, seconds, nanos))
        return PB_OUT_OF_RANGE;
    int64_t units = 1000000000 / field->a, rest = nanos / field->a;
    if (seconds < 0 && rest > 0) { /* so that the product does not overflow if the sum does not */
        seconds++;
        rest -= units;
    }
    if (seconds >= 0 ? seconds > (INT64_MAX - Py_MAX(rest, 0)) / units : seconds < (INT64_MIN - rest) / units)
        return PB_OUT_OF_RANGE;
    int64_t time = seconds * units + rest;
    return append_number(column, &time, sizeof time);
}

#endif
