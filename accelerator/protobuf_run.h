/* Decodes one Protobuf message with a program, directly into columns.
 *
 * Fields can occur in any order and any number of times. Before a message is read, its columns have the same length as
 * its base column. So a longer column has received its value, and after the last field the others get a null, a default
 * or the end of a list. Anything more complex, such as merging a message that occurs twice, returns PB_GIVEN_TWICE.
 *
 * The recursion of `pb_read_message` is at most PB_MOST_LEVELS deep.
 */
#ifndef KAFKA_NEXTGEN_PROTOBUF_RUN_H
#define KAFKA_NEXTGEN_PROTOBUF_RUN_H

#include "protobuf_json.h"
#include "protobuf_program.h"
#include "protobuf_values.h"

#define PB_MOST_ABSENT (1 << 22) /* the maximum number of entries filled in for a value's absent fields */
#define PB_NEAR 4                /* fields tried, from the expected one on, before all are searched */

typedef struct {
    const PbProgram *program;
    BuiltColumn *columns;
    int levels;      /* the number of levels of messages and groups that may still be opened */
    int has_unknown; /* whether the last closed message had unknown fields */
    int64_t absent;  /* entries that may still be filled in */
    int64_t detail;  /* a detail of the fault */
    PbJson json;
} PbRun;

static int pb_read_message(PbRun *run, const PbMessage *message, Cursor *cursor, uint32_t end_tag);

static inline int pb_has_tag(const PbField *field, uint32_t tag) { return field->tag == tag || field->packed == tag; }

static const PbField *pb_search(const PbField *fields, int32_t low, int32_t high, uint32_t tag) {
    int32_t end = high;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (fields[middle].tag >> 3 < tag >> 3)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && pb_has_tag(&fields[low], tag) ? &fields[low] : NULL;
}

/* ---- absent fields */

static int pb_fill_absent(PbRun *run, const PbField *field) {
    const PbProgram *program = run->program;
    BuiltColumn *column = &run->columns[field->column];
    Cursor nothing = {program->blob, program->blob};
    run->absent -= field->shape == PB_SINGULAR ? column->end - field->column : 1;
    if (run->absent < 0)
        return PB_TOO_SPARSE;
    if (field->shape != PB_SINGULAR) {
        int status = field->shape == PB_MAP ? pb_check_map(&run->json.keys, column) : FILLED;
        return status == FILLED ? append_list(column) : status;
    }
    if (field->absent == PB_ABSENT_NULL)
        return append_null(run->columns, field->column);
    if (field->absent == PB_ABSENT_EMPTY)
        return pb_read_message(run, &program->messages[field->a], &nothing, 0);
    const uint8_t *entry = program->blob + field->at;
    if (column->kind == STRINGS)
        return append_string(column, entry, field->size);
    return column->kind == BITS ? append_bit(column, *entry) : append_number(column, entry, field->size);
}

static int pb_close_message(PbRun *run, const PbMessage *message, int64_t rows, int has_unknown) {
    const PbField *fields = run->program->fields;
    int status = FILLED;
    for (int32_t i = message->first; status == FILLED && i < message->end; i++)
        if (run->columns[fields[i].column].length <= rows)
            status = pb_fill_absent(run, &fields[i]);
    run->has_unknown = has_unknown;
    if (status != FILLED || message->closing == PB_CLOSE_NOTHING)
        return status;
    BuiltColumn *base = &run->columns[message->base];
    return message->closing == PB_CLOSE_STRUCT ? append_struct(base) : append_bit(base, 1);
}

/* ---- values of fields */

/* Read a message that occupies exactly these bytes; its nesting level has already been counted. */
static int pb_read_span(PbRun *run, const PbField *field, BuiltColumn *column, Cursor span) {
    switch (field->operation) {
    case PB_MESSAGE: return pb_read_message(run, &run->program->messages[field->a], &span, 0);
    case PB_TIMESTAMP: case PB_DURATION: return pb_append_time(&span, column, field, run->levels);
    default: return pb_append_json(&run->json, span, column, field->operation, run->levels);
    }
}

