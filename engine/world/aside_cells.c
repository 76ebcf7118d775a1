/* Finds bodies aside by their places (aside.h). A body is in the bucket of one cell, by its centre;
 * cells of a level are four times as wide as its largest radius. */
#include <string.h>

#include "base/cells.h"
#include "base/compiler.h"
#include "world/aside.h"
#include "world/world.h"

static int exponent_of(double radius)
{
    int exponent = kg_exponent_of(radius);
    if (exponent <= -KG_ASIDE_EXPONENT) return 1 - KG_ASIDE_EXPONENT;
    return exponent < KG_ASIDE_EXPONENT ? exponent : KG_ASIDE_EXPONENT - 1;
}

static uint32_t *level_of(kg_aside *aside, double radius)
{
    return &aside->level_count[exponent_of(radius) + KG_ASIDE_EXPONENT];
}

/* Coordinate of the cell of level `exponent`: a whole number. */
static double cell_of(double x, int exponent)
{
    return kg_cell_of(x * kg_power_of_two(-exponent - 2));
}

static uint32_t bucket_of(const kg_aside *aside, int exponent, const double cell[3])
{
    return kg_hash_cell(exponent, cell) & aside->bucket_mask;
}

static uint32_t *bucket_of_row(const kugel_world *world, uint32_t slot)
{
    double cell[3];
    int exponent = exponent_of(world->bodies.radius[slot]);
    for (int k = 0; k < 3; ++k) cell[k] = cell_of(world->bodies.x[k][slot], exponent);
    return &world->aside.bucket[bucket_of(&world->aside, exponent, cell)];
}

/* Put a row into the bucket of its cell. */
static void insert(kugel_world *world, uint32_t slot)
{
    uint32_t id = world->bodies.id[slot], *bucket = bucket_of_row(world, slot);
    world->aside.next[id] = *bucket;
    *bucket = id;
}

void kg_aside_cells_add(kugel_world *world, uint32_t slot)
{
    kg_aside *aside = &world->aside;
    int exponent = exponent_of(world->bodies.radius[slot]);
    if (!aside->count || exponent < aside->low) aside->low = exponent;
    if (!aside->count || exponent > aside->high) aside->high = exponent;
    *level_of(aside, world->bodies.radius[slot]) += 1;
    for (int k = 0; k < 3; ++k) {
        double x = world->bodies.x[k][slot], radius = world->bodies.radius[slot];
        if (!aside->count || x - radius < aside->box_low[k]) aside->box_low[k] = x - radius;
        if (!aside->count || x + radius > aside->box_high[k]) aside->box_high[k] = x + radius;
    }
    insert(world, slot);
}

void kg_aside_cells_remove(kugel_world *world, uint32_t slot)
{
    kg_aside *aside = &world->aside;
    uint32_t id = world->bodies.id[slot], *at = bucket_of_row(world, slot);
    while (*at != id) at = &aside->next[*at];
    *at = aside->next[id];
    *level_of(aside, world->bodies.radius[slot]) -= 1;
}

bool kg_aside_cells_reserve(kugel_world *world, uint32_t bodies)
{
    kg_aside *aside = &world->aside;
    uint32_t wanted = 64;
    while (wanted < bodies) wanted *= 2;
    if (aside->bucket && aside->bucket_mask + 1 >= wanted) return true;
    if (!KG_RESERVE(&world->memory, &aside->bucket_column, aside->bucket, wanted, 0)) return false;
    aside->bucket_mask = wanted - 1;
    memset(aside->bucket, 0xff, wanted * sizeof *aside->bucket);
    uint32_t first = kg_world_present(world);
    for (uint32_t i = first; i < first + aside->count; ++i) insert(world, i);
    return true;
}

void kg_aside_want_body(kg_aside *aside, uint32_t id)
{
    if (KG_ATOMIC_SET(&aside->wanted[id])) return;
    aside->wanted_ids[KG_ATOMIC_ADD(&aside->wanted_count, 1) - 1] = id;
}

/* The rows of the bodies aside, also while a place steps. */
static const kg_bodies *rows_of(const kugel_world *world)
{
    return world->all_bodies ? world->all_bodies : &world->bodies;
}

static bool want_if_inside(kugel_world *world, const kg_aside_box *box, uint32_t slot)
{
    const kg_bodies *bodies = rows_of(world);
    double radius = bodies->radius[slot] * (1 + box->wider);
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        double x = bodies->x[k][slot];
        inside = inside && x + radius >= box->low[k] && x - radius <= box->high[k];
    }
    if (inside) kg_aside_want_body(&world->aside, bodies->id[slot]);
    return inside;
}

static bool want_in_cells(kugel_world *world, const kg_aside_box *box, int exponent,
                          const double low[3], const double high[3])
{
    const kg_aside *aside = &world->aside;
    double at[3];
    bool any = false;
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1]) {
            for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
                uint32_t id = aside->bucket[bucket_of(aside, exponent, at)];
                for (; id != KG_NONE; id = aside->next[id])
                    any |= want_if_inside(world, box, rows_of(world)->slot[id]);
            }
        }
    }
    return any;
}

/* True if all bodies aside are out of reach. */
static bool is_apart(const kg_aside *aside, const kg_aside_box *box)
{
    double wider = box->wider * kg_power_of_two(aside->high);
    bool apart = false;
    for (int k = 0; k < 3; ++k)
        apart = apart || box->low[k] - wider > aside->box_high[k] ||
                box->high[k] + wider < aside->box_low[k];
    return apart;
}

bool kg_aside_want(kugel_world *world, const kg_aside_box *box)
{
    const kg_aside *aside = &world->aside;
    bool any = false;
    if (!aside->count || is_apart(aside, box)) return false;
    for (int exponent = aside->low; exponent <= aside->high && aside->count; ++exponent) {
        uint32_t count = aside->level_count[exponent + KG_ASIDE_EXPONENT];
        double reach = (1 + box->wider) * kg_power_of_two(exponent), cells = 1, low[3], high[3];
        for (int k = 0; k < 3 && count; ++k) {
            low[k] = cell_of(box->low[k] - reach, exponent);
            high[k] = cell_of(box->high[k] + reach, exponent);
            cells *= high[k] - low[k] + 1;
        }
        if (!count) continue;
        if (cells <= count + 64.) {
            any |= want_in_cells(world, box, exponent, low, high);
            continue;
        }
        const kg_bodies *rows = rows_of(world);
        uint32_t first = rows->count - (aside->hidden ? 0 : aside->count);
        for (uint32_t i = first; i < first + aside->count; ++i)
            any |= want_if_inside(world, box, i);
        return any;
    }
    return any;
}
