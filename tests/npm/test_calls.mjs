// Events, queries, moves, recordings and players of the JavaScript package, against numbers that follow by hand, brute force
// and the native program; then its examples.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const build = process.env.KUGEL_BUILD, source = process.env.KUGEL_SOURCE;
const { bodyId, KugelError, load, surfaceIndex, TARGETS } = await import(join(build, 'tools/npm/node.mjs'));
const { ROWS } = await import(join(build, 'tools/npm/rows.mjs'));
const kugel = await load();
const MOST = 2 ** 53 - 1;
const near = (a, b, tolerance = 1e-12) => assert.ok(Math.abs(a - b) <= tolerance, `${a}, not ${b}`);
const refused = (what, argument) => assert.throws(what, (e) => e instanceof KugelError && e.argument === argument || assert.fail(`${argument}: ${e}`));

test('rows have the size of the C structs', async () => {
    const { instance } = await WebAssembly.instantiate(readFileSync(join(build, 'tools/npm/kugel.wasm')), { kugel: { decide() {}, accept() {}, input() {} } });
    Object.entries(ROWS).forEach(([name, { size }], kind) => assert.equal(size, instance.exports.js_row_size(kind), name));
    assert.equal(instance.exports.js_row_size(Object.keys(ROWS).length), 0);
});

test('limits of a world and of a player', () => {
    const world = kugel.createWorld({ limits: { bodies: 2 } }), small = kugel.createWorld({ limits: { bytes: 60000, bodies: 1 } });
    assert.deepEqual(world.getDef().limits, { bytes: 0, bodies: 2 });
    world.startRecording();
    world.createBody(), world.createBody();
    world.step(1 / 60);
    refused(() => world.createBody(), 'body');
    const recording = world.stopRecording();
    assert.throws(() => small.restore(world.save()), (e) => e.status === 'limit' && /has 2 bodies; limits.bodies is 1/.test(e.message));
    const player = kugel.openPlayer(recording, { bodies: 1 });
    assert.throws(() => player.verify(), /limits.bodies/);
    player.close();
    assert.throws(() => kugel.openPlayer(recording, { bytes: 1 }), /limits.bytes allows 1/);
    refused(() => kugel.openPlayer(recording, { bytes: -1 }), 'limits.bytes');
    refused(() => kugel.createWorld({ limits: { bodies: 0.5 } }), 'limits.bodies');
    world.destroy(), small.destroy();
});

test('events: an impact at its time, contacts, sleep, sensors', () => {
    const world = kugel.createWorld();
    const left = world.createBody({ position: [-1, 0, 0], velocity: [1, 0, 0], radius: 0.25, restitution: 1 });
    const right = world.createBody({ position: [0, 0, 0], radius: 0.25, restitution: 1, userData: 7 });
    world.step(1);
    const [impact, ...others] = world.impactEvents();
    assert.deepEqual([others.length, impact.time, impact.a, impact.b, impact.target, impact.speed, impact.impulse], [0, 0.5, left, right, 'body', 1, 1]);
    assert.deepEqual([impact.point, impact.normal], [[-0.25, 0, 0], [1, 0, 0]]);
    assert.deepEqual(Array.from(world.moves(), ({ body, userData, position }) => [body, userData, position[0]]), [[left, 0, -0.5], [right, 7, 0.5]]);
    world.reportImpactsAbove(2);
    world.setPosition(left, [-3, 0, 0]), world.setVelocity(left, [4, 0, 0]);
    world.step(1);
    assert.equal(world.impactEvents().count, 1);
    world.destroy();

    const room = kugel.createWorld({ gravity: [0, 0, -10] });
    room.createPlane({ normal: [0, 0, 1], friction: 0.5 });
    const ball = room.createBody({ position: [0, 0, 0.5] }), sensor = room.createBody({ position: [0, 0, 9], sensor: true, type: 'static' });
    room.step(1 / 60);
    const [begin] = room.beginEvents();
    assert.deepEqual([begin.a, begin.b, begin.target, begin.index, begin.time], [ball, 0, 'surface', 0, 0]);
    let asleep = room.sleepEvents();
    for (let t = 0; t < 60 && !asleep.count; ++t) room.step(1 / 60), asleep = room.sleepEvents();
    assert.deepEqual([...asleep.body], [ball]);
    const [resting] = room.contacts();
    assert.deepEqual([resting.a, resting.b, resting.target], [ball, 0, 'surface']);
    near(resting.force, 10, 0.1); // the weight, within 1 %
    room.setPosition(ball, [0, 0, 8.5]);
    room.step(1 / 60);
    assert.deepEqual(Array.from(room.endEvents(), ({ a, time }) => [a, time]), [[ball, 0]]);
    assert.deepEqual([...room.wakeEvents().body], [ball]);
    const [entered] = room.sensorEvents();
    assert.deepEqual([entered.entered, entered.sensor, entered.body, entered.time], [true, sensor, ball, 0]);
    room.destroyBody(ball);
    assert.equal(room.contacts().count, 0);
    room.destroy();
});

// A world of random bodies, and the queries of its positions.
function crowd(count) {
    const world = kugel.createWorld(), handles = [], places = [];
    let seed = 1;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    for (let i = 0; i < count; ++i) {
        places.push([random() * 20 - 10, random() * 20 - 10, random() * 20 - 10]);
        handles.push(world.createBody({ position: places[i], type: 'static', category: i % 3 ? 1 : 2 }));
    }
    return { world, handles, places };
}

test('queries agree with brute force, with filters and many results', () => {
    const { world, handles, places } = crowd(2000), of = (found) => found.map(({ body }) => body);
    const where = (test) => handles.filter((_, i) => test(places[i], i));
    const far = (p, q = [0, 0, 0]) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    assert.deepEqual(of(world.overlapSphere([0, 0, 0], 4)), where((p) => far(p) <= 4.5));
    assert.deepEqual(of(world.overlapSphere([0, 0, 0], 4, { mask: 2 })), where((p, i) => far(p) <= 4.5 && i % 3 === 0));
    assert.equal(world.overlapSphere([0, 0, 0], 99).length, 2000);
    near(world.overlapSphere([0, 0, 0], 4)[0].gap, far(places[handles.indexOf(of(world.overlapSphere([0, 0, 0], 4))[0])]) - 4.5);
    assert.deepEqual(of(world.overlapBox([-20, -20, 0], [20, 20, 20])), where((p) => p[2] >= -0.5));
    assert.deepEqual(of(world.overlapEllipsoid([0, 0, 0], [4, 4, 4])), where((p) => far(p) <= 4.5));
    assert.deepEqual(of(world.overlapSphere(places[7], 0)), where((p) => far(p, places[7]) <= 0.5));
    const order = [...places.keys()].sort((i, j) => far(places[i]) - far(places[j]));
    assert.deepEqual(of(world.nearest([0, 0, 0], 5)), order.slice(0, 5).map((i) => handles[i]));
    assert.equal(world.nearest([0, 0, 0], 5, world.nearest([0, 0, 0], 2)[1].gap).length, 2);
    assert.deepEqual(of(world.planeSide([0, 0, 1], 2, 1)), where((p) => p[2] > 2.5));
    const axis = (p) => Math.hypot(p[1], p[2]), start = [-30, 0, 0];
    const on = where((p) => axis(p) < 0.5), all = world.rayAll(start, [1, 0, 0]);
    assert.deepEqual(new Set(of(all)), new Set(on));
    assert.ok(all.every(({ tEnter }, k) => !k || all[k - 1].tEnter <= tEnter) && on.length > 1);
    const first = world.rayClosest(start, [1, 0, 0]);
    assert.deepEqual(first, all[0]);
    const entry = (p) => p[0] + 30 - Math.sqrt(0.25 - axis(p) ** 2);
    near(first.tEnter, Math.min(...on.map((body) => entry(places[handles.indexOf(body)]))), 1e-9);
    const directions = places.slice(0, 50).flatMap((p) => [p[0] + 30, p[1], p[2]]);
    const single = (k) => world.rayClosest(start, directions.slice(3 * k, 3 * k + 3), 2, { mask: 2 });
    assert.deepEqual([...world.raysClosest(start, directions, 2, { mask: 2 })], Array.from({ length: 50 }, (_, k) => single(k)));
    assert.deepEqual([...world.raysClosest([...start, ...start], [1, 0, 0], [99, 1])], [first, null]);
    assert.deepEqual([[...world.raysClosest(start, [-1, 0, 0])], [...world.raysClosest([], [])]], [[null], []]);
    refused(() => world.raysClosest([1, 2, 3, 4], [1, 0, 0]), 'origins');
    refused(() => world.raysClosest([...start, ...start], [1, 0, 0], [1, 2, 3]), 'tMax');
    refused(() => world.raysClosest([0, 0, 0], [NaN, 0, 0], 1), 'origins, directions or tMax');
    assert.deepEqual([world.rayAny(start, [1, 0, 0]), world.rayAny(start, [-1, 0, 0]), world.rayClosest(start, [-1, 0, 0])], [true, false, null]);
    const swept = world.castAll(start, [60, 0, 0], 2);
    assert.deepEqual(new Set(of(swept)), new Set(where((p) => axis(p) < 2.5)));
    assert.deepEqual(world.castClosest(start, [60, 0, 0], 2), swept[0]);
    assert.deepEqual([world.castAny(start, [60, 0, 0], 2), world.castAny(start, [1, 0, 0], 2), world.castClosest(start, [1, 0, 0], 2)], [true, false, null]);
    near(swept[0].time * 60, Math.hypot(...swept[0].point.map((x, k) => x - [start[0] + 60 * swept[0].time, 0, 0][k])) - 2 + swept[0].time * 60, 1e-9);
    refused(() => world.overlapSphere([0, 0, 0], -1), 'radius');
    refused(() => world.overlapSphere([0, 0, 0], 1, { colour: 1 }), 'colour');
    refused(() => world.overlapSphere([0, 0, 0], 1, { mask: -1 }), 'mask');
    refused(() => world.castClosest([0, 0, 0], [1, 0, NaN], 1), 'origin, direction, tMax or radius');
    assert.deepEqual(world.nearest([0, 0, 0], 0), []);
    world.destroy();
    refused(() => world.rayAll(start, [1, 0, 0]), 'world');
});

