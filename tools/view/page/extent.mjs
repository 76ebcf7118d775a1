// What a picture frames, and where up is. Positions are relative to the origin of the rows.
import { add, dot, length, scale, sub } from './math.mjs';

export const OPEN = 0, WALL = 1; // faces of the bounds
const FARTHEST_PLANE = 2, FARTHEST = 30; // limit for the distance of floors and shields that are framed, in extents of the bodies

export function upOf(scene) {
    const g = scene?.gravity ?? [0, 0, 0], k = [0, 1, 2].reduce((a, b) => (Math.abs(g[b]) > Math.abs(g[a]) ? b : a), 2);
    const up = [0, 0, 0];
    up[k] = g[k] > 0 ? -1 : 1;
    return up;
}

export const moved = (bounds, by) => ({ ...bounds, min: sub(bounds.min, by), max: sub(bounds.max, by) });

// The box to frame: closed sides of the bounds, most of the bodies, shields, and planes near or below the bodies,
// where `up` is up. Out: its centre, half its sides, half its diagonal.
export function extentOf(bounds, planes, shields, rows, row, up) {
    const low = [], high = [];
    for (let k = 0; k < 3; ++k) {
        const values = [];
        for (let i = 0; i < rows.length; i += row) values.push(rows[i + k] - rows[i + 3], rows[i + k] + rows[i + 3]);
        values.sort((a, b) => a - b);
        const skip = Math.floor(values.length * 0.005);
        low[k] = bounds.faces[2 * k] !== OPEN ? bounds.min[k] : values[skip] ?? -1;
        high[k] = bounds.faces[2 * k + 1] !== OPEN ? bounds.max[k] : values[values.length - 1 - skip] ?? 1;
    }
    const bodies = { middle: scale(add(low, high), 0.5), size: length(sub(high, low)) };
    for (const { center, semi_axes: axes, half } of shields) { // of a surface: a box
        const reach = half ?? Array(3).fill(Math.max(...axes));
        if (length(sub(center, bodies.middle)) + Math.max(...reach) > FARTHEST * bodies.size) continue;
        center.forEach((x, k) => { [low[k], high[k]] = [Math.min(low[k], x - reach[k]), Math.max(high[k], x + reach[k])]; });
    }
    for (const { normal, offset } of planes) {
        const center = scale(add(low, high), 0.5), gap = dot(center, normal) - offset;
        const farthest = gap > 0 && dot(normal, up) > 0.5 ? FARTHEST : FARTHEST_PLANE;
        if (Math.abs(gap) > farthest * length(sub(high, low))) continue;
        const foot = sub(center, scale(normal, gap));
        foot.forEach((x, k) => { [low[k], high[k]] = [Math.min(low[k], x), Math.max(high[k], x)]; });
    }
    return { center: scale(add(low, high), 0.5), half: scale(sub(high, low), 0.5), radius: length(sub(high, low)) / 2 };
}
