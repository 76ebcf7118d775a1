/* A scene: the content of a scene file. Other programs write such files, so keys and defaults stay;
 * `kugel-run --help-scene` prints them. */
#ifndef RUNNER_SCENE_H
#define RUNNER_SCENE_H

#include <kugel/kugel.h>

#include "complaint.h"
#include "ellipsoid.h"
#include "grains.h"

typedef struct surface {
    kugel_surface_def def; /* without its arrays: surface_def sets them */
    double *vertices;      /* [3 * n], m, stb_ds array */
    uint32_t *triangles;   /* [3 * n], indices of vertices, stb_ds array */
    uint32_t without_area; /* number of triangles with area 0, as the shape has no length */
    char *mesh_file;       /* file of vertices and triangles, malloc'ed; NULL: the scene has them */
    char name[SCENE_NAME];
    /* The pose of def relative to that of the scene's keys: in def a solid's axis is along z */
    double offset[3]; /* m; a surface with an offset cannot turn */
    double turn[4];   /* quaternion x, y, z, w: def's rotation is that of the key times this */
} surface;

/* True if the surface turns about the position that the scene gives it. */
static inline bool surface_can_turn(const surface *surface)
{
    const double *offset = surface->offset;
    return offset[0] == 0 && offset[1] == 0 && offset[2] == 0;
}

typedef struct beam {
    uint64_t tick;                          /* must be first: schedule.h reads it */
    double origin[3], direction[3], length; /* direction is a unit vector */
} beam;

typedef struct impulse {
    uint64_t tick; /* must be first: schedule.h reads it */
    uint32_t body;
    double impulse[3];
} impulse;

/* Ticks at which something acts: every `every`-th of the `ticks` ticks from `tick` on. */
typedef struct span {
    uint64_t tick, ticks, every;
} span;

static inline bool span_is_due(const span *span, uint64_t tick)
{
    return tick >= span->tick && tick - span->tick < span->ticks &&
           (tick - span->tick) % span->every == 0;
}

typedef struct force {
    span span;
    uint32_t body;
    double force[3], torque[3]; /* N, N m */
} force;

typedef struct gravity_change {
    uint64_t tick; /* must be first: schedule.h reads it */
    double gravity[3];
} gravity_change;

typedef enum mover_kind { MOVES_BODY, MOVES_SURFACE, MOVES_PLANE } mover_kind;

/* What a motion or a servo moves. */
typedef struct mover {
    mover_kind kind;
    uint32_t index; /* of the surface or plane, or id of the body */
} mover;

/* A new velocity, spin or tangent velocity, or a place (m; a unit quaternion) that is reached after
 * `ticks`. */
typedef struct motion {
    uint64_t tick; /* must be first: schedule.h reads it */
    uint64_t ticks;
    mover mover;
    bool has_velocity, has_spin, has_position, has_rotation, has_tangent;
    double velocity[3], spin[3], position[3], rotation[4];
    double tangent[3]; /* m/s, in the frame of the scene's rotation */
} motion;

/* The end of a motion to a position or a rotation. */
typedef struct motion_stop {
    uint64_t tick; /* must be first: schedule.h reads it */
    mover mover;
    bool ends_spin; /* true: the spin becomes 0; false: the velocity */
    size_t motion;  /* index of the motion that ends */
} motion_stop;

typedef struct emitter {
    span span;
    uint64_t count; /* bodies in each tick that is due */
    uint64_t seed;
    double min[3], max[3];      /* m, box of the centres */
    double velocity[3], spread; /* m/s; along each axis uniform in velocity +- spread */
    grains grains;
} emitter;

/* Velocities at a temperature, from tick to tick. */
typedef struct thermostat {
    span span;
    bool is_andersen;   /* false: rescaling */
    double temperature; /* k_B T, J */
    double rate;        /* 1/s, collisions of a body with the bath; of Andersen's thermostat */
    uint64_t seed;
} thermostat;

/* A surface that a force drives along a direction; see servos.c. */
typedef struct servo {
    span span;
    mover target;        /* a plane or surface */
    double direction[3]; /* unit; of a plane its normal */
    double force;        /* N, along the direction */
    double mass, drag;   /* kg; N s/m */
    double speed;        /* m/s, limit */
} servo;

/* The points with normal . x >= offset are free. */
typedef struct plane {
    double normal[3], offset, restitution, friction;
    double velocity[3], spin[3], tangent[3]; /* m/s; rad/s; m/s */
    uint32_t kind;                           /* of material */
    char name[SCENE_NAME];
    double turn[4]; /* of the def that the scene makes, as in surface: its keys have no rotation */
} plane;

/* The contact material of two kinds. */
typedef struct pair {
    uint32_t kinds[2];
    kugel_pair_material material;
} pair;

/* Removes dynamic bodies with centres in a box, or behind a plane: normal . x < offset. */
typedef struct drain {
    span span;
    bool is_plane;
    double min[3], max[3], normal[3], offset;
} drain;

typedef struct lattice {
    double origin[3], spacing[3], jitter;
    uint32_t count[3];
    uint64_t seed;
} lattice;

