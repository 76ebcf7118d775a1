// Many bodies at once in the JavaScript package: lists as columns, bodies and rays from arrays; handles that JSON keeps; worlds
// and players that are freed at the end of a block or by the garbage collector; pair filters without a result.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

const { bodyId, KugelError, load, TARGETS } = await import(join(process.env.KUGEL_BUILD, 'tools/npm/node.mjs'));
const kugel = await load();
const refused = (what, argument, status = 'invalid_argument') => assert.throws(what, (e) => e instanceof KugelError && e.argument === argument && e.status === status || assert.fail(`${argument}: ${e}`));
const EVENTS = ['impactEvents', 'beginEvents', 'endEvents', 'sleepEvents', 'wakeEvents', 'sensorEvents'];

// The time of a call, ms: the best of several.
function timeOf(call) {
    let best = Infinity;
    for (let k = 0; k < 15; ++k) {
        const start = performance.now();
        call();
        best = Math.min(best, performance.now() - start);
    }
    return best;
}

// A lattice of falling balls over a floor.
function rain(count) {
    const world = kugel.createWorld({ gravity: [0, 0, -10] }), side = Math.ceil(Math.cbrt(count));
    world.createPlane({ normal: [0, 0, 1] });
    world.createBody({ position: [side, side, 1], radius: 1.5, type: 'static', sensor: true });
    world.createBodies(Array.from({ length: count }, (_, i) => [1.2 * (i % side), 1.2 * (((i / side) | 0) % side), 0.6 + 1.2 * ((i / side / side) | 0)]).flat(), { userData: Array.from({ length: count }, (_, i) => i + 2 ** 40), restitution: 0.5 });
    return world;
}

// Columns of a list have the members of its rows.
function agree(list) {
    const rows = [...list];
    assert.equal(rows.length, list.count);
    for (const name of Object.keys(Object.getPrototypeOf(list))) {
        const column = list[name], size = list.count ? column.length / list.count : 1;
        assert.ok(ArrayBuffer.isView(column) && Number.isInteger(size), name);
        assert.equal(list[name], column, 'made once');
        rows.forEach((row, k) => {
            const values = Array.from(column.subarray(size * k, size * (k + 1)), (x) => (name === 'target' ? TARGETS[x] : x));
            if (name === 'hit') assert.equal(row !== null, column[k] === 1);
            else if (row) assert.deepEqual(values, [row[name]].flat().map((x) => (typeof x === 'boolean' ? Number(x) : x)), name);
        });
    }
}

test('lists: the columns of events, moves and contacts are those of the rows, and copies', () => {
    const world = rain(100), seen = new Set();
    let kept = null;
    for (let tick = 0; tick < 240; ++tick) {
        world.step(1 / 60);
        for (const name of [...EVENTS, 'moves', 'contacts']) {
            const list = world[name]();
            agree(list);
            if (list.count) seen.add(name);
        }
        if (!kept && world.impactEvents().count > 2) kept = { list: world.impactEvents(), rows: [...world.impactEvents()] };
    }
    for (const name of ['impactEvents', 'beginEvents', 'sleepEvents', 'sensorEvents', 'moves', 'contacts']) assert.ok(seen.has(name), name);
    assert.deepEqual([[...kept.list], Array.from(kept.list.time)], [kept.rows, kept.rows.map(({ time }) => time)]);
    const first = world.contacts(world.body(1));
    agree(first);
    world.destroy();
    assert.ok(first.count > 0 && first.force[0] > 0, 'valid without the world');
});

test('lists: columns of 5,000 moves take a fraction of the time of objects', () => {
    const world = rain(5000);
    world.step(1 / 60), world.step(1 / 60); // the first one lists what was created, also the static body
    const columns = timeOf(() => { const { body, position, rotation } = world.moves(); return body.length + position.length + rotation.length; });
    const rows = timeOf(() => [...world.moves()]);
    assert.equal(world.moves().count, 5000);
    assert.ok(4 * columns < rows, `${columns} ms and ${rows} ms`);
    world.destroy();
});

