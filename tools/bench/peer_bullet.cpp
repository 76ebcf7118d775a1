#include <btBulletDynamicsCommon.h>
#include <vector>

#include "bench.h"

namespace {

struct engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btSphereShape *sphere;
    std::vector<btStaticPlaneShape *> planes;
    std::vector<btRigidBody *> bodies, walls;
};

void add_wall(engine *e, const scene *s, btVector3 normal, double offset)
{
    btStaticPlaneShape *shape = new btStaticPlaneShape(normal, offset);
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shape);
    info.m_restitution = s->restitution;
    info.m_friction = s->friction;
    btRigidBody *wall = new btRigidBody(info);
    e->planes.push_back(shape);
    e->walls.push_back(wall);
    e->world.addRigidBody(wall);
}

void *open_bullet(const scene *s)
{
    engine *e = new engine;
    e->world.setGravity(btVector3(0, 0, s->gravity));
    e->sphere = new btSphereShape(s->radius);
    btVector3 inertia;
    e->sphere->calculateLocalInertia(s->mass, inertia);
    for (int k = 0; k < 3; ++k) {
        btVector3 n(k == 0, k == 1, k == 2);
        add_wall(e, s, n, 0);
        if (!(s->open_top && k == 2)) add_wall(e, s, -n, -s->length[k]);
    }
    for (size_t i = 0; i < s->count; ++i) {
        btRigidBody::btRigidBodyConstructionInfo info(s->mass, nullptr, e->sphere, inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(
            btVector3(s->position[3 * i], s->position[3 * i + 1], s->position[3 * i + 2]));
        info.m_restitution = s->restitution;
        info.m_friction = s->friction;
        btRigidBody *body = new btRigidBody(info);
        body->setLinearVelocity(
            btVector3(s->velocity[3 * i], s->velocity[3 * i + 1], s->velocity[3 * i + 2]));
        body->setActivationState(DISABLE_DEACTIVATION);
        e->bodies.push_back(body);
        e->world.addRigidBody(body);
    }
    return e;
}

void step_bullet(void *data, double dt)
{
    static_cast<engine *>(data)->world.stepSimulation(dt, 0, dt);
}

void read_bullet(void *data, double *position, double *velocity)
{
    engine *e = static_cast<engine *>(data);
    for (size_t i = 0; i < e->bodies.size(); ++i) {
        const btVector3 &x = e->bodies[i]->getWorldTransform().getOrigin(),
                        &v = e->bodies[i]->getLinearVelocity();
        for (int k = 0; k < 3; ++k) position[3 * i + k] = x[k], velocity[3 * i + k] = v[k];
    }
}

void close_bullet(void *data)
{
    engine *e = static_cast<engine *>(data);
    for (btRigidBody *b : e->bodies) e->world.removeRigidBody(b), delete b;
    for (btRigidBody *b : e->walls) e->world.removeRigidBody(b), delete b;
    for (btStaticPlaneShape *p : e->planes) delete p;
    delete e->sphere;
    delete e;
}

} // namespace

extern "C" const peer peer_bullet = {"Bullet", open_bullet, step_bullet, read_bullet, close_bullet};
