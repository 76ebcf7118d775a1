#include <ode/ode.h>
#include <stdlib.h>

#include "bench.h"

typedef struct engine {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *bodies;
    uint32_t count;
    double restitution, friction;
} engine;

static void meet(void *data, dGeomID a, dGeomID b)
{
    engine *e = data;
    dContact contact;
    dBodyID p = dGeomGetBody(a), q = dGeomGetBody(b);
    if ((!p && !q) || !dCollide(a, b, 1, &contact.geom, sizeof contact)) return;
    contact.surface.mode = dContactBounce;
    contact.surface.mu = e->friction;
    contact.surface.bounce = e->restitution;
    contact.surface.bounce_vel = 0;
    dJointAttach(dJointCreateContact(e->world, e->contacts, &contact), p, q);
}

static void *open_ode(const scene *s)
{
    static int initialised;
    if (!initialised++) dInitODE2(0);
    engine *e = calloc(1, sizeof *e);
    e->world = dWorldCreate();
    e->space = dHashSpaceCreate(0);
    dHashSpaceSetLevels(e->space, 0, 1);
    e->contacts = dJointGroupCreate(0);
    e->count = s->count;
    e->restitution = s->restitution;
    e->friction = s->friction;
    dWorldSetGravity(e->world, 0, 0, s->gravity);
    dWorldSetAutoDisableFlag(e->world, 0);
    for (int k = 0; k < 3; ++k) {
        const double n[3] = {k == 0, k == 1, k == 2};
        dCreatePlane(e->space, n[0], n[1], n[2], 0);
        if (!(s->open_top && k == 2)) dCreatePlane(e->space, -n[0], -n[1], -n[2], -s->length[k]);
    }
    e->bodies = calloc(s->count, sizeof *e->bodies);
    for (size_t i = 0; i < s->count; ++i) {
        dMass mass;
        dBodyID body = e->bodies[i] = dBodyCreate(e->world);
        dMassSetSphereTotal(&mass, s->mass, s->radius);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, s->position[3 * i], s->position[3 * i + 1], s->position[3 * i + 2]);
        dBodySetLinearVel(body, s->velocity[3 * i], s->velocity[3 * i + 1], s->velocity[3 * i + 2]);
        dGeomSetBody(dCreateSphere(e->space, s->radius), body);
    }
    return e;
}

static void step_ode(void *data, double dt)
{
    engine *e = data;
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

static void close_ode(void *data)
{
    engine *e = data;
    dJointGroupDestroy(e->contacts);
    dSpaceDestroy(e->space);
    dWorldDestroy(e->world);
    free(e->bodies);
    free(e);
}

const peer peer_ode = {"ODE", open_ode, step_ode, read_ode, close_ode};
