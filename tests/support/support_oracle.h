/* The oracle: the slowest right answer. An event-driven simulation of hard spheres in long double
 * that looks at every pair, every periodic image and every boundary before each impact, moves every
 * body to each impact, and knows no lists, clocks, ticks, budgets or thresholds. It shares no code
 * with the engine.
 *
 * Bodies fly on parabolas (dynamic ones feel gravity). Impact: normal impulse (1 + e) m v_n with
 * the reduced mass m; then the tangential impulse that stops the slip of the surfaces, 2/7 of m
 * times the slip for solid spheres, at most friction times the normal one. Pairs take the larger
 * restitution and sqrt(f1 f2). Impacts come in the order (time, target kind, low id, high id).
 * Restitution 0, and more than one lossy impact at one instant, are out of its reach: it would
 * never end. */
#ifndef SUPPORT_ORACLE_H
#define SUPPORT_ORACLE_H

#include "support/support_scene.h"

typedef struct support_oracle_body {
    long double x[3], v[3], w[3], g[3]; /* m, m/s, rad/s, m/s^2 */
    long double radius, inverse_mass, restitution, friction;
    uint32_t category, mask;
} support_oracle_body;

typedef struct support_oracle {
    const support_scene *scene; /* lives as long as the oracle */
    support_oracle_body *bodies;
    uint32_t count;
    long double time; /* s */
} support_oracle;

typedef struct support_oracle_impact {
    long double time; /* s, from the beginning */
    kugel_target target;
    uint32_t a, b; /* ids; b is the face or plane for those */
    long double speed, impulse;
} support_oracle_impact;

support_oracle support_oracle_start(const support_scene *scene);
void support_oracle_free(support_oracle *oracle);
/* Go to the next impact and apply it; false: none up to `until`, where the bodies are then. */
bool support_oracle_next(support_oracle *oracle, long double until, support_oracle_impact *impact);

#endif
