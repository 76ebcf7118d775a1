// Recordings in the JavaScript package: played again, compared tick by tick, sought.

import { Columns, unused } from './memory.mjs';
import { bytesOf, KugelError, membersOf, numberOf } from './values.mjs';
import { ruleOf, World } from './world.mjs';

const INFO = ['format', 'physicsEpoch', 'ticks', 'origin', 'bytes', 'lost', 'damaged', 'closed', 'states', 'pairFilter', 'keyframes'];
const FLAGS = ['damaged', 'closed', 'states', 'pairFilter'];
const TICK = 0, DIVERGED = 2, ERROR = 3; // of kugel_play

// What a player has in the engine's memory, and its callbacks.
class Owned {
    columns = new Columns();
    rule = 0; // of the pair filter

    constructor(kit, player, data) {
        this.kit = kit;
        this.player = player;
        this.data = data; // the recording
    }
    free() {
        const { c, callbacks } = this.kit;
        c.js_player_close(this.player);
        c.js_free(this.data);
        this.columns.free(c);
        callbacks.release(this.rule);
    }
}

export class Player {
    #k;
    #owned;
    #closed = false;
    #tick = 0; // of the recording: its world may have made ticks before
    #busy = false; // in a call that makes callbacks
    info;
    annotation;

    constructor(kit, recording, limits) {
        const { c, put, errorOf, numbers, bytes } = this.#k = kit;
        const given = Object.entries(membersOf('limits', limits, { bytes: 0, bodies: 0 })).map(([name, x]) => numberOf(`limits.${name}`, x));
        const data = put(bytesOf('recording', recording)), player = c.js_player_open(data, recording.length, ...given);
        if (!player) {
            c.js_free(data);
            throw errorOf(c.js_open_error());
        }
        this.#owned = new Owned(kit, player, data);
        unused.register(this, this.#owned, this);
        c.js_player_info(player);
        const n = Array.from(numbers());
        const members = INFO.map((name, k) => [name, FLAGS.includes(name) ? n[k] !== 0 : n[k]]);
        this.info = Object.fromEntries(members);
        this.annotation = bytes(n[11], n[12]);
    }
    #open() {
        if (this.#closed) throw new KugelError('player', 'was closed', 'state');
        if (this.#busy) throw new KugelError('player', 'is in a call; callbacks must not use it', 'state');
        return this.#owned.player;
    }
    #play(call) {
        const player = this.#open(), { c, callbacks, errorOf } = this.#k;
        let result;
        try {
            this.#busy = true;
            result = call(c, player);
        } finally {
            this.#busy = false;
        }
        callbacks.check();
        if (result === ERROR) throw errorOf(c.js_player_error(player));
        return result;
    }
    close() {
        if (this.#closed) return;
        if (this.#open()) this.#owned.free();
        unused.unregister(this);
        this.#closed = true;
    }
    setPairFilter(decide) {
        const { c, callbacks } = this.#k, player = this.#open(), rule = ruleOf(callbacks, decide);
        c.js_player_set_pair_filter(player, rule);
        callbacks.release(this.#owned.rule);
        this.#owned.rule = rule;
    }
    get tick() { return this.#open() && this.#tick; }
    step() {
        const result = this.#play((c, player) => c.js_player_step(player));
        if (result === TICK || result === DIVERGED) this.#tick += 1;
        if (result !== DIVERGED) return result === TICK ? 'tick' : 'end';
        return this.#k.divergence();
    }
    verify() {
        this.seek(0);
        for (;;) {
            const result = this.step();
            if (result !== 'tick') return result === 'end' ? null : result;
        }
    }
    seek(tick) {
        if (!(Number.isInteger(tick) && tick >= 0 && tick <= this.info.ticks)) throw new KugelError('tick', `is not in 0 ... ${this.info.ticks}`);
        this.#play((c, player) => c.js_player_seek(player, tick));
        this.#tick = tick;
    }
    cacheKeyframes(bytes) { this.#k.c.js_player_cache(this.#open(), numberOf('bytes', bytes)); }
    hash(tick) {
        if (!(Number.isInteger(tick) && tick >= 0)) throw new KugelError('tick', 'is no whole number');
        return BigInt.asUintN(64, this.#k.c.js_player_hash(this.#open(), tick));
    }
    read() { return this.#owned.columns.read(this.#k, this.#k.c.js_player_world(this.#open())); }
    readArrays(...names) { return this.#owned.columns.readArrays(this.#k, this.#k.c.js_player_world(this.#open()), names); }
    world() {
        const clone = this.#k.c.js_world_clone(this.#k.c.js_player_world(this.#open()));
        if (!clone) throw new KugelError('', 'out of memory', 'out_of_memory');
        return new World(this.#k, clone);
    }
    static {
        if (Symbol.dispose) Player.prototype[Symbol.dispose] = Player.prototype.close;
    }
}
