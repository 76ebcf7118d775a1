// The JavaScript package: same hashes as the native program, arrays without copies, errors that name the
// argument, snapshots.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const build = process.env.KUGEL_BUILD, source = process.env.KUGEL_SOURCE;
const { KugelError, load, ...others } = await import(join(build, 'tools/npm/node.mjs'));
const { STATUSES } = await import(join(build, 'tools/npm/values.mjs'));
const kugel = await load();

// A scene with listed bodies only, built through the package: camelCase here, snake_case in the scene.
const camel = (object) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key.replace(/_(.)/g, (_, c) => c.toUpperCase()), value]));
function worldOf(scene) {
    const { format, version, dt, ticks, planes = [], defaults = {}, bodies, ...rest } = scene;
    const world = kugel.createWorld(camel(rest));
    // planes of a scene are of all categories
    planes.forEach((plane) => world.createPlane({ category: 0xffffffff, ...plane }));
    bodies.forEach((body) => world.createBody(camel({ ...defaults, ...body })));
    return world;
}

for (const sample of ['cradle', 'bouncing-balls', 'stacked-balls', 'counting-pi']) {
    test(`${sample}: the native hash`, () => {
        const scene = JSON.parse(readFileSync(join(source, `samples/scenes/${sample}.json`), 'utf8')), ticks = Math.min(scene.ticks, 200);
        const printed = execFileSync(join(build, 'samples/kugel-run'), [sample, '--quiet', '--ticks', `${ticks}`], { encoding: 'utf8' });
        const world = worldOf(scene);
        for (let t = 0; t < ticks; ++t) world.step(scene.dt);
        assert.equal(`0x${world.hash().toString(16).padStart(16, '0')}`, printed.match(/hash (\S+)/)[1]);
        assert.equal(world.stats().impactsTotal, +printed.match(/impacts (\d+)/)[1]);
        assert.equal(world.tick, ticks);
        world.destroy();
    });
}

test('bodies of a game: properties, sleep, pushes at points, targets, contacts', () => {
    const world = kugel.createWorld({ gravity: [0, 0, -10] });
    world.createPlane({ normal: [0, 0, 1], friction: 0.5 });
    const ball = world.createBody({ position: [0, 0, 0.5] });
    world.setMass(ball, 2), world.setMaterial(ball, 0, 0.25), world.setGravityScale(ball, 0.5);
    const { mass, friction, gravityScale } = world.getBody(ball);
    assert.deepEqual([mass, friction, gravityScale], [2, 0.25, 0.5]);
    assert.throws(() => world.setMaterial(ball, 1.5), { argument: 'restitution' });
    assert.throws(() => world.setRadius(5, 1), { argument: 'body' });
    for (let t = 0; t < 20; ++t) world.step(1 / 60);
    const { substeps, substepsLimited, restingContacts } = world.stats();
    assert.ok(substeps >= 1 && substepsLimited === 0 && restingContacts === 1);
    const [contact] = world.contacts(ball);
    assert.deepEqual([contact.target, contact.index, contact.a, contact.b, contact.normal[2]], ['surface', 0, ball, 0, -1]);
    assert.ok(Math.abs(contact.force - 10) < 0.1); // half of its weight, within 1 %
    world.sleep(ball);
    assert.ok(world.getBody(ball).asleep);
    world.wake(ball);
    assert.ok(!world.getBody(ball).asleep);
    world.applyImpulse(ball, [0, 1, 0], [0.5, 0, 0.5]);
    assert.ok(Math.abs(world.getBody(ball).spin[2] - 0.5 / (0.4 * 2 * 0.25)) < 1e-12);
    world.setType(ball, 'kinematic');
    world.setTarget(ball, [3, 2, 1], null, 1 / 60);
    world.step(1 / 60);
    world.getBody(ball).position.forEach((x, k) => assert.ok(Math.abs(x - [3, 2, 1][k]) < 1e-12));
    world.setType(ball, 'static');
    assert.equal(world.getBody(ball).type, 'static');
    world.destroy();
});

