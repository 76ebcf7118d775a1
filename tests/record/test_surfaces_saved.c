/* Surfaces as state: snapshots hold them completely, and a restored world goes on bit for bit.
 * Damaged and foreign bytes are refused; out of memory leaves the world as it was. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "record/snapshot_surfaces.h"
#include "record/support_recording.h"
#include "record/support_surfaces.h"
#include "support/support_snapshot.h"

enum { BODIES = 20, TICKS = 120 };

static kugel_world *make(uint32_t bodies, support_memory *memory, uint32_t threads)
{
    kugel_world_def def = support_surfaces_settings();
    if (memory) def.allocator = support_allocator(memory);
    def.tasks.threads = threads;
    return support_surfaces_world(bodies, &def);
}

static void step(kugel_world *world)
{
    support_surfaces_calls(world, kugel_world_tick(world));
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK, "%s",
                 kugel_world_last_error(world)->message);
}

static kugel_world *run_to(uint32_t bodies, uint64_t ticks)
{
    kugel_world *world = make(bodies, NULL, 1);
    while (kugel_world_tick(world) < ticks) step(world);
    return world;
}

static void restore(kugel_world *world, const support_bytes *s)
{
    cr_assert_eq(kugel_snapshot_restore(world, s->data, s->size), KUGEL_OK, "%s: %s",
                 kugel_world_last_error(world)->argument, kugel_world_last_error(world)->message);
}

static void check_same(const support_bytes *a, const support_bytes *b, uint64_t tick)
{
    kugel_divergence d = {0};
    kugel_snapshot_difference(a->data, a->size, b->data, b->size, &d);
    cr_assert(support_same_bytes(a, b), "tick %d: %u %s is %.17g, then %.17g", (int)tick, d.body,
              d.field, d.expected, d.found);
}

/* A heap on the terrain, a ball that rolls over its triangles, surfaces that come and go: the world
 * that goes on, one restored before each tick in itself, and clones of each tick are equal. */
Test(surfaces, restored_before_each_tick_goes_on_the_same)
{
    kugel_world *on = make(BODIES, NULL, 1), *again = make(BODIES, NULL, 2), *clone;
    uint32_t resting = 0;
    for (uint64_t t = 0; t < TICKS; ++t) {
        support_bytes before = support_snapshot_of(again);
        restore(again, &before);
        cr_assert_eq(kugel_world_clone(on, &clone), KUGEL_OK);
        step(on), step(again), step(clone);
        support_bytes a = support_snapshot_of(on), b = support_snapshot_of(again),
                      c = support_snapshot_of(clone);
        check_same(&a, &b, t);
        check_same(&a, &c, t);
        cr_assert_eq(kugel_world_hash(on), kugel_world_hash(again));
        cr_assert_eq(kugel_world_hash(on), kugel_world_hash(clone));
        resting += support_surface_contacts(on) > 0;
        free(before.data), free(a.data), free(b.data), free(c.data);
        kugel_world_destroy(clone);
    }
    cr_assert_gt(resting, TICKS / 2, "bodies must rest on surfaces");
    kugel_world_destroy(on);
    kugel_world_destroy(again);
}

/* Sleeping bodies on a terrain stay asleep in a restored world. */
Test(surfaces, sleep_is_restored)
{
    kugel_stats stats = {0};
    kugel_world *world = make(4, NULL, 1), *other = make(0, NULL, 1);
    for (int t = 0; t < 1500 && stats.asleep < 4; ++t) {
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        kugel_world_stats(world, &stats);
    }
    cr_assert_geq(stats.asleep, 4, "%d sleep", (int)stats.asleep);
    support_bytes s = support_snapshot_of(world);
    restore(other, &s);
    for (int t = 0; t < 10; ++t) {
        kugel_world_step(world, 1 / 60.), kugel_world_step(other, 1 / 60.);
        cr_assert_eq(kugel_world_hash(world), kugel_world_hash(other));
    }
    kugel_world_stats(other, &stats);
    cr_assert_geq(stats.asleep, 4);
    free(s.data);
    kugel_world_destroy(world);
    kugel_world_destroy(other);
}

