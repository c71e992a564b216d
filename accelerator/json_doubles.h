/* Converts JSON numbers to doubles, rounded only once, to the nearest double.
 *
 * If the digits and the power of ten are both exact doubles, a single operation is correctly rounded (Clinger, 1990).
 * Otherwise, the digits are multiplied by a 128-bit power of five (Eisel and Lemire, "Number Parsing at a Gigabyte per
 * Second", 2021) from the table of values/json/numbers.py. Cases that this does not decide are left to Python.
 */
#ifndef KAFKA_NEXTGEN_JSON_DOUBLES_H
#define KAFKA_NEXTGEN_JSON_DOUBLES_H

#include <float.h>

#include "gil.h"
#include "json_exact.h"

#define LEAST_POWER (-342)
#define MOST_POWER 308
#define POWER_WORDS ((MOST_POWER - LEAST_POWER + 1) * 2)
#define UNDECIDED 1

static int leading_zeros(uint64_t bits) {
    int count = 0;
#ifdef _MSC_VER
    for (; !(bits >> 63); bits <<= 1)
        count++;
#else
    count = __builtin_clzll(bits);
#endif
    return count;
}

static double double_of_bits(uint64_t mantissa, int64_t power) {
    uint64_t bits = mantissa | (uint64_t)power << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Round a product whose exponent is below the minimum to the nearest subnormal, or to the smallest normal number. */
static double subnormal_of(uint64_t mantissa, int64_t power) {
    if (-power + 1 >= 64)
        return 0;
    mantissa >>= -power + 1;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    return double_of_bits(mantissa & (((uint64_t)1 << 52) - 1), mantissa >> 52);
}

/* Compute mantissa * 10^exponent; the mantissa is not 0. Returns UNDECIDED if the table is not precise enough. */
static int multiplied(const uint64_t *powers, uint64_t mantissa, int64_t exponent, double *value) {
    int zeros = leading_zeros(mantissa);
    const uint64_t *five = &powers[(exponent - LEAST_POWER) * 2];
    mantissa <<= zeros;
    Product product = product_of(mantissa, five[0]);
    if ((product.high & 0x1FF) == 0x1FF) {
        Product more = product_of(mantissa, five[1]);
        product.low += more.high;
        product.high += more.high > product.low;
    }
    if (product.low == UINT64_MAX && (exponent < -27 || exponent > 55))
        return UNDECIDED;
    int upper = (int)(product.high >> 63);
    uint64_t kept = product.high >> (upper + 9);
    int64_t power = ((217706 * exponent) >> 16) + 63 + upper - zeros + 1023;
    if (power <= 0) {
        *value = subnormal_of(kept, power);
        return FILLED;
    }
    if (product.low <= 1 && exponent >= -4 && exponent <= 23 && (kept & 3) == 1 && kept << (upper + 9) == product.high)
        kept &= ~(uint64_t)1; /* exactly halfway between two doubles: round to even */
    kept = (kept + (kept & 1)) >> 1;
    power += kept >> 53;
    if (power >= 2047)
        return JSON_OUT_OF_RANGE;
    *value = double_of_bits(kept & (((uint64_t)1 << 52) - 1), power);
    return FILLED;
}

static int magnitude_of_digits(const uint64_t *powers, uint64_t mantissa, int64_t exponent, double *value) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    *value = 0;
    if (mantissa == 0 || exponent < LEAST_POWER)
        return FILLED;
    if (exponent > MOST_POWER)
        return JSON_OUT_OF_RANGE;
#if FLT_EVAL_METHOD == 0
    if (mantissa <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22) {
        *value = exponent < 0 ? (double)mantissa / tens[-exponent] : (double)mantissa * tens[exponent];
        return FILLED;
    }
#endif
    return multiplied(powers, mantissa, exponent, value);
}

/* Let Python convert the number, which requires the GIL. Very few numbers need this. */
static int read_by_python(JsonReader *reader, const JsonNumber *number, double *value) {
    size_t size = (size_t)(number->end - number->begin);
    char *text = PyMem_RawMalloc(size + 1);
    if (text == NULL)
        return NO_MEMORY;
    memcpy(text, number->begin, size);
    text[size] = 0;
    take_gil(reader->state);
    *value = PyOS_string_to_double(text, NULL, NULL);
    int has_failed = PyErr_Occurred() != NULL;
    PyErr_Clear();
    if (reader->state != NULL)
        reader->state = PyEval_SaveThread();
    PyMem_RawFree(text);
    return has_failed ? NO_MEMORY : *value > DBL_MAX || *value < -DBL_MAX ? JSON_OUT_OF_RANGE : FILLED;
}

/* Convert a number with more digits than fit into 64 bits: compute a lower and an upper bound, which usually are the
 * same double. */
static int read_long_number(const uint64_t *powers, const JsonNumber *number, double *value) {
    uint64_t mantissa = 0;
    int64_t exponent = number->exponent, count = 0;
    for (const uint8_t *at = number->begin + number->is_negative; at < number->end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.')
            continue;
        count += count > 0 || *at != '0';
        if (count <= 19)
            mantissa = mantissa * 10 + (uint64_t)(*at - '0');
        else
            exponent++;
    }
    double above;
    int status = magnitude_of_digits(powers, mantissa, exponent, value);
    if (status == FILLED && magnitude_of_digits(powers, mantissa + 1, exponent, &above) == FILLED && above == *value)
        return FILLED;
    return UNDECIDED;
}

static inline int double_of(JsonReader *reader, const uint64_t *powers, const JsonNumber *number, double *value) {
    int status = number->is_long ? read_long_number(powers, number, value)
                                 : magnitude_of_digits(powers, number->mantissa, number->exponent, value);
    if (status == UNDECIDED)
        return read_by_python(reader, number, value);
    if (number->is_negative)
        *value = -*value;
    return status;
}

#endif
