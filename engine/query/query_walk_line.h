/* Visits the bodies near a line, slab by slab through the cells of each group. A slab is one layer
 * of cells perpendicular to the major axis, the axis along which the line advances fastest. In each
 * slab the walk visits the cells that can hold a centre within reach. This extends the traversal of
 * Amanatides and Woo ("A fast voxel traversal algorithm for ray tracing", 1987) to a line with a
 * radius.
 * In: the index and a line. Out: calls of the visitor, as in query_walk.h.
 * Order: slabs in the line's direction; within a slab none. */
#ifndef KG_QUERY_QUERY_WALK_LINE_H
#define KG_QUERY_QUERY_WALK_LINE_H

#include "base/compiler.h"
#include "query/query_walk.h"

/* The path of a sphere's centre: origin + unit * s for s in [0, end]. */
typedef struct kg_line {
    double origin[3]; /* m */
    /* the ray's direction times a power of two: the largest component is in [1, 2), or all are 0 */
    double unit[3];
    double s_per_t; /* s = t * s_per_t, where t counts lengths of the ray's direction */
    double end;     /* the largest s */
    double radius;  /* m, of the sphere */
} kg_line;

/* The line of a ray (radius 0) or of a moving sphere. */
kg_line kg_walk_make_line(const kugel_ray *ray, double radius);

/* End the line at the time t of a hit, rounded up: bodies beyond need no visit. */
static inline void kg_line_end_at(kg_line *line, double t)
{
    line->end = t * line->s_per_t * (1 + 1e-12);
}

/* The slabs of a group that a line crosses. Arrays of two have an item for each minor axis. */
typedef struct kg_slabs {
    int major;              /* the axis along which the line advances fastest */
    int minor[2];           /* the other axes */
    int64_t from, to;       /* numbers of the first and the last slab */
    int64_t step;           /* from slab to slab: 1 or -1 */
    double near;            /* the s at which the first slab comes within reach */
    double per_slab;        /* the change of s from slab to slab */
    double place[2];        /* cells: the line at the low face of the first slab */
    double per_place[2];    /* cells: the change of place when the slab number grows by 1 */
    double low[2], high[2]; /* cells relative to place: the range within reach in a slab */
    double line_low[2], line_high[2]; /* cells: the range within reach of the whole line */
    double to_unit[3];                /* the length of a cell in the group's unit */
    int64_t stride[3];                /* from cell to cell along each axis, in `start` */
    kg_coarse_test test;
} kg_slabs;

/* Find the slabs; false if the whole group is out of the line's reach. */
bool kg_walk_line_slabs(const kg_query_group *group, const kg_line *line, kg_slabs *slabs);

/* The cells of one slab within reach. They are rows along minor axis 0. */
typedef struct kg_slab_rows {
    const uint32_t *start; /* `start` of the group, at cell 0 of the first row */
    int64_t low, high;     /* the first and the last cell of each row */
    int64_t rows;          /* 0: no cell is within reach */
    double place[2];       /* cells: the line at the slab's low face */
    int64_t slab;          /* number of the slab */
} kg_slab_rows;

/* The rows of the i-th slab of the walk. */
KG_INLINE kg_slab_rows kg_walk_slab_rows(const kg_query_group *g, const kg_slabs *s, int64_t i)
{
    const int j = s->minor[0], k = s->minor[1];
    double by = (double)(i * s->step);
    kg_slab_rows w = {
        .place = {s->place[0] + by * s->per_place[0], s->place[1] + by * s->per_place[1]}};
    int64_t first, last;
    w.slab = s->from + i * s->step;
    if (!kg_query_clip_cells(g, j, w.place[0] + s->low[0], w.place[0] + s->high[0], false, &w.low,
                             &w.high) ||
        !kg_query_clip_cells(g, k, w.place[1] + s->low[1], w.place[1] + s->high[1], false, &first,
                             &last))
        return w;
    w.start = g->start + w.slab * s->stride[s->major] + first * s->stride[k];
    w.rows = last - first + 1;
    return w;
}

/* Prefetches the bodies of the rows while the slab before it is tested: memory latency dominates
 * the cost of a ray. */
KG_INLINE void kg_walk_prefetch(const kg_query_index *index, const kg_slabs *s,
                                const kg_slab_rows *w)
{
    const uint32_t *row = w->start;
    for (int64_t r = 0; r < w->rows; ++r, row += s->stride[s->minor[1]]) {
        if (s->minor[0] == 0) {
            KG_PREFETCH(&index->coarse[row[w->low]]);
            continue;
        }
        for (int64_t c = w->low; c <= w->high; ++c)
            KG_PREFETCH(&index->coarse[row[c * s->stride[s->minor[0]]]]);
    }
}

