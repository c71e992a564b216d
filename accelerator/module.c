/* kafka_nextgen.wire.records._accelerator: records of sound data to columns, without an object per record.
 *
 * What this reads is what the pure Python twin (wire/records/decode.py and what it calls) reads, and the result is the
 * same to the last bit. It is a fast path for sound data only: wherever anything is odd, `scan` and `decode` answer
 * None, and the twin reads the same bytes and says what is wrong with them.
 *
 *     scan          checks the batches and says which of them are compressed; decompressing is Python's
 *     new_buffer    makes room to decompress into
 *     decode        makes the columns
 *     to_list       makes objects of a run of a column of byte strings
 *     make_records  makes objects of a run of records
 *
 * The GIL is released while bytes are read, but for so few that taking it back could cost more than the work.
 */
#include "buffers.h"
#include "records.h"

#define FEW_BYTES 16384

/* The buffers that the data lies in, and the batches in it that have records for the application. */
typedef struct {
    Py_buffer *payloads; /* of the compressed batches, uncompressed, in their order */
    Py_ssize_t payload_count;
    Batch *batches;
    size_t batch_count;
    int64_t fetch_offset;
    int64_t records;       /* as many as the batches say there are, which is as many as are read or more */
    int64_t payload_bytes; /* of all the batches */
} Work;

static PyThreadState *release_gil(int64_t bytes) { return bytes > FEW_BYTES ? PyEval_SaveThread() : NULL; }

static void take_gil(PyThreadState *state) {
    if (state != NULL)
        PyEval_RestoreThread(state);
}

static Walk walk_over(const Py_buffer *data, long long fetch_offset, const Py_buffer *skipped) {
    const uint8_t *begin = data->buf, *list = skipped->buf;
    Py_ssize_t list_bytes = skipped->len - skipped->len % (Py_ssize_t)sizeof(int64_t);
    Walk walk = {begin, begin + data->len, fetch_offset, 0, list, list + list_bytes, -1};
    return walk;
}

/* Check all batches; `compressed` becomes the number of those to be decompressed. */
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

/* What is to be decompressed, as triples: codec, and where the records begin and end in the data. */
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
             "Check the batches in data. Answers with the offset after them, the leader epoch of the last one, and a\n"
             "list of what is compressed, (codec, start, stop) for the records of each batch; or None if not all is\n"
             "sound. skipped holds base offsets of batches to leave out, rising, as int64.");

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

/* Note a batch that has records for the application. */
static Verdict note_batch(Work *work, const Batch *batch) {
    int64_t bytes = batch->end - batch->payload;
    if ((int64_t)batch->record_count * LEAST_RECORD_BYTES > bytes)
        return ODD;
    work->batches[work->batch_count++] = *batch;
    work->records += batch->record_count;
    work->payload_bytes += bytes;
    return work->payload_bytes < INT32_MAX ? SOUND : ODD; /* Arrow's bounds have 32 bits */
}

/* Note all of them; `batches` has room for as many as fit into the data. */
static Verdict note_batches(Work *work, Walk walk) {
    Batch batch;
    Verdict verdict;
    Py_ssize_t used = 0;
    while ((verdict = next_batch(&walk, &batch)) == SOUND)
        if (batch.is_wanted && (use_payload(work, &used, &batch) != SOUND || note_batch(work, &batch) != SOUND))
            return ODD;
    return verdict == END && used == work->payload_count ? SOUND : ODD;
}

/* Fill buffers with all but the headers. 1 if all is sound, 0 if not, -1 with an exception set. */
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

/* Fill buffers with the headers, if there are any; answers as `fill_columns`. */
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

static PyObject *make_columns(const Work *work) {
    Buffers buffers = {{NULL}};
    Columns columns = {0};
    PyObject *answer = NULL;
    int done = fill_columns(work, &buffers, &columns);
    if (done == 1)
        done = fill_headers(work, &columns, &buffers);
    if (done >= 0)
        answer = done == 1 ? columns_tuple(&buffers, (int32_t)work->payload_bytes) : Py_NewRef(Py_None);
    drop_buffers(&buffers);
    return answer;
}

static PyObject *decode_data(Work *work, Walk walk, PyObject *payloads) {
    size_t most = (size_t)(walk.end - walk.at) / HEADER_SIZE + 1;
    work->fetch_offset = walk.fetch_offset;
    work->batches = PyMem_RawMalloc(most * sizeof(Batch));
    if (work->batches == NULL)
        return PyErr_NoMemory();
    if (!take_payloads(work, payloads))
        return NULL;
    if (note_batches(work, walk) != SOUND)
        Py_RETURN_NONE;
    return make_columns(work);
}

PyDoc_STRVAR(decode_doc,
             "decode(data, fetch_offset, skipped, payloads)\n--\n\n"
             "Make columns of the batches in data. payloads is a tuple of buffers, the uncompressed records of those\n"
             "batches that scan listed. Answers with the columns' buffers, and what the records took in\n"
             "bytes; or None if not all is sound.");

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

PyDoc_STRVAR(new_bytearray_doc,
             "new_buffer(size)\n--\n\n"
             "A bytearray of this size to write into. What is in it before is not determined.");

static PyObject *new_bytearray(PyObject *module, PyObject *size) {
    (void)module;
    Py_ssize_t bytes = PyLong_AsSsize_t(size);
    if (bytes == -1 && PyErr_Occurred())
        return NULL;
    return PyByteArray_FromStringAndSize(NULL, bytes);
}

static PyMethodDef methods[] = {
    {"scan", scan, METH_VARARGS, scan_doc},
    {"decode", decode, METH_VARARGS, decode_doc},
    {"make_records", make_records, METH_VARARGS, make_records_doc},
    {"to_list", to_list, METH_VARARGS, to_list_doc},
    {"new_buffer", new_bytearray, METH_O, new_bytearray_doc},
    {NULL, NULL, 0, NULL},
};

static int prepare(PyObject *module) {
    (void)module;
    crc_prepare();
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, prepare},
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_accelerator",
    .m_doc = "Records of sound data to columns, without an object per record.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__accelerator(void) { return PyModuleDef_Init(&definition); }
