/* Contacts become rows: slots, geometry, masses, mixed surfaces, last substep's impulses. */
#include <math.h>

#include "contact/contact.h"

enum { COLUMN_ROWS };

static void surfaces(const kugel_world *world, kg_contact_row *row, uint32_t other)
{
    const kg_material *m = kg_material_of(&world->bodies, row->a);
    double friction, rolling = m->rolling_resistance, arm = row->radius[0];
    if (other == KG_OTHER_BODY) {
        const kg_material *n = kg_material_of(&world->bodies, row->b);
        friction = n->friction;
        rolling = n->rolling_resistance > rolling ? n->rolling_resistance : rolling;
    } else {
        friction = other < KG_OTHER_PLANE ? world->def.bounds.friction : world->planes[other - KG_OTHER_PLANE].friction;
    }
    if (row->b != KG_NONE) arm = arm * row->radius[1] / (arm + row->radius[1]);
    row->friction = (float)sqrt(m->friction * friction);
    row->rolling = (float)(rolling * arm);
}

static double inverse_inertia(double inverse_mass, double radius)
{
    return inverse_mass > 0 ? inverse_mass / (0.4 * radius * radius) : 0;
}

static void masses(const kugel_world *world, kg_contact_row *row)
{
    double turn = 0, move = 0;
    for (int s = 0; s < 2; ++s) {
        uint32_t slot = s ? row->b : row->a;
        double mass = slot != KG_NONE ? world->bodies.mass[slot] : 0;
        double inverse = mass > 0 ? 1 / mass : 0, radius = slot != KG_NONE ? world->bodies.radius[slot] : 0;
        row->inverse_mass[s] = (float)inverse;
        row->radius[s] = (float)radius;
        move += inverse;
        turn += inverse_inertia(inverse, radius);
    }
    row->normal_mass = (float)(1 / move);
    row->friction_mass = (float)(1 / (3.5 * move)); /* solid spheres: see impact/resolve.c */
    row->rolling_mass = (float)(1 / turn);
}

bool kg_contact_reserve_rows(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    size_t n = world->work.contacts.count;
    if (!kg_column_reserve(&world->memory, &stage->columns[COLUMN_ROWS], sizeof *stage->rows, n, 0)) return false;
    stage->rows = stage->columns[COLUMN_ROWS].data;
    return true;
}

void kg_contact_make_rows(kugel_world *world)
{
    const kg_contact_set *set = &world->work.contacts;
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_contact *c = &set->items[k];
        kg_contact_row *row = &world->contact->rows[k];
        double normal[3], along = 0;
        row->a = world->bodies.slot[c->a];
        row->b = c->other == KG_OTHER_BODY ? world->bodies.slot[c->b] : KG_NONE;
        row->gap = (float)kg_contact_geometry(world, row->a, row->b, c->other, normal);
        masses(world, row);
        surfaces(world, row, c->other);
        row->normal_impulse = c->normal_impulse;
        for (int i = 0; i < 3; ++i) along += c->friction[i] * normal[i];
        for (int i = 0; i < 3; ++i) {
            row->normal[i] = (float)normal[i];
            row->friction_impulse[i] = (float)(c->friction[i] - along * normal[i]);
            row->rolling_impulse[i] = c->rolling[i];
        }
    }
}
