/* JSON text (RFC 8259): white space, the separators between values, and strings.
 *
 * Accepts the same documents as orjson, the reference in the tests: strict UTF-8, no control characters in strings, no
 * lone surrogates, no NaN, no leading zeros, no byte order mark, and no trailing commas. A reader never reads beyond
 * the end of the cursor, and returns FILLED or a fault.
 */
#ifndef KAFKA_NEXTGEN_JSON_SCAN_H
#define KAFKA_NEXTGEN_JSON_SCAN_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#include "avro_values.h"
#include "column_builder.h"
#include "record.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define JSON_STEP 16
#else
#define JSON_STEP 8
#endif
#ifdef _MSC_VER
#include <intrin.h>
#endif

#define JSON_DEPTH 512 /* the maximum nesting of arrays and objects, as in values/json/program.py */

enum { /* the faults of values, as in values/json/faults.py */
    JSON_NOT_JSON = 1,
    JSON_NO_NULL,
    JSON_MISSING,
    JSON_WRONG_TYPE,
    JSON_OUT_OF_RANGE,
    JSON_NOT_EXACT,
    JSON_WRONG_FORM,
    JSON_NO_SYMBOL,
    JSON_TOO_SPARSE,
    JSON_NO_FRAME,
    JSON_AGAIN, /* a field occurs twice; only careful mode can find out which one counts */
};

/* A buffer reused for each string; it never needs more space than the value. */
typedef struct {
    uint8_t *data;
    int64_t size;
} Room;

typedef struct {
    Cursor cursor;
    Room text, bytes; /* the unescaped string; the bytes that it encodes */
    int depth;        /* the number of open arrays and objects around the cursor */
    PyThreadState *state; /* NULL if the GIL is held */
} JsonReader;

static int make_room_for(Room *room, int64_t size) {
    if (size <= room->size)
        return FILLED;
    uint8_t *data = resized(room->data, size);
    if (data == NULL)
        return NO_MEMORY;
    *room = (Room){data, size};
    return FILLED;
}

static int lowest_bit(uint64_t bits) {
#if defined(_MSC_VER) && defined(_WIN64)
    unsigned long index;
    _BitScanForward64(&index, bits);
    return (int)index;
#elif defined(_MSC_VER)
    int index = 0;
    for (; !(bits >> index & 1); index++)
        ;
    return index;
#else
    return __builtin_ctzll(bits);
#endif
}

/* ---- white space, and the separators between values */

static inline void skip_space(Cursor *cursor) {
    while (cursor->at < cursor->end && *cursor->at <= ' ') {
        uint8_t letter = *cursor->at;
        if (letter != ' ' && letter != '\n' && letter != '\r' && letter != '\t')
            return;
        cursor->at++;
    }
}

static inline int take_colon(Cursor *cursor) {
    skip_space(cursor);
    if (cursor->at == cursor->end || *cursor->at != ':')
        return JSON_NOT_JSON;
    cursor->at++;
    skip_space(cursor);
    return FILLED;
}

/* After a member of an object or array, move to the next one, or past the end. */
static inline int next_member(Cursor *cursor, uint8_t close, int *is_more) {
    skip_space(cursor);
    if (cursor->at == cursor->end || (*cursor->at != ',' && *cursor->at != close))
        return JSON_NOT_JSON;
    *is_more = *cursor->at++ == ',';
    if (*is_more)
        skip_space(cursor);
    return FILLED;
}

/* Begin an object or array, whose opening bracket is at the cursor. */
static inline int begin_members(JsonReader *reader, uint8_t close, int *is_more) {
    Cursor *cursor = &reader->cursor;
    if (++reader->depth > JSON_DEPTH)
        return JSON_NOT_JSON;
    cursor->at++;
    skip_space(cursor);
    *is_more = cursor->at == cursor->end || *cursor->at != close;
    cursor->at += !*is_more;
    return FILLED;
}

static inline int take_literal(Cursor *cursor, const char *word, int size) {
    if (cursor->end - cursor->at < size || memcmp(cursor->at, word, (size_t)size) != 0)
        return JSON_NOT_JSON;
    cursor->at += size;
    return FILLED;
}

/* ---- strings */

/* The number of leading bytes, out of the next JSON_STEP, that are ASCII other than control characters, quotes and
 * backslashes. */
static inline int plain_bytes(const uint8_t *at) {
#if JSON_STEP == 16
    __m128i bytes = _mm_loadu_si128((const __m128i *)at);
    __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i others = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')); /* signed, so it includes bytes outside ASCII */
    uint32_t mask = (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, slashes), others));
    return mask == 0 ? 16 : lowest_bit(mask);
