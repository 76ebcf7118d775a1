/* Every public function of kugel/geometry.h with bad and extreme values: NaN and infinity give no hit, a
 * negative radius, semi-axis or dt and a NULL are invalid arguments, and no result holds a NaN or infinity.
 * Each function is wrapped to take its numbers from one array. */
#include <criterion/criterion.h>

#include <float.h>
#include <math.h>

#include "kugel/geometry.h"
#include "support/support_random.h"

#define NUMBERS 16

typedef struct outcome {
    kugel_status status;
    bool hit;
    double values[24];
    int count;
} outcome;

static void put(outcome *o, const double *values, int count)
{
    for (int i = 0; i < count; ++i) o->values[o->count++] = values[i];
}

static outcome of_inside(kugel_status status, bool inside)
{
    return (outcome){.status = status, .hit = inside};
}

static outcome of_hit(kugel_status status, const kugel_hit *h)
{
    outcome o = {.status = status, .hit = h->hit, .values = {h->t_enter, h->t_exit}, .count = 2};
    put(&o, h->point, 3), put(&o, h->normal, 3), put(&o, h->exit_point, 3),
        put(&o, h->exit_normal, 3);
    return o;
}

static outcome of_plane_hit(kugel_status status, const kugel_plane_hit *h)
{
    outcome o = {.status = status, .hit = h->hit, .values = {h->t}, .count = 1};
    put(&o, h->point, 3), put(&o, h->normal, 3);
    return o;
}

static outcome of_contact(kugel_status status, const kugel_contact *c)
{
    outcome o = {.status = status, .hit = c->hit, .values = {c->time, c->gap}, .count = 2};
    put(&o, c->point, 3), put(&o, c->normal, 3);
    return o;
}

static outcome of_overlap(kugel_status status, const kugel_overlap *p)
{
    outcome o = {.status = status, .hit = p->hit, .values = {p->gap}, .count = 1};
    put(&o, p->normal, 3), put(&o, p->point_a, 3), put(&o, p->point_b, 3), put(&o, p->point, 3);
    return o;
}

static outcome point_sphere(const double *x)
{
    bool inside;
    kugel_status status = kugel_point_sphere(x, x + 3, x[6], &inside);
    return of_inside(status, inside);
}

static outcome ray_sphere(const double *x)
{
    kugel_hit h;
    kugel_status status = kugel_ray_sphere(x, x + 3, x + 6, x[9], &h);
    return of_hit(status, &h);
}

static outcome segment_sphere(const double *x)
{
    kugel_hit h;
    kugel_status status = kugel_segment_sphere(x, x + 3, x + 6, x[9], &h);
    return of_hit(status, &h);
}

static outcome ray_sphere_facing(const double *x)
{
    kugel_hit h;
    kugel_status status = kugel_ray_sphere_facing(x, x + 3, x + 6, x[9], &h);
    return of_hit(status, &h);
}

static outcome line_sphere(const double *x)
{
    kugel_line_hit h;
    kugel_status status = kugel_line_sphere(x, x + 3, x + 6, x[9], &h);
    return (outcome){.status = status, .hit = h.hit, .values = {h.t_enter, h.t_exit}, .count = 2};
}

static outcome ray_plane(const double *x)
{
    kugel_plane_hit h;
    kugel_status status = kugel_ray_plane(x, x + 3, x + 6, x[9], &h);
    return of_plane_hit(status, &h);
}

static outcome segment_plane(const double *x)
{
    kugel_plane_hit h;
    kugel_status status = kugel_segment_plane(x, x + 3, x + 6, x[9], &h);
    return of_plane_hit(status, &h);
}

static outcome plane_sphere(const double *x)
{
    kugel_plane_gap g;
    outcome o = {.status = kugel_plane_sphere(x, x[3], x + 4, x[7], &g)};
    o.hit = g.hit;
    put(&o, &g.distance, 1), put(&o, &g.height, 1), put(&o, g.point, 3), put(&o, g.on_plane, 3);
    return o;
}

static outcome plane_sphere_circle(const double *x)
{
    kugel_circle c;
    outcome o = {.status = kugel_plane_sphere_circle(x, x[3], x + 4, x[7], &c)};
    o.hit = c.hit;
    put(&o, c.center, 3), put(&o, &c.radius, 1), put(&o, c.u, 3), put(&o, c.v, 3),
        put(&o, c.point, 3);
    return o;
}

static outcome point_ellipsoid(const double *x)
{
    bool inside;
    kugel_status status = kugel_point_ellipsoid(x, x + 3, x + 6, x + 9, &inside);
    return of_inside(status, inside);
}

static outcome ray_ellipsoid(const double *x)
{
    kugel_hit h;
    kugel_status status = kugel_ray_ellipsoid(x, x + 3, x + 6, x + 9, x + 12, &h);
    return of_hit(status, &h);
}

