// Bounds, planes, ellipsoids and beams. Positions are relative to the origin of the rows.
import { add, axesOf, cross, dot, length, multiply, placed, scale, sub, tangents, unit } from './math.mjs';
import { LINE_FRAGMENT, LINE_VERTEX, makeProgram, PATCH_FRAGMENT, PATCH_VERTEX, SHELL_FRAGMENT, SHELL_VERTEX } from './shaders.mjs';

const OPEN = 0, WALL = 1;
const BEAM_TICKS = 12; // visible duration of a beam
const FARTHEST_PLANE = 2, FARTHEST = 30; // limit for the distance of floors and shields that are framed, in extents of the bodies
const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

// Spacing of grid lines: 1, 2 or 5 times a power of ten.
function gridStep(reach) {
    const power = 10 ** Math.floor(Math.log10(reach / 4));
    return [1, 2, 5, 10].map((k) => k * power).find((s) => s >= reach / 8);
}

function boxPatches(bounds) {
    const patches = [];
    for (let f = 0; f < 6; ++f) {
        const k = f >> 1, a = (k + 1) % 3, b = (k + 2) % 3;
        const closed = [a, b].every((j) => bounds.faces[2 * j] !== OPEN && bounds.faces[2 * j + 1] !== OPEN);
        if (bounds.faces[f] !== WALL || !closed) continue;
        const middle = [0, 1, 2].map((j) => (bounds.min[j] + bounds.max[j]) / 2);
        middle[k] = f % 2 ? bounds.max[k] : bounds.min[k];
        patches.push({ middle, u: AXES[a], v: AXES[b], normal: scale(AXES[k], f % 2 ? -1 : 1), fade: 0,
            extent: [(bounds.max[a] - bounds.min[a]) / 2, (bounds.max[b] - bounds.min[b]) / 2] });
    }
    return patches;
}

function boxEdges(bounds) {
    const at = [];
    for (let k = 0; k < 3; ++k) {
        const a = (k + 1) % 3, b = (k + 2) % 3;
        if (bounds.faces[2 * k] === OPEN || bounds.faces[2 * k + 1] === OPEN) continue;
        for (let c = 0; c < 4; ++c) {
            const f = 2 * a + (c & 1), g = 2 * b + (c >> 1);
            if (bounds.faces[f] === OPEN || bounds.faces[g] === OPEN) continue;
            const from = [0, 0, 0];
            from[a] = c & 1 ? bounds.max[a] : bounds.min[a];
            from[b] = c >> 1 ? bounds.max[b] : bounds.min[b];
            from[k] = bounds.min[k];
            const to = [...from];
            to[k] = bounds.max[k];
            at.push(...from, ...to);
        }
    }
    return at;
}