/* The same meshes are kept, in the same arrays, and nothing is allocated. */
Test(surfaces, equal_meshes_are_kept)
{
    support_memory memory = {0};
    kugel_world *world = make(BODIES, &memory, 1);
    while (kugel_world_tick(world) < 25) step(world);
    support_bytes s = support_snapshot_of(world), after;
    kugel_surface_def was, is;
    kugel_surface_get(world, kugel_world_surface(world, 0), &was, NULL);
    while (kugel_world_tick(world) < 35) step(world); /* places a surface */
    uint64_t allocations = memory.allocations;
    restore(world, &s);
    cr_assert_eq(memory.allocations, allocations);
    cr_assert_eq(kugel_surface_get(world, kugel_world_surface(world, 0), &is, NULL), KUGEL_OK);
    cr_assert(is.vertices == was.vertices && is.triangles == was.triangles);
    after = support_snapshot_of(world);
    check_same(&s, &after, 25);
    free(s.data), free(after.data);
    kugel_world_destroy(world);
    cr_assert_eq(memory.bytes, 0);
}

/* Of any tick in a world of any other: meshes are built, kept, replaced and freed. */
Test(surfaces, restoring_replaces_surfaces)
{
    static const uint64_t ticks[] = {0, 12, 18, 25, 35, 45, 55, 90};
    enum { N = sizeof ticks / sizeof *ticks };
    support_bytes at[N];
    support_memory memory = {0};
    for (size_t k = 0; k < N; ++k) {
        kugel_world *world = run_to(2, ticks[k]);
        at[k] = support_snapshot_of(world);
        kugel_world_destroy(world);
    }
    kugel_world *world = make(2, &memory, 1);
    for (size_t p = 0; p < N; ++p) {
        for (size_t q = 0; q < N; ++q) {
            restore(world, &at[p]);
            restore(world, &at[q]);
            support_bytes now = support_snapshot_of(world);
            check_same(&at[q], &now, ticks[q]);
            free(now.data);
        }
    }
    kugel_world_destroy(world);
    cr_assert_eq(memory.bytes, 0);
    for (size_t k = 0; k < N; ++k) free(at[k].data);
}

/* What a world returns of a surface makes the same surface again, in place and mesh. */
Test(surfaces, a_surface_that_was_read_can_be_added)
{
    kugel_world *world = run_to(0, 0), *other;
    support_random random = support_random_start("read_surface", 5);
    kugel_world_def def = support_surfaces_settings();
    for (int k = 0; k < 200; ++k) {
        kugel_surface_def read, again, stone = support_tetrahedron();
        double length = 0;
        for (int i = 0; i < 4; ++i) {
            stone.rotation[i] = support_gauss(&random);
            length += stone.rotation[i] * stone.rotation[i];
        }
        for (int i = 0; i < 4; ++i) stone.rotation[i] /= sqrt(length) * (1 + 1e-7);
        cr_assert_eq(kugel_surface_create(world, &stone, NULL), KUGEL_OK);
        kugel_surface_get(world, kugel_world_surface(world, 1), &read, NULL);
        cr_assert_eq(kugel_world_create(&def, &other), KUGEL_OK);
        cr_assert_eq(kugel_surface_create(other, &read, NULL), KUGEL_OK);
        kugel_surface_get(other, kugel_world_surface(other, 0), &again, NULL);
        cr_assert(memcmp(read.rotation, again.rotation, sizeof read.rotation) == 0);
        cr_assert_eq(world->surfaces.items[1].geometry_hash,
                     other->surfaces.items[0].geometry_hash);
        kugel_world_destroy(other);
        cr_assert_eq(kugel_surface_destroy(world, kugel_world_surface(world, 1)), KUGEL_OK);
    }
    kugel_world_destroy(world);
}

Test(surfaces, without_any_the_header_word_is_0)
{
    kugel_world *world = run_to(1, 5);
    cr_assert_eq(kugel_surface_destroy(world, kugel_world_surface(world, 0)), KUGEL_OK);
    support_bytes s = support_snapshot_of(world);
    cr_assert_eq(kg_get32(s.data + 80), 0);
    free(s.data);
    kugel_world_destroy(world);
}

static void check_hash(kugel_world *world, void *field, size_t size, const char *name)
{
    uint8_t *bytes = field;
    uint64_t before = kugel_world_hash(world);
    for (size_t bit = 0; bit < 8 * size; ++bit) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_assert_neq(kugel_world_hash(world), before, "%s bit %zu", name, bit);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    cr_assert_eq(kugel_world_hash(world), before);
}

