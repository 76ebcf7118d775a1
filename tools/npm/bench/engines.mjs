// Engines of the benchmark behind one interface. make(scene) returns {step, read, free}: step(dt) returns the pairs of bodies
// that began to touch in the step if the scene has ccd; read(position, velocity) fills arrays with 3 values a body. Engines
// have their defaults, except that sleep is off in gases and continuous detection is on for bullets, which pass through each
// other.

const WALL = 5; // m, thickness of walls that are boxes

// Walls of the scene's box as boxes: centre and half sides.
function wallsOf({ name, box }) {
    if (!box) return [];
    const sides = [];
    for (let k = 0; k < 3; ++k) {
        for (const high of [0, 1]) {
            if (name === 'pile' && k === 2 && high) continue; // open above
            const center = box.map((x) => x / 2), half = box.map((x) => x / 2 + WALL);
            center[k] = high ? box[k] + WALL / 2 : -WALL / 2;
            half[k] = WALL / 2;
            sides.push({ center, half });
        }
    }
    return sides;
}

// The engine that load() returned, with bodyId of its module.
export const kugel = ({ bodyId, ...library }) => (scene) => {
    const face = (k, high) => (scene.name === 'pile' && k === 2 && high ? 'open' : 'wall');
    const faces = scene.box ? [0, 1, 2].flatMap((k) => [face(k, 0), face(k, 1)]) : Array(6).fill('open'), { restitution, friction } = scene;
    const bounds = scene.box ? { min: [0, 0, 0], max: scene.box, faces, restitution, friction } : {};
    const hard = scene.name === 'gas' ? { slop: 0, bounceThreshold: 0, sleep: false } : {};
    const world = library.createWorld({ gravity: [0, 0, scene.gravity], bounds, ...hard });
    world.createBodies(scene.position, { velocity: scene.velocity, radius: scene.radii, restitution, friction,
        type: Array.from(scene.radii, (_, i) => (i < scene.fixed ? 'static' : 'dynamic')),
        group: Array.from(scene.radii, (_, i) => (scene.ccd && i >= scene.fixed ? 1 : 0)) });
    return {
        step(dt) {
            world.step(dt);
            return scene.ccd ? [...world.impactEvents(), ...world.beginEvents()].sort((a, b) => a.time - b.time).map(({ a, b }) => [bodyId(a), bodyId(b)]) : [];
        },
        read(position, velocity) {
            const rows = world.read();
            position.set(rows.position);
            velocity.set(rows.velocity);
        },
        free: () => world.destroy(),
    };
};

export const rapier = (library) => (scene) => {
    const world = new library.World({ x: 0, y: 0, z: scene.gravity }), queue = new library.EventQueue(true), bodies = [], owners = new Map();
    const surface = (shape) => shape.setRestitution(scene.restitution).setFriction(scene.friction);
    for (let i = 0; i < scene.count; ++i) {
        const at = scene.position.subarray(3 * i, 3 * i + 3), v = scene.velocity.subarray(3 * i, 3 * i + 3), fixed = i < scene.fixed;
        const desc = (fixed ? library.RigidBodyDesc.fixed() : library.RigidBodyDesc.dynamic()).setTranslation(...at);
        const body = world.createRigidBody(desc.setLinvel(...v).setCanSleep(scene.name !== 'gas').setCcdEnabled(scene.ccd && !fixed));
        const shape = surface(library.ColliderDesc.ball(scene.radii[i]).setMass(1));
        if (scene.ccd) shape.setActiveEvents(library.ActiveEvents.COLLISION_EVENTS).setCollisionGroups(fixed ? 0x00010002 : 0x00020001);
        owners.set(world.createCollider(shape, body).handle, i);
        bodies.push(body);
    }
    for (const { center, half } of wallsOf(scene)) world.createCollider(surface(library.ColliderDesc.cuboid(...half).setTranslation(...center)));
    return {
        step(dt) {
            const pairs = [];
            world.timestep = dt;
            world.step(queue);
            queue.drainCollisionEvents((a, b, started) => started && pairs.push([owners.get(a), owners.get(b)]));
            return pairs;
        },
        read(position, velocity) {
            bodies.forEach((body, i) => {
                const at = body.translation(), v = body.linvel();
                position.set([at.x, at.y, at.z], 3 * i);
                velocity.set([v.x, v.y, v.z], 3 * i);
            });
        },
        free: () => world.free(),
    };
};

