/* The engine's interface for the page: plays one recording; JavaScript reads the arrays from the
 * module's memory. In: the bytes of the recording, uncompressed. Out: numbers and rows of the state
 * after a seek, in the library's units. Nothing is imported. Pointers are valid until the next call
 * that seeks or opens. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

enum {
    ROW = 12,       /* floats of a body; see fill_row */
    NUMBERS = 16,   /* of the world; see fill_numbers */
    BODY = 24,      /* of one body; see view_body */
    IMPACT = 4,     /* position from the origin, impulse */
    BEAM = 10,      /* see view_beam */
    ELLIPSOIDS = 64 /* largest number of ellipsoids for beams */
};

/* Memory for keyframes: about 150 of 10,000 bodies; a limit for pages on phones. */
static const size_t keyframe_cache_bytes = (size_t)128 << 20;

static struct viewer {
    void *data; /* the recording */
    size_t size;
    kugel_player *player;
    kugel_recording_info info;
    kugel_error error;
    double origin[3]; /* m; rows are relative to it, because floats resolve only near 0 */
    kugel_body_state *states;
    float *rows, *impacts; /* rows[count], impacts[count] */
    uint32_t row_room, rows_used;
    size_t impact_room, impacts_used;
    double numbers[NUMBERS], body[BODY], beam[BEAM], bounds[12], plane[4], surface[9];
    float *corners;                    /* of one surface */
    double ellipsoids[ELLIPSOIDS][10]; /* center[3], semi_axes[3], rotation[4] */
    uint32_t ellipsoid_count;
} view;

/// Allocate `size` bytes for a recording and close the previous one. NULL: out of memory.
void *EXPORT(view_reserve)(size_t size)
{
    kugel_player_close(view.player);
    free(view.data);
    free(view.states);
    free(view.rows);
    free(view.impacts);
    free(view.corners);
    view = (struct viewer){.data = malloc(size ? size : 1), .size = size};
    return view.data;
}

/// Open the recording in the buffer and go to tick 0. Returns 0 or a kugel_status; view_error gives
/// the message.
int EXPORT(view_open)(void)
{
    kugel_status status =
        kugel_player_open(view.data, view.size, NULL, NULL, 1, &view.player, &view.error);
    if (status) return status;
    kugel_player_info(view.player, &view.info);
    kugel_player_cache_keyframes(view.player, keyframe_cache_bytes);
    return KUGEL_OK;
}

const char *EXPORT(view_error)(void)
{
    const kugel_error *error = view.player ? kugel_player_error(view.player) : &view.error;
    return error->message;
}

double EXPORT(view_ticks)(void) { return (double)view.info.ticks; }
double EXPORT(view_origin)(void) { return (double)view.info.origin; }
int EXPORT(view_damaged)(void) { return view.info.damaged; }
uint32_t EXPORT(view_epoch)(void) { return view.info.physics_epoch; }
uint32_t EXPORT(view_own_epoch)(void) { return KUGEL_PHYSICS_EPOCH; }
const char *EXPORT(view_library)(void) { return view.info.library; }
const char *EXPORT(view_build)(void) { return view.info.build; }
const char *EXPORT(view_annotation)(void) { return view.info.annotation; }
size_t EXPORT(view_annotation_size)(void) { return view.info.annotation_size; }

static const kugel_world *world(void) { return kugel_player_world(view.player); }

/* FNV-1a over words of 32 bits. */
static uint32_t hash_words(uint32_t hash, const void *words, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        uint32_t word;
        memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
        hash = (hash ^ word) * 16777619u;
    }
    return hash;
}

/* A number of the material below 4096: the same for equal materials in every page. */
static uint32_t material_of(const kugel_body_state *s)
{
    const double material[] = {s->restitution, s->friction, s->rolling_resistance,
                               s->tangential_restitution, s->kind};
    return hash_words(2166136261u, material, sizeof material / sizeof(uint32_t)) >> 20;
}