#else
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    uint64_t word;
    memcpy(&word, at, sizeof word);
    uint64_t quotes = word ^ ones * '"', slashes = word ^ ones * '\\';
    uint64_t mask = ((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes) | ((word - ones * ' ') & ~word) | word;
    return (mask & highs) == 0 ? 8 : lowest_bit(mask & highs) / 8;
#endif
}

static inline const uint8_t *behind_plain(const uint8_t *at, const uint8_t *end) {
    while (end - at >= JSON_STEP) {
        int count = plain_bytes(at);
        at += count;
        if (count < JSON_STEP)
            return at;
    }
    while (at < end && *at >= ' ' && *at < 0x80 && *at != '"' && *at != '\\')
        at++;
    return at;
}

/* Read the string at the cursor, with its escapes unresolved; `has_escapes` tells whether there are any. */
static inline int scan_json_string(Cursor *cursor, Entry *entry, int *has_escapes) {
    const uint8_t *begin = cursor->at + 1, *at = begin, *end = cursor->end;
    int is_ascii = 1;
    if (cursor->at == end || *cursor->at != '"')
        return JSON_NOT_JSON;
    for (*has_escapes = 0;;) {
        at = behind_plain(at, end);
        if (at == end)
            return JSON_NOT_JSON;
        if (*at == '"')
            break;
        if (*at >= 0x80) {
            for (is_ascii = 0; at < end && *at >= 0x80; at++)
                ;
            continue;
        }
        if (*at != '\\' || end - at < 2)
            return JSON_NOT_JSON;
        *has_escapes = 1;
        at += 2;
    }
    *entry = (Entry){begin, (int32_t)(at - begin)};
    cursor->at = at + 1;
    return is_ascii || is_utf8(*entry) ? FILLED : JSON_NOT_JSON;
}

/* The value of the \uXXXX escape at this position; -1 if there is none. */
static int32_t unit_at(const uint8_t *at, const uint8_t *end) {
    int32_t unit = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        int digit = hex_of(at[i]);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static uint8_t *put_code_point(uint8_t *out, int32_t point) {
    if (point < 0x80) {
        *out++ = (uint8_t)point;
        return out;
    }
    int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const uint8_t leads[] = {0, 0xC0, 0xE0, 0xF0};
    *out++ = (uint8_t)(leads[more] | point >> 6 * more);
    while (more-- > 0)
        *out++ = (uint8_t)(0x80 | (point >> 6 * more & 0x3F));
    return out;
}

/* Read a \uXXXX escape, or two that form a surrogate pair. */
static int take_unicode(const uint8_t **at, const uint8_t *end, uint8_t **out) {
    int32_t unit = unit_at(*at, end);
    if (unit < 0 || (unit >= 0xDC00 && unit < 0xE000))
        return 0;
    *at += 6;
    if (unit >= 0xD800 && unit < 0xDC00) {
        int32_t low = unit_at(*at, end);
        if (low < 0xDC00 || low > 0xDFFF)
            return 0;
        *at += 6;
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }
    *out = put_code_point(*out, unit);
    return 1;
}

static int take_escape(const uint8_t **at, const uint8_t *end, uint8_t **out) {
    static const char names[] = "\"\\/bfnrt", letters[] = "\"\\/\b\f\n\r\t";
    if ((*at)[1] == 'u')
        return take_unicode(at, end, out);
    const char *found = (*at)[1] == 0 ? NULL : strchr(names, (*at)[1]);
    if (found == NULL)
        return 0;
    *(*out)++ = (uint8_t)letters[found - names];
    *at += 2;
    return 1;
}

/* Resolve the escapes of a string in the reader's buffer. This never makes it longer. */
static int unescape(JsonReader *reader, Entry *entry) {
    const uint8_t *at = entry->data, *end = at + entry->size;
    if (make_room_for(&reader->text, entry->size) == NO_MEMORY)
        return NO_MEMORY;
    uint8_t *out = reader->text.data;
    while (at < end) {
        const uint8_t *escape = memchr(at, '\\', (size_t)(end - at));
        size_t size = (size_t)((escape == NULL ? end : escape) - at);
        memcpy(out, at, size);
        out += size;
        at += size;
        if (at < end && !take_escape(&at, end, &out))
            return JSON_NOT_JSON;
    }
    *entry = (Entry){reader->text.data, (int32_t)(out - reader->text.data)};
    return FILLED;
}

/* Read the string at the cursor. The result is valid until the next string is read. */
static inline int read_json_text(JsonReader *reader, Entry *entry) {
    int has_escapes, status = scan_json_string(&reader->cursor, entry, &has_escapes);
    return status == FILLED && has_escapes ? unescape(reader, entry) : status;
}

#endif
