// Functions of the host that the engine calls: pair filters, filters of queries, and the calls of a sync test. An exception must
// not pass through the engine, which would end in the middle of a step. It is kept, the engine ends the call and reverts it, and
// `check` throws.

import { answerOf, numberOf, TARGETS } from './values.mjs';

const EXCLUDED = 0, INTERACTS = 1, FAILED = 2; // as package_callbacks.c

export class Callbacks {
    #rules = new Map(); // by number: { decide, users }
    #last = 0;
    #running = []; // functions of the queries and sync tests that run, the innermost last
    #failures = [];
    #numbers;
    imports = {
        decide: (rule, key, a, b, surface) => this.#decide(rule, key, { a, b, surface }),
        accept: (target, handle) => this.#accept(TARGETS[target], handle),
        input: (tick) => this.#keep(() => (this.#running.at(-1)(tick), 0)),
    };

    // After instantiation.
    begin(c) { this.#numbers = () => new Float64Array(c.memory.buffer, c.js_pair_numbers(), 4); }

    #keep(call) {
        try {
            return call();
        } catch (error) {
            this.#failures.push(error);
            return FAILED;
        }
    }
    #decide(rule, key, handles) {
        if (this.#failures.length) return FAILED; // the call ends anyway
        return this.#keep(() => {
            const [restitution, friction, rollingResistance, tangentialRestitution] = this.#numbers();
            const pair = { ...handles, restitution, friction, rollingResistance, tangentialRestitution };
            const interacts = answerOf('decide', this.#rules.get(rule).decide(pair, BigInt.asUintN(64, key)));
            this.#numbers().set(['restitution', 'friction', 'rollingResistance', 'tangentialRestitution'].map((name) => numberOf(name, pair[name])));
            return interacts ? INTERACTS : EXCLUDED;
        });
    }
    #accept(...target) { return this.#failures.length ? FAILED : this.#keep(() => (answerOf('accept', this.#running.at(-1)(...target)) ? INTERACTS : EXCLUDED)); }

    // Throw what a callback threw in the call that has ended.
    check() {
        const [failure] = this.#failures, failed = this.#failures.length > 0;
        this.#failures = [];
        if (failed) throw failure;
    }

    // The number of a rule with one user.
    add(decide) {
        this.#rules.set(++this.#last, { decide, users: 1 });
        return this.#last;
    }
    retain(rule) {
        if (rule) this.#rules.get(rule).users += 1;
        return rule;
    }
    release(rule) {
        if (rule && --this.#rules.get(rule).users === 0) this.#rules.delete(rule);
    }

    // What call() returns, which calls the function.
    run(called, call) {
        this.#running.push(called);
        try {
            return call();
        } finally {
            this.#running.pop();
        }
    }
}
