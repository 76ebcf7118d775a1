/* Walks through the cells of an index: along a line (Amanatides and Woo, "A fast voxel traversal
 * algorithm for ray tracing", 1987, made for a line of any thickness) and over a box.
 *
 * A thick line goes slab by slab along its longest direction; in a slab it visits the cells that
 * hold a centre within its reach. Every body is met at most once in an image. A cell's bodies are
 * first looked at in floats, with room for all rounding; the visitor is asked about those that
 * remain. Periodic axes: cell numbers go on without end, and wrap; the image is the number of
 * periods. Order: slabs in the direction of the line; within a slab none. */
#ifndef KG_QUERY_QUERY_WALK_H
#define KG_QUERY_QUERY_WALK_H

#include "base/vec.h"
#include "query/query_index.h"

#define KG_ALWAYS_INLINE static inline __attribute__((always_inline))

static inline kg_exact_sphere kg_walk_exact_sphere(const kugel_world *world, kugel_body body)
{
    const kg_bodies *b = &world->bodies;
    uint32_t i = b->slot[kugel_body_id(body)];
    return (kg_exact_sphere){{b->x[0][i], b->x[1][i], b->x[2][i]}, b->radius[i], body};
}

/* A sphere's way: origin + unit * s for s in [0, end], radius. */
typedef struct kg_line {
    double origin[3];
    double unit[3]; /* the direction times a power of two: its largest component is in [1, 2), or
                       all are 0 */
    double end;
    double radius;
} kg_line;

/* Asked about a body in an image; returns the new end of the line: s beyond which nothing matters.
 */
typedef double kg_line_visitor(void *context, const kg_exact_sphere *exact, const int32_t image[3],
                               double end);

/* A line in the terms of a group. */
typedef struct kg_slabs {
    int major, minor[2];
    int64_t from, to, step; /* slabs, to included */
    double near,
        per_slab; /* s at which the first slab can first be touched; and of one more slab */
    double place[2],
        per_place[2]; /* of the line along the minor axes at the first slab's low face, in cells */
    double low[2], high[2]; /* of what is in reach, from there */
    double least[2],
        most[2];           /* along periodic axes, of what the whole line has in reach, in cells */
    double to_unit[3];     /* from cells to the group's unit */
    int64_t stride[3];     /* from cell to cell */
    float along[3], reach; /* unit vector; radius + rounding_error, in the group's unit */
} kg_slabs;

/* The part of a line, widened by `reach`, that passes the group; false when there is none. */
bool kg_walk_line_slabs(const kg_query_group *group, const kg_line *line, kg_slabs *slabs);

/* Cell number `cell` of an axis with n cells, and the image it is in. */
static inline int64_t kg_walk_wrap_cell(int64_t cell, int64_t n, int32_t *image)
{
    int64_t t = cell / n;
    t -= cell < t * n;
    *image = (int32_t)t;
    return cell - t * n;
}

/* Bodies of rows [first, last): `at` is a point of the line nearby, from the group's origin, in its
 * unit. */
KG_ALWAYS_INLINE double kg_walk_visit_line(const kg_query_index *index, const kg_slabs *slabs,
                                           uint32_t first, uint32_t last, const float at[3],
                                           const int32_t image[3], double end,
                                           kg_line_visitor visit, void *context)
{
    for (uint32_t row = first; row < last; ++row) {
        const kg_coarse_sphere *c = &index->coarse[row];
        float x = c->at[0] - at[0], y = c->at[1] - at[1], z = c->at[2] - at[2],
              reach = slabs->reach + c->radius;
        float along = x * slabs->along[0] + y * slabs->along[1] + z * slabs->along[2];
        if (x * x + y * y + z * z - along * along > reach * reach || !index->exact[row].body)
            continue;
        end = visit(context, &index->exact[row], image, end);
    }
    return end;
}

