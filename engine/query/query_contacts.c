/* Resting contacts between steps: those of one body, and the description of a single one.
 * In: the index of contacts, columns of the bodies. Out: kugel_resting_contact.
 * Order of a body's contacts: other bodies by id, then surfaces, then faces. */
#include "base/assert.h"
#include "query/query.h"
#include "query/query_index.h"
#include "world/boundary.h"
#include "world/pair_gap.h"
#include "world/periodic.h"

/* Returns the gap, m. The unit normal points from a to b or into the boundary. */
static double measure_contact(const kugel_world *world, uint32_t a, const kg_contact *c,
                              double normal[3])
{
    const kg_bodies *bodies = &world->bodies;
    const double x[3] = {bodies->x[0][a], bodies->x[1][a], bodies->x[2][a]};
    if (c->with != KG_WITH_BODY)
        return kg_boundary_contact_gap(world, c->b, 0, x, bodies->radius[a], normal);
    uint32_t b = bodies->slot[c->b];
    double d[3];
    for (int k = 0; k < 3; ++k) d[k] = kg_periodic_nearest_image(world, k, bodies->x[k][b] - x[k]);
    return kg_pair_gap(d, bodies->radius[a], bodies->radius[b], normal);
}

static void set_point(const kg_bodies *bodies, uint32_t a, kugel_resting_contact *out)
{
    for (int k = 0; k < 3; ++k)
        out->point[k] = bodies->x[k][a] + bodies->radius[a] * out->normal[k];
}

void kg_query_contact(const kugel_world *world, const kg_contact *c, kugel_resting_contact *out)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t a = bodies->slot[c->a];
    *out = (kugel_resting_contact){
        .index = c->b, .a = kg_bodies_handle(bodies, a), .force = c->normal_force};
    if (c->with == KG_WITH_BODY) out->b = kg_bodies_handle(bodies, bodies->slot[c->b]);
    else KG_NAME_TARGET(out, kg_boundary_name_of(world, c->b));
    out->gap = measure_contact(world, a, c, out->normal);
    set_point(bodies, a, out);
    /* the set stores the friction force on b, a result has that on a */
    for (int k = 0; k < 3; ++k) out->friction[k] = 0.0 - c->friction[k];
}

/* Exchanges a and b. Point, normal and friction force become those of the new a. */
static void exchange_bodies(const kugel_world *world, kugel_resting_contact *contact)
{
    kugel_body b = contact->b;
    contact->b = contact->a;
    contact->a = b;
    contact->index = kugel_body_id(contact->b);
    for (int k = 0; k < 3; ++k) {
        contact->normal[k] = 0.0 - contact->normal[k];
        contact->friction[k] = 0.0 - contact->friction[k];
    }
    set_point(&world->bodies, world->bodies.slot[kugel_body_id(b)], contact);
}

size_t kg_query_body_contacts(const kugel_world *world, uint32_t id, size_t capacity,
                              kugel_resting_contact *contacts)
{
    KG_ASSERT(kg_contact_index_is_ready(world));
    size_t n = 0;
    kg_body_contacts walk = kg_contact_index_of(world, id);
    for (const kg_contact *c; n < capacity && (c = kg_body_contacts_next(&walk));) {
        kg_query_contact(world, c, &contacts[n]);
        if (c->a != id) exchange_bodies(world, &contacts[n]);
        n += 1;
    }
    return world->bodies.contact_count[world->bodies.slot[id]];
}
