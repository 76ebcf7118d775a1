// The engine's memory: texts, blocks, lists of rows that grow to the number of results, the rows of all bodies.

import { ROWS, readRows } from './rows.mjs';
import { KugelError, numbersOf } from './values.mjs';

export function kitOf(c) {
    const allocate = (size) => {
        const block = size < 2 ** 32 ? c.js_allocate(size) : 0; // WebAssembly would take it modulo 2^32
        if (!block) throw new KugelError('', 'out of memory');
        return block;
    };
    const text = (at) => {
        const bytes = new Uint8Array(c.memory.buffer, at);
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    };
    const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()); // C has def.rolling_resistance
    return {
        c, allocate, text,
        numbers: () => new Float64Array(c.memory.buffer, c.js_numbers(), 64),
        failed: (world) => new KugelError(camelCase(text(c.js_error_argument(world))), text(c.js_error_message(world))),
        bytes: (at, size) => new Uint8Array(c.memory.buffer, at, size).slice(),
        // A copy of bytes in the engine's memory; the caller frees it.
        put(bytes) {
            const block = allocate(bytes.length);
            new Uint8Array(c.memory.buffer, block, bytes.length).set(bytes);
            return block;
        },
        // The arrays with `size` values a row, in the engine's memory; call(count, from, to) overwrites the second one. They may
        // be views of that memory, which end when it grows: both are copied before.
        between(Kind, size, from, to, call) {
            const given = [numbersOf('from', from), numbersOf('to', to)], [{ length }, { length: others }] = given;
            if (length !== others || length % size) throw new KugelError('to', 'takes as many values as from');
            const copies = given.map((values) => new Uint8Array(Kind.from(values).buffer)), blocks = [];
            try {
                for (const copy of copies) blocks.push(this.put(copy));
                if (call(length / size, ...blocks)) throw new KugelError('alpha', 'must be in [0, 1]');
                return new Kind(this.bytes(blocks[1], copies[1].length).buffer);
            } finally {
                blocks.forEach((block) => c.js_free(block));
            }
        },
        // What call(address, length, address, length ...) returns for copies of bytes, which are freed afterwards.
        withBytes(given, call) {
            const blocks = [];
            try {
                return call(...given.flatMap((data) => [blocks[blocks.push(this.put(data)) - 1], data.length]));
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
        // Rows that call(room, block) writes; it returns the number of all, or a negative status, which `refuse` throws.
        list(kind, call, refuse, room = 64) {
            for (;;) {
                const block = allocate(room * ROWS[kind][0]);
                let count;
                try {
                    count = call(room, block);
                    if (count >= 0 && count <= room) return readRows(ROWS[kind], c.memory, block, count);
                } finally {
                    c.js_free(block);
                }
                if (count < 0) refuse(-count);
                room = count;
            }
        },
    };
}

// Columns that are read only if named: name, values a row, type. In the order of js_world_read_arrays.
const EXTRAS = [['bodies', 1, BigUint64Array], ['orientations', 4, Float32Array], ['radii', 1, Float64Array], ['asleep', 1, Uint8Array],
    ['userData', 1, BigUint64Array], ['images', 3, Int32Array], ['masses', 1, Float64Array]];
const EXTRA_BYTES = 72; // at most, of a row

// The columns of all live bodies, in a block that grows with their number. Views, without copies.
export class Columns {
    #room = 0;
    #block = 0;

    read({ c, allocate }, world, extras) {
        const count = c.js_world_count(world), unknown = extras.find((name) => !EXTRAS.some((extra) => extra[0] === name));
        if (unknown !== undefined) throw new KugelError('columns', `there is no ${JSON.stringify(unknown)}`);
        if (count > this.#room) {
            this.free(c);
            this.#block = allocate(count * (80 + EXTRA_BYTES));
            this.#room = count;
        }
        const at = [0, 24, 48, 72].map((k) => this.#block + k * this.#room);
        if (count) c.js_world_read(world, this.#room, at[3], at[0], at[1], at[2]);
        const [positions, velocities, spins] = at.map((a) => new Float64Array(c.memory.buffer, count ? a : 0, 3 * count));
        const more = this.#extras(c, world, count, extras);
        return { count, ids: new Uint32Array(c.memory.buffer, count ? at[3] : 0, count), positions, velocities, spins, ...more };
    }
    #extras(c, world, count, names) {
        const found = {}, places = [];
        let at = this.#block + 80 * this.#room;
        for (const [name, size, Kind] of EXTRAS) {
            const asked = names.includes(name);
            places.push(asked && count ? at : 0);
            if (asked) found[name] = new Kind(c.memory.buffer, count ? at : 0, count * size);
            if (asked) at = Math.ceil((at + count * size * Kind.BYTES_PER_ELEMENT) / 8) * 8;
        }
        if (names.length && count) c.js_world_read_arrays(world, count, ...places);
        return found;
    }
    free(c) {
        if (this.#block) c.js_free(this.#block);
        this.#room = this.#block = 0;
    }
}
