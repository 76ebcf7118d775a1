/* Picking: a ray query finds the nearest ball under the cursor. The camera looks along +y; a filter
 * lets rays pass through glass. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH = 640, HEIGHT = 480, BALL = 1, GLASS = 2 };

static const double eye[3] = {0, -20, 2};

/* The ray through a pixel of a camera with a horizontal field of view of 90 degrees. */
static kugel_ray cursor_ray(double x, double y)
{
    kugel_ray ray = {.t_max = INFINITY};
    for (int k = 0; k < 3; ++k) ray.origin[k] = eye[k];
    ray.direction[0] = (x - WIDTH / 2.0) / (WIDTH / 2.0);
    ray.direction[1] = 1;
    ray.direction[2] = (HEIGHT / 2.0 - y) / (WIDTH / 2.0);
    return ray;
}

/* The pixel of a point. */
static void project(const double place[3], double *x, double *y)
{
    double depth = place[1] - eye[1];
    *x = WIDTH / 2.0 + (place[0] - eye[0]) / depth * (WIDTH / 2.0);
    *y = HEIGHT / 2.0 - (place[2] - eye[2]) / depth * (WIDTH / 2.0);
}

int main(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    kugel_body pane;
    if (kugel_world_create(&def, &world)) return 1;
    for (int i = 0; i < 9; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.type = KUGEL_STATIC;
        ball.position[0] = 2.0 * (i - 4);
        ball.position[2] = 2;
        ball.category = BALL;
        if (kugel_body_create(world, &ball, NULL)) return 1;
    }
    kugel_body_def glass = kugel_body_def_default();
    glass.type = KUGEL_STATIC;
    glass.radius = 3;
    glass.position[1] = -8;
    glass.position[2] = 2;
    glass.category = GLASS;
    if (kugel_body_create(world, &glass, &pane)) return 1;

    kugel_filter through = kugel_filter_default();
    through.mask = BALL;
    int right = 0;
    for (int i = 0; i < 9; ++i) {
        const double place[3] = {2.0 * (i - 4), 0, 2};
        kugel_ray_hit first, behind;
        double x, y;
        project(place, &x, &y);
        kugel_ray ray = cursor_ray(x, y);
        if (kugel_world_ray_closest(world, &ray, NULL, &first)) return 1;
        if (kugel_world_ray_closest(world, &ray, &through, &behind)) return 1;
        printf("pixel (%3.0f, %3.0f): %s, behind glass: ball %u at %.2f m\n", x, y,
               first.body == pane ? "glass" : "ball ", kugel_body_id(behind.body),
               behind.hit.t_enter);
        bool covered = fabs(place[0]) < 5; /* glass covers the five in the middle */
        right += behind.body && kugel_body_id(behind.body) == (uint32_t)i &&
                 (first.body == pane) == covered;
    }
    kugel_ray sky = cursor_ray(WIDTH / 2.0, 0);
    bool hit = true;
    if (kugel_world_ray_any(world, &sky, NULL, &hit)) return 1;
    printf("%d of 9 right; the sky is %s\n", right, hit ? "hit" : "empty");
    kugel_world_destroy(world);
    return right == 9 && !hit ? 0 : 1;
}
