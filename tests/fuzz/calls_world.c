/* Calls on worlds: create and destroy, set gravity and the table of pairs. */
#include <math.h>
#include <string.h>

#include "calls.h"

/* A task system of the host: runs tasks on this thread, in reverse order. */
static void run_backwards(void *user, uint32_t count, void (*task)(void *, uint32_t), void *context)
{
    (void)user;
    for (uint32_t k = count; k > 0; --k) task(context, k - 1);
}

static uint64_t count_up(void *user) { return ++*(uint64_t *)user; }

static void random_bounds(fuzz_input *in, kugel_bounds *bounds)
{
    uint8_t kinds = fuzz_byte(in); /* two bits an axis: open, walls, periodic, or random faces */
    for (int axis = 0; axis < 3; ++axis, kinds /= 4) {
        kugel_face low = (kugel_face)(kinds % 4), high = low;
        bounds->min[axis] = -4, bounds->max[axis] = 4;
        if (kinds % 4 == 3) {
            low = (kugel_face)fuzz_below(in, 4), high = (kugel_face)fuzz_below(in, 4);
            bounds->min[axis] = fuzz_number(in), bounds->max[axis] = fuzz_number(in);
        }
        bounds->faces[2 * axis] = low, bounds->faces[2 * axis + 1] = high;
    }
    bounds->restitution = fuzz_fraction(in);
    bounds->friction = fuzz_fraction(in);
}

static kugel_world_def random_def(calls *c)
{
    static uint64_t clock;
    fuzz_input *in = &c->in;
    kugel_world_def def = kugel_world_def_default();
    uint8_t parts = fuzz_byte(in), hooks = fuzz_byte(in); /* what differs from the default */
    random_bounds(in, &def.bounds);
    def.gravity[2] = -9.81;
    def.step_event_limit = 2000;
    def.substeps = 4;
    if (parts & 1) fuzz_vector(in, def.gravity);
    if (parts & 2) def.substeps = fuzz_byte(in) % 32 - 1;
    if (parts & 4) def.bounce_threshold = fuzz_fraction(in);
    if (parts & 8) def.slop = fuzz_fraction(in) / 2;
    if (parts & 16) def.linear_damping = fuzz_fraction(in), def.angular_damping = fuzz_fraction(in);
    if (parts & 32) def.contact_iterations = fuzz_byte(in) % 32;
    if (parts & 64) def.impact_budget = fuzz_byte(in) * 4;
    if (parts & 128) def.sleep = false;
    if (hooks & 1) def.tasks = (kugel_tasks){run_backwards, NULL, 1 + fuzz_below(in, 8)};
    if (hooks & 2) def.clock = (kugel_clock){count_up, &clock};
    if (hooks & 4) def.body_capacity = fuzz_below(in, 64);
    if (hooks & 8) def.step_event_limit = 1 + fuzz_byte(in);
    for (int k = 0; k < 6; ++k) def.face_kinds[k] = hooks / 64;
    def.allocator = failing_memory_hooks(&c->memory);
    return def;
}

bool calls_new_world(calls *c)
{
    kugel_error error;
    c->def = random_def(c);
    if ((c->in.data[0] & 0xf0) == 0xf0) failing_memory_arm(&c->memory, 1 + (c->in.data[0] & 15), 0);
    kugel_status good = kugel_world_def_check(&c->def, &error);
    calls_begin(c);
    kugel_status status = kugel_world_create(&c->def, &c->world);
    if (status == KUGEL_ERROR_OUT_OF_MEMORY && good == KUGEL_OK) {
        FUZZ_CHECK(c->memory.failures != c->failures, "world: out of memory");
        FUZZ_CHECK(!c->world && c->memory.blocks == 0, "world: a refused one keeps memory");
        failing_memory_disarm(&c->memory);
        status = kugel_world_create(&c->def, &c->world);
    }
    FUZZ_CHECK(status == good, "world: %s, but its def has %s", kugel_status_text(status),
               kugel_status_text(good));
    if (status) {
        FUZZ_CHECK(!c->world && error.message[0], "world: refused without a reason");
        return false;
    }
    c->model = (model){0};
    memcpy(c->model.gravity, c->def.gravity, sizeof c->model.gravity);
    bytes_save(&c->now, c->world);
    calls_compare(c, "world");
    return true;
}