/* Is every block empty that has cells from low to high (not periodic)? */
static inline bool kg_walk_blocks_are_empty(const kg_query_group *g, const int64_t low[3],
                                            const int64_t high[3])
{
    for (int64_t z = low[2] >> 2; z <= high[2] >> 2; ++z) {
        for (int64_t y = low[1] >> 2; y <= high[1] >> 2; ++y) {
            for (int64_t x = low[0] >> 2; x <= high[0] >> 2; ++x) {
                uint64_t block = (uint64_t)((z * g->blocks[1] + y) * g->blocks[0] + x);
                if (g->occupied[block / 64] >> block % 64 & 1) return false;
            }
        }
    }
    return true;
}

/* First and last cell in reach along a minor axis; false when outside. */
KG_ALWAYS_INLINE bool kg_walk_minor_cells(const kg_query_group *g, int axis, double low,
                                          double high, bool periodic, int64_t *from, int64_t *to)
{
    if (periodic) {
        *from = (int64_t)low - (low < 0);
        *to = (int64_t)high - (high < 0);
        return true;
    }
    double last = (double)(g->cells[axis] - 1);
    if (!(high >= 0 && low < last + 1)) return false;
    *from = (int64_t)(low > 0 ? low : 0);
    *to = (int64_t)(high < last ? high : last);
    return true;
}

/* The cells of a slab that are in reach: `rows` rows along minor axis 0, from `low` to `high` in
 * it. */
typedef struct kg_window {
    const uint32_t *start;
    int64_t low, high, rows;
    double place[2];
    int64_t slab;
} kg_window;

KG_ALWAYS_INLINE kg_window kg_walk_window(const kg_query_group *g, const kg_slabs *s, int64_t i)
{
    const int j = s->minor[0], k = s->minor[1];
    double by = (double)(i * s->step);
    kg_window w = {
        .place = {s->place[0] + by * s->per_place[0], s->place[1] + by * s->per_place[1]}};
    int64_t first, last;
    w.slab = s->from + i * s->step;
    if (!kg_walk_minor_cells(g, j, w.place[0] + s->low[0], w.place[0] + s->high[0], false, &w.low,
                             &w.high) ||
        !kg_walk_minor_cells(g, k, w.place[1] + s->low[1], w.place[1] + s->high[1], false, &first,
                             &last)) {
        return w;
    }
    w.start = g->start + w.slab * s->stride[s->major] + first * s->stride[k];
    w.rows = last - first + 1;
    return w;
}

/* Most of a ray's time is waiting for memory: ask for the next slab's bodies while this one's are
 * tested. */
KG_ALWAYS_INLINE void kg_walk_prefetch(const kg_query_index *index, const kg_slabs *s,
                                       const kg_window *w)
{
    const uint32_t *row = w->start;
    for (int64_t r = 0; r < w->rows; ++r, row += s->stride[s->minor[1]]) {
        if (s->minor[0] == 0) {
            __builtin_prefetch(&index->coarse[row[w->low]]);
            continue;
        }
        for (int64_t c = w->low; c <= w->high; ++c)
            __builtin_prefetch(&index->coarse[row[c * s->stride[s->minor[0]]]]);
    }
}

KG_ALWAYS_INLINE double kg_walk_visit_window(const kg_query_index *index, const kg_slabs *s,
                                             const kg_window *w, double end, kg_line_visitor visit,
                                             void *context)
{
    static const int32_t none[3] = {0, 0, 0};
    const int m = s->major, j = s->minor[0], k = s->minor[1];
    float at[3];
    at[m] = (float)(((double)w->slab + 0.5) * s->to_unit[m]);
    at[j] = (float)((w->place[0] + 0.5 * s->per_place[0]) * s->to_unit[j]);
    at[k] = (float)((w->place[1] + 0.5 * s->per_place[1]) * s->to_unit[k]);
    const uint32_t *row = w->start;
    for (int64_t r = 0; r < w->rows; ++r, row += s->stride[k]) {
        if (j == 0) {
            end = kg_walk_visit_line(index, s, row[w->low], row[w->high + 1], at, none, end, visit,
                                     context);
            continue;
        }
        const uint32_t *cell = row + w->low * s->stride[j], *last = row + w->high * s->stride[j];
        for (; cell <= last; cell += s->stride[j]) {
            end = kg_walk_visit_line(index, s, cell[0], cell[1], at, none, end, visit, context);
        }
    }
    return end;
}