static outcome segment_ellipsoid(const double *x)
{
    kugel_hit h;
    kugel_status status = kugel_segment_ellipsoid(x, x + 3, x + 6, x + 9, x + 12, &h);
    return of_hit(status, &h);
}

static outcome ellipsoid_nearest(const double *x)
{
    kugel_overlap p;
    kugel_status status = kugel_ellipsoid_nearest(x, x + 3, x + 6, x + 9, &p);
    return of_overlap(status, &p);
}

static outcome sweep_sphere_sphere(const double *x)
{
    kugel_contact c;
    kugel_status status = kugel_sweep_sphere_sphere(x, x + 3, x[6], x + 7, x[10], x[11], &c);
    return of_contact(status, &c);
}

static outcome sweep_spheres(const double *x)
{
    kugel_contact c;
    kugel_status status = kugel_sweep_spheres(x, x + 3, x[6], x + 7, x + 10, x[13], x[14], &c);
    return of_contact(status, &c);
}

static outcome sweep_sphere_plane(const double *x)
{
    kugel_contact c;
    kugel_status status = kugel_sweep_sphere_plane(x, x + 3, x[6], x + 7, x[10], x[11], &c);
    return of_contact(status, &c);
}

static outcome sweep_sphere_box(const double *x)
{
    kugel_contact c;
    int face;
    kugel_status status = kugel_sweep_sphere_box(x, x + 3, x[6], x + 7, x + 10, x[13], &c, &face);
    cr_assert_eq(c.hit, face >= 0);
    return of_contact(status, &c);
}

static outcome sweep_sphere_ellipsoid(const double *x)
{
    kugel_contact c;
    double rotation[4] = {0, 0, 0, 1};
    rotation[0] = x[14], rotation[3] = x[15];
    kugel_status status =
        kugel_sweep_sphere_ellipsoid(x, x + 3, x[6], x + 7, x + 10, rotation, x[13], &c);
    return of_contact(status, &c);
}

static outcome overlap_spheres(const double *x)
{
    kugel_overlap p;
    kugel_status status = kugel_overlap_spheres(x, x[3], x + 4, x[7], &p);
    return of_overlap(status, &p);
}

struct wrapped {
    const char *name;
    outcome (*call)(const double *x);
    int numbers;
    double good[NUMBERS]; /* a call that hits */
    const char *negative; /* what may not be negative: '-' marks it */
};

static const struct wrapped functions[] = {
    {"point_sphere", point_sphere, 7, {0, 0, 0, 1, 0, 0, 2}, "      -"},
    {"ray_sphere", ray_sphere, 10, {-5, 0, 0, 1, 0, 0, 0, 0, 0, 2}, "         -"},
    {"segment_sphere", segment_sphere, 10, {-5, 0, 0, 1, 0, 0, 0, 0, 0, 2}, "         -"},
    {"ray_sphere_facing", ray_sphere_facing, 10, {-5, 0, 0, 1, 0, 0, 0, 0, 0, 2}, "         -"},
    {"line_sphere", line_sphere, 10, {-5, 0, 0, 1, 0, 0, 0, 0, 0, 2}, "         -"},
    {"ray_plane", ray_plane, 10, {0, 0, 5, 0, 0, -1, 0, 0, 1, 2}, "          "},
    {"segment_plane", segment_plane, 10, {0, 0, 5, 0, 0, -1, 0, 0, 1, 2}, "          "},
    {"plane_sphere", plane_sphere, 8, {0, 0, 1, 2, 0, 0, 1, 2}, "       -"},
    {"plane_sphere_circle", plane_sphere_circle, 8, {0, 0, 1, 2, 0, 0, 1, 2}, "       -"},
    {"point_ellipsoid",
     point_ellipsoid,
     13,
     {0, 0, 0, 1, 0, 0, 3, 2, 1, 0, 0, 0, 1},
     "      ---    "},
    {"ray_ellipsoid",
     ray_ellipsoid,
     16,
     {-5, 0, 0, 1, 0, 0, 0, 0, 0, 3, 2, 1, 0, 0, 0, 1},
     "         ---    "},
    {"segment_ellipsoid",
     segment_ellipsoid,
     16,
     {-5, 0, 0, 1, 0, 0, 0, 0, 0, 3, 2, 1, 0, 0, 0, 1},
     "         ---    "},
    {"ellipsoid_nearest",
     ellipsoid_nearest,
     13,
     {0, 0, 0, 1, 0, 0, 3, 2, 1, 0, 0, 0, 1},
     "      ---    "},
    {"sweep_sphere_sphere",
     sweep_sphere_sphere,
     12,
     {-5, 0, 0, 9, 0, 0, 1, 0, 0, 0, 1, 1},
     "      -   --"},
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
    {"overlap_spheres", overlap_spheres, 8, {0, 0, 0, 1, 1, 0, 0, 2}, "   -   -"},
};
#define FUNCTIONS (sizeof functions / sizeof *functions)

