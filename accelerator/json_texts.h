/* Parses the contents of JSON strings: dates, times, timestamps, durations, uuids and bytes; values/json/texts.py in C.
 *
 * A string can have the wrong form, more digits than the column can store (JSON_NOT_EXACT), or a value outside its
 * range (JSON_OUT_OF_RANGE). The first fault in this order is reported.
 */
#ifndef KAFKA_NEXTGEN_JSON_TEXTS_H
#define KAFKA_NEXTGEN_JSON_TEXTS_H

#include "json_number.h"

#define DAY_SECONDS 86400
#define MOST_OF_A_DURATION 1000000000000 /* the limit for each part; larger values do not fit into a column */

static inline Cursor cursor_of(Entry entry) { return (Cursor){entry.data, entry.data + entry.size}; }

static int take_letter(Cursor *text, uint8_t letter) {
    int is_there = text->at < text->end && *text->at == letter;
    text->at += is_there;
    return is_there;
}

/* Read exactly `count` digits. */
static int take_fixed(Cursor *text, int count, int64_t *number) {
    *number = 0;
    if (text->end - text->at < count)
        return 0;
    for (; count > 0; count--, text->at++) {
        if (!is_json_digit(*text->at))
            return 0;
        *number = *number * 10 + (*text->at - '0');
    }
    return 1;
}

/* ---- dates and times of day */

/* The days since 1970 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int64_t month_days(int64_t year, int64_t month) {
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

static int take_date(Cursor *text, int64_t *days) {
    int64_t year, month, day;
    if (!take_fixed(text, 4, &year) || !take_letter(text, '-') || !take_fixed(text, 2, &month) || !take_letter(text, '-') ||
        !take_fixed(text, 2, &day) || month < 1 || month > 12 || day < 1 || day > month_days(year, month))
        return 0;
    *days = days_of(year, month, day);
    return 1;
}

/* Read an optional decimal point with digits, as a count of units; a second has `unit` of them. Sets `is_exact` to 0 if
 * there are more digits than the unit can express. */
static int take_fraction(Cursor *text, int64_t unit, int64_t *fraction, int *is_exact) {
    *fraction = 0;
    *is_exact = 1;
    if (!take_letter(text, '.'))
        return 1;
    const uint8_t *begin = text->at;
    for (; text->at < text->end && is_json_digit(*text->at); text->at++) {
        unit /= 10;
        *fraction += unit * (*text->at - '0');
        *is_exact &= unit > 0 || *text->at == '0';
    }
    return text->at > begin;
}

static int take_time(Cursor *text, int64_t unit, int64_t *seconds, int64_t *fraction, int *is_exact) {
    int64_t hour, minute, second;
    if (!take_fixed(text, 2, &hour) || !take_letter(text, ':') || !take_fixed(text, 2, &minute) || !take_letter(text, ':') ||
        !take_fixed(text, 2, &second) || hour > 23 || minute > 59 || second > 59)
        return 0;
    *seconds = hour * 3600 + minute * 60 + second;
    return take_fraction(text, unit, fraction, is_exact);
}

/* Read Z, or hours and minutes, as an offset in seconds. */
static int take_zone(Cursor *text, int64_t *offset) {
    int64_t hours, minutes;
    *offset = 0;
    if (take_letter(text, 'Z') || take_letter(text, 'z'))
        return 1;
    int is_west = take_letter(text, '-');
    if ((!is_west && !take_letter(text, '+')) || !take_fixed(text, 2, &hours) || !take_letter(text, ':') ||
        !take_fixed(text, 2, &minutes) || hours > 23 || minutes > 59)
        return 0;
    *offset = (hours * 60 + minutes) * (is_west ? -60 : 60);
    return 1;
}

