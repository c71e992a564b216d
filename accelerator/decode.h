/* `decode`: decodes batches that `scan` found valid into columns. This checks the contents of the batches. Their
 * headers are read again, because the data may have changed since.
 */
#ifndef KAFKA_NEXTGEN_DECODE_H
#define KAFKA_NEXTGEN_DECODE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "buffers.h"
#include "gil.h"
#include "scan.h"

/* The buffers that contain the data, and its batches that have records for the application. */
typedef struct {
    Py_buffer *payloads; /* the uncompressed payloads of the compressed batches, in order */
    Py_ssize_t payload_count;
    Batch *batches;
    size_t batch_count;
    int64_t fetch_offset;
    int64_t records;       /* the number of records that the batches declare: an upper bound for those read */
    int64_t payload_bytes; /* the size of all payloads */
} Work;

static void drop_work(Work *work) {
    for (Py_ssize_t i = 0; i < work->payload_count; i++)
        PyBuffer_Release(&work->payloads[i]);
    PyMem_RawFree(work->payloads);
    PyMem_RawFree(work->batches);
}

static int take_payloads(Work *work, PyObject *payloads) {
    Py_ssize_t count = PyTuple_GET_SIZE(payloads);
    work->payloads = PyMem_RawCalloc((size_t)count + 1, sizeof(Py_buffer));
    if (work->payloads == NULL)
        return PyErr_NoMemory() != NULL;
    for (; work->payload_count < count; work->payload_count++) {
        Py_buffer *payload = &work->payloads[work->payload_count];
        if (PyObject_GetBuffer(PyTuple_GET_ITEM(payloads, work->payload_count), payload, PyBUF_SIMPLE) < 0)
            return 0;
    }
    return 1;
}

static Verdict use_payload(Work *work, Py_ssize_t *used, Batch *batch) {
    if (codec_of(batch) == 0)
        return SOUND;
    if (*used == work->payload_count)
        return ODD;
    const Py_buffer *payload = &work->payloads[(*used)++];
    batch->payload = payload->buf;
    batch->end = batch->payload + payload->len;
    return SOUND;
}

/* Add a batch that has records for the application. */
static Verdict note_batch(Work *work, const Batch *batch) {
    int64_t bytes = batch->end - batch->payload;
    if ((int64_t)batch->record_count * LEAST_RECORD_BYTES > bytes)
        return ODD;
    work->batches[work->batch_count++] = *batch;
    work->records += batch->record_count;
    work->payload_bytes += bytes;
    return work->payload_bytes < INT32_MAX ? SOUND : ODD; /* Arrow's bounds have 32 bits */
}

/* Add all batches; `batches` has space for the maximum number that fits into the data. */
static Verdict note_batches(Work *work, Walk walk) {
    Batch batch;
    Verdict verdict;
    Py_ssize_t used = 0;
    while ((verdict = next_batch(&walk, &batch)) == SOUND)
        if (batch.is_wanted && (use_payload(work, &used, &batch) != SOUND || note_batch(work, &batch) != SOUND))
            return ODD;
    return verdict == END && used == work->payload_count ? SOUND : ODD;
}

/* Fill the buffers with everything but the headers. Returns 1 if everything is valid, 0 if not, -1 with an exception
 * set. */
static int fill_columns(const Work *work, Buffers *buffers, Columns *columns) {
    if (!new_columns(buffers, (int32_t)work->records, (int32_t)work->payload_bytes, columns))
        return -1;
    PyThreadState *state = release_gil(work->payload_bytes);
    Verdict verdict = read_batches(work->batches, work->batch_count, work->fetch_offset, columns);
    take_gil(state);
    if (verdict != SOUND)
        return 0;
    return cut_columns(buffers, columns) ? 1 : -1;
}

/* Fill the buffers with the headers, if there are any. Returns the same as `fill_columns`. */
static int fill_headers(const Work *work, const Columns *columns, Buffers *buffers) {
    Headers headers = {0};
    if (!columns->header_sizes.is_any)
        return 1;
    if (!new_headers(buffers, columns, &headers))
        return -1;
    PyThreadState *state = release_gil(work->payload_bytes);
    Verdict verdict = read_headers(work->batches, work->batch_count, work->fetch_offset, &headers);
    take_gil(state);
    if (verdict != SOUND)
        return 0;
    return cut_headers(buffers, &headers) ? 1 : -1;
}

/* Fill all buffers. Returns the same as `fill_columns`. */
static int fill_buffers(const Work *work, Buffers *buffers) {
    Columns columns = {0};
    int done = fill_columns(work, buffers, &columns);
    return done == 1 ? fill_headers(work, &columns, buffers) : done;
}

static PyObject *make_columns(const Work *work) {
    Buffers buffers = {{NULL}};
    PyObject *answer = NULL;
    int done = fill_buffers(work, &buffers);
    if (done >= 0)
        answer = done == 1 ? columns_tuple(&buffers, (int32_t)work->payload_bytes) : Py_NewRef(Py_None);
    drop_buffers(&buffers);
    return answer;
}

/* Allocate space for as many batches as can fit into the data; returns 0 with an exception set if memory is
 * exhausted. */
static int begin_work(Work *work, const Walk *walk) {
    size_t most = (size_t)(walk->end - walk->at) / HEADER_SIZE + 1;
    work->fetch_offset = walk->fetch_offset;
    work->batches = PyMem_RawMalloc(most * sizeof(Batch));
    return work->batches != NULL || PyErr_NoMemory() != NULL;
}

static PyObject *decode_data(Work *work, Walk walk, PyObject *payloads) {
    if (!begin_work(work, &walk) || !take_payloads(work, payloads))
        return NULL;
    if (note_batches(work, walk) != SOUND)
        Py_RETURN_NONE;
    return make_columns(work);
}

PyDoc_STRVAR(decode_doc,
             "decode(data, fetch_offset, skipped, payloads)\n--\n\n"
             "Decode the batches in data into columns. payloads is a tuple of buffers: the uncompressed records of\n"
             "the batches that scan listed. Returns the buffers of the columns and the size of the records in bytes,\n"
             "or None if anything is invalid.");

static PyObject *decode(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer data, skipped;
    long long fetch_offset;
    PyObject *payloads;
    Work work = {0};
    if (!PyArg_ParseTuple(args, "y*Ly*O!:decode", &data, &fetch_offset, &skipped, &PyTuple_Type, &payloads))
        return NULL;
    PyObject *answer = decode_data(&work, walk_over(&data, fetch_offset, &skipped), payloads);
    drop_work(&work);
    PyBuffer_Release(&data);
    PyBuffer_Release(&skipped);
    return answer;
}

#endif
