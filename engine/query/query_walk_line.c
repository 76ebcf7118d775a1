/* Finds the slabs of a group that a line crosses. In: line, group. Out: kg_slabs. Every range is
 * widened by more than the rounding of its arithmetic, so that every body within reach is visited.
 * Cost: some hundred flops. */
#include "query/query_walk_line.h"

kg_line kg_walk_make_line(const kugel_ray *ray, double radius)
{
    kg_line line = {.radius = radius};
    double scale = kg_unit_scale(kg_max_abs3(ray->direction));
    kg_copy3(line.origin, ray->origin);
    kg_scale3(line.unit, ray->direction, scale);
    line.s_per_t = 1 / scale;
    line.end = kg_max_abs3(line.unit) == 0 ? 0 : ray->t_max * line.s_per_t;
    return line;
}

/* Set span to the range of s in which the line is within reach of the box of the group's centres;
 * false if there is none. */
static bool clip_to_group(const kg_query_group *g, const kg_line *line, double reach,
                          double span[2])
{
    span[0] = 0, span[1] = line->end;
    for (int k = 0; k < 3; ++k) {
        if (g->length[k] > 0) continue;
        double o = line->origin[k], u = line->unit[k];
        double low = g->low[k] - reach, high = g->high[k] + reach;
        double pad = 1e-13 * (kg_abs(o) + kg_abs(low) + kg_abs(high));
        low -= pad, high += pad;
        if (u == 0) {
            if (o < low || o > high) return false;
            continue;
        }
        double near = ((u < 0 ? high : low) - o) / u, far = ((u < 0 ? low : high) - o) / u;
        span[0] = kg_max(near, span[0]);
        span[1] = far < span[1] ? far : span[1];
    }
    return span[0] <= span[1] * (1 + 1e-13);
}

/* The range *from ... *to, in cells along an axis, that is within `reach` (m) of the line's part in
 * `span`. Returns the padding by which the range is widened, m. */
static double range_of_line(const kg_query_group *g, const kg_line *line, double reach,
                            const double span[2], int axis, double *from, double *to)
{
    double o = line->origin[axis], u = line->unit[axis], a = o, b = o;
    if (u != 0) a += u * span[0], b += u * span[1];
    double low = (a < b ? a : b) - reach, high = (a < b ? b : a) + reach;
    double pad = 1e-9 * g->edge[axis] +
                 1e-13 * (kg_abs(o) + kg_abs(low) + kg_abs(high) + kg_abs(g->origin[axis]));
    *from = (low - pad - g->origin[axis]) * g->inverse[axis];
    *to = (high + pad - g->origin[axis]) * g->inverse[axis];
    return pad;
}

/* Set the range of slabs that can hold centres within reach of the line's part in `span`; false if
 * there are none. */
static bool choose_slabs(const kg_query_group *g, const kg_line *line, double reach,
                         const double span[2], kg_slabs *s)
{
    int m = s->major;
    double o = line->origin[m], u = line->unit[m], from, to;
    double pad = range_of_line(g, line, reach, span, m, &from, &to);
    int64_t first, last;
    if (!kg_query_clip_cells(g, m, from, to, g->length[m] > 0, &first, &last)) return false;
    s->step = u < 0 ? -1 : 1;
    s->from = u < 0 ? last : first;
    s->to = u < 0 ? first : last;
    double face =
        g->origin[m] + (double)(s->from + (u < 0)) * g->edge[m] - (double)s->step * (reach + pad);
    s->near = u == 0 ? 0 : (face - o) / u;
    s->per_slab = u == 0 ? 0 : g->edge[m] / kg_abs(u);
    return true;
}

/* Set the line's place along a minor axis in each slab, and the range within reach around it.
 * Returns a bound of the rounding error of the place, m. */
