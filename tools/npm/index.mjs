// kugel in JavaScript: worlds of moving spheres, with the bits of the native library. index.d.ts documents the calls.
// The engine is kugel.wasm beside this file; it imports nothing.

const FACES = ['open', 'wall', 'periodic'], TYPES = ['dynamic', 'static', 'kinematic'];

// Members in the order of package.c's doubles: name, size, write, read.
const flag = [Number, Boolean];
const oneOf = (words) => [(word) => words.indexOf(word), (index) => words[index]];
const WORLD = [['gravity', 3], ['substeps', 1], ['bounceThreshold', 1], ['slop', 1], ['linearDamping', 1], ['angularDamping', 1],
    ['sleep', 1, ...flag], ['contactIterations', 1], ['impactBudget', 1], ['stepEventLimit', 1], ['bounds.min', 3], ['bounds.max', 3],
    ['bounds.faces', 6, ...oneOf(FACES)], ['bounds.restitution', 1], ['bounds.friction', 1]];
const BODY = [['position', 3], ['velocity', 3], ['spin', 3], ['orientation', 4], ['radius', 1], ['mass', 1], ['restitution', 1],
    ['friction', 1], ['rollingResistance', 1], ['gravityScale', 1], ['type', 1, ...oneOf(TYPES)], ['category', 1], ['mask', 1], ['group', 1],
    ['sensor', 1, ...flag]];
const STATE = [...BODY, ['contacts', 1], ['asleep', 1, ...flag]];
const PLANE = [['normal', 3], ['offset', 1], ['restitution', 1], ['friction', 1]];
const STATS = [['kineticEnergy', 1], ['potentialEnergy', 1], ['momentum', 3], ['impacts', 1], ['impactsTotal', 1], ['restingContacts', 1],
    ['asleep', 1], ['budgetsExhausted', 1], ['memory', 1]];
const SETS = ['setMass', 'setRadius', 'setFriction', 'setRestitution', 'setRollingResistance', 'setGravityScale'];
const TARGETS = ['body', 'face', 'plane', 'surface', 'ellipsoid'], CONTACT_BYTES = 120; // of kugel_resting_contact
const CHANGES = ['setPosition', 'setVelocity', 'setSpin', 'applyForce', 'applyTorque', 'applyImpulse', 'applyAngularImpulse'];

const WHOLE = ['substeps', 'contactIterations', 'impactBudget', 'stepEventLimit']; // the engine refuses values out of range
const UNSIGNED = ['category', 'mask', 'group']; // 32 bits: every number is valid, so the range is checked here

export class KugelError extends Error {
    constructor(argument, message) {
        super(argument ? `${argument}: ${message}` : message);
        this.name = 'KugelError';
        this.argument = argument;
    }
}

function numberOf(name, value, write) {
    const x = write ? write(value) : value;
    if (typeof x !== 'number' || (write && !(x >= 0))) throw new KugelError(name, `cannot be ${JSON.stringify(value)}`);
    if (WHOLE.includes(name) && !Number.isInteger(x)) throw new KugelError(name, 'is no whole number');
    if (UNSIGNED.includes(name) && !(Number.isInteger(x) && x >= 0 && x <= 0xffffffff)) throw new KugelError(name, 'is no whole number of 32 bits');
    return x;
}

function vectorOf(name, value) {
    if (value?.length !== 3) throw new KugelError(name, 'takes 3 values');
    return Array.from(value, (x) => numberOf(name, x));
}

// Overwrite members. Unknown names are errors.
function encode(numbers, fields, given) {
    const flat = {};
    for (const [key, value] of Object.entries(given)) {
        if (key === 'bounds') for (const [inner, x] of Object.entries(value)) flat[`bounds.${inner}`] = x;
        else flat[key] = value;
    }
    let at = 0;
    for (const [name, count, write] of fields) {
        const value = flat[name];
        delete flat[name];
        if (value !== undefined) {
            const values = count > 1 ? Array.from(value) : [value];
            if (values.length !== count) throw new KugelError(name, `takes ${count} values`);
            numbers.set(values.map((x) => numberOf(name, x, write)), at);
        }
        at += count;
    }
    const [unknown] = Object.keys(flat);
    if (unknown) throw new KugelError(unknown, 'is not known');
}

