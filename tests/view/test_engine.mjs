// The engine as WebAssembly, extracted from pages: every tick has the hash that the native program recorded,
// also after seeking, and its numbers equal the native ones bit for bit.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEngine, PLAY_END, PLAY_TICK, ROW } from '../../tools/view/page/engine.mjs';
import { makeRun } from '../../tools/view/page/run.mjs';
import { build, bytesIn, engineIn, fileFor, makePage } from './support.mjs';

const open = (made) => openEngine(engineIn(made.page), bytesIn(made.page, 'recording'));

test('the module imports nothing', () => {
    const { page } = makePage('cradle', '--ticks', '1');
    assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(engineIn(page))), []);
});

// contacts and spin, exact impacts, periodic faces, ellipsoids
for (const [sample, ticks] of [['billiard-break', 200], ['gas', 40], ['shear', 100], ['falling-lattice', 120], ['shields', 60]]) {
    test(`${sample}: every tick has the native hash`, async () => {
        const made = makePage(sample, '--ticks', `${ticks}`), engine = await open(made);
        assert.equal(engine.ticks, ticks);
        assert.equal(engine.epoch, engine.ownEpoch);
        for (let t = 1; t <= ticks; ++t) {
            assert.equal(engine.seek(t), PLAY_TICK);
            assert.equal(engine.hash(), engine.recordedHash(t), `tick ${t}`);
        }
        const numbers = engine.numbers();
        assert.equal(`0x${engine.hash().toString(16).padStart(16, '0')}`, made.printed.hash[0]);
        assert.equal(numbers.bodies, +made.printed.bodies[0]);
        assert.equal(numbers.impactsTotal, +made.printed.impacts[0]);
        assert.equal(numbers.kinetic + numbers.potential, +made.printed.energy[1]);
        for (const t of [ticks - 1, 3, Math.floor(ticks / 2), 1]) {
            engine.seek(t);
            assert.equal(engine.hash(), engine.recordedHash(t), `back at tick ${t}`);
        }
        assert.equal(engine.seek(ticks + 1), PLAY_END);
    });
}

test('surfaces are in the places that are shown', async () => {
    const made = makePage('drum', '--ticks', '30'), engine = await open(made);
    for (let t = 1; t <= 30; ++t) {
        engine.seek(t);
        assert.equal(engine.hash(), engine.recordedHash(t), `tick ${t}`);
    }
    const [drum] = engine.surfaces(), half = 0.25; // half the angle after 30 ticks of 1/60 s with 1 rad/s
    assert.equal(engine.surfaces().length, 1);
    [0, Math.sin(half), 0, Math.cos(half)].forEach((x, k) => assert.ok(Math.abs(drum.rotation[k] - x) < 1e-12));
    assert.deepEqual([drum.position, drum.triangles], [[0, 0, 0], 160]);
    const corners = engine.surfaceCorners(0, 160);
    for (let i = 0; i < corners.length; i += 3) {
        const radius = Math.hypot(corners[i], corners[i + 2]); // floats of numbers up to 2
        assert.ok(Math.abs(Math.abs(corners[i + 1]) - 0.5) < 1e-6 && (radius < 1e-6 || Math.abs(radius - 2) < 1e-6));
    }
});

test('rows, bodies, picks and beams are of the state that is shown', async () => {
    const made = makePage('billiard-break', '--ticks', '60'), engine = await open(made);
    engine.seek(30);
    engine.setOrigin(1, 2, 3);
    engine.read();
    const rows = engine.rows().slice(); // queries may grow the memory, which ends the view
    assert.equal(rows.length, ROW * +made.printed.bodies[0]);
    for (let i = 0; i < rows.length; i += ROW) {
        const body = engine.body(rows[i + 9]), reach = body.radius * 20;
        // a difference as a float: relative error 2^-24
        [1, 2, 3].forEach((from, k) => assert.ok(Math.abs(rows[i + k] - (body.position[k] - from)) <= 1e-6 * reach));
        assert.ok(Math.abs(rows[i + 8] - Math.hypot(...body.velocity)) <= 1e-6 * rows[i + 8]);
        // straight down from just above a body: no other surface can be nearer
        const above = [body.position[0], body.position[1], body.position[2] + body.radius * 1.001];
        assert.equal(engine.pick(above, [0, 0, -1]), rows[i + 9]);
        const met = engine.beam(above, [0, 0, -1], 10);
        assert.deepEqual([met.kind, met.index], [1, rows[i + 9]]);
        assert.ok(Math.abs(met.enter - body.radius * 0.001) < 1e-12 * 10); // m, rounding of positions of some metres
    }
    assert.equal(engine.pick([0, 0, 1e6], [0, 0, 1]), -1);
    assert.equal(engine.body(999999), null);
});

test('a beam meets ellipsoids where the native run says', async () => {
    const made = makePage('shields', '--ticks', '1'), engine = await open(made);
    const scene = JSON.parse(engine.annotation);
    engine.seek(0);
    scene.ellipsoids.forEach((e) => engine.addEllipsoid(e));
    const [port] = scene.ellipsoids;
    const met = engine.beam([port.center[0], -9.9, 9.9], [0, 0, -1], 100);
    assert.equal(met.kind, 0);
    const down = engine.beam([port.center[0], 0, 2.001], [0, 0, -1], 1);
    assert.deepEqual([down.kind, down.index], [3, 0]);
    assert.ok(Math.abs(down.point[2] - port.semi_axes[2]) < 1e-12);
});