// Every query of a world, with a filter.
const queriesOf = (world, place) => {
    const start = [-30, place[1], place[2]], path = [60, 0, 0], low = place.map((x) => x - 3), high = place.map((x) => x + 3);
    return Object.entries({
        rayClosest: [start, path, 1], rayAny: [start, path, 1], rayAll: [start, path, 1], castClosest: [start, path, 2], castAny: [start, path, 2, 1], castAll: [start, path, 2, 1],
        raysClosest: [[...start, ...place], path, 1], overlapSphere: [place, 4], overlapBox: [low, high], overlapEllipsoid: [place, [3, 4, 5], [0, 0, 0, 1]],
        nearest: [place, 90, 9], planeSide: [[0, 0, 1], place[2], 0],
    }).map(([name, values]) => [name, (filter) => {
        const found = world[name](...values, ...(name === 'castClosest' ? [1] : []), filter);
        return name === 'raysClosest' ? [...found] : found;
    }]);
};

test('accept: each query has the results of the same rule as a mask, and calls it for all targets', () => {
    const { world, places } = crowd(2000), asked = new Map();
    world.createPlane({ normal: [0, 0, 1], offset: -9 });
    const surfaces = [world.createSurface({ ...kugel.shapes.box({ half: [1, 1, 1] }), position: [5, 5, 5], category: 2 }),
        world.createSurface({ shape: 'ellipsoid', position: [-4, 0, 0], size: [1, 2, 3], category: 2 })];
    for (const place of places.slice(0, 30)) {
        for (const [name, query] of queriesOf(world, place)) {
            const accept = (target, handle) => {
                asked.set(name, (asked.get(name) ?? 0) + 1);
                if (target === 'surface') return surfaces.includes(handle);
                if (target !== 'body') return handle === 0;
                assert.ok(world.isValid(handle));
                return bodyId(handle) % 3 === 0;
            };
            assert.deepEqual(query({ accept }), query({ mask: 2 }), name);
            assert.deepEqual(query({ accept: (target) => target === 'surface' }), query({ targets: 'surfaces' }), name);
            assert.deepEqual([query({ accept: null }), query({ accept: () => {} })], [query({}), query({})], name);
        }
    }
    assert.equal(asked.size, 12);
    for (const [, query] of queriesOf(world, places[0])) for (const accept of [5, {}, 'all', () => 1, async () => true]) refused(() => query({ accept }), 'accept');
    assert.throws(() => world.overlapSphere([0, 0, 0], 0, { acept: () => true }), /did you mean accept\?/);
    assert.throws(() => world.createBody({ user_data: 1 }), /did you mean userData\?/);
    world.destroy();
});

test('accept: an exception ends the query, which throws it and leaves all as it was', () => {
    const { world, places } = crowd(500), before = world.save(), failure = { not: 'an Error' };
    for (const [name, query] of queriesOf(world, places[0])) {
        const expected = query({ mask: 2 });
        let calls = 0;
        assert.throws(() => query({ targets: 'bodies', accept: () => { ++calls; throw failure; } }), (error) => error === failure, name);
        assert.equal(calls, 1, name); // none after the exception
        assert.deepEqual([query({ mask: 2 }), world.save()], [expected, before], name);
    }
    refused(() => world.overlapSphere([0, 0, 0], -1, { accept: () => true }), 'radius');
    const memory = () => world.read().position.buffer.byteLength, room = memory();
    for (let k = 0; k < 5000; ++k) assert.throws(() => world.overlapSphere([0, 0, 0], 9, { accept: () => { throw failure; } }));
    assert.ok(memory() - room < 1e7);
    world.destroy();
});

// A call of each method of a world, and a read of each property.
function callsOf(world, body) {
    const surface = world.surface(0), v = [0, 0, 1], mesh = kugel.shapes.box(), bytes = new Uint8Array(9), sensor = world.createBody({ sensor: true, position: [0, 0, -90] });
    const given = {
        step: [1], setGravity: [v], setPairFilter: [null], setGrowth: [0], setTemperature: [1], drawVelocities: [1], setPairMaterial: [1, 2, { friction: 0.1 }], getPairMaterial: [1, 2], setSurfaceKind: [surface, 3], createPlane: [{ normal: v }], createSurface: [mesh], surface: [0], destroySurface: [surface], setSurfacePose: [surface, v], setSurfaceMotion: [surface, v],
        setSurfaceTangentVelocity: [surface, v], setSurfaceMaterial: [surface], sensorBodies: [sensor], surfaceBodies: [world.createSurface({ shape: 'box', size: [1, 1, 1], position: [0, 0, -80], sensor: true })], setSurfaceTarget: [surface, v, null, 1],
        createBody: [{}], createBodies: [v], body: [0], explode: [{}], reportImpactsAbove: [0], rayClosest: [v, v], rayAny: [v, v],
        rayAll: [v, v], castClosest: [v, v, 1], castAny: [v, v, 1], castAll: [v, v, 1], overlapSphere: [v, 1], overlapBox: [v, v], overlapEllipsoid: [v, v],
        nearest: [v], raysClosest: [v, v], planeSide: [v, 0, 1], restore: [bytes], setTarget: [body, v, null, 1], setPosition: [body, v], setVelocity: [body, v],
        setSpin: [body, v], setImage: [body, v], setUserData: [body, 1], setSurfaceUserData: [surface, 1], getSurfaceUserData: [surface], setType: [body, 'static'], setFilter: [body, {}], setSurfaceFilter: [surface, {}], velocityAt: [body, v], setRotation: [body, [0, 0, 0, 1]],
        setMaterial: [body], setDamping: [body], interpolatePositions: [v, v, 0],
    };
    const { constructor, ...own } = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(world));
    return Object.entries(own).map(([name, { get, value }]) => {
        const rest = given[name] ?? (/^(set|apply)/.test(name) ? [body, name.startsWith('apply') ? v : 1] : value?.length ? [body] : []);
        return [name, () => (get ? get.call(world) : value.apply(world, rest))];
    });
}

test('accept may read and query its world and change another one, and is refused to change its own', () => {
    const { world, handles, places } = crowd(300), twin = kugel.createWorld(), other = twin.createBody();
    world.createSurface({ shape: 'capsule', size: [1, 0, 0], position: [90, 0, 0] });
    const calls = callsOf(world, handles[0]), before = world.save();
    const isChange = (name) => /^(set|add|apply|create|destroy|remove|place|step$|explode|write|draw|wake$|sleep$|report|restore|syncTest|start|stop|sumImpulses$|mark|dump|clone$|save)/.test(name);
    for (const [name, query] of queriesOf(world, places[0])) {
        for (const [called, call] of calls) {
            const within = () => query({ targets: 'bodies', accept: () => { call(); return true; } });
            if (isChange(called)) refused(within, 'world');
            else within();
        }
        refused(() => query({ targets: 'bodies', accept: () => { world.userData = 1; } }), 'world');
        const seen = new Set(), expected = query({ mask: 2 });
        const found = query({ targets: 'bodies', accept: (target, body) => {
            twin.step(0.1), twin.applyForce(other, [1, 0, 0]);
            for (const [, inner] of queriesOf(world, places[1])) inner({ mask: 1, accept: (kind, one) => one !== body });
            seen.add([world.read().count, world.hash(), world.getBody(body).body === body].join());
            return world.getBody(body).category === 2;
        } });
        assert.deepEqual([found, [...seen]], [expected, [[301, world.hash(), true].join()]], name);
    }
    assert.deepEqual(world.save(), before);
    world.step(0.1);
    world.destroy(), twin.destroy();
});

