/* The records inside one batch: wire/records/batch_records.py in C.
 *
 *     record: length, attributes (one byte, unused), timestamp delta, offset delta, key, value, headers
 *
 * Each reader takes a cursor and returns whether the data is valid. It never reads beyond the end of the cursor: it
 * compares with the end before each access. Numbers are zigzag varints, which may be padded, and whose bits beyond 32
 * or 64 are dropped, as in Kafka's own reader.
 */
#ifndef KAFKA_NEXTGEN_RECORD_H
#define KAFKA_NEXTGEN_RECORD_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const uint8_t *at;
    const uint8_t *end;
} Cursor;

/* A byte string inside the data; null if its size is -1. */
typedef struct {
    const uint8_t *data;
    int32_t size;
} Entry;

typedef struct {
    int64_t timestamp_delta;
    int32_t offset_delta;
    int32_t header_count;
    Entry key;
    Entry value;
    Cursor headers;
} Record;

static int64_t unzigzag(uint64_t raw) { return (int64_t)(raw >> 1 ^ (0 - (raw & 1))); }

static int read_long_varint(Cursor *cursor, int bits, int64_t *number) {
    uint64_t raw = 0;
    for (int shift = 0; shift < bits && cursor->at < cursor->end; shift += 7) {
        uint64_t byte = *cursor->at++;
        raw |= (byte & 0x7F) << shift;
        if (byte < 0x80) {
            *number = unzigzag(bits == 32 ? (uint32_t)raw : raw);
            return 1;
        }
    }
    return 0;
}

static inline int read_number(Cursor *cursor, int bits, int64_t *number) {
    const uint8_t *at = cursor->at;
    if (cursor->end - at >= 2) {
        if (at[0] < 0x80) {
            *number = unzigzag(at[0]);
            cursor->at = at + 1;
            return 1;
        }
        if (at[1] < 0x80 && at[1] > 0) {
            *number = unzigzag((at[0] & 0x7Fu) | (unsigned)at[1] << 7);
            cursor->at = at + 2;
            return 1;
        }
    }
    return read_long_varint(cursor, bits, number);
}

static inline int read_varlong(Cursor *cursor, int64_t *number) { return read_number(cursor, 64, number); }

static inline int read_varint(Cursor *cursor, int32_t *number) {
    int64_t wide;
    if (!read_number(cursor, 32, &wide))
        return 0;
    *number = (int32_t)wide;
    return 1;
}

static inline int read_entry(Cursor *cursor, Entry *entry) {
    if (!read_varint(cursor, &entry->size))
        return 0;
    if (entry->size < 0)
        entry->size = -1;
    entry->data = cursor->at;
    if (entry->size > cursor->end - cursor->at)
        return 0;
    cursor->at += entry->size > 0 ? entry->size : 0;
    return 1;
}

/* The number of bytes of the character at this position; 0 if it is invalid (RFC 3629, section 4). */
static int utf8_size(const uint8_t *at, ptrdiff_t left) {
    static const struct {
        uint8_t first, last, low, high, size; /* the ranges of the first and the second byte, and the size */
    } shapes[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    if (at[0] < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (at[0] < shapes[i].first || at[0] > shapes[i].last)
            continue;
        if (left < shapes[i].size || at[1] < shapes[i].low || at[1] > shapes[i].high)
            return 0;
        for (int more = 2; more < shapes[i].size; more++)
            if (at[more] >> 6 != 2)
                return 0;
        return shapes[i].size;
    }
    return 0;
}

static int is_utf8(Entry entry) {
    const uint8_t *end = entry.data + entry.size;
    for (const uint8_t *at = entry.data; at < end;) {
        int size = utf8_size(at, end - at);
        if (size == 0)
            return 0;
        at += size;
    }
    return 1;
}

static int read_record_header(Cursor *cursor, Entry *key, Entry *value) {
    return read_entry(cursor, key) && key->size >= 0 && read_entry(cursor, value);
}

/* Read a record except for its headers, and move past it. */
static inline int read_record(Cursor *cursor, Record *record) {
    int32_t length;
    if (!read_varint(cursor, &length) || length < 1 || length > cursor->end - cursor->at)
        return 0;
    Cursor inside = {cursor->at + 1, cursor->at + length}; /* without the attributes */
    cursor->at += length;
    int is_sound = read_varlong(&inside, &record->timestamp_delta) && read_varint(&inside, &record->offset_delta) &&
                   read_entry(&inside, &record->key) && read_entry(&inside, &record->value) &&
                   read_varint(&inside, &record->header_count) && record->header_count >= 0;
    record->headers = inside;
    return is_sound && (record->header_count > 0 || inside.at == inside.end);
}

#endif