/* One slab where axes may be periodic: cells wrap, and bodies are met in the image of that cell. */
KG_ALWAYS_INLINE double kg_walk_visit_periodic(const kg_query_index *index, const kg_query_group *g,
                                               const kg_slabs *s, int64_t slab,
                                               const double place[2], double end,
                                               kg_line_visitor visit, void *context)
{
    const int m = s->major, j = s->minor[0], k = s->minor[1];
    const bool periodic_m = g->length[m] > 0, periodic_j = g->length[j] > 0,
               periodic_k = g->length[k] > 0;
    int64_t j0, j1, k0, k1;
    double low[2], high[2];
    for (int a = 0; a < 2; ++a) { /* a slab may be far wider than the line is long */
        low[a] = kg_max(place[a] + s->low[a], s->least[a]);
        high[a] = place[a] + s->high[a] < s->most[a] ? place[a] + s->high[a] : s->most[a];
    }
    if (!kg_walk_minor_cells(g, j, low[0], high[0], periodic_j, &j0, &j1) ||
        !kg_walk_minor_cells(g, k, low[1], high[1], periodic_k, &k0, &k1)) {
        return end;
    }
    int32_t image[3] = {0, 0, 0};
    int64_t at_m = periodic_m ? kg_walk_wrap_cell(slab, g->cells[m], &image[m]) : slab;
    float at[3];
    at[m] = (float)(((double)at_m + 0.5) * s->to_unit[m]);
    for (int64_t ck = k0; ck <= k1; ++ck) {
        int64_t at_k = periodic_k ? kg_walk_wrap_cell(ck, g->cells[k], &image[k]) : ck;
        double image_cells_k = (double)image[k] * (double)g->cells[k];
        at[k] = (float)((place[1] + 0.5 * s->per_place[1] - image_cells_k) * s->to_unit[k]);
        for (int64_t cj = j0; cj <= j1; ++cj) {
            int64_t at_j = periodic_j ? kg_walk_wrap_cell(cj, g->cells[j], &image[j]) : cj;
            double image_cells_j = (double)image[j] * (double)g->cells[j];
            at[j] = (float)((place[0] + 0.5 * s->per_place[0] - image_cells_j) * s->to_unit[j]);
            const uint32_t *cell =
                g->start + at_m * s->stride[m] + at_k * s->stride[k] + at_j * s->stride[j];
            end = kg_walk_visit_line(index, s, cell[0], cell[1], at, image, end, visit, context);
        }
    }
    return end;
}

/* Are the blocks around the next slabs up to a block's end empty? Then they are passed over. */
static inline int64_t kg_walk_empty_slabs(const kg_query_group *g, const kg_slabs *s, int64_t slab,
                                          const double place[2])
{
    int64_t left = s->step > 0 ? 3 - (slab & 3) : (slab & 3);
    int64_t most = (s->to - slab) * s->step;
    if (left > most) left = most;
    int64_t low[3], high[3];
    low[s->major] = s->step > 0 ? slab : slab - left;
    high[s->major] = low[s->major] + left;
    for (int a = 0; a < 2; ++a) {
        double on = (double)left * s->per_place[a] * (double)s->step;
        double from = place[a] + s->low[a] + (on < 0 ? on : 0),
               to = place[a] + s->high[a] + (on > 0 ? on : 0);
        int axis = s->minor[a];
        if (!kg_walk_minor_cells(g, axis, from, to, false, &low[axis], &high[axis]))
            return left + 1;
    }
    return kg_walk_blocks_are_empty(g, low, high) ? left + 1 : 0;
}

