// Values on their way between JavaScript and the engine: objects with names here, doubles in a fixed order there.

const FACES = ['open', 'wall', 'periodic'];
export const TYPES = ['dynamic', 'static', 'kinematic'];
export const TARGETS = ['body', 'face', 'surface'];
export const TARGET_KINDS = ['bodies', 'faces', 'surfaces'];

// Members in the order of package.c's doubles: name, size, write, read.
const flag = [Number, Boolean];
const known = (words, write) => Object.assign(write, { words }); // for the message that refuses another word
export const oneOf = (words) => [known(words, (word) => words.indexOf(word)), (index) => words[index]];
const bitsOf = (words) => [known([...words, 'all'], (given) => [given].flat() // negative: an unknown word
    .reduce((bits, word) => bits | (word === 'all' ? (1 << words.length) - 1 : 1 << words.indexOf(word)), 0))];
const LOCKS = { linear_x: 1, linear_y: 2, linear_z: 4, angular_x: 8, angular_y: 16, angular_z: 32, rotation: 56, plane: 28 };
const locks = [known(Object.keys(LOCKS), (given) => [given].flat().reduce((bits, word) => bits | (LOCKS[word] ?? -1), 0)),
    (bits) => Object.keys(LOCKS).filter((word) => word !== 'rotation' && word !== 'plane' && bits & LOCKS[word])];
export const writeLocks = locks[0];
export const WORLD = [['gravity', 3], ['substeps', 1], ['bounceThreshold', 1], ['slop', 1], ['linearDamping', 1], ['angularDamping', 1],
    ['sleep', 1, ...flag], ['contactIterations', 1], ['impactBudget', 1], ['stepEventLimit', 1], ['bounds.min', 3], ['bounds.max', 3],
    ['bounds.faces', 6, ...oneOf(FACES)], ['bounds.restitution', 1], ['bounds.friction', 1], ['faceKinds', 6], ['growth', 1], ['limits.bytes', 1], ['limits.bodies', 1], ['userData', 1]];
export const BODY = [['position', 3], ['velocity', 3], ['spin', 3], ['rotation', 4], ['radius', 1], ['mass', 1], ['restitution', 1],
    ['friction', 1], ['rollingResistance', 1], ['tangentialRestitution', 1], ['gravityScale', 1], ['linearDamping', 1], ['angularDamping', 1],
    ['type', 1, ...oneOf(TYPES)], ['category', 1], ['mask', 1], ['group', 1], ['kind', 1], ['sensor', 1, ...flag], ['canSleep', 1, ...flag], ['enabled', 1, ...flag], ['contactEvents', 1, ...flag], ['locks', 1, ...locks],
    ['image', 3], ['userData', 1], ['density', 1]];
export const STATE = [...BODY.slice(0, -1), ['contacts', 1], ['asleep', 1, ...flag]];
export const STATS = [['tick', 1], ['time', 1], ['impacts', 1], ['impactsTotal', 1], ['restingContacts', 1],
    ['asleep', 1], ['budgetsExhausted', 1], ['memory', 1], ['substeps', 1], ['substepsLimited', 1], ['listRebuilds', 1],
    ['listRefreshes', 1], ['neighborPairs', 1]];
export const ENERGY = [['kinetic', 1], ['potential', 1], ['momentum', 3]];
export const SNAPSHOT = [['format', 1], ['physicsEpoch', 1], ['tick', 1], ['time', 1], ['bodies', 1], ['contacts', 1], ['exact', 1, ...flag]];
export const EXPLOSION = [['center', 3], ['radius', 1], ['falloff', 1], ['impulse', 1], ['mask', 1]];
export const FILTER = [['category', 1], ['mask', 1], ['group', 1], ['sensors', 1, ...flag], ['targets', 1, ...bitsOf(TARGET_KINDS)], ['initial', 1, ...flag]];
const SHAPES = ['mesh', 'plane', 'ellipsoid', 'capsule', 'cone', 'box'];
export const SURFACE = [['position', 3], ['rotation', 4], ['velocity', 3], ['spin', 3], ['tangentVelocity', 3], ['restitution', 1], ['friction', 1],
    ['rollingResistance', 1], ['category', 1], ['mask', 1], ['group', 1], ['oneSided', 1, ...flag],
    ['shape', 1, ...oneOf(SHAPES)], ['size', 3], ['userData', 1], ['kind', 1], ['sensor', 1, ...flag],
    ['tangentialRestitution', 1]];
