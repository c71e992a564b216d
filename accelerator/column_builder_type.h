/* `ColumnBuilder`: typed columns that a decoder fills, and that Arrow libraries import through the PyCapsule interface.
 *
 * Its layout has a tuple for each column: kind, width, format, name, whether it is nullable, the index after its last
 * descendant, the symbols of a dictionary or None, and the metadata of Arrow's schema or None. The first column is a
 * struct.
 */
#ifndef KAFKA_NEXTGEN_COLUMN_BUILDER_TYPE_H
#define KAFKA_NEXTGEN_COLUMN_BUILDER_TYPE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "arrow_export.h"
#include "column_builder.h"

typedef struct {
    PyObject_HEAD
    PyObject *layout;
    ColumnTree tree;
    int is_busy; /* a decoder is filling it, possibly without the GIL */
} ColumnBuilder;

/* One column of the layout; the references are borrowed. */
typedef struct {
    int kind, width, is_nullable, end;
    const char *format, *name, *metadata;
    Py_ssize_t metadata_size;
    PyObject *symbols;
} ColumnSpec;

static int read_spec(PyObject *layout, Py_ssize_t index, ColumnSpec *spec) {
    PyObject *entry = PyTuple_GET_ITEM(layout, index);
    if (!PyTuple_Check(entry)) {
        PyErr_SetString(PyExc_TypeError, "a layout must be a tuple of tuples");
        return 0;
    }
    return PyArg_ParseTuple(entry, "iisspiOz#", &spec->kind, &spec->width, &spec->format, &spec->name,
                            &spec->is_nullable, &spec->end, &spec->symbols, &spec->metadata, &spec->metadata_size);
}

static int64_t children_of(const ColumnTree *tree, int32_t index) {
    int64_t count = 0;
    for (int32_t child = index + 1; child < tree->columns[index].end; child = tree->columns[child].end)
        count++;
    return count;
}

/* Whether the columns form a tree within the depth limit. Each column must end no later than its parent. */
static int is_tree(const ColumnTree *tree) {
    int32_t ends[MOST_DEPTH];
    int depth = 0;
    for (int32_t i = 0; i < tree->count; i++) {
        int32_t end = tree->columns[i].end;
        while (depth > 0 && ends[depth - 1] <= i)
            depth--;
        if ((i > 0 && depth == 0) || depth == MOST_DEPTH || end <= i || end > (depth ? ends[depth - 1] : tree->count))
            return 0;
        ends[depth++] = end;
    }
    return tree->columns[0].kind == STRUCTS && tree->columns[0].end == tree->count;
}

static int is_sound_column(const ColumnTree *tree, int32_t index, const ColumnSpec *spec) {
    int64_t children = children_of(tree, index);
    if (spec->symbols != Py_None && (!PyTuple_Check(spec->symbols) || spec->kind != NUMBERS || spec->width != 4))
        return 0;
    if (spec->kind == NUMBERS && (spec->width < 1 || spec->width > (1 << 20)))
        return 0;
    return spec->kind == STRUCTS || children == (spec->kind == LISTS);
}

static int make_tree(ColumnBuilder *builder) {
    Py_ssize_t count = PyTuple_GET_SIZE(builder->layout);
    ColumnSpec spec;
    if (count < 1 || count > MOST_COLUMNS)
        return PyErr_Format(PyExc_ValueError, "a layout must have 1 to %d columns", MOST_COLUMNS) != NULL;
    builder->tree.columns = PyMem_RawCalloc((size_t)count, sizeof(BuiltColumn));
    if (builder->tree.columns == NULL)
        return PyErr_NoMemory() != NULL;
    builder->tree.count = (int32_t)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!read_spec(builder->layout, i, &spec))
            return 0;
        builder->tree.columns[i] = (BuiltColumn){
            .kind = (ColumnKind)spec.kind, .width = spec.width, .is_nullable = spec.is_nullable, .end = spec.end};
        if (spec.kind < NULLS || spec.kind > STRUCTS)
            return PyErr_Format(PyExc_ValueError, "unknown kind of column: %d", spec.kind) != NULL;
    }
    if (!is_tree(&builder->tree))
        return PyErr_Format(PyExc_ValueError, "the columns do not form a tree of depth %d or less", MOST_DEPTH) != NULL;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!read_spec(builder->layout, i, &spec) || !is_sound_column(&builder->tree, (int32_t)i, &spec))
            return PyErr_Occurred() ? 0 : PyErr_Format(PyExc_ValueError, "column %zd is invalid", i) != NULL;
    return 1;
}

static PyObject *builder_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *layout;
    if (keywords != NULL && PyDict_GET_SIZE(keywords) > 0) {
        PyErr_SetString(PyExc_TypeError, "ColumnBuilder takes no keywords");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O!:ColumnBuilder", &PyTuple_Type, &layout))
        return NULL;
    ColumnBuilder *builder = (ColumnBuilder *)type->tp_alloc(type, 0);
    if (builder == NULL)
        return NULL;
    builder->layout = Py_NewRef(layout);
    if (!make_tree(builder))
        Py_CLEAR(builder);
    return (PyObject *)builder;
}

static void builder_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    drop_columns(&((ColumnBuilder *)self)->tree);
    Py_XDECREF(((ColumnBuilder *)self)->layout);
    type->tp_free(self);
    Py_DECREF(type);
}

static Py_ssize_t builder_length(PyObject *self) { return (Py_ssize_t)((ColumnBuilder *)self)->tree.columns[0].length; }