static void fill_row(float *row, const kugel_body_state *s)
{
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        row[k] = (float)(s->position[k] - view.origin[k]);
        square += s->velocity[k] * s->velocity[k];
    }
    row[3] = (float)s->radius;
    for (int k = 0; k < 4; ++k) row[4 + k] = (float)s->rotation[k];
    row[8] = (float)__builtin_sqrt(square);
    row[9] = (float)kugel_body_id(s->body);
    row[10] = (float)(s->type + 4 * s->asleep + 8 * s->sensor + 16 * (int)material_of(s));
    row[11] = (float)s->contacts;
}

static bool reserve_rows(uint32_t count)
{
    if (count <= view.row_room) return true;
    float *rows = realloc(view.rows, count * sizeof(float[ROW]));
    if (rows) view.rows = rows;
    kugel_body_state *states = realloc(view.states, count * sizeof *states);
    if (states) view.states = states;
    if (rows && states) view.row_room = count;
    return rows && states;
}

static bool fill_rows(void)
{
    uint32_t count = kugel_world_body_count(world());
    view.rows_used = 0;
    if (!reserve_rows(count)) return false;
    for (uint32_t id = 0, i = 0; id < kugel_world_id_end(world()); ++id) {
        kugel_body body = kugel_world_body(world(), id);
        if (kugel_body_get(world(), body, &view.states[i])) continue;
        fill_row(view.rows + (size_t)ROW * i, &view.states[i]);
        view.rows_used = ++i;
    }
    return true;
}

static bool fill_impacts(void)
{
    const kugel_impact *impacts = kugel_world_impact_events(world(), &view.impacts_used);
    if (view.impacts_used > view.impact_room) {
        float *more = realloc(view.impacts, view.impacts_used * sizeof(float[IMPACT]));
        if (!more) return view.impacts_used = 0, false;
        view.impacts = more;
        view.impact_room = view.impacts_used;
    }
    for (size_t i = 0; i < view.impacts_used; ++i) {
        float *to = view.impacts + IMPACT * i;
        for (int k = 0; k < 3; ++k) to[k] = (float)(impacts[i].point[k] - view.origin[k]);
        to[3] = (float)impacts[i].impulse;
    }
    return true;
}

static void fill_numbers(void)
{
    kugel_stats s;
    kugel_energy e;
    kugel_world_stats(world(), &s);
    kugel_world_energy(world(), &e);
    const double numbers[NUMBERS] = {(double)s.tick,
                                     s.time,
                                     kugel_world_body_count(world()),
                                     e.kinetic,
                                     e.potential,
                                     e.momentum[0],
                                     e.momentum[1],
                                     e.momentum[2],
                                     (double)s.impacts,
                                     (double)s.impacts_total,
                                     (double)s.resting_contacts,
                                     (double)s.asleep,
                                     (double)s.budgets_exhausted,
                                     (double)s.memory};
    memcpy(view.numbers, numbers, sizeof numbers);
}

/// Set the origin of rows and impacts, m. Takes effect with the next view_read.
void EXPORT(view_set_origin)(double x, double y, double z)
{
    view.origin[0] = x, view.origin[1] = y, view.origin[2] = z;
}

/// Tick of the keyframe from which a seek would run.
double EXPORT(view_seek_from)(double tick)
{
    return (double)kugel_player_seek_from(view.player, (uint64_t)tick);
}

/// Go to the state after `tick` steps. Returns a kugel_play.
int EXPORT(view_seek)(double tick) { return kugel_player_seek(view.player, (uint64_t)tick); }

/// Run the next tick, also where a seek would restore its state. Returns a kugel_play.
int EXPORT(view_step)(void) { return kugel_player_step(view.player, NULL); }

/// Update the numbers.
void EXPORT(view_measure)(void) { fill_numbers(); }

/// Update rows and impacts. false: out of memory.
int EXPORT(view_read)(void) { return fill_rows() && fill_impacts(); }

uint64_t EXPORT(view_hash)(void) { return kugel_world_hash(world()); }
uint64_t EXPORT(view_recorded_hash)(double tick)
{
    return kugel_player_hash(view.player, (uint64_t)tick);
}
const double *EXPORT(view_numbers)(void) { return view.numbers; }
const float *EXPORT(view_rows)(void) { return view.rows; }
uint32_t EXPORT(view_row_count)(void) { return view.rows_used; }
const float *EXPORT(view_impacts)(void) { return view.impacts; }
size_t EXPORT(view_impact_count)(void) { return view.impacts_used; }

