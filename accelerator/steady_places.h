/* The partitions of a fetch session, and the next offset to fetch from each. */
#ifndef KAFKA_NEXTGEN_STEADY_PLACES_H
#define KAFKA_NEXTGEN_STEADY_PLACES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

#include "answer_fields.h"

typedef struct {
    PyObject *partition; /* the Python object for it */
    uint8_t topic[TOPIC_ID];
    int32_t number, leader_epoch, last_epoch, most_bytes;
    int64_t offset;
    uint64_t answered_in; /* the number of the last answer that contained it */
} Place;

typedef struct {
    Place *of; /* in the order of `compare_places` */
    Py_ssize_t count;
} Places;

static int compare_places(const void *one, const void *other) {
    const Place *left = one, *right = other;
    int order = memcmp(left->topic, right->topic, TOPIC_ID);
    return order != 0 ? order : (left->number > right->number) - (left->number < right->number);
}

static Place *find_place(const Places *places, const uint8_t *topic, int32_t number) {
    Place wanted = {.number = number};
    memcpy(wanted.topic, topic, TOPIC_ID);
    return bsearch(&wanted, places->of, (size_t)places->count, sizeof(Place), compare_places);
}

/* Read a place from (partition, topic id, number, leader epoch, offset, last epoch, max bytes); returns 0 with an
 * exception set if it is not valid. */
static int read_place(PyObject *fields, Place *place) {
    const char *topic;
    Py_ssize_t size;
    long long offset;
    int number, leader_epoch, last_epoch, most_bytes;
    PyObject *partition;
    if (!PyTuple_Check(fields)) {
        PyErr_SetString(PyExc_TypeError, "a place must be a tuple");
        return 0;
    }
    if (!PyArg_ParseTuple(fields, "Oy#iiLii", &partition, &topic, &size, &number, &leader_epoch, &offset, &last_epoch,
                          &most_bytes))
        return 0;
    if (size != TOPIC_ID) {
        PyErr_SetString(PyExc_ValueError, "a topic id must have 16 bytes");
        return 0;
    }
    memcpy(place->topic, topic, TOPIC_ID);
    place->partition = Py_NewRef(partition);
    place->number = number, place->leader_epoch = leader_epoch, place->last_epoch = last_epoch;
    place->most_bytes = most_bytes, place->offset = offset;
    return 1;
}

/* Read all places from a sequence; returns 0 with an exception set on failure. */
static int read_places(PyObject *wanted, Places *places) {
    PyObject *fields = PySequence_Tuple(wanted);
    int is_well = fields != NULL;
    if (is_well) {
        places->of = PyMem_RawCalloc((size_t)PyTuple_GET_SIZE(fields) + 1, sizeof(Place));
        is_well = places->of != NULL || PyErr_NoMemory() != NULL;
    }
    while (is_well && places->count < PyTuple_GET_SIZE(fields)) {
        is_well = read_place(PyTuple_GET_ITEM(fields, places->count), &places->of[places->count]);
        places->count += is_well;
    }
    Py_XDECREF(fields);
    if (is_well)
        qsort(places->of, (size_t)places->count, sizeof(Place), compare_places);
    return is_well;
}

static void drop_places(Places *places) {
    for (Py_ssize_t i = 0; i < places->count; i++)
        Py_DECREF(places->of[i].partition);
    PyMem_RawFree(places->of);
}

#endif
