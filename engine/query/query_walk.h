/* Visits the bodies of given cells. query_walk_box.h and query_walk_line.h choose the cells.
 * Along a periodic axis cell numbers continue beyond the box: a number stands for a cell of the box
 * and for the periodic image in which its bodies are visited.
 * In: the index and cells. Out: calls of the visitor, at most one for each body and image. A
 * conservative test in floats comes before each call; the visitor makes the exact test.
 * Order: none. */
#ifndef KG_QUERY_QUERY_WALK_H
#define KG_QUERY_QUERY_WALK_H

#include "base/assert.h"
#include "base/dispatch.h"
#include "base/vec.h"
#include "base/vec3f.h"
#include "query/query_index.h"

static const int32_t kg_no_image[3] = {0, 0, 0};

/* Make the exact test of one body in one periodic image. */
typedef void kg_query_visitor(void *context, const kg_exact_sphere *exact, const int32_t image[3]);

/* A test that a body passes if its surface is within `reach` of a point, or of a line through this
 * point. Lengths are in the group's unit, places relative to the group's origin. */
typedef struct kg_coarse_test {
    float along[3]; /* unit vector of the line */
    float reach;    /* widened for the rounding of floats */
    bool is_line;   /* true: a line; false: a point */
} kg_coarse_test;

/* Visit the bodies of the rows [first, last) that pass the test. `at`: the point of the test. */
KG_INLINE void kg_walk_rows(const kg_query_index *index, const kg_coarse_test *test, uint32_t first,
                            uint32_t last, const float at[3], const int32_t image[3],
                            kg_query_visitor visit, void *context)
{
    for (uint32_t row = first; row < last; ++row) {
        const kg_coarse_sphere *c = &index->coarse[row];
        vec3 d = {c->at[0] - at[0], c->at[1] - at[1], c->at[2] - at[2]};
        float reach = test->reach + c->radius, distance2 = glm_vec3_norm2(d);
        if (test->is_line) {
            vec3 unit = {test->along[0], test->along[1], test->along[2]};
            float along = glm_vec3_dot(d, unit);
            distance2 -= along * along;
        }
        if (distance2 > reach * reach || !index->exact[row].body) continue;
        visit(context, &index->exact[row], image);
    }
}

/* Returns the cell of the box that a cell number stands for, along an axis. Sets *image to the
 * periodic image, and *at to the test's point relative to this image. */
static inline int64_t kg_walk_wrap(const kg_query_group *g, int axis, int64_t cell, double place,
                                   int32_t *image, float *at)
{
    int64_t n = g->cells[axis], t = 0;
    if (g->length[axis] > 0) {
        t = cell / n;
        t -= cell < t * n;
    }
    *image = (int32_t)t;
    *at = (float)(place - (double)t * g->length[axis] * g->unit);
    return cell - t * n;
}

/* Visit the bodies of the cells from[k] ... to[k] along each axis k, in runs along x that stay in
 * one image. `place`: the point of the test, in the group's unit. */
KG_INLINE void kg_walk_cells(const kg_query_index *index, const kg_query_group *g,
                             const kg_coarse_test *test, const double place[3],
                             const int64_t from[3], const int64_t to[3], kg_query_visitor visit,
                             void *context)
{
    int32_t image[3];
    float at[3];
    for (int64_t z = from[2]; z <= to[2]; ++z) {
        int64_t cz = kg_walk_wrap(g, 2, z, place[2], &image[2], &at[2]);
        for (int64_t y = from[1]; y <= to[1]; ++y) {
            int64_t cy = kg_walk_wrap(g, 1, y, place[1], &image[1], &at[1]);
            const uint32_t *start = g->start + (cz * g->cells[1] + cy) * g->cells[0];
            for (int64_t x = from[0], count; x <= to[0]; x += count) {
                int64_t cx = kg_walk_wrap(g, 0, x, place[0], &image[0], &at[0]);
                count = g->cells[0] - cx < to[0] - x + 1 ? g->cells[0] - cx : to[0] - x + 1;
                kg_walk_rows(index, test, start[cx], start[cx + count], at, image, visit, context);
            }
        }
    }
}

/* Find the images *from ... *to of a place along an axis that are at distances in [low, high] (m,
 * signed) from the place. False if there are none. `length`: of a periodic axis, m; 0: the axis is
 * not periodic, and image 0 is found. The numbers fit, since queries reach at most 1e6 lengths
 * far. */
static inline bool kg_walk_images(double length, double low, double high, int32_t *from,
                                  int32_t *to)
{
    *from = *to = 0;
    if (length == 0) return true;
    double first = low / length - 1e-9, last = high / length + 1e-9;
    *from = (int32_t)first + (first > 0); /* rounded up, or 1 too high */
    *to = (int32_t)last - (last < 0);     /* rounded down, or 1 too low */
    *from -= (double)(*from - 1) >= first;
    *to += (double)(*to + 1) <= last;
    return *from <= *to;
}

/* Sphere of entry k of the list of changed bodies, which are in no cell. */
static inline kg_exact_sphere kg_walk_changed_body(const kugel_world *world, uint32_t k)
{
    return kg_query_sphere(&world->bodies, world->bodies.slot[world->query->changed[k]]);
}

/* Visit a changed body in the images that can reach the box [low, high], m. */
KG_INLINE void kg_walk_changed_near(const kg_query_index *index, const kg_exact_sphere *exact,
                                    const double low[3], const double high[3],
                                    kg_query_visitor visit, void *context)
{
    int32_t from[3], to[3], at[3];
    for (int a = 0; a < 3; ++a) {
        double reach = exact->radius;
        if (!kg_walk_images(index->length[a], low[a] - reach - exact->x[a],
                            high[a] + reach - exact->x[a], &from[a], &to[a]))
            return;
    }
    for (at[2] = from[2]; at[2] <= to[2]; ++at[2]) {
        for (at[1] = from[1]; at[1] <= to[1]; ++at[1])
            for (at[0] = from[0]; at[0] <= to[0]; ++at[0]) visit(context, exact, at);
    }
}

#endif
