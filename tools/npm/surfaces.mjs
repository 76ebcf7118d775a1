// Surfaces of a world. package_surfaces.c has the other side of these calls.

import { decode, encode, handleOf, KugelError, numberOf, SURFACE, SURFACE_INFO, vectorOf } from './values.mjs';

// The bytes of an array with three numbers a row.
function bytesOf(name, values, Kind) {
    if (!(values?.length > 0 && values.length % 3 === 0)) throw new KugelError(name, 'takes an array with 3 numbers for each of them');
    return new Uint8Array(Kind.from(values, (x) => numberOf(name, x)).buffer);
}

// Returns the handle, or a negative status. A surface that surfacesOf returned, which has an `info`, is a definition, too: what
// it tells beyond one, and what shows a solid shape, are not used.
export function createSurface({ c, numbers, put }, world, { vertices, triangles, handle, index, info, ...given }) {
    const solid = (given.shape ?? 'mesh') !== 'mesh';
    if (solid && !info && (vertices || triangles)) throw new KugelError('shape', 'a solid shape has no vertices and triangles');
    const place = bytesOf('vertices', solid ? [0, 0, 0] : vertices, Float64Array);
    const corners = bytesOf('triangles', solid ? [0, 0, 0] : triangles, Uint32Array);
    c.js_surface_defaults();
    encode(numbers(), SURFACE, given, ['vertices', 'triangles']);
    const blocks = [];
    try {
        blocks.push(put(place));
        blocks.push(put(corners));
        return c.js_surface_create(world, blocks[0], place.length / 24, blocks[1], corners.length / 12);
    } finally {
        blocks.forEach((block) => c.js_free(block));
    }
}

// A surface of shape 'plane' by its normal and offset. Returns as createSurface.
export function createPlane({ c, numbers }, world, { normal = [0, 0, 1], offset = 0, ...given }) {
    numbers().set([...vectorOf('normal', normal), numberOf('offset', offset)]);
    c.js_surface_plane();
    encode(numbers(), SURFACE, given);
    return c.js_surface_create(world, 0, 0, 0, 0);
}

// Place a surface, or set its motion.
export function setPlaceOrMotion({ c, numbers }, world, surface, values, isPlace) {
    numbers().set(values);
    return c.js_surface_move(world, handleOf(surface, 'surface'), isPlace);
}

// The surfaces in order of their index, with copies of their meshes.
export function surfacesOf({ c, world, numbers }) {
    const found = [], end = world ? c.js_surface_end(world) : 0, size = SURFACE.reduce((sum, [, count]) => sum + count, 0);
    for (let index = 0; index < end; ++index) {
        const handle = c.js_world_surface(world, index);
        if (c.js_surface_get(world, handle)) continue;
        const n = numbers(), [vertices, vertexCount, triangles, triangleCount] = n.subarray(size + SURFACE_INFO.length);
        found.push({
            handle, index, ...decode(n, SURFACE), info: decode(n.subarray(size), SURFACE_INFO),
            vertices: new Float64Array(c.memory.buffer, vertices, 3 * vertexCount).slice(),
            triangles: new Uint32Array(c.memory.buffer, triangles, 3 * triangleCount).slice(),
        });
    }
    return found;
}
