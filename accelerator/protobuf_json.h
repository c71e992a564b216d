/* Converts google.protobuf.Struct, Value and ListValue to JSON text (https://protobuf.dev/programming-guides/json/).
 *
 * Only what a serializer writes is read here: a Value with one field, entries with one key and one value each, and no
 * key twice. For anything else, the functions return PB_GIVEN_TWICE, and the caller lets protobuf's own parser merge
 * it. The recursion is at most PB_MOST_LEVELS deep.
 */
#ifndef KAFKA_NEXTGEN_PROTOBUF_JSON_H
#define KAFKA_NEXTGEN_PROTOBUF_JSON_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protobuf_keys.h"
#include "protobuf_values.h"

typedef struct {
    uint8_t *data;
    int64_t size, capacity;
} PbText;

static int pb_put(PbText *text, const void *data, int64_t size) {
    if (size > text->capacity - text->size) {
        if (size > MOST_ENTRIES - text->size)
            return TOO_LARGE;
        int64_t capacity = grown(text->capacity, text->size + size);
        uint8_t *larger = resized(text->data, capacity);
        if (larger == NULL)
            return NO_MEMORY;
        text->data = larger;
        text->capacity = capacity;
    }
    memcpy(text->data + text->size, data, (size_t)size);
    text->size += size;
    return FILLED;
}

