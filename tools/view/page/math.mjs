// Vectors are arrays of 3; matrices are Float32Array(16), column-major as in WebGL.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
export const unit = (a) => scale(a, 1 / (length(a) || 1));
export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

// Two unit vectors perpendicular to `n` and to each other.
export function tangents(n) {
    const u = unit(cross(n, Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
    return [u, cross(n, u)];
}

// Columns are the images of the three axes, scaled, and the position of the origin.
export const placed = (x, y, z, at) => new Float32Array([...x, 0, ...y, 0, ...z, 0, ...at, 1]);

// The axes of a unit quaternion x, y, z, w.
export function axesOf([x, y, z, w]) {
    return [[1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]];
}

export function multiply(a, b) {
    const out = new Float32Array(16);
    for (let c = 0; c < 4; ++c) {
        for (let r = 0; r < 4; ++r) {
            for (let k = 0; k < 4; ++k) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
        }
    }
    return out;
}

// The inverse of a view: axes that are perpendicular units, and a place.
export function inverseOf(m) {
    const axes = [0, 1, 2].map((k) => [m[k], m[4 + k], m[8 + k]]), at = [m[12], m[13], m[14]];
    return placed(...axes, [0, 1, 2].map((k) => -(m[4 * k] * at[0] + m[4 * k + 1] * at[1] + m[4 * k + 2] * at[2])));
}

// The rotation of a matrix, applied to a vector.
export const rotated = (m, v) => [0, 1, 2].map((k) => m[k] * v[0] + m[4 + k] * v[1] + m[8 + k] * v[2]);