test('bodies: what was set is read, one by one and all at once', () => {
    const world = kugel.createWorld({ gravity: [0, 0, -9.81], bounds: { min: [-9, -9, -9], max: [9, 9, 9], faces: ['wall', 'wall', 'periodic', 'periodic', 'wall', 'open'] } });
    const handles = [];
    for (let i = 0; i < 50; ++i) handles.push(world.createBody({ position: [i % 5, (i / 5) | 0, 2], velocity: [i, 0, 1], radius: 0.3, type: i ? 'dynamic' : 'static', ...(i ? {} : { velocity: [0, 0, 0] }) }));
    world.destroyBody(handles[7]);
    const { count, ids, position, velocity } = world.read();
    assert.equal(count, 49);
    assert.deepEqual(Array.from(ids), [...Array(50).keys()].filter((i) => i !== 7));
    ids.forEach((id, row) => {
        const body = world.getBody(handles[id]);
        assert.deepEqual(Array.from(position.subarray(3 * row, 3 * row + 3)), body.position);
        assert.deepEqual(Array.from(velocity.subarray(3 * row, 3 * row + 3)), body.velocity);
        assert.equal(body.type, id ? 'dynamic' : 'static');
        assert.equal(body.mask, 0xffffffff);
    });
    assert.throws(() => world.getBody(handles[7]), { argument: 'body' });
    world.applyImpulse(handles[9], [0, 2, 0]);
    assert.deepEqual(world.getBody(handles[9]).velocity, [9, 2, 1]);
    world.setPosition(handles[9], [1, 2, 3]);
    assert.deepEqual(world.getBody(handles[9]).position, [1, 2, 3]);
    const hit = world.rayClosest([1, 2, 8], [0, 0, -1]);
    assert.deepEqual([hit.body, hit.tEnter], [handles[9], 8 - 3.3]);
    assert.equal(world.rayClosest([-8, -8, 8], [0, 0, -1], 1), null);
    world.createPlane({ normal: [0, 0, 1], offset: -5 });
    const below = world.rayClosest([-80, -80, 8], [0, 0, -1]);
    assert.deepEqual([below.target, below.index, below.body, below.tEnter, below.normal], ['surface', 0, 0, 13, [0, 0, 1]]);
    assert.equal(world.rayClosest([-80, -80, 8], [0, 0, -1], 99, { targets: ['bodies'] }), null);
    assert.throws(() => world.rayClosest([0, 0, 0], [1, 0, 0], 1, { targets: ['floor'] }), (e) => e instanceof KugelError && e.argument === 'targets');
    world.destroy();
});

test('a snapshot goes back, in the same world and in another', () => {
    const make = () => kugel.createWorld({ gravity: [0, 0, -9.81] }), world = make();
    world.createPlane({ normal: [0, 0, 1], friction: 0.5 });
    for (let i = 0; i < 20; ++i) world.createBody({ position: [0.1 * i, 0, 1 + 1.1 * i] });
    const run = (w) => {
        for (let t = 0; t < 60; ++t) w.step(1 / 60);
        return w.hash();
    };
    run(world);
    const bytes = world.save(), hash = run(world), other = make();
    world.restore(bytes);
    assert.equal(run(world), hash);
    other.restore(bytes);
    assert.equal(run(other), hash);
    assert.throws(() => world.restore(bytes.slice(1)), KugelError);
    assert.equal(world.hash(), hash, 'a refused call changes nothing');
});

test('mistakes are named', () => {
    const world = kugel.createWorld();
    const refused = (what, argument) => assert.throws(what, (e) => e instanceof KugelError && e.argument.includes(argument) && e.message.length > argument.length, argument);
    refused(() => kugel.createWorld({ substeps: -1 }), 'substeps');
    refused(() => kugel.createWorld({ substeps: 2.5 }), 'substeps');
    refused(() => kugel.createWorld({ gravty: [0, 0, 0] }), 'gravty');
    refused(() => kugel.createWorld({ bounds: { faces: ['wall', 'wall', 'open', 'open', 'open', 'soft'] } }), 'faces');
    refused(() => world.createBody({ radius: -1 }), 'radius');
    refused(() => world.createBody({ position: [1, 2] }), 'position');
    refused(() => world.createBody({ position: [1, NaN, 2] }), 'position');
    refused(() => world.createBody({ radius: '1' }), 'radius');
    refused(() => world.createBody({ mask: -1 }), 'mask');
    refused(() => world.createBody({ type: 'soft' }), 'type');
    refused(() => world.step(0), 'dt');
    refused(() => world.step(NaN), 'dt');
    refused(() => world.createPlane({ normal: [0, 0, 0] }), 'normal');
    refused(() => world.setVelocity(99, [0, 0, 0]), 'body');
    refused(() => world.destroyBody(99), 'body');
    const body = world.createBody();
    refused(() => world.setVelocity(body, [1, 2]), 'velocity');
    refused(() => world.setVelocity(body, [1, 2, NaN]), 'velocity');
    refused(() => world.setGravity([1, '2', 3]), 'gravity');
    refused(() => world.rayClosest([0, 0, 0], [1, 0]), 'direction');
    for (const given of [null, 3]) {
        refused(() => world.startRecording(given), 'def');
        refused(() => world.save(given), 'def');
        refused(() => kugel.shapes.box(given), 'shape');
    }
    refused(() => world.startRecording({ state: false }), 'state');
    refused(() => world.save({ mesh: false }), 'mesh');
    refused(() => world.setFilter(body, { masks: 1 }), 'masks');
    for (const given of [new Map([['radius', 2]]), [], new Float64Array(3)]) refused(() => world.createBody(given), 'def');
    for (const given of [null, undefined, '1234567', {}, 5, [[1, 2, 3]], ['1', 0, 0], new BigInt64Array(7), new DataView(new ArrayBuffer(56))]) {
        refused(() => world.raysClosest(given, [1, 0, 0]), 'origins');
        refused(() => world.interpolatePositions(given, [0, 0, 0], 0), 'from');
        refused(() => world.interpolatePositions([0, 0, 0], given, 0), 'to');
    }
    assert.deepEqual([...world.interpolatePositions(new Set([0, 1, 2]), { length: 3, 0: 2, 1: 1, 2: 2 }, 0.5)], [1, 1, 2]);
    refused(() => world.createBody({ userData: 5n }), 'userData');
    world.destroyBody(body);
    assert.deepEqual([world.bodyCount, world.read().count], [0, 0]);
    world.destroy();
    refused(() => world.step(1 / 60), 'world');
});