function decode(numbers, fields) {
    const out = {};
    let at = 0;
    for (const [name, count, , read = (x) => x] of fields) {
        out[name] = count > 1 ? Array.from(numbers.subarray(at, at + count), read) : read(numbers[at]);
        at += count;
    }
    return out;
}

async function bytesBeside() {
    const url = new URL('kugel.wasm', import.meta.url);
    if (url.protocol === 'file:' && globalThis.process?.versions?.node) return (await import('node:fs/promises')).readFile(url);
    return (await fetch(url)).arrayBuffer();
}

export async function load(source) {
    const { instance } = await WebAssembly.instantiate(source ?? await bytesBeside(), {});
    const c = instance.exports;
    c._initialize();
    const numbers = () => new Float64Array(c.memory.buffer, c.js_numbers(), 64);
    const text = (at) => {
        const bytes = new Uint8Array(c.memory.buffer, at);
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    };
    const failed = (world) => new KugelError(text(c.js_error_argument(world)), text(c.js_error_message(world)));
    const allocate = (size) => {
        const block = c.js_allocate(size);
        if (!block) throw new KugelError('', 'out of memory');
        return block;
    };
    return {
        version: text(c.js_version()),
        physicsEpoch: c.js_epoch(),
        createWorld(def = {}) {
            c.js_world_defaults();
            encode(numbers(), WORLD, def);
            const world = c.js_world_create();
            if (!world) throw failed(0);
            return new World({ c, world, numbers, failed, allocate });
        },
    };
}

class World {
    #k; // { c, world, numbers, failed, allocate }
    #rows = { room: 0, block: 0 };

