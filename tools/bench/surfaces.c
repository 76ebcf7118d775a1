/* SURFACES: time to add many solid shapes, to save and restore them with a ball at rest on each,
 * and to remove them. */
#include <kugel/kugel.h>
#include <stdlib.h>

#include "bench.h"
#include "report.h"
#include "times.h"

/* Solid shapes in a row. */
static void add_shapes(kugel_world *world, uint32_t count)
{
    kugel_surface_def shape = kugel_surface_def_default();
    shape.shape = KUGEL_SURFACE_ELLIPSOID;
    for (int k = 0; k < 3; ++k) shape.size[k] = 0.4;
    for (uint32_t k = 0; k < count; ++k) {
        shape.position[0] = k;
        if (kugel_surface_create(world, &shape, NULL)) abort();
    }
}

/* A ball comes to rest on each. */
static void add_balls(kugel_world *world, uint32_t count)
{
    kugel_body_def ball = kugel_body_def_default();
    ball.radius = 0.1;
    ball.position[2] = 0.5;
    for (uint32_t k = 0; k < count; ++k) {
        ball.position[0] = k;
        if (kugel_body_create(world, &ball, NULL)) abort();
    }
    for (int k = 0; k < 4; ++k) {
        if (kugel_world_step(world, 1 / 60.)) abort();
    }
}

static void measure(uint32_t count)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.gravity[2] = -9.81;
    if (kugel_world_create(&def, &world)) abort();
    double start = now();
    add_shapes(world, count);
    double added = now() - start;
    add_balls(world, count);
    size_t room, size;
    if (kugel_snapshot_save(world, true, NULL, 0, &room)) abort();
    void *image = malloc(room);
    if (!image || kugel_snapshot_save(world, true, image, room, &size)) abort();
    start = now();
    if (kugel_snapshot_restore(world, image, size)) abort();
    double restored = now() - start;
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    start = now();
    for (uint32_t k = 0; k < count; ++k) {
        if (kugel_surface_destroy(world, kugel_world_surface(world, k))) abort();
    }
    ROW(NUMBER(count), NUMBER(stats.resting_contacts), NUMBER(added), NUMBER(restored),
        NUMBER(now() - start));
    free(image);
    kugel_world_destroy(world);
}

void bench_surfaces(const bench_options *chosen)
{
    enum { MOST = 16384 }; /* of a world */
    static const column columns[] = {
        {"n", "n", "%8.0f", 1},
        {"resting contacts", "resting_contacts", "%8.0f", 1},
        {"add, ms", "add_seconds", "%9.2f", 1e3},
        {"restore, ms", "restore_seconds", "%9.2f", 1e3},
        {"remove, ms", "remove_seconds", "%9.2f", 1e3},
    };
    uint32_t most = chosen->size ? chosen->size : chosen->quick ? 512 : 8192;
    report_table("SURFACES", "solid shapes, a ball at rest on each", columns,
                 sizeof columns / sizeof *columns);
    most = most < MOST ? most : MOST;
    for (uint32_t n = most / 8; n <= most; n *= 2) measure(n);
}