KG_ALWAYS_INLINE double kg_walk_periodic(const kg_query_index *index, const kg_query_group *g,
                                         const kg_slabs *s, int64_t count, double end,
                                         kg_line_visitor visit, void *context)
{
    for (int64_t i = 0; i <= count && s->near + (double)i * s->per_slab <= end; ++i) {
        double by = (double)(i * s->step);
        const double place[2] = {s->place[0] + by * s->per_place[0],
                                 s->place[1] + by * s->per_place[1]};
        end =
            kg_walk_visit_periodic(index, g, s, s->from + i * s->step, place, end, visit, context);
    }
    return end;
}

/* `now` is the first slab's window. */
KG_ALWAYS_INLINE double kg_walk_slabs(const kg_query_index *index, const kg_query_group *g,
                                      const kg_slabs *s, kg_window now, double end,
                                      kg_line_visitor visit, void *context)
{
    int64_t count = (s->to - s->from) * s->step;
    for (int64_t i = 0; i <= count && s->near + (double)i * s->per_slab <= end;) {
        int64_t empty = g->sparse ? kg_walk_empty_slabs(g, s, now.slab, now.place) : 0;
        if (empty) {
            i += empty;
            if (i <= count) now = kg_walk_window(g, s, i);
            continue;
        }
        kg_window next = now;
        if (++i <= count) {
            next = kg_walk_window(g, s, i);
            kg_walk_prefetch(index, s, &next);
        }
        end = kg_walk_visit_window(index, s, &now, end, visit, context);
        now = next;
    }
    return end;
}

KG_ALWAYS_INLINE double kg_walk_group(const kg_query_index *index, const kg_query_group *g,
                                      const kg_line *line, double end, kg_line_visitor visit,
                                      void *context)
{
    kg_slabs s;
    if (!kg_walk_line_slabs(g, line, &s)) return end;
    if (index->periodic)
        return kg_walk_periodic(index, g, &s, (s.to - s.from) * s.step, end, visit, context);
    return kg_walk_slabs(index, g, &s, kg_walk_window(g, &s, 0), end, visit, context);
}

/* The bodies that are not in the cells. */
KG_ALWAYS_INLINE double kg_walk_changed(const kugel_world *world, double end, kg_line_visitor visit,
                                        void *context)
{
    const kg_query_index *index = world->query;
    const kg_bodies *bodies = &world->bodies;
    const int32_t none[3] = {0, 0, 0};
    for (uint32_t k = 0; k < index->changed_count; ++k) {
        uint32_t i = bodies->slot[index->changed[k]];
        const kg_exact_sphere exact = {{bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]},
                                       bodies->radius[i],
                                       kg_bodies_handle(bodies, i)};
        end = visit(context, &exact, none, end);
    }
    return end;
}

/* Every body within reach of the line that the visitor does not cut off before. */
KG_ALWAYS_INLINE void kg_walk_line(const kugel_world *world, const kg_line *line,
                                   kg_line_visitor visit, void *context)
{
    const kg_query_index *index = world->query;
    double end = kg_walk_changed(world, line->end, visit, context);
    for (uint32_t g = 0; g < index->group_count; ++g) {
        end = kg_walk_group(index, &index->group[g], line, end, visit, context);
    }
}

/* ---- boxes ---- */

/* The cells first ... last along a minor or major axis, where they may wrap: runs within one image.
 */
typedef struct kg_cell_run {
    int64_t from, to;
    int32_t image;
} kg_cell_run;

static inline kg_cell_run kg_walk_next_run(int64_t from, int64_t to, int64_t n, bool periodic)
{
    if (!periodic) return (kg_cell_run){from, to, 0};
    kg_cell_run p;
    p.from = kg_walk_wrap_cell(from, n, &p.image);
    p.to = p.from + (to - from);
    if (p.to >= n) p.to = n - 1;
    return p;
}

