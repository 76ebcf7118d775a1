/* Moving spheres against bodies at rest: kugel_sweep_sphere_sphere for those that the cells name. */
#include "geometry/sweep.h"
#include "query/query.h"
#include "query/top.h"
#include "query/walk.h"

typedef struct asker {
    const kg_seen *seen;
    const kugel_ray *ray;
    double radius, to_s;
    kugel_cast_hit best; /* the time is all of its contact */
    kg_exact met; /* the best one */
    kg_top top;
} asker;

static bool goes_before(const kugel_cast_hit *a, const kugel_cast_hit *b)
{
    if (a->contact.time != b->contact.time) return a->contact.time < b->contact.time;
    if (a->body != b->body) return kugel_body_id(a->body) < kugel_body_id(b->body);
    for (int k = 0; k < 3; ++k) {
        if (a->image[k] != b->image[k]) return a->image[k] < b->image[k];
    }
    return false;
}

static bool item_before(const void *a, const void *b) { return goes_before(a, b); }

static void center_of(const asker *a, const double x[3], const int32_t image[3], double center[3])
{
    for (int k = 0; k < 3; ++k) center[k] = x[k] + image[k] * a->seen->world->query->length[k];
}

/* The time as in kugel_sweep_spheres: the same operations in the same order. */
static inline bool asks(const asker *a, const kg_exact *exact, const int32_t image[3], double *time)
{
    double center[3], d[3], w[3], reach = a->radius + exact->radius;
    const double rest[3] = {0, 0, 0};
    center_of(a, exact->x, image, center);
    kg_sub3(d, center, a->ray->origin);
    kg_sub3(w, rest, a->ray->direction);
    double c = kg_dot3(d, d) - reach * reach;
    *time = c <= 0 ? 0 : kg_sweep_spheres(d, w, reach, a->ray->t_max);
    return *time < KG_NEVER;
}

static inline double visit_closest(void *context, const kg_exact *exact, const int32_t image[3], double end)
{
    asker *a = context;
    double time;
    if (!asks(a, exact, image, &time)) return end;
    kugel_cast_hit hit = {.body = exact->body, .image = {image[0], image[1], image[2]}, .contact.time = time};
    if ((a->best.body && !goes_before(&hit, &a->best)) || !kg_sees(a->seen, exact->body)) return end;
    a->best = hit;
    a->met = *exact;
    return time * a->to_s * (1 + 1e-12);
}

static inline double visit_any(void *context, const kg_exact *exact, const int32_t image[3], double end)
{
    asker *a = context;
    double time;
    if (a->best.body || !asks(a, exact, image, &time) || !kg_sees(a->seen, exact->body)) return end;
    a->best.body = exact->body;
    return -1;
}

static inline double visit_all(void *context, const kg_exact *exact, const int32_t image[3], double end)
{
    asker *a = context;
    double time;
    if (!asks(a, exact, image, &time) || !kg_sees(a->seen, exact->body)) return end;
    kugel_cast_hit hit = {.body = exact->body, .image = {image[0], image[1], image[2]}, .contact.time = time};
    kg_top_offer(&a->top, &hit);
    return end;
}

static kg_line line_of(asker *a)
{
    kg_line line = {.radius = a->radius};
    double scale = kg_unit_scale(kg_max_abs3(a->ray->direction));
    kg_copy3(line.origin, a->ray->origin);
    kg_scale3(line.unit, a->ray->direction, scale);
    a->to_s = 1 / scale;
    line.end = kg_max_abs3(line.unit) == 0 ? 0 : a->ray->t_max * a->to_s;
    return line;
}

static void fill(const asker *a, const kg_exact *exact, kugel_cast_hit *hit)
{
    double center[3];
    center_of(a, exact->x, hit->image, center);
    kugel_sweep_sphere_sphere(a->ray->origin, a->ray->direction, a->radius, center, exact->radius, a->ray->t_max,
                              &hit->contact);
}

void kg_cast_closest(const kg_seen *seen, const kugel_ray *ray, double radius, kugel_cast_hit *hit)
{
    asker a = {.seen = seen, .ray = ray, .radius = radius};
    kg_line line = line_of(&a);
    kg_walk_line(seen->world, &line, visit_closest, &a);
    *hit = a.best;
    if (hit->body) fill(&a, &a.met, hit);
}

bool kg_cast_any(const kg_seen *seen, const kugel_ray *ray, double radius)
{
    asker a = {.seen = seen, .ray = ray, .radius = radius};
    kg_line line = line_of(&a);
    kg_walk_line(seen->world, &line, visit_any, &a);
    return a.best.body != 0;
}

size_t kg_cast_all(const kg_seen *seen, const kugel_ray *ray, double radius, size_t capacity, kugel_cast_hit *hits)
{
    asker a = {.seen = seen, .ray = ray, .radius = radius};
    a.top = (kg_top){(char *)hits, sizeof *hits, capacity, 0, 0, item_before, false};
    kg_line line = line_of(&a);
    kg_walk_line(seen->world, &line, visit_all, &a);
    kg_top_sort(&a.top);
    for (size_t k = 0; k < a.top.kept; ++k) {
        kg_exact exact = kg_exact_of(seen->world, hits[k].body);
        fill(&a, &exact, &hits[k]);
    }
    return a.top.all;
}