static double set_minor_axis(const kg_query_group *g, const kg_line *line, double reach,
                             const double span[2], int a, kg_slabs *s)
{
    int m = s->major, axis = s->minor[a];
    double o = line->origin[m] - g->origin[m], u = line->unit[m];
    double first = (double)s->from * g->edge[m], slope = u == 0 ? 0 : line->unit[axis] / u,
           place = line->origin[axis] - g->origin[axis];
    double longest = kg_abs(o) + kg_abs(first) + kg_abs((double)s->to * g->edge[m]);
    double error =
        1e-13 * (kg_abs(place) + longest + kg_abs(line->origin[m]) + kg_abs(line->origin[axis]));
    double wide = (reach * sqrt(1 + slope * slope) + error) * g->inverse[axis] + 1e-6;
    s->place[a] = (place + slope * (first - o)) * g->inverse[axis];
    s->per_place[a] = slope * g->edge[m] * g->inverse[axis];
    s->low[a] = (s->per_place[a] < 0 ? s->per_place[a] : 0) - wide;
    s->high[a] = (s->per_place[a] > 0 ? s->per_place[a] : 0) + wide;
    range_of_line(g, line, reach, span, axis, &s->line_low[a], &s->line_high[a]);
    return error;
}

/* Set the coarse test of the bodies. `off`: bound of the rounding error of the line's places,
 * m. */
static void set_coarse_test(const kg_query_group *g, const kg_line *line, double reach, double off,
                            kg_slabs *s)
{
    /* a zero direction is replaced by the major axis */
    const double axes[3] = {s->major == 0, s->major == 1, s->major == 2};
    double unit[3];
    kg_normalize3(unit, line->unit, axes);
    for (int k = 0; k < 3; ++k) {
        s->to_unit[k] = g->edge[k] * g->unit;
        s->test.along[k] = (float)unit[k];
    }
    s->test.reach = (float)((line->radius + 1e-4 * reach + off) * g->unit) + g->rounding_error;
    s->test.is_line = true;
}

bool kg_walk_line_slabs(const kg_query_group *group, const kg_line *line, kg_slabs *s)
{
    double reach = (group->largest + line->radius) * (1 + 1e-9), span[2], off = 0;
    if (!clip_to_group(group, line, reach, span)) return false;
    s->major = 0;
    for (int k = 1; k < 3; ++k) {
        if (kg_abs(line->unit[k]) > kg_abs(line->unit[s->major])) s->major = k;
    }
    s->minor[0] = s->major == 0;
    s->minor[1] = s->major == 2 ? 1 : 2;
    if (!choose_slabs(group, line, reach, span, s)) return false;
    for (int a = 0; a < 2; ++a) off += set_minor_axis(group, line, reach, span, a, s);
    s->stride[0] = 1;
    s->stride[1] = group->cells[0];
    s->stride[2] = group->cells[0] * group->cells[1];
    set_coarse_test(group, line, reach, off, s);
    return true;
}

/* The box of the sphere that moves along the part of the line with s in [from, to]. */
static void part_box(const kg_line *line, double from, double to, double low[3], double high[3])
{
    for (int k = 0; k < 3; ++k) {
        double u = line->unit[k], p = line->origin[k] + (u == 0 ? 0 : u * from),
               q = line->origin[k] + (u == 0 ? 0 : u * to); /* the end may be infinite */
        low[k] = (p < q ? p : q) - line->radius;
        high[k] = (p < q ? q : p) + line->radius;
    }
}

/* If the line passes n images along each axis, a box around all of it would hold n^3. So the images
 * along the axis on which the line passes the most are taken one by one, each with the box around
 * the part of the line near it. */
void kg_walk_changed_on_line(const kg_query_index *index, const kg_exact_sphere *exact,
                             const kg_line *line, kg_query_visitor visit, void *context)
{
    int m = -1;
    double most = 0, low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        double passed = index->length[k] > 0 && line->unit[k] != 0
                            ? kg_abs(line->unit[k]) * line->end / index->length[k]
                            : 0;
        if (passed > most) most = passed, m = k;
    }
    part_box(line, 0, line->end, low, high);
    if (m < 0) {
        kg_walk_changed_near(index, exact, low, high, visit, context);
        return;
    }
    int32_t first, last;
    double length = index->length[m], per_s = 1 / line->unit[m],
           reach = exact->radius + line->radius + 1e-9 * length;
    if (!kg_walk_images(length, low[m] - exact->radius - exact->x[m],
                        high[m] + exact->radius - exact->x[m], &first, &last))
        return;
    for (int32_t t = first; t <= last; ++t) {
        double place = exact->x[m] + t * length, p = (place - reach - line->origin[m]) * per_s,
               q = (place + reach - line->origin[m]) * per_s;
        part_box(line, kg_max(p < q ? p : q, 0), kg_max(p < q ? q : p, 0), low, high);
        low[m] = high[m] = place; /* this image alone */
        kg_walk_changed_near(index, exact, low, high, visit, context);
    }
}
