/* Beams meet an ellipsoidal shield, a surface that queries find and bodies pass: a ray query
 * returns the entry and its normal, kugel_ray_ellipsoid the exit. Stones hit the hull of a ship;
 * the program sums the impulses of these impacts. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdio.h>

/* |(x/a)^2 + (y/b)^2 + (z/c)^2 - 1| of a point, which is 0 on the shield. */
static double off_surface(const kugel_surface_def *shield, const double point[3])
{
    double sum = -1;
    for (int k = 0; k < 3; ++k) {
        double x = (point[k] - shield->position[k]) / shield->size[k];
        sum += x * x;
    }
    return fabs(sum);
}

int main(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return 1;
    enum { BEAMS = 2 }; /* a category that no body has */
    kugel_surface_def shield = kugel_surface_def_default();
    shield.shape = KUGEL_SURFACE_ELLIPSOID;
    shield.size[0] = 5, shield.size[1] = 3, shield.size[2] = 2;
    shield.category = shield.mask = BEAMS;
    kugel_body hull;
    kugel_body_def ship = kugel_body_def_default(), stone = ship;
    ship.type = KUGEL_STATIC;
    ship.radius = 1;
    if (kugel_surface_create(world, &shield, NULL) || kugel_body_create(world, &ship, &hull))
        return 1;
    for (int i = 0; i < 12; ++i) { /* stones from all around, aimed at the hull */
        double turn = i * 3.14159265358979323846 / 6, speed = 5 + i;
        stone.radius = 0.2;
        stone.mass = 2;
        stone.restitution = 1;
        stone.position[0] = 12 * cos(turn), stone.position[1] = 12 * sin(turn);
        stone.velocity[0] = -speed * cos(turn), stone.velocity[1] = -speed * sin(turn);
        if (kugel_body_create(world, &stone, NULL)) return 1;
    }

    kugel_filter shields = kugel_filter_default();
    shields.targets = KUGEL_TARGETS_SURFACES;
    double worst = 0, glow = 0, expected = 0;
    int beams = 0, facing = 0;
    for (int tick = 0; tick < 180; ++tick) {
        if (kugel_world_step(world, 1 / 60.)) return 1;
        size_t count;
        const kugel_impact *impacts = kugel_world_impact_events(world, &count);
        for (size_t k = 0; k < count; ++k) {
            if (impacts[k].a == hull) glow += impacts[k].impulse;
        }
        if (tick % 10) continue;
        double turn = 0.4 * tick; /* a turret that circles the ship and aims beside its centre */
        kugel_ray beam = {
            {15 * cos(turn), 15 * sin(turn), 4}, {-15 * cos(turn) + 1, -15 * sin(turn), -4.5}, 2};
        kugel_ray_hit hit;
        if (kugel_world_ray_closest(world, &beam, &shields, &hit) || !hit.hit.hit) return 1;
        kugel_hit through;
        if (kugel_ray_ellipsoid(beam.origin, beam.direction, INFINITY, shield.position, shield.size,
                                shield.rotation, &through))
            return 1;
        const kugel_hit *h = &hit.hit;
        double towards = 0;
        for (int k = 0; k < 3; ++k) towards += h->normal[k] * beam.direction[k];
        worst = fmax(
            worst, fmax(off_surface(&shield, h->point), off_surface(&shield, through.exit_point)));
        facing += towards < 0 && through.t_exit > h->t_enter;
        printf("beam %2d: in (%6.3f %6.3f %6.3f), facing (%5.2f %5.2f %5.2f), out (%6.3f %6.3f "
               "%6.3f)\n",
               beams++, h->point[0], h->point[1], h->point[2], h->normal[0], h->normal[1],
               h->normal[2], through.exit_point[0], through.exit_point[1], through.exit_point[2]);
    }
    for (int i = 0; i < 12; ++i) expected += 2 * 2 * (5.0 + i); /* each rebounds: 2 m v */
    printf("off the shield by %.1e; the hull glows by %.6f N s, %.0f expected\n", worst, glow,
           expected);
    kugel_world_destroy(world);
    return beams == 18 && facing == beams && worst < 1e-12 && fabs(glow - expected) < 1e-9 ? 0 : 1;
}
