/* See support_calls.h. */
#include "geometry/support_calls.h"

#include <criterion/criterion.h>
#include <math.h>

static void put(support_values *o, const double *values, int count)
{
    for (int i = 0; i < count; ++i) o->values[o->count++] = values[i];
}

static support_values of_hit(kugel_status status, const kugel_hit *h)
{
    support_values o = {
        .status = status, .hit = h->hit, .values = {h->t_enter, h->t_exit}, .count = 2};
    put(&o, h->point, 3), put(&o, h->normal, 3), put(&o, h->exit_point, 3),
        put(&o, h->exit_normal, 3);
    return o;
}

static support_values of_plane_hit(kugel_status status, const kugel_plane_hit *h)
{
    support_values o = {.status = status, .hit = h->hit, .values = {h->t}, .count = 1};
    put(&o, h->point, 3), put(&o, h->normal, 3);
    return o;
}

static support_values of_contact(kugel_status status, const kugel_contact *c)
{
    support_values o = {.status = status, .hit = c->hit, .values = {c->time, c->gap}, .count = 2};
    put(&o, c->point, 3), put(&o, c->normal, 3);
    return o;
}

static support_values of_overlap(kugel_status status, const kugel_overlap *p)
{
    support_values o = {.status = status, .hit = p->hit, .values = {p->gap}, .count = 1};
    put(&o, p->normal, 3), put(&o, p->point_a, 3), put(&o, p->point_b, 3), put(&o, p->point, 3);
    return o;
}

static support_values ray_sphere(const double *x)
{
    kugel_hit h;
    kugel_status status = kugel_ray_sphere(x, x + 3, INFINITY, x + 6, x[9], &h);
    return of_hit(status, &h);
}

static support_values short_ray_sphere(const double *x)
{
    kugel_hit h;
    kugel_status status = kugel_ray_sphere(x, x + 3, 6, x + 6, x[9], &h);
    return of_hit(status, &h);
}

static support_values line_sphere(const double *x)
{
    kugel_line_hit h;
    kugel_status status = kugel_line_sphere(x, x + 3, x + 6, x[9], &h);
    return (support_values){
        .status = status, .hit = h.hit, .values = {h.t_enter, h.t_exit}, .count = 2};
}

static support_values ray_plane(const double *x)
{
    kugel_plane_hit h;
    kugel_status status = kugel_ray_plane(x, x + 3, INFINITY, x + 6, x[9], &h);
    return of_plane_hit(status, &h);
}

static support_values short_ray_plane(const double *x)
{
    kugel_plane_hit h;
    kugel_status status = kugel_ray_plane(x, x + 3, 6, x + 6, x[9], &h);
    return of_plane_hit(status, &h);
}

static support_values plane_sphere(const double *x)
{
    kugel_plane_gap g;
    support_values o = {.status = kugel_plane_sphere(x, x[3], x + 4, x[7], &g)};
    o.hit = g.hit;
    put(&o, &g.distance, 1), put(&o, &g.height, 1), put(&o, g.point, 3), put(&o, g.on_plane, 3);
    return o;
}

static support_values plane_sphere_circle(const double *x)
{
    kugel_circle c;
    support_values o = {.status = kugel_plane_sphere_circle(x, x[3], x + 4, x[7], &c)};
    o.hit = c.hit;
    put(&o, c.center, 3), put(&o, &c.radius, 1), put(&o, c.u, 3), put(&o, c.v, 3),
        put(&o, c.point, 3);
    return o;
}

static support_values ray_ellipsoid(const double *x)
{
    kugel_hit h;
    kugel_status status = kugel_ray_ellipsoid(x, x + 3, INFINITY, x + 6, x + 9, x + 12, &h);
    return of_hit(status, &h);
}

static support_values short_ray_ellipsoid(const double *x)
{
    kugel_hit h;
    kugel_status status = kugel_ray_ellipsoid(x, x + 3, 6, x + 6, x + 9, x + 12, &h);
    return of_hit(status, &h);
}

static support_values ellipsoid_nearest(const double *x)
{
    kugel_overlap p;
    kugel_status status = kugel_ellipsoid_nearest(x, x + 3, x + 6, x + 9, &p);
    return of_overlap(status, &p);
}

static support_values sweep_spheres(const double *x)
{
    kugel_contact c;
    kugel_status status = kugel_sweep_spheres(x, x + 3, x[6], x + 7, x + 10, x[13], x[14], &c);
    return of_contact(status, &c);
}

static support_values sweep_sphere_plane(const double *x)
{
    kugel_contact c;
    kugel_status status = kugel_sweep_sphere_plane(x, x + 3, x[6], x + 7, x[10], x[11], &c);
    return of_contact(status, &c);
}

static support_values sweep_sphere_box(const double *x)
{
    kugel_contact c;
    int face;
    kugel_status status = kugel_sweep_sphere_box(x, x + 3, x[6], x + 7, x + 10, x[13], &c, &face);
    cr_assert_eq(c.hit, face >= 0);
    return of_contact(status, &c);
}

