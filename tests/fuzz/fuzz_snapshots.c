/* Fuzz target: snapshots (first byte even) and deltas (odd) with valid checksums. A snapshot must
 * be refused, or give a world that saves an equal snapshot and can be stepped. */
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "input.h"
#include "sealing.h"
#include "seed_world.h"

enum { MOST_BODIES = 64, STEPS = 3, ROOM = 1 << 16 };

static void save(kugel_world *world, uint8_t **data, size_t *size)
{
    size_t bound;
    if (kugel_snapshot_save(world, true, NULL, 0, &bound)) abort();
    *data = malloc(bound);
    if (!*data || kugel_snapshot_save(world, true, *data, bound, size)) abort();
}

static void step_restored(kugel_world *world)
{
    if (kugel_world_body_count(world) > MOST_BODIES) return;
    for (int k = 0; k < STEPS; ++k) {
        uint64_t before = kugel_world_hash(world);
        kugel_status status = kugel_world_step(world, 1 / 60.);
        if (!status) continue;
        FUZZ_CHECK(status == KUGEL_ERROR_LIMIT, "step: %s", kugel_status_text(status));
        FUZZ_CHECK(kugel_world_hash(world) == before, "step: refused, but the world changed");
    }
    uint8_t *data;
    size_t size;
    save(world, &data, &size);
    kugel_error error;
    FUZZ_CHECK(!kugel_snapshot_check(data, size, NULL, &error),
               "the snapshot after steps is refused: %s: %s", error.argument, error.message);
    free(data);
}

static void restore(const uint8_t *data, size_t size)
{
    failing_memory memory = {0};
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    kugel_snapshot_info info;
    kugel_error error;
    def.allocator = failing_memory_hooks(&memory);
    def.limits.bytes = FUZZ_MEMORY;
    if (kugel_world_create(&def, &world)) abort();
    seed_world_add_mesh(world); /* for snapshots that name it */
    uint64_t empty = kugel_world_hash(world);
    kugel_status checked = kugel_snapshot_check(data, size, &info, &error);
    kugel_status status = kugel_snapshot_restore(world, data, size);
    bool in_world = status == KUGEL_ERROR_LIMIT || status == KUGEL_ERROR_STATE ||
                    strcmp(kugel_world_last_error(world)->argument, "surface.triangles") == 0;
    FUZZ_CHECK(status == checked || (!checked && in_world), "check: %s, restore: %s",
               kugel_status_text(checked), kugel_status_text(status));
    FUZZ_CHECK(!checked || error.message[0], "refused without a message");
    if (status) {
        FUZZ_CHECK(kugel_world_hash(world) == empty, "refused, but the world changed");
    } else {
        uint8_t *again;
        size_t length;
        FUZZ_CHECK(info.bodies == kugel_world_body_count(world), "info: %u bodies", info.bodies);
        save(world, &again, &length);
        /* bytes may differ, because one column has several valid encodings */
        kugel_divergence d = {0};
        FUZZ_CHECK(!kugel_snapshot_difference(data, size, again, length, &d),
                   "saved again: body %u %s is %g, then %g", d.body, d.field, d.expected, d.found);
        free(again);
        step_restored(world);
    }
    kugel_world_destroy(world);
    FUZZ_CHECK(memory.bytes == 0, "%llu bytes leaked", (unsigned long long)memory.bytes);
}

static void apply(uint8_t *data, size_t size)
{
    static uint8_t *base;
    static size_t base_size;
    if (!base) {
        kugel_world *world = seed_world_make(false);
        for (int k = 0; k < 4; ++k) seed_world_step(world);
        save(world, &base, &base_size);
        kugel_world_destroy(world);
    }
    seal_delta(data, size, base);
    uint8_t *snapshot = malloc(ROOM);
    size_t whole;
    if (!snapshot) abort();
    kugel_status status = kugel_delta_apply(base, base_size, data, size, snapshot, ROOM, &whole);
    FUZZ_CHECK(!status || status == KUGEL_ERROR_FORMAT || status == KUGEL_ERROR_LIMIT, "delta: %s",
               kugel_status_text(status));
    if (!status) kugel_snapshot_check(snapshot, whole, NULL, NULL);
    free(snapshot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    uint8_t *copy = malloc(size - 1); /* exact: reads behind the end are found */
    if (!copy) abort();
    memcpy(copy, data + 1, size - 1);
    if (data[0] & 1) {
        apply(copy, size - 1);
    } else {
        seal_snapshot(copy, size - 1);
        restore(copy, size - 1);
    }
    free(copy);
    return 0;
}
