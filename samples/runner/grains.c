/* Radii by inversion of the cumulative distribution. */
#include "grains.h"

#include "portable_math.h"

static double between(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* r^q is uniform between low^q and high^q, with q = exponent + 1. The formula uses ratios in [0,
 * 1], so that no power overflows. Near q = 0 its limit, a log-uniform radius, is more precise. */
static double draw_power(double low, double high, double q, double u)
{
    double span = portable_log(high / low), t = 1 - u; /* t > 0 */
    if (q * span < 1e-8 && q * span > -1e-8) return low * portable_exp(u * span);
    if (q > 0) return high * portable_exp(portable_log(t + u * portable_exp(-q * span)) / q);
    return low * portable_exp(portable_log(t + u * portable_exp(q * span)) / q);
}

/* The first choice whose sum of weights exceeds a uniform share of all weights. */
static double draw_choice(const radius_choice *choices, size_t count, double u)
{
    size_t first = 0, last = count - 1;
    double share = u * choices[last].weights;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (share < choices[middle].weights) last = middle;
        else first = middle + 1;
    }
    return choices[first].radius;
}

double radii_draw(const radii *radii, const radius_choice *table, random_state *random)
{
    double low = radii->low, high = radii->high;
    if (radii->kind == RADIUS_FIXED) return low;
    double u = random_uniform(random);
    switch (radii->kind) {
    case RADIUS_CHOICES:
        return draw_choice(table + radii->first, radii->count, u);
    case RADIUS_LOG_UNIFORM:
        return between(draw_power(low, high, 0, u), low, high);
    case RADIUS_POWER:
        return between(draw_power(low, high, radii->exponent + 1, u), low, high);
    default:
        return between(low + (high - low) * u, low, high);
    }
}

void radii_range(const radii *radii, const radius_choice *table, double range[2])
{
    bool choices = radii->kind == RADIUS_CHOICES;
    range[0] = choices ? table[radii->first].radius : radii->low;
    range[1] = choices || radii->kind == RADIUS_FIXED ? range[0] : radii->high;
    for (size_t k = 0; k < radii->count && choices; ++k) {
        double radius = table[radii->first + k].radius;
        range[0] = radius < range[0] ? radius : range[0];
        range[1] = radius > range[1] ? radius : range[1];
    }
}

double sphere_volume(double radius)
{
    const double pi = 3.14159265358979323846;
    return 4 * pi / 3 * (radius * radius * radius);
}

double grains_mass(const grains *grains, double radius)
{
    return grains->density > 0 ? grains->density * sphere_volume(radius) : grains->mass;
}

void grains_set(const grains *grains, double radius, kugel_body_def *def)
{
    def->radius = radius;
    def->mass = grains_mass(grains, radius);
    def->kind = grains->kind;
}
