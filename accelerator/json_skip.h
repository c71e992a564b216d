/* Checks JSON values without storing them: fields that are not in the schema. Nothing here is recursive. */
#ifndef KAFKA_NEXTGEN_JSON_SKIP_H
#define KAFKA_NEXTGEN_JSON_SKIP_H

#include "json_number.h"

typedef struct {
    uint64_t objects[JSON_DEPTH / 64]; /* one bit for each open level: 1 for an object, 0 for an array */
    int depth;
} Nesting;

static inline int is_in_object(const Nesting *nesting) {
    int top = nesting->depth - 1;
    return (int)(nesting->objects[top / 64] >> top % 64 & 1);
}

static int skip_key(JsonReader *reader) {
    Entry entry;
    int status = read_json_text(reader, &entry);
    return status == FILLED ? take_colon(&reader->cursor) : status;
}

static int skip_opening(JsonReader *reader, Nesting *nesting, int is_object, int *is_open) {
    int status = begin_members(reader, is_object ? '}' : ']', is_open);
    if (status != FILLED)
        return status;
    if (!*is_open) {
        reader->depth--;
        return FILLED;
    }
    int top = nesting->depth++;
    uint64_t bit = (uint64_t)1 << top % 64;
    nesting->objects[top / 64] = is_object ? nesting->objects[top / 64] | bit : nesting->objects[top / 64] & ~bit;
    return is_object ? skip_key(reader) : FILLED;
}

/* Skip a string, number or literal, or the opening of an array or object, which sets `is_open` unless it is empty. */
static int skip_beginning(JsonReader *reader, Nesting *nesting, int *is_open) {
    Cursor *cursor = &reader->cursor;
    JsonNumber number;
    Entry entry;
    *is_open = 0;
    switch (cursor->at == cursor->end ? 0 : *cursor->at) {
    case '"': return read_json_text(reader, &entry);
    case '{': return skip_opening(reader, nesting, 1, is_open);
    case '[': return skip_opening(reader, nesting, 0, is_open);
    case 't': return take_literal(cursor, "true", 4);
    case 'f': return take_literal(cursor, "false", 5);
    case 'n': return take_literal(cursor, "null", 4);
    default: return scan_json_number(cursor, &number);
    }
}

/* After a value, close all levels that end here, up to the next member of the level that remains open. */
static int skip_ends(JsonReader *reader, Nesting *nesting) {
    while (nesting->depth > 0) {
        int is_more, status = next_member(&reader->cursor, is_in_object(nesting) ? '}' : ']', &is_more);
        if (status != FILLED)
            return status;
        if (is_more)
            return is_in_object(nesting) ? skip_key(reader) : FILLED;
        nesting->depth--;
        reader->depth--;
    }
    return FILLED;
}

static int skip_json_value(JsonReader *reader) {
    Nesting nesting;
    int is_open, status;
    nesting.depth = 0;
    do {
        status = skip_beginning(reader, &nesting, &is_open);
        if (status == FILLED && !is_open)
            status = skip_ends(reader, &nesting);
    } while (status == FILLED && nesting.depth > 0);
    return status;
}

#endif
