// Draws bodies and glows. In: rows of the engine, a camera. Out: the picture in a canvas.
// Bodies are points in one draw call, from back to front, so that their outlines blend with what is behind them; those that
// points cannot show are quads.
import { ROW } from './engine.mjs';
import { add, clamp, unit } from './math.mjs';
import { BALL_FRAGMENT, BALL_VERTEX, GLOW_FRAGMENT, GLOW_VERTEX, makeProgram } from './shaders.mjs';

export const PAINTS = ['speed', 'radius', 'id', 'sleep', 'material'];
export const RAMP = ['#5f7fe6', '#2aa0dc', '#3fcf9f', '#f1d044', '#f08331', '#dc3c46'];
export const PLAIN = { moving: '#4d9de8', resting: '#f0b13f', asleep: '#7c7f9c', fixed: '#8d949e' };

const BUCKETS = 4096; // of depths, in the order of bodies

export const toRgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);

function attribute(gl, index, count, stride, offset, divisor) {
    gl.enableVertexAttribArray(index);
    gl.vertexAttribPointer(index, count, gl.FLOAT, false, stride, offset);
    gl.vertexAttribDivisor(index, divisor);
}

function ballArray(gl, divisor) {
    const array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    for (let k = 0; k < 3; ++k) attribute(gl, k, 4, 4 * ROW, 16 * k, divisor);
    return { array, buffer };
}

export function makeBodies(gl) {
    const points = makeProgram(gl, `#define AS_POINTS\n${BALL_VERTEX}`, BALL_FRAGMENT);
    const quads = makeProgram(gl, BALL_VERTEX, BALL_FRAGMENT);
    const all = ballArray(gl, 0), large = ballArray(gl, 1);
    const most = gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE)[1];
    const order = gl.createBuffer();
    let rows = new Float32Array(0), sorted = new Uint32Array(0), buckets = new Uint16Array(0);

    gl.bindVertexArray(all.array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, order);

    // Numbers of the bodies from back to front: a counting sort by depth.
    function sort(view) {
        const count = rows.length / ROW, [a, b, c] = [view[2], view[6], view[10]], starts = new Uint32Array(BUCKETS + 1);
        if (sorted.length !== count) [sorted, buckets] = [new Uint32Array(count), new Uint16Array(count)];
        let low = Infinity, high = -Infinity;
        for (let at = 0; at < rows.length; at += ROW) {
            const z = a * rows[at] + b * rows[at + 1] + c * rows[at + 2]; // grows towards the eye
            if (z < low) low = z;
            if (z > high) high = z;
        }
        const times = (BUCKETS - 1) / (high - low || 1);
        for (let i = 0, at = 0; i < count; ++i, at += ROW) {
            buckets[i] = (a * rows[at] + b * rows[at + 1] + c * rows[at + 2] - low) * times;
            starts[buckets[i] + 1] += 1;
        }
        for (let k = 0; k < BUCKETS; ++k) starts[k + 1] += starts[k];
        for (let i = 0; i < count; ++i) sorted[starts[buckets[i]]++] = i;
    }

    // Rows that points cannot show: too large on the screen, or with the centre outside.
    function pickLarge(view, lens, width, height) {
        const out = [];
        const pixels = Math.max(lens.focal[0] * width, lens.focal[1] * height);
        for (let i = 0; i < rows.length; i += ROW) {
            const x = rows[i], y = rows[i + 1], z = rows[i + 2], r = rows[i + 3];
            const depth = -(view[2] * x + view[6] * y + view[10] * z + view[14]);
            if (depth < -r) continue;
            const a = Math.abs(view[0] * x + view[4] * y + view[8] * z + view[12]) * lens.focal[0];
            const b = Math.abs(view[1] * x + view[5] * y + view[9] * z + view[13]) * lens.focal[1];
            const wide = r * 1.5 * pixels / width, high = r * 1.5 * pixels / height;
            if (a > depth + 2 * wide && depth > r || b > depth + 2 * high && depth > r) continue;
            const near = depth - r, size = near > 0 ? pixels * r / near * 1.5 : Infinity;
            if (size > most * 0.9 || a > 0.97 * depth || b > 0.97 * depth) out.push(...rows.subarray(i, i + ROW));
        }
        return new Float32Array(out);
    }

    function use({ program, uniforms }, s) {
        gl.useProgram(program);
        gl.uniformMatrix4fv(uniforms.view, false, s.view);
        gl.uniform2fv(uniforms.focal, s.lens.focal);
        gl.uniform2f(uniforms.size, s.width, s.height);
        gl.uniform2f(uniforms.depths, s.projection[10], s.projection[14]);
        gl.uniform1f(uniforms.most, most);
        gl.uniform1f(uniforms.near, s.lens.near);
        gl.uniform1f(uniforms.selected, s.selected);
        gl.uniform1f(uniforms.pattern, s.marks ? 0.3 : 0);
        gl.uniform1i(uniforms.paint, s.paint);
        gl.uniform2fv(uniforms.range, s.range);
        gl.uniform3fv(uniforms.ramp, RAMP.flatMap(toRgb));
        gl.uniform3fv(uniforms.plain, Object.values(PLAIN).flatMap(toRgb));
        gl.uniform3fv(uniforms.sun, s.sunOfEye);
        gl.uniform3fv(uniforms.halfway, unit(add(s.sunOfEye, [0, 0, 1])));
        s.shadows.use(uniforms, s.lightOfEye);
        gl.uniform3fv(uniforms.sky, s.up);
        gl.uniform3fv(uniforms.accent, s.accent);
    }

    return {
        // New rows; kept.
        set(newRows) {
            rows = newRows;
            gl.bindBuffer(gl.ARRAY_BUFFER, all.buffer);
            gl.bufferData(gl.ARRAY_BUFFER, rows, gl.DYNAMIC_DRAW);
        },
        count: () => rows.length / ROW,
        // All bodies as points, for another program that is in use.
        drawPoints() {
            gl.bindVertexArray(all.array);
            gl.drawArrays(gl.POINTS, 0, rows.length / ROW);
        },
        draw(s) {
            sort(s.view);
            gl.bindVertexArray(all.array);
            use(points, s);
            gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, sorted, gl.DYNAMIC_DRAW);
            gl.drawElements(gl.POINTS, sorted.length, gl.UNSIGNED_INT, 0);
            const few = pickLarge(s.view, s.lens, s.width, s.height);
            if (!few.length) return;
            use(quads, s);
            gl.bindVertexArray(large.array);
            gl.bindBuffer(gl.ARRAY_BUFFER, large.buffer);
            gl.bufferData(gl.ARRAY_BUFFER, few, gl.DYNAMIC_DRAW);
            gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, few.length / ROW);
        },
    };
}