/* Visit the bodies of the rows of a slab. */
KG_INLINE void kg_walk_visit_rows(const kg_query_index *index, const kg_slabs *s,
                                  const kg_slab_rows *w, kg_query_visitor visit, void *context)
{
    const int m = s->major, j = s->minor[0], k = s->minor[1];
    float at[3];
    at[m] = (float)(((double)w->slab + 0.5) * s->to_unit[m]);
    at[j] = (float)((w->place[0] + 0.5 * s->per_place[0]) * s->to_unit[j]);
    at[k] = (float)((w->place[1] + 0.5 * s->per_place[1]) * s->to_unit[k]);
    const uint32_t *row = w->start;
    for (int64_t r = 0; r < w->rows; ++r, row += s->stride[k]) {
        if (j == 0) {
            kg_walk_rows(index, &s->test, row[w->low], row[w->high + 1], at, kg_no_image, visit,
                         context);
            continue;
        }
        const uint32_t *cell = row + w->low * s->stride[j], *last = row + w->high * s->stride[j];
        for (; cell <= last; cell += s->stride[j])
            kg_walk_rows(index, &s->test, cell[0], cell[1], at, kg_no_image, visit, context);
    }
}

/* Visit all slabs of a group with periodic axes. */
KG_INLINE void kg_walk_periodic(const kg_query_index *index, const kg_query_group *g,
                                const kg_slabs *s, const kg_line *line, kg_query_visitor visit,
                                void *context)
{
    int64_t count = (s->to - s->from) * s->step, from[3], to[3];
    double place[3];
    for (int64_t i = 0; i <= count && s->near + (double)i * s->per_slab <= line->end; ++i) {
        bool within_reach = true;
        from[s->major] = to[s->major] = s->from + i * s->step;
        place[s->major] = ((double)from[s->major] + 0.5) * s->to_unit[s->major];
        for (int a = 0; a < 2; ++a) {
            int axis = s->minor[a];
            double cell = s->place[a] + (double)(i * s->step) * s->per_place[a];
            /* limited to the range of the whole line: a slab may be wider than the line is long */
            double low = kg_max(cell + s->low[a], s->line_low[a]);
            double high = kg_min(cell + s->high[a], s->line_high[a]);
            place[axis] = (cell + 0.5 * s->per_place[a]) * s->to_unit[axis];
            within_reach &= kg_query_clip_cells(g, axis, low, high, g->length[axis] > 0,
                                                &from[axis], &to[axis]);
        }
        if (within_reach) kg_walk_cells(index, g, &s->test, place, from, to, visit, context);
    }
}

/* Visit the slabs of a group without periodic axes. */
KG_INLINE void kg_walk_slabs(const kg_query_index *index, const kg_query_group *g,
                             const kg_slabs *s, const kg_line *line, kg_query_visitor visit,
                             void *context)
{
    kg_slab_rows now = kg_walk_slab_rows(g, s, 0);
    int64_t count = (s->to - s->from) * s->step;
    for (int64_t i = 0; i <= count && s->near + (double)i * s->per_slab <= line->end;) {
        kg_slab_rows next = now;
        if (++i <= count) {
            next = kg_walk_slab_rows(g, s, i);
            kg_walk_prefetch(index, s, &next);
        }
        kg_walk_visit_rows(index, s, &now, visit, context);
        now = next;
    }
}

/* Visit a changed body in the images that the line can reach. */
void kg_walk_changed_on_line(const kg_query_index *index, const kg_exact_sphere *exact,
                             const kg_line *line, kg_query_visitor visit, void *context);

/* Visit every body within reach of the line up to its end, which the visitor may lower. */
KG_INLINE void kg_walk_line(const kugel_world *world, const kg_line *line, kg_query_visitor visit,
                            void *context)
{
    const kg_query_index *index = world->query;
    KG_ASSERT(atomic_load_explicit(&index->ready, memory_order_relaxed) && !world->busy);
    for (uint32_t k = 0; k < index->changed_count; ++k) {
        kg_exact_sphere exact = kg_walk_changed_body(world, k);
        kg_walk_changed_on_line(index, &exact, line, visit, context);
    }
    for (uint32_t k = 0; k < index->group_count; ++k) {
        const kg_query_group *g = &index->group[k];
        kg_slabs s;
        if (!kg_walk_line_slabs(g, line, &s)) continue;
        if (index->periodic) kg_walk_periodic(index, g, &s, line, visit, context);
        else kg_walk_slabs(index, g, &s, line, visit, context);
    }
}

#endif
