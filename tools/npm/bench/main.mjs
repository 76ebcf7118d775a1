#!/usr/bin/env node
// kugel beside other engines of the npm registry, under node: pile, gas, bullets; times and quality as a Markdown page.
// usage: main.mjs [--kugel PACKAGE-FOLDER] [--only pile,gas,bullets] [--counts 1000,4000] [--ticks 240] [--without NAME,...]
// In: the packages that are installed in the current folder: npm install @dimforge/rapier3d-compat jolt-physics cannon-es.
// The default of --kugel is the installed package `kugel`. A package that is not installed is named and left out.
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { cannon, jolt, kugel, rapier } from './engines.mjs';
import { bullets, energyOf, gas, overlapsOf, pile } from './scenes.mjs';

const DT = 1 / 60, SPEEDS = [50, 500, 5000], SHOTS = 200;
const { values: given } = parseArgs({ options: { kugel: { type: 'string' }, only: { type: 'string', default: 'pile,gas,bullets' },
    counts: { type: 'string', default: '1000' }, ticks: { type: 'string', default: '240' }, without: { type: 'string', default: '' } } });
const counts = given.counts.split(',').map(Number), ticks = +given.ticks;
if (!counts.every((n) => Number.isInteger(n) && n > 0) || !(Number.isInteger(ticks) && ticks > 2)) throw new Error('--counts and --ticks take whole numbers above 0, --ticks above 2');

// Name of the package, its adapter, and how its module becomes what the adapter takes.
const PACKAGES = [
    ['kugel', kugel, async (module) => ({ ...await module.load(), bodyId: module.bodyId })],
    ['@dimforge/rapier3d-compat', rapier, async (module) => (await module.init(), module)],
    ['@dimforge/rapier3d-simd-compat', rapier, async (module) => (await module.init(), module)],
    ['jolt-physics', jolt, (module) => module.default()],
    ['cannon-es', cannon, (module) => module],
];

const require = createRequire(join(process.cwd(), 'package.json'));
async function open(name) {
    if (name === 'kugel' && given.kugel) return import(pathToFileURL(join(resolve(given.kugel), 'index.mjs')));
    const paths = require.resolve.paths(name).map((folder) => join(folder, name)), { existsSync, readFileSync } = await import('node:fs');
    const folder = paths.find((path) => existsSync(join(path, 'package.json')));
    if (!folder) return null;
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), entry = about.exports?.['.'] ?? about.exports ?? about.module ?? about.main;
    const pick = (value) => (typeof value === 'string' ? value : pick(value.import ?? value.default ?? value.node));
    return Object.assign(Object.create(await import(pathToFileURL(join(folder, pick(about.module ?? entry))))), { version: about.version });
}

async function openAll() {
    const engines = [], missing = [];
    for (const [name, adapter, prepare] of PACKAGES) {
        if (given.without.split(',').includes(name)) continue;
        const module = await open(name);
        if (module) engines.push({ name: name.replace('@dimforge/', ''), make: adapter(await prepare(module)), version: module.version });
        else missing.push(name);
    }
    return { engines, missing };
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const percent = (x) => `${(100 * x).toFixed(2)} %`;
// Prints a row with the error for an engine that fails.
const guarded = (measure, columns) => (engine, what) => {
    try {
        measure(engine, what);
    } catch (error) {
        row([what.count ?? what, engine.name, `failed: ${error.message.split('\n')[0].slice(0, 60)}`, ...Array(columns - 3).fill('')]);
    }
};
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
function table(title, text, head) {
    console.log(`\n## ${title}\n\n${text}\n`);
    row(head);
    row(head.map((_, k) => (k < 2 ? '---' : '--:')));
}

function run({ name, make }, scene) {
    const engine = make(scene), position = new Float64Array(3 * scene.count), velocity = new Float64Array(3 * scene.count), times = [];
    let worst = 0;
    engine.read(position, velocity);
    const before = energyOf(scene, position, velocity);
    for (let tick = 0; tick < ticks; ++tick) {
        const start = performance.now();
        engine.step(DT);
        times.push(performance.now() - start);
        if (tick % 10) continue;
        engine.read(position, velocity);
        worst = Math.max(worst, overlapsOf(scene, position).worst);
    }
    engine.read(position, velocity);
    const end = overlapsOf(scene, position), change = energyOf(scene, position, velocity) / before - 1, last = times.slice(-Math.ceil(ticks / 3));
    engine.free();
    row([scene.count, name, median(last).toFixed(2), Math.max(...times).toFixed(1), change.toExponential(1), percent(end.worst),
        percent(Math.max(worst, end.worst)), end.escaped]);
}

function shoot({ name, make }, speed) {
    const scene = bullets(SHOTS, speed), engine = make(scene), first = new Map(), times = [];
    const ticksOfFlight = Math.ceil(60 / speed / DT) + 2; // m, from end to end
    for (let tick = 0; tick < ticksOfFlight; ++tick) {
        const start = performance.now(), pairs = engine.step(DT);
        times.push(performance.now() - start);
        for (const [a, b] of pairs) {
            const bullet = Math.max(a, b), target = Math.min(a, b);
            if (target < scene.fixed && bullet >= scene.fixed && !first.has(bullet)) first.set(bullet, target);
        }
    }
    engine.free();
    const right = scene.first.filter((target, k) => first.get(scene.fixed + k) === target).length;
    row([speed, name, right, SHOTS - first.size, first.size - right, median(times).toFixed(2)]);
}

const { engines, missing } = await openAll();
const packages = engines.map(({ name, version }) => (version ? `${name} ${version}` : name)).join(', ');
console.log(`# kugel in JavaScript, beside other packages

Written by \`node tools/npm/bench/main.mjs\`, ${new Date().toISOString().slice(0, 10)}, with ${packages}; node ${process.version}, ${cpus()[0].model}, ${cpus().length} processors; one thread, ticks of 1/60 s.

*ms a step* is the median of the last third, *slowest* the longest step, mostly the first one: the module is compiled then. Depths are overlaps in parts of the radius. The machine was shared: only large ratios of times count.

Next: [the library's benchmark](benchmark.md).`);
for (const name of missing) console.log(`\nNot installed, not measured: ${name}.`);
const quality = ['n', 'engine', 'ms a step', 'slowest', 'energy change', 'depth max', 'worst in run', 'escaped'];
const wanted = given.only.split(','), measured = guarded(run, 8), shot = guarded(shoot, 6);
if (wanted.includes('pile')) table('Pile', `Balls fall into an open box: friction 0.5, restitution 0, ${ticks} ticks.`, quality);
for (const count of wanted.includes('pile') ? counts : []) engines.forEach((engine) => measured(engine, pile(count)));
if (wanted.includes('gas')) table('Gas', `A tenth of the box, restitution 1, no friction, 5 m/s a component, ${ticks} ticks.`, quality);
for (const count of wanted.includes('gas') ? counts : []) engines.forEach((engine) => measured(engine, gas(count)));
if (wanted.includes('bullets')) table('Bullets', `${SHOTS} spheres of radius 0.05 into 1,000 fixed ones of radius 0.5: the first contact of each. Bullets pass through each other. Continuous detection is on where there is one.`,
    ['m/s', 'engine', 'right', 'missed', 'wrong', 'ms a step']);
for (const speed of wanted.includes('bullets') ? SPEEDS : []) engines.forEach((engine) => shot(engine, speed));