static int pb_read_inner(PbRun *run, const PbField *field, BuiltColumn *column, Cursor *cursor) {
    Cursor span;
    int is_group = field->operation == PB_GROUP, status = is_group ? FILLED : pb_span(cursor, &span);
    if (status != FILLED)
        return status;
    if (run->levels == 0)
        return PB_TOO_DEEP;
    run->levels--;
    status = is_group ? pb_read_message(run, &run->program->messages[field->a], cursor, (field->tag & ~7u) | WIRE_END)
                      : pb_read_span(run, field, column, span);
    run->levels++;
    return status;
}

static inline int pb_read_value(PbRun *run, const PbField *field, BuiltColumn *column, Cursor *cursor, int64_t most) {
    switch (field->operation) {
    case PB_BOOL: return pb_read_bool(cursor, column, most);
    case PB_VARINT4: return pb_read_varint(cursor, column, PB_VARINT4, most);
    case PB_VARINT8: return pb_read_varint(cursor, column, PB_VARINT8, most);
    case PB_ZIGZAG4: return pb_read_varint(cursor, column, PB_ZIGZAG4, most);
    case PB_ZIGZAG8: return pb_read_varint(cursor, column, PB_ZIGZAG8, most);
    case PB_FIXED4: return pb_read_fixed(cursor, column, 4, most);
    case PB_FIXED8: return pb_read_fixed(cursor, column, 8, most);
    case PB_BYTES: return pb_read_bytes(cursor, column, 0, most);
    case PB_STRING: return pb_read_bytes(cursor, column, 1, most);
    case PB_ENUM: case PB_CLOSED_ENUM: case PB_CLOSED_NUMBER:
        return pb_read_enum(cursor, column, run->program, field, most, &run->detail);
    default: return column->length > most ? PB_GIVEN_TWICE : pb_read_inner(run, field, column, cursor);
    }
}

static int pb_read_packed(PbRun *run, const PbField *field, BuiltColumn *items, Cursor *cursor) {
    Cursor span;
    int status = pb_span(cursor, &span), skipped = FILLED;
    if (status != FILLED)
        return status;
    if (field->operation == PB_FIXED4 || field->operation == PB_FIXED8) {
        int64_t size = span.end - span.at, count = size / items->width;
        if (size % items->width)
            return PB_BAD_LENGTH;
        status = make_entries(items, count);
        if (status == FILLED && count > 0)
            memcpy(items->data + items->length * items->width, span.at, (size_t)size);
        items->length += status == FILLED ? count : 0;
        return status;
    }
    while (status == FILLED && span.at < span.end) {
        status = pb_read_value(run, field, items, &span, INT64_MAX);
        if (status == PB_SKIPPED) {
            skipped = PB_SKIPPED;
            status = FILLED;
        }
    }
    return status == FILLED ? skipped : status;
}

/* Remove the last entries of a column and of the columns below it. */
static void pb_cut(BuiltColumn *columns, int32_t index, int64_t length) {
    columns[index].target = length;
    for (int32_t i = index; i < columns[index].end; i++) {
        const BuiltColumn *column = &columns[i];
        int64_t below = column->target;
        if (column->kind == LISTS)
            below = column->bounds == NULL ? 0 : column->bounds[column->target];
        for (int32_t child = i + 1; child < column->end; child = columns[child].end)
            columns[child].target = below;
        cut_column_to(&columns[i], columns[i].target);
    }
}

/* Whether an entry has a field that is neither key nor value, or a number that is not in its closed enum. */
static int pb_has_unknown(const PbRun *run, const PbField *map, Cursor entry) {
    const PbMessage *message = &run->program->messages[map->a];
    uint32_t tag;
    while (entry.at < entry.end && pb_tag(&entry, &tag) == FILLED) {
        const PbField *field = pb_search(run->program->fields, message->first, message->end, tag);
        Cursor number = entry;
        uint64_t raw;
        if (field == NULL)
            return 1;
        if ((field->operation == PB_CLOSED_ENUM || field->operation == PB_CLOSED_NUMBER) &&
            pb_varint(&number, &raw) == FILLED &&
            pb_find_pair(run->program->table + field->a, field->b, (int32_t)(uint32_t)raw) == NULL)
            return 1;
        if (pb_skip(&entry, tag, run->levels) != FILLED)
            return 0;
    }
    return 0;
}

/* Read an entry of a map. An entry with unknown fields counts as an unknown field, as in upb, regardless of its other
 * contents. */
