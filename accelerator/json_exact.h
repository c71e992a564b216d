/* Converts JSON numbers to integers and decimals: exactly or not at all. */
#ifndef KAFKA_NEXTGEN_JSON_EXACT_H
#define KAFKA_NEXTGEN_JSON_EXACT_H

#include "json_number.h"

typedef struct {
    uint64_t high, low;
} Product;

static inline Product product_of(uint64_t one, uint64_t other) {
#ifdef __SIZEOF_INT128__
    unsigned __int128 whole = (unsigned __int128)one * other;
    return (Product){(uint64_t)(whole >> 64), (uint64_t)whole};
#else
    uint64_t a = one >> 32, b = (uint32_t)one, c = other >> 32, d = (uint32_t)other;
    uint64_t middle = a * d + (b * d >> 32), carry = b * c + (uint32_t)middle;
    return (Product){a * c + (middle >> 32) + (carry >> 32), one * other};
#endif
}

static void multiply_and_add(Wide *wide, uint64_t factor, uint64_t more) {
    for (int i = 0; i < 4; i++) {
        Product product = product_of(wide->words[i], factor);
        product.low += more;
        more = product.high + (product.low < more);
        wide->words[i] = product.low;
    }
}

/* The digits from the first to the last nonzero one: their number, and the exponent of the last. */
typedef struct {
    const uint8_t *begin;
    int64_t count, exponent;
} Digits;

static Digits digits_of(const JsonNumber *number) {
    Digits digits = {NULL, 0, number->exponent};
    int64_t zeros = 0; /* zeros after the last nonzero digit */
    for (const uint8_t *at = number->begin + number->is_negative; at < number->end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.' || (digits.begin == NULL && *at == '0'))
            continue;
        if (digits.begin == NULL)
            digits.begin = at;
        zeros = *at == '0' ? zeros + 1 : 0;
        digits.count++;
    }
    digits.count -= zeros;
    digits.exponent += zeros;
    return digits;
}

/* Compute number * 10^scale without its sign. The result must be an integer with at most `precision` digits, which is
 * at most 76. */
static int exact_of(const JsonNumber *number, int64_t scale, int64_t precision, Wide *wide) {
    Digits digits = digits_of(number);
    int64_t shift = digits.exponent + scale;
    memset(wide, 0, sizeof *wide);
    if (digits.count == 0)
        return FILLED;
    if (shift < 0)
        return JSON_NOT_EXACT;
    if (digits.count > precision || shift > precision - digits.count)
        return JSON_OUT_OF_RANGE;
    for (const uint8_t *at = digits.begin; digits.count > 0; at++)
        if (*at != '.') {
            multiply_and_add(wide, 10, (uint64_t)(*at - '0'));
            digits.count--;
        }
    while (shift-- > 0)
        multiply_and_add(wide, 10, 0);
    return FILLED;
}

static void negate(Wide *wide) {
    uint64_t carry = 1;
    for (int i = 0; i < 4; i++) {
        wide->words[i] = ~wide->words[i] + carry;
        carry = carry && wide->words[i] == 0;
    }
}

/* Convert a number to an integer of `width` bytes, in the low bits of `bits`. */
static inline int integer_of(const JsonNumber *number, int width, int is_signed, uint64_t *bits) {
    uint64_t magnitude = number->mantissa;
    if (number->exponent != 0 || number->is_long) {
        Wide wide;
        int status = exact_of(number, 0, 20, &wide);
        if (status != FILLED)
            return status;
        if (wide.words[1] != 0)
            return JSON_OUT_OF_RANGE;
        magnitude = wide.words[0];
    }
    uint64_t most = UINT64_MAX >> (64 - 8 * width + is_signed);
    if (number->is_negative)
        most = is_signed ? most + 1 : 0;
    *bits = number->is_negative ? 0 - magnitude : magnitude;
    return magnitude <= most ? FILLED : JSON_OUT_OF_RANGE;
}

#endif
