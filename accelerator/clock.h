/* The monotonic clock in seconds, as Python's `time.monotonic` and event loops have it. */
#ifndef KAFKA_NEXTGEN_CLOCK_H
#define KAFKA_NEXTGEN_CLOCK_H

#include <time.h>

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct timespec moment_at(double at_s) {
    struct timespec moment = {.tv_sec = (time_t)at_s};
    moment.tv_nsec = (long)((at_s - (double)moment.tv_sec) * 1e9);
    return moment;
}

#endif