typedef struct gas {
    uint32_t count;          /* 0: as many as reach the packing fraction */
    double packing_fraction; /* 0: not given */
    bool own_radius;         /* true: the generator has a radius of its own */
    double speed_sigma;      /* m/s, used if the temperature is 0 */
    double temperature;      /* k_B T, J */
    uint64_t seed;
} gas;

typedef struct generator {
    bool is_gas;
    lattice lattice;
    gas gas;
    grains grains; /* of its bodies */
} generator;

/* What is stored of a generator that has run. The rest of its bodies follows from its seed. */
typedef struct generated {
    uint64_t seed;
    size_t end; /* number of bodies up to those of this generator, included */
    /* of a gas: */
    double (*place)[3];    /* [body], m; malloc'ed; NULL: not placed yet */
    double *radius;        /* [body], m; stb_ds array; NULL: equal_radius is that of all bodies */
    double equal_radius;   /* m */
    random_state velocity; /* before the first velocity */
} generated;

static inline double generated_radius(const generated *generated, size_t body)
{
    return generated->radius ? generated->radius[body] : generated->equal_radius;
}

/* Place and radius of a body, m. */
typedef struct sphere {
    double place[3], radius;
    const generator *generator; /* NULL: a listed body */
} sphere;

/* Called for one body after the other; false ends the walk. */
typedef bool sphere_visit(void *context, const sphere *sphere);
typedef bool body_visit(void *context, size_t body, const kugel_body_def *def);

/* Largest absolute value of a number in a scene, as of lengths and speeds in the engine. */
#define LARGEST 1e15
/* Maximum number of bodies of a scene. */
enum { MOST_BODIES = 67108864 }; /* of a world, too */

/* Arrays are stb_ds arrays. */
typedef struct scene {
    double dt;
    uint64_t ticks;
    uint64_t accumulate;    /* ticks of a row of --forces; 0: 1 */
    double gas_temperature; /* k_B T, J, of gases without a speed_sigma; 0: they are at rest */
    kugel_world_def world;
    plane *planes; /* the first surfaces of the world, in this order */
    pair *pairs;
    ellipsoid *ellipsoids;
    surface *surfaces;
    uint64_t shape_triangles; /* of surfaces that are shapes, neither meshes nor height fields */
    kugel_body_def defaults;
    grains grains;              /* default radii and masses, in place of those of `defaults` */
    radius_choice *choices;     /* of all radii with RADIUS_CHOICES */
    random_state listed_random; /* for radii of listed bodies that have none of their own */
    kugel_body_def *bodies;     /* [id]: the listed bodies, of "bodies" */
    size_t listed;              /* number of bodies made from the list of the scene itself */
    char *bodies_file;          /* FILE or FILE@TICK in place of listed bodies; malloc'ed or NULL */
    uint64_t *body_places;      /* of the bodies from the file: lines, or rows from 1 */
    bool places_are_lines;
    bool bounds_of_file; /* true: the box of the file of bodies gives min and max of the bounds */
    bool has_faces;      /* true: the scene gives the faces of the bounds */
    generator *generators;
    generated *generated; /* [generator], once they have run */
    beam *beams;
    impulse *impulses;
    force *forces;
    gravity_change *gravities;
    motion *motions;
    emitter *emitters;
    drain *drains;
    thermostat *thermostats;
    servo *servos;
} scene;

/* Read a scene from JSON text. `name` is the file's name in messages. false with a complaint. */
bool scene_parse(scene *scene, const char *text, size_t size, const char *name,
                 complaint *complaint);
/* Run the generators: place the bodies of gases. `seed` (may be NULL) replaces the seed of the
 * first generator, seed + 1 that of the second, and so on. false: a complaint. */
bool scene_generate(scene *scene, const uint64_t *seed, const char *name, complaint *complaint);
void scene_free(scene *scene);

/* scene_bodies.c */

/* A body of a generator with the default values, not yet placed. A static body has no spin. */
kugel_body_def scene_generated_body(const scene *scene, const grains *grains, double radius);
/* Number of bodies, of generators only if they have run. */
size_t scene_body_count(const scene *scene);
/* Visit places and radii in the order of ids: of listed bodies, and of generators that have run.
 * @return false if a visit ended the walk. */
bool scene_each_sphere(const scene *scene, sphere_visit *visit, void *context);
/* Call visit(context, body, def) for each body in the order of ids. Definitions of generated bodies
 * are made one after the other and not stored. @return false if a visit ended the walk. */
bool scene_each_body(const scene *scene, body_visit *visit, void *context);
/* Index of the generator of a generated body. */
size_t scene_generator_of(const scene *scene, size_t body);
/* Id of the first body of a generator. */
size_t scene_first_of(const scene *scene, size_t generator);
/* Free what generators have stored. */
void scene_free_generated(scene *scene);
/* Free the listed bodies and what generators have stored. */
void scene_free_bodies(scene *scene);
/* Key path of a body: "bodies[3]", "generators[1]: body 40", or "bodies: a.csv:17". */
enum { SCENE_PATH = 300 };
void scene_body_path(const scene *scene, size_t body, char path[SCENE_PATH]);

extern const char scene_help[];

#endif
