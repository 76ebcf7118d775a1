// Worlds of the JavaScript package. A method writes its arguments as doubles, calls the engine and reads the results.

import { rowsOf } from './bodies.mjs';
import { Columns, unused, writtenOf } from './memory.mjs';
import { LISTS, ROWS } from './rows.mjs';
import { createPlane, createSurface, setPlaceOrMotion, surfacesOf } from './surfaces.mjs';
import {
    BODY, bytesOf, decode, encode, ENERGY, EXPLOSION, FILTER, handleOf, KugelError, membersOf, numberOf, numbersOf, objectOf, oneOf, PAIR_MATERIAL, staleHandle, STATE,
    STATS, STATUSES, TARGETS, TYPES, vectorOf, wordOf, WORLD, writeLocks,
} from './values.mjs';

// Names in the order of the lists in package.c and package_lists.c.
const GETS = ['getPosition', 'getVelocity', 'getSpin', 'getRotation'];
const SETS = ['setMass', 'setRadius', 'setGravityScale'];
const FLAGS = ['setSensor', 'setCanSleep', 'setEnabled', 'setContactEvents'];
const CHANGES = ['setPosition', 'setVelocity', 'setSpin', 'applyTorque', 'applyAngularImpulse'];
function filterOf(filter) {
    const { category, mask, group } = membersOf('filter', filter, { category: 1, mask: ALL, group: 0 });
    return [numberOf('category', category), numberOf('mask', mask), numberOf('group', group)];
}

const EVENTS = { impactEvents: 'impact', beginEvents: 'touch', endEvents: 'touch', sleepEvents: 'rest', wakeEvents: 'rest', sensorEvents: 'sensorEvent' };
const [writeType] = oneOf(TYPES);
const RAY = 'origin, direction or tMax', CAST = 'origin, direction, tMax or radius';
// With the arguments that an error names: one of them is wrong.
const QUERIES = {
    rayClosest: RAY, rayAny: RAY, rayAll: RAY, castClosest: CAST, castAny: CAST, castAll: CAST, overlapSphere: 'center or radius', overlapBox: 'min or max',
    overlapEllipsoid: 'center, semiAxes or rotation', nearest: 'point or maxGap', planeSide: 'normal or offset',
    raysClosest: 'origins, directions or tMax', // last: it has a call of its own
};
const KINDS = Object.keys(QUERIES);
const OUT_OF_MEMORY = STATUSES.indexOf('out_of_memory');
const FILTER_AT = 16, ALL = 0xffffffff, ALL_TARGETS = (1 << TARGETS.length) - 1;

// The argument of setRadius, applyTorque, applyAngularImpulse: radius, torque, impulse.
function argumentOf(call) {
    const name = call.replace(/^set|^apply(Angular)?/, '');
    return name[0].toLowerCase() + name.slice(1);
}

// The number of a new rule for the engine; 0: no filter.
export function ruleOf(callbacks, decide) {
    if (decide !== null && typeof decide !== 'function') throw new KugelError('decide', 'takes a function, or null');
    return decide ? callbacks.add(decide) : 0;
}

// A number for a query, NaN and values below 0 are refused.
function lengthOf(name, value) {
    if (!(numberOf(name, value) >= 0)) throw new KugelError(name, 'must be >= 0');
    return value;
}

// The doubles of kugel_ray for many rays; one origin, direction or tMax serves all of them.
function raysOf(origins, directions, tMax) {
    const given = [numbersOf('origins', origins), numbersOf('directions', directions), typeof tMax === 'number' ? [tMax] : numbersOf('tMax', tMax)];
    const names = ['origins', 'directions', 'tMax'], sizes = [3, 3, 1], counts = given.map(({ length }, k) => length / sizes[k]);
    const count = counts.find((n) => n !== 1) ?? 1, wrong = counts.findIndex((n) => !Number.isInteger(n) || n !== 1 && n !== count);
    if (wrong >= 0) throw new KugelError(names[wrong], `takes ${sizes[wrong]} numbers for each ray, or for all, not ${given[wrong].length} for ${count}`);
    const rays = new Float64Array(7 * count), [from, along, lengths] = given, [f, a, l] = sizes.map((size, k) => (counts[k] === 1 ? 0 : size));
    for (let i = 0, at = 0; i < count; ++i, at += 7) {
        rays[at] = from[f * i], rays[at + 1] = from[f * i + 1], rays[at + 2] = from[f * i + 2];
        rays[at + 3] = along[a * i], rays[at + 4] = along[a * i + 1], rays[at + 5] = along[a * i + 2];
        rays[at + 6] = lengths[l * i];
    }
    return rays;
}

