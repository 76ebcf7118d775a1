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
const QUALITY = ['n', 'engine', 'ms a step', 'ratio', 'energy change', 'depth max', 'worst in run', 'escaped'];
const HITS = ['m/s', 'engine', 'ms a step', 'ratio', 'right', 'missed', 'wrong'];
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
    if (name === 'kugel' && given.kugel) return import(pathToFileURL(join(resolve(given.kugel), 'node.mjs')));
    const paths = require.resolve.paths(name).map((folder) => join(folder, name)), { existsSync, readFileSync } = await import('node:fs');
    const folder = paths.find((path) => existsSync(join(path, 'package.json')));
    if (!folder) return null;
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), entry = about.exports?.['.'] ?? about.exports ?? about.module ?? about.main;
    const pick = (value) => (typeof value === 'string' ? value : pick(value.import ?? value.node ?? value.default));
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
const percent = (x) => `${(100 * x).toFixed(2)}%`;
const processor = () => Object.values(process.cpuUsage()).reduce((sum, time) => sum + time / 1000, 0); // ms, all threads
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
function table(title, text, head) {
    console.log(`\n## ${title}\n\n${text}\n`);
    row(head);
    row(head.map((_, k) => (k < 2 ? '---' : '--:')));
}

// An engine that fails has the error, and takes no further part.
function attempt(entry, call) {
    try {
        if (!entry.error) call(entry);
    } catch (error) {
        entry.error = error;
    }
    return entry;
}

// Steps all engines through a scene, one tick each in turn, the first one changing: what else the machine does slows all of them
// alike. Returns their entries: { name, engine, times, error } and what begin and watch(entry, tick, pairs) added.
function stepInTurn(engines, scene, count, begin, watch) {
    const entries = engines.map(({ name, make }) => attempt({ name, times: [] }, (entry) => {
        entry.engine = make(scene);
        begin(entry);
    }));
    for (let tick = 0; tick < count; ++tick) {
        for (let k = 0; k < entries.length; ++k) {
            attempt(entries[(tick + k) % entries.length], (entry) => {
                const start = processor(), pairs = entry.engine.step(DT);
                entry.times.push(processor() - start);
                watch(entry, tick, pairs);
            });
        }
    }
    return entries;
}

// A row of each engine: the time of a step and its ratio to the first engine's, and cellsOf(entry).
function rowsOf(what, entries, columns, timeOf, cellsOf) {
    let first;
    for (const entry of entries) {
        attempt(entry, () => {
            const time = timeOf(entry.times), cells = cellsOf(entry);
            row([what, entry.name, time.toFixed(2), (time / (first ??= time)).toPrecision(2), ...cells]);
        });
        if (entry.error) row([what, entry.name, `failed: ${entry.error.message.split('\n')[0].slice(0, 60)}`, ...Array(columns - 3).fill('')]);
        attempt({}, () => entry.engine?.free());
    }
}

function measure(engines, scene) {
    const position = new Float64Array(3 * scene.count), velocity = new Float64Array(3 * scene.count);
    const read = (entry) => {
        entry.engine.read(position, velocity);
        return energyOf(scene, position, velocity);
    };
    const begin = (entry) => { Object.assign(entry, { before: read(entry), worst: 0 }); };
    const entries = stepInTurn(engines, scene, ticks, begin, (entry, tick) => {
        if (tick % 10) return;
        read(entry);
        entry.worst = Math.max(entry.worst, overlapsOf(scene, position).worst);
    });
    rowsOf(scene.count, entries, QUALITY.length, (times) => median(times.slice(-Math.ceil(ticks / 3))), (entry) => {
        const change = read(entry) / entry.before - 1, end = overlapsOf(scene, position);
        return [change.toExponential(1), percent(end.worst), percent(Math.max(entry.worst, end.worst)), end.escaped];
    });
}

function shoot(engines, speed) {
    const scene = bullets(SHOTS, speed), ticksOfFlight = Math.ceil(60 / speed / DT) + 2; // 60 m from end to end
    const entries = stepInTurn(engines, scene, ticksOfFlight, (entry) => { entry.first = new Map(); }, ({ first }, _, pairs) => {
        for (const [a, b] of pairs) {
            const bullet = Math.max(a, b), target = Math.min(a, b);
            if (target < scene.fixed && bullet >= scene.fixed && !first.has(bullet)) first.set(bullet, target);
        }
    });
    rowsOf(speed, entries, HITS.length, median, ({ first }) => {
        const right = scene.first.filter((target, k) => first.get(scene.fixed + k) === target).length;
        return [right, SHOTS - first.size, first.size - right];
    });
}

const { engines, missing } = await openAll();
const packages = engines.map(({ name, version }) => (version ? `${name} ${version}` : name)).join(', ');
console.log(`# kugel in JavaScript, beside other packages

Written by \`node tools/npm/bench/main.mjs\`, ${new Date().toISOString().slice(0, 10)}, with ${packages}; node ${process.version}, ${cpus()[0].model}, ${cpus().length} processors; one thread, ticks of 1/60 s.

Times are processor time of all threads; the engines step one tick each in turn. *ms a step* is the median, in piles and gases of the last third; *ratio* is that to the first engine. Depths are overlaps in parts of the radius.

Next: [the library's benchmark](benchmark.md).`);
for (const name of missing) console.log(`\nNot installed, not measured: ${name}.`);
const wanted = given.only.split(',');
if (wanted.includes('pile')) table('Pile', `Balls fall into an open box: friction 0.5, restitution 0, ${ticks} ticks.`, QUALITY);
for (const count of wanted.includes('pile') ? counts : []) measure(engines, pile(count));
if (wanted.includes('gas')) table('Gas', `A tenth of the box, restitution 1, no friction, 5 m/s a component, ${ticks} ticks.`, QUALITY);
for (const count of wanted.includes('gas') ? counts : []) measure(engines, gas(count));
if (wanted.includes('bullets')) table('Bullets', `${SHOTS} spheres of radius 0.05 into 1,000 fixed ones of radius 0.5: the first contact of each. Bullets pass through each other. Continuous detection is on where there is one.`, HITS);
for (const speed of wanted.includes('bullets') ? SPEEDS : []) shoot(engines, speed);