static void assert_finite(const struct wrapped *f, const outcome *o)
{
    for (int i = 0; i < o->count; ++i) {
        cr_assert(isfinite(o->values[i]), "%s: value %d is %g", f->name, i, o->values[i]);
    }
    if (o->status != KUGEL_OK) cr_assert(!o->hit, "%s", f->name);
}

Test(bad_input, good_values_hit)
{
    for (size_t i = 0; i < FUNCTIONS; ++i) {
        outcome o = functions[i].call(functions[i].good);
        cr_assert(o.status == KUGEL_OK && o.hit, "%s", functions[i].name);
        assert_finite(&functions[i], &o);
    }
}

Test(bad_input, one_nan_or_infinity_is_no_hit)
{
    const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < FUNCTIONS; ++i) {
        for (int k = 0; k < functions[i].numbers; ++k) {
            for (int b = 0; b < 4; ++b) {
                double x[NUMBERS];
                for (int j = 0; j < NUMBERS; ++j) x[j] = functions[i].good[j];
                x[k] = bad[b];
                outcome o = functions[i].call(x);
                cr_assert(!o.hit, "%s: number %d = %g", functions[i].name, k, bad[b]);
                bool negative = functions[i].negative[k] == '-' && bad[b] < 0;
                bool box =
                    functions[i].call == sweep_sphere_box && k >= 7 && k < 13 && isinf(bad[b]);
                if (!negative && !box)
                    cr_assert_eq(o.status, KUGEL_OK, "%s: number %d", functions[i].name, k);
                assert_finite(&functions[i], &o);
            }
        }
    }
}

Test(bad_input, negative_sizes_are_invalid)
{
    const double bad[] = {-1, -5e-324, -DBL_MAX, -INFINITY};
    for (size_t i = 0; i < FUNCTIONS; ++i) {
        for (int k = 0; k < functions[i].numbers; ++k) {
            if (functions[i].negative[k] != '-') continue;
            for (int b = 0; b < 4; ++b) {
                double x[NUMBERS];
                for (int j = 0; j < NUMBERS; ++j) x[j] = functions[i].good[j];
                x[k] = bad[b];
                outcome o = functions[i].call(x);
                cr_assert_eq(o.status, KUGEL_ERROR_INVALID_ARGUMENT, "%s: number %d",
                             functions[i].name, k);
                assert_finite(&functions[i], &o);
            }
        }
    }
}

Test(bad_input, zero_sizes_and_minus_zero_are_legal)
{
    for (size_t i = 0; i < FUNCTIONS; ++i) {
        for (int k = 0; k < functions[i].numbers; ++k) {
            if (functions[i].negative[k] != '-') continue;
            double x[NUMBERS];
            for (int j = 0; j < NUMBERS; ++j) x[j] = functions[i].good[j];
            x[k] = k % 2 ? 0.0 : -0.0;
            outcome o = functions[i].call(x);
            cr_assert_eq(o.status, KUGEL_OK, "%s: number %d", functions[i].name, k);
            assert_finite(&functions[i], &o);
        }
    }
}

/* A few numbers of a good call, or all of them, replaced by extreme ones. */
Test(bad_input, fuzz)
{
    const double pool[] = {NAN,      INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN,
                           -DBL_MIN, 5e-324,   -5e-324,   0,       -0.0,     1,
                           -1,       1e-16,    1e150,     -1e150,  1e200,    -1e-200,
                           1e-160,   1e-150,   3,         -0.5,    0x1p53,   1e15};
    support_random random = support_random_start("fuzz", 79);
    int hits = 0;
    for (int i = 0; i < 400000; ++i) {
        const struct wrapped *f = &functions[support_below(&random, FUNCTIONS)];
        uint32_t first = i % 2 ? 3 : 0, how_many = i % 3 ? 1 + support_below(&random, 3) : 40;
        double x[NUMBERS];
        bool not_finite = false;
        for (int j = 0; j < NUMBERS; ++j) x[j] = f->good[j];
        while (how_many--) {
            int k = (int)support_below(&random, (uint32_t)f->numbers);
            x[k] = pool[first + support_below(&random, 24 - first)];
        }
        for (int j = 0; j < f->numbers; ++j) not_finite |= !isfinite(x[j]);
        outcome o = f->call(x);
        assert_finite(f, &o);
        if (not_finite) cr_assert(!o.hit, "%s", f->name);
        hits += o.hit;
    }
    cr_assert(hits > 20000, "only %d hits: the fuzz does not get far", hits);
}