Test(surfaces, every_field_is_hashed)
{
    kugel_world *world = run_to(1, 25);
    kg_surface *s = &world->surfaces.items[1];
    for (int k = 0; k < 4; ++k) s->rotation[k] = 0.5; /* of zeros the sign does not count */
    check_hash(world, &s->first_triangle, 4, "first triangle");
    check_hash(world, &s->geometry_hash, 8, "geometry");
    for (int k = 0; k < 3; ++k) s->velocity[k] = s->spin[k] = 0.25;
    check_hash(world, s->position, sizeof s->position, "position");
    check_hash(world, s->velocity, sizeof s->velocity, "velocity");
    check_hash(world, s->spin, sizeof s->spin, "spin");
    check_hash(world, s->rotation, sizeof s->rotation, "rotation");
    s->material.restitution = s->material.rolling_resistance = 0.25;
    check_hash(world, &s->material.restitution, 8, "restitution");
    check_hash(world, &s->material.friction, 8, "friction");
    check_hash(world, &s->material.rolling_resistance, 8, "rolling resistance");
    s->material.tangential_restitution = -0.5;
    check_hash(world, &s->material.tangential_restitution, 8, "tangential restitution");
    check_hash(world, &s->material.category, 4, "category");
    check_hash(world, &s->material.mask, 4, "mask");
    check_hash(world, &s->material.group, 4, "group");
    kugel_world_destroy(world);
}

/* The geometry: each number, and the sidedness. The hash of bytes is that of the numbers. */
Test(surfaces, geometry_is_hashed)
{
    support_random random = {1};
    support_terrain terrain;
    kugel_surface_def def = support_terrain_make(&terrain, &random, 1);
    uint64_t hash = kg_surface_hash_geometry(&def, def.vertices, def.triangles, false);
    uint8_t *bytes = malloc((size_t)kg_def_mesh_bytes(&def));
    kg_def_encode_mesh(&def, bytes);
    cr_assert_eq(kg_surface_hash_geometry(&def, bytes, bytes + 24 * (size_t)def.vertex_count, true),
                 hash);
    for (size_t k = 0; k < 3 * (size_t)def.vertex_count; ++k) {
        double was = terrain.vertices[k];
        terrain.vertices[k] = was + 1e-3;
        cr_assert_neq(kg_surface_hash_geometry(&def, def.vertices, def.triangles, false), hash);
        terrain.vertices[k] = was;
    }
    for (size_t k = 0; k < 3 * (size_t)def.triangle_count; ++k) {
        terrain.triangles[k] ^= 1;
        cr_assert_neq(kg_surface_hash_geometry(&def, def.vertices, def.triangles, false), hash);
        terrain.triangles[k] ^= 1;
    }
    def.one_sided = true;
    cr_assert_neq(kg_surface_hash_geometry(&def, def.vertices, def.triangles, false), hash);
    free(bytes);
}

static support_bytes light_snapshot_of(kugel_world *world)
{
    size_t room = support_snapshot_room(world, false);
    support_bytes b = {.data = malloc(room)};
    cr_assert_eq(kugel_snapshot_save(world, false, b.data, room, &b.size), KUGEL_OK);
    cr_assert_leq(b.size, room);
    return b;
}

/* The world that goes back to tick 25 has the meshes, whatever its tick: no allocation, the same
 * state, and 36 bytes a triangle less. */
Test(surfaces, without_meshes_a_world_goes_back)
{
    support_memory memory = {0};
    kugel_world *world = make(BODIES, &memory, 1);
    while (kugel_world_tick(world) < 25) step(world);
    support_bytes whole = support_snapshot_of(world), light = light_snapshot_of(world), after;
    cr_assert_lt(light.size + 12 * 2 * SUPPORT_TERRAIN_CELLS * SUPPORT_TERRAIN_CELLS, whole.size);
    while (kugel_world_tick(world) < 35) step(world);
    uint64_t allocations = memory.allocations;
    restore(world, &light);
    cr_assert_eq(memory.allocations, allocations);
    after = support_snapshot_of(world);
    check_same(&whole, &after, 25);
    cr_assert_not(kugel_snapshot_difference(whole.data, whole.size, light.data, light.size, NULL));
    free(whole.data), free(light.data), free(after.data);
    kugel_world_destroy(world);
    cr_assert_eq(memory.bytes, 0);
}

