/* ODE as an engine of the benchmark. */
#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>

#include "bench.h"

typedef struct engine {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *bodies;
    dBodyID movers[MOVERS_MOST];
    uint32_t count;
    double restitution, friction;
    dTriMeshDataID mesh; /* of the floor, with its arrays */
    double *vertices;
    dTriIndex *triangles;
    contact_event *met; /* of the last step */
    size_t met_count, met_room;
} engine;

static uint32_t index_of(dBodyID body) { return (uint32_t)(uintptr_t)dBodyGetData(body); }

static bool is_free(dBodyID body) { return body && !dBodyIsKinematic(body); }

static void note(engine *e, dBodyID p, dBodyID q)
{
    uint32_t a = index_of(p), b = index_of(q);
    if (e->met_count == e->met_room) {
        e->met_room = e->met_room ? 2 * e->met_room : 1024;
        e->met = realloc(e->met, e->met_room * sizeof *e->met);
        if (!e->met) abort();
    }
    e->met[e->met_count++] = (contact_event){a < b ? a : b, a < b ? b : a, NAN};
}

/* Maximum number of contacts of a sphere with the triangles of a mesh. */
enum { MESH_CONTACTS = 8 };

static void meet(void *data, dGeomID a, dGeomID b)
{
    engine *e = data;
    dContact contact[MESH_CONTACTS];
    dBodyID p = dGeomGetBody(a), q = dGeomGetBody(b);
    if (!is_free(p) && !is_free(q)) return;
    bool mesh = dGeomGetClass(a) == dTriMeshClass || dGeomGetClass(b) == dTriMeshClass;
    int count = dCollide(a, b, mesh ? MESH_CONTACTS : 1, &contact[0].geom, sizeof *contact);
    for (int k = 0; k < count; ++k) {
        contact[k].surface.mode = dContactBounce;
        contact[k].surface.mu = e->friction;
        contact[k].surface.bounce = e->restitution;
        contact[k].surface.bounce_vel = 0;
        dJointAttach(dJointCreateContact(e->world, e->contacts, &contact[k]), p, q);
    }
    if (count && is_free(p) && is_free(q)) note(e, p, q);
}

static void add_floor(engine *e, const floor_mesh *floor)
{
    size_t vertices = 3 * (size_t)floor->vertex_count, corners = 3 * (size_t)floor->triangle_count;
    e->vertices = malloc(vertices * sizeof *e->vertices);
    e->triangles = malloc(corners * sizeof *e->triangles);
    if (!e->vertices || !e->triangles) abort();
    for (size_t k = 0; k < vertices; ++k) e->vertices[k] = floor->vertices[k];
    for (size_t k = 0; k < corners; ++k) e->triangles[k] = (dTriIndex)floor->triangles[k];
    e->mesh = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(e->mesh, e->vertices, 3 * sizeof *e->vertices,
                                (int)floor->vertex_count, e->triangles, (int)corners,
                                3 * sizeof *e->triangles);
    dCreateTriMesh(e->space, e->mesh, NULL, NULL, NULL);
}

static void add_walls(engine *e, const scene *s)
{
    for (int k = 0; k < 3; ++k) {
        const double n[3] = {k == 0, k == 1, k == 2};
        dCreatePlane(e->space, n[0], n[1], n[2], 0);
        if (!(s->open_top && k == 2)) dCreatePlane(e->space, -n[0], -n[1], -n[2], -s->length[k]);
    }
}

static void add_body(engine *e, const scene *s, size_t i)
{
    dMass mass;
    dBodyID body = e->bodies[i] = dBodyCreate(e->world);
    double radius = s->radii ? s->radii[i] : s->radius;
    const double *x = s->position + 3 * i, *v = s->velocity + 3 * i;
    dMassSetSphereTotal(&mass, s->masses ? s->masses[i] : s->mass, radius);
    dBodySetMass(body, &mass);
    dBodySetData(body, (void *)i);
    dBodySetPosition(body, x[0], x[1], x[2]);
    dBodySetLinearVel(body, v[0], v[1], v[2]);
    if (s->spin) dBodySetAngularVel(body, s->spin[3 * i], s->spin[3 * i + 1], s->spin[3 * i + 2]);
    dGeomID sphere = dCreateSphere(e->space, radius);
    dGeomSetBody(sphere, body);
    if (!s->collision_group) return;
    dGeomSetCategoryBits(sphere, 1ul << s->collision_group[i]);
    dGeomSetCollideBits(sphere, ~(1ul << s->collision_group[i]));
}

