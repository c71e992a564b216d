/* CRC-32C, the checksum of record batches.
 *
 * Processors compute it eight bytes at a time, but each step waits three cycles for the previous one. So the CRCs of
 * three adjacent runs of bytes are computed side by side, and combined: the CRC is linear, so the CRC of two adjacent
 * runs is the CRC of the first, shifted past as many zeros as the second has bytes (`crc_moved`), XOR the CRC of the
 * second. Without a processor instruction for CRC-32C, eight bytes at a time are looked up in eight tables.
 */
#ifndef KAFKA_NEXTGEN_CRC32C_H
#define KAFKA_NEXTGEN_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CRC_POLYNOMIAL 0x82F63B78u /* Castagnoli's, lowest bit first */
#define CRC_RUN 512                /* bytes; each round computes three runs */

static uint32_t crc_tables[8][256]; /* [k][b]: the CRC of byte b followed by k zeros */
static uint32_t crc_moves[4][256];  /* [k][b]: what byte b at place k of a CRC becomes after CRC_RUN zeros */
static int crc_in_hardware;

static void crc_make_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
        crc_tables[0][byte] = crc;
    }
    for (int zeros = 1; zeros < 8; zeros++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t crc = crc_tables[zeros - 1][byte];
            crc_tables[zeros][byte] = crc >> 8 ^ crc_tables[0][crc & 0xFF];
        }
}

static void crc_make_moves(void) {
    for (int bit = 0; bit < 32; bit++) {
        uint32_t crc = (uint32_t)1 << bit;
        for (int zeros = 0; zeros < CRC_RUN; zeros++)
            crc = crc >> 8 ^ crc_tables[0][crc & 0xFF];
        for (int byte = 0; byte < 256; byte++)
            if (byte >> (bit & 7) & 1)
                crc_moves[bit >> 3][byte] ^= crc;
    }
}

static uint32_t crc_by_tables(uint32_t crc, const uint8_t *at, size_t size) {
    for (; size >= 8; at += 8, size -= 8) {
        crc ^= (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        crc = crc_tables[7][crc & 0xFF] ^ crc_tables[6][crc >> 8 & 0xFF] ^ crc_tables[5][crc >> 16 & 0xFF] ^
              crc_tables[4][crc >> 24] ^ crc_tables[3][at[4]] ^ crc_tables[2][at[5]] ^ crc_tables[1][at[6]] ^
              crc_tables[0][at[7]];
    }
    for (; size > 0; at++, size--)
        crc = crc >> 8 ^ crc_tables[0][(crc ^ *at) & 0xFF];
    return crc;
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <nmmintrin.h>
#define CRC_HARDWARE __attribute__((target("sse4.2")))
#define CRC_STEP8(crc, word) ((uint32_t)_mm_crc32_u64(crc, word))
#define CRC_STEP1(crc, byte) _mm_crc32_u8(crc, byte)
static int crc_hardware_is_there(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2") != 0;
}
#elif defined(_M_X64)
#include <intrin.h>
#include <nmmintrin.h>
#define CRC_HARDWARE
#define CRC_STEP8(crc, word) ((uint32_t)_mm_crc32_u64(crc, word))
#define CRC_STEP1(crc, byte) _mm_crc32_u8(crc, byte)
static int crc_hardware_is_there(void) {
    int registers[4];
    __cpuid(registers, 1);
    return registers[2] >> 20 & 1;
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#define CRC_HARDWARE
#define CRC_STEP8(crc, word) __crc32cd(crc, word)
#define CRC_STEP1(crc, byte) __crc32cb(crc, byte)
static int crc_hardware_is_there(void) { return 1; }
#endif

#ifdef CRC_HARDWARE
static uint32_t crc_moved(uint32_t crc) {
    return crc_moves[0][crc & 0xFF] ^ crc_moves[1][crc >> 8 & 0xFF] ^ crc_moves[2][crc >> 16 & 0xFF] ^
           crc_moves[3][crc >> 24];
}

static uint64_t crc_word(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

CRC_HARDWARE static uint32_t crc_three_runs(uint32_t crc, const uint8_t *at) {
    uint32_t second = 0, third = 0;
    for (const uint8_t *stop = at + CRC_RUN; at < stop; at += 8) {
        crc = CRC_STEP8(crc, crc_word(at));
        second = CRC_STEP8(second, crc_word(at + CRC_RUN));
        third = CRC_STEP8(third, crc_word(at + 2 * CRC_RUN));
    }
    return crc_moved(crc_moved(crc) ^ second) ^ third;
}

CRC_HARDWARE static uint32_t crc_by_hardware(uint32_t crc, const uint8_t *at, size_t size) {
    for (; size >= 3 * CRC_RUN; at += 3 * CRC_RUN, size -= 3 * CRC_RUN)
        crc = crc_three_runs(crc, at);
    for (; size >= 8; at += 8, size -= 8)
        crc = CRC_STEP8(crc, crc_word(at));
    for (; size > 0; at++, size--)
        crc = CRC_STEP1(crc, *at);
    return crc;
}
#else
static int crc_hardware_is_there(void) { return 0; }
#define crc_by_hardware crc_by_tables
#endif

/* Must be called once, before anything else. */
static void crc_prepare(void) {
    if (crc_tables[0][1] != 0)
        return;
    crc_make_tables();
    crc_make_moves();
    crc_in_hardware = crc_hardware_is_there();
}

static uint32_t crc32c(const uint8_t *at, size_t size) {
    return ~(crc_in_hardware ? crc_by_hardware(~0u, at, size) : crc_by_tables(~0u, at, size));
}

#endif