// The states that the worker sends on its way to each of `ticks`.
async function statesOf(recording, ticks) {
    const { page } = makePage('cradle', '--ticks', '1'), base64 = (bytes) => Buffer.from(bytes).toString('base64');
    const states = [], channels = [], { MessageChannel } = globalThis;
    let arrived;
    globalThis.MessageChannel = function Kept() {
        channels.push(new MessageChannel());
        return channels.at(-1);
    };
    try {
        const run = makeRun((message) => {
            if (message.shown) states.push(message);
            if (message.error || message.shown) arrived(message.error);
        });
        const next = (go) => new Promise((resolve, reject) => {
            arrived = (error) => (error ? reject(new Error(error)) : resolve());
            go();
        });
        await next(() => run.open(base64(bytesIn(page, 'engine')), base64(recording)));
        for (const tick of ticks) {
            run.goTo(tick);
            while (states.at(-1).tick !== tick) await next(run.next);
        }
    } finally {
        globalThis.MessageChannel = MessageChannel;
        channels.forEach(({ port1 }) => port1.close()); // else this program would not end
    }
    return states;
}

test('meshes and planes are those of the state, and beams meet surfaces as in the native run', async () => {
    const kugel = await (await import(join(build, 'tools/npm/node.mjs'))).load(), world = kugel.createWorld();
    world.createBody({ position: [0, 0, 50] });
    const beams = [{ tick: 2, origin: [0, 0, 20], direction: [0, 0, -1] }];
    world.startRecording({ annotation: JSON.stringify({ format: 'kugel-scene', beams }) });
    const small = world.createSurface(kugel.shapes.box({ half: [1, 1, 1] }));
    world.step(1 / 60), world.step(1 / 60);
    world.destroySurface(small);
    const { surfaceIndex } = await import(join(build, 'tools/npm/index.mjs'));
    assert.equal(surfaceIndex(world.createSurface(kugel.shapes.box({ half: [5, 5, 5] }))), surfaceIndex(small)); // as many triangles
    world.createPlane({ normal: [0, 0, 1], offset: -9 });
    world.step(1 / 60), world.step(1 / 60);
    const states = await statesOf(world.stopRecording(), [1, 2, 3, 4, 2]), sizes = [], planes = [];
    for (const { surfaces: [surface], planes: found } of states) {
        sizes.push(surface.corners ? Math.max(...surface.corners) : 'as before');
        planes.push(found.length);
    }
    assert.deepEqual(sizes, [1, 'as before', 'as before', 5, 'as before', 1]);
    assert.deepEqual(planes, [0, 0, 0, 1, 1, 0]);
    const [beam] = states.flatMap(({ notes }) => notes.flatMap((note) => note.beams));
    assert.deepEqual([beam.tick, beam.hit, beam.from[2] - beam.to[2]], [2, true, 19]);
});

test('each tick that says "same" was run, also where a recorded snapshot could be restored', async () => {
    const kugel = await (await import(join(build, 'tools/npm/node.mjs'))).load(), world = kugel.createWorld();
    world.createBody({ velocity: [1, 0, 0] });
    world.startRecording({ keyframeTicks: 4 });
    for (let t = 0; t < 40; ++t) world.step(1 / 60);
    const recording = world.stopRecording(), steps = [], { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...given) => {
        const { instance } = await instantiate(...given), { view_step: step } = instance.exports;
        return { instance: { exports: { ...instance.exports, view_step: () => steps.push(1) && step() } } };
    };
    try {
        const noted = (await statesOf(recording, [3, 4, 5, 8, 30, 7])).flatMap(({ notes }) => notes).filter(({ tick }) => tick > 0);
        assert.ok(noted.every(({ same }) => same) && noted.length === steps.length && noted.length >= 8);
        assert.deepEqual(noted.slice(0, 5).map(({ tick }) => tick), [1, 2, 3, 4, 5]);
    } finally {
        WebAssembly.instantiate = instantiate;
    }
});

test('kugel-run --view writes the same page as recording first', async () => {
    const { page } = makePage('cradle', '--ticks', '30'), direct = fileFor('direct.html');
    execFileSync(join(build, 'samples/kugel-run'), ['cradle', '--ticks', '30', '--view', direct]);
    assert.deepEqual(bytesIn(direct, 'recording'), bytesIn(page, 'recording'));
    assert.match(readFileSync(direct, 'utf8'), /<template id="name">cradle<\/template>/);
});

test('a name stays text in the page', () => {
    const { recording } = makePage('cradle', '--ticks', '2'), odd = fileFor('a<b>&.kugel'), page = fileFor('odd.html');
    copyFileSync(recording, odd);
    execFileSync(join(build, 'tools/replay/kugel-replay'), ['view', odd, '-o', page]);
    assert.match(readFileSync(page, 'utf8'), /<template id="name">a&lt;b&gt;&amp;.kugel<\/template>/);
});

test('what is no recording is refused with a reason', async () => {
    const { page } = makePage('cradle', '--ticks', '2'), recording = bytesIn(page, 'recording');
    await assert.rejects(openEngine(engineIn(page), recording.slice(5)), /cannot be opened: .+/);
    await assert.rejects(openEngine(engineIn(page), new Uint8Array(0)), /cannot be opened: .+/);
});
