// Scenes of the benchmark, and measurements of their states. In: numbers of bodies. Out: arrays in SI units with 3 values a
// body; depths are overlaps in radii.

const RADIUS = 0.5;

// A generator of numbers in [0, 1) with this seed: mulberry32.
function randomOf(seed) {
    let state = seed;
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let x = Math.imul(state ^ (state >>> 15), 1 | state);
        x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
        return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
    };
}

const gauss = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

// A jittered lattice, a cell of `step` m for each body.
function lattice(count, step, jitter, random) {
    const side = Math.ceil(Math.cbrt(count));
    return Float64Array.from({ length: 3 * count }, (_, i) => {
        const body = Math.floor(i / 3), at = [body % side, Math.floor(body / side) % side, Math.floor(body / side / side)][i % 3];
        return (at + 0.5) * step + (random() - 0.5) * jitter;
    });
}

// Balls fall into an open box.
export function pile(count) {
    const random = randomOf(1), width = 1.1 * Math.ceil(Math.cbrt(count));
    return { name: 'pile', count, radii: new Float64Array(count).fill(RADIUS), position: lattice(count, 1.1, 0.04, random),
        velocity: new Float64Array(3 * count), box: [width, width, 1e4], gravity: -9.81, restitution: 0, friction: 0.5, fixed: 0, ccd: false };
}

// Hard spheres in a closed box, a tenth of its volume; without losses.
export function gas(count) {
    const random = randomOf(2), step = Math.cbrt(Math.PI / 6 / 0.1), width = step * Math.ceil(Math.cbrt(count));
    return { name: 'gas', count, radii: new Float64Array(count).fill(RADIUS), position: lattice(count, step, 0.9 * (step - 1), random),
        velocity: Float64Array.from({ length: 3 * count }, () => 5 * gauss(random)), box: [width, width, width], gravity: 0, restitution: 1,
        friction: 0, fixed: 0, ccd: false };
}

// Small fast spheres into a lattice of fixed ones, whose first hits are known. Grazing shots are left out.
export function bullets(count, speed) {
    const random = randomOf(3), targets = 1000, side = 10, gap = 1.5, width = gap * (side - 1), first = [];
    const places = Array.from({ length: targets }, (_, i) => [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)].map((k) => k * gap));
    const position = [], velocity = [];
    while (first.length < count) {
        const way = [0, 1, 2].map(() => gauss(random)), norm = Math.hypot(...way);
        const from = way.map((x) => x / norm * 1.3 * Math.sqrt(3) * (width / 2 + 1) + width / 2), aim = from.map(() => width * random());
        const far = Math.hypot(...aim.map((x, k) => x - from[k])), direction = aim.map((x, k) => (x - from[k]) / far);
        const hit = firstHit(from, direction, places, RADIUS + 0.05);
        if (hit === undefined) continue;
        first.push(hit);
        position.push(...from);
        velocity.push(...direction.map((x) => x * speed));
    }
    const radii = new Float64Array(targets + count).fill(RADIUS);
    return { name: 'bullets', count: targets + count, radii: radii.fill(0.05, targets), position: Float64Array.from([...places.flat(), ...position]),
        velocity: Float64Array.from([...new Float64Array(3 * targets), ...velocity]), box: null, gravity: 0, restitution: 0, friction: 0.5,
        fixed: targets, ccd: true, first };
}

// The first place that a point on a line comes nearer to than `reach`; undefined without one, or if grazing within 1e-3.
function firstHit(from, direction, places, reach) {
    let best, least = Infinity;
    for (const [index, place] of places.entries()) {
        const d = place.map((x, k) => x - from[k]), along = d.reduce((sum, x, k) => sum + x * direction[k], 0);
        const aside = Math.sqrt(Math.max(d.reduce((sum, x) => sum + x * x, 0) - along * along, 0));
        if (along < 0 || aside > reach + 1e-3) continue;
        if (aside > reach - 1e-3) return undefined;
        const time = along - Math.sqrt(reach * reach - aside * aside);
        if (time < least) [best, least] = [index, time];
    }
    return best;
}

// Kinetic and potential energy of bodies with a mass of 1.
export function energyOf(scene, position, velocity) {
    let energy = 0;
    for (let i = 3 * scene.fixed; i < velocity.length; ++i) energy += velocity[i] * velocity[i] / 2;
    for (let i = 3 * scene.fixed + 2; i < position.length; i += 3) energy -= scene.gravity * position[i];
    return energy;
}

// Overlaps of equal spheres by a grid of cells of their diameter; centres beyond the walls.
export function overlapsOf(scene, position) {
    const cells = new Map(), cellOf = (i) => [0, 1, 2].map((k) => Math.floor(position[3 * i + k]));
    const key = ([x, y, z]) => (x * 73856093) ^ (y * 19349663) ^ (z * 83492791);
    let worst = 0, escaped = 0;
    for (let i = 0; i < scene.count; ++i) {
        const at = cellOf(i);
        if ([0, 1, 2].some((k) => !(position[3 * i + k] >= 0 && position[3 * i + k] <= scene.box[k]))) escaped += 1;
        const found = new Set();
        for (let n = 0; n < 27; ++n) {
            for (const j of cells.get(key([at[0] + n % 3 - 1, at[1] + Math.floor(n / 3) % 3 - 1, at[2] + Math.floor(n / 9) - 1])) ?? []) found.add(j);
        }
        for (const j of found) {
            const far = Math.hypot(...[0, 1, 2].map((k) => position[3 * i + k] - position[3 * j + k])), depth = (2 * RADIUS - far) / RADIUS;
            worst = Math.max(worst, depth);
        }
        const own = key(at);
        if (cells.has(own)) cells.get(own).push(i);
        else cells.set(own, [i]);
    }
    return { worst, escaped };
}