    constructor(kit) { this.#k = kit; }

    #check(status) {
        const { world, failed } = this.#k;
        if (status !== 0) throw world ? failed(world) : new KugelError('world', 'was destroyed');
    }
    destroy() {
        const { c, world } = this.#k;
        if (world) c.js_world_destroy(world);
        if (this.#rows.block) c.js_free(this.#rows.block);
        this.#rows = { room: 0, block: 0 };
        this.#k = { ...this.#k, world: 0 };
    }
    get tick() { return this.#k.c.js_world_tick(this.#k.world); }
    get time() { return this.#k.c.js_world_time(this.#k.world); }
    get count() { return this.#k.c.js_world_count(this.#k.world); }
    step(dt) { this.#check(this.#k.c.js_world_step(this.#k.world, dt)); }
    hash() { return BigInt.asUintN(64, this.#k.c.js_world_hash(this.#k.world)); }
    setGravity(gravity) {
        this.#k.numbers().set(vectorOf('gravity', gravity));
        this.#check(this.#k.c.js_world_set_gravity(this.#k.world));
    }
    addPlane(plane) {
        const numbers = this.#k.numbers();
        numbers.set([0, 0, 0, 0, 0, 0]);
        encode(numbers, PLANE, plane);
        this.#check(this.#k.c.js_world_add_plane(this.#k.world));
    }
    stats() {
        this.#k.c.js_world_stats(this.#k.world);
        return decode(this.#k.numbers(), STATS);
    }
    createBody(def = {}) {
        const { c, world, numbers, failed } = this.#k;
        c.js_body_defaults();
        encode(numbers(), BODY, def);
        const body = c.js_body_create(world);
        if (body === 0n) throw failed(world);
        return body;
    }
    destroyBody(body) {
        if (this.#k.c.js_body_destroy(this.#k.world, body)) throw new KugelError('body', 'does not exist');
    }
    body(body) {
        return this.#k.c.js_body_get(this.#k.world, body) ? null : decode(this.#k.numbers(), STATE);
    }
    #changed(body, status) {
        const { c, world, failed } = this.#k;
        if (!status) return;
        throw c.js_body_get(world, body) ? new KugelError('body', 'does not exist') : failed(world);
    }
    setType(body, type, mass = 1) {
        this.#changed(body, this.#k.c.js_body_set_type(this.#k.world, body, numberOf('type', type, (t) => TYPES.indexOf(t)), numberOf('mass', mass)));
    }
    wake(body) { this.#changed(body, this.#k.c.js_body_wake(this.#k.world, body)); }
    sleep(body) { this.#changed(body, this.#k.c.js_body_sleep(this.#k.world, body)); }
    setTarget(body, position, dt) {
        this.#k.numbers().set([...vectorOf('position', position), numberOf('dt', dt)]);
        this.#changed(body, this.#k.c.js_body_set_target(this.#k.world, body));
    }
    #pushAt(body, push, point, isImpulse) {
        this.#k.numbers().set([...vectorOf('push', push), ...vectorOf('point', point)]);
        this.#changed(body, this.#k.c.js_body_push_at(this.#k.world, body, isImpulse));
    }
    applyForceAt(body, force, point) { this.#pushAt(body, force, point, 0); }
    applyImpulseAt(body, impulse, point) { this.#pushAt(body, impulse, point, 1); }
    contacts(body) {
        const { c, world, allocate } = this.#k, count = c.js_body_contacts(world, body, 0, 0);
        if (count < 0) throw new KugelError('body', 'does not exist');
        if (!count) return [];
        const block = allocate(count * CONTACT_BYTES);
        c.js_body_contacts(world, body, count, block);
        const contacts = Array.from({ length: count }, (_, k) => {
            const at = block + k * CONTACT_BYTES, words = new Uint32Array(c.memory.buffer, at, 2);
            const n = Array.from(new Float64Array(c.memory.buffer, at + 24, 11));
            return { target: TARGETS[words[0]], index: words[1], other: new BigUint64Array(c.memory.buffer, at + 16, 1)[0],
                point: n.slice(0, 3), normal: n.slice(3, 6), gap: n[6], force: n[7], friction: n.slice(8),
                triangle: new Uint32Array(c.memory.buffer, at + 112, 1)[0] };
        });
        c.js_free(block);
        return contacts;
    }
    read() {
        const { c, world, allocate } = this.#k, count = this.count;
        if (count > this.#rows.room) {
            if (this.#rows.block) c.js_free(this.#rows.block);
            this.#rows = { room: 0, block: 0 };
            this.#rows = { room: count, block: allocate(count * 80) };
        }
        const { room, block } = this.#rows;
        const at = [0, 24, 48, 72].map((k) => block + k * room);
        if (count) c.js_world_read(world, room, at[3], at[0], at[1], at[2]);
        const [positions, velocities, spins] = at.map((a) => new Float64Array(c.memory.buffer, count ? a : 0, 3 * count));
        return { count, ids: new Uint32Array(c.memory.buffer, count ? at[3] : 0, count), positions, velocities, spins };
    }
    ray(origin, direction, most = Infinity, targets = TARGETS) {
        const { c, world, numbers } = this.#k, bits = targets.reduce((sum, t) => sum | 1 << TARGETS.indexOf(t), 0);
        if (bits < 0) throw new KugelError('targets', `takes ${TARGETS.join(', ')}`);
        numbers().set([...vectorOf('origin', origin), ...vectorOf('direction', direction), numberOf('most', most), bits]);
        const body = c.js_world_ray(world);
        if (body < 0n) throw new KugelError('ray', 'is not finite, or goes through too many periodic boxes');
        const n = numbers();
        return n[7] < 0 ? null : { target: TARGETS[n[7]], index: n[8], body, triangle: n[9], distance: n[0],
            point: Array.from(n.subarray(1, 4)), normal: Array.from(n.subarray(4, 7)) };
    }
    snapshot() {
        const { c, world, allocate, failed } = this.#k, room = c.js_snapshot_bound(world), block = allocate(room);
        const size = c.js_snapshot_save(world, block, room);
        const bytes = new Uint8Array(c.memory.buffer, block, size).slice();
        c.js_free(block);
        if (!size) throw failed(world);
        return bytes;
    }
    restore(bytes) {
        const { c, world, allocate } = this.#k, block = allocate(bytes.length);
        new Uint8Array(c.memory.buffer, block, bytes.length).set(bytes);
        const status = c.js_snapshot_restore(world, block, bytes.length);
        c.js_free(block);
        this.#check(status);
    }
    static {
        SETS.forEach((name, what) => {
            World.prototype[name] = function set(body, value) {
                this.#changed(body, this.#k.c.js_body_set(this.#k.world, body, what, numberOf(name, value)));
            };
        });
        CHANGES.forEach((name, what) => {
            World.prototype[name] = function change(body, vector) {
                const { c, world, numbers, failed } = this.#k;
                if (c.js_body_get(world, body)) throw new KugelError('body', 'does not exist');
                numbers().set(vectorOf(name, vector));
                if (c.js_body_change(world, body, what)) throw failed(world);
            };
        });
    }
}