test('queries meet a surface that bodies pass and say which target they met', () => {
    const world = kugel.createWorld(), body = world.createBody({ position: [10, 0, 0] });
    world.createPlane({ normal: [0, 0, 1], offset: -3 });
    const shield = world.createSurface({ shape: 'ellipsoid', position: [5, 0, 0], size: [1, 2, 3], category: 2 ** 20, mask: 2 ** 20 });
    const hits = world.rayAll([1, 0, 0], [1, 0, 0]);
    assert.deepEqual(hits.map(({ target, index, body: b }) => [target, index, b]), [['surface', surfaceIndex(shield), 0], ['body', 0, body]]);
    near(hits[0].tEnter, 3, 1e-12), near(hits[1].tEnter, 8.5, 1e-12);
    world.setSurfacePose(shield, [6, 0, 0]);
    near(world.rayClosest([1, 0, 0], [1, 0, 0], 9, { targets: 'surfaces' }).tEnter, 4, 1e-12);
    const down = world.castClosest([50, 0, 0], [0, 0, -10], 1);
    assert.deepEqual([down.target, down.index, down.time, down.normal], ['surface', 0, 0.2, [0, 0, 1]]);
    const [nearest] = world.nearest([50, 0, 0]);
    assert.deepEqual([nearest.target, nearest.body, nearest.gap, nearest.point, nearest.normal], ['surface', 0, 3, [50, 0, -3], [0, 0, 1]]);
    world.prepareQueries();
    assert.equal(world.castClosest([50, 0, 0], [0, 0, -1], 1, 10).time, 2);
    assert.equal(world.castClosest([50, 0, 0], [0, 0, -10], 1, 1, { targets: ['bodies', 'faces'] }), null);
    refused(() => world.overlapSphere([0, 0, 0], 0, { targets: 'floor' }), 'targets');
    world.destroy();
});

test('solid shapes: a ball meets the tip of an ellipsoid at the time of the closed form', () => {
    const world = kugel.createWorld();
    world.createSurface({ shape: 'ellipsoid', size: [1, 1, 2], restitution: 1, friction: 0 });
    world.createBody({ position: [0, 0, 5], velocity: [0, 0, -2], radius: 0.5, restitution: 1, friction: 0 });
    world.step(2);
    const [impact] = world.impactEvents(), [surface] = world.surfaces();
    near(impact.time, 1.25, 1e-12);
    assert.deepEqual([impact.target, surface.shape, surface.size], ['surface', 'ellipsoid', [1, 1, 2]]);
    near(Math.max(...surface.vertices), 2, 1e-12);
    refused(() => world.createSurface({ shape: 'ellipsoid', size: [1, 0, 1] }), 'surface.size');
    refused(() => world.createSurface({ shape: 'ball', size: [1, 1, 1] }), 'shape');
    refused(() => world.createSurface({ shape: 'plane', vertices: [0, 0, 0] }), 'shape');
    for (const surface of world.surfaces()) {
        const handle = world.createSurface(surface), index = surfaceIndex(handle);
        assert.deepEqual(world.surfaces()[index], { ...surface, handle, index });
    }
    world.destroy();
});

test('surfaces: a ball comes to rest on one, which lifts it, moves and goes', () => {
    const world = kugel.createWorld({ gravity: [0, 0, -9.81] }), square = [-5, -5, 0, 5, -5, 0, 5, 5, 0, -5, 5, 0];
    const sheet = world.createSurface({ vertices: square, triangles: [0, 1, 2, 0, 2, 3], position: [0, 0, 1], friction: 0.25, oneSided: true });
    const roof = world.createSurface({ vertices: new Float64Array(square), triangles: new Uint32Array([2, 1, 0]), position: [100, 0, 0] });
    assert.deepEqual([surfaceIndex(sheet), surfaceIndex(roof), world.surface(1), world.surface(2)], [0, 1, roof, null]);
    const ball = world.createBody({ position: [0.5, -1.5, 1.5] });
    world.step(1 / 60);
    const [begin] = world.beginEvents();
    assert.deepEqual([begin.target, begin.index, begin.a, begin.b, begin.triangle], ['surface', 0, ball, 0, 0]);
    for (let t = 0; t < 30; ++t) world.step(1 / 60);
    const [contact] = world.contacts(ball), [hit] = world.rayAll([0, 2, 5], [0, 0, -1]);
    assert.deepEqual([contact.target, contact.a, contact.b, contact.triangle], ['surface', ball, 0, 0]);
    near(contact.force, 9.81, 0.1); // the weight, within 1 %
    assert.deepEqual([hit.target, hit.index, hit.triangle, hit.tEnter, hit.normal], ['surface', 0, 1, 4, [0, 0, 1]]);
    const [first, second] = world.surfaces();
    assert.deepEqual([Array.from(first.vertices), Array.from(first.triangles)], [square, [0, 1, 2, 0, 2, 3]]);
    assert.deepEqual([first.handle, second.handle], [sheet, roof]);
    assert.deepEqual([first.index, first.friction, first.oneSided, first.position, first.mask], [0, 0.25, true, [0, 0, 1], 0xffffffff]);
    assert.deepEqual(first.info, { welded: 0, dropped: 0, openEdges: 4, branchingEdges: 0, facets: 1 });
    assert.deepEqual([second.index, second.oneSided], [1, false]);
    const twin = kugel.createWorld();
    const light = world.save({ meshes: false });
    assert.ok(light.length < world.save().length);
    refused(() => twin.restore(light), 'surface');
    twin.restore(world.save());
    assert.deepEqual([twin.hash(), twin.surfaces()], [world.hash(), world.surfaces()]);
    twin.step(1 / 60);
    twin.restore(light);
    assert.equal(twin.hash(), world.hash());
    twin.destroy();
    world.destroySurface(roof);
    assert.deepEqual([sheet, roof, ball].map((handle) => world.isValid(handle)), [true, false, true]);
    refused(() => world.setSurfacePose(roof, [0, 0, 0]), 'surface');
    refused(() => world.destroySurface(ball), 'surface'); // of another kind
    refused(() => world.destroyBody(sheet), 'body');
    world.setSurfaceMotion(sheet, [0, 0, 0.5]);
    for (let t = 0; t < 60; ++t) world.step(1 / 60);
    near(world.getBody(ball).position[2], 2, 0.02); // 0.5 m higher, less the slop
    const quarter = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
    world.setSurfaceTarget(sheet, [0, 0, 1.75], quarter, 0.5);
    for (let t = 0; t < 2; ++t) world.step(0.25);
    const { position, rotation } = world.surfaces()[0];
    [...position, ...rotation].forEach((value, k) => near(value, [0, 0, 1.75, ...quarter][k], 1e-14));
    world.setSurfaceTarget(sheet, null, rotation, 1);
    const { velocity, spin } = world.surfaces()[0];
    near(velocity[2], 0.5);
    assert.deepEqual(spin, [0, 0, 0]);
    refused(() => world.setSurfaceTarget(sheet, null, null, 1), 'position');
    refused(() => world.setSurfaceTarget(sheet, [0, 0], null, 1), 'position');
    refused(() => world.setSurfaceTarget(sheet, null, [0, 0, 0, 2], 1), 'rotation');
    refused(() => world.setSurfaceTarget(sheet, null, quarter, 0), 'dt');
    refused(() => world.setSurfaceTarget(sheet + 1, null, quarter, 1), 'surface');
    world.setSurfacePose(sheet, [0, 0, 1], [0, 0, 1, 0]);
    assert.deepEqual([world.contacts(ball).count, world.surfaces().map(({ rotation }) => rotation)], [0, [[0, 0, 1, 0]]]);
    refused(() => world.createSurface({ vertices: square, triangles: [0, 1, 9] }), 'surface.triangles');
    refused(() => world.createSurface({ vertices: square, triangles: [0, 1, -1] }), 'triangles');
    refused(() => world.createSurface({ vertices: square, triangles: [0, 1] }), 'triangles');
    refused(() => world.createSurface({ vertices: [...square, 0, 0, NaN], triangles: [0, 1, 2] }), 'surface.vertices');
    refused(() => world.createSurface({ vertices: square, triangles: [0, 1, 2], colour: 1 }), 'colour');
    refused(() => world.destroySurface(0.5), 'surface');
    refused(() => world.destroySurface(roof), 'surface');
    world.destroy();
    refused(() => world.createSurface({ vertices: square, triangles: [0, 1, 2] }), 'world');
});

test('one face kind stands for all six', () => {
    const bounds = { min: [0, 0, 0], max: [2, 2, 2] }, hashes = ['wall', Array(6).fill('wall')].map((faces) => {
        const world = kugel.createWorld({ bounds: { ...bounds, faces } });
        world.createBody({ position: [1, 1, 1], velocity: [5, 0, 0], restitution: 1 });
        for (let tick = 0; tick < 60; ++tick) world.step(1 / 60);
        return world.hash();
    });
    assert.equal(hashes[0], hashes[1]);
    assert.throws(() => kugel.createWorld({ bounds: { ...bounds, faces: 'glass' } }), /bounds.faces: cannot be "glass", takes 'open', 'wall', 'periodic'/);
});