/* Another world has the meshes at other indices: they are built from those. */
Test(surfaces, without_meshes_those_of_other_surfaces_are_used)
{
    kugel_world_def settings = support_surfaces_settings();
    kugel_surface_def stone = support_tetrahedron(), plain = kugel_surface_def_default();
    support_terrain terrain;
    support_random random = {11};
    kugel_world *from, *to;
    plain = support_terrain_make(&terrain, &random, 0.5);
    cr_assert_eq(kugel_world_create(&settings, &from), KUGEL_OK);
    cr_assert_eq(kugel_world_create(&settings, &to), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(from, &stone, NULL), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(from, &plain, NULL), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(from, &stone, NULL), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(to, &plain, NULL), KUGEL_OK);
    support_bytes light = light_snapshot_of(from), a = support_snapshot_of(from), b;
    kugel_snapshot_info info;
    cr_assert_eq(kugel_snapshot_check(light.data, light.size, &info, NULL), KUGEL_OK);
    uint64_t before = kugel_world_hash(to);
    cr_assert_eq(kugel_snapshot_restore(to, light.data, light.size), KUGEL_ERROR_STATE);
    cr_assert(strstr(kugel_world_last_error(to)->message, "mesh of 4 triangles"), "%s",
              kugel_world_last_error(to)->message);
    cr_assert_eq(kugel_world_hash(to), before, "the world stays as it was");
    cr_assert_eq(kugel_surface_create(to, &stone, NULL), KUGEL_OK);
    restore(to, &light);
    b = support_snapshot_of(to);
    check_same(&a, &b, 0);
    free(light.data), free(a.data), free(b.data);
    kugel_world_destroy(from);
    kugel_world_destroy(to);
}

/* A solid shape is saved with its numbers; a forged name of its geometry makes no mesh of it. */
Test(surfaces, without_meshes_no_shape_is_taken_for_a_mesh)
{
    kugel_world_def settings = support_surfaces_settings();
    kugel_surface_def cone = kugel_surface_def_default(), stone = support_tetrahedron();
    kugel_world *world;
    cone.shape = KUGEL_SURFACE_CONE, cone.size[0] = cone.size[1] = 5, cone.size[2] = 0.5;
    cr_assert_eq(kugel_world_create(&settings, &world), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, &stone, NULL), KUGEL_OK);
    support_bytes light = light_snapshot_of(world);
    kg_snapshot_view view;
    cr_assert_eq(kg_snapshot_open(light.data, light.size, &view, NULL), KUGEL_OK);
    kg_surface_record record = {0};
    const uint8_t *next = view.surfaces;
    cr_assert(kg_snapshot_surfaces_next(&view, &next, &record));
    size_t at = (size_t)(view.surfaces - light.data);
    cr_assert_eq(kugel_surface_destroy(world, kugel_world_surface(world, 0)), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, &cone, NULL), KUGEL_OK);
    const kg_surface *solid = &world->surfaces.items[0];
    kg_put32(light.data + at + 8 + 28, solid->mesh.vertex_count);
    kg_put32(light.data + at + 8 + 32, solid->mesh.triangle_count);
    kg_put64(light.data + (record.geometry - light.data), solid->geometry_hash);
    support_put_checksum(&light);
    cr_assert_eq(kugel_snapshot_check(light.data, light.size, NULL, NULL), KUGEL_OK);
    uint64_t before = kugel_world_hash(world);
    cr_assert_eq(kugel_snapshot_restore(world, light.data, light.size), KUGEL_ERROR_STATE);
    cr_assert_eq(kugel_world_hash(world), before);
    free(light.data);
    kugel_world_destroy(world);
}

/* Deltas between snapshots of both kinds. */
Test(surfaces, without_meshes_deltas_work)
{
    kugel_world *world = run_to(4, 12);
    support_bytes s[4] = {support_snapshot_of(world), light_snapshot_of(world)};
    for (int k = 0; k < 20; ++k) step(world);
    s[2] = support_snapshot_of(world), s[3] = light_snapshot_of(world);
    for (int from = 0; from < 4; ++from) {
        for (int to = 0; to < 4; ++to) {
            support_bytes delta = support_delta_of(&s[from], &s[to]);
            free(delta.data);
        }
    }
    for (int k = 0; k < 4; ++k) free(s[k].data);
    kugel_world_destroy(world);
}

