// The run beside the page, in a worker: plays the recording towards a tick and sends what is to be shown.
// In: messages [name, ...values], each a member of the object that makeRun returns. Out: messages of three kinds:
//   {opened}          once: what does not change
//   {shown, ...}      a state; the next one is sent after the message `next`, so that a slow page is not flooded
//   {answer, value}   to `ask`
import { openEngine, PLAY_END, ROW } from './engine.mjs';
import { extentOf, upOf } from './extent.mjs';
import { add, scale, unit } from './math.mjs';

const SLICE = 12; // ms of running ticks before messages are read again
const PAUSE = 100; // ms between two states of a long seek

function bytesOf(text) {
    const binary = atob(text.replace(/\s+/g, '')), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

async function unpacked(bytes) {
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

function sceneOf(text) {
    try {
        const scene = JSON.parse(text);
        return scene?.format === 'kugel-scene' ? scene : null;
    } catch {
        return null; // annotation of another host
    }
}

// The scene's beams that a tick has not shown before; positions are relative to the origin.
function makeBeams(engine, scene, origin) {
    const seen = new Set(), beams = (scene?.beams ?? []).map((beam) => ({ tick: 0, length: 1e15, ...beam }));
    return (tick) => beams.filter((beam) => beam.tick === tick && !seen.has(beam)).map((beam) => {
        const direction = unit(beam.direction), met = engine.beam(beam.origin, direction, beam.length);
        const to = met.kind ? met.point : add(beam.origin, scale(direction, beam.length));
        seen.add(beam);
        return { tick, from: beam.origin.map((x, k) => x - origin[k]), to: to.map((x, k) => x - origin[k]), hit: met.kind > 0 };
    });
}

export function makeRun(post) {
    const run = { tick: 0, target: 0, selected: -1 };
    const sentMeshes = new Map(); // hashes by index
    const turn = new MessageChannel(); // lets messages in between two slices
    let engine, beamsAt, notes = [], wanted = true, changed = true, sentAt = 0, waiting = false;

    function note() {
        const numbers = engine.numbers(), { tick } = run;
        const same = tick === 0 || engine.hash() === engine.recordedHash(tick);
        notes.push({ tick, numbers, same, beams: beamsAt(tick + engine.origin) });
    }
    // One step or seek towards the target. The last step is run, not restored, so that its hash is computed here.
    function approach() {
        const { tick, target } = run, from = target > 0 ? engine.seekFrom(target - 1) : 0;
        const steps = tick < target && from <= tick + 1, next = steps ? tick + 1 : from;
        if ((steps ? engine.step() : engine.seek(next)) === PLAY_END) throw new Error(`The recording ends before tick ${next}.`);
        run.tick = next;
        changed = true;
        if (steps || next === 0) note();
    }
    // The surfaces of the state; those that the page does not have come with their corners.
    function surfaces() {
        return engine.surfaces().map((surface) => {
            const { index, triangles, mesh } = surface, has = sentMeshes.get(index) === mesh;
            sentMeshes.set(index, mesh);
            return has ? surface : { ...surface, corners: triangles ? engine.surfaceCorners(index, triangles) : new Float32Array(0) };
        });
    }
    function send() {
        engine.read();
        const rows = engine.rows().slice(), impacts = engine.impacts().slice(), { tick, selected } = run;
        const body = selected >= 0 ? engine.body(selected) : null;
        post({ shown: true, tick, notes, rows, impacts, selected, body, hash: engine.hash(), planes: engine.planes(), surfaces: surfaces() },
            [rows.buffer, impacts.buffer]);
        [notes, wanted, changed, sentAt] = [[], false, false, performance.now()];
    }
    function sendIfDue() {
        if (wanted && changed && (run.tick === run.target || performance.now() > sentAt + PAUSE)) send();
    }
    function work() {
        const end = performance.now() + SLICE;
        waiting = false;
        while (run.tick !== run.target && performance.now() < end) approach();
        sendIfDue();
        if (run.tick === run.target) return;
        waiting = true;
        turn.port2.postMessage(0);
    }
    const guarded = (call) => (...values) => {
        try {
            const after = call(...values);
            after?.catch?.((error) => post({ error: error.message }));
        } catch (error) {
            post({ error: error.message });
        }
    };
    turn.port1.onmessage = guarded(work);

    async function open(moduleText, recordingText) {
        engine = await openEngine(await unpacked(bytesOf(moduleText)), bytesOf(recordingText));
        engine.seek(0);
        engine.read();
        const scene = sceneOf(engine.annotation), bounds = engine.bounds();
        const origin = extentOf(bounds, engine.planes(), [], engine.rows(), ROW, upOf(scene)).center; // approximate, if far from 0
        engine.setOrigin(...origin);
        (scene?.ellipsoids ?? []).forEach((e) => engine.addEllipsoid(e));
        beamsAt = makeBeams(engine, scene, origin);
        const { ticks, origin: from, damaged, epoch, ownEpoch, library, build } = engine;
        post({ opened: { ticks, from, damaged, epoch, ownEpoch, library, build, scene, bounds, origin } });
        note();
        send();
    }
    const members = {
        open,
        goTo(tick) {
            run.target = tick;
            if (!waiting) work();
        },
        next() {
            wanted = true;
            sendIfDue();
        },
        select(id) {
            run.selected = id;
            changed = true;
            sendIfDue();
        },
        // The body on a ray; -1: none.
        pick(from, ray) {
            members.select(engine.pick(from, ray));
        },
        ask(number, name, values) {
            post({ answer: number, value: engine[name](...values) });
        },
    };
    return Object.fromEntries(Object.entries(members).map(([name, call]) => [name, guarded(call)]));
}