export const PAIR_MATERIAL = [['restitution', 1], ['friction', 1], ['rollingResistance', 1], ['tangentialRestitution', 1]];
export const SURFACE_INFO = [['welded', 1], ['dropped', 1], ['openEdges', 1], ['branchingEdges', 1], ['facets', 1]];

// Numbers that must be whole. Those of a fixed number of bits are all valid for the engine, so the range is checked here; it
// refuses others that are out of range.
const is32Bits = [(x) => Number.isInteger(x) && x >= 0 && x <= 0xffffffff, 'is no whole number of 32 bits'];
const isWhole = [Number.isInteger, 'is no whole number'];
const RULES = new Map([
    ...['substeps', 'contactIterations', 'impactBudget', 'stepEventLimit', 'side'].map((name) => [name, isWhole]),
    ...['category', 'mask', 'group', 'kind', 'kindA', 'kindB', 'faceKinds', 'index', 'triangles', 'id', 'count', 'ticks', 'ringTicks', 'keyframeTicks', 'bytes', 'limits.bytes', 'limits.bodies'].map((name) => [name, is32Bits]),
    ['image', [(x) => x === (x | 0), 'takes whole numbers of 32 bits']],
    ...['userData', 'seed'].map((name) => [name, [(x) => Number.isSafeInteger(x) && x >= 0, 'is no whole number of 53 bits']]),
]);
export const isAnyNumber = (name, write) => !write && !RULES.has(name);

// In the order of kugel_status.
export const STATUSES = ['ok', 'invalid_argument', 'out_of_memory', 'stale_handle', 'uninitialized_def', 'floating_point', 'limit', 'format', 'io', 'state'];

export class KugelError extends Error {
    constructor(argument, message, status = 'invalid_argument') {
        super(argument ? `${argument}: ${message}` : message);
        this.name = 'KugelError';
        this.argument = argument;
        this.status = status;
    }
}
export const staleHandle = (kind = 'body') => new KugelError(kind, 'does not exist', 'stale_handle');

// A value for a message.
const textOf = (value) => (typeof value === 'bigint' ? `${value}n` : typeof value === 'function' ? 'a function' : JSON.stringify(value));

export function numberOf(name, value, write) {
    const x = write ? write(value) : value;
    if (typeof x !== 'number' || (write && !(x >= 0))) {
        const given = textOf(value), words = write?.words?.map((word) => `'${word}'`).join(', ');
        throw new KugelError(name, `cannot be ${given}${words ? `, takes ${words}` : ''}`);
    }
    const [fits, message] = RULES.get(name) ?? [];
    if (fits && !fits(x)) throw new KugelError(name, `${message}: ${x}`);
    return x;
}

export function vectorOf(name, value, count = 3) {
    if (value?.length !== count) throw new KugelError(name, `takes ${count} values`);
    return Array.from(value, (x) => numberOf(name, x));
}

// A list of numbers: a typed array as it is, or an array of the items of anything that has some.
export function numbersOf(name, values) {
    if (ArrayBuffer.isView(values) && values.length >= 0 && typeof (values[0] ?? 0) === 'number') return values;
    const has = typeof values === 'object' && values !== null && (Symbol.iterator in values || values.length >= 0), list = Array.from(has ? values : [null]);
    if (!list.every((x) => typeof x === 'number')) throw new KugelError(name, 'takes an array of numbers');
    return list;
}

export function wordOf(name, value) {
    if (typeof value !== 'bigint' || BigInt.asUintN(64, value) !== value) throw new KugelError(name, 'is no bigint of 64 bits');
    return value;
}