/* Every byte flipped, and every length: refused. */
Test(surfaces, damage_is_refused_and_the_world_stays_as_it_was)
{
    kugel_world *world = run_to(4, 25), *target = run_to(2, 12);
    support_bytes s = support_snapshot_of(world), before = support_snapshot_of(target), after;
    for (size_t k = 0; k < s.size; ++k) {
        s.data[k] ^= (uint8_t)(1 << k % 8);
        cr_assert_eq(kugel_snapshot_restore(target, s.data, s.size), KUGEL_ERROR_FORMAT);
        s.data[k] ^= (uint8_t)(1 << k % 8);
        cr_assert_eq(kugel_snapshot_restore(target, s.data, k), KUGEL_ERROR_FORMAT);
    }
    after = support_snapshot_of(target);
    check_same(&before, &after, 12);
    free(s.data), free(before.data), free(after.data);
    kugel_world_destroy(world);
    kugel_world_destroy(target);
}

/* Each byte of the section changed, with a check that fits: refused and the world as it was, or a
 * world that writes these bytes again and steps. */
Test(surfaces, foreign_bytes_with_a_right_check_do_no_harm)
{
    kugel_world *world = run_to(4, 25), *target = run_to(0, 12);
    support_bytes s = support_snapshot_of(world), before = support_snapshot_of(target), after;
    kg_snapshot_view view;
    uint32_t taken = 0, refused = 0;
    cr_assert_eq(kg_snapshot_open(s.data, s.size, &view, NULL), KUGEL_OK);
    const uint8_t *at = view.surfaces;
    kg_surface_record terrain;
    cr_assert(kg_snapshot_surfaces_next(&view, &at, &terrain));
    for (size_t k = 80; k < (size_t)(view.surfaces_end - s.data); ++k) {
        if (k == 88) k = (size_t)(view.surfaces - s.data);
        if (s.data + k > terrain.vertices && s.data + k < terrain.triangles && k % 5) continue;
        for (int change = 0; change < 2; ++change) {
            uint8_t was = s.data[k];
            s.data[k] = change ? (uint8_t)~was : (uint8_t)(was ^ 1 << k % 8);
            support_put_checksum(&s);
            kugel_status status = kugel_snapshot_restore(target, s.data, s.size);
            cr_assert(!status || status == KUGEL_ERROR_FORMAT, "byte %zu: %s", k,
                      kugel_world_last_error(target)->message);
            after = support_snapshot_of(target);
            if (status) check_same(&before, &after, 12);
            else check_same(&s, &after, 25);
            taken += !status, refused += status != 0;
            if (!status && k % 7 == 0) {
                kugel_world_step(target, 1 / 60.);
                uint8_t *stepped = malloc(support_snapshot_room(target, true));
                size_t size;
                kugel_snapshot_save(target, true, stepped, support_snapshot_room(target, true),
                                    &size);
                kugel_error error = {0};
                cr_assert_eq(kugel_snapshot_check(stepped, size, NULL, &error), KUGEL_OK,
                             "byte %zu: %s %s", k, error.argument, error.message);
                free(stepped);
            }
            if (!status) restore(target, &before);
            free(after.data);
            s.data[k] = was;
        }
    }
    cr_assert(taken > 1000 && refused > 1000, "%u taken, %u refused", taken, refused);
    free(s.data), free(before.data);
    kugel_world_destroy(world);
    kugel_world_destroy(target);
}

/* Each byte of the section of a snapshot without meshes changed, with a check that fits. */
Test(surfaces, foreign_names_with_a_right_check_do_no_harm)
{
    kugel_world *world = run_to(4, 25);
    support_bytes s = light_snapshot_of(world), before = support_snapshot_of(world), after;
    kg_snapshot_view view;
    uint32_t taken = 0, refused = 0;
    cr_assert_eq(kg_snapshot_open(s.data, s.size, &view, NULL), KUGEL_OK);
    size_t end = (size_t)(view.surfaces_end - s.data);
    for (size_t k = (size_t)(view.surfaces - s.data); k < end; ++k) {
        for (int bit = 0; bit < 8; ++bit) {
            s.data[k] ^= (uint8_t)(1 << bit);
            support_put_checksum(&s);
            kugel_status status = kugel_snapshot_restore(world, s.data, s.size);
            cr_assert(!status || status == KUGEL_ERROR_FORMAT || status == KUGEL_ERROR_STATE);
            after = status ? support_snapshot_of(world) : light_snapshot_of(world);
            check_same(status ? &before : &s, &after, 25);
            if (!status) restore(world, &before);
            taken += !status, refused += status != 0;
            free(after.data);
            s.data[k] ^= (uint8_t)(1 << bit);
        }
    }
    cr_assert(taken > 100 && refused > 100, "%u taken, %u refused", taken, refused);
    free(s.data), free(before.data);
    kugel_world_destroy(world);
}