/// min[3], max[3], faces[6].
const double *EXPORT(view_bounds)(void)
{
    kugel_world_def def;
    if (kugel_world_get_def(world(), &def) != KUGEL_OK) return NULL;
    memcpy(view.bounds, def.bounds.min, sizeof def.bounds.min);
    memcpy(view.bounds + 3, def.bounds.max, sizeof def.bounds.max);
    for (int f = 0; f < 6; ++f) view.bounds[6 + f] = def.bounds.faces[f];
    return view.bounds;
}

/// normal[3], offset of a surface; NULL if it does not exist or is no plane.
const double *EXPORT(view_plane)(uint32_t index)
{
    kugel_surface_def def;
    if (kugel_surface_get(world(), kugel_world_surface(world(), index), &def, NULL) ||
        !kugel_surface_def_get_plane(&def, view.plane, view.plane + 3))
        return NULL;
    return view.plane;
}

/// An upper bound: indices of surfaces are below this number.
uint32_t EXPORT(view_surface_end)(void) { return kugel_world_surface_end(world()); }

/// position[3], rotation[4], number of triangles, hash of the mesh; NULL if the surface does not
/// exist.
const double *EXPORT(view_surface)(uint32_t index)
{
    kugel_surface_def def;
    if (kugel_surface_get(world(), kugel_world_surface(world(), index), &def, NULL) != KUGEL_OK)
        return NULL;
    memcpy(view.surface, def.position, sizeof def.position);
    memcpy(view.surface + 3, def.rotation, sizeof def.rotation);
    view.surface[7] = def.triangle_count;
    uint32_t hash = hash_words(2166136261u, def.triangles, 3 * (size_t)def.triangle_count);
    view.surface[8] = hash_words(hash, def.vertices, 6 * (size_t)def.vertex_count);
    return view.surface;
}

/// Corners of its triangles in its own frame, 9 floats each. Valid until the next call. NULL: there
/// is no such surface, or no memory.
const float *EXPORT(view_surface_corners)(uint32_t index)
{
    kugel_surface_def def;
    if (kugel_surface_get(world(), kugel_world_surface(world(), index), &def, NULL) != KUGEL_OK)
        return NULL;
    float *more = realloc(view.corners, def.triangle_count * sizeof(float[9]));
    if (!more) return NULL;
    view.corners = more;
    for (size_t c = 0; c < 3 * (size_t)def.triangle_count; ++c)
        for (size_t k = 0; k < 3; ++k)
            more[3 * c + k] = (float)def.vertices[3 * (size_t)def.triangles[c] + k];
    return more;
}

/// Buffer for an ellipsoid: center[3], semi_axes[3], rotation[4] as doubles. NULL: the list is
/// full.
double *EXPORT(view_add_ellipsoid)(void)
{
    if (view.ellipsoid_count == ELLIPSOIDS) return NULL;
    return view.ellipsoids[view.ellipsoid_count++];
}

/// position[3], velocity[3], spin[3], rotation[4], radius, mass, restitution, friction, rolling
/// resistance, type, contacts, asleep, sensor, gravity scale; NULL if the body does not exist.
const double *EXPORT(view_body)(uint32_t id)
{
    kugel_body_state s;
    if (kugel_body_get(world(), kugel_world_body(world(), id), &s) != KUGEL_OK) return NULL;
    memcpy(view.body, s.position, sizeof s.position);
    memcpy(view.body + 3, s.velocity, sizeof s.velocity);
    memcpy(view.body + 6, s.spin, sizeof s.spin);
    for (int k = 0; k < 4; ++k) view.body[9 + k] = s.rotation[k];
    const double rest[] = {s.radius, s.mass,     s.restitution, s.friction, s.rolling_resistance,
                           s.type,   s.contacts, s.asleep,      s.sensor,   s.gravity_scale};
    memcpy(view.body + 13, rest, sizeof rest);
    return view.body;
}