test('an error names the argument, and the member that a misspelt one is similar to', () => {
    const world = kugel.createWorld(), body = world.createBody(), v = [0, 0, 1];
    const wrong = [['applyForce', 'force', [1, 2], v], ['applyImpulse', 'impulse', [1, 2], v], ['applyImpulse', 'point', v, [1]],
        ['applyForce', 'force', [1, 2]], ['applyTorque', 'torque', 1], ['applyAngularImpulse', 'impulse', []], ['setPosition', 'position', [1]],
        ['setMass', 'mass', '1'], ['setGravityScale', 'gravityScale', null], ['setMaterial', 'rollingResistance', 0, 0, -1], ['setMaterial', 'tangentialRestitution', 0, 0, 0, -2]];
    for (const [name, argument, ...rest] of wrong) refused(() => world[name](body, ...rest), argument);
    for (const query of ['rayClosest', 'rayAny', 'rayAll']) for (const tMax of [-2, NaN]) refused(() => world[query](v, v, tMax), 'tMax');
    for (const query of ['castClosest', 'castAny', 'castAll']) refused(() => world[query](v, v, -1), 'radius'), refused(() => world[query](v, [1], 1), 'direction');
    refused(() => world.rayClosest([NaN, 0, 0], v), 'origin, direction or tMax');
    for (const side of [2, -2, NaN]) refused(() => world.planeSide(v, 0, side), 'side');
    refused(() => world.planeSide([0, 0, 2], 0, 1), 'normal or offset');
    refused(() => world.overlapBox([0, 0, 0], [-1, 1, 1]), 'min or max');
    refused(() => world.createBody({ rollingResistance: -1 }), 'def.rollingResistance');
    assert.throws(() => world.createBody({ rolling_resistance: 1 }), /^KugelError: rolling_resistance: is not known; did you mean rollingResistance\?$/);
    assert.throws(() => kugel.createWorld({ faces: 'wall' }), /faces: is not known; did you mean bounds\.faces\?/);
    assert.throws(() => kugel.createWorld({ bound: {} }), /did you mean bounds\?/);
    assert.throws(() => world.setFilter(body, { maks: 3 }), /maks: is not known; did you mean mask\?/);
    assert.throws(() => kugel.shapes.box({ haf: v }), /did you mean half\?/);
    assert.throws(() => world.createBody({ colour: 1 }), /colour: is not known$/);
    world.destroy();
});

test('a word that is not known is refused with those that are', () => {
    const world = kugel.createWorld(), body = world.createBody(), types = /type: cannot be "fixed", takes 'dynamic', 'static', 'kinematic'/;
    assert.throws(() => world.createBody({ type: 'fixed' }), types);
    assert.throws(() => world.setType(body, 'fixed'), types);
    assert.throws(() => world.nearest([0, 0, 0], 1, 9, { targets: ['bodies', 'floor'] }), /takes 'bodies', 'faces', 'surfaces', 'all'/);
    assert.throws(() => kugel.shapes.cone({ caps: 'left' }), /caps: cannot be "left", takes 'none'/);
    world.destroy();
});

test('images count crossings of periodic faces', () => {
    const world = kugel.createWorld({ bounds: { min: [0, 0, 0], max: [2, 2, 2], faces: ['periodic', 'periodic', 'wall', 'wall', 'wall', 'wall'] } });
    const body = world.createBody({ position: [1, 1, 1], radius: 0.1, velocity: [3, 0, 0], image: [5, 0, 0] });
    for (let t = 0; t < 4; ++t) world.step(1); // 12 m: six boxes
    assert.deepEqual(world.getBody(body).image, [11, 0, 0]);
    near(world.getBody(body).position[0] + 2 * world.readArrays('image').image[0], 1 + 12 + 2 * 5);
    world.setImage(body, [-1, 0, 0]);
    assert.deepEqual(Array.from(world.readArrays('image').image), [-1, 0, 0]);
    refused(() => world.setFilter(body), 'filter');
    refused(() => world.setFilter(body, { maks: 3 }), 'maks');
    refused(() => kugel.makeDelta(undefined, new Uint8Array(9)), 'base');
    refused(() => world.setImage(body, [0.5, 0, 0]), 'image');
    refused(() => world.setImage(body, [0, 1, 0]), 'image'); // not periodic
    refused(() => world.createBody({ image: [3e9, 0, 0] }), 'image');
    world.destroy();
});

// Sum of a x (b x c) / 6 over the triangles: the volume of a closed mesh that is seen from outside.
function volumeOf({ vertices, triangles }) {
    const at = (i) => vertices.subarray(3 * i, 3 * i + 3);
    let volume = 0;
    for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => at(triangles[t + k]));
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
    }
    return volume;
}

test('shapes have the volumes of their formulas, and bodies rest on them', () => {
    const { box, capsule, cone, disc, heightField, rectangle } = kugel.shapes, n = 64, area = n / 2 * Math.sin(2 * Math.PI / n); // of a polygon, radius 1
    near(volumeOf(box({ half: [1, 2, 3] })), 48);
    near(volumeOf(cone({ from: [0, 0, 0], to: [0, 0, 3], radiusFrom: 1, radiusTo: 0, segments: n })), area);
    near(volumeOf(cone({ to: [0, 0, 3], radiusFrom: 2, radiusTo: 2, segments: n })), 12 * area, 1e-11);
    near(volumeOf(capsule({ from: [0, 0, -1], to: [0, 0, 1], radius: 1, segments: n })), Math.PI * (4 / 3 + 2), 0.05);
    assert.deepEqual([disc({ segments: 8 }).triangles.length, rectangle().triangles.length], [24, 6]);
    assert.ok(cone({ caps: 'none' }).triangles.length < cone({ caps: 'both' }).triangles.length);
    refused(() => box({ half: [1, -1, 1] }), 'box');
    refused(() => box({ size: 1 }), 'size');
    refused(() => disc({ segments: 2.5 }), 'segments');
    refused(() => disc({ segments: 2 }), 'disc');
    refused(() => capsule({ segments: 1 << 20 }), 'capsule');
    refused(() => cone({ caps: 'left' }), 'caps');
    refused(() => heightField({ nx: 2, ny: 2, heights: [0, 0, 0] }), 'heights');
    refused(() => heightField({ heights: [] }), 'nx');

    const world = kugel.createWorld({ gravity: [0, 0, -10] });
    world.createSurface({ ...heightField({ origin: [-2, -2, 0], nx: 5, ny: 5, heights: Array(25).fill(1) }), friction: 0.5 });
    const ball = world.createBody({ position: [0.3, 0.2, 2], radius: 0.25 });
    for (let t = 0; t < 240; ++t) world.step(1 / 60);
    near(world.getBody(ball).position[2], 1.25, 1e-3);
    world.destroy();
});

