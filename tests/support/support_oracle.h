/* The oracle: an event-driven simulation of hard spheres in long double, as a reference for the
 * engine. Before each impact it tests every pair, periodic image and boundary; then it moves all
 * bodies to the impact. It has no lists, ticks, budgets or thresholds and shares no code with the
 * engine. Dynamic bodies move on parabolas. Order of impacts: time, target kind, low id, high id.
 * Not supported: restitution 0 and simultaneous inelastic impacts, which may be infinitely many. */
#ifndef SUPPORT_ORACLE_H
#define SUPPORT_ORACLE_H

#include "support/support_scene.h"

typedef struct support_oracle_body {
    long double x[3], v[3], w[3], g[3]; /* position m, velocity m/s, spin rad/s, gravity m/s^2 */
    long double radius, inverse_mass, restitution, friction;
    uint32_t category, mask;
} support_oracle_body;

typedef struct support_oracle {
    const support_scene *scene; /* must outlive the oracle */
    support_oracle_body *bodies;
    uint32_t count;
    long double time; /* s */
} support_oracle;

typedef struct support_oracle_impact {
    long double time; /* s, since the start */
    kugel_target target;
    uint32_t a, b; /* ids; b is the index of a face or plane */
    long double speed, impulse;
} support_oracle_impact;

support_oracle support_oracle_start(const support_scene *scene);
void support_oracle_free(support_oracle *oracle);
/* Advance to the next impact and apply it. false: there is none up to the time `until` (s), to
 * which the bodies are advanced. */
bool support_oracle_next(support_oracle *oracle, long double until, support_oracle_impact *impact);

#endif
