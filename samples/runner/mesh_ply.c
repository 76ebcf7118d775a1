/* Reads meshes from PLY, ascii and binary of both byte orders: x, y, z of the element "vertex", and
 * convex polygons of the list "vertex_indices" or "vertex_index" of the element "face". Other
 * properties and elements are skipped. */
#include <string.h>

#include "arrays.h"
#include "binary.h"
#include "mesh_files.h"

enum { MOST_ELEMENTS = 16, MOST_PROPERTIES = 64 };

/* What a property is used for; 0, 1, 2 are the coordinates x, y, z. */
enum { USE_CORNERS = 3, USE_NONE = 4 };

typedef struct property {
    bool is_list;
    number_type count; /* type of a list's length */
    number_type item;  /* type of the number, or of the list's items */
    int use;           /* 0, 1, 2, USE_CORNERS or USE_NONE */
} property;

typedef struct element {
    bool is_vertex, is_face;
    uint64_t count;
    uint32_t property_count;
    property properties[MOST_PROPERTIES];
} element;

typedef struct ply {
    mesh_reader *reader;
    text text;
    const char *data;
    bool binary, big_endian;
    uint32_t element_count;
    element elements[MOST_ELEMENTS];
    uint64_t vertices; /* their number in the header */
    slice line;        /* ascii: the unread rest of the line */
    uint32_t *corners; /* of the last polygon; stb_ds array */
} ply;

static bool refuse_word(const ply *p, const char *what, slice word)
{
    return mesh_refuse(p->reader, p->text.line, "%s '%.*s'", what,
                       word.size < 40 ? (int)word.size : 40, word.from);
}

static bool get_type(const ply *p, slice *rest, bool whole, number_type *type)
{
    static const struct {
        const char *name;
        number_type type;
    } types[] = {{"char", {'i', 1, 0}},   {"uchar", {'u', 1, 0}},  {"short", {'i', 2, 0}},
                 {"ushort", {'u', 2, 0}}, {"int", {'i', 4, 0}},    {"uint", {'u', 4, 0}},
                 {"float", {'f', 4, 0}},  {"double", {'f', 8, 0}}, {"int8", {'i', 1, 0}},
                 {"uint8", {'u', 1, 0}},  {"int16", {'i', 2, 0}},  {"uint16", {'u', 2, 0}},
                 {"int32", {'i', 4, 0}},  {"uint32", {'u', 4, 0}}, {"float32", {'f', 4, 0}},
                 {"float64", {'f', 8, 0}}};
    slice word;
    slice_word(rest, &word);
    for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
        if (!slice_is(word, types[k].name)) continue;
        *type = types[k].type;
        type->big_endian = p->big_endian;
        if (!whole || type->kind != 'f') return true;
        return refuse_word(p, "must be a whole number, got", word);
    }
    return refuse_word(p, "unknown type", word);
}

static int use_of(const element *e, bool is_list, slice name)
{
    static const char *const axes[] = {"x", "y", "z"};
    bool corners = slice_is(name, "vertex_indices") || slice_is(name, "vertex_index");
    if (e->is_face && is_list && corners) return USE_CORNERS;
    for (int k = 0; k < 3; ++k)
        if (e->is_vertex && !is_list && slice_is(name, axes[k])) return k;
    return USE_NONE;
}

/* "float x", or "list uchar int vertex_indices". */
static bool read_property(ply *p, slice rest)
{
    slice word, after = rest;
    property made = {0};
    if (!p->element_count)
        return mesh_refuse(p->reader, p->text.line, "a property before the first element");
    element *e = &p->elements[p->element_count - 1];
    if (e->property_count == MOST_PROPERTIES)
        return mesh_refuse(p->reader, p->text.line, "more than %d properties", MOST_PROPERTIES);
    made.is_list = slice_word(&after, &word) && slice_is(word, "list");
    if (made.is_list) rest = after;
    if (made.is_list && !get_type(p, &rest, true, &made.count)) return false;
    if (!get_type(p, &rest, false, &made.item)) return false;
    if (!slice_word(&rest, &word))
        return mesh_refuse(p->reader, p->text.line, "a property needs a name");
    made.use = use_of(e, made.is_list, word);
    if (made.use == USE_CORNERS && made.item.kind == 'f')
        return refuse_word(p, "must be a list of whole numbers:", word);
    for (uint32_t k = 0; made.use != USE_NONE && k < e->property_count; ++k)
        if (e->properties[k].use == made.use) return refuse_word(p, "appears twice:", word);
    e->properties[e->property_count++] = made;
    return true;
}