static int pb_read_entry(PbRun *run, const PbField *field, Cursor *cursor) {
    int64_t entries = run->columns[field->column + 1].length;
    Cursor again = *cursor, span = *cursor;
    int status = pb_read_inner(run, field, &run->columns[field->column + 1], cursor);
    if (status == FILLED && !run->has_unknown)
        return FILLED;
    if (status != FILLED && (status < PB_NO_UTF8 || !run->json.is_merged || pb_span(&again, &span) != FILLED ||
                             !pb_has_unknown(run, field, span)))
        return status;
    if (status != FILLED)
        *cursor = again;
    run->json.keys.count = 0;
    pb_cut(run->columns, field->column + 1, entries);
    return PB_SKIPPED;
}

/* Whether another member of the same oneof was read. Only the last one counts, but the others have already been
 * written. */
static int pb_has_other_member(const PbRun *run, const PbField *field, int64_t rows) {
    const int64_t *others = run->program->table + field->oneof;
    for (int64_t i = 1; i <= others[0]; i++)
        if (run->columns[others[i]].length > rows)
            return 1;
    return 0;
}

static inline int pb_read_singular(PbRun *run, const PbField *field, Cursor *cursor, int64_t rows) {
    BuiltColumn *column = &run->columns[field->column];
    if (field->oneof < 0 || column->length > rows)
        return pb_read_value(run, field, column, cursor, rows);
    int status = pb_read_value(run, field, column, cursor, rows);
    return status == FILLED && pb_has_other_member(run, field, rows) ? PB_GIVEN_TWICE : status;
}

static inline int pb_read_field(PbRun *run, const PbField *field, uint32_t tag, Cursor *cursor, int64_t rows) {
    if (field->shape == PB_SINGULAR)
        return pb_read_singular(run, field, cursor, rows);
    if (field->shape == PB_MAP)
        return pb_read_entry(run, field, cursor);
    BuiltColumn *items = &run->columns[field->column + 1];
    return tag == field->packed ? pb_read_packed(run, field, items, cursor)
                                : pb_read_value(run, field, items, cursor, INT64_MAX);
}

/* ---- messages */

/* Find the field with a tag; NULL if there is none. Serializers write fields in the order of their numbers, so the next
 * field is usually the expected one, or close to it. */
static inline const PbField *pb_find_field(const PbProgram *program, const PbMessage *message, uint32_t tag, int32_t *next) {
    const PbField *fields = program->fields;
    for (int32_t i = *next; i < message->end && i < *next + PB_NEAR; i++)
        if (pb_has_tag(&fields[i], tag)) {
            *next = i + (fields[i].shape == PB_SINGULAR);
            return &fields[i];
        }
    const PbField *found = pb_search(fields, message->first, message->end, tag);
    if (found != NULL)
        *next = (int32_t)(found - fields);
    return found;
}

/* Read a message up to the end of its bytes, or up to its end tag if it is a group. */
static int pb_read_message(PbRun *run, const PbMessage *message, Cursor *cursor, uint32_t end_tag) {
    int64_t rows = run->columns[message->base].length;
    int32_t next = message->first;
    int has_unknown = 0;
    uint32_t tag;
    while (cursor->at < cursor->end) {
        int status = pb_tag(cursor, &tag);
        if (status != FILLED)
            return status;
        const PbField *field = pb_find_field(run->program, message, tag, &next);
        if (field != NULL)
            status = pb_read_field(run, field, tag, cursor, rows);
        else if (tag == end_tag)
            return pb_close_message(run, message, rows, has_unknown);
        else if ((status = pb_skip(cursor, tag, run->levels)) == FILLED)
            status = PB_SKIPPED;
        if (status == PB_SKIPPED)
            has_unknown = 1;
        else if (status != FILLED)
            return status;
    }
    return end_tag ? PB_ENDS_EARLY : pb_close_message(run, message, rows, has_unknown);
}

/* Read a value: field 0 of the program, without a tag or length. */
static int pb_run_program(PbRun *run, Cursor *cursor) {
    const PbField *value = &run->program->fields[0];
    int status = value->column == 0 ? FILLED : append_struct(&run->columns[0]);
    if (status != FILLED)
        return status;
    if (value->operation == PB_MESSAGE)
        return pb_read_message(run, &run->program->messages[value->a], cursor, 0);
    return pb_read_span(run, value, &run->columns[value->column], *cursor);
}

#endif
