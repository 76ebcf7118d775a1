// kugel in JavaScript: worlds of moving spheres, with the bits of the native library. index.d.ts documents the calls.
// The engine is kugel.wasm beside this file; it imports the functions of callbacks.mjs.

import { Callbacks } from './callbacks.mjs';
import { kitOf } from './memory.mjs';
import { Player } from './player.mjs';
import { shapesOf } from './shapes.mjs';
import { bodyId, bytesOf, decode, encode, KugelError, objectOf, SNAPSHOT, STATUSES, TARGETS, WORLD } from './values.mjs';
import { World } from './world.mjs';

export { bodyId, KugelError, TARGETS };

async function bytesBeside() {
    const url = new URL('kugel.wasm', import.meta.url);
    if (url.protocol === 'file:' && globalThis.process?.versions?.node) return (await import('node:fs/promises')).readFile(url);
    return (await fetch(url)).arrayBuffer();
}

// The status of a delta's functions, and the size that they need or wrote.
const LIMIT = 6;

function snapshots(kit) {
    const { c, bytes, numbers } = kit;
    const call = (name, base, other, room, argument) => {
        const result = new Uint8Array(room);
        return kit.withBytes([bytesOf('base', base), bytesOf(argument, other), result], (...blocks) => {
            const status = c[name](...blocks), size = numbers()[0];
            if (status && status !== LIMIT) throw new KugelError(argument, 'is not valid, or of another base', STATUSES[status]);
            return status ? size : bytes(blocks[4], size);
        });
    };
    const check = (argument, snapshot) => kit.withBytes([bytesOf(argument, snapshot)], (...block) => {
        if (c.js_snapshot_check(...block)) throw kit.errorOf(c.js_open_error(), argument);
        return decode(numbers(), SNAPSHOT);
    });
    return {
        checkSnapshot: (snapshot) => check('snapshot', snapshot),
        snapshotDifference(expected, found) {
            check('expected', expected), check('found', found);
            const differ = kit.withBytes([expected, found], (...blocks) => c.js_snapshot_difference(...blocks));
            return differ ? kit.divergence() : null;
        },
        makeDelta: (base, snapshot) => call('js_delta_make', base, snapshot, c.js_delta_bound(bytesOf('base', base).length, bytesOf('snapshot', snapshot).length), 'snapshot'),
        applyDelta: (base, delta) => call('js_delta_apply', base, delta, call('js_delta_apply', base, delta, 0, 'delta'), 'delta'),
    };
}

export async function load(source) {
    const callbacks = new Callbacks(), imports = { kugel: callbacks.imports };
    const { instance } = await WebAssembly.instantiate(source ?? await bytesBeside(), imports);
    const c = instance.exports, kit = kitOf(c, callbacks);
    callbacks.begin(c);
    c._initialize();
    return {
        version: kit.text(c.js_version()),
        physicsEpoch: c.js_epoch(),
        createWorld(def = {}) {
            c.js_world_defaults();
            encode(kit.numbers(), WORLD, objectOf('def', def));
            const world = c.js_world_create();
            if (!world) throw kit.failed(0);
            return new World(kit, world);
        },
        shapes: shapesOf(kit),
        interpolateOrientations: (from, to, alpha) => kit.between(4, from, to,
            (count, ...blocks) => c.js_interpolate_orientations(count, ...blocks, alpha)),
        openPlayer: (recording, limits = {}) => new Player(kit, recording, limits),
        ...snapshots(kit),
    };
}