/* A change of one field, and the argument of the error. */
Test(surfaces, what_no_world_can_hold_is_refused_by_name)
{
    kugel_world *world = run_to(6, 25), *target = run_to(0, 3);
    support_bytes s = support_snapshot_of(world), before = support_snapshot_of(target), after;
    kg_snapshot_view view;
    kg_surface_record a, b;
    cr_assert_eq(kg_snapshot_open(s.data, s.size, &view, NULL), KUGEL_OK);
    const uint8_t *next = view.surfaces;
    cr_assert(kg_snapshot_surfaces_next(&view, &next, &a) &&
              kg_snapshot_surfaces_next(&view, &next, &b));
    size_t first = (size_t)(a.head - s.data), second = (size_t)(b.head - s.data), def = second + 8,
           mesh = second + KG_SURFACE_RECORD_HEADER;
    const uint64_t nan = 0x7ff8000000000000u, minus_zero = (uint64_t)1 << 63;
    const struct {
        char name[32];
        size_t at;
        uint64_t value;
        size_t bytes;
    } rows[] = {
        {"data", 80, 2, 4},
        {"data", 80, 4, 4},
        {"data", 80, KG_SURFACE_LIMIT + 1, 4},
        {"surface", second, 0, 4},
        {"surface", second, KG_SURFACE_LIMIT, 4},
        {"surface", first, 1, 4},
        {"surface.first_triangle", second + 4, 0, 4},
        {"surface.first_triangle", second + 4, a.def.triangle_count - 1, 4},
        {"surface.first_triangle", second + 4, KG_MESH_TRIANGLE_LIMIT, 4},
        {"surface.first_triangle", second + 4, UINT32_MAX, 4},
        {"data", def + 28, 5, 4},
        {"data", def + 28, UINT32_MAX, 4},
        {"data", def + 32, UINT32_MAX, 4},
        {"surface", def + 4, kg_double_to_bits(1), 8}, /* a size of a mesh */
        {"surface", def + 36, 2, 4},                   /* a flag that is none */
        {"surface.vertices", def, KUGEL_SURFACE_PLANE, 4},
        {"surface.shape", def, KUGEL_SURFACE_BOX + 1, 4},
        {"surface.position", def + 40, nan, 8},
        {"surface", def + 40, minus_zero, 8},
        {"surface.rotation", def + 40 + 24, kg_double_to_bits(2), 8},
        {"surface.velocity", def + 40 + 56, nan, 8},
        {"surface.spin", def + 40 + 80, kg_double_to_bits(1e16), 8},
        {"surface", def + 40 + 80, minus_zero, 8},
        {"surface.tangent_velocity", def + 40 + 104, nan, 8},
        {"surface.restitution", def + 40 + 128, kg_double_to_bits(1.5), 8},
        {"surface.friction", def + 40 + 136, kg_double_to_bits(-1), 8},
        {"surface.rolling_resistance", def + 40 + 144, nan, 8},
        {"surface.tangential_restitution", def + 40 + 152, kg_double_to_bits(-1.5), 8},
        {"surface", def + 40 + 152, minus_zero, 8},
        {"surface.kind", def + 212, KUGEL_KIND_COUNT, 4},
        {"surface.vertices", mesh + 16, nan, 8},
        {"surface.vertices", mesh + 16, kg_double_to_bits(1e16), 8},
        {"surface.vertices", mesh + 16, minus_zero, 8},
        {"surface.triangles", mesh + 4 * 24 + 4, 4, 4},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        uint8_t was[8];
        kugel_error error = {0};
        memcpy(was, s.data + rows[k].at, 8);
        kg_put(s.data + rows[k].at, rows[k].value, rows[k].bytes);
        support_put_checksum(&s);
        cr_expect_eq(kugel_snapshot_check(s.data, s.size, NULL, &error), KUGEL_ERROR_FORMAT);
        cr_expect_str_eq(error.argument, rows[k].name, "row %zu: %s is refused as %s: %s", k,
                         rows[k].name, error.argument, error.message);
        cr_expect_eq(kugel_snapshot_restore(target, s.data, s.size), KUGEL_ERROR_FORMAT);
        memcpy(s.data + rows[k].at, was, 8);
    }
    /* two vertices that are one: only building finds it */
    memcpy(s.data + mesh, s.data + mesh + 24, 24);
    support_put_checksum(&s);
    cr_expect_eq(kugel_snapshot_restore(target, s.data, s.size), KUGEL_ERROR_FORMAT);
    cr_expect_str_eq(kugel_world_last_error(target)->argument, "surface.triangles");
    after = support_snapshot_of(target);
    check_same(&before, &after, 3);
    free(s.data), free(before.data), free(after.data);
    kugel_world_destroy(world);
    kugel_world_destroy(target);
}