export function makeGlows(gl) {
    const { program, uniforms } = makeProgram(gl, GLOW_VERTEX, GLOW_FRAGMENT);
    const array = gl.createVertexArray(), buffer = gl.createBuffer();
    const most = gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE)[1];
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    attribute(gl, 0, 4, 20, 0, 0);
    attribute(gl, 1, 1, 20, 16, 0);
    // values: position, size (m), strength of each
    return (s, values, ink) => {
        gl.useProgram(program);
        gl.uniformMatrix4fv(uniforms.view, false, s.view);
        gl.uniformMatrix4fv(uniforms.projection, false, s.projection);
        gl.uniform1f(uniforms.scale, s.lens.focal[1] * s.height);
        gl.uniform1f(uniforms.most, most);
        gl.uniform3fv(uniforms.ink, ink);
        gl.bindVertexArray(array);
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.DYNAMIC_DRAW);
        gl.drawArrays(gl.POINTS, 0, values.length / 5);
    };
}

// Range of the value that colours the bodies; a few outliers are ignored.
export function rangeOf(rows, paint) {
    const column = paint === 1 ? 3 : 8, values = [];
    const step = Math.max(1, Math.floor(rows.length / ROW / 2000)) * ROW;
    for (let i = 0; i < rows.length; i += step) {
        if ((rows[i + 10] & 3) !== 1) values.push(rows[i + column]);
    }
    values.sort((a, b) => a - b);
    const last = values.length - 1;
    if (last < 0) return [0, 1];
    const high = values[clamp(Math.ceil(last * 0.99), 0, last)];
    return paint === 1 ? [values[0], high] : [0, high];
}
