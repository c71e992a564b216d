/* Reads JSON values other than objects and arrays into columns: values/json/twin.py in C. */
#ifndef KAFKA_NEXTGEN_JSON_LEAVES_H
#define KAFKA_NEXTGEN_JSON_LEAVES_H

#include "json_program.h"
#include "json_texts.h"

#define FREE_COST (1 << 20) /* the allowance for nulls in lists, plus 64 per byte; as in values/json/program.py */

typedef struct {
    JsonReader reader;
    const JsonProgram *program;
    BuiltColumn *columns;
    const uint8_t *begin; /* the beginning of the value */
    int64_t *marks;       /* by column: see `read_json_fields` and `mark_fields` */
    int64_t objects;      /* the number of objects begun so far; objects are numbered from 1 */
    int64_t column;       /* the column with a fault; -1 for none */
    int64_t cost;         /* the remaining allowance for nulls in lists */
    int is_careful;
    int lists; /* the number of open lists */
} JsonRun;

/* ---- nulls */

/* Append a null. Within lists the memory for nulls is limited, because a few bytes can produce any number of them. */
static int put_json_null(JsonRun *run, int32_t index) {
    if (run->lists > 0) {
        run->cost -= run->program->costs[index];
        if (run->cost < 0)
            return JSON_TOO_SPARSE;
    }
    return append_null(run->columns, index);
}

static int read_json_null(JsonRun *run, int32_t index) {
    int status = take_literal(&run->reader.cursor, "null", 4);
    if (status != FILLED)
        return status;
    return run->program->nodes[index].is_nullable ? put_json_null(run, index) : JSON_NO_NULL;
}

static int put_json_missing(JsonRun *run, int32_t index) {
    int status = run->program->nodes[index].is_nullable ? put_json_null(run, index) : JSON_MISSING;
    if (status > 0)
        run->column = index;
    return status;
}

/* ---- single values */

static inline int begin_number(JsonRun *run, JsonNumber *number) {
    uint8_t letter = *run->reader.cursor.at;
    return letter == '-' || is_json_digit(letter) ? scan_json_number(&run->reader.cursor, number) : JSON_WRONG_TYPE;
}

static inline int begin_text(JsonRun *run, Entry *entry) {
    return *run->reader.cursor.at == '"' ? read_json_text(&run->reader, entry) : JSON_WRONG_TYPE;
}

static int read_json_boolean(JsonRun *run, BuiltColumn *column) {
    int bit = *run->reader.cursor.at == 't';
    if (!bit && *run->reader.cursor.at != 'f')
        return JSON_WRONG_TYPE;
    int status = take_literal(&run->reader.cursor, bit ? "true" : "false", bit ? 4 : 5);
    return status == FILLED ? append_bit(column, bit) : status;
}

static inline int read_json_integer(JsonRun *run, BuiltColumn *column, int is_signed) {
    JsonNumber number;
    uint64_t bits;
    int status = begin_number(run, &number);
    if (status == FILLED)
        status = integer_of(&number, column->width, is_signed, &bits);
    if (status != FILLED)
        return status;
    return column->width == 8 ? append_number(column, &bits, 8) : append_number(column, &bits, column->width);
}

static inline int read_json_double(JsonRun *run, BuiltColumn *column) {
    JsonNumber number;
    double wide;
    int status = begin_number(run, &number);
    if (status == FILLED)
        status = double_of(&run->reader, run->program->powers, &number, &wide);
    if (status != FILLED)
        return status;
    if (column->width == 8)
        return append_number(column, &wide, 8);
    float narrow = (float)wide; /* rounded twice, as conversions through Python's float are */
    return narrow > FLT_MAX || narrow < -FLT_MAX ? JSON_OUT_OF_RANGE : append_number(column, &narrow, 4);
}

static inline int read_json_string(JsonRun *run, BuiltColumn *column) {
    Entry entry;
    int status = begin_text(run, &entry);
    return status == FILLED ? append_string(column, entry.data, entry.size) : status;
}

static int read_json_binary(JsonRun *run, BuiltColumn *column, int is_hex) {
    Entry entry;
    if (*run->reader.cursor.at != '"')
        return JSON_WRONG_TYPE;
    int status = read_encoded(&run->reader, is_hex, &entry);
    if (status != FILLED)
        return status;
    if (column->kind == STRINGS)
        return append_string(column, entry.data, entry.size);
    return entry.size == column->width ? append_number(column, entry.data, column->width) : JSON_OUT_OF_RANGE;
}

static int read_json_uuid(JsonRun *run, BuiltColumn *column) {
    Entry entry;
    uint8_t bytes[16];
    int status = begin_text(run, &entry);
    if (status == FILLED)
        status = uuid_of(entry, bytes);
    return status == FILLED ? append_number(column, bytes, 16) : status;
}

static int read_json_enum(JsonRun *run, BuiltColumn *column, const NameSet *symbols) {
    Entry entry;
    int status = begin_text(run, &entry);
    if (status != FILLED)
        return status;
    int32_t number = (int32_t)find_name(run->program, symbols, entry);
    return number < 0 ? JSON_NO_SYMBOL : append_number(column, &number, 4);
}

/* Read a number, or a string that contains only a number. */
static int read_exact_number(JsonRun *run, JsonNumber *number) {
    Entry entry;
    if (*run->reader.cursor.at != '"')
        return begin_number(run, number);
    int status = read_json_text(&run->reader, &entry);
    if (status != FILLED)
        return status;
    Cursor text = cursor_of(entry);
    return scan_json_number(&text, number) == FILLED && text.at == text.end ? FILLED : JSON_WRONG_FORM;
}

static int read_json_decimal(JsonRun *run, BuiltColumn *column, const JsonNode *node) {
    JsonNumber number;
    Wide wide;
    int status = read_exact_number(run, &number);
    if (status == FILLED)
        status = exact_of(&number, node->a, node->b, &wide);
    if (status != FILLED)
        return status;
    if (number.is_negative)
        negate(&wide);
    return append_number(column, wide.words, column->width);
}

/* Read an integer in the column's unit. Times must be within a day, and dates in milliseconds must be whole days. */
static int read_json_units(JsonRun *run, const BuiltColumn *column, const JsonNode *node, int64_t *units) {
    JsonNumber number;
    uint64_t bits;
    int status = begin_number(run, &number);
    if (status == FILLED)
        status = integer_of(&number, column->width, 1, &bits);
    if (status != FILLED)
        return status;
    *units = (int64_t)bits;
    if (node->operation == JSON_TIME && (*units < 0 || *units >= DAY_SECONDS * node->a))
        return JSON_OUT_OF_RANGE;
    return node->operation == JSON_DATE && *units % node->a != 0 ? JSON_NOT_EXACT : FILLED;
}

static int units_of_text(const JsonNode *node, Entry entry, int64_t *units) {
    switch (node->operation) {
    case JSON_DATE: return date_of(entry, node->a, units);
    case JSON_TIME: return time_of(entry, node->a, units);
    case JSON_TIMESTAMP: return instant_of(entry, node->a, (node->b & HAS_ZONE) != 0, units);
    default: return duration_of(entry, node->a, units);
    }
}

static int read_json_moment(JsonRun *run, BuiltColumn *column, const JsonNode *node) {
    Entry entry;
    int64_t units;
    int status = begin_text(run, &entry);
    if (status == FILLED)
        status = units_of_text(node, entry, &units);
    else if (status == JSON_WRONG_TYPE && node->b & TAKES_INTEGERS)
        status = read_json_units(run, column, node, &units);
    return status == FILLED ? append_number(column, &units, column->width) : status;
}

#endif
