/* The model's tables of handles and values, and comparisons of world and model. */
#include "calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_states.h"
#include "world/world.h"

bool fuzz_is_value(double value) { return fabs(value) <= VALUE_LIMIT; }

bool fuzz_is_vector(const double value[3])
{
    return fuzz_is_value(value[0]) && fuzz_is_value(value[1]) && fuzz_is_value(value[2]);
}

kugel_body calls_handle(calls *c, kugel_body_state **body)
{
    model *m = &c->model;
    uint8_t choice = fuzz_byte(&c->in);
    kugel_body handle = KUGEL_NULL_BODY;
    *body = NULL;
    if (choice < 224 && m->count) handle = m->bodies[choice % m->count].body;
    else if (choice < 240 && m->stale_count) handle = m->stale[choice % m->stale_count];
    else if (choice >= 248) handle = (uint64_t)fuzz_byte(&c->in) << 32 | fuzz_byte(&c->in);
    for (uint32_t i = 0; i < m->count; ++i) {
        if (m->bodies[i].body == handle) *body = &m->bodies[i];
    }
    return handle;
}

static void *grow(void *data, size_t size)
{
    void *more = realloc(data, size);
    if (!more) abort();
    return more;
}

void bytes_save(bytes *to, kugel_world *world)
{
    size_t bound;
    kugel_status status = kugel_snapshot_save(world, true, NULL, 0, &bound);
    if (!status && bound > to->room) to->data = grow(to->data, to->room = 2 * bound);
    if (!status) status = kugel_snapshot_save(world, true, to->data, to->room, &to->size);
    FUZZ_CHECK(!status && to->size <= bound, "saving %zu of %zu bytes: %s", to->size, bound,
               kugel_status_text(status));
}

void bytes_copy(bytes *to, const void *data, size_t size)
{
    if (size > to->room) to->data = grow(to->data, to->room = 2 * size);
    if (size) memcpy(to->data, data, size);
    to->size = size;
}