/* Returns 0 with an exception set if a decoder in another thread is filling the builder. */
static int is_free(const ColumnBuilder *builder) {
    if (builder->is_busy)
        PyErr_SetString(PyExc_RuntimeError, "the columns are being filled by another thread");
    return !builder->is_busy;
}

/* ---- export */

static int export_schema(const ColumnBuilder *builder, int32_t index, struct ArrowSchema *schema) {
    const ColumnTree *tree = &builder->tree;
    ColumnSpec spec;
    if (!read_spec(builder->layout, index, &spec))
        return 0;
    if (!begin_schema(schema, spec.format, spec.name, spec.is_nullable ? ARROW_FLAG_NULLABLE : 0))
        return PyErr_NoMemory() != NULL;
    schema->metadata = copied(spec.metadata, spec.metadata_size);
    if ((spec.metadata != NULL && schema->metadata == NULL) || !make_schema_children(schema, children_of(tree, index)) ||
        (spec.symbols != Py_None && !add_schema_dictionary(schema)))
        return PyErr_NoMemory() != NULL;
    int32_t child = index + 1;
    for (int64_t i = 0; i < schema->n_children; i++, child = tree->columns[child].end)
        if (!export_schema(builder, child, schema->children[i]))
            return 0;
    return 1;
}

static int fill_dictionary(PyObject *symbols, struct ArrowArray *dictionary) {
    BuiltColumn column = {.kind = STRINGS};
    int status = FILLED;
    for (Py_ssize_t i = 0; status == FILLED && i < PyTuple_GET_SIZE(symbols); i++) {
        Py_ssize_t size;
        const char *text = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(symbols, i), &size);
        status = text == NULL ? NO_MEMORY : append_string(&column, (const uint8_t *)text, size);
    }
    int is_moved = status == FILLED && move_column(&column, dictionary);
    PyMem_RawFree(column.data);
    PyMem_RawFree(column.bounds);
    if (!is_moved && !PyErr_Occurred())
        PyErr_NoMemory();
    return is_moved;
}

static int export_array(ColumnBuilder *builder, int32_t index, struct ArrowArray *array) {
    ColumnTree *tree = &builder->tree;
    PyObject *symbols = PyTuple_GET_ITEM(PyTuple_GET_ITEM(builder->layout, index), 6);
    if (!move_column(&tree->columns[index], array) || !make_array_children(array, children_of(tree, index)))
        return PyErr_NoMemory() != NULL;
    if (symbols != Py_None) {
        array->dictionary = PyMem_RawCalloc(1, sizeof *array->dictionary);
        if (array->dictionary == NULL)
            return PyErr_NoMemory() != NULL;
        if (!fill_dictionary(symbols, array->dictionary))
            return 0;
    }
    int32_t child = index + 1;
    for (int64_t i = 0; i < array->n_children; i++, child = tree->columns[child].end)
        if (!export_array(builder, child, array->children[i]))
            return 0;
    return 1;
}

PyDoc_STRVAR(builder_schema_doc,
             "__arrow_c_schema__()\n--\n\n"
             "Return the schema of the result of __arrow_c_array__.");

static PyObject *builder_schema(PyObject *self, PyObject *nothing) {
    (void)nothing;
    PyObject *capsule = new_capsule(sizeof(struct ArrowSchema), "arrow_schema", drop_schema_capsule);
    if (capsule != NULL && !export_schema((ColumnBuilder *)self, 0, PyCapsule_GetPointer(capsule, "arrow_schema")))
        Py_CLEAR(capsule);
    return capsule;
}

PyDoc_STRVAR(builder_array_doc,
             "__arrow_c_array__(requested_schema=None)\n--\n\n"
             "Export the columns as a struct, and leave the builder empty. requested_schema is ignored.");

static PyObject *builder_array(PyObject *self, PyObject *args) {
    ColumnBuilder *builder = (ColumnBuilder *)self;
    PyObject *requested = Py_None;
    if (!PyArg_ParseTuple(args, "|O:__arrow_c_array__", &requested) || !is_free(builder))
        return NULL;
    PyObject *schema = builder_schema(self, NULL);
    PyObject *array = schema == NULL ? NULL : new_capsule(sizeof(struct ArrowArray), "arrow_array", drop_array_capsule);
    if (array != NULL && !export_array(builder, 0, PyCapsule_GetPointer(array, "arrow_array"))) {
        cut_rows(&builder->tree, 0); /* the data already moved is lost, so discard the rest, too */
        Py_CLEAR(array);
    }
    PyObject *both = array == NULL ? NULL : PyTuple_Pack(2, schema, array);
    Py_XDECREF(schema);
    Py_XDECREF(array);
    return both;
}

static PyMethodDef builder_methods[] = {
    {"__arrow_c_schema__", builder_schema, METH_NOARGS, builder_schema_doc},
    {"__arrow_c_array__", builder_array, METH_VARARGS, builder_array_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(builder_doc, "ColumnBuilder(layout)\n--\n\nTyped columns of this layout, to be filled by a decoder.");

static PyType_Slot builder_slots[] = {
    {Py_tp_doc, (void *)builder_doc}, {Py_tp_new, builder_new},         {Py_tp_dealloc, builder_dealloc},
    {Py_sq_length, builder_length},   {Py_tp_methods, builder_methods}, {0, NULL},
};

static PyType_Spec builder_spec = {
    .name = "kafka_nextgen.compiled._accelerator.ColumnBuilder",
    .basicsize = sizeof(ColumnBuilder),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = builder_slots,
};

#endif
