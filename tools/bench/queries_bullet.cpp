#include <btBulletDynamicsCommon.h>
#include <vector>

#include "queries.h"

namespace {

struct engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btSphereShape *sphere;
};

struct count_contacts : btCollisionWorld::ContactResultCallback {
    uint64_t found = 0;
    btScalar addSingleResult(btManifoldPoint &, const btCollisionObjectWrapper *, int, int,
                             const btCollisionObjectWrapper *, int, int) override
    {
        ++found;
        return 0;
    }
};

btVector3 vector(const double *v) { return btVector3(v[0], v[1], v[2]); }

void *open_bullet(const double *x, size_t count, double radius)
{
    engine *e = new engine;
    e->sphere = new btSphereShape(radius);
    for (size_t i = 0; i < count; ++i) {
        btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, e->sphere);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(vector(x + 3 * i));
        e->world.addRigidBody(new btRigidBody(info));
    }
    e->world.stepSimulation(1 / 60., 0, 1 / 60.);
    return e;
}

uint64_t ask_bullet(void *data, int kind, const query *q, size_t n)
{
    engine *e = static_cast<engine *>(data);
    uint64_t sum = 0;
    for (size_t i = 0; i < n; ++i, ++q) {
        btVector3 from = vector(q->from), to = vector(q->to);
        if (kind == QUERY_RAY) {
            btCollisionWorld::ClosestRayResultCallback hit(from, to);
            e->world.rayTest(from, to, hit);
            sum += hit.hasHit();
        } else if (kind == QUERY_CAST) {
            btSphereShape ball(q->radius);
            btCollisionWorld::ClosestConvexResultCallback hit(from, to);
            e->world.convexSweepTest(&ball, btTransform(btQuaternion::getIdentity(), from),
                                     btTransform(btQuaternion::getIdentity(), to), hit);
            sum += hit.hasHit();
        } else {
            btSphereShape ball(q->radius);
            btCollisionObject object;
            object.setCollisionShape(&ball);
            object.setWorldTransform(btTransform(btQuaternion::getIdentity(), from));
            count_contacts hit;
            e->world.contactTest(&object, hit);
            sum += hit.found;
        }
    }
    return sum;
}

/* Leaves the bodies to the end of the process, because Bullet takes a minute to remove 100,000. */
void close_bullet(void *) {}

} // namespace

extern "C" const query_engine query_engine_bullet = {"Bullet", open_bullet, ask_bullet,
                                                     close_bullet};
