/* Calls on bodies: create, destroy, setters, forces and impulses. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "calls.h"
#include "support/support_setters.h"

static kugel_body_def random_def(fuzz_input *in)
{
    kugel_body_def def = kugel_body_def_default();
    uint8_t parts = fuzz_byte(in); /* which members differ from the default */
    fuzz_vector(in, def.position);
    def.radius = (1 + fuzz_below(in, 16)) / 16.;
    if (parts & 1) def.type = (kugel_body_type)(fuzz_below(in, 40) % 4);
    if (parts & 2) fuzz_vector(in, def.velocity);
    if (parts & 4) fuzz_vector(in, def.spin);
    if (parts & 8) def.radius = fuzz_number(in), def.mass = fuzz_number(in);
    if (parts & 16) def.restitution = fuzz_fraction(in), def.friction = fuzz_fraction(in);
    if (parts & 32) def.rolling_resistance = fuzz_fraction(in), def.gravity_scale = fuzz_number(in);
    if (parts & 64) {
        def.category = fuzz_byte(in), def.mask = fuzz_byte(in), def.group = fuzz_below(in, 4);
        uint8_t flags = fuzz_byte(in);
        def.sensor = flags & 1, def.can_sleep = !(flags & 2), def.enabled = !(flags & 4);
        def.contact_events = !(flags & 16);
        def.kind = flags == 255 ? KUGEL_KIND_COUNT : flags / 64;
        if (flags & 32) def.locks = parts & 16 ? 63 & flags / 2 : 64;
        if (flags & 16) def.tangential_restitution = flags & 32 ? 1.5 : -0.5;
        if (flags & 8) def.linear_damping = fuzz_number(in), def.angular_damping = 0.5;
    }
    if (parts & 128) {
        uint8_t axis = fuzz_below(in, 4);
        def.rotation[3] = 0, def.rotation[axis] = axis == 2 ? fuzz_number(in) : 1;
        if (axis == 1) def.cookie ^= 1u << 16; /* of another def */
    }
    return def;
}

static bool in_range(double value, double low, double high)
{
    return value >= low && value <= high;
}

static bool is_inside(const kugel_bounds *bounds, const double x[3], double radius)
{
    for (int k = 0; k < 3; ++k) {
        kugel_face low = bounds->faces[2 * k], high = bounds->faces[2 * k + 1];
        if (low != KUGEL_FACE_OPEN && x[k] < bounds->min[k]) return false;
        if (high != KUGEL_FACE_OPEN && x[k] > bounds->max[k]) return false;
        if (low == KUGEL_FACE_PERIODIC && !(bounds->max[k] - bounds->min[k] > 4 * radius))
            return false;
    }
    return true;
}

static bool is_valid_def(const calls *c, const kugel_body_def *def)
{
    const double *q = def->rotation;
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    bool moves = false;
    for (int k = 0; k < 3; ++k) moves |= def->velocity[k] != 0 || def->spin[k] != 0;
    return def->cookie == kugel_body_def_default().cookie && (unsigned)def->type <= 2 &&
           fuzz_is_vector(def->position) && fuzz_is_vector(def->velocity) &&
           fuzz_is_vector(def->spin) && fabs(length - 1) <= 1e-5 &&
           in_range(def->radius, 1e-12, VALUE_LIMIT) &&
           (def->type != KUGEL_DYNAMIC || in_range(def->mass, 1e-30, VALUE_LIMIT)) &&
           ((def->type != KUGEL_STATIC && def->enabled) || !moves) &&
           in_range(def->restitution, 0, 1) && in_range(def->friction, 0, 1e6) &&
           in_range(def->rolling_resistance, 0, 1e6) &&
           in_range(def->tangential_restitution, -1, 1) &&
           in_range(def->gravity_scale, -1e6, 1e6) && in_range(def->linear_damping, 0, 1e6) &&
           def->kind < KUGEL_KIND_COUNT && def->locks < 64 &&
           is_inside(&c->def.bounds, def->position, def->radius);
}

/* A centre on the max face of a periodic axis stands on the min face, one image further. */
static void wrap(const kugel_bounds *bounds, kugel_body_state *row)
{
    for (int k = 0; k < 3; ++k) {
        if (bounds->faces[2 * k] != KUGEL_FACE_PERIODIC || row->position[k] != bounds->max[k])
            continue;
        row->position[k] = bounds->min[k];
        row->image[k] += 1;
    }
}

