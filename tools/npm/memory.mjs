// The engine's memory: texts, blocks, lists of rows that grow to the number of results, the rows of all bodies.

import { LISTS, ROWS, readRows } from './rows.mjs';
import { handleFrom, handleOf, KugelError, membersOf, numbersOf, STATUSES } from './values.mjs';

// Frees what worlds and players own that were not destroyed or closed: owned.free(). It must not refer to them.
export const unused = new FinalizationRegistry((owned) => owned.free());

export function kitOf(c, callbacks) {
    const rooms = {}; // rows that a list of a kind had last
    const allocate = (size) => {
        const block = size < 2 ** 32 ? c.js_allocate(size) : 0; // WebAssembly would take it modulo 2^32
        if (!block) throw new KugelError('', 'out of memory', 'out_of_memory');
        return block;
    };
    // A copy of bytes in the engine's memory; the caller frees it.
    const put = (bytes) => {
        const block = allocate(bytes.length);
        new Uint8Array(c.memory.buffer, block, bytes.length).set(bytes);
        return block;
    };
    const text = (at) => {
        const bytes = new Uint8Array(c.memory.buffer, at);
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    };
    // The error at an address: status, argument[64], message. C has def.rolling_resistance.
    // A handle in a message: 0x100000000 in C is 67108864 here.
    const withHandle = (message) => message.replace(/\b0x[0-9a-f]+(?= is not a live )/, (word) => String(handleFrom(Number(BigInt(word) & 0xffffffffn), Number(BigInt(word) >> 32n))));
    const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
    const errorOf = (at, argument = camelCase(text(at + 4))) => new KugelError(argument, withHandle(text(at + 68)), STATUSES[new Uint32Array(c.memory.buffer, at, 1)[0]]);
    // read(block, count) of rows that call(room, block) writes; it returns the number of all, or a negative status, which
    // `refuse` throws.
    function rows(kind, call, refuse, room, read) {
        for (;;) {
            const block = allocate(room * ROWS[kind].size);
            let count;
            try {
                count = call(room, block);
                if (count >= 0 && count <= room) return read(block, count);
            } finally {
                c.js_free(block);
            }
            if (count < 0) refuse(-count);
            room = count;
        }
    }
    return {
        c, callbacks, allocate, put, text, errorOf,
        numbers: () => new Float64Array(c.memory.buffer, c.js_numbers(), 64),
        failed: (world) => errorOf(c.js_error(world)),
        statusError: (argument, status) => new KugelError(argument, text(c.js_status_text(status)), STATUSES[status]),
        bytes: (at, size) => new Uint8Array(c.memory.buffer, at, size).slice(),
        // The arrays with `size` values a row, in the engine's memory; call(count, from, to) overwrites the second one. They may
        // be views of that memory, which end when it grows: both are copied before.
        between(size, from, to, call) {
            const given = [numbersOf('from', from), numbersOf('to', to)], [{ length }, { length: others }] = given;
            if (length !== others || length % size) throw new KugelError('to', 'takes as many values as from');
            const copies = given.map((values) => new Uint8Array(Float64Array.from(values).buffer)), blocks = [];
            try {
                for (const copy of copies) blocks.push(put(copy));
                if (call(length / size, ...blocks)) throw new KugelError('alpha', 'must be in [0, 1]');
                return new Float64Array(this.bytes(blocks[1], copies[1].length).buffer);
            } finally {
                blocks.forEach((block) => c.js_free(block));
            }
        },
        // What call(address, length, address, length ...) returns for copies of bytes, which are freed afterwards.
        withBytes(given, call) {
            const blocks = [];
            try {
                return call(...given.flatMap((data) => [blocks[blocks.push(put(data)) - 1], data.length]));
            } finally {
                blocks.forEach((block) => c.js_free(block));
            }
        },
        // The difference that the engine found last.
        divergence() {
            c.js_divergence();
            const [tick, located, body, expected, found] = this.numbers();
            return located ? { tick, body, field: text(c.js_divergence_field()), expected, found } : { tick, body: null, field: 'hash', expected: NaN, found: NaN };
        },
        objects: (kind, call, refuse, room = 64) => rows(kind, call, refuse, room, (block, count) => readRows(ROWS[kind], c.memory, block, count)),
        list: (kind, call, refuse) => rows(kind, call, refuse, rooms[kind] ?? 64, (block, count) => {
            rooms[kind] = Math.max(64, count);
            return new LISTS[kind](c.memory, block, count);
        }),
    };
}