Test(bad_input, normals_and_rotations_must_be_unit)
{
    const double p[3] = {0, 0, 5}, down[3] = {0, 0, -1}, axes[3] = {3, 2, 1}, zero[3] = {0, 0, 0};
    static const double lengths[] = {0, 0.5, 1 - 3e-6, 1 + 3e-6, 2, 1e200};
    kugel_plane_hit plane;
    kugel_plane_gap gap;
    kugel_circle circle;
    kugel_contact contact;
    kugel_hit hit;
    kugel_overlap nearest;
    for (int i = 0; i < 6; ++i) {
        const double n[3] = {0, 0, lengths[i]}, q[4] = {0, 0, 0, lengths[i]};
        kugel_status bad = KUGEL_ERROR_INVALID_ARGUMENT;
        cr_assert_eq(kugel_ray_plane(p, down, n, 0, &plane), bad);
        cr_assert_eq(kugel_segment_plane(p, down, n, 0, &plane), bad);
        cr_assert_eq(kugel_plane_sphere(n, 0, p, 9, &gap), bad);
        cr_assert_eq(kugel_plane_sphere_circle(n, 0, p, 9, &circle), bad);
        cr_assert_eq(kugel_sweep_sphere_plane(p, down, 9, n, 0, 1, &contact), bad);
        cr_assert_eq(kugel_ray_ellipsoid(p, down, zero, axes, q, &hit), bad);
        cr_assert_eq(kugel_ellipsoid_nearest(p, zero, axes, q, &nearest), bad);
        cr_assert_eq(kugel_sweep_sphere_ellipsoid(p, down, 9, zero, axes, q, 1, &contact), bad);
        cr_assert(!plane.hit && !gap.hit && !circle.hit && !contact.hit && !hit.hit &&
                  !nearest.hit);
    }
    const double almost[3] = {0, 0, 1 + 5e-7};
    cr_assert_eq(kugel_ray_plane(p, down, almost, 0, &plane), KUGEL_OK);
}

Test(bad_input, null_pointers_are_invalid)
{
    const double *none = NULL, x[3] = {0, 0, 1};
    kugel_status bad = KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_hit hit;
    kugel_line_hit line;
    kugel_plane_hit plane;
    kugel_plane_gap gap;
    kugel_circle circle;
    kugel_contact contact;
    kugel_overlap overlap;
    bool inside;
    cr_assert_eq(kugel_point_sphere(none, x, 1, &inside), bad);
    cr_assert_eq(kugel_point_sphere(x, x, 1, NULL), bad);
    cr_assert_eq(kugel_ray_sphere(x, none, x, 1, &hit), bad);
    cr_assert_eq(kugel_ray_sphere(x, x, x, 1, NULL), bad);
    cr_assert_eq(kugel_segment_sphere(x, none, x, 1, &hit), bad);
    cr_assert_eq(kugel_line_sphere(x, x, none, 1, &line), bad);
    cr_assert_eq(kugel_ray_sphere_facing(none, x, x, 1, &hit), bad);
    cr_assert_eq(kugel_ray_plane(x, x, none, 1, &plane), bad);
    cr_assert_eq(kugel_segment_plane(none, x, x, 1, &plane), bad);
    cr_assert_eq(kugel_plane_sphere(x, 0, none, 1, &gap), bad);
    cr_assert_eq(kugel_plane_sphere_circle(none, 0, x, 1, &circle), bad);
    cr_assert_eq(kugel_point_ellipsoid(x, x, none, NULL, &inside), bad);
    cr_assert_eq(kugel_ray_ellipsoid(x, x, x, none, NULL, &hit), bad);
    cr_assert_eq(kugel_segment_ellipsoid(x, none, x, x, NULL, &hit), bad);
    cr_assert_eq(kugel_ellipsoid_nearest(x, none, x, NULL, &overlap), bad);
    cr_assert_eq(kugel_sweep_sphere_sphere(x, x, 1, none, 1, 1, &contact), bad);
    cr_assert_eq(kugel_sweep_spheres(x, x, 1, x, none, 1, 1, &contact), bad);
    cr_assert_eq(kugel_sweep_sphere_plane(x, x, 1, none, 0, 1, &contact), bad);
    cr_assert_eq(kugel_sweep_sphere_box(x, x, 1, none, x, 1, &contact, NULL), bad);
    cr_assert_eq(kugel_sweep_sphere_ellipsoid(x, x, 1, none, x, NULL, 1, &contact), bad);
    cr_assert_eq(kugel_overlap_spheres(x, 1, none, 1, &overlap), bad);
    cr_assert_eq(kugel_sweep_sphere_box(x, x, 0.1, x, x, 1, &contact, NULL), KUGEL_OK,
                 "face may be NULL");
}