// A ball of triangles, radius 1.
function unitBall() {
    const at = [], rings = 24, columns = 48;
    const corner = (i, j) => {
        const p = Math.PI * i / rings, q = 2 * Math.PI * j / columns;
        return [Math.sin(p) * Math.cos(q), Math.sin(p) * Math.sin(q), Math.cos(p)];
    };
    for (let i = 0; i < rings; ++i) {
        for (let j = 0; j < columns; ++j) {
            const [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            at.push(...a, ...b, ...c, ...a, ...c, ...d);
        }
    }
    return new Float32Array(at);
}

function fixedArray(gl, values) {
    const array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    return { array, buffer, count: values.length / 3 };
}

// bounds and planes from the engine, ellipsoids from the scene; all relative to the origin.
export function makeSurroundings(gl, bounds, planes, ellipsoids, reach) {
    const patch = makeProgram(gl, PATCH_VERTEX, PATCH_FRAGMENT), shell = makeProgram(gl, SHELL_VERTEX, SHELL_FRAGMENT);
    const line = makeProgram(gl, LINE_VERTEX, LINE_FRAGMENT);
    const edges = fixedArray(gl, new Float32Array(boxEdges(bounds))), ball = fixedArray(gl, unitBall());
    const ribbon = fixedArray(gl, new Float32Array(0)), walls = boxPatches(bounds), grid = gridStep(reach);
    const shells = ellipsoids.map((e) => {
        const axes = axesOf(e.rotation ?? [0, 0, 0, 1]).map((a, k) => scale(a, e.semi_axes[k]));
        return placed(...axes, e.center);
    });
    const wide = (planes.length > 1 ? 1.5 : 3) * reach; // one plane is a floor; several would hide each other
    const floors = planes.map(({ normal, offset }) => {
        const [u, v] = tangents(normal);
        return { middle: scale(normal, offset), u, v, normal, extent: [wide, wide], fade: 1 };
    });

    function drawPatch(s, p, ink) {
        const toward = dot(sub(s.eye, p.middle), p.normal);
        if (toward < 0 && !p.fade) return; /* walls are seen from within only */
        gl.uniform3fv(patch.uniforms.middle, p.middle);
        gl.uniform3fv(patch.uniforms.u, p.u);
        gl.uniform3fv(patch.uniforms.v, p.v);
        gl.uniform2fv(patch.uniforms.extent, p.extent);
        gl.uniform2f(patch.uniforms.shift, ...(p.fade ? [0, 0] : p.extent));
        gl.uniform1f(patch.uniforms.grid, grid);
        gl.uniform1f(patch.uniforms.fade, p.fade);
        gl.uniform1f(patch.uniforms.strength, (p.fade ? 1 : 0.55) * (toward < 0 ? 0.35 : 1));
        gl.uniform3fv(patch.uniforms.ink, ink);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }

    return {
        draw(s, ink) {
            const both = multiply(s.projection, s.view);
            gl.useProgram(patch.program);
            gl.uniformMatrix4fv(patch.uniforms.both, false, both);
            gl.bindVertexArray(null);
            for (const p of [...floors, ...walls]) drawPatch(s, p, ink);
            gl.useProgram(line.program);
            gl.uniformMatrix4fv(line.uniforms.both, false, both);
            gl.uniform4f(line.uniforms.ink, ...ink, 0.55);
            gl.bindVertexArray(edges.array);
            gl.drawArrays(gl.LINES, 0, edges.count);
        },
        drawShells(s, ink) {
            gl.useProgram(shell.program);
            gl.uniformMatrix4fv(shell.uniforms.view, false, s.view);
            gl.uniformMatrix4fv(shell.uniforms.projection, false, s.projection);
            gl.uniform3fv(shell.uniforms.ink, ink);
            gl.bindVertexArray(ball.array);
            for (const model of shells) {
                gl.uniformMatrix4fv(shell.uniforms.model, false, model);
                gl.drawArrays(gl.TRIANGLES, 0, ball.count);
            }
        },
        // beams: {from, to, strength} of each, drawn as ribbons facing the eye
        drawBeams(s, beams, ink) {
            gl.useProgram(line.program);
            gl.uniformMatrix4fv(line.uniforms.both, false, multiply(s.projection, s.view));
            gl.bindVertexArray(ribbon.array);
            gl.bindBuffer(gl.ARRAY_BUFFER, ribbon.buffer);
            for (const { from, to, strength } of beams) {
                for (const [wide, alpha] of [[0.012, 0.25], [0.004, 1]]) {
                    const side = scale(unit(cross(sub(to, from), sub(s.eye, scale(add(from, to), 0.5)))), wide * reach);
                    const at = [sub(from, side), add(from, side), sub(to, side), add(to, side)].flat();
                    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(at), gl.DYNAMIC_DRAW);
                    gl.uniform4f(line.uniforms.ink, ...ink, strength * alpha);
                    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
                }
            }
        },
    };
}

// The scene's beams: each is queried when its tick is shown, then fades.
export function makeBeams(engine, scene, origin) {
    const known = new Map(), beams = (scene?.beams ?? []).map((beam) => ({ tick: 0, length: 1e15, ...beam }));
    return {
        // The state after `tick` steps is the engine's.
        note(tick) {
            beams.forEach((beam, index) => {
                if (beam.tick !== tick || known.has(index)) return;
                const met = engine.beam(beam.origin, unit(beam.direction), beam.length);
                const to = met.kind ? met.point : add(beam.origin, scale(unit(beam.direction), beam.length));
                known.set(index, { tick, from: sub(beam.origin, origin), to: sub(to, origin), hit: met.kind > 0 });
            });
        },
        seen(tick) {
            return [...known.values()].filter((b) => tick >= b.tick && tick < b.tick + BEAM_TICKS)
                .map((b) => ({ ...b, strength: 1 - (tick - b.tick) / BEAM_TICKS }));
        },
    };
}

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
