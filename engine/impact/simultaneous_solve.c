/* Solves simultaneous collisions that share bodies (Moreau 1988): impulses J with
 *     0 <= J,   u' >= e u,   J (u' - e u) = 0        (u approach before, u' separation after).
 * Momentum is conserved. The energy changes by -sum J (1 - e) u / 2: none at e = 1. The velocities
 * after are unique, so ids cannot matter. Sums are taken in order of size: mirror images stay
 * mirror images, bit for bit. Friction and rolling resistance: each pair gets the impulses that it
 * would get alone, divided by one more than the largest number of collisions of a body. */
#include <math.h>

#include "impact/collision.h"

enum { BODIES = 2 * KG_SIMULTANEOUS_MAX };
/* Maximum number of iterations. Without a solution, as for a body squeezed between two approaching
 * immovable bodies, impulses do not converge. */
enum { ITERATIONS = 2000 };
/* Impulses have converged when none changes by more than this share of the largest. */
static const double converged_share = 0x1p-50;

typedef struct cluster {
    kg_collision *hits;
    /* `degree_max`: the largest number of collisions of one body. */
    uint32_t count, bodies, degree_max;
    uint32_t slot[BODIES];
    double inverse_mass[BODIES];
    uint32_t locks[BODIES];
    /* Body of each side of a collision; KG_NONE: immovable. */
    uint32_t side[KG_SIMULTANEOUS_MAX][2];
    double change[BODIES][3]; /* change of velocity, m/s */
} cluster;

static uint32_t body_of(cluster *c, const kg_side *side)
{
    if (side->slot == KG_NONE || side->inverse_mass == 0) return KG_NONE;
    uint32_t b = 0;
    while (b < c->bodies && c->slot[b] != side->slot) ++b;
    if (b == c->bodies) {
        c->slot[b] = side->slot;
        c->inverse_mass[b] = side->inverse_mass;
        c->locks[b] = side->locks;
        c->bodies += 1;
    }
    return b;
}

static void gather(cluster *c, kg_collision *hits, uint32_t count)
{
    uint32_t degree[BODIES] = {0};
    *c = (cluster){.hits = hits, .count = count};
    for (uint32_t k = 0; k < count; ++k) {
        for (int s = 0; s < 2; ++s) {
            uint32_t b = c->side[k][s] = body_of(c, s ? &hits[k].b : &hits[k].a);
            if (b != KG_NONE && ++degree[b] > c->degree_max) c->degree_max = degree[b];
        }
    }
}

/* Sum of the terms in the order of their sizes, smallest first. Terms of equal size that cancel are
 * left out, so that mirror images give mirrored sums. Sorts the terms. */
static double ordered_sum(double *term, uint32_t count)
{
    for (uint32_t k = 1; k < count; ++k) {
        double x = term[k];
        uint32_t at = k;
        for (; at > 0 && (fabs(term[at - 1]) > fabs(x) ||
                          (fabs(term[at - 1]) == fabs(x) && term[at - 1] > x));
             --at) {
            term[at] = term[at - 1];
        }
        term[at] = x;
    }
    double sum = 0;
    for (uint32_t k = 0; k < count;) {
        uint32_t end = k, low = 0;
        while (end < count && fabs(term[end]) == fabs(term[k])) low += term[end++] < 0;
        uint32_t high = end - k - low;
        double size = fabs(term[k]);
        for (; low > high; --low) sum -= size;
        for (; high > low; --high) sum += size;
        k = end;
    }
    return sum;
}

/* Find the velocity changes of all bodies from impulses on side b of each collision, N s. */
static void find_velocity_changes(cluster *c, double (*impulse)[3])
{
    for (uint32_t b = 0; b < c->bodies; ++b) {
        for (int x = 0; x < 3; ++x) {
            double term[KG_SIMULTANEOUS_MAX];
            uint32_t n = 0;
            for (uint32_t k = 0; k < c->count; ++k) {
                if (c->side[k][0] == b) term[n++] = -impulse[k][x];
                if (c->side[k][1] == b) term[n++] = impulse[k][x];
            }
            c->change[b][x] = ordered_sum(term, n) * c->inverse_mass[b];
        }
        kg_locks_project(c->locks[b], c->change[b]);
    }
}