bool bytes_equal(const bytes *a, const bytes *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

void calls_begin(calls *c)
{
    c->failures = c->memory.failures;
    c->refused = c->world ? c->world->aside.refused : 0;
}

static void check_unchanged(calls *c, kugel_status status, const char *what)
{
    bytes after = {0};
    bytes_save(&after, c->world);
    if (!bytes_equal(&c->now, &after)) {
        kugel_divergence d = {0};
        kugel_snapshot_difference(c->now.data, c->now.size, after.data, after.size, &d);
        fuzz_fail(__FILE__, __LINE__, "%s: refused (%s), but body %u %s changed from %g to %g",
                  what, kugel_status_text(status), d.body, d.field, d.expected, d.found);
    }
    bytes_free(&after);
}

bool calls_end(calls *c, kugel_status status, bool valid, bool limited, const char *what)
{
    const char *text = kugel_status_text(status);
    bool failed = c->memory.failures != c->failures;
    uint64_t calls_before = c->memory.calls;
    if (status == KUGEL_OK) {
        FUZZ_CHECK(valid, "%s: succeeded with invalid arguments", what);
        /* a step does without the memory that only makes the next ones faster */
        bool needed = c->world->aside.refused == c->refused;
        FUZZ_CHECK(!failed || c->recording || !needed, "%s: succeeded without memory", what);
        if (failed && c->recording && needed) {
            kugel_status ended = kugel_world_recording_status(c->world);
            FUZZ_CHECK(ended == KUGEL_ERROR_OUT_OF_MEMORY, "%s: no memory, the recording has %s",
                       what, kugel_status_text(ended));
        }
        bytes_save(&c->now, c->world);
        kugel_error error;
        FUZZ_CHECK(!kugel_snapshot_check(c->now.data, c->now.size, NULL, &error),
                   "%s: the world's snapshot is refused: %s: %s", what, error.argument,
                   error.message);
    } else {
        if (status == KUGEL_ERROR_OUT_OF_MEMORY) {
            FUZZ_CHECK(failed, "%s: out of memory, but nothing failed", what);
            failing_memory_disarm(&c->memory);
        } else {
            FUZZ_CHECK(!valid || (limited && status == KUGEL_ERROR_LIMIT),
                       "%s: refused: %s, %s: %s", what, text,
                       kugel_world_last_error(c->world)->argument,
                       kugel_world_last_error(c->world)->message);
        }
        kugel_status last = kugel_world_last_error(c->world)->status;
        FUZZ_CHECK(last == status, "%s: %s, but the last error is %s", what, text,
                   kugel_status_text(last));
        check_unchanged(c, status, what);
    }
    FUZZ_CHECK(c->memory.calls == calls_before, "saving allocates");
    return status == KUGEL_OK;
}

static bool same_vector(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static void compare_body(const kugel_body_state *is, const kugel_body_state *was, const char *what)
{
    uint32_t id = kugel_body_id(was->body);
    FUZZ_CHECK(is->body == was->body && is->type == was->type, "%s: body %u is another", what, id);
    FUZZ_CHECK(same_vector(is->position, was->position), "%s: body %u position", what, id);
    FUZZ_CHECK(same_vector(is->velocity, was->velocity), "%s: body %u velocity", what, id);
    FUZZ_CHECK(same_vector(is->spin, was->spin), "%s: body %u spin", what, id);
    FUZZ_CHECK(memcmp(is->image, was->image, sizeof is->image) == 0, "%s: body %u image", what, id);
    FUZZ_CHECK(is->radius == was->radius && is->mass == was->mass, "%s: body %u size", what, id);
    FUZZ_CHECK(is->restitution == was->restitution && is->friction == was->friction &&
                   is->rolling_resistance == was->rolling_resistance &&
                   is->tangential_restitution == was->tangential_restitution &&
                   is->gravity_scale == was->gravity_scale &&
                   is->linear_damping == was->linear_damping &&
                   is->angular_damping == was->angular_damping,
               "%s: body %u material", what, id);
    FUZZ_CHECK(is->category == was->category && is->mask == was->mask && is->group == was->group &&
                   is->sensor == was->sensor && is->can_sleep == was->can_sleep &&
                   is->enabled == was->enabled && is->contact_events == was->contact_events &&
                   is->kind == was->kind && is->locks == was->locks,
               "%s: body %u filter", what, id);
}

static void compare_pairs(const calls *c, const char *what)
{
    for (uint32_t a = 0; a < FEW_KINDS; ++a) {
        for (uint32_t b = a; b < FEW_KINDS; ++b) {
            const kugel_pair_material *m = &c->model.pairs[a][b].material;
            kugel_pair_material is;
            bool given = kugel_world_get_pair_material(c->world, b, a, &is);
            FUZZ_CHECK(given == c->model.pairs[a][b].given, "%s: pair %u %u", what, a, b);
            FUZZ_CHECK(is.restitution == m->restitution && is.friction == m->friction &&
                           is.rolling_resistance == m->rolling_resistance &&
                           is.tangential_restitution == m->tangential_restitution,
                       "%s: pair %u %u has other numbers", what, a, b);
        }
    }
}

void calls_compare(calls *c, const char *what)
{
    model *m = &c->model;
    kugel_body_state states[MOST_BODIES];
    uint32_t count = support_read_states(c->world, MOST_BODIES, states), asleep = 0;
    FUZZ_CHECK(count == m->count && kugel_world_body_count(c->world) == count,
               "%s: %u bodies, the model has %u", what, count, m->count);
    for (uint32_t i = 0; i < count; ++i) {
        kugel_body body = m->bodies[i].body;
        compare_body(&states[i], &m->bodies[i], what);
        FUZZ_CHECK(kugel_body_is_valid(c->world, body) &&
                       kugel_world_body(c->world, kugel_body_id(body)) == body,
                   "%s: the handle of body %u is not valid", what, kugel_body_id(body));
        m->bodies[i].contacts = states[i].contacts, m->bodies[i].asleep = states[i].asleep;
        asleep += states[i].asleep;
    }
    kugel_stats stats;
    kugel_world_stats(c->world, &stats);
    FUZZ_CHECK(stats.asleep == asleep, "%s: %u bodies sleep, the stats count %u", what, asleep,
               (unsigned)stats.asleep);
    for (uint32_t i = 0; i < m->stale_count; ++i) {
        FUZZ_CHECK(!kugel_body_is_valid(c->world, m->stale[i]), "%s: a stale handle is valid",
                   what);
    }
    kugel_world_def def;
    FUZZ_CHECK(!kugel_world_get_def(c->world, &def), "%s: no def", what);
    FUZZ_CHECK(same_vector(def.gravity, m->gravity), "%s: gravity", what);
    calls_compare_surfaces(c, what);
    compare_pairs(c, what);
    FUZZ_CHECK(kugel_world_tick(c->world) == m->tick, "%s: tick", what);
    FUZZ_CHECK(kugel_world_time(c->world) == m->time, "%s: time", what);
}

void calls_adopt(calls *c)
{
    model *m = &c->model;
    m->count = support_read_states(c->world, MOST_BODIES, m->bodies);
    m->tick = kugel_world_tick(c->world);
    m->time = kugel_world_time(c->world);
}

void bytes_free(bytes *b)
{
    free(b->data);
    *b = (bytes){0};
}