/* Contacts with features of no surface, or that are no feature. */
Test(surfaces, contacts_with_what_does_not_exist_are_refused)
{
    kugel_world *world = run_to(6, 60), *forged;
    uint32_t k = 0, end = 0;
    cr_assert_eq(kugel_world_clone(world, &forged), KUGEL_OK);
    for (uint32_t i = 0; i < world->surfaces.end; ++i) {
        const kg_surface *s = &world->surfaces.items[i];
        if (s->used && s->first_triangle + s->mesh.triangle_count > end)
            end = s->first_triangle + s->mesh.triangle_count;
    }
    while (world->contacts.items[k].with != KG_WITH_FEATURE)
        cr_assert_lt(++k, world->contacts.count);
    kg_contact good = forged->contacts.items[k];
    forged->contacts.count = 1;
    const struct {
        uint32_t b;
        uint8_t with;
        bool fits;
    } rows[] = {
        {good.b, KG_WITH_FEATURE, true},
        {good.b, 0, false},
        {good.b / 8 * 8 + 7, KG_WITH_FEATURE, false},
        {KG_BOUNDARY_FEATURES + 8 * end - 2, KG_WITH_FEATURE, true},
        {KG_BOUNDARY_FEATURES + 8 * end, KG_WITH_FEATURE, false},
        {UINT32_MAX, KG_WITH_FEATURE, false},
        {0, KG_WITH_FEATURE, false},
        {good.b, 66, false},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; ++row) {
        forged->contacts.items[0] = good;
        forged->contacts.items[0].b = rows[row].b, forged->contacts.items[0].with = rows[row].with;
        support_bytes s = support_snapshot_of(forged);
        kugel_error error = {0};
        kugel_status status = kugel_snapshot_check(s.data, s.size, NULL, &error);
        cr_expect_eq(status, rows[row].fits ? KUGEL_OK : KUGEL_ERROR_FORMAT, "row %zu", row);
        if (status) cr_expect_str_eq(error.argument, "contacts");
        free(s.data);
    }
    kugel_world_destroy(world);
    kugel_world_destroy(forged);
}

Test(surfaces, out_of_memory_leaves_the_world_as_it_was)
{
    kugel_world *world = run_to(3, 25);
    support_bytes s = support_snapshot_of(world);
    uint64_t fail = 1;
    for (bool done = false; !done; ++fail) {
        support_memory memory = {0};
        kugel_world *target = make(1, &memory, 1);
        kugel_surface_def stone = support_tetrahedron(); /* at index 1: is replaced */
        cr_assert_eq(kugel_surface_create(target, &stone, NULL), KUGEL_OK);
        support_bytes before = support_snapshot_of(target);
        memory.fail_at = memory.allocations + fail;
        kugel_status status = kugel_snapshot_restore(target, s.data, s.size);
        memory.fail_at = 0;
        support_bytes after = support_snapshot_of(target);
        done = !status;
        if (status) cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY);
        check_same(status ? &before : &s, &after, fail);
        if (status) restore(target, &s);
        cr_assert_eq(kugel_world_step(target, 0.01), KUGEL_OK);
        free(before.data), free(after.data);
        kugel_world_destroy(target);
        cr_assert_eq(memory.bytes, 0);
        cr_assert_lt(fail, 500);
    }
    cr_assert_gt(fail, 10);
    free(s.data);
    kugel_world_destroy(world);
}

