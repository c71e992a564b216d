/* JSON text (RFC 8259): white space, what stands between values, and strings.
 *
 * What is accepted is what the judge in the tests accepts, orjson: strict UTF-8, no control characters in strings, no
 * lone surrogates, no NaN, no leading zeros, no byte order mark, no commas behind the last. A reader never leaves the
 * bytes at its cursor, and answers FILLED or what is wrong.
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

#define JSON_DEPTH 512 /* of arrays and objects in each other; as in values/json/program.py */

enum { /* what is wrong with a value, as in values/json/program.py */
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
    JSON_AGAIN, /* a field is there twice; only the careful reading can tell which one counts */
};

/* Memory that is used again for each string; never larger than the value that it is made of. */
typedef struct {
    uint8_t *data;
    int64_t size;
} Room;

typedef struct {
    Cursor cursor;
    Room text, bytes; /* a string without its escapes; what a string stands for */
    int depth;        /* of what is open around the cursor */
    PyThreadState *state; /* NULL where the GIL is held */
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

/* ---- white space, and what stands between values */

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

/* Behind a member of an object or array: go to the next one, or behind the end. */
static inline int next_member(Cursor *cursor, uint8_t close, int *is_more) {
    skip_space(cursor);
    if (cursor->at == cursor->end || (*cursor->at != ',' && *cursor->at != close))
        return JSON_NOT_JSON;
    *is_more = *cursor->at++ == ',';
    if (*is_more)
        skip_space(cursor);
    return FILLED;
}

/* Begin an object or array, whose first letter is at the cursor. */
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

/* How many of the next JSON_STEP bytes are ASCII, no control character, no quote and no backslash, up to the first that is. */
static inline int plain_bytes(const uint8_t *at) {
#if JSON_STEP == 16
    __m128i bytes = _mm_loadu_si128((const __m128i *)at);
    __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i others = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')); /* signed: so are those beyond ASCII */
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

/* The string at the cursor, its escapes as they are; how many there are is not counted, but whether. */
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

/* The four digits of \uXXXX at a place, -1 if they are none. */
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

/* \uXXXX, or two of them that are a pair of surrogates. */
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

/* The string with its escapes resolved, in the reader's room. It never becomes longer. */
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

/* The string at the cursor; what it is stays until the next one is read. */
static inline int read_json_text(JsonReader *reader, Entry *entry) {
    int has_escapes, status = scan_json_string(&reader->cursor, entry, &has_escapes);
    return status == FILLED && has_escapes ? unescape(reader, entry) : status;
}

#endif
