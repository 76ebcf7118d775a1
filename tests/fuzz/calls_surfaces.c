/* Calls on surfaces: add, remove, place, set motion. Meshes and shapes are small; some are
 * invalid. */
#include <kugel/mesh_shapes.h>
#include <math.h>
#include <string.h>

#include "calls.h"

enum { VERTICES = 26, TRIANGLES = 24, SEGMENTS = 6, GRID = 4 };

typedef struct mesh {
    double vertices[3 * VERTICES];
    uint32_t triangles[3 * TRIANGLES], vertex_count, triangle_count;
} mesh;

static double length_of(fuzz_input *in) { return (1 + fuzz_below(in, 32)) / 8.; }

/* Random vertices and triangles: slivers, holes, intersections, corners without a vertex. */
static void make_soup(fuzz_input *in, mesh *m)
{
    m->vertex_count = fuzz_below(in, VERTICES + 1);
    m->triangle_count = fuzz_below(in, TRIANGLES + 1);
    for (uint32_t k = 0; k < m->vertex_count; ++k) fuzz_vector(in, m->vertices + 3 * (size_t)k);
    uint32_t most = m->vertex_count + (fuzz_byte(in) > 240);
    for (uint32_t k = 0; k < 3 * m->triangle_count; ++k)
        m->triangles[k] = most ? fuzz_below(in, most) : 0;
}

static void make_height_field(fuzz_input *in, mesh *m)
{
    const double step = length_of(in), origin[3] = {-1.5 * step, -1.5 * step, 0};
    double heights[GRID * GRID];
    bool flat = fuzz_byte(in) & 1;
    for (int k = 0; k < GRID * GRID; ++k) heights[k] = flat ? 0 : fuzz_fraction(in);
    m->vertex_count = KUGEL_MESH_HEIGHT_FIELD_VERTICES(GRID, GRID);
    m->triangle_count = KUGEL_MESH_HEIGHT_FIELD_TRIANGLES(GRID, GRID);
    kugel_mesh_height_field(origin, step, step, GRID, GRID, heights, m->vertices, m->triangles);
}

static void make_mesh(fuzz_input *in, mesh *m)
{
    static const double from[3] = {0, 0, -1}, to[3] = {0, 0, 1};
    double half[3];
    memset(m, 0, sizeof *m);
    switch (fuzz_below(in, 4)) {
    case 0:
        for (int k = 0; k < 3; ++k) half[k] = length_of(in);
        m->vertex_count = KUGEL_MESH_BOX_VERTICES, m->triangle_count = KUGEL_MESH_BOX_TRIANGLES;
        kugel_mesh_box(half, m->vertices, m->triangles);
        break;
    case 1:
        m->vertex_count = KUGEL_MESH_CONE_VERTICES(SEGMENTS);
        kugel_mesh_cone(from, to, length_of(in), length_of(in), SEGMENTS,
                        (kugel_mesh_caps)fuzz_below(in, 4), m->vertices, m->triangles,
                        &m->triangle_count);
        break;
    case 2:
        make_height_field(in, m);
        break;
    default:
        make_soup(in, m);
        break;
    }
}

static bool is_valid_mesh(const mesh *m)
{
    for (uint32_t k = 0; k < 3 * m->vertex_count; ++k) {
        if (!fuzz_is_value(m->vertices[k])) return false;
    }
    for (uint32_t k = 0; k < 3 * m->triangle_count; ++k) {
        if (m->triangles[k] >= m->vertex_count) return false;
    }
    return m->vertex_count >= 3 && m->triangle_count >= 1;
}

static void random_rotation(fuzz_input *in, double q[4])
{
    static const double turns[4][4] = {
        {0, 0, 0, 1}, {1, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}, {0, 0.6, 0, 0.8}};
    uint8_t choice = fuzz_byte(in);
    memcpy(q, turns[choice % 4], sizeof turns[0]);
    if (choice >= 240) q[choice % 4] = fuzz_number(in);
}

static bool is_valid_rotation(const double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return fabs(length - 1) <= 1e-6;
}

static const kugel_surface_shape last_shape = KUGEL_SURFACE_BOX;
static const int sizes[] = {0, 1, 3, 2, 3, 3}; /* [shape]: number of its sizes */

static void make_shape(fuzz_input *in, kugel_surface_def *def)
{
    def->shape = (kugel_surface_shape)(1 + fuzz_below(in, (uint32_t)last_shape));
    uint8_t kind = fuzz_byte(in);
    for (int k = 0; k < 3; ++k)
        def->size[k] = kind < 200 || k >= sizes[def->shape] ? length_of(in) : fuzz_number(in);
    if (kind > 250) def->shape = (kugel_surface_shape)(last_shape + 1);
}

