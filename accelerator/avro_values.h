/* Reads single values of Avro's binary encoding into columns: values/avro/twin.py in C.
 *
 * A reader takes a cursor, never reads beyond its end, and returns FILLED or a fault. Without a column (NULL) it still
 * reads and checks the value.
 */
#ifndef KAFKA_NEXTGEN_AVRO_VALUES_H
#define KAFKA_NEXTGEN_AVRO_VALUES_H

#include <stdint.h>
#include <string.h>

#include "column_builder.h"
#include "record.h"

enum { /* the faults of values, as in values/avro/faults.py */
    ENDS_EARLY = 1,
    LONG_VARINT,
    NO_INT,
    NO_BOOLEAN,
    BAD_LENGTH,
    NO_UTF8,
    NO_SYMBOL,
    UNKNOWN_SYMBOL,
    NO_BRANCH,
    TOO_MANY_ITEMS,
    TOO_MANY_DIGITS,
    NO_UUID,
    OUT_OF_RANGE,
    BYTES_LEFT,
    NO_FRAME,
    NOT_RESOLVED,
    EXPANDS_TOO_FAR,
};

static int read_long_slowly(Cursor *cursor, int64_t *number) {
    uint64_t raw = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (cursor->at == cursor->end)
            return ENDS_EARLY;
        uint64_t byte = *cursor->at++;
        if (shift == 63 && byte > 1)
            return LONG_VARINT;
        raw |= (byte & 0x7F) << shift;
        if (byte < 0x80) {
            *number = unzigzag(raw);
            return FILLED;
        }
    }
    return LONG_VARINT;
}

static inline int read_avro_long(Cursor *cursor, int64_t *number) {
    if (cursor->at < cursor->end && *cursor->at < 0x80) {
        *number = unzigzag(*cursor->at++);
        return FILLED;
    }
    return read_long_slowly(cursor, number);
}

static inline int read_avro_int(Cursor *cursor, int64_t *number) {
    int status = read_avro_long(cursor, number);
    return status == FILLED && (*number < INT32_MIN || *number > INT32_MAX) ? NO_INT : status;
}

/* Whether there is a limit, and the number is negative or not below the limit. */
static inline int is_out_of_range(int64_t number, int64_t limit) { return limit > 0 && (number < 0 || number >= limit); }

static inline int read_int_value(Cursor *cursor, BuiltColumn *column, int64_t limit) {
    int64_t wide;
    int status = read_avro_int(cursor, &wide);
    int32_t number = (int32_t)wide;
    if (status != FILLED)
        return status;
    if (is_out_of_range(wide, limit))
        return OUT_OF_RANGE;
    return column == NULL ? FILLED : append_number(column, &number, sizeof number);
}

static inline int read_long_value(Cursor *cursor, BuiltColumn *column, int64_t limit, int is_int) {
    int64_t number;
    int status = is_int ? read_avro_int(cursor, &number) : read_avro_long(cursor, &number);
    if (status != FILLED)
        return status;
    if (is_out_of_range(number, limit))
        return OUT_OF_RANGE;
    return column == NULL ? FILLED : append_number(column, &number, sizeof number);
}

static inline int read_boolean_value(Cursor *cursor, BuiltColumn *column) {
    if (cursor->at == cursor->end)
        return ENDS_EARLY;
    if (*cursor->at > 1)
        return NO_BOOLEAN;
    int bit = *cursor->at++;
    return column == NULL ? FILLED : append_bit(column, bit);
}

/* Read a value whose bytes are copied unchanged: a float, a double or a fixed. */
static inline int read_fixed_value(Cursor *cursor, BuiltColumn *column, int64_t size) {
    if (size > cursor->end - cursor->at)
        return ENDS_EARLY;
    const uint8_t *begin = cursor->at;
    cursor->at += size;
    return column == NULL ? FILLED : append_number(column, begin, (int32_t)size);
}

static int read_long_fixed(Cursor *cursor, BuiltColumn *column, int64_t size) {
    if (size > cursor->end - cursor->at)
        return ENDS_EARLY;
    const uint8_t *begin = cursor->at;
    cursor->at += size;
    return column == NULL ? FILLED : append_string(column, begin, size);
}

/* Read an int or long as a float or double. */
static int read_promoted(Cursor *cursor, BuiltColumn *column, int is_int, int is_double) {
    int64_t number;
    int status = is_int ? read_avro_int(cursor, &number) : read_avro_long(cursor, &number);
    if (status != FILLED || column == NULL)
        return status;
    double wide = (double)number;
    float narrow = (float)wide; /* rounded twice, as conversions through Python's float are */
    return is_double ? append_number(column, &wide, sizeof wide) : append_number(column, &narrow, sizeof narrow);
}

static int read_float_as_double(Cursor *cursor, BuiltColumn *column) {
    float narrow;
    if (cursor->end - cursor->at < (ptrdiff_t)sizeof narrow)
        return ENDS_EARLY;
    memcpy(&narrow, cursor->at, sizeof narrow);
    cursor->at += sizeof narrow;
    double wide = narrow;
    return column == NULL ? FILLED : append_number(column, &wide, sizeof wide);
}

/* Read a length and that many bytes. */
static inline int read_avro_bytes(Cursor *cursor, Entry *entry) {
    int64_t size;
    int status = read_avro_long(cursor, &size);
    if (status != FILLED)
        return status;
    if (size < 0 || size > cursor->end - cursor->at || size > INT32_MAX)
        return BAD_LENGTH;
    entry->data = cursor->at;
    entry->size = (int32_t)size;
    cursor->at += size;
    return FILLED;
}