Test(surfaces, differences_are_named)
{
    kugel_world *world = run_to(1, 25), *clone;
    support_bytes a = support_snapshot_of(world), b;
    kugel_divergence d = {0};
    const double place[3] = {2, 4, 0.5};
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
#define CHECK(call, name, index)                                                                   \
    do {                                                                                           \
        restore(clone, &a);                                                                        \
        call;                                                                                      \
        b = support_snapshot_of(clone);                                                            \
        cr_assert(kugel_snapshot_difference(a.data, a.size, b.data, b.size, &d), name);            \
        cr_assert_str_eq(d.field, name);                                                           \
        cr_assert_eq(d.body, index);                                                               \
        free(b.data);                                                                              \
    } while (0)
    kg_surface *s = &clone->surfaces.items[2];
    CHECK(kugel_surface_set_pose(clone, kugel_world_surface(clone, 2), place, s->rotation),
          "surface.position.y", 2);
    cr_assert(d.expected == 3 && d.found == 4);
    CHECK(kugel_surface_set_pose(clone, kugel_world_surface(clone, 2), s->position,
                                 (double[4]){0, 0, 1, 0}),
          "surface.rotation.z", 2);
    CHECK(kugel_surface_set_motion(clone, kugel_world_surface(clone, 2), place, (double[3]){0}),
          "surface.velocity.x", 2);
    CHECK(kugel_surface_set_motion(clone, kugel_world_surface(clone, 2), (double[3]){0}, place),
          "surface.spin.x", 2);
    CHECK(s->material.friction = 0.25, "surface.friction", 2);
    CHECK(s->material.group = 7, "surface.group", 2);
    double was = s->mesh.vertex[4];
    CHECK(s->mesh.vertex[4] = 3, "surface.geometry", 2);
    CHECK((s->mesh.vertex[4] = was, s->mesh.one_sided = false), "surface.one_sided", 2);
    CHECK(kugel_surface_destroy(clone, kugel_world_surface(clone, 2)), "surfaces", 0);
#undef CHECK
    free(a.data);
    kugel_world_destroy(world);
    kugel_world_destroy(clone);
}

/* Any two ticks. Equal surfaces cost a few bytes; a placed one costs its place. */
Test(surfaces, deltas_give_back_the_snapshot)
{
    enum { N = 12 };
    support_bytes at[N];
    kugel_world *world = make(3, NULL, 1);
    for (int k = 0; k < N; ++k) {
        while (kugel_world_tick(world) < 8 * (uint64_t)k) step(world);
        at[k] = support_snapshot_of(world);
    }
    for (int base = 0; base < N; ++base) {
        for (int to = 0; to < N; ++to) {
            support_bytes delta = support_delta_of(&at[base], &at[to]);
            uint8_t *out = malloc(at[to].size);
            size_t got;
            cr_assert_lt(delta.size, 2000, "the terrain is in it: %zu bytes", delta.size);
            for (size_t k = 0; base == 1 && k < delta.size; ++k) {
                delta.data[k] ^= 4;
                cr_assert_neq(kugel_delta_apply(at[base].data, at[base].size, delta.data,
                                                delta.size, out, at[to].size, &got),
                              KUGEL_OK);
                delta.data[k] ^= 4;
            }
            free(delta.data), free(out);
        }
    }
    for (int k = 0; k < N; ++k) free(at[k].data);
    kugel_world_destroy(world);
}

/* The sync test restores surfaces that its calls change. */
static kugel_status call(void *user, kugel_world *world, uint64_t tick)
{
    (void)user;
    support_surfaces_calls(world, tick);
    return KUGEL_OK;
}

Test(surfaces, sync_test_is_the_same)
{
    kugel_world *world = make(9, NULL, 1);
    kugel_sync_def def = kugel_sync_def_default();
    kugel_sync_report report;
    def.ticks = 90, def.input = call;
    cr_assert_eq(kugel_sync_test(world, &def, &report), KUGEL_OK);
    cr_assert(report.same && report.ticks == 90, "tick %d: %s", (int)report.divergence.tick,
              report.divergence.field);
    kugel_world_destroy(world);
}
