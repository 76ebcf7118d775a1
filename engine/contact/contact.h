/* The resting-contact stage, at the start of a substep: which pairs rest, and the impulses that hold
 * them. Sequential impulses (Catto 2005) with accumulated, warm-started normal and friction impulses;
 * a gap inside the slop may close at most within the substep (speculative constraint); penetration is
 * taken back by moving bodies, never by velocity, so that it cannot add energy that stays. */
#ifndef KG_CONTACT_CONTACT_H
#define KG_CONTACT_CONTACT_H

#include "grid/grid.h"

/* One contact while it is solved. Stored in float (a contact is read many times in a substep),
 * calculated in double; the two bodies always feel the same impulse, so momentum does not notice. */
typedef struct kg_contact_row {
    uint32_t a, b;    /* slots; b is KG_NONE for a boundary */
    float normal[3];  /* unit, a to b or into the boundary */
    float gap;        /* m, below 0: penetration */
    float inverse_mass[2], radius[2];
    float normal_mass, friction_mass, rolling_mass;
    float friction, rolling; /* coefficient; coefficient times arm (m) */
    float normal_impulse, friction_impulse[3], rolling_impulse[3];
} kg_contact_row;

/* A body in contact before the solve, by slot. */
typedef struct kg_contact_before {
    double v[3], w[3]; /* m/s, rad/s */
} kg_contact_before;

typedef struct kg_contact_stage {
    kg_contact_row *rows;
    kg_contact_before *before;
    double cell; /* edge of the ordering cells, m */
    kg_column columns[2];
} kg_contact_stage;

/* Find and end resting contacts, solve them; `start` is the substep's start in the tick, s. */
kugel_status kg_contact_run(kugel_world *world, double h, double start);
void kg_contact_free(kg_memory *memory, kg_contact_stage *stage);

/* collect.c: end contacts whose gap opened, begin those that touch slowly. */
kugel_status kg_contact_collect(kugel_world *world, double h, double start);
/* order.c: contacts into canonical order: colour, block, ids. */
void kg_contact_sort(kugel_world *world);
/* row.c: geometry of every contact as it is now. */
void kg_contact_make_rows(kugel_world *world);
/* Normal from a (to b or into the boundary) and gap, from places at the substep's start. */
double kg_contact_geometry(const kugel_world *world, uint32_t a, uint32_t b, uint32_t other, double normal[3]);
/* Room for one row a contact, which sorting uses as scratch before; false when out of memory. */
bool kg_contact_reserve_rows(kugel_world *world);
/* solve.c */
void kg_contact_solve(kugel_world *world, double h, int iterations);
/* Drop what the rows remember of the substep before. */
void kg_contact_forget_impulses(kugel_world *world);
void kg_contact_push(kugel_world *world);

#endif