test('columns that are named, handles, settings, and values between two ticks', () => {
    const bounds = { min: [0, 0, 0], max: [10, 10, 10], faces: ['periodic', 'periodic', 'wall', 'wall', 'wall', 'wall'] };
    const world = kugel.createWorld({ gravity: [0, 0, -1], bounds });
    assert.equal(world.readArrays('radius').radius.length, 0);
    const bodies = [0, 1, 2].map((k) => world.createBody({ position: [9.9 - 3 * k, 5, 5], velocity: [12, 0, 0], spin: [0, 0, 6], radius: 0.1 * (k + 1), userData: k }));
    const before = world.readArrays('position', 'rotation'), from = before.position.slice(), turned = before.rotation.slice();
    world.step(1 / 60);
    const { count, ids } = world.read();
    const { radius, asleep, userData, position, rotation, image, mass, ...rest } = world.readArrays();
    assert.deepEqual([count, [...ids], [...radius], [...asleep], [...userData], [...rest.bodies]], [3, [0, 1, 2], [0.1, 0.2, 0.1 * 3], [0, 0, 0], [0, 1, 2], bodies]);
    assert.deepEqual([image[0], [...mass], [...rest.velocity], rest.spin[2]], [1, [1, 1, 1], [12, 0, 0, 12, 0, 0, 12, 0, 0].map((x, k) => (k % 3 === 2 ? rest.velocity[k] : x)), 6]);
    assert.deepEqual([...world.read().position], [...position]);
    assert.deepEqual(world.readStates(), bodies.map((body) => world.getBody(body)));
    near(position[0], 0.1);
    const middle = world.interpolatePositions(from, position, 0.5), half = kugel.interpolateRotations(turned, rotation, 0.5);
    near(middle[0], 10); // across the face
    near(middle[3], 6.9 + 0.1);
    near(half[2], Math.sin(0.025), 1e-7); // half of a twentieth of a radian and a half
    assert.deepEqual([...world.interpolatePositions(from, position, 0)], [...from]);
    refused(() => world.interpolatePositions(from, position, 1.5), 'alpha');
    refused(() => world.interpolatePositions(from, position.subarray(3), 0.5), 'to');
    refused(() => world.readArrays('masses'), 'names');
    assert.deepEqual(Object.keys(world.readArrays('radius', 'asleep', 'image')), ['radius', 'asleep', 'image']);
    world.writeArrays([bodies[2], bodies[0]], { velocity: [1, 2, 3, 4, 5, 6], radius: Float64Array.of(0.4, 0.5) });
    assert.deepEqual([world.getVelocity(bodies[2]), world.getVelocity(bodies[0]), [...world.readArrays('radius').radius]], [[1, 2, 3], [4, 5, 6], [0.5, 0.2, 0.4]]);
    world.writeArrays(null, world.readArrays('position', 'spin', 'mass')), world.writeArrays(), world.writeArrays([], { mass: [] });
    refused(() => world.writeArrays(bodies, { radius: [1, 2] }), 'radius');
    refused(() => world.writeArrays(bodies, { asleep: [0, 0, 0] }), 'asleep');
    refused(() => world.writeArrays([bodies[0], 77], { mass: [1, 1] }), 'bodies');
    refused(() => world.writeArrays([0.5], { mass: [1] }), 'bodies');
    assert.throws(() => world.writeArrays(bodies, { mass: [1, 2, -3] }), (e) => e.argument === 'mass' && e.message.includes('row 2: '));
    assert.deepEqual([...world.readArrays('mass').mass], [1, 1, 1]);
    assert.deepEqual([world.body(1), world.body(3)], [bodies[1], null]);
    const plane = world.createPlane({ offset: -1, friction: 0.25 }), [read] = world.surfaces();
    assert.deepEqual([read.handle, read.shape, read.position, read.friction], [plane, 'plane', [0, 0, -1], 0.25]);
    world.destroySurface(plane);
    world.setGravity([0, 0, -2]);
    const settings = world.getDef();
    assert.deepEqual([settings.gravity, settings.bounds.faces, settings.bounds.max, settings.sleep], [[0, 0, -2], bounds.faces, [10, 10, 10], true]);
    kugel.createWorld(settings).destroy(); // it is a definition
    world.destroy();
});

test('values between two ticks when the copies make the memory grow, which ends the arrays of read()', async () => {
    const engine = await load(), world = engine.createWorld(), count = 20000;
    for (let i = 0; i < count; ++i) world.createBody({ position: [2 * i, 0, 0], velocity: [0, 0, 1] });
    const { position, rotation } = world.readArrays('position', 'rotation'), from = position.slice(), turned = rotation.slice();
    world.step(1);
    const middle = world.interpolatePositions(from, world.read().position, 0.5);
    assert.ok(middle.length === 3 * count && middle.every((x, k) => x === [2 * Math.floor(k / 3), 0, 0.5][k % 3]));
    const same = engine.interpolateRotations(turned, world.readArrays('rotation').rotation, 0.5);
    assert.ok(same.length === 4 * count && same.every((x, k) => x === (k % 4 === 3 ? 1 : 0)));
    world.destroy();
});

test('user data of worlds and surfaces', () => {
    const world = kugel.createWorld({ gravity: [0, 0, -1], userData: MOST }), plain = kugel.createWorld({ gravity: [0, 0, -1] });
    assert.deepEqual([world.userData, world.clone().userData, world.getDef().userData, plain.userData], [MOST, MOST, MOST, 0]);
    world.userData = 3;
    assert.equal(world.userData, 3);
    const ball = { shape: 'capsule', size: [1, 0, 0] }, mesh = kugel.shapes.box();
    const made = [world.createSurface({ ...ball, userData: MOST }), world.createSurface(mesh)];
    assert.deepEqual([plain.createSurface(ball), plain.createSurface(mesh)], made);
    assert.deepEqual(world.surfaces().map(({ userData }) => userData), [MOST, 0]);
    world.setSurfaceUserData(made[1], 5);
    assert.deepEqual(world.clone().surfaces().map(({ userData }) => userData), [MOST, 5]);
    const copy = world.createSurface(world.surfaces()[1]);
    assert.deepEqual([surfaceIndex(copy), world.surfaces()[2].userData, copy], [2, 5, plain.createSurface(mesh)]);
    world.destroySurface(copy), plain.destroySurface(copy);
    assert.deepEqual([world.hash(), world.save()], [plain.hash(), plain.save()]);
    for (const userData of [5n, -1, 0.5, 2 ** 53, null, NaN]) {
        refused(() => kugel.createWorld({ userData }), 'userData');
        refused(() => { world.userData = userData; }, 'userData');
        refused(() => world.createSurface({ ...ball, userData }), 'userData');
        refused(() => world.setSurfaceUserData(made[0], userData), 'userData');
    }
    refused(() => world.setSurfaceUserData(copy, 1), 'surface');
    refused(() => kugel.createWorld(null), 'def');
    assert.deepEqual([world.userData, world.getSurfaceUserData(made[1])], [3, 5]);
    refused(() => world.getSurfaceUserData(copy), 'surface');
    world.destroy(), plain.destroy();
    refused(() => { world.userData = 1; }, 'world');
});

test('user data, filters, rotations, explosions', () => {
    const world = kugel.createWorld(), ball = world.createBody({ userData: MOST });
    assert.equal(world.getBody(ball).userData, MOST);
    world.setUserData(ball, 5);
    assert.deepEqual([world.clone().getBody(ball).userData, world.getUserData(ball)], [5, 5]);
    refused(() => world.setUserData(ball, 5n), 'userData');
    refused(() => world.createBody({ userData: -1 }), 'userData');
    assert.equal(world.bodyCount, 1);
    world.setFilter(ball, { category: 4, group: 2 });
    const { category, mask, group } = world.getBody(ball);
    assert.deepEqual([category, mask, group], [4, 0xffffffff, 2]);
    refused(() => world.setFilter(ball, { mask: 0.5 }), 'mask');
    assert.equal(world.explode({ center: [-1, 0, 0], impulse: 3 }), 1);
    assert.deepEqual(world.getBody(ball).velocity, [3, 0, 0]);
    assert.equal(world.explode({ mask: 3 }), 0);
    refused(() => world.explode({ radius: -1 }), 'def.radius');
    world.setRotation(ball, [0, 1, 0, 0]);
    assert.deepEqual(world.getBody(ball).rotation, [0, 1, 0, 0]);
    refused(() => world.setRotation(ball, [1, 1, 0, 0]), 'rotation');
    refused(() => world.setTarget(ball, null, [1, 0, 0, 0], 1), 'body');
    world.setType(ball, 'kinematic');
    world.setTarget(ball, null, [0, 0, Math.SQRT1_2, Math.SQRT1_2], 0.5);
    world.step(0.5);
    world.getBody(ball).rotation.forEach((x, k) => near(x, [0, 0, Math.SQRT1_2, Math.SQRT1_2][k], 1e-6));
    const { body, position, velocity, spin, rotation } = world.getBody(ball);
    assert.deepEqual([body, position, velocity, spin], [ball, world.getPosition(ball), world.getVelocity(ball), world.getSpin(ball)]);
    assert.deepEqual([rotation, world.isValid(ball), world.isValid(99), world.idEnd], [world.getRotation(ball), true, false, 1]);
    refused(() => world.getPosition(99), 'body');
    refused(() => world.getUserData(99), 'body');
    refused(() => world.setRotation(99, [0, 0, 0, 1]), 'body');
    world.destroy();
});

test('numbers that WebAssembly would cut or convert, and values of other types, are refused', () => {
    const world = kugel.createWorld(), ball = world.createBody(), wide = 2 ** 53;
    const calls = { getBody: [], isValid: [], getPosition: [], getUserData: [], destroyBody: [], setVelocity: [[1, 0, 0]], setMass: [1], setType: ['static'], contacts: [], wake: [], setUserData: [1],
        setFilter: [{ mask: 1 }], setTarget: [[0, 0, 0], null, 1], setRotation: [[0, 0, 0, 1]], applyForce: [[0, 0, 0], [0, 0, 0]] };
    for (const [name, rest] of Object.entries(calls)) for (const body of [wide, -1, 0.5, 1n, NaN, null, undefined, 'x']) refused(() => world[name](body, ...rest), name === 'isValid' ? 'handle' : 'body');
    assert.deepEqual([world.bodyCount, world.getBody(ball).velocity], [1, [0, 0, 0]]);
    refused(() => world.planeSide([0, 0, 1], 0, 0.5), 'side');
    for (const count of [2 ** 32 + 1, 0.5, -1]) refused(() => world.nearest([0, 0, 0], count), 'count');
    for (const dt of ['0.1', 1n, undefined]) refused(() => world.step(dt), 'dt');
    for (const position of [null, [1n, 0, 0]]) refused(() => world.createBody({ position }), 'position');
    refused(() => kugel.createWorld({ bounds: 3 }), 'bounds');
    refused(() => world.createBody(null), 'def');
    for (const bytes of [null, 'abc', [1, 2], new ArrayBuffer(8), new Float64Array(2)]) {
        refused(() => world.restore(bytes), 'snapshot');
        refused(() => kugel.openPlayer(bytes), 'recording');
        refused(() => kugel.applyDelta(new Uint8Array(4), bytes), 'delta');
        if (bytes !== 'abc') refused(() => world.startRecording({ annotation: bytes }), 'annotation');
    }
    for (const ticks of [-1, 0.5, 2 ** 32]) refused(() => world.startRecording({ ringTicks: ticks }), 'ringTicks');
    const bodies = world.bodyCount;
    world.startRecording();
    world.markRecording();
    refused(() => world.markRecording(), 'recording');
    world.createBody();
    world.step(0.1);
    const player = kugel.openPlayer(world.stopRecording());
    player.seek(0);
    assert.equal(player.world().bodyCount, bodies);
    for (const tick of [NaN, -1, 1n, 0.5]) refused(() => player.hash(tick), 'tick');
    assert.equal(player.hash(2), 0n);
    player.close();
    world.destroy();
});