// What a world has in the engine's memory, and its callbacks.
class Owned {
    tape = 0; // of the recording
    columns = new Columns();

    constructor(kit, world) {
        this.kit = kit;
        this.world = world;
        this.rule = kit.callbacks.retain(kit.c.js_world_pair_filter(world)); // of the pair filter, 0 for none; a clone has that of its original
    }
    free() {
        const { c, callbacks } = this.kit;
        c.js_world_destroy(this.world);
        c.js_tape_free(this.tape);
        this.columns.free(c);
        callbacks.release(this.rule);
    }
}

export class World {
    #k; // of memory.mjs, with the world's address
    #owned;
    #busy = false; // in a call that makes callbacks and is no query
    #queries = 0; // number of queries that run now
    #tests = 0; // number of sync tests that run now
    #destroyed = false;

    constructor(kit, world) {
        const self = this;
        this.#owned = new Owned(kit, world);
        unused.register(this, this.#owned, this);
        this.#k = {
            ...kit,
            get world() {
                if (self.#busy) throw new KugelError('world', 'is in a call; callbacks must not use it', 'state');
                return world;
            },
        };
    }

    // The address for a call that changes the world.
    get #changing() {
        if (this.#queries) throw new KugelError('world', 'is in a query; accept must not change, save or clone it', 'state');
        return this.#k.world;
    }
    #failed() { return this.#k.failed(this.#k.world); }
    #check(status) {
        if (status !== 0) throw this.#failed();
    }
    // The status of a function that makes callbacks.
    #call(name, ...values) {
        const { c } = this.#k, world = this.#changing;
        try {
            this.#busy = true;
            return c[name](world, ...values);
        } finally {
            this.#busy = false;
        }
    }
    #checkCall(status) {
        this.#k.callbacks.check();
        this.#check(status);
    }
    destroy() {
        if (this.#destroyed) return;
        if (this.#tests) throw new KugelError('world', 'is in a sync test', 'state');
        if (this.#changing) this.#owned.free();
        unused.unregister(this);
        this.#destroyed = true;
        this.#k = { ...this.#k, get world() { throw new KugelError('world', 'was destroyed', 'state'); } }; // any further call
    }
    clone() {
        const clone = this.#k.c.js_world_clone(this.#changing);
        if (!clone) throw new KugelError('', 'out of memory', 'out_of_memory');
        return new World(this.#owned.kit, clone);
    }
    get tick() { return this.#k.c.js_world_tick(this.#k.world); }
    get time() { return this.#k.c.js_world_time(this.#k.world); }
    get userData() { return this.#k.c.js_world_get_user_data(this.#k.world); }
    set userData(userData) { this.#check(this.#k.c.js_world_set_user_data(this.#changing, numberOf('userData', userData))); }
    get bodyCount() { return this.#k.c.js_world_count(this.#k.world); }
    get idEnd() { return this.#k.c.js_world_id_end(this.#k.world); }
    step(dt) { this.#checkCall(this.#call('js_world_step', numberOf('dt', dt))); }
    hash() { return BigInt.asUintN(64, this.#k.c.js_world_hash(this.#k.world)); }
    setGravity(gravity) {
        this.#k.numbers().set(vectorOf('gravity', gravity));
        this.#check(this.#k.c.js_world_set_gravity(this.#changing));
    }
    setGrowth(growth) {
        this.#check(this.#k.c.js_world_set_growth(this.#changing, numberOf('growth', growth)));
    }
    setTemperature(temperature) {
        this.#check(this.#k.c.js_world_set_temperature(this.#changing, numberOf('temperature', temperature)));
    }
    drawVelocities(temperature, probability = 1, seed = 1) {
        const values = [numberOf('temperature', temperature), numberOf('probability', probability), numberOf('seed', seed)];
        this.#check(this.#k.c.js_world_draw_velocities(this.#changing, ...values));
    }
    setPairMaterial(kindA, kindB, material) {
        const { c, numbers } = this.#k, kinds = [numberOf('kindA', kindA), numberOf('kindB', kindB)];
        c.js_body_defaults();
        const body = decode(numbers(), BODY);
        numbers().set(PAIR_MATERIAL.map(([name]) => body[name]));
        if (material !== null) encode(numbers(), PAIR_MATERIAL, material);
        this.#check(c.js_world_set_pair_material(this.#changing, ...kinds, material !== null));
    }
    getPairMaterial(kindA, kindB) {
        const { c, world, numbers } = this.#k;
        const given = c.js_world_get_pair_material(world, numberOf('kindA', kindA), numberOf('kindB', kindB));
        return given ? decode(numbers(), PAIR_MATERIAL) : null;
    }
    setPairFilter(decide, key = 0n) {
        const { callbacks } = this.#k, rule = ruleOf(callbacks, decide);
        try {
            this.#checkCall(this.#call('js_world_set_pair_filter', rule, wordOf('key', key)));
        } catch (error) {
            callbacks.release(rule);
            throw error;
        }
        callbacks.release(this.#owned.rule);
        this.#owned.rule = rule;
    }
    get pairFilterKey() {
        const { c, world } = this.#k;
        return c.js_world_pair_filter(world) ? BigInt.asUintN(64, c.js_world_pair_filter_key(world)) : null;
    }
    getDef() {
        this.#k.c.js_world_get_def(this.#k.world);
        const flat = decode(this.#k.numbers(), WORLD), def = { bounds: {}, limits: {} };
        for (const [name, value] of Object.entries(flat)) {
            const [group, inner] = name.split('.');
            if (inner) def[group][inner] = value;
            else def[name] = value;
        }
        return def;
    }
    #registered(result) {
        this.#check(result < 0 ? -result : 0);
        return result;
    }
    createSurface(def) { return this.#registered(createSurface(this.#k, this.#changing, objectOf('def', def))); }
    createPlane(def = {}) { return this.#registered(createPlane(this.#k, this.#changing, objectOf('def', def))); }
    destroySurface(surface) { this.#check(this.#k.c.js_surface_destroy(this.#changing, handleOf(surface, 'surface'))); }
    setSurfacePose(surface, position, rotation = [0, 0, 0, 1]) {
        this.#check(setPlaceOrMotion(this.#k, this.#changing, surface, [...vectorOf('position', position), ...vectorOf('rotation', rotation, 4)], 1));
    }
    setSurfaceMotion(surface, velocity, spin = [0, 0, 0]) {
        this.#check(setPlaceOrMotion(this.#k, this.#changing, surface, [...vectorOf('velocity', velocity), ...vectorOf('spin', spin)], 0));
    }
    setSurfaceTangentVelocity(surface, velocity) {
        const { c, numbers } = this.#k;
        numbers().set(vectorOf('velocity', velocity));
        this.#check(c.js_surface_set_tangent_velocity(this.#changing, handleOf(surface, 'surface')));
    }
    setSurfaceMaterial(surface, restitution = 0, friction = 0.5, rollingResistance = 0, tangentialRestitution = 0) {
        const values = Object.entries({ restitution, friction, rollingResistance, tangentialRestitution }).map(([name, value]) => numberOf(name, value));
        this.#check(this.#k.c.js_surface_set_material(this.#changing, handleOf(surface, 'surface'), ...values));
    }
    setSurfaceFilter(surface, filter) {
        this.#k.numbers().set(filterOf(filter));
        this.#check(this.#k.c.js_surface_set_filter(this.#changing, handleOf(surface, 'surface')));
    }
    setSurfaceKind(surface, kind) {
        this.#check(this.#k.c.js_surface_set_kind(this.#changing, handleOf(surface, 'surface'), numberOf('kind', kind)));
    }
    setSurfaceTarget(surface, position, rotation, dt) {
        const { c, numbers } = this.#k, place = position ?? [0, 0, 0], turn = rotation ?? [0, 0, 0, 1];
        numbers().set([...vectorOf('position', place), ...vectorOf('rotation', turn, 4), numberOf('dt', dt)]);
        this.#check(c.js_surface_set_target(this.#changing, handleOf(surface, 'surface'), position != null, rotation != null));
    }
    setSurfaceUserData(surface, userData) {
        this.#check(this.#k.c.js_surface_set_user_data(this.#changing, handleOf(surface, 'surface'), numberOf('userData', userData)));
    }
    getSurfaceUserData(surface) {
        const { c, world } = this.#k, userData = c.js_surface_get_user_data(world, handleOf(surface, 'surface'));
        if (userData < 0) throw staleHandle('surface');
        return userData;
    }
    surfaces() { return surfacesOf(this.#k); }
    surface(index) { return this.#k.c.js_world_surface(this.#k.world, numberOf('index', index)) || null; }
    stats() {
        this.#k.c.js_world_stats(this.#k.world);
        return decode(this.#k.numbers(), STATS);
    }
    energy() {
        this.#k.c.js_world_energy(this.#k.world);
        return decode(this.#k.numbers(), ENERGY);
    }

    // Bodies.

    // A body that getBody returned, which has a `body`, is a definition, too: what it tells beyond one is not used.
    createBody(def = {}) {
        const { c, numbers } = this.#k, world = this.#changing, { body: read, contacts, asleep, ...given } = objectOf('def', def);
        c.js_body_defaults();
        encode(numbers(), BODY, read === undefined ? def : given);
        const body = c.js_body_create(world);
        if (!body) throw this.#failed();
        return body;
    }
    createBodies(position, def = {}) {
        const { c, numbers, withBytes } = this.#k, world = this.#changing;
        c.js_body_defaults();
        const { count, rows } = rowsOf(numbers(), position, def);
        return withBytes([new Uint8Array(rows.buffer)], (block) => {
            const created = c.js_bodies_create(world, count, block, block);
            if (created === count) return new Float64Array(c.memory.buffer, block, count).slice();
            const { argument, message, status } = this.#failed();
            throw Object.assign(new KugelError(argument, '', status), { message: `row ${created}: ${message}` });
        });
    }
    destroyBody(body) { this.#changed(body, this.#k.c.js_body_destroy(this.#changing, handleOf(body))); }
    isValid(handle) {
        const { c, world } = this.#k, given = handleOf(handle, 'handle');
        return c.js_body_is_valid(world, given) !== 0 || c.js_surface_is_valid(world, given) !== 0;
    }
    getBody(body) {
        const { c, world, numbers } = this.#k;
        if (c.js_body_get(world, handleOf(body))) throw staleHandle();
        return { body, ...decode(numbers(), STATE) };
    }
    #changed(body, status) {
        const { c, world, failed } = this.#k;
        if (!status) return;
        throw c.js_body_get(world, body) ? staleHandle() : failed(world);
    }
    velocityAt(body, point) {
        const { c, world, numbers } = this.#k;
        numbers().set(vectorOf('point', point));
        const status = c.js_body_get_velocity_at(world, handleOf(body));
        if (STATUSES[status] === 'stale_handle') throw staleHandle();
        if (status) throw new KugelError('point', 'is out of range', STATUSES[status]);
        return Array.from(numbers().subarray(0, 3));
    }
    getUserData(body) {
        const { c, world } = this.#k, userData = c.js_body_get_user_data(world, handleOf(body));
        if (userData < 0) throw staleHandle();
        return userData;
    }
    body(id) {
        return this.#k.c.js_world_body(this.#k.world, numberOf('id', id)) || null;
    }
    setImage(body, image) {
        this.#k.numbers().set(vectorOf('image', image));
        this.#changed(body, this.#k.c.js_body_set_image(this.#changing, handleOf(body)));
    }
    setUserData(body, userData) { this.#changed(body, this.#k.c.js_body_set_user_data(this.#changing, handleOf(body), numberOf('userData', userData))); }
    setFilter(body, filter) {
        this.#k.numbers().set(filterOf(filter));
        this.#changed(body, this.#k.c.js_body_set_filter(this.#changing, handleOf(body)));
    }
    setType(body, type, mass = 1) {
        this.#changed(body, this.#k.c.js_body_set_type(this.#changing, handleOf(body), numberOf('type', type, writeType), numberOf('mass', mass)));
    }
    wake(body) { this.#changed(body, this.#k.c.js_body_wake(this.#changing, handleOf(body))); }
    sleep(body) { this.#changed(body, this.#k.c.js_body_sleep(this.#changing, handleOf(body))); }
    setMaterial(body, restitution = 0, friction = 0.5, rollingResistance = 0, tangentialRestitution = 0) {
        const values = Object.entries({ restitution, friction, rollingResistance, tangentialRestitution }).map(([name, value]) => numberOf(name, value));
        this.#changed(body, this.#k.c.js_body_set_material(this.#changing, handleOf(body), ...values));
    }
    setKind(body, kind) { this.#changed(body, this.#k.c.js_body_set_kind(this.#changing, handleOf(body), numberOf('kind', kind))); }
    setLocks(body, locks) { this.#changed(body, this.#k.c.js_body_set_locks(this.#changing, handleOf(body), numberOf('locks', locks, writeLocks))); }
    setDamping(body, linear = 0, angular = 0) {
        this.#changed(body, this.#k.c.js_body_set_damping(this.#changing, handleOf(body), numberOf('linear', linear), numberOf('angular', angular)));
    }
    setTarget(body, position, rotation, dt) {
        const { c, numbers } = this.#k, place = position ?? [0, 0, 0], turn = rotation ?? [0, 0, 0, 1];
        numbers().set([...vectorOf('position', place), ...vectorOf('rotation', turn, 4), numberOf('dt', dt)]);
        this.#changed(body, c.js_body_set_target(this.#changing, handleOf(body), position != null, rotation != null));
    }
    setRotation(body, rotation) {
        this.#k.numbers().set(vectorOf('rotation', rotation, 4));
        this.#changed(body, this.#k.c.js_body_set_rotation(this.#changing, handleOf(body)));
    }
    #push(body, name, push, point, isImpulse) {
        this.#k.numbers().set([...vectorOf(name, push), ...vectorOf('point', point ?? [0, 0, 0])]);
        this.#changed(body, this.#k.c.js_body_push(this.#changing, handleOf(body), isImpulse, point != null));
    }
    applyForce(body, force, point = null) { this.#push(body, 'force', force, point, false); }
    applyImpulse(body, impulse, point = null) { this.#push(body, 'impulse', impulse, point, true); }
    explode(def) {
        const { c, numbers } = this.#k, world = this.#changing;
        c.js_explosion_defaults();
        encode(numbers(), EXPLOSION, def);
        const pushed = c.js_world_explode(world);
        this.#check(pushed < 0 ? -pushed : 0);
        return pushed;
    }

    // Results of a step.

    read() { return this.#owned.columns.read(this.#k, this.#k.world); }
    readArrays(...names) { return this.#owned.columns.readArrays(this.#k, this.#k.world, names); }
    writeArrays(bodies = null, columns = {}) {
        const world = this.#changing, count = bodies ? bodies.length : this.#k.c.js_world_count(world);
        const given = writtenOf(bodies, columns, count), wanted = given.filter((values) => values);
        this.#k.withBytes(wanted.map((values) => new Uint8Array(values.buffer)), (...blocks) => {
            const places = blocks.filter((_, k) => k % 2 === 0);
            this.#check(this.#k.c.js_world_write_arrays(world, count, ...given.map((values) => (values ? places.shift() : 0))));
        });
    }
    readStates() { return Array.from(this.read().ids, (id) => this.getBody(this.body(id))); }
    interpolatePositions(from, to, alpha) {
        const { c, world } = this.#k;
        return this.#k.between(3, from, to, (count, ...blocks) => c.js_interpolate_positions(world, count, ...blocks, alpha));
    }
    moves() {
        const { c, world, list } = this.#k;
        return list('move', (room, block) => c.js_world_moves(world, room, block));
    }
    surfaceMoves() {
        const { c, world, list } = this.#k;
        return list('surfaceMove', (room, block) => c.js_world_surface_moves(world, room, block));
    }
    contacts(...bodies) { // contacts(undefined) is an error: not those of the world
        const { c, world, list } = this.#k, [body] = bodies, gone = () => { throw staleHandle(); };
        if (bodies.length) return list('contact', (room, block) => c.js_body_contacts(world, handleOf(body), room, block), gone);
        return list('contact', (room, block) => c.js_world_contacts(world, room, block), (status) => this.#check(status));
    }
    sensorBodies(sensor) { return this.#sensed('js_sensor_bodies', sensor, 'sensor', 'body'); }
    surfaceBodies(surface) { return this.#sensed('js_surface_bodies', surface, 'surface', 'surface'); }
    #sensed(call, sensor, argument, kind) {
        const { c, world, list } = this.#k, failed = (status) => {
            throw STATUSES[status] === 'stale_handle' ? staleHandle(kind) : new KugelError(argument, 'is not a sensor', STATUSES[status]);
        };
        return Array.from(list('sensed', (room, block) => c[call](world, handleOf(sensor, kind), room, block), failed), ({ body }) => body);
    }
    sumImpulses(on) { this.#check(this.#k.c.js_world_sum_impulses(this.#changing, numberOf('on', on, Number))); }
    impulseSums() {
        const { c, world, list } = this.#k;
        return list('impulseSum', (room, block) => c.js_world_impulse_sums(world, room, block), (status) => this.#check(status));
    }
    reportImpactsAbove(speed) { this.#check(this.#k.c.js_world_report_impacts_above(this.#changing, numberOf('speed', speed))); }

    // Queries.

    prepareQueries() {
        const { c, world, statusError } = this.#k, status = c.js_prepare_queries(world);
        if (status) throw statusError('', status);
    }
    // What call(accepts) returns, which runs a query with these values and this filter; 0 in accepts: the filter has no function.
    // The function may use this world, but not change it.
    #query(values, filter, call) {
        const { callbacks, numbers } = this.#k, { accept = null, ...rest } = objectOf('filter', filter);
        if (accept !== null && typeof accept !== 'function') throw new KugelError('accept', 'takes a function, or null');
        const given = numbers(), at = given.subarray(FILTER_AT);
        at.set([ALL, ALL, 0, 0, ALL_TARGETS, 0]);
        encode(at, FILTER, rest, ['accept']);
        given.set(values);
        try {
            this.#queries += 1;
            return callbacks.run(accept, () => call(accept ? 1 : 0));
        } finally {
            this.#queries -= 1;
            callbacks.check();
        }
    }
    #any(name, values, filter) {
        const { c, world } = this.#k;
        const count = this.#query(values, filter, (accepts) => c.js_world_query(world, KINDS.indexOf(name), accepts, 0, 0));
        if (count < 0) this.#refuse(name, -count);
        return count > 0;
    }
    #all(name, kind, values, filter, room) {
        const { c, world, objects } = this.#k;
        const call = (capacity, block) => this.#query(values, filter, (accepts) => c.js_world_query(world, KINDS.indexOf(name), accepts, capacity, block));
        return objects(kind, call, (status) => this.#refuse(name, status), room);
    }
    #refuse(name, status) {
        throw this.#k.statusError(status === OUT_OF_MEMORY ? '' : QUERIES[name], status);
    }
    #ray(origin, direction, tMax) {
        return [...vectorOf('origin', origin), ...vectorOf('direction', direction), lengthOf('tMax', tMax)];
    }
    #cast(origin, direction, radius, tMax) { return [...this.#ray(origin, direction, tMax), lengthOf('radius', radius)]; }
    rayClosest(origin, direction, tMax = Infinity, filter = {}) {
        const [hit] = this.#all('rayClosest', 'rayHit', this.#ray(origin, direction, tMax), filter, 1);
        return hit ?? null;
    }
    rayAny(origin, direction, tMax = Infinity, filter = {}) { return this.#any('rayAny', this.#ray(origin, direction, tMax), filter); }
    rayAll(origin, direction, tMax = Infinity, filter = {}) {
        return this.#all('rayAll', 'rayHit', this.#ray(origin, direction, tMax), filter);
    }
    raysClosest(origins, directions, tMax = Infinity, filter = {}) {
        const { c, world, allocate, withBytes } = this.#k, rays = raysOf(origins, directions, tMax), count = rays.length / 7;
        return withBytes([new Uint8Array(rays.buffer)], (from) => {
            const to = allocate(count * ROWS.rayHit.size);
            try {
                const status = this.#query([], filter, (accepts) => c.js_world_rays_closest(world, accepts, count, from, to));
                if (status) this.#refuse('raysClosest', status);
                return new LISTS.rayHit(c.memory, to, count);
            } finally {
                c.js_free(to);
            }
        });
    }
    castClosest(origin, direction, radius, tMax = 1, filter = {}) {
        const [hit] = this.#all('castClosest', 'castHit', this.#cast(origin, direction, radius, tMax), filter, 1);
        return hit ?? null;
    }
    castAny(origin, direction, radius, tMax = 1, filter = {}) {
        return this.#any('castAny', this.#cast(origin, direction, radius, tMax), filter);
    }
    castAll(origin, direction, radius, tMax = 1, filter = {}) {
        return this.#all('castAll', 'castHit', this.#cast(origin, direction, radius, tMax), filter);
    }
    overlapSphere(center, radius, filter = {}) {
        return this.#all('overlapSphere', 'found', [...vectorOf('center', center), lengthOf('radius', radius)], filter);
    }
    overlapBox(min, max, filter = {}) {
        return this.#all('overlapBox', 'found', [...vectorOf('min', min), ...vectorOf('max', max)], filter);
    }
    overlapEllipsoid(center, semiAxes, rotation = [0, 0, 0, 1], filter = {}) {
        const values = [...vectorOf('center', center), ...vectorOf('semiAxes', semiAxes), ...vectorOf('rotation', rotation, 4)];
        return this.#all('overlapEllipsoid', 'found', values, filter);
    }
    nearest(point, count = 1, maxGap = Infinity, filter = {}) {
        const values = [...vectorOf('point', point), numberOf('maxGap', maxGap)];
        for (let room = Math.min(numberOf('count', count), 64);; room = Math.min(count, 2 * room)) { // count may be more than there are
            const rows = this.#all('nearest', 'found', values, filter, room);
            if (rows.length < room || room === count) return rows;
        }
    }
    planeSide(normal, offset, side, filter = {}) {
        const values = [...vectorOf('normal', normal), numberOf('offset', offset), numberOf('side', side)];
        if (![-1, 0, 1].includes(side)) throw new KugelError('side', 'must be -1, 0 or 1');
        return this.#all('planeSide', 'found', values, filter);
    }

    // Snapshots and recordings.

    save(def = {}) {
        const { meshes } = membersOf('def', def, { meshes: true }), { c, allocate, bytes } = this.#k, world = this.#changing, room = c.js_snapshot_save(world, meshes, 0, 0), block = allocate(room);
        const size = c.js_snapshot_save(world, meshes, block, room), saved = bytes(block, size);
        c.js_free(block);
        if (!size) throw new KugelError('world', 'cannot be saved now', 'state');
        return saved;
    }
    syncTest(def = {}) {
        const { ticks, dt, input } = membersOf('def', def, { ticks: 60, dt: 1 / 60, input: () => {} });
        if (typeof input !== 'function') throw new KugelError('input', 'takes a function');
        const { c, world, callbacks, numbers, divergence } = this.#k, first = callbacks.retain(this.#owned.rule);
        const call = (tick) => {
            try {
                this.#busy = false;
                input(this, tick);
            } finally {
                this.#busy = true;
            }
        };
        try {
            this.#tests += 1;
            this.#checkCall(callbacks.run(call, () => this.#call('js_sync_test', numberOf('ticks', ticks), numberOf('dt', dt))));
            return numbers()[0] ? null : divergence.call(this.#k);
        } finally { // the filter is that of the final state, or the first
            this.#tests -= 1;
            const rule = callbacks.retain(c.js_world_pair_filter(world));
            callbacks.release(this.#owned.rule);
            callbacks.release(first);
            this.#owned.rule = rule;
        }
    }
    restore(snapshot) {
        const { c, put } = this.#k, world = this.#changing, block = put(bytesOf('snapshot', snapshot));
        const status = c.js_snapshot_restore(world, block, snapshot.length);
        c.js_free(block);
        this.#check(status);
    }
    startRecording(def = {}) {
        const { annotation, states, ringTicks, keyframeTicks } = membersOf('def', def, { annotation: '', states: true, ringTicks: 0, keyframeTicks: 512 });
        const { c, put } = this.#k, world = this.#changing, text = typeof annotation === 'string' ? new TextEncoder().encode(annotation) : annotation;
        const ring = numberOf('ringTicks', ringTicks), keyframe = numberOf('keyframeTicks', keyframeTicks);
        const note = put(bytesOf('annotation', text)), tape = c.js_tape_make();
        const status = tape ? c.js_recording_start(world, tape, note, text.length, states ? 1 : 0, ring, keyframe) : 2;
        c.js_free(note);
        if (status) c.js_tape_free(tape);
        this.#check(status);
        c.js_tape_free(this.#owned.tape);
        this.#owned.tape = tape;
    }
    #take(tape) {
        const { c, bytes } = this.#k, taken = bytes(c.js_tape_data(tape), c.js_tape_size(tape));
        c.js_tape_clear(tape);
        return taken;
    }
    takeRecording() { return this.#k.world && this.#owned.tape ? this.#take(this.#owned.tape) : new Uint8Array(); }
    markRecording() { this.#check(this.#k.c.js_recording_mark(this.#changing)); }
    stopRecording() {
        this.#check(this.#k.c.js_recording_stop(this.#changing));
        const rest = this.takeRecording();
        this.#k.c.js_tape_free(this.#owned.tape);
        this.#owned.tape = 0;
        return rest;
    }
    get recordingError() {
        const { c, world, statusError } = this.#k, status = c.js_recording_status(world);
        return status ? statusError('', status) : null;
    }
    dumpRecording() {
        const { c } = this.#k, world = this.#changing, tape = c.js_tape_make(), status = tape ? c.js_recording_dump(world, tape) : 2;
        const dumped = tape ? this.#take(tape) : null;
        c.js_tape_free(tape);
        this.#check(status);
        return dumped;
    }
    static {
        if (Symbol.dispose) World.prototype[Symbol.dispose] = World.prototype.destroy;
        GETS.forEach((name, what) => {
            World.prototype[name] = function get(body) {
                const { c, world, numbers } = this.#k;
                if (c.js_body_get_value(world, handleOf(body), what)) throw staleHandle();
                return Array.from(numbers().subarray(0, name === 'getRotation' ? 4 : 3));
            };
        });
        SETS.forEach((name, what) => {
            const argument = argumentOf(name);
            World.prototype[name] = function set(body, value) {
                this.#changed(body, this.#k.c.js_body_set(this.#changing, handleOf(body), what, numberOf(argument, value)));
            };
        });
        FLAGS.forEach((name, what) => {
            const argument = argumentOf(name);
            World.prototype[name] = function set(body, value) {
                this.#changed(body, this.#k.c.js_body_set_flag(this.#changing, handleOf(body), what, numberOf(argument, value, Number)));
            };
        });
        CHANGES.forEach((name, what) => {
            const argument = argumentOf(name);
            World.prototype[name] = function change(body, vector) {
                const { c, world, numbers, failed } = this.#k;
                if (c.js_body_get(world, handleOf(body))) throw staleHandle();
                numbers().set(vectorOf(argument, vector));
                if (c.js_body_change(this.#changing, body, what)) throw failed(world);
            };
        });
        Object.entries(EVENTS).forEach(([name, row], kind) => {
            World.prototype[name] = function events() {
                const { c, world, numbers } = this.#k, at = c.js_world_events(world, kind);
                return new LISTS[row](c.memory, at, numbers()[0]);
            };
        });
    }
}