/* "vertex 8" */
static bool read_element(ply *p, slice rest)
{
    slice name, count;
    element e = {0};
    if (p->element_count == MOST_ELEMENTS)
        return mesh_refuse(p->reader, p->text.line, "more than %d elements", MOST_ELEMENTS);
    if (!slice_word(&rest, &name) || !slice_word(&rest, &count) || !slice_count(count, &e.count))
        return mesh_refuse(p->reader, p->text.line, "an element needs a name and a number");
    e.is_vertex = slice_is(name, "vertex"), e.is_face = slice_is(name, "face");
    if (e.is_vertex && p->vertices)
        return mesh_refuse(p->reader, p->text.line, "appears twice: element vertex");
    if (e.is_vertex) p->vertices = e.count;
    if (e.count > UINT32_MAX / 4)
        return mesh_refuse(p->reader, p->text.line, "more than 2^30 of an element");
    p->elements[p->element_count++] = e;
    return true;
}

static bool read_format(ply *p, slice rest)
{
    slice word, version;
    slice_word(&rest, &word);
    if (!slice_word(&rest, &version) || !slice_is(version, "1.0"))
        return refuse_word(p, "must be version 1.0, got", version);
    p->big_endian = slice_is(word, "binary_big_endian");
    p->binary = p->big_endian || slice_is(word, "binary_little_endian");
    if (p->binary || slice_is(word, "ascii")) return true;
    return refuse_word(p, "unknown format", word);
}

/* Check that the elements have what a mesh needs. false: a complaint. */
static bool check_header(const ply *p)
{
    bool vertices = false, faces = false;
    for (uint32_t k = 0; k < p->element_count; ++k) {
        const element *e = &p->elements[k];
        unsigned uses = 0;
        for (uint32_t i = 0; i < e->property_count; ++i) uses |= 1u << e->properties[i].use;
        vertices |= e->is_vertex && (uses & 7) == 7;
        faces |= e->is_face && (uses >> USE_CORNERS & 1);
        if (!e->property_count && e->count)
            return mesh_refuse(p->reader, p->text.line, "an element has no properties");
    }
    if (!vertices)
        return mesh_refuse(p->reader, p->text.line, "needs vertices with properties x, y and z");
    return faces || mesh_refuse(p->reader, p->text.line, "needs faces with a list vertex_indices");
}

static bool read_header(ply *p)
{
    slice line, word;
    bool format = false;
    if (!text_line(&p->text, &line) || !slice_is(slice_trim(line), "ply"))
        return mesh_refuse(p->reader, 1, "must begin with 'ply'");
    while (text_line(&p->text, &line)) {
        if (!slice_word(&line, &word) || slice_is(word, "comment") || slice_is(word, "obj_info"))
            continue;
        if (slice_is(word, "end_header")) {
            if (!format) return mesh_refuse(p->reader, p->text.line, "the format is missing");
            return check_header(p);
        }
        if (!format && !slice_is(word, "format"))
            return refuse_word(p, "expected 'format', got", word);
        bool good = slice_is(word, "format")     ? (format = true, read_format(p, line))
                    : slice_is(word, "element")  ? read_element(p, line)
                    : slice_is(word, "property") ? read_property(p, line)
                                                 : refuse_word(p, "unknown keyword", word);
        if (!good) return false;
    }
    return mesh_refuse(p->reader, p->text.line, "the file ends before 'end_header'");
}

static bool next_binary(ply *p, number_type type, double *value)
{
    if ((size_t)(p->text.end - p->text.at) < type.size)
        return mesh_refuse_byte(p->reader, (size_t)(p->text.end - p->data),
                                "the file ends too early");
    *value = binary_number(p->text.at, type);
    p->text.at += type.size;
    return true;
}