test('nearest: more are asked for than there are, and more than fit the first room', () => {
    const world = kugel.createWorld(), memory = () => world.read().position.buffer.byteLength, before = memory();
    for (let k = 0; k < 200; ++k) world.createBody({ position: [2 * k, 0, 0] });
    for (const count of [1, 63, 64, 65, 199, 200, 201, 2 ** 32 - 1]) {
        const found = world.nearest([-1, 0, 0], count);
        assert.deepEqual(found.map(({ index }) => index), Array.from({ length: Math.min(count, 200) }, (_, k) => k));
    }
    assert.ok(memory() - before < 1e6);
    world.destroy();
    refused(() => world.createBody(), 'world');
    refused(() => world.save(), 'world');
});

test('a refused query leaves no memory behind', () => {
    const world = kugel.createWorld(), memory = () => world.read().position.buffer.byteLength;
    const before = memory();
    for (let k = 0; k < 10000; ++k) refused(() => world.overlapSphere([0, 0, 0], 1, { colour: 1 }), 'colour');
    assert.ok(memory() - before < 1e7, `${memory() - before} bytes`); // rows of 64 results are 9 kB
    world.destroy();
});

// Records a pile of 60 balls for `ticks` ticks. @return its parts and the hashes.
function record(ticks, def) {
    const world = kugel.createWorld({ gravity: [0, 0, -9.81] }), parts = [], hashes = [];
    world.createPlane({ normal: [0, 0, 1], friction: 0.5 });
    world.startRecording(def);
    for (let i = 0; i < 60; ++i) world.createBody({ position: [(i % 4) * 0.9, ((i / 4) | 0) % 4, 1 + 1.1 * ((i / 16) | 0)], group: i % 5 ? 0 : 9 });
    for (let t = 0; t < ticks; ++t) {
        if (t === 20) world.applyImpulse(world.nearest([0, 0, 0], 1, 1, { targets: 'bodies' })[0].body, [0, 0, 2]);
        world.step(1 / 60);
        hashes.push(world.hash());
        parts.push(world.takeRecording());
    }
    if (def.ringTicks) parts.push(world.dumpRecording());
    parts.push(world.stopRecording());
    world.destroy();
    return { recording: Buffer.concat(parts), hashes };
}

test('a destroyed world refuses all calls', () => {
    const world = kugel.createWorld(), calls = callsOf(world, world.createBody()), pure = ['destroy', 'interpolatePositions'];
    world.startRecording();
    world.destroy(), world.destroy();
    for (const [name, call] of calls) if (!pure.includes(name)) refused(call, 'world');
});

