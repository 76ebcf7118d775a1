#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <vector>

#include "bench.h"

namespace {

struct engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<btSphereShape *> spheres; /* one for all, or one each */
    std::vector<btStaticPlaneShape *> planes;
    std::vector<btBoxShape *> boxes;
    std::vector<btRigidBody *> bodies, walls, movers;
    std::vector<btScalar> vertices; /* of the floor */
    std::vector<int> triangles;
    btTriangleIndexVertexArray arrays;
    btBvhTriangleMeshShape *mesh = nullptr;
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

void add_floor(engine *e, const scene *s)
{
    const floor_mesh &floor = s->floor;
    e->vertices.assign(floor.vertices, floor.vertices + 3 * size_t(floor.vertex_count));
    e->triangles.assign(floor.triangles, floor.triangles + 3 * size_t(floor.triangle_count));
    btIndexedMesh part;
    part.m_numTriangles = int(floor.triangle_count);
    part.m_triangleIndexBase = reinterpret_cast<const unsigned char *>(e->triangles.data());
    part.m_triangleIndexStride = 3 * sizeof(int);
    part.m_numVertices = int(floor.vertex_count);
    part.m_vertexBase = reinterpret_cast<const unsigned char *>(e->vertices.data());
    part.m_vertexStride = 3 * sizeof(btScalar);
    part.m_vertexType = sizeof(btScalar) == sizeof(double) ? PHY_DOUBLE : PHY_FLOAT;
    e->arrays.addIndexedMesh(part);
    e->mesh = new btBvhTriangleMeshShape(&e->arrays, true);
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, e->mesh);
    info.m_restitution = s->restitution;
    info.m_friction = s->friction;
    e->walls.push_back(new btRigidBody(info));
    e->world.addRigidBody(e->walls.back());
}

void add_mover(engine *e, const scene *s, const mover *m)
{
    e->boxes.push_back(new btBoxShape(btVector3(m->half[0], m->half[1], m->half[2])));
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, e->boxes.back());
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(btVector3(m->position[0], m->position[1], m->position[2]));
    info.m_restitution = s->restitution;
    info.m_friction = s->friction;
    btRigidBody *body = new btRigidBody(info);
    body->setCollisionFlags(body->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    body->setActivationState(DISABLE_DEACTIVATION);
    e->movers.push_back(body);
    e->world.addRigidBody(body);
}

/* The engine finds the velocity of a kinematic body from its places. */
void move_bullet(void *data, uint32_t index, double rise, double spin, double dt)
{
    btRigidBody *body = static_cast<engine *>(data)->movers[index];
    btTransform at = body->getWorldTransform();
    at.setOrigin(at.getOrigin() + btVector3(0, 0, rise * dt));
    at.setRotation(btQuaternion(btVector3(0, 0, 1), spin * dt) * at.getRotation());
    body->setWorldTransform(at);
}

btSphereShape *shape_of(engine *e, const scene *s, size_t i)
{
    if (e->spheres.empty() || s->radii)
        e->spheres.push_back(new btSphereShape(s->radii ? s->radii[i] : s->radius));
    return e->spheres.back();
}

void add_body(engine *e, const scene *s, size_t i)
{
    const double *x = s->position + 3 * i, *v = s->velocity + 3 * i;
    double mass = s->masses ? s->masses[i] : s->mass;
    btSphereShape *sphere = shape_of(e, s, i);
    btVector3 inertia;
    sphere->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, sphere, inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(btVector3(x[0], x[1], x[2]));
    info.m_restitution = s->restitution;
    info.m_friction = s->friction;
    btRigidBody *body = new btRigidBody(info);
    body->setLinearVelocity(btVector3(v[0], v[1], v[2]));
    if (s->spin)
        body->setAngularVelocity(btVector3(s->spin[3 * i], s->spin[3 * i + 1], s->spin[3 * i + 2]));
    body->setActivationState(DISABLE_DEACTIVATION);
    body->setUserIndex(int(i));
    if (s->continuous) {
        body->setCcdMotionThreshold(sphere->getRadius());
        body->setCcdSweptSphereRadius(sphere->getRadius());
    }
    e->bodies.push_back(body);
    if (s->collision_group)
        e->world.addRigidBody(body, 1 << s->collision_group[i], ~(1 << s->collision_group[i]));
    else e->world.addRigidBody(body);
}

void *open_bullet(const scene *s)
{
    engine *e = new engine;
    e->world.setGravity(btVector3(0, 0, s->gravity));
    for (int k = 0; k < 3 && !s->boundless; ++k) {
        btVector3 n(k == 0, k == 1, k == 2);
        add_wall(e, s, n, 0);
        if (!(s->open_top && k == 2)) add_wall(e, s, -n, -s->length[k]);
    }
    if (s->floor.triangle_count) add_floor(e, s);
    for (uint32_t k = 0; k < s->mover_count; ++k) add_mover(e, s, &s->movers[k]);
    for (size_t i = 0; i < s->count; ++i) add_body(e, s, i);
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

bool pushes(const btPersistentManifold *manifold)
{
    for (int k = 0; k < manifold->getNumContacts(); ++k) {
        if (manifold->getContactPoint(k).getAppliedImpulse() > 0) return true;
    }
    return false;
}

size_t meetings_bullet(void *data, contact_event *out, size_t room)
{
    engine *e = static_cast<engine *>(data);
    size_t met = 0;
    for (int k = 0; k < e->dispatcher.getNumManifolds(); ++k) {
        const btPersistentManifold *manifold = e->dispatcher.getManifoldByIndexInternal(k);
        int a = manifold->getBody0()->getUserIndex(), b = manifold->getBody1()->getUserIndex();
        if (a < 0 || b < 0 || !pushes(manifold)) continue; /* walls have no index */
        if (met < room) out[met] = {uint32_t(a < b ? a : b), uint32_t(a < b ? b : a), NAN};
        met += 1;
    }
    return met;
}

void close_bullet(void *data)
{
    engine *e = static_cast<engine *>(data);
    for (btRigidBody *b : e->bodies) e->world.removeRigidBody(b), delete b;
    for (btRigidBody *b : e->walls) e->world.removeRigidBody(b), delete b;
    for (btRigidBody *b : e->movers) e->world.removeRigidBody(b), delete b;
    for (btStaticPlaneShape *p : e->planes) delete p;
    for (btBoxShape *b : e->boxes) delete b;
    for (btSphereShape *s : e->spheres) delete s;
    delete e->mesh;
    delete e;
}

} // namespace

extern "C" const peer peer_bullet = {"Bullet",    open_bullet,     step_bullet, move_bullet,
                                     read_bullet, meetings_bullet, nullptr,     close_bullet};