// Columns of readArrays: name, values a row, type. In the order of js_world_read_arrays.
const ARRAYS = [['bodies', 1, Float64Array], ['position', 3, Float64Array], ['velocity', 3, Float64Array], ['spin', 3, Float64Array],
    ['rotation', 4, Float64Array], ['radius', 1, Float64Array], ['asleep', 1, Uint8Array], ['userData', 1, Float64Array],
    ['image', 3, Int32Array], ['mass', 1, Float64Array], ['ids', 1, Uint32Array]];
const ROW_BYTES = 80; // of read()

// Columns of writeArrays: name, values a row. In the order of js_world_write_arrays.
const WRITTEN = [['position', 3], ['velocity', 3], ['spin', 3], ['rotation', 4], ['radius', 1], ['mass', 1]];

// Copies of the handles and columns of writeArrays, null for those that are not given.
export function writtenOf(bodies, columns, count) {
    const given = membersOf('columns', columns, Object.fromEntries(WRITTEN.map(([name]) => [name, null])));
    const copies = [bodies && Float64Array.from(numbersOf('bodies', bodies), (body) => handleOf(body, 'bodies'))];
    for (const [name, size] of WRITTEN) {
        const values = given[name] && Float64Array.from(numbersOf(name, given[name]));
        if (values && values.length !== size * count) throw new KugelError(name, `takes ${size} numbers for each of ${count} bodies, got ${values.length}`);
        copies.push(values);
    }
    return copies;
}

// A block that grows with the number of bodies.
class Block {
    #size = 0;
    #at = 0;

    // The address of `size` bytes; what was there is lost.
    of({ c, allocate }, size) {
        if (size > this.#size) {
            this.free(c);
            this.#at = allocate(size);
            this.#size = size;
        }
        return this.#at;
    }
    free(c) {
        if (this.#at) c.js_free(this.#at);
        this.#size = this.#at = 0;
    }
}

// The columns of all live bodies, in blocks of the engine's memory. Views, without copies.
export class Columns {
    #rows = new Block();
    #arrays = new Block();

    read(kit, world) {
        const { c } = kit, count = c.js_world_count(world), block = count ? this.#rows.of(kit, count * ROW_BYTES) : 0;
        const at = [0, 24, 48, 72].map((k) => block + k * count);
        if (count) c.js_world_read(world, count, at[3], at[0], at[1], at[2]);
        const [position, velocity, spin] = at.slice(0, 3).map((a) => new Float64Array(c.memory.buffer, a, 3 * count));
        return { count, ids: new Uint32Array(c.memory.buffer, at[3], count), position, velocity, spin };
    }
    readArrays(kit, world, names) {
        const { c } = kit, count = c.js_world_count(world), unknown = names.find((name) => !ARRAYS.some((array) => array[0] === name));
        if (unknown !== undefined) throw new KugelError('names', `there is no ${JSON.stringify(unknown)}`);
        const wanted = ARRAYS.map(([name]) => !names.length || names.includes(name));
        const sizes = ARRAYS.map(([, size, Kind], k) => (wanted[k] ? Math.ceil(count * size * Kind.BYTES_PER_ELEMENT / 8) * 8 : 0));
        const block = count ? this.#arrays.of(kit, sizes.reduce((sum, size) => sum + size, 0)) : 0;
        let end = block;
        const places = sizes.map((size) => (end += size) - size);
        if (count) c.js_world_read_arrays(world, count, ...places.map((at, k) => (wanted[k] ? at : 0)));
        return Object.fromEntries(ARRAYS.flatMap(([name, size, Kind], k) => (wanted[k] ? [[name, new Kind(c.memory.buffer, places[k], count * size)]] : [])));
    }
    free(c) {
        this.#rows.free(c);
        this.#arrays.free(c);
    }
}
