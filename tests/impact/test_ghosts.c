/* Ghosts and cell layers of subdomains: each subdomain holds exact copies of the bodies around it,
 * and a window counts only if the inner ones end as their originals. */
#include <criterion/criterion.h>
#include <string.h>

#include "impact/subdomain_data.h"
#include "support/support_substep.h"

static const double dt = 1 / 60.;

/* A gas on two threads, at the start of a substep that is divided into subdomains. */
typedef struct fixture {
    support_scene scene;
    kugel_world *world;
    kg_subdomains *subdomains;
    uint32_t visible; /* layers of ghosts on each side */
} fixture;

static fixture begin(kugel_face face)
{
    support_random random = support_random_start("ghosts", 1);
    fixture f = {.scene = support_scene_tower(face, &random)};
    f.scene.def.tasks.threads = 2;
    f.world = support_scene_world(&f.scene);
    support_run(f.world, dt, 3); /* the first window in subdomains reserves rows for its ghosts */
    support_substep_begin(f.world, dt);
    cr_assert(kg_predictor_of(f.world)->begin_window(f.world));
    cr_assert(kg_subdomains_are_planned(f.world));
    f.subdomains = f.world->impact->subdomains;
    f.visible = f.subdomains->inner_layers + f.subdomains->buffer_layers;
    memset(f.world->impact->path_hash, 0, f.world->bodies.count * sizeof(uint64_t));
    for (uint32_t s = 0; s < f.subdomains->count; ++s)
        kg_ghosts_copy(f.world, &f.subdomains->subdomain[s]);
    return f;
}

static void end(fixture *f)
{
    kugel_world_destroy(f->world);
    support_scene_free(&f->scene);
}

/* Every foreign body in the visible layers of a subdomain has one ghost there, with its state. */
static void check_copies(kugel_face face)
{
    fixture f = begin(face);
    const kugel_world *world = f.world;
    uint32_t next_row = world->bodies.count + 1, total = 0;
    for (uint32_t s = 0; s < f.subdomains->count; ++s) {
        const kg_subdomain *d = &f.subdomains->subdomain[s];
        uint32_t seen = 0;
        cr_assert_eq(d->first_ghost, next_row, "rows of subdomain %u", s);
        next_row += d->ghosts;
        for (uint32_t i = 0; i < world->bodies.count; ++i) {
            uint32_t far = d->layer_distance[kg_cell_layer_of(&world->grid->cell_lists, i)],
                     row = kg_subdomain_row(d, i);
            cr_assert_eq(row == KG_NONE, far > f.visible);
            cr_assert_eq(row == i, far == 0);
            if (far == 0 || far > f.visible) continue;
            seen += 1;
            cr_assert(row >= d->first_ghost && row < d->first_ghost + d->ghosts);
            cr_assert_eq(kg_subdomain_slot(d, row), i, "body %u has row %u", i, row);
            bool inner = d->ghost_slot[row - d->first_ghost] & KG_GHOST_INNER;
            cr_assert_eq(inner, far <= f.subdomains->inner_layers);
            cr_assert_eq(memcmp(&world->work.motion[i], &world->work.motion[row], 64), 0);
            cr_assert(world->bodies.id[i] == world->bodies.id[row] &&
                      world->bodies.mass[i] == world->bodies.mass[row]);
        }
        cr_assert_eq(seen, d->ghosts, "%u ghosts of %u bodies", d->ghosts, seen);
        cr_assert(kg_ghosts_agree(world, d));
        total += seen;
    }
    cr_assert_gt(total, 200, "only %u ghosts", total);
    end(&f);
}

Test(ghosts, copy_the_bodies_around_between_walls) { check_copies(KUGEL_FACE_WALL); }
Test(ghosts, copy_the_bodies_around_in_a_periodic_box) { check_copies(KUGEL_FACE_PERIODIC); }

/* One bit of the state, the path or the cell of an inner ghost's original ends the agreement; the
 * buffer around it may differ. */
Test(ghosts, agree_bit_for_bit)
{
    fixture f = begin(KUGEL_FACE_WALL);
    kugel_world *world = f.world;
    const kg_subdomain *d = &f.subdomains->subdomain[0];
    uint32_t tested = 0;
    for (uint32_t k = 0; k < d->ghosts; k += 7) {
        uint32_t i = d->ghost_slot[k] & ~KG_GHOST_INNER;
        bool inner = d->ghost_slot[k] & KG_GHOST_INNER;
        uint64_t *const bits[4] = {(uint64_t *)(void *)&world->work.motion[i].v[k % 3],
                                   (uint64_t *)(void *)&world->work.w[k % 3][i],
                                   &world->impact->path_hash[i],
                                   (uint64_t *)(void *)&world->work.motion[i].clock};
        for (int b = 0; b < 4; ++b) {
            *bits[b] ^= 1;
            cr_assert_eq(kg_ghosts_agree(world, d), !inner, "ghost %u, bit %d", k, b);
            *bits[b] ^= 1;
        }
        world->work.motion_version[i] += 1;
        cr_assert_eq(kg_ghosts_agree(world, d), !inner);
        world->work.motion_version[i] -= 1;
        world->grid->cell_lists.body_cell[i].cell ^= 1;
        cr_assert_eq(kg_ghosts_agree(world, d), !inner);
        world->grid->cell_lists.body_cell[i].cell ^= 1;
        tested += inner;
    }
    cr_assert(kg_ghosts_agree(world, d) && tested > 10);
    end(&f);
}

