/* Which pairs rest. In: places and velocities at the substep's start. Order: contacts keep theirs; new
 * ones are appended and put in canonical order by the caller. */
#include <math.h>

#include "contact/contact.h"

/* Shortest separation of b from a over periodic images, at clock 0. */
static void separation(const kugel_world *world, uint32_t a, uint32_t b, double d[3])
{
    const kg_motion *ma = &world->work.motion[a], *mb = &world->work.motion[b];
    for (int k = 0; k < 3; ++k) {
        double length = world->grid->lattice.length[k];
        d[k] = mb->x[k] - ma->x[k];
        if (length == 0) continue;
        if (d[k] > 0.5 * length) d[k] -= length;
        else if (d[k] < -0.5 * length) d[k] += length;
    }
}

double kg_contact_geometry(const kugel_world *world, uint32_t a, uint32_t b, uint32_t other, double normal[3])
{
    const kg_motion *m = &world->work.motion[a];
    if (other == KG_OTHER_BODY) {
        double d[3];
        separation(world, a, b, d);
        double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (int k = 0; k < 3; ++k) normal[k] = length > 0 ? d[k] / length : (double)(k == 2);
        return length - m->radius - world->work.motion[b].radius;
    }
    if (other < KG_OTHER_PLANE) {
        uint32_t axis = other / 2;
        for (uint32_t k = 0; k < 3; ++k) normal[k] = 0;
        normal[axis] = other & 1 ? 1 : -1;
        double bound = other & 1 ? world->def.bounds.max[axis] : world->def.bounds.min[axis];
        return (other & 1 ? bound - m->x[axis] : m->x[axis] - bound) - m->radius;
    }
    const kugel_plane *plane = &world->planes[other - KG_OTHER_PLANE];
    double gap = -plane->offset - m->radius;
    for (int k = 0; k < 3; ++k) {
        normal[k] = -plane->normal[k];
        gap += plane->normal[k] * m->x[k];
    }
    return gap;
}

/* The gap within which a pair counts as touching, m. */
static double slop_of(const kugel_world *world, uint32_t a, uint32_t b)
{
    double radius = world->work.motion[a].radius;
    if (b != KG_NONE && world->work.motion[b].radius < radius) radius = world->work.motion[b].radius;
    return (world->def.slop > KG_SLOP_MIN ? world->def.slop : KG_SLOP_MIN) * radius;
}

static kugel_touch touch_of(const kugel_world *world, const kg_contact *c, double time)
{
    const kg_bodies *bodies = &world->bodies;
    kugel_touch touch = {.time = time, .index = c->b, .a = kg_bodies_handle(bodies, bodies->slot[c->a])};
    touch.target = KUGEL_TARGET_FACE;
    if (c->other == KG_OTHER_BODY) {
        touch.target = KUGEL_TARGET_BODY;
        touch.b = kg_bodies_handle(bodies, bodies->slot[c->b]);
    } else if (c->other >= KG_OTHER_PLANE) {
        touch.target = KUGEL_TARGET_PLANE;
        touch.index = c->b - KG_OTHER_PLANE;
    }
    return touch;
}

/* Count a contact in or out of what its bodies know. */
static void note(kugel_world *world, const kg_contact *c, bool rests)
{
    kg_work *work = &world->work;
    uint32_t a = world->bodies.slot[c->a], step = rests ? 1 : (uint32_t)-1;
    work->contact_count[a] += step;
    if (c->other == KG_OTHER_BODY) {
        uint32_t b = world->bodies.slot[c->b];
        work->contact_count[b] += step;
        kg_grid_mark(world->grid, a, b, rests);
    } else if (rests) {
        work->resting[a] |= (uint64_t)1 << c->other;
    } else {
        work->resting[a] &= ~((uint64_t)1 << c->other);
    }
}

static bool end_opened(kugel_world *world, double start)
{
    kg_contact_set *set = &world->work.contacts;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < set->count; ++k) {
        kg_contact *c = &set->items[k];
        uint32_t a = world->bodies.slot[c->a];
        uint32_t b = c->other == KG_OTHER_BODY ? world->bodies.slot[c->b] : KG_NONE;
        double normal[3];
        if (kg_contact_geometry(world, a, b, c->other, normal) <= slop_of(world, a, b)) {
            set->items[kept++] = *c;
            continue;
        }
        kugel_touch touch = touch_of(world, c, start);
        note(world, c, false);
        if (!kg_event_end(&world->memory, &world->events.pending, &touch)) return false;
    }
    set->count = kept;
    return true;
}

