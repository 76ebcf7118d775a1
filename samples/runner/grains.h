/* Sizes and masses of bodies: a distribution of radii, with a mass or a density. */
#ifndef RUNNER_GRAINS_H
#define RUNNER_GRAINS_H

#include <kugel/kugel.h>
#include <stddef.h>

#include "random.h"

typedef enum radius_kind {
    RADIUS_FIXED,       /* low */
    RADIUS_UNIFORM,     /* in [low, high] */
    RADIUS_LOG_UNIFORM, /* ln r is uniform */
    RADIUS_POWER,       /* density of probability ~ r^exponent */
    RADIUS_CHOICES
} radius_kind;

typedef struct radius_choice {
    double radius, weights; /* m; the weight of this choice and all before it */
} radius_choice;

typedef struct radii {
    radius_kind kind;
    double low, high, exponent; /* m, m */
    size_t first, count;        /* choices in the scene's table */
} radii;

typedef struct grains {
    radii radii;
    double mass, density; /* kg; kg/m^3, which replaces the mass unless it is 0 */
} grains;

/* Draw a radius, m: one random number, none for a fixed radius. `table` holds the choices. */
double radii_draw(const radii *radii, const radius_choice *table, random_state *random);
/* The least and the largest radius that it draws, m. */
void radii_range(const radii *radii, const radius_choice *table, double range[2]);
/* m^3 */
double sphere_volume(double radius);
/* Set the radius and the mass that follows. */
void grains_set(const grains *grains, double radius, kugel_body_def *def);

#endif
