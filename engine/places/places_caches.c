/* What places keep from tick to tick, and what the world has instead (places.h): grid, stages, work
 * area. In: places by rows. Out: the caches of each. Cost: a comparison of the ids of large places.
 * Order: none; caches change no result. */
#include <string.h>

#include "contact/contact.h"
#include "grid/grid.h"
#include "impact/impact.h"
#include "places/places.h"

/* Places with at least so many bodies keep their lists from tick to tick. The others share memory,
 * and build lists in each tick. */
enum { LISTED_BODIES = 16 };

bool kg_stages_create(kg_memory *memory, kg_grid **grid, kg_impact_stage **impact,
                      kg_contact_stage **contact)
{
    *grid = kg_allocate_zeroed(memory, sizeof **grid);
    *impact = kg_allocate_zeroed(memory, sizeof **impact);
    *contact = kg_allocate_zeroed(memory, sizeof **contact);
    if (*impact) (*impact)->first_ghost = KG_NONE;
    return *grid && *impact && *contact;
}

void kg_stages_free(kg_memory *memory, kg_grid *grid, kg_impact_stage *impact,
                    kg_contact_stage *contact)
{
    if (grid) kg_grid_free(memory, grid);
    if (impact) kg_impact_free(memory, impact);
    if (contact) kg_contact_stage_free(memory, contact);
    kg_free(memory, grid, sizeof *grid);
    kg_free(memory, impact, sizeof *impact);
    kg_free(memory, contact, sizeof *contact);
}

static void destroy_caches(kg_memory *memory, kg_place_caches *c)
{
    if (!c) return;
    kg_stages_free(memory, c->grid, c->impact, c->contact);
    kg_work_free(memory, &c->work);
    kg_contact_set_free(memory, &c->contacts);
    kg_column_free(memory, &c->id_column);
    kg_free(memory, c, sizeof *c);
}

static kg_place_caches *create_caches(kg_memory *memory)
{
    kg_place_caches *c = kg_allocate_zeroed(memory, sizeof *c);
    if (!c || kg_stages_create(memory, &c->grid, &c->impact, &c->contact)) return c;
    destroy_caches(memory, c);
    return NULL;
}

bool kg_places_create(kg_memory *memory, kg_places **places)
{
    *places = kg_allocate_zeroed(memory, sizeof **places);
    return *places != NULL;
}

void kg_places_destroy(kg_memory *memory, kg_places *places)
{
    if (!places) return;
    for (uint32_t k = 0; k < places->cache_count; ++k) destroy_caches(memory, places->caches[k]);
    kg_columns_free(memory, places->columns, KG_PLACES_COLUMNS);
    kg_columns_free(memory, places->events.columns, KG_EVENT_LOG_COLUMNS);
    kg_contact_set_free(memory, &places->contacts);
    kg_free(memory, places, sizeof *places);
}

/* Add caches; NULL when out of memory. */
static kg_place_caches *add_caches(kugel_world *world)
{
    kg_places *p = world->places;
    if (!KG_RESERVE(&world->memory, &p->columns[KG_PLACES_COLUMN_CACHES], p->caches,
                    (size_t)p->cache_count + 1, p->cache_count))
        return NULL;
    kg_place_caches *c = create_caches(&world->memory);
    if (c) p->caches[p->cache_count++] = c;
    return c;
}

/* True if the lists of the caches are for these rows in this tick. */
static bool describe(const kugel_world *world, const kg_place_caches *c, const kg_place *place)
{
    return !world->grid->edited && c->tick == world->tick && c->id_count == place->count &&
           !memcmp(c->ids, world->bodies.id + place->first, place->count * sizeof *c->ids);
}

/* Give caches to a place; those that have no lists are the first ones. False when out of memory. */
static bool choose_caches(kugel_world *world, kg_place *place)
{
    kg_places *p = world->places;
    place->listed = false;
    place->caches = p->cache_count ? p->caches[0] : add_caches(world);
    if (place->count < LISTED_BODIES || !place->caches) return place->caches;
    kg_place_caches *unused = NULL;
    for (uint32_t k = 1; k < p->cache_count; ++k) {
        kg_place_caches *c = p->caches[k];
        if (c->taken) continue;
        place->listed = describe(world, c, place);
        if (place->listed) return (place->caches = c)->taken = true;
        if (c->tick != world->tick) unused = c;
    }
    place->caches = unused ? unused : add_caches(world);
    if (place->caches) place->caches->taken = true;
    return place->caches;
}

void kg_places_free_idle(kugel_world *world)
{
    enum { IDLE_TICKS = 64 };
    kg_places *p = world->places;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->cache_count; ++k) {
        kg_place_caches *c = p->caches[k];
        if (c->used_at + IDLE_TICKS >= world->tick) p->caches[kept++] = c;
        else destroy_caches(&world->memory, c);
    }
    p->cache_count = kept;
}

bool kg_places_choose_caches(kugel_world *world)
{
    kg_places *p = world->places;
    for (uint32_t k = 0; k < p->cache_count; ++k) p->caches[k]->taken = false;
    for (uint32_t k = 0; k < p->count; ++k) {
        if (!choose_caches(world, &p->items[k])) return false;
    }
    return true;
}

bool kg_places_note_rows(kugel_world *world, kg_place_caches *c)
{
    uint32_t n = world->bodies.count;
    c->id_count = 0;
    if (n < LISTED_BODIES) return true;
    if (!KG_RESERVE(&world->memory, &c->id_column, c->ids, n, 0)) return false;
    memcpy(c->ids, world->bodies.id, n * sizeof *c->ids);
    c->id_count = n;
    return true;
}
