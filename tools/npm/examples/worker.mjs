// A worker that steps a world at a fixed tick and posts the positions. The page stays responsive while it steps, and draws with
// the last positions. In: { bodies, ticks }. Out: { ready }, { tick, positions } after each tick, then { hash }.
import { load } from 'kugel';

function pile(kugel, bodies) {
    const world = kugel.createWorld({ gravity: [0, 0, -9.81] });
    world.createPlane({ normal: [0, 0, 1], friction: 0.5 });
    for (let i = 0; i < bodies; ++i) world.createBody({ position: [(i % 5) + 0.01 * (i % 7), ((i / 5) | 0) % 5, 1 + 1.1 * ((i / 25) | 0)], radius: 0.5 });
    return world;
}

function run(kugel, { bodies, ticks }) {
    const world = pile(kugel, bodies);
    for (let tick = 1; tick <= ticks; ++tick) {
        world.step(1 / 60);
        const positions = Float32Array.from(world.read().position); // a copy: it moves to the other side
        self.postMessage({ tick, positions }, [positions.buffer]);
    }
    self.postMessage({ hash: world.hash() });
    world.destroy();
}

// no await outside of functions: vite's workers are classic scripts by default
load().then((kugel) => {
    self.addEventListener('message', (event) => run(kugel, event.data), { once: true });
    self.postMessage({ ready: true });
});
