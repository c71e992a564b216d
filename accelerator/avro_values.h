/* Single values of Avro's binary encoding, each to its place in a column; values/avro/twin.py in C.
 *
 * A reader takes a cursor, never leaves its bytes, and answers FILLED or what is wrong. With no column (NULL) it reads
 * and checks all the same.
 */
#ifndef KAFKA_NEXTGEN_AVRO_VALUES_H
#define KAFKA_NEXTGEN_AVRO_VALUES_H

#include <stdint.h>
#include <string.h>

#include "column_builder.h"
#include "record.h"

enum { /* what is wrong with a value, as in values/avro/program.py */
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

/* A number below `limit`, and not below 0, if there is a limit. */
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

/* Bytes that stay as they are: a float, a double, a fixed. */
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

/* Numbers of a smaller type as floating ones. */
static int read_promoted(Cursor *cursor, BuiltColumn *column, int is_int, int is_double) {
    int64_t number;
    int status = is_int ? read_avro_int(cursor, &number) : read_avro_long(cursor, &number);
    if (status != FILLED || column == NULL)
        return status;
    double wide = (double)number;
    float narrow = (float)wide; /* rounded twice, as by whoever goes by way of Python */
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

/* A length and as many bytes. */
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

/* As `is_utf8`, eight bytes at a time as long as they are ASCII. */
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

/* Four words, the lowest first, as two's complement of 256 bits. */
typedef struct {
    uint64_t words[4];
} Wide;

/* 0 if it takes more than 256 bits: all in front of the last 32 bytes has to be sign. */
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

/* 36 letters, with hyphens as RFC 9562 has them. */
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

/* Months, days and milliseconds, unsigned, to Arrow's months, days and nanoseconds. */
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

/* The reader's number of a symbol, by the writer's; -1 in the table is a symbol that it does not know. */
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