/* Like `is_utf8`, but checks eight bytes at a time while they are ASCII. */
static inline int is_text(Entry entry) {
    while (entry.size >= 8) {
        uint64_t word;
        memcpy(&word, entry.data, sizeof word);
        if (word & 0x8080808080808080u)
            break;
        entry.data += 8;
        entry.size -= 8;
    }
    return is_utf8(entry);
}

static inline int read_bytes_value(Cursor *cursor, BuiltColumn *column, int is_string) {
    Entry entry;
    int status = read_avro_bytes(cursor, &entry);
    if (status != FILLED)
        return status;
    if (is_string && !is_text(entry))
        return NO_UTF8;
    return column == NULL ? FILLED : append_string(column, entry.data, entry.size);
}

/* A two's complement number of 256 bits: four words, the lowest first. */
typedef struct {
    uint64_t words[4];
} Wide;

/* Convert big-endian bytes. Returns 0 if the number exceeds 256 bits: all bytes before the last 32 must be sign
 * extension. */
static int wide_of(Entry entry, Wide *wide) {
    uint8_t sign = entry.size > 0 && entry.data[0] >= 0x80 ? 0xFF : 0, bytes[32];
    memset(bytes, sign, sizeof bytes);
    for (; entry.size > 32; entry.data++, entry.size--)
        if (entry.data[0] != sign)
            return 0;
    for (int32_t i = 0; i < entry.size; i++)
        bytes[i] = entry.data[entry.size - 1 - i];
    memcpy(wide->words, bytes, sizeof bytes);
    return (bytes[31] >= 0x80) == (sign == 0xFF);
}

static Wide magnitude_of(Wide wide) {
    uint64_t carry = 1;
    if (wide.words[3] >> 63)
        for (int i = 0; i < 4; i++) {
            wide.words[i] = ~wide.words[i] + carry;
            carry = carry && wide.words[i] == 0;
        }
    return wide;
}

static int is_below(const Wide *wide, const int64_t *limit) {
    for (int i = 3; i >= 0; i--)
        if (wide->words[i] != (uint64_t)limit[i])
            return wide->words[i] < (uint64_t)limit[i];
    return 0;
}

static int read_decimal_value(Cursor *cursor, BuiltColumn *column, int64_t size, const int64_t *limit) {
    Entry entry = {cursor->at, (int32_t)size};
    Wide wide;
    if (size > cursor->end - cursor->at)
        return ENDS_EARLY;
    if (size >= 0)
        cursor->at += size;
    int status = size >= 0 ? FILLED : read_avro_bytes(cursor, &entry);
    if (status != FILLED || column == NULL)
        return status;
    if (!wide_of(entry, &wide))
        return TOO_MANY_DIGITS;
    Wide magnitude = magnitude_of(wide);
    return is_below(&magnitude, limit) ? append_number(column, wide.words, column->width) : TOO_MANY_DIGITS;
}

static int hex_of(uint8_t letter) {
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    letter |= 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* Read a UUID of 36 characters, with hyphens as in RFC 9562. */
static int read_uuid_value(Cursor *cursor, BuiltColumn *column) {
    Entry entry;
    uint8_t bytes[16];
    int status = read_avro_bytes(cursor, &entry), digits = 0;
    if (status != FILLED)
        return status;
    if (entry.size != 36)
        return NO_UUID;
    for (int i = 0; i < 36; i++) {
        int is_hyphen = i == 8 || i == 13 || i == 18 || i == 23, digit = hex_of(entry.data[i]);
        if (is_hyphen ? entry.data[i] != '-' : digit < 0)
            return NO_UUID;
        if (is_hyphen)
            continue;
        bytes[digits / 2] = (uint8_t)(digits % 2 ? bytes[digits / 2] | digit : digit << 4);
        digits++;
    }
    return column == NULL ? FILLED : append_number(column, bytes, sizeof bytes);
}

/* Convert unsigned months, days and milliseconds to Arrow's months, days and nanoseconds. */
static int read_duration_value(Cursor *cursor, BuiltColumn *column) {
    uint32_t parts[3];
    struct {
        int32_t months, days;
        int64_t nanoseconds;
    } interval;
    if (cursor->end - cursor->at < (ptrdiff_t)sizeof parts)
        return ENDS_EARLY;
    memcpy(parts, cursor->at, sizeof parts);
    cursor->at += sizeof parts;
    if (parts[0] > INT32_MAX || parts[1] > INT32_MAX)
        return OUT_OF_RANGE;
    interval.months = (int32_t)parts[0];
    interval.days = (int32_t)parts[1];
    interval.nanoseconds = (int64_t)parts[2] * 1000000;
    return column == NULL ? FILLED : append_number(column, &interval, sizeof interval);
}

/* Map the writer's symbol number to the reader's; -1 in the table marks a symbol that the reader does not have. */
static inline int read_enum_value(Cursor *cursor, BuiltColumn *column, int64_t count, const int64_t *table) {
    int64_t index;
    int status = read_avro_long(cursor, &index);
    if (status != FILLED)
        return status;
    if (index < 0 || index >= count)
        return NO_SYMBOL;
    int32_t number = (int32_t)table[index];
    if (column == NULL)
        return FILLED;
    return number < 0 ? UNKNOWN_SYMBOL : append_number(column, &number, sizeof number);
}

#endif
