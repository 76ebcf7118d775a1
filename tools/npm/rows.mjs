// Rows of the engine's memory as objects. A layout has the members of a C struct in their order; alignment is that of C.
// package_lists.c has the sizes, which a test compares.

import { TARGETS } from './values.mjs';

const KINDS = {
    f64: [8, (view, at) => view.getFloat64(at, true)],
    u64: [8, (view, at) => view.getBigUint64(at, true)],
    u32: [4, (view, at) => view.getUint32(at, true)],
    i32: [4, (view, at) => view.getInt32(at, true)],
    flag: [1, (view, at) => view.getUint8(at) !== 0],
    target: [4, (view, at) => TARGETS[view.getUint32(at, true)]],
};

// Members: name, kind, count; a nested struct is a layout instead of a kind.
function layout(members) {
    let size = 0, alignment = 1;
    const placed = members.map(([name, kind, count = 1]) => {
        const [bytes, read, needs = bytes] = Array.isArray(kind) ? kind : KINDS[kind];
        size = Math.ceil(size / needs) * needs;
        const at = size;
        size += bytes * count;
        alignment = Math.max(alignment, needs);
        return { name, at, bytes, read, count };
    });
    const readRow = (view, at) => Object.fromEntries(placed.map((m) => [m.name, m.count === 1
        ? m.read(view, at + m.at) : Array.from({ length: m.count }, (_, k) => m.read(view, at + m.at + k * m.bytes))]));
    return [Math.ceil(size / alignment) * alignment, readRow, alignment];
}

const place = [['point', 'f64', 3], ['normal', 'f64', 3]];
const touch = [['time', 'f64'], ['target', 'target'], ['index', 'u32'], ['a', 'u64'], ['b', 'u64'], ...place];
const hit = layout([['hit', 'flag'], ['startedInside', 'flag'], ['tEnter', 'f64'], ['tExit', 'f64'], ...place, ['exitPoint', 'f64', 3], ['exitNormal', 'f64', 3]]);
const contact = layout([['hit', 'flag'], ['touching', 'flag'], ['approaching', 'flag'], ['time', 'f64'], ['gap', 'f64'], ...place]);
const triangle = ['triangle', 'u32'];
const found = [['body', 'u64'], ['image', 'i32', 3], ['target', 'target'], ['index', 'u32'], triangle];

// In the order of js_row_size.
export const ROWS = {
    impact: layout([...touch, ['speed', 'f64'], ['impulse', 'f64'], triangle]),
    touch: layout([...touch, triangle]),
    rest: layout([['time', 'f64'], ['body', 'u64']]),
    move: layout([['body', 'u64'], ['userData', 'u64'], ['position', 'f64', 3], ['orientation', 'f64', 4], ['fellAsleep', 'flag']]),
    sensorEvent: layout([['time', 'f64'], ['entered', 'flag'], ['sensor', 'u64'], ['body', 'u64'], ...place, ['speed', 'f64']]),
    contact: layout([['target', 'target'], ['index', 'u32'], ['a', 'u64'], ['b', 'u64'], ...place, ['gap', 'f64'], ['force', 'f64'],
        ['friction', 'f64', 3], triangle]),
    rayHit: layout([...found, ['hit', hit]]),
    castHit: layout([...found, ['contact', contact]]),
    found: layout([...found, ['gap', 'f64'], ...place]),
};

export function readRows([size, read], memory, at, count) {
    const view = new DataView(memory.buffer);
    return Array.from({ length: count }, (_, k) => read(view, at + k * size));
}