test('load takes a module, a response, an address, bytes, and promises of them', async () => {
    const file = join(build, 'tools/npm/kugel.wasm'), bytes = readFileSync(file), module = new WebAssembly.Module(bytes);
    const response = (type, body = bytes, status = 200) => new Response(body, { status, headers: { 'content-type': type } });
    const address = new URL(`data:application/wasm;base64,${bytes.toString('base64')}`);
    const sources = [module, module, response('application/wasm'), response('application/octet-stream'), address, pathToFileURL(file), bytes, new Uint8Array(bytes).buffer];
    for (const given of [...sources, fetch(address), WebAssembly.compile(bytes)]) {
        const { version, createWorld } = await load(given), world = createWorld();
        assert.equal(version, kugel.version);
        world.destroy();
    }
    for (const wrong of [null, 5, {}, 'kugel.wasm', response('text/html'), response('application/wasm', bytes, 404)]) {
        await assert.rejects(load(wrong), (error) => error instanceof KugelError && error.argument === 'source');
    }
    await assert.rejects(load(bytes.subarray(1)), WebAssembly.CompileError);
    await assert.rejects(load(pathToFileURL(join(build, 'no.wasm'))), { code: 'ENOENT' });
});

test('the examples of the README run, as one program', () => {
    const blocks = [...readFileSync(join(build, 'tools/npm/README.md'), 'utf8').matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code);
    const run = blocks.join('').replace("'kugel'", JSON.stringify(join(build, 'tools/npm/node.mjs')));
    const text = execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', run], { encoding: 'utf8' });
    assert.equal(blocks.length, 5);
    assert.equal(text, 'z = 0.5000 m\n1 3\ntrue\n1000 1000 1000\n0 other bodies\nnull\n');
});

