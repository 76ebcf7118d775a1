// Surfaces of triangles: transparent, shaded by the direction of each triangle. Corners are uploaded once, places are
// those of the state that is shown, relative to the origin of the rows.
import { add, axesOf, placed, scale, sub } from './math.mjs';
import { makeProgram, SHEET_FRAGMENT, SHEET_VERTEX } from './shaders.mjs';

function upload(gl, corners) {
    const array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    return { array, buffer, corners, count: corners.length / 3 };
}

export function makeSheets(gl, origin) {
    const { program, uniforms } = makeProgram(gl, SHEET_VERTEX, SHEET_FRAGMENT);
    const meshes = new Map(); // by index
    let surfaces = [];

    return {
        // The surfaces of the state; those that are new have corners.
        set(given) {
            surfaces = given;
            for (const { index, corners } of surfaces) {
                const old = meshes.get(index);
                if (!corners) continue;
                if (old) [gl.deleteVertexArray(old.array), gl.deleteBuffer(old.buffer)];
                meshes.set(index, upload(gl, corners));
            }
        },
        // A box around each surface, for the picture's extent.
        boxes: () => surfaces.filter((s) => meshes.get(s.index).count).map((s) => {
            const { corners } = meshes.get(s.index), axes = axesOf(s.rotation), from = sub(s.position, origin);
            const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
            for (let i = 0; i < corners.length; i += 3) {
                for (let k = 0; k < 3; ++k) {
                    const x = from[k] + axes[0][k] * corners[i] + axes[1][k] * corners[i + 1] + axes[2][k] * corners[i + 2];
                    [low[k], high[k]] = [Math.min(low[k], x), Math.max(high[k], x)];
                }
            }
            return { center: scale(add(low, high), 0.5), half: scale(sub(high, low), 0.5) };
        }),
        draw(s, ink) {
            gl.useProgram(program);
            gl.uniformMatrix4fv(uniforms.view, false, s.view);
            gl.uniformMatrix4fv(uniforms.projection, false, s.projection);
            gl.uniform3fv(uniforms.ink, ink);
            gl.uniform3fv(uniforms.sun, s.sunOfEye);
            s.shadows.use(uniforms, s.lightOfEye);
            for (const { index, rotation, position } of surfaces) {
                const mesh = meshes.get(index);
                gl.uniformMatrix4fv(uniforms.model, false, placed(...axesOf(rotation), sub(position, origin)));
                gl.bindVertexArray(mesh.array);
                gl.drawArrays(gl.TRIANGLES, 0, mesh.count);
            }
        },
    };
}