static int pb_put_escaped(PbText *text, uint8_t letter) {
    static const char short_ones[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    char escape[8];
    for (const char *at = short_ones; *at; at += 2)
        if ((uint8_t)*at == letter) {
            escape[0] = '\\';
            escape[1] = at[1];
            return pb_put(text, escape, 2);
        }
    snprintf(escape, sizeof escape, "\\u%04x", letter);
    return pb_put(text, escape, 6);
}

static int pb_put_string(PbText *text, Cursor string) {
    Entry entry = {string.at, (int32_t)(string.end - string.at)};
    if (!is_text(entry))
        return PB_NO_UTF8;
    int status = pb_put(text, "\"", 1);
    while (status == FILLED && string.at < string.end) {
        const uint8_t *begin = string.at;
        while (string.at < string.end && *string.at >= 0x20 && *string.at != '"' && *string.at != '\\')
            string.at++;
        if (string.at > begin)
            status = pb_put(text, begin, string.at - begin);
        if (status == FILLED && string.at < string.end)
            status = pb_put_escaped(text, *string.at++);
    }
    return status == FILLED ? pb_put(text, "\"", 1) : status;
}

/* Write the shortest digits that are read back as the same number. The locale's decimal point can differ from ".", and
 * can have several bytes. */
static int pb_put_double(PbText *text, double number) {
    char digits[64], plain[64];
    int length = 0;
    if (!isfinite(number))
        return PB_NOT_FINITE;
    if (number == floor(number) && fabs(number) < 1e15 && (number != 0 || !signbit(number)))
        return pb_put(text, digits, snprintf(digits, sizeof digits, "%.0f", number));
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    for (const char *at = digits; *at; at++) {
        if (strchr("0123456789eE+-", *at) != NULL)
            plain[length++] = *at;
        else if (length > 0 && plain[length - 1] != '.')
            plain[length++] = '.';
    }
    return pb_put(text, plain, length);
}

typedef struct {
    PbText text;
    PbKeys keys;   /* the keys of all open objects, those of the innermost last */
    int is_merged; /* the bytes are from protobuf's serializer: no later field can correct a fault */
} PbJson;

static int pb_put_value(PbJson *json, Cursor value, int levels);

/* Write an entry of an object. Both fields are found before either is written. */
static int pb_put_entry(PbJson *json, Cursor entry, int levels) {
    Cursor parts[2] = {{NULL, NULL}, {NULL, NULL}};
    int is_unknown = 0;
    uint32_t tag;
    int64_t size = json->text.size, keys = json->keys.count;
    while (entry.at < entry.end) {
        int status = pb_tag(&entry, &tag);
        if (status == FILLED && (tag == (1 << 3 | WIRE_LENGTH) || tag == (2 << 3 | WIRE_LENGTH))) {
            Cursor *part = &parts[(tag >> 3) - 1];
            if (part->at != NULL)
                return PB_GIVEN_TWICE;
            status = pb_span(&entry, part);
        } else if (status == FILLED) {
            status = pb_skip(&entry, tag, levels);
            is_unknown = 1;
        }
        if (status != FILLED)
            return status;
    }
    if (levels == 0 && parts[1].at != NULL)
        return PB_TOO_DEEP;
    int status = json->text.data[size - 1] == '{' ? FILLED : pb_put(&json->text, ",", 1);
    if (status == FILLED)
        status = pb_put_string(&json->text, parts[0]);
    if (status == FILLED)
        status = pb_put(&json->text, ":", 1);
    if (status == FILLED)
        status = pb_put_value(json, parts[1], levels - 1);
    if (!is_unknown || (status != FILLED && (status < PB_NO_UTF8 || !json->is_merged)))
        return status == FILLED ? pb_add_key(&json->keys, parts[0].at, parts[0].end - parts[0].at) : status;
    json->text.size = size; /* protobuf treats an entry with unknown fields as an unknown field */
    json->keys.count = keys;
    return FILLED;
}

/* Write a Struct or a ListValue. Each consists of any number of occurrences of field 1. `levels` is the number of
 * levels still allowed inside. */
static int pb_put_items(PbJson *json, Cursor items, int levels, int is_object) {
    int64_t first_key = json->keys.count;
    uint32_t tag;
    Cursor item;
    int status = pb_put(&json->text, is_object ? "{" : "[", 1);
    int64_t begin = json->text.size;
    while (status == FILLED && items.at < items.end) {
        status = pb_tag(&items, &tag);
        if (status == FILLED && tag != (1 << 3 | WIRE_LENGTH)) {
            status = pb_skip(&items, tag, levels);
            continue;
        }
        if (status == FILLED)
            status = pb_span(&items, &item);
        if (status == FILLED && levels == 0)
            status = PB_TOO_DEEP;
        if (status == FILLED && is_object)
            status = pb_put_entry(json, item, levels - 1);
        else if (status == FILLED && json->text.size > begin)
            status = pb_put(&json->text, ",", 1);
        if (status == FILLED && !is_object)
            status = pb_put_value(json, item, levels - 1);
    }
    if (status == FILLED)
        status = pb_check_keys(&json->keys, first_key);
    return status == FILLED ? pb_put(&json->text, is_object ? "}" : "]", 1) : status;
}

/* Write the field that is set in a Value. */
static int pb_put_kind(PbJson *json, Cursor *value, uint32_t tag, int levels) {
    uint64_t raw;
    double number;
    Cursor span = {NULL, NULL};
    int status = (tag & 7) == WIRE_LENGTH ? pb_span(value, &span) : FILLED;
    if (status != FILLED)
        return status;
    switch (tag) {
    case 1 << 3 | WIRE_VARINT: case 4 << 3 | WIRE_VARINT:
        status = pb_varint(value, &raw);
        if (status != FILLED)
            return status;
        if (tag >> 3 == 1)
            return pb_put(&json->text, "null", 4);
        return raw ? pb_put(&json->text, "true", 4) : pb_put(&json->text, "false", 5);
    case 2 << 3 | WIRE_FIXED8:
        if (value->end - value->at < (ptrdiff_t)sizeof number)
            return PB_ENDS_EARLY;
        memcpy(&number, value->at, sizeof number);
        value->at += sizeof number;
        return pb_put_double(&json->text, number);
    case 3 << 3 | WIRE_LENGTH:
        return pb_put_string(&json->text, span);
    default:
        return levels == 0 ? PB_TOO_DEEP : pb_put_items(json, span, levels - 1, tag >> 3 == 5);
    }
}

static int pb_is_kind(uint32_t tag) {
    return tag == (1 << 3 | WIRE_VARINT) || tag == (2 << 3 | WIRE_FIXED8) || tag == (3 << 3 | WIRE_LENGTH) ||
           tag == (4 << 3 | WIRE_VARINT) || tag == (5 << 3 | WIRE_LENGTH) || tag == (6 << 3 | WIRE_LENGTH);
}

static int pb_put_value(PbJson *json, Cursor value, int levels) {
    int is_set = 0;
    uint32_t tag;
    while (value.at < value.end) {
        int status = pb_tag(&value, &tag);
        if (status == FILLED && !pb_is_kind(tag))
            status = pb_skip(&value, tag, levels);
        else if (status == FILLED)
            status = is_set++ ? PB_GIVEN_TWICE : pb_put_kind(json, &value, tag, levels);
        if (status != FILLED)
            return status;
    }
    return is_set ? FILLED : pb_put(&json->text, "null", 4);
}

static int pb_append_json(PbJson *json, Cursor span, BuiltColumn *column, int operation, int levels) {
    json->text.size = json->keys.count = 0;
    int status = operation == PB_VALUE ? pb_put_value(json, span, levels)
                                       : pb_put_items(json, span, levels, operation == PB_STRUCT);
    return status == FILLED ? append_string(column, json->text.data, json->text.size) : status;
}

#endif