static bool next_word(ply *p, double *value)
{
    slice word;
    if (!slice_word(&p->line, &word))
        return mesh_refuse(p->reader, p->text.line, "needs more numbers");
    return slice_number(word, value) || refuse_word(p, "must be a number, got", word);
}

static bool next(ply *p, number_type type, double *value)
{
    return p->binary ? next_binary(p, type, value) : next_word(p, value);
}

/* Store a complaint about the last number that was read. Always returns false. */
static bool refuse_number(const ply *p, number_type type, const char *what, double value)
{
    if (!p->binary) return mesh_refuse(p->reader, p->text.line, "%s, got %.10g", what, value);
    return mesh_refuse_byte(p->reader, (size_t)(p->text.at - p->data) - type.size, "%s, got %.10g",
                            what, value);
}

/* The next number, which must be an integer in [0, max]. @param what the rule, for messages. */
static bool next_count(ply *p, number_type type, double max, const char *what, uint64_t *count)
{
    double value;
    if (!next(p, type, &value)) return false;
    if (!(value >= 0 && value <= max) || value != (double)(uint64_t)value)
        return refuse_number(p, type, what, value);
    *count = (uint64_t)value;
    return true;
}

static bool read_list(ply *p, const property *list)
{
    uint64_t count = 0, corner = 0;
    bool used = list->use == USE_CORNERS;
    if (!next_count(p, list->count, UINT32_MAX, "must be the length of a list", &count))
        return false;
    arrsetlen(p->corners, 0);
    for (uint64_t k = 0; k < count; ++k) {
        double unused;
        if (!used && !next(p, list->item, &unused)) return false;
        if (!used) continue;
        if (!next_count(p, list->item, (double)p->vertices - 1, "must be the number of a vertex",
                        &corner))
            return false;
        arrput(p->corners, (uint32_t)corner);
    }
    if (used && count < 3)
        return refuse_number(p, list->item, "a face needs at least 3 corners", (double)count);
    if (!used || mesh_add_polygon(p->reader, p->corners, count)) return true;
    static const char not_convex[] = "the polygon is not convex";
    if (!p->binary) return mesh_refuse(p->reader, p->text.line, not_convex);
    return mesh_refuse_byte(p->reader, (size_t)(p->text.at - p->data), not_convex);
}

static bool read_item(ply *p, const element *e)
{
    double x[3] = {0, 0, 0}, value;
    for (uint32_t k = 0; k < e->property_count; ++k) {
        const property *property = &e->properties[k];
        if (property->is_list) {
            if (!read_list(p, property)) return false;
            continue;
        }
        if (!next(p, property->item, &value)) return false;
        if (property->use > 2) continue;
        if (!mesh_is_coordinate(value))
            return refuse_number(p, property->item, "must be within 1e9", value);
        x[property->use] = value;
    }
    if (e->is_vertex) mesh_add_vertex(p->reader, x);
    return true;
}

/* Read an item of an ascii file, which is a line. */
static bool read_line(ply *p, const element *e)
{
    slice word;
    do {
        if (!text_line(&p->text, &p->line))
            return mesh_refuse(p->reader, p->text.line, "the file ends too early");
    } while (slice_trim(p->line).size == 0);
    if (!read_item(p, e)) return false;
    return !slice_word(&p->line, &word) || refuse_word(p, "more than the header has:", word);
}

static bool read_body(ply *p)
{
    for (uint32_t k = 0; k < p->element_count; ++k) {
        const element *e = &p->elements[k];
        for (uint64_t i = 0; i < e->count; ++i)
            if (!(p->binary ? read_item(p, e) : read_line(p, e))) return false;
    }
    if (p->binary && p->text.at != p->text.end)
        return mesh_refuse_byte(p->reader, (size_t)(p->text.at - p->data),
                                "more bytes than the header has");
    while (!p->binary && text_line(&p->text, &p->line))
        if (slice_trim(p->line).size)
            return mesh_refuse(p->reader, p->text.line, "more lines than the header has");
    return true;
}

bool read_ply(mesh_reader *reader, const char *data, size_t size)
{
    ply p = {.reader = reader, .text = text_of(data, size), .data = data};
    bool good = read_header(&p) && read_body(&p);
    arrfree(p.corners);
    return good;
}
