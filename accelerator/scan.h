/* `scan`: checks the batches of a partition's bytes, and lists those to decompress. */
#ifndef KAFKA_NEXTGEN_SCAN_H
#define KAFKA_NEXTGEN_SCAN_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "batch.h"
#include "gil.h"

static Walk walk_over(const Py_buffer *data, long long fetch_offset, const Py_buffer *skipped) {
    const uint8_t *begin = data->buf, *list = skipped->buf;
    Py_ssize_t list_bytes = skipped->len - skipped->len % (Py_ssize_t)sizeof(int64_t);
    Walk walk = {begin, begin + data->len, fetch_offset, 0, list, list + list_bytes, -1};
    return walk;
}

/* Check all batches; `compressed` becomes the number of batches to decompress. */
static Verdict check_batches(Walk *walk, int check_crc, Py_ssize_t *compressed) {
    Batch batch;
    Verdict verdict;
    while ((verdict = next_batch(walk, &batch)) == SOUND) {
        if (check_crc && !crc_is_right(&batch))
            return ODD;
        *compressed += batch.is_wanted && codec_of(&batch) != 0;
    }
    return verdict;
}

/* Whether the first batch is compressed. If it is, usually all are. Callers that accept no compressed batches then skip
 * checking them. */
static int begins_compressed(const Walk *walk) {
    return walk->end - walk->at >= HEADER_SIZE && walk->at[ATTRIBUTES_AT] & CODEC_MASK;
}

/* List the parts to decompress, as triples: the codec, and where the records begin and end in the data. */
static PyObject *list_compressed(Walk walk, const uint8_t *data) {
    PyObject *compressed = PyList_New(0);
    Batch batch;
    while (compressed != NULL && next_batch(&walk, &batch) == SOUND) {
        if (!batch.is_wanted || codec_of(&batch) == 0)
            continue;
        Py_ssize_t start = batch.payload - data, stop = batch.end - data;
        PyObject *triple = Py_BuildValue("inn", codec_of(&batch), start, stop);
        if (triple == NULL || PyList_Append(compressed, triple) < 0)
            Py_CLEAR(compressed);
        Py_XDECREF(triple);
    }
    return compressed;
}

static PyObject *scan_data(const Py_buffer *data, long long fetch_offset, int check_crc, const Py_buffer *skipped) {
    Walk walk = walk_over(data, fetch_offset, skipped);
    Walk again = walk;
    Py_ssize_t compressed_count = 0;
    PyThreadState *state = release_gil(data->len);
    Verdict verdict = check_batches(&walk, check_crc, &compressed_count);
    take_gil(state);
    if (verdict == ODD)
        Py_RETURN_NONE;
    if (compressed_count == 0)
        again.at = again.end;
    PyObject *compressed = list_compressed(again, data->buf);
    if (compressed == NULL)
        return NULL;
    long long next_offset = walk.log_offset > fetch_offset ? walk.log_offset : fetch_offset;
    return Py_BuildValue("LiN", next_offset, (int)walk.end_epoch, compressed);
}

PyDoc_STRVAR(scan_doc,
             "scan(data, fetch_offset, check_crc, skipped)\n--\n\n"
             "Check the batches in data. Returns the offset after them, the leader epoch of the last one, and a list\n"
             "with (codec, start, stop) for the records of each compressed batch; or None if anything is invalid.\n"
             "skipped has the base offsets of batches to skip, in ascending order, as int64.");

static PyObject *scan(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer data, skipped;
    long long fetch_offset;
    int check_crc;
    if (!PyArg_ParseTuple(args, "y*Lpy*:scan", &data, &fetch_offset, &check_crc, &skipped))
        return NULL;
    PyObject *answer = scan_data(&data, fetch_offset, check_crc, &skipped);
    PyBuffer_Release(&data);
    PyBuffer_Release(&skipped);
    return answer;
}

#endif
