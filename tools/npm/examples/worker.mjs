// A worker that steps a world at a fixed tick and posts the positions, in a browser and under node. The page stays responsive
// while it steps, and draws with the last positions. In: { bodies, ticks }. Out: { tick, positions } after each tick, then
// { hash }.
import { load } from 'kugel';

const port = globalThis.WorkerGlobalScope ? self : (await import('node:worker_threads')).parentPort;
const kugel = await load();

function pile(bodies) {
    const world = kugel.createWorld({ gravity: [0, 0, -9.81] });
    world.addPlane({ normal: [0, 0, 1], friction: 0.5 });
    for (let i = 0; i < bodies; ++i) world.createBody({ position: [(i % 5) + 0.01 * (i % 7), ((i / 5) | 0) % 5, 1 + 1.1 * ((i / 25) | 0)], radius: 0.5 });
    return world;
}

function run({ bodies, ticks }) {
    const world = pile(bodies);
    for (let tick = 1; tick <= ticks; ++tick) {
        world.step(1 / 60);
        const positions = Float32Array.from(world.read().position); // a copy: it moves to the other side
        port.postMessage({ tick, positions }, [positions.buffer]);
    }
    port.postMessage({ hash: world.hash() });
    world.destroy();
}

if (port.on) port.once('message', run);
else port.addEventListener('message', (event) => run(event.data), { once: true });
port.postMessage({ ready: true });
