// The engine's memory: texts, blocks, lists of rows that grow to the number of results, the rows of all bodies.

import { ROWS, readRows } from './rows.mjs';
import { KugelError } from './values.mjs';

export function kitOf(c) {
    const allocate = (size) => {
        const block = c.js_allocate(size);
        if (!block) throw new KugelError('', 'out of memory');
        return block;
    };
    const text = (at) => {
        const bytes = new Uint8Array(c.memory.buffer, at);
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    };
    return {
        c, allocate, text,
        numbers: () => new Float64Array(c.memory.buffer, c.js_numbers(), 64),
        failed: (world) => new KugelError(text(c.js_error_argument(world)), text(c.js_error_message(world))),
        bytes: (at, size) => new Uint8Array(c.memory.buffer, at, size).slice(),
        // A copy of bytes in the engine's memory; the caller frees it.
        put(bytes) {
            const block = allocate(bytes.length);
            new Uint8Array(c.memory.buffer, block, bytes.length).set(bytes);
            return block;
        },
        // Rows that call(room, block) writes; it returns the number of all, or a negative status, which `refuse` throws.
        list(kind, call, refuse, room = 64) {
            for (;;) {
                const block = allocate(room * ROWS[kind][0]), count = call(room, block);
                const rows = count >= 0 && count <= room ? readRows(ROWS[kind], c.memory, block, count) : null;
                c.js_free(block);
                if (rows) return rows;
                if (count < 0) refuse(-count);
                room = count;
            }
        },
    };
}

// The columns of all live bodies, in a block that grows with their number. Views, without copies.
export class Columns {
    #room = 0;
    #block = 0;

    read({ c, allocate }, world) {
        const count = c.js_world_count(world);
        if (count > this.#room) {
            this.free(c);
            this.#block = allocate(count * 80);
            this.#room = count;
        }
        const at = [0, 24, 48, 72].map((k) => this.#block + k * this.#room);
        if (count) c.js_world_read(world, this.#room, at[3], at[0], at[1], at[2]);
        const [positions, velocities, spins] = at.map((a) => new Float64Array(c.memory.buffer, count ? a : 0, 3 * count));
        return { count, ids: new Uint32Array(c.memory.buffer, count ? at[3] : 0, count), positions, velocities, spins };
    }
    free(c) {
        if (this.#block) c.js_free(this.#block);
        this.#room = this.#block = 0;
    }
}
