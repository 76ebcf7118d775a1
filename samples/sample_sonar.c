/* Random rays through a periodic gas. The mean free path between spheres is 4 V / S, where V is the
 * free volume and S the surface of all spheres (Cauchy, exact for every arrangement). A ray hits
 * n pi r^2 spheres a metre, where n is their number density. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { SIDE = 10, BALLS = SIDE * SIDE * SIDE, RAYS = 4000, MOST = 512 };

static uint64_t state = 3;
static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

int main(void)
{
    const double length = 20, radius = 0.5, path_length = 300, pi = 3.14159265358979323846;
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.bounce_threshold = def.slop = 0;
    for (int f = 0; f < 6; ++f) def.bounds.faces[f] = KUGEL_FACE_PERIODIC;
    for (int k = 0; k < 3; ++k) def.bounds.max[k] = length;
    if (kugel_world_create(&def, &world)) return 1;
    for (int i = 0; i < BALLS; ++i) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        kugel_body_def ball = kugel_body_def_default();
        ball.radius = radius;
        ball.restitution = 1;
        ball.friction = 0;
        for (int k = 0; k < 3; ++k) {
            ball.position[k] = (at[k] + 0.5) * length / SIDE;
            ball.velocity[k] = 20 * (uniform() - 0.5);
        }
        if (kugel_body_create(world, &ball, NULL)) return 1;
    }
    for (int tick = 0; tick < 120; ++tick) { /* melt the lattice */
        if (kugel_world_step(world, 1 / 60.)) return 1;
    }
    double blocked = 0, met = 0;
    for (int i = 0; i < RAYS; ++i) {
        static kugel_ray_hit hits[MOST];
        double turn = 2 * pi * uniform(), up = 2 * uniform() - 1, flat = sqrt(1 - up * up);
        kugel_ray ray = {.direction = {flat * cos(turn), flat * sin(turn), up},
                         .t_max = path_length};
        size_t count;
        for (int k = 0; k < 3; ++k) ray.origin[k] = length * uniform();
        if (kugel_world_ray_all(world, &ray, NULL, MOST, hits, &count) || count > MOST) return 1;
        for (size_t h = 0; h < count; ++h) {
            double end = hits[h].hit.t_exit < path_length ? hits[h].hit.t_exit : path_length;
            blocked += end - hits[h].hit.t_enter;
            met += !hits[h].hit.started_inside;
        }
    }
    double number = BALLS / (length * length * length),
           eta = number * 4 / 3 * pi * radius * radius * radius;
    double free_path = (RAYS * path_length - blocked) / met,
           theory = (1 - eta) / (number * pi * radius * radius);
    printf("mean free path %.3f m, Cauchy %.3f m; %.4f spheres a metre, n pi r^2 = %.4f\n",
           free_path, theory, met / (RAYS * path_length), number * pi * radius * radius);
    kugel_world_destroy(world);
    /* with 1e5 chords 1 % is three standard errors */
    return fabs(free_path / theory - 1) < 0.01 ? 0 : 1;
}