/* Locks hold dynamic bodies. */
static void stop_locked(kugel_body_state *row)
{
    for (int k = 0; k < 3 && row->type == KUGEL_DYNAMIC; ++k) {
        if (row->locks >> k & 1) row->velocity[k] = 0;
        if (row->locks >> (k + 3) & 1) row->spin[k] = 0;
    }
}

/* Inserts a row in the order of ids. */
static void add_row(model *m, const kugel_body_state *row)
{
    uint32_t at = m->count++;
    for (; at > 0 && kugel_body_id(m->bodies[at - 1].body) > kugel_body_id(row->body); --at)
        m->bodies[at] = m->bodies[at - 1];
    m->bodies[at] = *row;
}

void calls_create_body(calls *c)
{
    kugel_body_def def = random_def(&c->in);
    if (c->model.count == (c->def.substeps ? MOST_BODIES : FEW_BODIES)) return;
    kugel_body body = 1;
    calls_begin(c);
    kugel_status status = kugel_body_create(c->world, &def, &body);
    if (!calls_end(c, status, is_valid_def(c, &def), false, "create")) {
        FUZZ_CHECK(body == KUGEL_NULL_BODY, "create: refused with a handle");
        return;
    }
    kugel_body_state row = {.body = body,
                            .type = def.type,
                            .radius = def.radius,
                            .mass = def.type == KUGEL_DYNAMIC ? def.mass : 0,
                            .restitution = def.restitution,
                            .friction = def.friction,
                            .rolling_resistance = def.rolling_resistance,
                            .tangential_restitution = def.tangential_restitution,
                            .gravity_scale = def.gravity_scale,
                            .linear_damping = def.linear_damping,
                            .angular_damping = def.angular_damping,
                            .category = def.category,
                            .mask = def.mask,
                            .group = def.group,
                            .sensor = def.sensor,
                            .can_sleep = def.can_sleep,
                            .enabled = def.enabled,
                            .contact_events = def.contact_events,
                            .locks = def.locks,
                            .kind = def.kind};
    memcpy(row.position, def.position, sizeof row.position);
    wrap(&c->def.bounds, &row);
    memcpy(row.velocity, def.velocity, sizeof row.velocity);
    memcpy(row.spin, def.spin, sizeof row.spin);
    stop_locked(&row);
    for (uint32_t i = 0; i < c->model.stale_count; ++i)
        FUZZ_CHECK(body != c->model.stale[i], "create: a stale handle is given again");
    add_row(&c->model, &row);
    calls_compare(c, "create");
}

void calls_destroy_body(calls *c)
{
    model *m = &c->model;
    kugel_body_state *row;
    kugel_body body = calls_handle(c, &row);
    calls_begin(c);
    if (!calls_end(c, kugel_body_destroy(c->world, body), row, false, "destroy")) return;
    uint32_t after = m->count - (uint32_t)(row - m->bodies) - 1;
    memmove(row, row + 1, after * sizeof *row);
    m->count -= 1;
    m->stale[m->stale_count < MOST_STALE ? m->stale_count++ : body % MOST_STALE] = body;
    calls_compare(c, "destroy");
}

static kugel_status write_vector(kugel_world *world, kugel_body body, uint32_t which, double *value)
{
    kugel_body_arrays arrays = {.bodies = &body};
    *(which == 0 ? &arrays.position : which == 1 ? &arrays.velocity : &arrays.spin) = value;
    return kugel_world_write_arrays(world, 1, &arrays);
}

/* By a call for one body or, as `bulk` says, by one for many. */
static void set_vector(calls *c, kugel_body body, kugel_body_state *row)
{
    typedef kugel_status call(kugel_world *, kugel_body, const double *);
    static call *const all[3] = {kugel_body_set_position, kugel_body_set_velocity,
                                 kugel_body_set_spin};
    double value[3];
    uint32_t which = fuzz_below(&c->in, 3), bulk = fuzz_below(&c->in, 2);
    fuzz_vector(&c->in, value);
    bool valid = row && fuzz_is_vector(value);
    bool zero = value[0] == 0 && value[1] == 0 && value[2] == 0;
    if (which == 0) valid = valid && is_inside(&c->def.bounds, value, row->radius);
    else valid = valid && (row->type != KUGEL_STATIC || (bulk && zero)) && (row->enabled || zero);
    calls_begin(c);
    kugel_status status =
        bulk ? write_vector(c->world, body, which, value) : all[which](c->world, body, value);
    if (!calls_end(c, status, valid, false, "set")) return;
    memcpy(which == 0   ? row->position
           : which == 1 ? row->velocity
                        : row->spin,
           value, sizeof value);
    if (which == 0) wrap(&c->def.bounds, row);
    stop_locked(row);
    calls_compare(c, "set");
}