/// The id of the first body on a ray through the drawn positions, without periodic images; -1:
/// none.
double EXPORT(view_pick)(double ox, double oy, double oz, double dx, double dy, double dz)
{
    const double origin[3] = {ox, oy, oz}, direction[3] = {dx, dy, dz};
    double best = -1, nearest = HUGE_VAL;
    for (uint32_t i = 0; i < view.rows_used; ++i) {
        const kugel_body_state *s = &view.states[i];
        kugel_hit hit;
        if (kugel_ray_sphere(origin, direction, INFINITY, s->position, s->radius, &hit) != KUGEL_OK)
            continue;
        if (!hit.hit || hit.t_enter >= nearest) continue;
        nearest = hit.t_enter;
        best = kugel_body_id(s->body);
    }
    return best;
}

static void beam_met(double kind, double index, const kugel_hit *hit)
{
    if (view.beam[0] && hit->t_enter >= view.beam[2]) return;
    view.beam[0] = kind;
    view.beam[1] = index;
    view.beam[2] = hit->t_enter;
    view.beam[3] = hit->t_exit;
    memcpy(view.beam + 4, hit->point, sizeof hit->point);
    memcpy(view.beam + 7, hit->normal, sizeof hit->normal);
}

/* Length of a beam, limited in a periodic world to about 1000 boxes, as in kugel-run, because
 * queries refuse infinite rays there. */
static double cut_off(const double direction[3], double length)
{
    kugel_world_def def;
    if (kugel_world_get_def(world(), &def) != KUGEL_OK) return length;
    for (int k = 0; k < 3; ++k) {
        if (def.bounds.faces[2 * k] != KUGEL_FACE_PERIODIC || direction[k] == 0) continue;
        double most = 1000 * (def.bounds.max[k] - def.bounds.min[k]) / __builtin_fabs(direction[k]);
        if (most < length) length = most;
    }
    return length;
}

/* False for planes: a beam meets them from both sides. */
static bool is_no_plane(void *user, kugel_target target, uint64_t handle)
{
    (void)user;
    return target != KUGEL_TARGET_SURFACE || !view_plane(kugel_surface_index(handle));
}

/// The first object on a beam, including sensors: kind (0 none, 1 body, 2 plane, 3 ellipsoid, 4
/// surface), index, distance of entry and exit, point[3], normal[3]. The direction must be a unit
/// vector.
const double *EXPORT(view_beam)(double ox, double oy, double oz, double dx, double dy, double dz,
                                double length)
{
    kugel_ray ray = {{ox, oy, oz}, {dx, dy, dz}, length};
    kugel_filter filter = kugel_filter_default();
    kugel_ray_hit met;
    kugel_hit hit;
    memset(view.beam, 0, sizeof view.beam);
    ray.t_max = cut_off(ray.direction, length);
    filter.sensors = true;
    filter.targets = KUGEL_TARGETS_BODIES | KUGEL_TARGETS_SURFACES;
    filter.accept = is_no_plane;
    if (kugel_world_ray_closest(world(), &ray, &filter, &met) == KUGEL_OK && met.hit.hit) {
        beam_met(met.body ? 1 : 4, met.index, &met.hit);
    }
    for (uint32_t p = 0; p < kugel_world_surface_end(world()); ++p) {
        const double *plane = view_plane(p);
        kugel_plane_hit crossing;
        if (!plane || kugel_ray_plane(ray.origin, ray.direction, INFINITY, plane, plane[3],
                                      &crossing) != KUGEL_OK)
            continue;
        if (!crossing.hit || crossing.t > length) continue;
        hit = (kugel_hit){.hit = true, .t_enter = crossing.t, .t_exit = crossing.t};
        memcpy(hit.point, crossing.point, sizeof hit.point);
        memcpy(hit.normal, crossing.normal, sizeof hit.normal);
        beam_met(2, p, &hit);
    }
    for (uint32_t e = 0; e < view.ellipsoid_count; ++e) {
        const double *shield = view.ellipsoids[e];
        if (kugel_ray_ellipsoid(ray.origin, ray.direction, INFINITY, shield, shield + 3, shield + 6,
                                &hit) == KUGEL_OK &&
            hit.hit && hit.t_enter <= length) {
            beam_met(3, e, &hit);
        }
    }
    return view.beam;
}
