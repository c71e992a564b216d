/* Reads Protobuf's wire format (https://protobuf.dev/programming-guides/encoding/) as strictly as protobuf's own
 * parser, upb.
 *
 * A reader takes a cursor, never reads beyond its end, and returns FILLED or a fault.
 */
#ifndef KAFKA_NEXTGEN_PROTOBUF_WIRE_H
#define KAFKA_NEXTGEN_PROTOBUF_WIRE_H

#include <stdint.h>
#include <string.h>

#include "column_builder.h"
#include "record.h"

enum { /* the faults of values, as in values/protobuf/program.py */
    PB_ENDS_EARLY = 1,
    PB_LONG_VARINT,
    PB_BAD_TAG,
    PB_BAD_LENGTH,
    PB_BAD_GROUP,
    PB_TOO_DEEP,
    PB_TOO_SPARSE,
    PB_NO_FRAME,
    PB_OTHER_MESSAGE,
    PB_NO_UTF8, /* from here on, a later part of the value may correct the fault */
    PB_NO_NAME,
    PB_OUT_OF_RANGE,
    PB_NOT_FINITE,
    PB_GIVEN_TWICE,
    PB_SKIPPED, /* not a fault: a number that is not in a closed enum counts as an unknown field */
};

#define PB_MOST_LEVELS 100 /* the maximum nesting of messages and groups within the value, as in upb */

enum { WIRE_VARINT, WIRE_FIXED8, WIRE_LENGTH, WIRE_GROUP, WIRE_END, WIRE_FIXED4 };

/* Read a varint. Bits beyond 64 are dropped, as in upb. */
static int pb_varint_slowly(Cursor *cursor, uint64_t *number, int most_bytes) {
    uint64_t raw = 0;
    for (int i = 0; i < most_bytes; i++) {
        if (cursor->at == cursor->end)
            return PB_ENDS_EARLY;
        uint64_t byte = *cursor->at++;
        raw |= (byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *number = raw;
            return FILLED;
        }
    }
    return PB_LONG_VARINT;
}

static inline int pb_varint(Cursor *cursor, uint64_t *number) {
    if (cursor->at < cursor->end && *cursor->at < 0x80) {
        *number = *cursor->at++;
        return FILLED;
    }
    return pb_varint_slowly(cursor, number, 10);
}

/* Read a tag of any number, also 0. */
static int pb_any_tag(Cursor *cursor, uint32_t *tag) {
    uint64_t number = 0;
    int status = pb_varint_slowly(cursor, &number, 5);
    *tag = (uint32_t)number;
    return status == FILLED && number > UINT32_MAX ? PB_BAD_TAG : status;
}

static int pb_tag_slowly(Cursor *cursor, uint32_t *tag) {
    int status = pb_any_tag(cursor, tag);
    return status == FILLED && *tag >> 3 == 0 ? PB_BAD_TAG : status;
}

static inline int pb_tag(Cursor *cursor, uint32_t *tag) {
    if (cursor->at < cursor->end && *cursor->at < 0x80 && *cursor->at > 7) {
        *tag = *cursor->at++;
        return FILLED;
    }
    return pb_tag_slowly(cursor, tag);
}

/* Read a length and that many bytes. */
static inline int pb_span(Cursor *cursor, Cursor *span) {
    uint64_t size;
    if (cursor->at < cursor->end && *cursor->at < 0x80) {
        size = *cursor->at++;
    } else {
        int status = pb_varint_slowly(cursor, &size, 5);
        if (status != FILLED)
            return status;
    }
    if (size > (uint64_t)(cursor->end - cursor->at))
        return PB_BAD_LENGTH;
    span->at = cursor->at;
    span->end = cursor->at = cursor->at + size;
    return FILLED;
}

static inline int pb_pass(Cursor *cursor, int64_t size) {
    if (size > cursor->end - cursor->at)
        return PB_ENDS_EARLY;
    cursor->at += size;
    return FILLED;
}

static int pb_skip_value(Cursor *cursor, uint32_t tag) {
    uint64_t number;
    Cursor span;
    switch (tag & 7) {
    case WIRE_VARINT: return pb_varint(cursor, &number);
    case WIRE_FIXED8: return pb_pass(cursor, 8);
    case WIRE_LENGTH: return pb_span(cursor, &span);
    case WIRE_FIXED4: return pb_pass(cursor, 4);
    default: return PB_BAD_TAG;
    }
}

/* Skip an unknown field. Groups in it can be `levels` deep; in them, upb accepts fields with the number 0, too. */
static int pb_skip(Cursor *cursor, uint32_t tag, int levels) {
    uint32_t open[PB_MOST_LEVELS];
    int depth = 0;
    for (;;) {
        int status = FILLED;
        if ((tag & 7) == WIRE_GROUP) {
            if (depth >= levels)
                return PB_TOO_DEEP;
            open[depth++] = tag;
        } else if ((tag & 7) == WIRE_END) {
            if (depth == 0 || open[--depth] >> 3 != tag >> 3)
                return PB_BAD_GROUP;
        } else {
            status = pb_skip_value(cursor, tag);
        }
        if (status == FILLED && depth > 0)
            status = pb_any_tag(cursor, &tag);
        if (status != FILLED || depth == 0)
            return status;
    }
}

#endif
