// Triangles of simple shapes for createSurface. package_shapes.c has the other side of these calls.

import { checkMembers, KugelError, numberOf, objectOf, oneOf, vectorOf } from './values.mjs';

const [writeCaps] = oneOf(['none', 'from', 'to', 'both']);
const SEGMENTS = 32;

// Name; members of the shape with their default, whose sizes are those of the default; what js_shape takes as n and m.
const SHAPES = [
    ['rectangle', { corner: [0, 0, 0], a: [1, 0, 0], b: [0, 1, 0] }],
    ['box', { half: [0.5, 0.5, 0.5] }],
    ['heightField', { origin: [0, 0, 0], dx: 1, dy: 1 }, 'nx', 'ny'],
    ['disc', { center: [0, 0, 0], normal: [0, 0, 1], radius: 0.5 }, 'segments'],
    ['cone', { from: [0, 0, 0], to: [0, 0, 1], radiusFrom: 0.5, radiusTo: 0 }, 'segments', 'caps'],
    ['capsule', { from: [0, 0, 0], to: [0, 0, 1], radius: 0.5 }, 'segments'],
];
const COUNTS = { segments: SEGMENTS, caps: 'both', nx: undefined, ny: undefined };

function countOf(name, value) {
    if (!name) return 0;
    const count = name === 'caps' ? numberOf(name, value, writeCaps) : value;
    if (!(Number.isInteger(count) && count >= 0 && count <= 1 << 26)) throw new KugelError(name, 'is no whole number, or too large');
    return count;
}

export function shapesOf({ c, numbers, allocate, put, bytes }) {
    return Object.fromEntries(SHAPES.map(([shape, members, ...counts], kind) => [shape, (given = {}) => {
        const known = [...Object.keys(members), ...counts, ...(shape === 'heightField' ? ['heights'] : [])];
        checkMembers(Object.keys(objectOf('shape', given)), known);
        const values = Object.entries(members).flatMap(([name, value]) => (Array.isArray(value)
            ? vectorOf(name, given[name] ?? value) : [numberOf(name, given[name] ?? value)]));
        const [n, m] = [0, 1].map((k) => countOf(counts[k], given[counts[k]] ?? COUNTS[counts[k]]));
        if (shape === 'heightField' && given.heights?.length !== n * m) throw new KugelError('heights', 'takes nx ny values');
        const blocks = [];
        try {
            const heights = shape === 'heightField' ? put(new Uint8Array(Float64Array.from(given.heights, (x) => numberOf('heights', x)).buffer)) : 0;
            blocks.push(heights);
            c.js_shape_room(kind, n, m);
            const [vertexCount, triangleRoom] = numbers();
            blocks.push(allocate(24 * vertexCount));
            blocks.push(allocate(12 * triangleRoom));
            numbers().set(values);
            if (c.js_shape(kind, n, m, ...blocks)) throw new KugelError(shape, 'has a value out of its range');
            const [triangleCount] = numbers();
            return {
                vertices: new Float64Array(bytes(blocks[1], 24 * vertexCount).buffer),
                triangles: new Uint32Array(bytes(blocks[2], 12 * triangleCount).buffer),
            };
        } finally {
            blocks.forEach((block) => c.js_free(block));
        }
    }]));
}
