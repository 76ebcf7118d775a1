/* Sizes, masses and kinds of bodies: a distribution of radii, with a mass or a density. */
#ifndef RUNNER_GRAINS_H
#define RUNNER_GRAINS_H

#include <kugel/kugel.h>
#include <stdbool.h>
#include <stddef.h>

#include "random.h"

typedef enum radius_kind {
    RADIUS_FIXED,       /* r = low */
    RADIUS_UNIFORM,     /* r is uniform in [low, high] */
    RADIUS_LOG_UNIFORM, /* ln r is uniform */
    RADIUS_POWER,       /* probability density ~ r^exponent */
    RADIUS_CHOICES      /* one of a table, by weight */
} radius_kind;

typedef struct radius_choice {
    double radius;  /* m */
    double weights; /* sum of the weights of this choice and all earlier ones */
} radius_choice;

typedef struct radii {
    radius_kind kind;
    double low, high;    /* m */
    double exponent;     /* of RADIUS_POWER */
    size_t first, count; /* range of the scene's table, of RADIUS_CHOICES */
} radii;

typedef struct grains {
    radii radii;
    double mass;    /* kg, used if the density is 0 */
    double density; /* kg/m^3 */
    bool given;     /* true: the scene gives the mass or the density */
    uint32_t kind;  /* of material */
} grains;

/* Draw a radius, m, with one random number, or with none if it is fixed. `table` holds the
 * choices. */
double radii_draw(const radii *radii, const radius_choice *table, random_state *random);
/* The smallest and the largest radius that radii_draw can return, m. */
void radii_range(const radii *radii, const radius_choice *table, double range[2]);
/* m^3 */
double sphere_volume(double radius);
/* The mass of a body by its radius, kg. */
double grains_mass(const grains *grains, double radius);
/* Set the radius and kind of a body, and its mass by the radius. */
void grains_set(const grains *grains, double radius, kugel_body_def *def);

#endif