void calls_drop_world(calls *c)
{
    if (c->world) {
        kugel_stats stats;
        kugel_world_stats(c->world, &stats);
        FUZZ_CHECK(stats.memory == c->memory.bytes, "stats: %zu bytes, the hooks gave %zu",
                   stats.memory, (size_t)c->memory.bytes);
    }
    kugel_world_destroy(c->world);
    c->world = NULL;
    c->recording = false;
    failing_memory_disarm(&c->memory);
    FUZZ_CHECK(c->memory.blocks == 0, "a destroyed world keeps %u blocks",
               (unsigned)c->memory.blocks);
}

static void set_gravity(calls *c)
{
    double gravity[3];
    fuzz_vector(&c->in, gravity);
    calls_begin(c);
    kugel_status status = kugel_world_set_gravity(c->world, gravity);
    if (!calls_end(c, status, fuzz_is_vector(gravity), false, "gravity")) return;
    memcpy(c->model.gravity, gravity, sizeof gravity);
    calls_compare(c, "gravity");
}

static void set_pair(calls *c)
{
    uint32_t a = calls_kind(fuzz_byte(&c->in)), b = calls_kind(fuzz_byte(&c->in));
    uint8_t parts = fuzz_byte(&c->in);
    bool given = parts & 1, valid = a < KUGEL_KIND_COUNT && b < KUGEL_KIND_COUNT;
    kugel_pair_material m = {fuzz_fraction(&c->in), fuzz_fraction(&c->in), 0, 0};
    if (parts & 2) m.rolling_resistance = fuzz_number(&c->in);
    if (parts & 4) m.tangential_restitution = parts & 8 ? -1.5 : 0.75;
    if (given)
        valid = valid && m.restitution >= 0 && m.restitution <= 1 && m.friction >= 0 &&
                m.friction <= 1e6 && m.rolling_resistance >= 0 && m.rolling_resistance <= 1e6 &&
                m.tangential_restitution >= -1 && m.tangential_restitution <= 1;
    calls_begin(c);
    kugel_status status = kugel_world_set_pair_material(c->world, a, b, given ? &m : NULL);
    if (!calls_end(c, status, valid, false, "pair")) return;
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    c->model.pairs[low][high].given = given;
    c->model.pairs[low][high].material = given ? m : (kugel_pair_material){0};
    calls_compare(c, "pair");
}

/* Sets the growth of radii for the next steps. */
static void grow(calls *c)
{
    double growth = 0.01 * fuzz_fraction(&c->in);
    kugel_world_def def;
    calls_begin(c);
    kugel_status status = kugel_world_set_growth(c->world, growth);
    bool valid = growth >= 0 && growth <= 1e6 && status != KUGEL_ERROR_STATE;
    if (!calls_end(c, status, valid, false, "growth")) return;
    FUZZ_CHECK(kugel_world_get_def(c->world, &def) == KUGEL_OK && def.growth == growth, "growth");
    calls_adopt(c);
}

/* Sets a temperature. Valid arguments may be refused, as nothing moves, or would move too fast. */
static void warm(calls *c)
{
    double temperature = fuzz_number(&c->in), probability = fuzz_fraction(&c->in);
    bool draws = fuzz_byte(&c->in) & 1, valid = temperature >= 0 && temperature <= 1e15 &&
                                                (!draws || (probability >= 0 && probability <= 1));
    calls_begin(c);
    kugel_status status = draws ? kugel_world_draw_velocities(c->world, temperature, probability, 1)
                                : kugel_world_set_temperature(c->world, temperature);
    if (status == KUGEL_ERROR_INVALID_ARGUMENT || status == KUGEL_ERROR_STATE) valid = false;
    if (!calls_end(c, status, valid, false, "warm")) return;
    calls_adopt(c);
}

void calls_set_world(calls *c)
{
    double speed;
    uint8_t choice = fuzz_byte(&c->in);
    if (choice >= 176 && choice < 184) {
        grow(c);
        return;
    }
    if (choice >= 184 && choice < 192) {
        warm(c);
        return;
    }
    if (choice >= 192) {
        set_pair(c);
        return;
    }
    if (choice % 3) {
        set_gravity(c);
        return;
    }
    if (fuzz_byte(&c->in) & 1) {
        bool on = fuzz_byte(&c->in) & 1;
        calls_begin(c);
        calls_end(c, kugel_world_sum_impulses(c->world, on), true, false, "sum");
        return;
    }
    speed = fuzz_number(&c->in);
    calls_begin(c);
    calls_end(c, kugel_world_report_impacts_above(c->world, speed),
              speed >= 0 && fuzz_is_value(speed), false, "report");
}
