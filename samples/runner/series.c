/* See series.h. */
#include "series.h"

const char series_head[] = "tick,time,kinetic,potential,total,px,py,pz,wall_pressure,pressure,"
                           "contacts,asleep,impacts\n";

/* True if no face of the axis is open. */
static bool is_closed(const kugel_bounds *bounds, int axis)
{
    return bounds->faces[2 * axis] != KUGEL_FACE_OPEN &&
           bounds->faces[2 * axis + 1] != KUGEL_FACE_OPEN;
}

static double length(const kugel_bounds *bounds, int axis)
{
    return bounds->max[axis] - bounds->min[axis];
}

/* Area of a wall, m^2; 0 if the face is no wall or the wall is infinite. */
static double wall_area(const kugel_bounds *bounds, uint32_t face)
{
    int a = (int)(face / 2 + 1) % 3, b = (int)(face / 2 + 2) % 3;
    if (bounds->faces[face] != KUGEL_FACE_WALL || !is_closed(bounds, a) || !is_closed(bounds, b))
        return 0;
    return length(bounds, a) * length(bounds, b);
}

/* Pa */
static double wall_pressure(const kugel_bounds *bounds, const kugel_impact *impacts, size_t count,
                            double seconds)
{
    double area = 0, impulse = 0;
    for (uint32_t face = 0; face < 6; ++face) area += wall_area(bounds, face);
    for (size_t i = 0; i < count; ++i) {
        bool counts =
            impacts[i].target == KUGEL_TARGET_FACE && wall_area(bounds, impacts[i].index) > 0;
        if (counts) impulse += impacts[i].impulse;
    }
    return area > 0 && seconds > 0 ? impulse / seconds / area : 0;
}

/* sum m u^2, J */
static double thermal(const row_set *bodies)
{
    double mass = 0, momentum[3] = {0}, sum = 0;
    for (size_t i = 0; i < bodies->count; ++i) {
        mass += bodies->mass[i];
        for (size_t k = 0; k < 3; ++k) momentum[k] += bodies->mass[i] * bodies->velocity[3 * i + k];
    }
    for (size_t i = 0; i < bodies->count && mass > 0; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            double u = bodies->velocity[3 * i + k] - momentum[k] / mass;
            sum += bodies->mass[i] * u * u;
        }
    }
    return sum;
}

/* sum J (ra + rb), J s. In an impact the centres are ra + rb apart, and friction has no component
 * along the normal. */
static double virial(const row_set *bodies, const kugel_impact *impacts, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        if (impacts[i].target != KUGEL_TARGET_BODY) continue;
        uint32_t a = rows_find(bodies, kugel_body_id(impacts[i].a)),
                 b = rows_find(bodies, kugel_body_id(impacts[i].b));
        if (bodies->mass[a] > 0 && bodies->mass[b] > 0)
            sum += impacts[i].impulse * (bodies->radius[a] + bodies->radius[b]);
    }
    return sum;
}

/* Pa */
static double gas_pressure(const kugel_bounds *bounds, const row_set *bodies,
                           const kugel_impact *impacts, size_t count, double seconds)
{
    double volume = 1;
    for (int k = 0; k < 3; ++k) {
        if (!is_closed(bounds, k)) return 0;
        volume *= length(bounds, k);
    }
    double of_impacts = seconds > 0 ? virial(bodies, impacts, count) / seconds : 0;
    return (thermal(bodies) + of_impacts) / (3 * volume);
}

bool series_add(series_rows *rows, const kugel_world *world, const step_span *step)
{
    kugel_world_def def;
    kugel_stats s;
    kugel_energy e;
    size_t count;
    row_set *bodies = &rows->bodies;
    if (!rows_read(bodies, world)) return false;
    rows_read_details(bodies, world);
    const kugel_impact *impacts = kugel_world_impact_events(world, &count);
    double seconds = step->end - step->start;
    kugel_world_get_def(world, &def);
    kugel_world_stats(world, &s);
    kugel_world_energy(world, &e);
    fprintf(rows->to, "%llu,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.9g,%.9g,%llu,%llu,%llu\n",
            (unsigned long long)step->tick, step->end, e.kinetic, e.potential,
            e.kinetic + e.potential, e.momentum[0], e.momentum[1], e.momentum[2],
            wall_pressure(&def.bounds, impacts, count, seconds),
            gas_pressure(&def.bounds, bodies, impacts, count, seconds),
            (unsigned long long)s.resting_contacts, (unsigned long long)s.asleep,
            (unsigned long long)s.impacts);
    return true;
}

void series_free(series_rows *rows) { rows_free(&rows->bodies); }