/* Change of the separation speed of a collision by the impulses, m/s. */
static double separation(const cluster *c, uint32_t k)
{
    const double *a = c->side[k][0] == KG_NONE ? kg_zero3 : c->change[c->side[k][0]];
    const double *b = c->side[k][1] == KG_NONE ? kg_zero3 : c->change[c->side[k][1]];
    const double *n = c->hits[k].normal;
    return (b[0] - a[0]) * n[0] + (b[1] - a[1]) * n[1] + (b[2] - a[2]) * n[2];
}

/* Impulse vectors of the normal impulses, N s. */
static void along_normals(const cluster *c, double (*impulse)[3])
{
    for (uint32_t k = 0; k < c->count; ++k) {
        for (int x = 0; x < 3; ++x) impulse[k][x] = c->hits[k].impulse * c->hits[k].normal[x];
    }
}

/* Find the normal impulses by projected Jacobi iterations over the pairs, a few dozen for three
 * bodies. False when they do not converge. */
static bool solve(cluster *c)
{
    double impulse[KG_SIMULTANEOUS_MAX][3];
    for (uint32_t k = 0; k < c->count; ++k) c->hits[k].impulse = 0;
    for (int step = 0; step < ITERATIONS; ++step) {
        double largest = 0, moved = 0;
        along_normals(c, impulse);
        find_velocity_changes(c, impulse);
        for (uint32_t k = 0; k < c->count; ++k) {
            kg_collision *hit = &c->hits[k];
            double miss = kg_collision_approach_change(hit) - separation(c, k);
            double inverse = kg_collision_inverse_mass(hit);
            double next = hit->impulse + miss / inverse / c->degree_max;
            if (next < 0 || inverse == 0) next = 0;
            double by = fabs(next - hit->impulse);
            moved = by > moved ? by : moved;
            largest = next > largest ? next : largest;
            hit->impulse = next;
        }
        if (moved <= converged_share * largest) return true;
    }
    return false;
}

/* True when some impulse is positive. At relative rest none is, since all approaches are rounding;
 * each pair then begins to rest by itself. */
static bool any_impulse(const cluster *c)
{
    bool any = false;
    for (uint32_t k = 0; k < c->count; ++k) any |= c->hits[k].impulse > 0;
    return any;
}

static void add_changes(kg_work *work, const cluster *c)
{
    for (uint32_t b = 0; b < c->bodies; ++b) {
        for (int x = 0; x < 3; ++x) work->motion[c->slot[b]].v[x] += c->change[b][x];
    }
}

/* Friction of pairs that share no body only takes energy. The graph of collisions splits into at
 * most degree_max + 1 sets of such pairs (Vizing), so the mean over these sets only takes energy,
 * too. */
static void apply_friction(kg_work *work, cluster *c)
{
    double impulse[KG_SIMULTANEOUS_MAX][3];
    for (uint32_t k = 0; k < c->count; ++k) {
        kg_collision after = c->hits[k];
        for (int x = 0; x < 3; ++x) {
            if (c->side[k][0] != KG_NONE) after.a.velocity[x] += c->change[c->side[k][0]][x];
            if (c->side[k][1] != KG_NONE) after.b.velocity[x] += c->change[c->side[k][1]][x];
        }
        double *rolling = c->hits[k].rolling_impulse;
        kg_collision_friction(&after, impulse[k], rolling);
        double share = c->degree_max > 1 ? c->degree_max + 1 : 1;
        for (int x = 0; x < 3; ++x) impulse[k][x] /= share, rolling[x] /= share;
        kg_copy3(c->hits[k].friction_impulse, impulse[k]);
    }
    for (uint32_t k = 0; k < c->count; ++k)
        kg_collision_apply_spin(work, &c->hits[k], impulse[k], c->hits[k].rolling_impulse);
    find_velocity_changes(c, impulse);
    add_changes(work, c);
}

bool kg_simultaneous_solve(kugel_world *world, kg_collision *hits, uint32_t count, double t)
{
    cluster c;
    gather(&c, hits, count);
    if (!solve(&c) || !any_impulse(&c)) return false;
    for (uint32_t k = 0; k < count; ++k) kg_collision_advance_bodies(world, &hits[k], t);
    double impulse[KG_SIMULTANEOUS_MAX][3];
    along_normals(&c, impulse);
    find_velocity_changes(&c, impulse);
    add_changes(&world->work, &c);
    bool rough = false;
    for (uint32_t k = 0; k < count; ++k) rough = rough || kg_collision_is_rough(&hits[k]);
    if (rough) apply_friction(&world->work, &c);
    return true;
}