static void set_filter(calls *c, kugel_body body, kugel_body_state *row)
{
    uint32_t category = fuzz_byte(&c->in), mask = fuzz_byte(&c->in), group = fuzz_below(&c->in, 4);
    calls_begin(c);
    kugel_status status = kugel_body_set_filter(c->world, body, category, mask, group);
    if (!calls_end(c, status, row, false, "filter")) return;
    row->category = category, row->mask = mask, row->group = group;
    calls_compare(c, "filter");
}

/* Applies a force, torque or impulse. Valid arguments may be refused, because the sum may be out of
 * range. */
static void push(calls *c, kugel_body body, kugel_body_state *row)
{
    typedef kugel_status call(kugel_world *, kugel_body, const double *);
    static call *const all[4] = {support_apply_force, kugel_body_apply_torque,
                                 support_apply_impulse, kugel_body_apply_angular_impulse};
    double value[3];
    uint32_t which = fuzz_below(&c->in, 4);
    fuzz_vector(&c->in, value);
    calls_begin(c);
    kugel_status status = all[which](c->world, body, value);
    bool valid = row && fuzz_is_vector(value);
    if (valid && status == KUGEL_ERROR_INVALID_ARGUMENT) valid = false;
    if (valid && !row->enabled && status == KUGEL_ERROR_STATE) valid = false;
    if (!calls_end(c, status, valid, false, "push")) return;
    kugel_body_state is;
    FUZZ_CHECK(!kugel_body_get(c->world, body, &is), "push: the body cannot be read");
    FUZZ_CHECK(fuzz_is_vector(is.velocity) && fuzz_is_vector(is.spin), "push: out of range");
    if (which == 2) memcpy(row->velocity, is.velocity, sizeof is.velocity);
    if (which == 3) memcpy(row->spin, is.spin, sizeof is.spin);
    calls_compare(c, "push");
}

static void set_number(calls *c, kugel_body body, kugel_body_state *row)
{
    typedef kugel_status call(kugel_world *, kugel_body, double);
    static const struct {
        call *set;
        size_t member;
        double low, high;
    } all[9] = {
        {kugel_body_set_mass, offsetof(kugel_body_state, mass), 1e-30, VALUE_LIMIT},
        {kugel_body_set_radius, offsetof(kugel_body_state, radius), 1e-12, VALUE_LIMIT},
        {support_set_restitution, offsetof(kugel_body_state, restitution), 0, 1},
        {support_set_friction, offsetof(kugel_body_state, friction), 0, 1e6},
        {support_set_rolling_resistance, offsetof(kugel_body_state, rolling_resistance), 0, 1e6},
        {kugel_body_set_gravity_scale, offsetof(kugel_body_state, gravity_scale), -1e6, 1e6},
        {support_set_linear_damping, offsetof(kugel_body_state, linear_damping), 0, 1e6},
        {support_set_angular_damping, offsetof(kugel_body_state, angular_damping), 0, 1e6},
        {support_set_tangential_restitution, offsetof(kugel_body_state, tangential_restitution), -1,
         1},
    };
    uint32_t which = fuzz_below(&c->in, 9);
    double value = which < 2 ? (1 + fuzz_below(&c->in, 16)) / 16. : fuzz_fraction(&c->in);
    if (fuzz_byte(&c->in) > 200) value = fuzz_number(&c->in);
    bool valid = row && in_range(value, all[which].low, all[which].high);
    if (which == 0) valid = valid && row->type == KUGEL_DYNAMIC;
    for (int k = 0; which == 1 && k < 3; ++k) {
        const kugel_bounds *b = &c->def.bounds;
        if (b->faces[2 * k] == KUGEL_FACE_PERIODIC)
            valid = valid && b->max[k] - b->min[k] > 4 * value;
    }
    calls_begin(c);
    if (!calls_end(c, all[which].set(c->world, body, value), valid, false, "number")) return;
    memcpy((char *)row + all[which].member, &value, sizeof value);
    calls_compare(c, "number");
}

static void set_type(calls *c, kugel_body body, kugel_body_state *row)
{
    kugel_body_type type = (kugel_body_type)fuzz_below(&c->in, 4);
    double mass = fuzz_number(&c->in);
    bool valid =
        row && (unsigned)type <= 2 && (type != KUGEL_DYNAMIC || in_range(mass, 1e-30, VALUE_LIMIT));
    calls_begin(c);
    if (!calls_end(c, kugel_body_set_type(c->world, body, type, mass), valid, false, "type"))
        return;
    row->type = type;
    row->mass = type == KUGEL_DYNAMIC ? mass : 0;
    for (int k = 0; k < 3 && type == KUGEL_STATIC; ++k) row->velocity[k] = row->spin[k] = 0;
    stop_locked(row);
    calls_compare(c, "type");
}

