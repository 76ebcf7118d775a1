// kugel in JavaScript: worlds of moving spheres, with the bits of the native library. index.d.ts documents the calls.
// The engine is kugel.wasm beside this file; it imports the functions of callbacks.mjs. Node takes node.mjs in place of this file.

import { Callbacks } from './callbacks.mjs';
import { kitOf } from './memory.mjs';
import { Player } from './player.mjs';
import { shapesOf } from './shapes.mjs';
import { bodyId, bytesOf, surfaceIndex, decode, encode, KugelError, objectOf, SNAPSHOT, STATUSES, TARGETS, WORLD } from './values.mjs';
import { World } from './world.mjs';

export { bodyId, KugelError, surfaceIndex, TARGETS };

async function compileResponse(response) {
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || type.startsWith('text/html')) throw new KugelError('source', `is not kugel.wasm: ${response.url} is ${response.status} ${type}; see "Bundlers" in the README`);
    return type.startsWith('application/wasm') ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

async function moduleOf(source) {
    if (source instanceof WebAssembly.Module) return source;
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
    if (source instanceof URL) return compileResponse(await fetch(source));
    if (source instanceof Response) return compileResponse(source);
    throw new KugelError('source', 'takes a WebAssembly.Module, a Response, a URL, or bytes');
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
        makeDelta: (base, snapshot) => call('js_delta_make', base, snapshot, call('js_delta_make', base, snapshot, 0, 'snapshot'), 'snapshot'),
        applyDelta: (base, delta) => call('js_delta_apply', base, delta, call('js_delta_apply', base, delta, 0, 'delta'), 'delta'),
    };
}

export async function load(source = new URL('./kugel.wasm', import.meta.url)) {
    const callbacks = new Callbacks(), imports = { kugel: callbacks.imports };
    const { exports: c } = await WebAssembly.instantiate(await moduleOf(await source), imports), kit = kitOf(c, callbacks);
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
        interpolateRotations: (from, to, alpha) => kit.between(4, from, to,
            (count, ...blocks) => c.js_interpolate_rotations(count, ...blocks, alpha)),
        openPlayer: (recording, limits = {}) => new Player(kit, recording, limits),
        ...snapshots(kit),
    };
}
