/* Solids as an oracle sees them: signed levels in long double and the minimum of a level along a
 * line by golden-section search. A level is convex along each line, below 0 in the solid and above
 * 0 outside. It is a distance in m, except that of an ellipsoid as the target of a ray.
 * Independent of the engine's code: no root of an equation is computed. */
#ifndef SUPPORT_SOLIDS_H
#define SUPPORT_SOLIDS_H

#include <stdbool.h>

/* One unit in the last place of 1. */
#define SUPPORT_UNIT 0x1p-52L

typedef enum support_solid_kind {
    SUPPORT_BALL,
    SUPPORT_SEGMENT,
    SUPPORT_TRIANGLE,
    SUPPORT_DISC,
    SUPPORT_BOX,
    SUPPORT_ELLIPSOID,
    SUPPORT_SCALED_ELLIPSOID, /* the level is |x / a| - 1: cheap, and no distance */
    SUPPORT_HALF_SPACE        /* normal . x <= offset; the normal may have any length */
} support_solid_kind;

/* A solid, grown by `radius`. A kind does not use the members for others. */
typedef struct support_solid {
    support_solid_kind kind;
    double base[3];         /* m; places are relative to it, for the digits of small solids */
    double at[3][3];        /* centre, end points or corners; the normal of a half-space */
    long double radius;     /* m, by which the solid is grown */
    double size[3];         /* semi-axes, half lengths; [0]: radius of a disc; offset */
    long double normal[3];  /* of a disc, unit */
    long double rows[3][3]; /* the axes of a box or an ellipsoid in the world */
} support_solid;

/* origin + direction * t */
typedef struct support_path {
    const double *origin, *direction;
} support_path;

support_solid support_ball(const double center[3], long double radius);
support_solid support_segment(const double p[3], const double q[3], long double radius);
/* rotation: of any length, or NULL. Semi-axes below 2^-32 of the longest count as that. */
support_solid support_ellipsoid(support_solid_kind kind, const double center[3],
                                const double size[3], const double *rotation, long double radius);

/* A place relative to the solid's base. */
void support_solid_place(const support_solid *solid, const double point[3], long double x[3]);
/* x: relative to the base */
long double support_level(const support_solid *solid, const long double x[3]);
/* The largest change of the level when x moves by `by` (m). */
long double support_slack(const support_solid *solid, const long double x[3], long double by);

void support_path_position(const support_solid *solid, const support_path *path, long double t,
                           long double x[3]);
long double support_level_at(const support_solid *solid, const support_path *path, long double t);
/* The time in [from, to] at which the level is least. */
long double support_time_of_least(const support_solid *solid, const support_path *path,
                                  long double from, long double to);
/* True if the point at t is in the solid, or outside of it, up to `by` (m). */
bool support_is_in(const support_solid *solid, const support_path *path, long double t,
                   long double by);
bool support_is_out(const support_solid *solid, const support_path *path, long double t,
                    long double by);
/* True if no time in [from, to] is deeper in the solid than `by` (m). */
bool support_stays_out(const support_solid *solid, const support_path *path, long double from,
                       long double to, long double by);

static inline long double support_dot(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
long double support_length(const double a[3]);
long double support_distance(const double a[3], const double b[3]);

#endif