/* A plane by its normal; an invalid one may get a rotation that is none. */
static void make_plane(fuzz_input *in, kugel_surface_def *def)
{
    static const double normals[8][3] = {{0, 0, 1},     {0, 0, -1}, {1, 0, 0},  {-1, 0, 0},
                                         {0, 0.6, 0.8}, {0, 1, 0},  {0, -1, 0}, {0.6, 0, 0.8}};
    double normal[3];
    uint8_t choice = fuzz_byte(in);
    memcpy(normal, normals[choice % 8], sizeof normal);
    if (choice >= 240) fuzz_vector(in, normal);
    *def = kugel_surface_def_plane(normal, fuzz_number(in));
}

static bool is_valid_shape(const kugel_surface_def *def)
{
    static const bool may_be_zero[][3] = {[KUGEL_SURFACE_PLANE] = {true},
                                          [KUGEL_SURFACE_CAPSULE] = {false, true},
                                          [KUGEL_SURFACE_CONE] = {true, true, false},
                                          [KUGEL_SURFACE_BOX] = {false}};
    if ((uint32_t)def->shape > (uint32_t)last_shape) return false;
    for (int k = 0; k < sizes[def->shape]; ++k) {
        double size = def->size[k];
        if (!(size >= 0) || size > VALUE_LIMIT || (size == 0 && !may_be_zero[def->shape][k]))
            return false;
    }
    return def->shape != KUGEL_SURFACE_CONE || def->size[0] > 0 || def->size[1] > 0;
}

static bool is_between(double value, double low, double high)
{
    return value >= low && value <= high;
}

static void add(calls *c)
{
    fuzz_input *in = &c->in;
    mesh m;
    kugel_surface_def def = kugel_surface_def_default();
    uint8_t parts = fuzz_byte(in); /* which members differ from the default */
    uint32_t kind = fuzz_below(in, 4);
    bool solid = kind < 2;
    if (kind == 0) make_shape(in, &def);
    else if (kind == 1) make_plane(in, &def);
    else make_mesh(in, &m);
    if (!solid) {
        def.vertices = m.vertices, def.vertex_count = m.vertex_count;
        def.triangles = m.triangles, def.triangle_count = m.triangle_count;
    }
    if (parts & 1) fuzz_vector(in, def.position);
    if (parts & 2) random_rotation(in, def.rotation);
    if (parts & 4) fuzz_vector(in, def.velocity);
    if (parts & 8) fuzz_vector(in, def.spin);
    if (parts & 16) def.restitution = fuzz_fraction(in), def.friction = fuzz_fraction(in);
    if (parts & 32) def.rolling_resistance = fuzz_fraction(in);
    if (parts & 64)
        def.category = fuzz_byte(in), def.mask = fuzz_byte(in), def.group = fuzz_below(in, 4);
    def.one_sided = parts & 128;
    if (parts & 64) def.kind = calls_kind((uint8_t)def.category);
    if (parts & 64) def.sensor = def.category & 1;
    if (parts & 64 && def.category & 2) def.tangential_restitution = def.category & 4 ? -1.5 : 1;
    kugel_surface surface = 99;
    uint32_t free = 0, count = 0;
    while (c->model.surface_triangles[free]) ++free;
    for (uint32_t k = 0; k < SURFACE_INDICES; ++k) count += c->model.surface_triangles[k] > 0;
    if (count == MOST_SURFACES) return;
    bool valid = (solid ? is_valid_shape(&def) : is_valid_mesh(&m)) &&
                 is_valid_rotation(def.rotation) && fuzz_is_vector(def.position) &&
                 fuzz_is_vector(def.velocity) && fuzz_is_vector(def.spin) &&
                 is_between(def.restitution, 0, 1) && is_between(def.friction, 0, 1e6) &&
                 is_between(def.rolling_resistance, 0, 1e6) &&
                 is_between(def.tangential_restitution, -1, 1) && def.kind < KUGEL_KIND_COUNT &&
                 !(def.sensor && !solid);
    calls_begin(c);
    kugel_status status = kugel_surface_create(c->world, &def, &surface);
    if (status == KUGEL_ERROR_STATE) valid = false; /* no plane, while radii grow */
    if (!calls_end(c, status, valid, false, "add surface")) return;
    /* an index that an end names, which no step has reported, is not given again */
    uint32_t index = kugel_surface_index(surface);
    FUZZ_CHECK(index >= free && index < SURFACE_INDICES && !c->model.surface_triangles[index],
               "add surface: index %u, not %u", index, free);
    FUZZ_CHECK(surface != c->model.surfaces[index], "add surface: a handle is given twice");
    c->model.surface_triangles[index] = solid ? UINT32_MAX : m.triangle_count;
    c->model.surfaces[index] = surface;
    calls_compare(c, "add surface");
}