typedef void kg_box_visitor(void *context, const kg_exact_sphere *exact, const int32_t image[3]);

/* A region, and a sphere around it that a body must reach too: a first look in floats. */
typedef struct kg_region {
    double low[3], high[3];
    double center[3], radius;
} kg_region;

/* Cells along an axis that can hold a centre within reach of the region; false when there are none.
 */
bool kg_walk_region_cells(const kg_query_group *group, const kg_region *region, int axis,
                          int64_t *from, int64_t *to);

KG_ALWAYS_INLINE void kg_walk_visit_box(const kg_query_index *index, uint32_t first, uint32_t last,
                                        const float at[3], float reach, const int32_t image[3],
                                        kg_box_visitor visit, void *context)
{
    for (uint32_t row = first; row < last; ++row) {
        const kg_coarse_sphere *c = &index->coarse[row];
        float x = c->at[0] - at[0], y = c->at[1] - at[1], z = c->at[2] - at[2],
              far = reach + c->radius;
        if (x * x + y * y + z * z > far * far || !index->exact[row].body) continue;
        visit(context, &index->exact[row], image);
    }
}

KG_ALWAYS_INLINE void kg_walk_box_group(const kg_query_index *index, const kg_query_group *g,
                                        const kg_region *region, kg_box_visitor visit,
                                        void *context)
{
    int64_t from[3], to[3];
    int32_t image[3];
    for (int axis = 0; axis < 3; ++axis) {
        if (!kg_walk_region_cells(g, region, axis, &from[axis], &to[axis])) return;
    }
    float reach = (float)(region->radius * g->unit * (1 + 1e-4)) + g->rounding_error, at[3];
    double far = kg_max_abs3(region->center) + kg_max_abs3(g->origin);
    reach += (float)(far * 1e-13 * g->unit);
    for (int64_t z = from[2]; z <= to[2]; ++z) {
        int64_t cz =
            g->length[2] > 0 ? kg_walk_wrap_cell(z, g->cells[2], &image[2]) : (image[2] = 0, z);
        at[2] = (float)((region->center[2] - g->origin[2] - image[2] * g->length[2]) * g->unit);
        for (int64_t y = from[1]; y <= to[1]; ++y) {
            int64_t cy =
                g->length[1] > 0 ? kg_walk_wrap_cell(y, g->cells[1], &image[1]) : (image[1] = 0, y);
            at[1] = (float)((region->center[1] - g->origin[1] - image[1] * g->length[1]) * g->unit);
            const uint32_t *start = g->start + (cz * g->cells[1] + cy) * g->cells[0];
            for (int64_t x = from[0]; x <= to[0];) {
                kg_cell_run p = kg_walk_next_run(x, to[0], g->cells[0], g->length[0] > 0);
                image[0] = p.image;
                at[0] =
                    (float)((region->center[0] - g->origin[0] - image[0] * g->length[0]) * g->unit);
                kg_walk_visit_box(index, start[p.from], start[p.to + 1], at, reach, image, visit,
                                  context);
                x += p.to - p.from + 1;
            }
        }
    }
}

/* Every body that can reach the region. */
KG_ALWAYS_INLINE void kg_walk_box(const kugel_world *world, const kg_region *region,
                                  kg_box_visitor visit, void *context)
{
    const kg_query_index *index = world->query;
    const kg_bodies *bodies = &world->bodies;
    const int32_t none[3] = {0, 0, 0};
    for (uint32_t k = 0; k < index->changed_count; ++k) {
        uint32_t i = bodies->slot[index->changed[k]];
        const kg_exact_sphere exact = {{bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]},
                                       bodies->radius[i],
                                       kg_bodies_handle(bodies, i)};
        visit(context, &exact, none);
    }
    for (uint32_t g = 0; g < index->group_count; ++g) {
        kg_walk_box_group(index, &index->group[g], region, visit, context);
    }
}

#endif