test('a recording is played here and by the native program', () => {
    const { recording, hashes } = record(100, { annotation: 'from node', keyframeTicks: 30 }), player = kugel.openPlayer(recording);
    const { ticks, closed, states, damaged, physicsEpoch, pairFilter, keyframes } = player.info;
    assert.deepEqual([ticks, closed, states, damaged, physicsEpoch, pairFilter, keyframes], [100, true, true, false, kugel.physicsEpoch, false, 3]);
    assert.equal(Buffer.from(player.annotation).toString(), 'from node');
    assert.equal(player.verify(), null);
    assert.deepEqual([player.tick, player.step()], [100, 'end']);
    player.cacheKeyframes(1 << 20);
    for (const bytes of [-1, 0.5, 'many', undefined]) refused(() => player.cacheKeyframes(bytes), 'bytes');
    for (const tick of [1, 99, 50, 20, 21]) {
        player.seek(tick);
        const world = player.world();
        assert.deepEqual([player.tick, player.hash(tick), world.hash(), player.read().count], [tick, hashes[tick - 1], hashes[tick - 1], 60]);
        if (tick < 100) world.step(1 / 60), player.step();
        assert.equal(player.tick, tick + 1);
        world.destroy();
    }
    refused(() => player.seek(101), 'tick');
    assert.equal(player.hash(101), 0n);
    player.close(), player.close();
    refused(() => player.step(), 'player');
    const folder = mkdtempSync(join(tmpdir(), 'kugel-js-'));
    try {
        writeFileSync(join(folder, 'a.kugel'), recording);
        execFileSync(join(build, 'tools/replay/kugel-replay'), ['verify', join(folder, 'a.kugel')]);
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test('a recording of kugel-run is read after kugel-replay rewrite', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kugel-')), packed = join(folder, 'a.kugel'), unpacked = join(folder, 'b.kugel');
    try {
        execFileSync(join(build, 'samples/kugel-run'), ['gas', '--ticks', '5', '--quiet', '--record', packed]);
        execFileSync(join(build, 'tools/replay/kugel-replay'), ['rewrite', packed, '-o', unpacked]);
        const player = kugel.openPlayer(readFileSync(unpacked));
        assert.equal(player.info.ticks, 5);
        assert.equal(player.verify(), null);
        player.close();
        if (readFileSync(packed).includes(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))) // a frame of zstd
            assert.throws(() => kugel.openPlayer(readFileSync(packed)), /kugel-replay rewrite/);
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test('snapshots are checked and compared, and a game is rolled back', () => {
    const world = kugel.createWorld({ gravity: [0, 0, -9.81] });
    world.createPlane({ normal: [0, 0, 1], friction: 0.5 });
    const balls = [0, 1, 2].map((k) => world.createBody({ position: [0.3 * k, 0, 1 + 1.1 * k] }));
    for (let t = 0; t < 30; ++t) world.step(1 / 60);
    const before = world.save();
    const { physicsEpoch, tick, time, bodies } = kugel.checkSnapshot(before);
    assert.deepEqual([physicsEpoch, tick, bodies], [kugel.physicsEpoch, 30, 3]);
    near(time, 0.5);
    refused(() => kugel.checkSnapshot(before.slice(1)), 'snapshot');
    assert.equal(kugel.snapshotDifference(before, before), null);
    const x = world.getBody(balls[1]).velocity[0];
    world.setVelocity(balls[1], [x + 1, 0, 0]);
    const { body, field, expected, found } = kugel.snapshotDifference(before, world.save());
    assert.deepEqual([body, field, expected, found], [1, 'velocity.x', x, x + 1]);
    refused(() => kugel.snapshotDifference(before, before.slice(1)), 'found');

    const pushes = [], input = (w, at) => { pushes.push(at), at % 7 === 0 && w.applyImpulse(balls[at % 3], [0, 1, 0]); };
    const start = world.save(), again = world.clone();
    assert.equal(world.syncTest({ ticks: 20, dt: 1 / 50, input }), null);
    assert.deepEqual(pushes, [...Array(20).keys(), ...Array(20).keys()].map((k) => 30 + k));
    for (let t = 30; t < 50; ++t) input(again, t), again.step(1 / 50);
    assert.equal(world.hash(), again.hash());
    world.restore(start);
    let runs = 0;
    const unlike = world.syncTest({ ticks: 20, input: (w) => { if (++runs === 25) w.setSpin(balls[2], [0, 0, 1]); } });
    assert.deepEqual([unlike.tick, unlike.body], [35, 2]);
    assert.deepEqual(world.save(), start);
    assert.throws(() => world.syncTest({ input: () => { throw new Error('stop'); } }), /stop/);
    refused(() => world.syncTest({ dt: -1 }), 'dt');
    refused(() => world.syncTest({ ticks: 0 }), 'def.ticks');
    assert.deepEqual(world.save(), start);
    world.destroy(), again.destroy();
});

test('a flight recorder, a difference, and what is no recording', () => {
    const { recording } = record(100, { ringTicks: 16 }), player = kugel.openPlayer(recording);
    assert.ok(player.info.ticks >= 16 && player.info.ticks < 32 && player.info.origin + player.info.ticks === 100);
    assert.equal(player.verify(), null);
    player.close();
    refused(() => kugel.openPlayer(new Uint8Array(100)), 'recording');
    const world = kugel.createWorld();
    refused(() => world.stopRecording(), 'world');
    refused(() => world.dumpRecording(), 'world');
    world.startRecording();
    refused(() => world.startRecording(), 'world');
    assert.ok(world.takeRecording().length > 0);
    assert.equal(world.recordingError, null);
    refused(() => world.syncTest(), 'world');
    refused(() => world.restore(kugel.createWorld().save()), 'world');
    world.destroy();
});

test('the ticks of a player are those of the recording, whose world was stepped before', () => {
    const world = kugel.createWorld();
    for (let i = 0; i < 100; ++i) world.step(0.01);
    world.startRecording();
    for (let i = 0; i < 5; ++i) world.step(0.01);
    const player = kugel.openPlayer(world.stopRecording());
    assert.equal(player.tick, 0);
    player.seek(2);
    assert.deepEqual([player.tick, player.world().tick], [2, 102]);
    player.step();
    assert.equal(player.tick, 3);
    player.seek(player.tick);
    assert.deepEqual([player.verify(), player.tick, player.step(), player.tick], [null, 5, 'end', 5]);
    player.close();
    refused(() => player.tick, 'player');
    world.destroy();
});

test('a step of a player is a tick, a difference, or the end', () => {
    const world = kugel.createWorld();
    world.createBody({ velocity: [1, 0, 0], restitution: 1 }), world.createBody({ position: [2.5, 0, 0], restitution: 1 });
    world.setPairFilter(() => true);
    world.startRecording();
    for (let i = 0; i < 3; ++i) world.step(1);
    const player = kugel.openPlayer(world.stopRecording()), difference = { body: 0, field: 'position.x', expected: 1.5 };
    player.setPairFilter(() => false); // they meet at 1.5 s
    const steps = [1, 2, 3, 4, 5].map(() => player.step());
    assert.deepEqual(steps, ['tick', { tick: 2, ...difference, found: 2 }, { tick: 3, ...difference, found: 3 }, 'end', 'end']);
    assert.deepEqual([player.tick, player.verify().tick], [3, 2]);
    player.close(), world.destroy();
});

test('missing members of the material of two kinds are those of a new body', () => {
    const world = kugel.createWorld();
    world.setPairMaterial(1, 2, { restitution: 0.5, friction: 0.125, rollingResistance: 0.25, tangentialRestitution: 1 });
    world.setPairMaterial(1, 2, { restitution: 0.5 });
    const usual = { restitution: 0, friction: 0.5, rollingResistance: 0, tangentialRestitution: 0 };
    assert.deepEqual(world.getPairMaterial(2, 1), { ...usual, restitution: 0.5 });
    world.setPairMaterial(1, 2, {});
    const body = world.getBody(world.createBody());
    assert.deepEqual(world.getPairMaterial(1, 2), Object.fromEntries(Object.keys(usual).map((name) => [name, body[name]])));
    world.setPairMaterial(1, 2, null);
    assert.equal(world.getPairMaterial(1, 2), null);
    world.destroy();
});

test('a body that was read is a definition', () => {
    const bounds = { min: [-10, -10, -10], max: [10, 10, 10], faces: ['periodic', 'open', 'open'].flatMap((face) => [face, face]) };
    const world = kugel.createWorld({ gravity: [0, 0, -10], bounds });
    world.createPlane();
    world.createBody({ position: [9.5, 0, 0.5], velocity: [4, 0, 0], spin: [0, 8, 0], density: 3, userData: 5, locks: ['linear_y', 'angular_x'] });
    world.createBody({ position: [0, 0, 0.25], radius: 0.25, friction: 0.75, rollingResistance: 0.125, tangentialRestitution: -0.5, kind: 3 });
    world.createBody({ position: [4, 0, 9], type: 'kinematic', velocity: [0, 0, 1], rotation: [0, 0, 0.6, 0.8], category: 4, mask: 6, group: 2 });
    world.createBody({ position: [5, 5, 5], type: 'static', sensor: true, contactEvents: false });
    world.createBody({ position: [7, 7, 7], enabled: false, canSleep: false });
    for (let tick = 0; tick < 90; ++tick) world.step(1 / 60);
    const copy = kugel.createWorld({ gravity: [0, 0, -10], bounds }), read = world.readStates();
    assert.deepEqual(read.map(({ contacts, asleep, image, mass }) => [contacts, asleep, image[0], mass === 0]),
        [[1, false, 1, false], [1, true, 0, false], [0, false, 0, true], [0, false, 0, true], [0, true, 0, false]]);
    assert.deepEqual(read.map((state) => copy.getBody(copy.createBody(state))), read.map((state) => ({ ...state, contacts: 0, asleep: !state.enabled })));
    for (const member of ['contacts', 'asleep']) refused(() => copy.createBody({ [member]: 1 }), member); // none was read
    refused(() => copy.createBody({ ...read[0], colour: 1 }), 'colour');
    world.destroy(), copy.destroy();
});

test('a pair filter: bodies that it excludes pass through each other, and it changes the material', () => {
    const decide = (pair, key) => {
        pair.restitution = 0.5;
        return key === 1n;
    };
    const meet = (key) => {
        const world = kugel.createWorld(), left = world.createBody({ position: [-2, 0, 0], velocity: [2, 0, 0] }), right = world.createBody();
        world.setPairFilter(decide, key);
        assert.equal(world.pairFilterKey, key);
        const clone = world.clone();
        clone.step(1), world.step(1);
        assert.equal(clone.hash(), world.hash());
        const speeds = [world.getVelocity(left)[0], world.getVelocity(right)[0]];
        world.setPairFilter(null);
        assert.equal(world.pairFilterKey, null);
        world.destroy();
        assert.equal(clone.pairFilterKey, key);
        clone.step(1); // with the callback that the destroyed world had, too
        clone.destroy();
        return speeds;
    };
    assert.deepEqual([meet(0n), meet(1n), meet(2n ** 64n - 1n)], [[2, 0], [0.5, 1.5], [2, 0]]); // v (1 - e) / 2 and v (1 + e) / 2
    const world = kugel.createWorld();
    for (const wrong of [5, undefined, {}]) refused(() => world.setPairFilter(wrong), 'decide');
    for (const key of [1, -1n, 2n ** 64n]) refused(() => world.setPairFilter(decide, key), 'key');
    assert.equal(world.pairFilterKey, null);
    const floor = world.createPlane({ normal: [0, 0, 1] }), body = world.createBody({ position: [0, 0, 2], velocity: [0, 0, -4] });
    world.setPairFilter(({ a, b, surface }) => { assert.deepEqual([a, b, surface], [body, 0, floor]); return false; });
    world.step(1);
    assert.equal(world.getVelocity(body)[2], -4);
    world.destroy();
});

// Balls that fall onto a large one. The rule: ids with a sum that is divisible by 3 do not meet, the others have less friction.
const ids = (pair) => [pair.a, pair.b].map(bodyId);
function sparse(pair, key) {
    const [a, b] = ids(pair);
    pair.friction *= 0.5, pair.restitution = Number(key) / 4;
    return (a + b) % 3 !== 0;
}
function heap(decide) {
    const world = kugel.createWorld({ gravity: [0, 0, -10] });
    world.createBody({ position: [0, 0, -20], radius: 20, type: 'static' });
    for (let i = 0; i < 60; ++i) world.createBody({ position: [(i % 4) * 0.9 - 1.5, ((i / 4) | 0) % 4 - 1.5, 1.5 + 1.1 * ((i / 16) | 0)] });
    if (decide) world.setPairFilter(decide, 2n);
    return world;
}
const NATIVE_RULE = `
#include <kugel/kugel.h>
#include <stdio.h>
static bool decide(void *user, uint64_t key, kugel_pair *pair)
{
    pair->friction *= 0.5, pair->restitution = (double)key / 4;
    return (kugel_body_id(pair->a) + kugel_body_id(pair->b)) % 3 != 0;
}
int main(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -10;
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return 1;
    kugel_body_def ball = kugel_body_def_default();
    ball.position[2] = -20, ball.radius = 20, ball.type = KUGEL_STATIC;
    kugel_body_create(world, &ball, NULL);
    for (int i = 0; i < 60; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.position[0] = (i % 4) * 0.9 - 1.5, ball.position[1] = i / 4 % 4 - 1.5, ball.position[2] = 1.5 + 1.1 * (i / 16);
        kugel_body_create(world, &ball, NULL);
    }
    kugel_pair_filter filter = {decide, NULL, 2};
    kugel_world_set_pair_filter(world, &filter);
    for (int tick = 0; tick < 90; ++tick) kugel_world_step(world, 1 / 60.);
    printf("%llu", (unsigned long long)kugel_world_hash(world));
    return 0;
}
`;

test('a pair filter has the bits of the same one in C, and is recorded by its key', () => {
    const world = heap(sparse), folder = mkdtempSync(join(tmpdir(), 'kugel-js-'));
    world.startRecording({ keyframeTicks: 16 });
    for (let t = 0; t < 90; ++t) world.step(1 / 60);
    const hash = world.hash(), player = kugel.openPlayer(world.stopRecording());
    try {
        const library = join(build, 'tools/python/kugel/libkugel.so');
        writeFileSync(join(folder, 'rule.c'), NATIVE_RULE);
        execFileSync('cc', ['-w', `-I${join(source, 'include')}`, '-o', join(folder, 'rule'), join(folder, 'rule.c'), library, `-Wl,-rpath,${join(build, 'tools/python/kugel')}`]);
        assert.equal(execFileSync(join(folder, 'rule'), { encoding: 'utf8' }), `${hash}`);
    } finally {
        rmSync(folder, { recursive: true });
    }
    assert.ok(player.info.pairFilter);
    refused(() => player.verify(), 'pairFilter');
    player.setPairFilter(sparse);
    assert.equal(player.verify(), null);
    const last = player.world();
    assert.deepEqual([last.hash(), last.pairFilterKey], [hash, 2n]);
    player.setPairFilter(() => true);
    assert.notEqual(player.verify(), null);
    const failure = new Error('no rule');
    player.setPairFilter((pair) => { if (ids(pair)[0] > 9) throw failure; return sparse(pair, 2n); });
    assert.throws(() => player.verify(), failure);
    player.setPairFilter((pair, key) => { player.tick; return sparse(pair, key); });
    refused(() => player.verify(), 'player');
    player.setPairFilter(sparse);
    player.seek(90);
    player.close();
    last.step(1 / 60), world.step(1 / 60);
    assert.equal(last.hash(), world.hash());
    last.destroy(), world.destroy();
    refused(() => player.setPairFilter(null), 'player');
});

test('an exception of a pair filter ends the call, which leaves the world as it was', () => {
    const world = heap(sparse), twin = heap(sparse), failure = { not: 'an Error' };
    let left = Infinity, calls = 0, failures = 0;
    const failing = (pair, key) => { ++calls; if (--left < 0) throw failure; return sparse(pair, key); };
    world.setPairFilter(failing, 2n), twin.setPairFilter(sparse, 2n);
    for (let t = 0; t < 60; ++t) {
        const before = world.save();
        left = t % 7, calls = 0;
        let thrown = null;
        try {
            world.step(1 / 60);
            world.restore(before);
        } catch (error) {
            thrown = error, ++failures;
            assert.equal(calls, t % 7 + 1); // none after the exception
            assert.deepEqual([world.save(), world.pairFilterKey], [before, 2n]);
        }
        assert.equal(thrown, calls > t % 7 ? failure : null);
        left = Infinity;
        world.step(1 / 60), twin.step(1 / 60);
        assert.equal(world.hash(), twin.hash(), `tick ${t}`);
    }
    assert.ok(failures > 20);
    const before = world.save();
    left = 0;
    assert.throws(() => world.setPairFilter(failing, 5n), (error) => error === failure); // asked for resting contacts
    assert.deepEqual([world.save(), world.pairFilterKey], [before, 2n]);
    left = 3;
    assert.throws(() => world.syncTest({ ticks: 5 }), (error) => error === failure);
    assert.deepEqual(world.save(), before);
    for (const [use, argument] of [[() => world.getPosition(0), 'world'], [() => world.step(1), 'world'], [() => world.destroy(), 'world'],
        [(pair) => { pair.friction = '1'; }, 'friction'], [() => twin.step(-1), 'dt']]) {
        world.setPairFilter(sparse, 2n);
        const using = (pair) => { use(pair); return true; };
        refused(() => { world.setPairFilter(using, 2n); world.step(1 / 60); }, argument);
    }
    world.setPairFilter((pair, key) => { twin.step(1 / 600); return sparse(pair, key); }, 2n); // another world may be used
    world.step(1 / 60);
    left = Infinity;
    world.destroy(), twin.destroy();
});

test('a sync test has the filter of the first state in both runs', () => {
    const world = heap(sparse), input = (w, tick) => { if (tick % 16 === 5) w.setPairFilter((pair, key) => sparse(pair, key), BigInt(tick % 3)); };
    for (let t = 0; t < 20; ++t) world.step(1 / 60);
    assert.equal(world.syncTest({ ticks: 40, input }), null);
    assert.equal(world.pairFilterKey, 53n % 3n);
    world.step(1 / 60);
    const key = world.pairFilterKey;
    assert.throws(() => world.syncTest({ input: (w, tick) => { w.setPairFilter(null); if (tick > 65) throw new Error('stop'); } }), /stop/);
    assert.equal(world.pairFilterKey, key);
    world.step(1 / 60);
    refused(() => world.syncTest({ input: (w) => w.destroy() }), 'world');
    refused(() => world.syncTest({ input: 5 }), 'input');
    world.destroy();
});

test('callbacks are freed with their worlds and players', async () => {
    const { setFlagsFromString } = await import('node:v8'), { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc'), kept = [];
    function use() {
        const watched = (decide) => (kept.push(new WeakRef(decide)), decide);
        const world = heap(watched((pair, key) => sparse(pair, key)));
        for (let k = 0; k < 20; ++k) world.setPairFilter(watched((pair, key) => sparse(pair, key)), 2n), world.step(1 / 60);
        assert.throws(() => world.setPairFilter(watched(() => { throw new Error('stop'); })), /stop/);
        world.startRecording();
        world.syncTest({ ticks: 1, input: (w) => w.setPairFilter(watched(() => true)) });
    }
    function record() {
        const world = heap(sparse), clone = world.clone();
        world.setPairFilter((pair) => (kept.length, sparse(pair, 2n)), 2n);
        world.startRecording();
        world.step(1 / 60);
        const player = kugel.openPlayer(world.stopRecording()), decide = (pair, key) => sparse(pair, key);
        kept.push(new WeakRef(decide));
        player.setPairFilter(decide);
        player.verify();
        const played = player.world();
        player.close(), played.step(1 / 60), played.destroy(), clone.destroy(), world.destroy();
    }
    assert.throws(use, (error) => error.argument === 'world'); // a recorded world cannot be tested
    record();
    for (let k = 0; k < 3; ++k) await new Promise((done) => setTimeout(done)), collect();
    assert.ok(kept.filter((reference) => reference.deref()).length <= 2, 'those of the world that was not destroyed');
});

test('deltas of snapshots', () => {
    const world = kugel.createWorld(), ball = world.createBody();
    for (let i = 1; i < 100; ++i) world.createBody({ position: [3 * i, 0, 0] });
    const base = world.save();
    world.setVelocity(ball, [1, 0, 0]);
    const after = world.save(), delta = kugel.makeDelta(base, after);
    assert.deepEqual(kugel.applyDelta(base, delta), after);
    assert.ok(delta.length < after.length / 4);
    refused(() => kugel.applyDelta(after, delta), 'delta');
    refused(() => kugel.applyDelta(base, delta.slice(1)), 'delta');
    refused(() => kugel.makeDelta(base, new Uint8Array(5)), 'snapshot');
    const memory = () => world.read().position.buffer.byteLength, before = memory();
    for (let k = 0; k < 2000; ++k) {
        refused(() => kugel.applyDelta(base, 'x'), 'delta');
        refused(() => kugel.makeDelta(base, 'x'), 'snapshot');
    }
    assert.ok(memory() - before < 100 * base.length, `${memory() - before} bytes`);
    world.destroy();
});

test('the examples: a worker has the hash of this thread; the one with three.js is well formed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kugel-js-'));
    try {
        mkdirSync(join(folder, 'node_modules'));
        symlinkSync(join(build, 'tools/npm'), join(folder, 'node_modules/kugel'));
        cpSync(join(source, 'tools/npm/examples'), join(folder, 'examples'), { recursive: true });
        const text = execFileSync(process.execPath, ['--no-warnings', join(folder, 'examples/node.mjs')], { encoding: 'utf8' });
        const world = kugel.createWorld({ gravity: [0, 0, -9.81] });
        world.createPlane({ normal: [0, 0, 1], friction: 0.5 });
        for (let i = 0; i < 100; ++i) world.createBody({ position: [(i % 5) + 0.01 * (i % 7), ((i / 5) | 0) % 5, 1 + 1.1 * ((i / 25) | 0)], radius: 0.5 });
        for (let t = 0; t < 120; ++t) world.step(1 / 60);
        assert.equal(text, `100 bodies, lowest at 0.50 m\n120 ticks, hash 0x${world.hash().toString(16).padStart(16, '0')}\n`);
        world.destroy();
        execFileSync(process.execPath, ['--check', join(folder, 'examples/three.mjs')]);
        const used = readFileSync(join(source, 'tools/npm/examples/three.mjs'), 'utf8').match(/(?<=\bworld\.)\w+/g);
        used.forEach((name) => assert.ok(name in world, name));
    } finally {
        rmSync(folder, { recursive: true });
    }
});