/* Convert seconds and a fraction, which is not negative, to units. */
static int units_of(int64_t seconds, int64_t unit, int64_t fraction, int64_t *units) {
    if (seconds < 0 && fraction > 0) {
        seconds++;
        fraction -= unit;
    }
    if (seconds > INT64_MAX / unit || seconds < INT64_MIN / unit)
        return JSON_OUT_OF_RANGE;
    int64_t whole = seconds * unit;
    if (fraction > 0 ? whole > INT64_MAX - fraction : whole < INT64_MIN - fraction)
        return JSON_OUT_OF_RANGE;
    *units = whole + fraction;
    return FILLED;
}

static int date_of(Entry entry, int64_t units_of_day, int64_t *units) {
    Cursor text = cursor_of(entry);
    int64_t days;
    if (!take_date(&text, &days) || text.at < text.end)
        return JSON_WRONG_FORM;
    *units = days * units_of_day;
    return FILLED;
}

static int time_of(Entry entry, int64_t unit, int64_t *units) {
    Cursor text = cursor_of(entry);
    int64_t seconds, fraction;
    int is_exact;
    if (!take_time(&text, unit, &seconds, &fraction, &is_exact) || text.at < text.end)
        return JSON_WRONG_FORM;
    *units = seconds * unit + fraction;
    return is_exact ? FILLED : JSON_NOT_EXACT;
}

static int instant_of(Entry entry, int64_t unit, int has_zone, int64_t *units) {
    Cursor text = cursor_of(entry);
    int64_t days, seconds, fraction, offset = 0;
    int is_exact;
    if (!take_date(&text, &days) || !(take_letter(&text, 'T') || take_letter(&text, 't') || take_letter(&text, ' ')) ||
        !take_time(&text, unit, &seconds, &fraction, &is_exact) || (has_zone && !take_zone(&text, &offset)) ||
        text.at < text.end)
        return JSON_WRONG_FORM;
    return is_exact ? units_of(days * DAY_SECONDS + seconds - offset, unit, fraction, units) : JSON_NOT_EXACT;
}

/* ---- durations: ISO 8601 without years and months, whose lengths differ */

typedef struct {
    int64_t seconds, fraction;
    int count, is_exact, is_too_long;
} Duration;

/* Read a number and its letter, which must be one of `letters`; the letters before it are then no longer allowed. */
static int take_duration_part(Cursor *text, const char **letters, const int64_t **lengths, int64_t unit, Duration *duration) {
    const uint8_t *begin = text->at;
    int64_t number = 0, fraction = 0;
    int is_exact = 1;
    for (; text->at < text->end && is_json_digit(*text->at); text->at++)
        number = Py_MIN(number * 10 + (*text->at - '0'), (int64_t)MOST_OF_A_DURATION + 1);
    int has_point = text->at < text->end && *text->at == '.';
    if (text->at == begin || (has_point && !take_fraction(text, unit, &fraction, &is_exact)))
        return 0;
    for (; **letters != 0 && !take_letter(text, (uint8_t)**letters); ++*letters, ++*lengths)
        ;
    if (**letters == 0 || (has_point && **letters != 'S')) {
        text->at = begin; /* so that the caller sees unread text and reports that the form is wrong */
        return 0;
    }
    duration->is_too_long |= number > MOST_OF_A_DURATION;
    duration->is_exact &= is_exact;
    duration->seconds += Py_MIN(number, (int64_t)MOST_OF_A_DURATION) * **lengths;
    duration->fraction = fraction;
    duration->count++;
    ++*letters, ++*lengths;
    return 1;
}

static int take_duration(Cursor *text, int64_t unit, Duration *duration) {
    static const int64_t all_lengths[] = {7 * DAY_SECONDS, DAY_SECONDS, 3600, 60, 1};
    const char *days = "WD", *times = "HMS";
    const int64_t *lengths = all_lengths;
    while (take_duration_part(text, &days, &lengths, unit, duration))
        ;
    if (!take_letter(text, 'T'))
        return duration->count > 0 && text->at == text->end;
    int before = duration->count;
    lengths = all_lengths + 2;
    while (take_duration_part(text, &times, &lengths, unit, duration))
        ;
    return duration->count > before && text->at == text->end;
}

