/* Visits the bodies near a point, for calls and reads that are no queries. In: a sphere. Out: each
 * body that may touch it, once, and perhaps others. Order: none. Cost: that of an overlap query if
 * the index is ready and no axis is periodic, else O(bodies): to build an index costs more. */
#include "query/query.h"
#include "query/query_walk_box.h"

typedef struct near_visit {
    const kg_bodies *bodies;
    kg_query_slot_visit *visit;
    void *context;
} near_visit;

static inline void visit_sphere(void *context, const kg_exact_sphere *exact, const int32_t image[3])
{
    const near_visit *v = context;
    (void)image; /* of a world that is not periodic */
    v->visit(v->context, v->bodies->slot[kugel_body_id(exact->body)]);
}

void kg_query_visit_near(const kugel_world *world, const double center[3], double radius,
                         kg_query_slot_visit *visit, void *context)
{
    near_visit v = {&world->bodies, visit, context};
    bool ready = atomic_load_explicit(&world->query->ready, memory_order_acquire);
    if (ready && !world->query->periodic) {
        kg_region region = kg_region_around(center, radius + 1e-9 * (radius + kg_max_abs3(center)));
        kg_walk_box(world, &region, visit_sphere, &v);
    } else {
        for (uint32_t i = 0; i < world->bodies.count; ++i) visit(context, i);
    }
}
