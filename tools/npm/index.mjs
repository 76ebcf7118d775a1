// kugel in JavaScript: worlds of moving spheres, with the bits of the native library. index.d.ts documents the calls.
// The engine is kugel.wasm beside this file; it imports nothing.

import { kitOf } from './memory.mjs';
import { Player } from './player.mjs';
import { shapesOf } from './shapes.mjs';
import { bytesOf, encode, KugelError, WORLD } from './values.mjs';
import { World } from './world.mjs';

export { KugelError };

async function bytesBeside() {
    const url = new URL('kugel.wasm', import.meta.url);
    if (url.protocol === 'file:' && globalThis.process?.versions?.node) return (await import('node:fs/promises')).readFile(url);
    return (await fetch(url)).arrayBuffer();
}

// The status of a delta's functions, and the size that they need or wrote.
const LIMIT = 6;

function deltas({ c, put, bytes, allocate, numbers }) {
    const call = (name, base, other, room, argument) => {
        const given = [bytesOf('base', base), bytesOf(argument, other)], blocks = [];
        try {
            for (const data of given) blocks.push(put(data));
            blocks.push(allocate(room));
            const status = c[name](blocks[0], base.length, blocks[1], other.length, blocks[2], room), size = numbers()[0];
            if (status && status !== LIMIT) throw new KugelError(argument, 'is not valid, or of another base');
            return status ? size : bytes(blocks[2], size);
        } finally {
            blocks.forEach((block) => c.js_free(block));
        }
    };
    return {
        makeDelta: (base, snapshot) => call('js_delta_make', base, snapshot, c.js_delta_bound(bytesOf('base', base).length, bytesOf('snapshot', snapshot).length), 'snapshot'),
        applyDelta: (base, delta) => call('js_delta_apply', base, delta, call('js_delta_apply', base, delta, 0, 'delta'), 'delta'),
    };
}

export async function load(source) {
    const { instance } = await WebAssembly.instantiate(source ?? await bytesBeside(), {});
    const c = instance.exports, kit = kitOf(c);
    c._initialize();
    return {
        version: kit.text(c.js_version()),
        physicsEpoch: c.js_epoch(),
        createWorld(def = {}) {
            c.js_world_defaults();
            encode(kit.numbers(), WORLD, def);
            const world = c.js_world_create();
            if (!world) throw kit.failed(0);
            return new World(kit, world);
        },
        shapes: shapesOf(kit),
        interpolateOrientations: (from, to, alpha) => kit.between(Float32Array, 4, from, to,
            (count, ...blocks) => c.js_interpolate_orientations(count, ...blocks, alpha)),
        openRecording: (recording) => new Player(kit, recording),
        ...deltas(kit),
    };
}
