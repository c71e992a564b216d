/* A JSON number, split into its digits and its exponent. */
#ifndef KAFKA_NEXTGEN_JSON_NUMBER_H
#define KAFKA_NEXTGEN_JSON_NUMBER_H

#include "json_scan.h"

typedef struct {
    const uint8_t *begin, *end;
    uint64_t mantissa; /* all digits, if there are at most 19 from the first nonzero one on */
    int64_t exponent;  /* the power of ten by which the digits are multiplied */
    int is_negative, is_long;
} JsonNumber;

static inline int is_json_digit(uint8_t letter) { return letter >= '0' && letter <= '9'; }

/* Append the digits up to the first non-digit to a number, which may overflow. Reads eight at a time (Lemire, 2018). */
static inline const uint8_t *take_json_digits(const uint8_t *at, const uint8_t *end, uint64_t *number) {
    uint64_t word;
    for (; end - at >= 8; at += 8) {
        memcpy(&word, at, sizeof word);
        if (((word & 0xF0F0F0F0F0F0F0F0u) | ((word + 0x0606060606060606u) & 0xF0F0F0F0F0F0F0F0u) >> 4) != 0x3333333333333333u)
            break;
        word -= 0x3030303030303030u;
        word = word * 10 + (word >> 8);
        word = ((word & 0x000000FF000000FFu) * 0x000F424000000064u + (word >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32;
        *number = *number * 100000000u + (uint32_t)word;
    }
    for (; at < end && is_json_digit(*at); at++)
        *number = *number * 10 + (uint64_t)(*at - '0');
    return at;
}

/* Read "e", an optional sign, and digits. Exponents above 10^12 are treated as 10^12. */
static int take_exponent(const uint8_t **at, const uint8_t *end, int64_t *exponent) {
    const uint8_t *place = *at + 1;
    int is_negative = place < end && *place == '-';
    int64_t number = 0;
    place += place < end && (*place == '-' || *place == '+');
    if (place == end || !is_json_digit(*place))
        return 0;
    for (; place < end && is_json_digit(*place); place++)
        number = Py_MIN(number * 10 + (*place - '0'), (int64_t)1000000000000);
    *exponent += is_negative ? -number : number;
    *at = place;
    return 1;
}

static int has_many_digits(const uint8_t *at, const uint8_t *end) {
    int64_t count = 0;
    for (; at < end && (is_json_digit(*at) || *at == '.'); at++)
        count += *at != '.' && (count > 0 || *at != '0');
    return count > 19;
}

/* Read the number at the cursor. The caller checks what follows it. */
static inline int scan_json_number(Cursor *cursor, JsonNumber *number) {
    const uint8_t *at = cursor->at, *end = cursor->end;
    *number = (JsonNumber){.begin = at, .is_negative = at < end && *at == '-'};
    at += number->is_negative;
    const uint8_t *digits = at;
    if (at == end || !is_json_digit(*at))
        return JSON_NOT_JSON;
    at = *at == '0' ? at + 1 : take_json_digits(at, end, &number->mantissa);
    if (at < end && *at == '.') {
        const uint8_t *fraction = at + 1;
        at = take_json_digits(fraction, end, &number->mantissa);
        if (at == fraction)
            return JSON_NOT_JSON;
        number->exponent = fraction - at;
    }
    number->is_long = at - digits > 19 && has_many_digits(digits, at);
    if (at < end && (*at == 'e' || *at == 'E') && !take_exponent(&at, end, &number->exponent))
        return JSON_NOT_JSON;
    cursor->at = number->end = at;
    return FILLED;
}

#endif