test('rays in a batch: the hits of single rays, as columns, in a fraction of their time', () => {
    const world = rain(5000), count = 5000, [origins, directions] = [1, 2].map((k) => Float64Array.from({ length: 3 * count }, (_, i) => 10 + 9 * Math.sin(k * i * i)));
    for (let i = 0; i < directions.length; ++i) directions[i] -= 10;
    const rays = world.raysClosest(origins, directions, 5);
    agree(rays);
    [...rays].forEach((hit, k) => k % 10 || assert.deepEqual(hit, world.rayClosest(origins.slice(3 * k, 3 * k + 3), directions.slice(3 * k, 3 * k + 3), 5)));
    assert.ok(new Set(rays.target).size > 1 && rays.hit.includes(0));
    const batch = timeOf(() => { const { hit, body, tEnter, point } = world.raysClosest(origins, directions, 5); return hit.length + body.length + tEnter.length + point.length; });
    const single = timeOf(() => { for (let k = 0; k < 3 * count; k += 3) world.rayClosest(origins.subarray(k, k + 3), directions.subarray(k, k + 3), 5); });
    assert.ok(2 * batch < single, `${batch} ms and ${single} ms`);
    const views = () => world.read().position, copies = views().slice(); // views of memory that grows
    assert.deepEqual([...world.raysClosest(views(), [0, 0, -1], 99).tEnter], [...world.raysClosest(copies, [0, 0, -1], 99).tEnter]);
    assert.throws(() => world.raysClosest([0, 0, 0, 1, 1, 1], [0, 0, 1], [1, 2, 3]), /tMax: takes 1 numbers for each ray, or for all, not 3 for 2/);
    world.destroy();
});

test('many bodies in one call are those of a call for each', () => {
    const count = 300, place = (i) => [2 * (i % 10), 2 * (((i / 10) | 0) % 10), 2 * ((i / 100) | 0)], types = ['dynamic', 'static', 'kinematic'];
    const def = (i) => ({ position: place(i), velocity: i % 3 === 1 ? [0, 0, 0] : [i, 0, 1], spin: [0, 0, 0], radius: 0.1 + 0.01 * (i % 5), mass: 1 + i, restitution: 0.5, rotation: [0, 1, 0, 0],
        type: types[i % 3], category: 1 + i, sensor: i % 7 === 0, userData: 2 ** 40 + i, group: 3 });
    const [one, many] = [kugel.createWorld(), kugel.createWorld()], defs = Array.from({ length: count }, (_, i) => def(i)), column = (name) => defs.flatMap((d) => d[name]);
    const handles = defs.map((d) => one.createBody(d));
    const made = many.createBodies(Float64Array.from(column('position')), { velocity: column('velocity'), radius: Float64Array.from(column('radius')), mass: column('mass'), restitution: 0.5,
        rotation: [0, 1, 0, 0], type: column('type'), category: Uint32Array.from(column('category')), sensor: column('sensor'), userData: column('userData'), group: 3 });
    assert.deepEqual([[...made], many.save(), many.readStates()], [handles, one.save(), one.readStates()]);
    assert.deepEqual([...many.createBodies([])], []);
    assert.equal(many.createBodies([0, 0, 90], { velocity: [1, 2, 3], radius: [2] }).length, 1);
    assert.deepEqual([...many.createBodies(many.read().position.map((x) => x + 200))].length, count + 1); // a view of the engine's memory
    const before = many.bodyCount, two = [500, 0, 0, 510, 0, 0];
    for (const [wrong, argument] of [[{ radius: [1, 2, 3] }, 'radius'], [{ velocity: [1, 2] }, 'velocity'], [{ radius: [1, '2'] }, 'radius'], [{ type: ['dynamic', 'soft'] }, 'type'],
        [{ mask: [1, -1] }, 'mask'], [{ userData: [1, 0.5] }, 'userData'], [{ colour: 1 }, 'colour'], [{ position: [0, 0, 0] }, 'def.position'], [null, 'def'], [{ sensor: [true] }, 'sensor']]) {
        refused(() => many.createBodies(two, wrong), argument);
    }
    for (const wrong of [null, [1, 2], 'abc', [1, 2, '3']]) refused(() => many.createBodies(wrong), 'position');
    assert.throws(() => many.createBodies(two, { radius: [1, 2, 3] }), /^KugelError: radius: takes 1 values, or 1 for each of 2 bodies, not 3$/);
    assert.equal(many.bodyCount, before);
    refused(() => many.createBodies(two, { radius: [1, -2] }), 'def.radius');
    assert.throws(() => many.createBodies(two, { radius: [1, -2] }), /row 1: def.radius/);
    assert.equal(many.bodyCount, before + 2, 'the bodies before the refused one exist');
    one.destroy(), many.destroy();
});