static void add_mover(engine *e, uint32_t index, const mover *m)
{
    dBodyID body = e->movers[index] = dBodyCreate(e->world);
    dBodySetKinematic(body);
    dBodySetPosition(body, m->position[0], m->position[1], m->position[2]);
    dGeomSetBody(dCreateBox(e->space, 2 * m->half[0], 2 * m->half[1], 2 * m->half[2]), body);
}

static void move_ode(void *data, uint32_t index, double rise, double spin, double dt)
{
    const engine *e = data;
    (void)dt;
    dBodySetLinearVel(e->movers[index], 0, 0, rise);
    dBodySetAngularVel(e->movers[index], 0, 0, spin);
}

/* Cells of the hash space: powers of two around the diameters. */
static void set_levels(engine *e, const scene *s)
{
    double least = s->radius, most = s->radius;
    for (size_t i = 0; i < s->count && s->radii; ++i) {
        least = i && least < s->radii[i] ? least : s->radii[i];
        most = i && most > s->radii[i] ? most : s->radii[i];
    }
    dHashSpaceSetLevels(e->space, (int)floor(log2(2 * least)), (int)floor(log2(2 * most)) + 1);
}

static void *open_ode(const scene *s)
{
    static int initialised;
    if (!initialised++) dInitODE2(0);
    engine *e = calloc(1, sizeof *e);
    e->world = dWorldCreate();
    e->space = dHashSpaceCreate(0);
    set_levels(e, s);
    e->contacts = dJointGroupCreate(0);
    e->count = s->count;
    e->restitution = s->restitution;
    e->friction = s->friction;
    dWorldSetGravity(e->world, 0, 0, s->gravity);
    dWorldSetAutoDisableFlag(e->world, 0);
    if (!s->boundless) add_walls(e, s);
    if (s->floor.triangle_count) add_floor(e, &s->floor);
    for (uint32_t k = 0; k < s->mover_count; ++k) add_mover(e, k, &s->movers[k]);
    e->bodies = calloc(s->count, sizeof *e->bodies);
    for (size_t i = 0; i < s->count; ++i) add_body(e, s, i);
    return e;
}

static void step_ode(void *data, double dt)
{
    engine *e = data;
    e->met_count = 0;
    dSpaceCollide(e->space, e, meet);
    dWorldQuickStep(e->world, dt);
    dJointGroupEmpty(e->contacts);
}

static void read_ode(void *data, double *position, double *velocity)
{
    engine *e = data;
    for (size_t i = 0; i < e->count; ++i) {
        const dReal *x = dBodyGetPosition(e->bodies[i]), *v = dBodyGetLinearVel(e->bodies[i]);
        for (size_t k = 0; k < 3; ++k) position[3 * i + k] = x[k], velocity[3 * i + k] = v[k];
    }
}

static size_t meetings_ode(void *data, contact_event *out, size_t room)
{
    const engine *e = data;
    for (size_t k = 0; k < e->met_count && k < room; ++k) out[k] = e->met[k];
    return e->met_count;
}

static void empty_ode(void *data)
{
    engine *e = data;
    for (size_t i = 0; i < e->count; ++i) {
        dGeomDestroy(dBodyGetFirstGeom(e->bodies[i]));
        dBodyDestroy(e->bodies[i]);
    }
}

static void close_ode(void *data)
{
    engine *e = data;
    dJointGroupDestroy(e->contacts);
    dSpaceDestroy(e->space);
    if (e->mesh) dGeomTriMeshDataDestroy(e->mesh);
    dWorldDestroy(e->world);
    free(e->vertices);
    free(e->triangles);
    free(e->bodies);
    free(e->met);
    free(e);
}

const peer peer_ode = {"ODE",    open_ode,     step_ode,  move_ode,
                       read_ode, meetings_ode, empty_ode, close_ode};