static void remove_surface(calls *c, kugel_surface surface, bool exists)
{
    calls_begin(c);
    kugel_status status = kugel_surface_destroy(c->world, surface);
    if (!calls_end(c, status, exists, false, "remove surface")) return;
    c->model.surface_triangles[kugel_surface_index(surface)] = 0;
    calls_compare(c, "remove surface");
}

static void place(calls *c, kugel_surface surface, bool exists)
{
    double position[3], rotation[4];
    fuzz_vector(&c->in, position);
    random_rotation(&c->in, rotation);
    bool valid = exists && fuzz_is_vector(position) && is_valid_rotation(rotation);
    calls_begin(c);
    kugel_status status = kugel_surface_set_pose(c->world, surface, position, rotation);
    if (!calls_end(c, status, valid, false, "place surface")) return;
    kugel_surface_def def;
    FUZZ_CHECK(!kugel_surface_get(c->world, surface, &def, NULL), "place surface: it is gone");
    for (int k = 0; k < 3; ++k)
        FUZZ_CHECK(def.position[k] == position[k], "place surface: it is elsewhere");
    calls_compare(c, "place surface");
}

static void set_motion(calls *c, kugel_surface surface, bool exists)
{
    double velocity[3], spin[3];
    fuzz_vector(&c->in, velocity);
    fuzz_vector(&c->in, spin);
    bool valid = exists && fuzz_is_vector(velocity) && fuzz_is_vector(spin);
    calls_begin(c);
    kugel_status status = kugel_surface_set_motion(c->world, surface, velocity, spin);
    if (!calls_end(c, status, valid, false, "move surface")) return;
    calls_compare(c, "move surface");
}

static void set_filter(calls *c, kugel_surface surface, bool exists)
{
    uint32_t category = fuzz_byte(&c->in), mask = fuzz_byte(&c->in), group = fuzz_below(&c->in, 4);
    calls_begin(c);
    kugel_status status = kugel_surface_set_filter(c->world, surface, category, mask, group);
    if (!calls_end(c, status, exists, false, "filter surface")) return;
    kugel_surface_def def;
    FUZZ_CHECK(!kugel_surface_get(c->world, surface, &def, NULL), "filter surface: it is gone");
    FUZZ_CHECK(def.category == category && def.mask == mask && def.group == group,
               "filter surface: it has another filter");
    calls_compare(c, "filter surface");
}

void calls_set_surface(calls *c)
{
    uint32_t what = fuzz_below(&c->in, 7), index = fuzz_below(&c->in, SURFACE_INDICES + 1);
    bool exists = index < SURFACE_INDICES && c->model.surface_triangles[index];
    kugel_body_state *body;
    kugel_surface surface =
        index < SURFACE_INDICES ? c->model.surfaces[index] : calls_handle(c, &body);
    switch (what) {
    case 0:
    case 1:
    case 2:
        add(c);
        break;
    case 3:
        remove_surface(c, surface, exists);
        break;
    case 4:
        place(c, surface, exists);
        break;
    case 5:
        set_motion(c, surface, exists);
        break;
    default:
        set_filter(c, surface, exists);
        break;
    }
}

void calls_compare_surfaces(calls *c, const char *what)
{
    uint32_t end = kugel_world_surface_end(c->world);
    FUZZ_CHECK(end <= SURFACE_INDICES, "%s: %u surfaces", what, end);
    for (uint32_t k = 0; k < SURFACE_INDICES; ++k) {
        kugel_surface_def def;
        uint32_t expected = c->model.surface_triangles[k];
        kugel_status status = kugel_surface_get(c->world, c->model.surfaces[k], &def, NULL);
        FUZZ_CHECK(!status == (expected > 0), "%s: surface %u: %s", what, k,
                   kugel_status_text(status));
        if (status) continue;
        FUZZ_CHECK((def.shape != KUGEL_SURFACE_MESH) == (expected == UINT32_MAX),
                   "%s: surface %u has shape %d", what, k, (int)def.shape);
        FUZZ_CHECK(def.shape || def.triangle_count == expected,
                   "%s: surface %u has %u triangles, not %u", what, k, def.triangle_count,
                   expected);
        FUZZ_CHECK(fuzz_is_vector(def.position) && fuzz_is_vector(def.velocity) &&
                       fuzz_is_vector(def.spin) && is_valid_rotation(def.rotation),
                   "%s: surface %u is out of range", what, k);
    }
}