static int duration_of(Entry entry, int64_t unit, int64_t *units) {
    Cursor text = cursor_of(entry);
    Duration duration = {.is_exact = 1};
    int is_negative = take_letter(&text, '-');
    if (!take_letter(&text, 'P') || !take_duration(&text, unit, &duration))
        return JSON_WRONG_FORM;
    if (!duration.is_exact)
        return JSON_NOT_EXACT;
    int status = duration.is_too_long ? JSON_OUT_OF_RANGE : units_of(duration.seconds, unit, duration.fraction, units);
    if (status == FILLED && is_negative)
        *units = -*units;
    return status;
}

/* ---- uuids and bytes */

static int take_hex(Cursor *text, int64_t count, uint8_t *bytes) {
    if (text->end - text->at < count * 2)
        return 0;
    for (; count > 0; count--, text->at += 2) {
        int high = hex_of(text->at[0]), low = hex_of(text->at[1]);
        if (high < 0 || low < 0)
            return 0;
        *bytes++ = (uint8_t)(high << 4 | low);
    }
    return 1;
}

/* Read a UUID of 36 characters, with hyphens as in RFC 9562. */
static int uuid_of(Entry entry, uint8_t *bytes) {
    Cursor text = cursor_of(entry);
    if (take_hex(&text, 4, bytes) && take_letter(&text, '-') && take_hex(&text, 2, bytes + 4) && take_letter(&text, '-') &&
        take_hex(&text, 2, bytes + 6) && take_letter(&text, '-') && take_hex(&text, 2, bytes + 8) && take_letter(&text, '-') &&
        take_hex(&text, 6, bytes + 10) && text.at == text.end)
        return FILLED;
    return JSON_WRONG_FORM;
}

static int8_t base64_digits[256]; /* -1 for other characters; all 0 until it is initialized */

/* Initialize the table. Requires the GIL; called before anything is decoded. */
static void prepare_base64(void) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (base64_digits[0] != 0)
        return;
    memset(base64_digits, -1, sizeof base64_digits);
    for (int i = 0; i < 64; i++)
        base64_digits[(uint8_t)letters[i]] = (int8_t)i;
}

/* Decode base64 as in RFC 4648, with padding, and with no unused bits set. */
static int bytes_of_base64(Entry entry, uint8_t *bytes, int32_t *size) {
    int32_t padding = 0, groups = entry.size / 4, is_bad = 0;
    if (entry.size % 4 != 0)
        return JSON_WRONG_FORM;
    while (padding < 2 && padding < entry.size && entry.data[entry.size - 1 - padding] == '=')
        padding++;
    for (int32_t i = 0; i < groups * 4; i += 4) {
        int kept = i + 4 == groups * 4 ? 4 - padding : 4;
        int32_t bits = 0;
        for (int j = 0; j < 4; j++) {
            int digit = j < kept ? base64_digits[entry.data[i + j]] : 0;
            is_bad |= digit < 0;
            bits = bits << 6 | (digit & 63);
        }
        is_bad |= kept < 4 && (bits & (kept == 3 ? 0xFF : 0xFFFF)) != 0;
        for (int j = 0; j < kept - 1; j++)
            *bytes++ = (uint8_t)(bits >> (16 - 8 * j));
    }
    *size = groups * 3 - padding;
    return is_bad ? JSON_WRONG_FORM : FILLED;
}

/* Read the bytes that a string encodes, into the reader's buffer. */
static int read_encoded(JsonReader *reader, int is_hex, Entry *entry) {
    int status = read_json_text(reader, entry);
    int32_t size = entry->size / 2;
    if (status == FILLED)
        status = make_room_for(&reader->bytes, entry->size);
    if (status != FILLED)
        return status;
    Cursor text = cursor_of(*entry);
    if (!is_hex)
        status = bytes_of_base64(*entry, reader->bytes.data, &size);
    else if (entry->size % 2 != 0 || !take_hex(&text, size, reader->bytes.data))
        status = JSON_WRONG_FORM;
    *entry = (Entry){reader->bytes.data, size};
    return status;
}

#endif
