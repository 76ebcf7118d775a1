/* Pinball: two flippers are surfaces whose spin the program sets before each tick. They throw the
 * ball at more than 2 m/s, and the ball leaves the table only between them. A tilt of gravity by
 * 6.5 degrees stands for the slope of the table. Usage: sample-pinball [RECORDING] */
#include <kugel/kugel.h>
#include <kugel/mesh_shapes.h>
#include <math.h>
#include <stdio.h>

enum { SEGMENTS = 32, TICKS = 240 * 120 };
static const double BALL = 0.0135, DT = 1 / 240., SWING = 25, REST = 0.5; /* m, s, rad/s, rad */

typedef struct flipper {
    kugel_surface surface;
    double side;  /* -1: left, 1: right */
    double angle; /* rad, upwards from the table's width */
} flipper;

static double vertices[3 * KUGEL_MESH_CAPSULE_VERTICES(SEGMENTS)];
static uint32_t triangles[3 * KUGEL_MESH_CAPSULE_TRIANGLES(SEGMENTS)];

/* Add the mesh in the arrays above as a surface with its frame at (x, y). */
static kugel_surface add_mesh(kugel_world *world, double x, double y, double restitution,
                              uint32_t vertex_count, uint32_t triangle_count)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.vertices = vertices, def.vertex_count = vertex_count;
    def.triangles = triangles, def.triangle_count = triangle_count;
    def.position[0] = x, def.position[1] = y, def.position[2] = BALL;
    def.restitution = restitution, def.friction = 0.2;
    kugel_surface surface;
    kugel_surface_create(world, &def, &surface);
    return surface;
}

/* Add a wall or a flipper: a capsule from (x, y), the origin of its frame, to (tip_x, tip_y). */
static kugel_surface add_bar(kugel_world *world, double x, double y, double tip_x, double tip_y)
{
    const double from[3] = {0, 0, 0}, to[3] = {tip_x - x, tip_y - y, 0};
    kugel_mesh_capsule(from, to, 0.012, SEGMENTS, vertices, triangles);
    return add_mesh(world, x, y, 0.3, KUGEL_MESH_CAPSULE_VERTICES(SEGMENTS),
                    KUGEL_MESH_CAPSULE_TRIANGLES(SEGMENTS));
}

static void add_bumper(kugel_world *world, double x, double y)
{
    const double low[3] = {0, 0, -BALL}, high[3] = {0, 0, BALL};
    uint32_t count;
    kugel_mesh_cone(low, high, 0.035, 0.035, SEGMENTS, KUGEL_MESH_CAPS_BOTH, vertices, triangles,
                    &count);
    add_mesh(world, x, y, 0.9, KUGEL_MESH_CONE_VERTICES(SEGMENTS), count);
}

/* Set the spin of a flipper for one tick, towards its upper or lower end. */
static void swing(kugel_world *world, flipper *f, bool up)
{
    double step = fmin(fmax((up ? REST : -REST) - f->angle, -SWING * DT), SWING * DT);
    const double still[3] = {0, 0, 0}, spin[3] = {0, 0, -f->side * step / DT};
    kugel_surface_set_motion(world, f->surface, still, spin);
    f->angle += step;
}

static kugel_world *make_table(flipper flippers[2])
{
    kugel_world_def def = kugel_world_def_default();
    const kugel_bounds table = {
        {-0.26, 0, 0}, {0.26, 1.1, 0.03}, {1, 1, 0, 1, 1, 1}, 0.4, 0.1}; /* open at the low end */
    def.bounds = table;
    def.bounce_threshold = 0.15; /* m/s: a ball comes to lie on a flipper */
    def.gravity[1] = -9.81 * sin(0.1134), def.gravity[2] = -9.81 * cos(0.1134);
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return NULL;
    for (int side = -1; side <= 1; side += 2) {
        double tip_x = side * (0.14 - 0.1 * cos(REST)), tip_y = 0.2 - 0.1 * sin(REST);
        kugel_surface surface = add_bar(world, side * 0.14, 0.2, tip_x, tip_y);
        flippers[(side + 1) / 2] = (flipper){surface, side, -REST};
        add_bar(world, side * 0.27, 0.3, side * 0.14, 0.2);
        add_bar(world, side * 0.27, 0.95, side * 0.1, 1.11);
        add_bumper(world, side * 0.09, 0.72);
    }
    add_bumper(world, 0, 0.86);
    return world;
}

static bool write_file(void *file, const void *data, size_t size)
{
    return fwrite(data, 1, size, file) == size;
}

int main(int count, char **words)
{
    flipper flippers[2];
    kugel_world *world = make_table(flippers);
    FILE *file = count > 1 ? fopen(words[1], "wb") : NULL;
    kugel_recording_def recording = kugel_recording_def_default();
    recording.write = write_file, recording.user = file;
    if (!world || (file && kugel_world_recording_start(world, &recording))) return 1;
    int balls = 0, hits = 0, throws = 0, lost = 0;
    double fastest = 0;
    kugel_body body = KUGEL_NULL_BODY;
    for (int tick = 0; tick < TICKS; ++tick) {
        kugel_body_state s = {0};
        if (kugel_body_get(world, body, &s)) {
            kugel_body_def ball = kugel_body_def_default();
            ball.radius = BALL, ball.mass = 0.08, ball.friction = 0.1, ball.restitution = 0.3;
            ball.position[0] = 0.02 * (++balls % 5) - 0.045, ball.position[1] = 1;
            ball.position[2] = BALL;
            if (kugel_body_create(world, &ball, &body) || kugel_body_get(world, body, &s)) return 1;
        }
        for (int k = 0; k < 2; ++k) {
            double x = s.position[0] * flippers[k].side, y = s.position[1];
            swing(world, &flippers[k], x > 0.02 && x < 0.085 && y > 0.1 && y < 0.2);
        }
        if (kugel_world_step(world, DT)) return 1;
        size_t impacts;
        const kugel_impact *impact = kugel_world_impact_events(world, &impacts);
        kugel_body_get(world, body, &s);
        for (size_t i = 0; i < impacts; ++i) {
            if (impact[i].target != KUGEL_TARGET_SURFACE) continue;
            kugel_surface hit = kugel_world_surface(world, impact[i].index);
            bool flips = hit == flippers[0].surface || hit == flippers[1].surface;
            throws += flips && s.velocity[1] > 1;
            hits += !flips && s.position[1] > 0.6 && s.position[1] < 0.95;
        }
        fastest = fmax(fastest, s.velocity[1]);
        lost += fabs(s.position[0]) > 0.26 || s.position[2] < 0 || s.position[2] > 0.03;
        if (s.position[1] < 0) kugel_body_destroy(world, body);
    }
    if (file && (kugel_world_recording_stop(world) || fclose(file))) return 1;
    printf("%d balls, %d throws of the flippers, up to %.2f m/s, %d hits of bumpers\n", balls,
           throws, fastest, hits);
    kugel_world_destroy(world);
    return throws > 20 && hits > 20 && fastest > 2 && lost == 0 ? 0 : 1;
}