export const cannon = (library) => (scene) => {
    const world = new library.World({ gravity: new library.Vec3(0, 0, scene.gravity), allowSleep: scene.name === 'pile' }), pairs = [];
    world.broadphase = new library.SAPBroadphase(world);
    Object.assign(world.defaultContactMaterial, { restitution: scene.restitution, friction: scene.friction });
    const bodies = Array.from(scene.radii, (radius, i) => new library.Body({ mass: i < scene.fixed ? 0 : 1, shape: new library.Sphere(radius), linearDamping: 0,
        angularDamping: 0, position: new library.Vec3(...scene.position.subarray(3 * i, 3 * i + 3)), velocity: new library.Vec3(...scene.velocity.subarray(3 * i, 3 * i + 3)) }));
    bodies.forEach((body, i) => {
        world.addBody(body);
        if (scene.ccd) Object.assign(body, i < scene.fixed ? { collisionFilterGroup: 1, collisionFilterMask: 2 } : { collisionFilterGroup: 2, collisionFilterMask: 1 });
        if (scene.ccd) body.addEventListener('collide', (event) => pairs.push([i, event.body.index]));
    });
    for (const { center, half } of wallsOf(scene)) world.addBody(new library.Body({ mass: 0, shape: new library.Box(new library.Vec3(...half)), position: new library.Vec3(...center) }));
    return {
        step(dt) {
            pairs.length = 0;
            world.step(dt);
            return pairs.slice();
        },
        read(position, velocity) {
            bodies.forEach(({ position: at, velocity: v }, i) => {
                position.set([at.x, at.y, at.z], 3 * i);
                velocity.set([v.x, v.y, v.z], 3 * i);
            });
        },
        free() {},
    };
};

// Layers: 0 fixed, 1 moving.
function joltSettings(library, { count, ccd }) {
    const settings = new library.JoltSettings(), pairs = new library.ObjectLayerPairFilterTable(2), layers = new library.BroadPhaseLayerInterfaceTable(2, 2);
    pairs.EnableCollision(0, 1);
    if (!ccd) pairs.EnableCollision(1, 1);
    for (const layer of [0, 1]) layers.MapObjectToBroadPhaseLayer(layer, new library.BroadPhaseLayer(layer));
    settings.mObjectLayerPairFilter = pairs;
    settings.mBroadPhaseLayerInterface = layers;
    settings.mObjectVsBroadPhaseLayerFilter = new library.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 2);
    settings.mMaxBodies = count + 16;
    settings.mMaxBodyPairs = 8 * count + 4096;
    settings.mMaxContactConstraints = Math.min(8 * count + 4096, 16384); // its memory for a step is fixed
    return settings;
}

export const jolt = (library) => (scene) => {
    const settings = joltSettings(library, scene), engine = new library.JoltInterface(settings), system = engine.GetPhysicsSystem();
    const all = system.GetBodyInterface(), gravity = new library.Vec3(0, 0, scene.gravity), owners = new Map(), pairs = [], bodies = [];
    system.SetGravity(gravity);
    function add(shape, center, moves, velocity) {
        const at = new library.RVec3(...center), turn = new library.Quat(0, 0, 0, 1);
        const def = new library.BodyCreationSettings(shape, at, turn, moves ? library.EMotionType_Dynamic : library.EMotionType_Static, moves ? 1 : 0);
        Object.assign(def, { mRestitution: scene.restitution, mFriction: scene.friction, mAllowSleeping: scene.name !== 'gas', mLinearDamping: 0, mAngularDamping: 0, mMaxLinearVelocity: 1e9 });
        if (moves) {
            def.mOverrideMassProperties = library.EOverrideMassProperties_CalculateInertia;
            def.mMassPropertiesOverride.mMass = 1;
            if (scene.ccd) def.mMotionQuality = library.EMotionQuality_LinearCast;
        }
        const body = all.CreateBody(def);
        all.AddBody(body.GetID(), library.EActivation_Activate);
        if (moves) {
            const v = new library.Vec3(...velocity);
            body.SetLinearVelocity(v);
            library.destroy(v);
        }
        [at, turn, def].forEach((block) => library.destroy(block));
        return body;
    }
    const shapes = new Map();
    for (let i = 0; i < scene.count; ++i) {
        if (!shapes.has(scene.radii[i])) shapes.set(scene.radii[i], new library.SphereShape(scene.radii[i]));
        const body = add(shapes.get(scene.radii[i]), scene.position.subarray(3 * i, 3 * i + 3), i >= scene.fixed, scene.velocity.subarray(3 * i, 3 * i + 3));
        owners.set(body.GetID().GetIndex(), i);
        bodies.push(body);
    }
    for (const { center, half } of wallsOf(scene)) add(new library.BoxShape(new library.Vec3(...half), 0.05), center, false);
    if (scene.ccd) {
        const listener = new library.ContactListenerJS(), owner = (at) => owners.get(library.wrapPointer(at, library.Body).GetID().GetIndex());
        listener.OnContactAdded = (a, b) => { pairs.push([owner(a), owner(b)]); };
        listener.OnContactPersisted = listener.OnContactRemoved = () => {};
        listener.OnContactValidate = () => library.ValidateResult_AcceptAllContactsForThisBodyPair;
        system.SetContactListener(listener);
    }
    return {
        step(dt) {
            pairs.length = 0;
            engine.Step(dt, 1);
            return pairs.slice();
        },
        read(position, velocity) {
            bodies.forEach((body, i) => {
                const at = body.GetPosition(), v = body.GetLinearVelocity();
                position.set([at.GetX(), at.GetY(), at.GetZ()], 3 * i);
                velocity.set([v.GetX(), v.GetY(), v.GetZ()], 3 * i);
            });
        },
        free: () => library.destroy(engine),
    };
};