/* Two events that lead to one motion on different ways have different paths. */
Test(ghosts, paths_tell_histories_apart)
{
    fixture f = begin(KUGEL_FACE_WALL);
    kg_subdomain *d = &f.subdomains->subdomain[0];
    d->world.impact = &d->stage;
    d->stage.path_hash = f.world->impact->path_hash;
    d->stage.first_ghost = d->first_ghost;
    d->stage.paths = KG_PATHS_WINDOW;
    kg_motion *m = d->world.work.motion, way[3] = {m[0], m[0], m[0]};
    kg_resolve_advance_to(&way[0], 0.001);
    kg_resolve_advance_to(&way[1], 0.002);
    uint64_t hash[2] = {0, 0};
    for (int turn = 0; turn < 2; ++turn) {
        d->stage.path_hash[0] = 0;
        for (int k = 0; k < 2; ++k) {
            m[0] = way[turn ? 1 - k : k];
            kg_impact_hash_path(&d->world, 0);
        }
        hash[turn] = d->stage.path_hash[0];
    }
    cr_assert(hash[0] && hash[1] && hash[0] != hash[1]);
    m[0] = way[2];
    end(&f);
}

/* Each layer of the divided world is that of one owner; collected, each body is in its cell. */
Test(cell_layers, keep_the_cells)
{
    for (int periodic = 0; periodic < 2; ++periodic) {
        fixture f = begin(periodic ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL);
        kg_cell_lists *lists = &f.world->grid->cell_lists;
        size_t size = kg_cell_layer_size(lists), cells = size * lists->count[2];
        cr_assert(lists->in_subdomains);
        memset(lists->cell, 0, cells * sizeof *lists->cell); /* out of date: never read */
        for (uint32_t z = 1; z <= f.subdomains->layers; ++z) {
            const kg_subdomain *owner = &f.subdomains->subdomain[f.subdomains->owner[z]];
            cr_assert(z >= owner->first_layer && z < owner->end_layer, "layer %u", z);
            cr_assert_eq(kg_cell_layer(f.world, z), owner->cell + z * size);
        }
        kg_cell_layers_collect(f.world);
        cr_assert(!lists->in_subdomains && !kg_subdomains_are_planned(f.world));
        uint32_t found = 0, n = f.world->bodies.count;
        for (uint32_t i = 0; i < n; ++i) { /* each body is in its cell, or overflowed it */
            const uint32_t *cell = lists->cell[lists->body_cell[i].index];
            for (int k = 0; k < KG_CELL_CAPACITY; ++k)
                found += cell[k] == (i | KG_NEIGHBOUR_NO_IMAGE);
        }
        cr_assert_eq(found + lists->overflow_count, n, "%u of %u bodies", found, n);
        end(&f);
    }
}

/* Around its own layers a subdomain holds the rows of its ghosts, then an empty layer; its own
 * layers get their slots back. */
Test(cell_layers, halo_holds_rows_of_ghosts)
{
    fixture f = begin(KUGEL_FACE_PERIODIC);
    const kg_cell_lists *lists = &f.world->grid->cell_lists;
    size_t size = kg_cell_layer_size(lists);
    for (uint32_t s = 0; s < f.subdomains->count; ++s) {
        kg_subdomain *d = &f.subdomains->subdomain[s];
        uint32_t ghosts = 0, empty = 0;
        kg_cell_layers_copy_halo(f.world, d);
        for (uint32_t z = 1; z <= f.subdomains->layers; ++z) {
            uint32_t far = d->layer_distance[z];
            const kg_cell *own = d->cell + z * size, *from = kg_cell_layer(f.world, z);
            for (size_t c = 0; c < size && far <= f.visible + 1; ++c) {
                for (int k = 0; k < KG_CELL_CAPACITY && own[c][k] != KG_NONE; ++k) {
                    uint32_t row = own[c][k] & KG_NEIGHBOUR_SLOT, slot = kg_subdomain_slot(d, row);
                    cr_assert(far <= f.visible, "layer %u is not empty", z);
                    cr_assert_eq(row != slot, far > 0, "layer %u: slot %u, row %u", z, slot, row);
                    cr_assert_eq(from[c][k], (own[c][k] & ~KG_NEIGHBOUR_SLOT) | slot);
                    ghosts += far > 0;
                }
            }
            empty += far == f.visible + 1;
        }
        cr_assert(ghosts > 100 && empty > 0, "%u ghosts, %u empty layers", ghosts, empty);
        kg_cell *own = d->cell + d->first_layer * size;
        uint32_t *first = NULL;
        for (size_t c = 0; c < size && !first; ++c) first = own[c][0] != KG_NONE ? own[c] : NULL;
        cr_assert_not_null(first);
        uint32_t was = *first; /* a ghost that moved into the layer */
        *first = (was & ~KG_NEIGHBOUR_SLOT) | d->first_ghost;
        kg_cell_layers_restore_slots(f.world, d);
        cr_assert_eq(*first & KG_NEIGHBOUR_SLOT, d->ghost_slot[0] & ~KG_GHOST_INNER);
        *first = was;
    }
    end(&f);
}