test('handles and states survive JSON', () => {
    const world = rain(20), through = (value) => JSON.parse(JSON.stringify(value));
    for (let k = 0; k < 50; ++k) world.destroyBody(world.createBody({ position: [0, 0, 90] }));
    const ball = world.createBody({ position: [0, 0, 90], userData: 2 ** 53 - 1 });
    for (let t = 0; t < 60; ++t) world.step(1 / 60);
    const game = { player: ball, all: [...world.readArrays('bodies').bodies], state: world.getBody(ball), def: world.getDef(), impacts: [...world.impactEvents()], moves: [...world.moves()], surfaces: world.surfaces() };
    const read = through(game);
    assert.deepEqual([read.player, read.all, read.state, read.moves], [ball, game.all, game.state, game.moves]);
    assert.deepEqual(world.getBody(read.player), game.state);
    assert.equal(read.state.userData, 2 ** 53 - 1);
    world.applyImpulse(read.player, [1, 0, 0]);
    assert.deepEqual([bodyId(ball), world.body(bodyId(ball)), Number.isSafeInteger(ball)], [21, ball, true]);
    const [other] = world.createBodies([0, 0, 95]);
    world.destroyBody(ball);
    const next = world.createBody({ position: [0, 0, 90] });
    assert.ok(bodyId(next) === bodyId(ball) && next !== ball && other !== next && !world.isValid(ball));
    refused(() => world.getBody(read.player), 'body', 'stale_handle');
    const message = `bodies: row 0: ${read.player} is not a live body of this world`; // the handle as it is here
    assert.throws(() => world.writeArrays([read.player], { position: [0, 0, 0] }), { message });
    assert.throws(() => world.getBody(1.5), /^KugelError: body: is no handle: 1.5$/);
    assert.throws(() => bodyId(5n), /^KugelError: body: is no handle: 5n$/);
    kugel.createWorld(read.def).destroy();
    world.destroy();
});

test('a pair filter without a result lets the bodies interact; others than true and false are refused', () => {
    const meet = (decide) => {
        const world = kugel.createWorld(), left = world.createBody({ position: [-2, 0, 0], velocity: [2, 0, 0] });
        world.createBody();
        if (decide) world.setPairFilter(decide);
        try {
            world.step(1);
            return world.getVelocity(left)[0];
        } finally {
            world.destroy();
        }
    };
    assert.deepEqual([meet(null), meet(() => {}), meet(() => undefined), meet(() => true), meet(() => false), meet((pair) => { pair.restitution = 1; })], [1, 1, 1, 1, 2, 0]);
    for (const wrong of [() => null, () => 1, () => 'no', async () => true]) refused(() => meet(wrong), 'decide');
    assert.throws(() => meet(() => 0), /^KugelError: decide: must return true, false or nothing, not 0$/);
});

test('a world and a player end with their block', () => {
    const world = rain(5);
    world.startRecording();
    world.step(1 / 60);
    const player = kugel.openPlayer(world.stopRecording());
    player[Symbol.dispose](), player[Symbol.dispose](), world[Symbol.dispose]();
    refused(() => player.step(), 'player', 'state');
    refused(() => world.step(1), 'world', 'state');
});

test('worlds and players that are not used are freed', async () => {
    const { setFlagsFromString } = await import('node:v8'), { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc'), engine = await load(), small = engine.createWorld(), memory = () => small.read().position.buffer.byteLength;
    const turn = () => new Promise((done) => setTimeout(done));
    function use() { // about 10 MB in the engine's memory
        const world = engine.createWorld();
        world.createBodies(new Float64Array(3 * 10000).map((_, k) => 2 * k), { type: 'static' });
        world.setPairFilter(() => true);
        world.startRecording();
        world.step(1 / 60);
        world.read(), world.readArrays(), world.clone();
        engine.openPlayer(world.stopRecording()).verify; // not played
    }
    let most = 0;
    for (let k = 0; k < 30; ++k) {
        use();
        await turn(), collect(), await turn();
        if (k === 9) most = memory();
    }
    assert.ok(memory() <= most, `${memory()} bytes, after ten rounds ${most}`);
    small.destroy();
});