/* Would the two touch slowly in this substep? b is KG_NONE for a boundary. */
static bool begins(const kugel_world *world, uint32_t a, uint32_t b, uint32_t other, double h)
{
    double normal[3], gap = kg_contact_geometry(world, a, b, other, normal);
    if (gap > slop_of(world, a, b)) return false;
    double approach = 0, acc_a[3], acc_b[3] = {0, 0, 0};
    kg_acceleration(&world->work, a, acc_a);
    if (b != KG_NONE) kg_acceleration(&world->work, b, acc_b);
    for (int k = 0; k < 3; ++k) {
        double va = world->work.motion[a].v[k] + acc_a[k] * h;
        double vb = b != KG_NONE ? world->work.motion[b].v[k] + acc_b[k] * h : 0;
        approach += (va - vb) * normal[k];
    }
    return approach > 0 && approach < world->def.bounce_threshold && gap < approach * h;
}

static bool begin(kugel_world *world, kg_contact c, double start)
{
    kugel_touch touch = touch_of(world, &c, start);
    note(world, &c, true);
    return kg_contact_set_add(&world->memory, &world->work.contacts, c) &&
           kg_event_begin(&world->memory, &world->events.pending, &touch);
}

/* A cheap upper bound first: most neighbours are not within the slop. */
static inline bool far_apart(const kugel_world *world, uint32_t a, uint32_t b, uint32_t image)
{
    if (image != KG_IMAGE_NONE) return false;
    const kg_motion *ma = &world->work.motion[a], *mb = &world->work.motion[b];
    double dx = mb->x[0] - ma->x[0], dy = mb->x[1] - ma->x[1], dz = mb->x[2] - ma->x[2];
    double reach = (ma->radius + mb->radius) * 1.51; /* slop is at most half the smaller radius */
    return dx * dx + dy * dy + dz * dz > reach * reach;
}

static bool begin_bodies(kugel_world *world, uint32_t i, double h, double start)
{
    const kg_grid *grid = world->grid;
    for (uint32_t c = i; c != KG_NONE; c = grid->chunks[c].next) {
        for (uint32_t k = 0; k < grid->chunks[c].count; ++k) {
            uint32_t entry = grid->chunks[c].entry[k], j = entry & KG_ENTRY_SLOT;
            if (j < i || (entry & KG_ENTRY_RESTING) || far_apart(world, i, j, entry >> KG_ENTRY_IMAGE_SHIFT)) continue;
            uint32_t a = world->bodies.id[i] < world->bodies.id[j] ? i : j, b = a == i ? j : i;
            if (!begins(world, a, b, KG_OTHER_BODY, h)) continue;
            kg_contact contact = {.a = world->bodies.id[a], .b = world->bodies.id[b], .other = KG_OTHER_BODY};
            if (!begin(world, contact, start)) return false;
        }
    }
    return true;
}

static bool begin_boundaries(kugel_world *world, uint32_t i, double h, double start)
{
    uint64_t near = world->grid->near[i] & ~KG_NEAR_FAR & ~world->work.resting[i];
    while (near && world->bodies.mass[i] > 0) {
        uint32_t k = (uint32_t)__builtin_ctzll(near);
        near &= near - 1;
        if (k < KG_OTHER_PLANE && world->def.bounds.faces[k] != KUGEL_FACE_WALL) continue;
        if (!begins(world, i, KG_NONE, k, h)) continue;
        kg_contact contact = {.a = world->bodies.id[i], .b = k, .other = (uint8_t)k};
        if (!begin(world, contact, start)) return false;
    }
    return true;
}

kugel_status kg_contact_collect(kugel_world *world, double h, double start)
{
    if (!end_opened(world, start)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (world->def.bounce_threshold == 0) return KUGEL_OK; /* nothing but impacts begins a rest */
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!begin_bodies(world, i, h, start) || !begin_boundaries(world, i, h, start)) {
            return KUGEL_ERROR_OUT_OF_MEMORY;
        }
    }
    return KUGEL_OK;
}