test('the types name what there is', () => {
    const text = readFileSync(join(build, 'tools/npm/index.d.ts'), 'utf8'), world = kugel.createWorld({ bounds: {} });
    const body = world.createBody({ position: [0, 0, 2] });
    const membersOf = (type) => {
        const [, base, members] = text.match(new RegExp(`export (?:interface|class) ${type}\\b(?: extends (Met))?[^{]*\\{([^]*?)\\s\\}`));
        return base ? membersOf(base) + members : members;
    };
    const same = (type, there) => {
        const declared = membersOf(type).replace(/\/\*[^]*?\*\/|<[^<>()]*>(?=\()|\([^()]*\)(?=:)/g, '').match(/(?<=^|\s|; )(?:readonly )?\w+(?=\??:)/g).map((name) => name.split(' ').pop());
        assert.deepEqual(declared.sort(), there.filter((name) => name !== 'constructor').sort(), type);
    };
    same('World', Object.getOwnPropertyNames(Object.getPrototypeOf(world)));
    same('Kugel', Object.keys(kugel));
    same('BodyState', Object.keys(world.getBody(body)));
    same('Stats', Object.keys(world.stats()));
    same('Energy', Object.keys(world.energy()));
    same('Bodies', Object.keys(world.read()));
    same('BodyArrays', Object.keys(world.readArrays()));
    same('RayHit', Object.keys(world.rayClosest([0, 0, 0], [0, 0, 1])));
    same('CastHit', Object.keys(world.castClosest([0, 0, 0], [0, 0, 1], 1)));
    same('Found', Object.keys(world.nearest([0, 0, 0])[0]));
    world.createSurface({ vertices: [90, 0, 0, 91, 0, 0, 90, 1, 0], triangles: [0, 1, 2] });
    const [surface] = world.surfaces();
    same('Surface', Object.keys(surface));
    same('SurfaceInfo', Object.keys(surface.info));
    const other = world.createBody({ position: [0, 0, 3.5], velocity: [0, 0, -2], restitution: 1 });
    world.step(1);
    const lists = { Impact: world.impactEvents(), Move: world.moves(), SurfaceMove: world.surfaceMoves(), Touch: world.beginEvents(), Rest: world.sleepEvents(), SensorEvent: world.sensorEvents(), RestingContact: world.contacts() };
    Object.entries(lists).forEach(([type, list]) => same(type, Object.keys(Object.getPrototypeOf(list))));
    same('RayHit', Object.keys(Object.getPrototypeOf(world.raysClosest([], []))).filter((name) => name !== 'hit'));
    for (const list of [world.impactEvents(), world.moves(), world.surfaceMoves(), world.contacts()]) for (const row of list) assert.deepEqual(Object.keys(row), Object.keys(Object.getPrototypeOf(list)));
    world.startRecording();
    world.setVelocity(other, [0, 0, 0]);
    world.step(1);
    const player = kugel.openPlayer(world.stopRecording());
    same('Player', [...Object.getOwnPropertyNames(Object.getPrototypeOf(player)), ...Object.keys(player)]);
    same('RecordingInfo', Object.keys(player.info));
    player.close();
    const statuses = [...readFileSync(join(source, 'include/kugel/status.h'), 'utf8').matchAll(/KUGEL_(?:ERROR_)?(\w+) = \d/g)].map(([, word]) => word.toLowerCase());
    assert.deepEqual([STATUSES, text.match(/type Status = (.*);/)[1].match(/\w+/g)], [statuses, statuses]);
    const exported = text.match(/(?<=^export (?:class|function|const) )\w+/gm);
    assert.deepEqual(exported.sort(), ['KugelError', 'load', ...Object.keys(others)].sort());
    assert.deepEqual(Object.keys(new KugelError('a', 'b')).sort(), ['argument', 'name', 'status']);
    world.destroy();
    const { name, version, files } = JSON.parse(readFileSync(join(build, 'tools/npm/package.json'), 'utf8'));
    assert.deepEqual([name, version], ['kugel', kugel.version]);
    const size = readFileSync(join(build, 'tools/npm/kugel.wasm')).length / 1000, said = +readFileSync(join(build, 'tools/npm/README.md'), 'utf8').match(/module of (\d+) KB/)[1];
    assert.ok(Math.abs(said - size) < 0.2 * size, `the README says ${said} KB, the module has ${size}`);
    files.filter((file) => !file.includes('*')).forEach((file) => assert.ok(readFileSync(join(build, 'tools/npm', file)).length > 0, file));
});

test('the benchmark runs without other packages, names them, and every bullet hits what it should', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kugel-bench-'));
    try {
        const text = execFileSync(process.execPath, [join(source, 'tools/npm/bench/main.mjs'), '--kugel', join(build, 'tools/npm'), '--counts', '60', '--ticks', '12'], { cwd: folder, encoding: 'utf8' });
        for (const name of ['@dimforge/rapier3d-compat', 'jolt-physics', 'cannon-es']) assert.ok(text.includes(`Not installed, not measured: ${name}.`), text);
        for (const speed of [50, 500, 5000]) assert.ok(new RegExp(`\\| ${speed} \\| kugel \\| [\\d.]+ \\| 1\\.0 \\| 200 \\| 0 \\| 0 \\|`).test(text), text);
        const [pile, gas] = text.split('\n').filter((line) => line.startsWith('| 60 | kugel')).map((line) => line.split('|').map((cell) => parseFloat(cell.slice(1))));
        assert.ok(Math.abs(gas[5]) < 1e-12, 'a gas keeps its energy');
        assert.deepEqual([gas[7], gas[8], pile[8]], [0, 0, 0], 'no overlaps in the gas, none escaped');
    } finally {
        rmSync(folder, { recursive: true });
    }
});