// Handles are numbers, as in package.h: the id or index is the lowest 26 bits, generation and kind are the others. In C they are
// words of 64 bits, with halves of 32 bits.
const IDS = 2 ** 26;
export const handleFrom = (id, generation) => generation * IDS + id;
export const wordFrom = (low, high) => high * 2 ** 32 + low;
export function handleOf(handle, name = 'body') {
    if (!(Number.isSafeInteger(handle) && handle >= 0)) throw new KugelError(name, `is no handle: ${textOf(handle)}`);
    return handle;
}
export const bodyId = (body) => handleOf(body) % IDS;
export const surfaceIndex = (surface) => handleOf(surface, 'surface') % IDS;

// The result of a host's function that decides: nothing counts as true.
export function answerOf(name, answer) {
    if (answer !== undefined && typeof answer !== 'boolean') throw new KugelError(name, `must return true, false or nothing, not ${textOf(answer)}`);
    return answer !== false;
}

// Members by name: an array or a Map has none of them.
export function objectOf(name, value) {
    if (value === null || typeof value !== 'object' || Symbol.iterator in value) throw new KugelError(name, 'takes an object');
    return value;
}

// The number of letters to insert, delete or replace between two words.
function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, k) => k);
    for (let i = 0; i < a.length; ++i) {
        const next = [i + 1];
        for (let j = 0; j < b.length; ++j) next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + (a[i] === b[j] ? 0 : 1)));
        row = next;
    }
    return row[b.length];
}

// Refuse the first member that is not known; the message has the most similar one.
export function checkMembers(given, members) {
    const unknown = given.find((name) => !members.includes(name));
    if (unknown === undefined) return;
    const plain = (name) => name.split('.').at(-1).replaceAll('_', '').toLowerCase();
    const [[far, near]] = members.map((name) => [distance(plain(name), plain(unknown)), name]).sort(([a], [b]) => a - b);
    throw new KugelError(unknown, `is not known${far <= Math.min(unknown.length / 2, 3) ? `; did you mean ${near}?` : ''}`);
}

// An object's members with their defaults; others are errors.
export function membersOf(name, value, defaults) {
    checkMembers(Object.keys(objectOf(name, value)), Object.keys(defaults));
    return Object.fromEntries(Object.entries(defaults).map(([member, initial]) => [member, value[member] === undefined ? initial : value[member]]));
}

// Not by instanceof: arrays may come from another context.
export function bytesOf(name, value) {
    if (!(ArrayBuffer.isView(value) && value.BYTES_PER_ELEMENT === 1)) throw new KugelError(name, 'takes a Uint8Array');
    return value;
}

// Overwrite members. Unknown names are errors that may suggest one of `others`, which the caller encodes.
export function encode(numbers, fields, given, others = []) {
    const flat = {};
    for (const [key, value] of Object.entries(objectOf('argument', given))) {
        if (key === 'bounds' || key === 'limits') for (const [inner, x] of Object.entries(objectOf(key, value))) flat[`${key}.${inner}`] = x;
        else flat[key] = value;
    }
    let at = 0;
    for (const [name, count, write] of fields) {
        const value = flat[name];
        delete flat[name];
        if (value !== undefined) {
            const values = count === 1 ? [value] : typeof value === 'string' ? Array(count).fill(value) : Array.from(value ?? []); // one word for all
            if (values.length !== count) throw new KugelError(name, `takes ${count} values`);
            numbers.set(values.map((x) => numberOf(name, x, write)), at);
        }
        at += count;
    }
    const rest = Object.keys(flat);
    if (rest.length) checkMembers(rest, [...others, ...fields.flatMap(([name]) => [name, name.split('.')[0]])]); // 'bounds.min' and 'bounds'
}

export function decode(numbers, fields) {
    const out = {};
    let at = 0;
    for (const [name, count, , read = (x) => x] of fields) {
        out[name] = count > 1 ? Array.from(numbers.subarray(at, at + count), read) : read(numbers[at]);
        at += count;
    }
    return out;
}
