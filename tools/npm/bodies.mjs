// Definitions of many bodies as rows of doubles, in the order of BODY. A member of the definition is a value for all bodies, or
// a list with a value for each.

import { BODY, encode, isAnyNumber, KugelError, numberOf, numbersOf, objectOf } from './values.mjs';

const WIDTH = BODY.reduce((sum, [, size]) => sum + size, 0);

const lengthOf = (value) => (typeof value === 'object' && value !== null && Number.isInteger(value.length) ? value.length : null);

// The numbers of a list with `size` values for each of `count` bodies.
function columnOf(name, given, size, count, write) {
    if (lengthOf(given) !== size * count) throw new KugelError(name, `takes ${size} values, or ${size} for each of ${count} bodies, not ${lengthOf(given)}`);
    return isAnyNumber(name, write) ? numbersOf(name, given) : Array.from(given, (x) => numberOf(name, x, write));
}

// In: numbers with the defaults of a body, which are overwritten. Out: the rows and their number.
export function rowsOf(numbers, position, def) {
    const places = numbersOf('position', position), count = places.length / 3, common = { ...objectOf('def', def) }, columns = [];
    if (!Number.isInteger(count)) throw new KugelError('position', `takes 3 numbers for each body, not ${places.length} in all`);
    if ('position' in common) throw new KugelError('def.position', 'is an argument of its own');
    let at = 0;
    for (const [name, size, write] of BODY) {
        const length = name === 'position' ? null : lengthOf(common[name]);
        if (name === 'position') columns.push([at, size, places]);
        else if (length !== null && (size === 1 || length !== size)) {
            columns.push([at, size, columnOf(name, common[name], size, count, write)]);
            delete common[name];
        }
        at += size;
    }
    encode(numbers, BODY, common);
    const rows = new Float64Array(count * WIDTH), row = numbers.slice(0, WIDTH);
    for (let k = 0; k < count; ++k) rows.set(row, k * WIDTH);
    for (const [start, size, values] of columns) {
        for (let k = 0; k < count; ++k) for (let j = 0; j < size; ++j) rows[k * WIDTH + start + j] = values[k * size + j];
    }
    return { count, rows };
}