/* Sleep stops a whole island, so the model reads the velocities from the world. A disabled dynamic
 * body sleeps, and no call wakes it. */
static void sleep_or_wake(calls *c, kugel_body body, kugel_body_state *row)
{
    bool sleeps = fuzz_byte(&c->in) & 1, valid = row;
    kugel_body_state is;
    if (sleeps && row) {
        FUZZ_CHECK(!kugel_body_get(c->world, body, &is), "sleep: the body cannot be read");
        valid = is.type == KUGEL_DYNAMIC && is.contacts && c->def.sleep;
    }
    calls_begin(c);
    kugel_status status =
        sleeps ? kugel_body_sleep(c->world, body) : kugel_body_wake(c->world, body);
    if (!calls_end(c, status, valid, false, "sleep")) return;
    FUZZ_CHECK(!kugel_body_get(c->world, body, &is), "sleep: the body cannot be read");
    sleeps |= !is.enabled && is.type == KUGEL_DYNAMIC;
    FUZZ_CHECK(is.asleep == sleeps, "sleep: the body does not obey");
    calls_adopt(c);
}

static void set_image(calls *c, kugel_body body, kugel_body_state *row)
{
    int32_t image[3];
    bool valid = row;
    for (int k = 0; k < 3; ++k) {
        image[k] = (int32_t)fuzz_below(&c->in, 3) - 1;
        bool periodic = c->def.bounds.faces[2 * k] == KUGEL_FACE_PERIODIC;
        valid = valid && (periodic || image[k] == 0);
    }
    calls_begin(c);
    if (!calls_end(c, kugel_body_set_image(c->world, body, image), valid, false, "image")) return;
    memcpy(row->image, image, sizeof image);
    calls_compare(c, "image");
}

static void set_kind(calls *c, kugel_body body, kugel_body_state *row, uint32_t kind)
{
    calls_begin(c);
    kugel_status status = kugel_body_set_kind(c->world, body, kind);
    if (!calls_end(c, status, row && kind < KUGEL_KIND_COUNT, false, "kind")) return;
    row->kind = kind;
    calls_compare(c, "kind");
}

static void set_locks(calls *c, kugel_body body, kugel_body_state *row, uint32_t locks)
{
    calls_begin(c);
    kugel_status status = kugel_body_set_locks(c->world, body, locks);
    if (!calls_end(c, status, row && locks < 64, false, "locks")) return;
    row->locks = locks;
    stop_locked(row);
    calls_compare(c, "locks");
}

/* A disabled body stands still. Others may wake, but do not move. */
static void set_flag(calls *c, kugel_body body, kugel_body_state *row)
{
    typedef kugel_status call(kugel_world *, kugel_body, bool);
    static call *const all[] = {kugel_body_set_sensor, kugel_body_set_can_sleep,
                                kugel_body_set_enabled, kugel_body_set_contact_events};
    uint32_t which = fuzz_below(&c->in, sizeof all / sizeof *all);
    uint8_t choice = fuzz_byte(&c->in);
    bool value = choice & 1;
    if (choice >= 128) {
        if (which == 3) set_locks(c, body, row, choice & 127);
        else set_kind(c, body, row, calls_kind(choice));
        return;
    }
    calls_begin(c);
    if (!calls_end(c, all[which](c->world, body, value), row, false, "flag")) return;
    if (which == 0) row->sensor = value;
    if (which == 1) row->can_sleep = value;
    if (which == 2) row->enabled = value;
    if (which == 3) row->contact_events = value;
    for (int k = 0; k < 3 && !row->enabled; ++k) row->velocity[k] = row->spin[k] = 0;
    calls_compare(c, "flag");
}

void calls_set_body(calls *c)
{
    kugel_body_state *row;
    kugel_body body = calls_handle(c, &row);
    switch (fuzz_below(&c->in, 8)) {
    case 0:
        set_vector(c, body, row);
        break;
    case 1:
        set_filter(c, body, row);
        break;
    case 2:
        set_number(c, body, row);
        break;
    case 3:
        set_type(c, body, row);
        break;
    case 4:
        sleep_or_wake(c, body, row);
        break;
    case 5:
        set_image(c, body, row);
        break;
    case 6:
        set_flag(c, body, row);
        break;
    default:
        push(c, body, row);
        break;
    }
}
