/* Reads one JSON value into columns: values/json/twin.py in C.
 *
 * A value is read in one pass, each field in the order in which it occurs. This is correct unless a field occurs twice
 * or the value has a fault. In these cases, the row is removed and the value is read again in careful mode: it is
 * checked for valid JSON, each object is scanned for the last occurrence of each field, and the fields are read in the
 * order of the columns. So the reported fault does not depend on the order of the fields, and a field that a later one
 * replaces is ignored. The time is proportional to the size of the value and to the depth of the columns, which is at
 * most 64.
 */
#ifndef KAFKA_NEXTGEN_JSON_RUN_H
#define KAFKA_NEXTGEN_JSON_RUN_H

#include "json_nested.h"

static int read_by_node(JsonRun *run, const JsonNode *node, int32_t index) {
    BuiltColumn *column = &run->columns[index];
    switch (node->operation) {
    case JSON_BOOLEAN: return read_json_boolean(run, column);
    case JSON_INTEGER: return read_json_integer(run, column, (int)node->a);
    case JSON_FLOAT: return read_json_double(run, column);
    case JSON_STRING: return read_json_string(run, column);
    case JSON_BINARY: case JSON_FIXED: return read_json_binary(run, column, (int)node->a);
    case JSON_UUID: return read_json_uuid(run, column);
    case JSON_ENUM: return read_json_enum(run, column, &run->program->sets[index]);
    case JSON_DECIMAL: return read_json_decimal(run, column, node);
    case JSON_DATE: case JSON_TIME: case JSON_TIMESTAMP: case JSON_DURATION: return read_json_moment(run, column, node);
    case JSON_STRUCT: return read_json_object(run, index);
    case JSON_LIST: return read_json_list(run, index);
    case JSON_MAP: return read_json_map(run, index);
    default: return JSON_WRONG_TYPE; /* a column of nulls can have no other values */
    }
}

/* Read the value at the cursor into its column. The recursion is bounded, because columns are nested at most 64 levels
 * deep. */
static int read_json_value(JsonRun *run, int32_t index) {
    const Cursor *cursor = &run->reader.cursor;
    int status;
    if (cursor->at == cursor->end)
        return JSON_NOT_JSON;
    status = *cursor->at == 'n' ? read_json_null(run, index) : read_by_node(run, &run->program->nodes[index], index);
    if (status > 0 && run->column < 0)
        run->column = index;
    return status;
}

static int begin_document(JsonRun *run, Cursor value) {
    run->reader.cursor = value;
    run->begin = value.at;
    run->reader.depth = run->lists = 0;
    run->column = -1;
    run->cost = FREE_COST + 64 * (int64_t)(value.end - value.at);
    skip_space(&run->reader.cursor);
    return value.at == value.end ? JSON_NOT_JSON : FILLED;
}

static int end_document(JsonRun *run, int status) {
    skip_space(&run->reader.cursor);
    return status == FILLED && run->reader.cursor.at < run->reader.cursor.end ? JSON_NOT_JSON : status;
}

/* Read one document; its column is 0, or 1 if that is the only child. */
static int read_document(JsonRun *run, Cursor value, int32_t index) {
    int status = begin_document(run, value);
    if (status == FILLED && index == 1)
        status = append_struct(&run->columns[0]);
    return end_document(run, status == FILLED ? read_json_value(run, index) : status);
}

static int check_document(JsonRun *run, Cursor value) {
    int status = begin_document(run, value);
    return end_document(run, status == FILLED ? skip_json_value(&run->reader) : status);
}

#endif
