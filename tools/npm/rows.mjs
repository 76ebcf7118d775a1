// Rows of C structs in the engine's memory: as objects, or as a list whose columns are typed arrays. A layout has the members
// of a struct in their order; alignment is that of C. package_lists.c has the sizes, which a test compares.

import { handleFrom, TARGETS, wordFrom } from './values.mjs';

// Bytes, a value as it is in an object, and a column: its array, the array of the bytes that it is made from, and a value.
const direct = (from, at) => from[at];
const KINDS = {
    f64: [8, (view, at) => view.getFloat64(at, true), Float64Array, 'f64', direct],
    body: [8, (view, at) => handleFrom(view.getUint32(at, true), view.getUint32(at + 4, true)), Float64Array, 'u32', (from, at) => handleFrom(from[at], from[at + 1])],
    word: [8, (view, at) => wordFrom(view.getUint32(at, true), view.getUint32(at + 4, true)), Float64Array, 'u32', (from, at) => wordFrom(from[at], from[at + 1])],
    u32: [4, (view, at) => view.getUint32(at, true), Uint32Array, 'u32', direct],
    i32: [4, (view, at) => view.getInt32(at, true), Int32Array, 'i32', direct],
    flag: [1, (view, at) => view.getUint8(at) !== 0, Uint8Array, 'u8', direct],
    target: [4, (view, at) => TARGETS[view.getUint32(at, true)], Uint8Array, 'u32', direct],
};

// Members: name, kind, count; a nested struct is a layout instead of a kind, and its members are those of the row. A row whose
// member `hit` is false is null.
function layout(members) {
    let size = 0, alignment = 1;
    const place = (bytes, needs, count = 1) => {
        const at = Math.ceil(size / needs) * needs;
        size = at + bytes * count;
        alignment = Math.max(alignment, needs);
        return at;
    };
    const placed = members.flatMap(([name, kind, count = 1]) => {
        if (typeof kind === 'object') {
            const start = place(kind.size, kind.alignment);
            return kind.placed.map((member) => ({ ...member, at: start + member.at }));
        }
        const [bytes, read, Column, source, value] = KINDS[kind];
        return [{ name, count, bytes, read, Column, source, value, at: place(bytes, bytes, count) }];
    });
    const hit = placed.find(({ name }) => name === 'hit'), shown = placed.filter((member) => member !== hit);
    const read = (view, at) => (hit && !hit.read(view, at + hit.at) ? null : Object.fromEntries(shown.map((m) => [m.name, m.count === 1
        ? m.read(view, at + m.at) : Array.from({ length: m.count }, (_, k) => m.read(view, at + m.at + k * m.bytes))])));
    return { size: Math.ceil(size / alignment) * alignment, alignment, placed, read };
}

const place = [['point', 'f64', 3], ['normal', 'f64', 3]];
const touch = [['time', 'f64'], ['target', 'target'], ['index', 'u32'], ['a', 'body'], ['b', 'body'], ...place];
const hit = layout([['hit', 'flag'], ['startedInside', 'flag'], ['tEnter', 'f64'], ['tExit', 'f64'], ...place, ['exitPoint', 'f64', 3], ['exitNormal', 'f64', 3]]);
const contact = layout([['hit', 'flag'], ['touching', 'flag'], ['approaching', 'flag'], ['time', 'f64'], ['gap', 'f64'], ...place]);
const triangle = ['triangle', 'u32'];
const moved = [['moved', 'flag'], ['placed', 'flag'], ['stopped', 'flag']];
const found = [['body', 'body'], ['image', 'i32', 3], ['target', 'target'], ['index', 'u32'], triangle];

// In the order of js_row_size.
export const ROWS = {
    impact: layout([...touch, ['speed', 'f64'], ['impulse', 'f64'], triangle]),
    touch: layout([...touch, triangle]),
    rest: layout([['time', 'f64'], ['body', 'body']]),
    sensed: layout([['body', 'body']]),
    move: layout([['body', 'body'], ['userData', 'word'], ['position', 'f64', 3], ['rotation', 'f64', 4], ...moved, ['fellAsleep', 'flag']]),
    surfaceMove: layout([['surface', 'body'], ['userData', 'word'], ['position', 'f64', 3], ['rotation', 'f64', 4], ...moved]),
    sensorEvent: layout([['time', 'f64'], ['entered', 'flag'], ['sensor', 'body'], ['body', 'body'], ...place, ['speed', 'f64'], ['surface', 'body']]),
    contact: layout([['target', 'target'], ['index', 'u32'], ['a', 'body'], ['b', 'body'], ...place, ['gap', 'f64'], ['force', 'f64'],
        ['friction', 'f64', 3], triangle]),
    rayHit: layout([...found, ['hit', hit]]),
    castHit: layout([...found, ['contact', contact]]),
    found: layout([...found, ['gap', 'f64'], ...place]),
    impulseSum: layout([['target', 'target'], ['index', 'u32'], ['a', 'body'], ['b', 'body'], ['impulse', 'f64', 3], ['angularImpulse', 'f64', 3],
        ['along', 'f64'], ['friction', 'f64'], ['impacts', 'u32']]),
};

function columnOf(bytes, { at, bytes: width, count, Column, source, value }, size, rows) {
    const from = source === 'f64' ? new Float64Array(bytes) : source === 'u32' ? new Uint32Array(bytes) : source === 'i32' ? new Int32Array(bytes) : new Uint8Array(bytes);
    const out = new Column(rows * count), unit = from.BYTES_PER_ELEMENT, step = width / unit, stride = size / unit;
    for (let row = 0, k = 0, start = at / unit; row < rows; ++row, start += stride) {
        for (let j = 0; j < count; ++j) out[k++] = value(from, start + j * step);
    }
    return out;
}

// A copy of rows. A column is made when it is first read.
function listOf({ size, placed, read }) {
    return class List {
        #bytes;
        #columns = {};

        constructor(memory, at, count) {
            this.count = count;
            this.#bytes = memory.buffer.slice(at, at + count * size);
        }
        * [Symbol.iterator]() {
            const view = new DataView(this.#bytes);
            for (let k = 0; k < this.count; ++k) yield read(view, k * size);
        }
        static {
            for (const member of placed) {
                Object.defineProperty(this.prototype, member.name, {
                    enumerable: true,
                    get() { return this.#columns[member.name] ??= columnOf(this.#bytes, member, size, this.count); },
                });
            }
        }
    };
}

export const LISTS = Object.fromEntries(Object.entries(ROWS).map(([kind, row]) => [kind, listOf(row)]));

export function readRows({ size, read }, memory, at, count) {
    const view = new DataView(memory.buffer);
    return Array.from({ length: count }, (_, k) => read(view, at + k * size));
}