static support_values sweep_sphere_ellipsoid(const double *x)
{
    kugel_contact c;
    double rotation[4] = {0, 0, 0, 1};
    rotation[0] = x[14], rotation[3] = x[15];
    kugel_status status =
        kugel_sweep_sphere_ellipsoid(x, x + 3, x[6], x + 7, x + 10, rotation, x[13], &c);
    return of_contact(status, &c);
}

static support_values sweep_sphere_capsule(const double *x)
{
    kugel_contact c;
    kugel_status status =
        kugel_sweep_sphere_capsule(x, x + 3, x[6], x + 7, x + 10, x[13], x[14], &c);
    return of_contact(status, &c);
}

static support_values sweep_sphere_triangle(const double *x)
{
    kugel_contact c;
    kugel_status status =
        kugel_sweep_sphere_triangle(x, x + 3, x[6], x + 7, x + 10, x + 13, x[16], &c);
    return of_contact(status, &c);
}

static support_values sweep_sphere_disc(const double *x)
{
    kugel_contact c;
    kugel_status status = kugel_sweep_sphere_disc(x, x + 3, x[6], x + 7, x + 10, x[13], x[14], &c);
    return of_contact(status, &c);
}

static support_values sweep_sphere_oriented_box(const double *x)
{
    kugel_contact c;
    double rotation[4] = {0, 0, 0, 1};
    rotation[0] = x[14], rotation[3] = x[15];
    kugel_status status =
        kugel_sweep_sphere_oriented_box(x, x + 3, x[6], x + 7, x + 10, rotation, x[13], &c);
    return of_contact(status, &c);
}

static support_values overlap_spheres(const double *x)
{
    kugel_overlap p;
    kugel_status status = kugel_overlap_spheres(x, x[3], x + 4, x[7], &p);
    return of_overlap(status, &p);
}

const support_call support_calls[SUPPORT_CALLS] = {
    {"ray_sphere", ray_sphere, 10, {-5, 0, 0, 1, 0, 0, 0, 0, 0, 2}, "         -"},
    {"short_ray_sphere", short_ray_sphere, 10, {-5, 0, 0, 1, 0, 0, 0, 0, 0, 2}, "         -"},
    {"line_sphere", line_sphere, 10, {-5, 0, 0, 1, 0, 0, 0, 0, 0, 2}, "         -"},
    {"ray_plane", ray_plane, 10, {0, 0, 5, 0, 0, -1, 0, 0, 1, 2}, "          "},
    {"short_ray_plane", short_ray_plane, 10, {0, 0, 5, 0, 0, -1, 0, 0, 1, 2}, "          "},
    {"plane_sphere", plane_sphere, 8, {0, 0, 1, 2, 0, 0, 1, 2}, "       -"},
    {"plane_sphere_circle", plane_sphere_circle, 8, {0, 0, 1, 2, 0, 0, 1, 2}, "       -"},
    {"ray_ellipsoid",
     ray_ellipsoid,
     16,
     {-5, 0, 0, 1, 0, 0, 0, 0, 0, 3, 2, 1, 0, 0, 0, 1},
     "         ---    "},
    {"short_ray_ellipsoid",
     short_ray_ellipsoid,
     16,
     {-5, 0, 0, 1, 0, 0, 0, 0, 0, 3, 2, 1, 0, 0, 0, 1},
     "         ---    "},
    {"ellipsoid_nearest",
     ellipsoid_nearest,
     13,
     {0, 0, 0, 1, 0, 0, 3, 2, 1, 0, 0, 0, 1},
     "      ---    "},
    {"sweep_spheres",
     sweep_spheres,
     15,
     {-5, 0, 0, 9, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1},
     "      -      --"},
    {"sweep_sphere_plane",
     sweep_sphere_plane,
     12,
     {0, 0, 5, 0, 0, -9, 1, 0, 0, 1, 0, 1},
     "      -    -"},
    {"sweep_sphere_box",
     sweep_sphere_box,
     14,
     {0, 0, 0, 9, 0, 0, 1, -5, -5, -5, 5, 5, 5, 1},
     "      -      -"},
    {"sweep_sphere_ellipsoid",
     sweep_sphere_ellipsoid,
     16,
     {-5, 0, 0, 9, 0, 0, 1, 0, 0, 0, 3, 2, 1, 1, 0, 1},
     "      -   ----  "},
    {"sweep_sphere_capsule",
     sweep_sphere_capsule,
     15,
     {-5, 0, 0, 9, 0, 0, 1, 0, 1, 0, 0, -1, 0, 0.5, 1},
     "      -      --"},
    {"sweep_sphere_triangle",
     sweep_sphere_triangle,
     17,
     {-5, 0, 0, 9, 0, 0, 1, 0, -1, -1, 0, 1, -1, 0, 0, 1, 1},
     "      -         -"},
    {"sweep_sphere_disc",
     sweep_sphere_disc,
     15,
     {-5, 0, 0, 9, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2, 1},
     "      -      --"},
    {"sweep_sphere_oriented_box",
     sweep_sphere_oriented_box,
     16,
     {-5, 0, 0, 9, 0, 0, 1, 0, 0, 0, 3, 2, 1, 1, 0, 1},
     "      -   ----  "},
    {"overlap_spheres", overlap_spheres, 8, {0, 0, 0, 1, 1, 0, 0, 2}, "   -   -"},
};
