// Shadows of the bodies in the light of a distant sun: a picture of depths seen from the sun, sampled softly by the other
// programs. A ball is drawn as its disc across the light: what the sun lights is before the disc, the rest behind it, so
// that no ball shades itself and no offset is needed.
import { multiply, placed, scale, tangents } from './math.mjs';
import { makeProgram, SHADOW_FRAGMENT, SHADOW_VERTEX } from './shaders.mjs';

const SIZE = 1024; // pixels of the depths
// Places of the samples on a spiral, in pixels; each takes four of them.
const SOFTNESS = 3;
const SAMPLES = [...Array(8).keys()].flatMap((k) => {
    const angle = 2.39996 * k, far = SOFTNESS * Math.sqrt((k + 0.5) / 8);
    return [far * Math.cos(angle) / SIZE, far * Math.sin(angle) / SIZE];
});

const SLOW = 2000; // bodies whose shadows take a software renderer too long

// software: true if no graphics processor draws
export function makeShadows(gl, software) {
    const { program, uniforms } = makeProgram(gl, SHADOW_VERTEX, SHADOW_FRAGMENT);
    const most = gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE)[1];
    const depths = gl.createTexture(), frame = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, depths);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SIZE, SIZE);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
        [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL]]) {
        gl.texParameteri(gl.TEXTURE_2D, name, value);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depths, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    let on = true;

    return {
        // Positions to the depths' picture, -1 ... 1: within `radius` of a centre across the light, `depth` along it.
        matrix(sun, center, radius, depth) {
            const [u, v] = tangents(sun), axes = [scale(u, 1 / radius), scale(v, 1 / radius), scale(sun, -1 / depth)];
            const columns = [0, 1, 2].map((k) => axes.map((axis) => axis[k]));
            return multiply(placed(...columns, [0, 0, 0]), placed([1, 0, 0], [0, 1, 0], [0, 0, 1], scale(center, -1)));
        },
        draw(light, radius, bodies) {
            on = !software || bodies.count() <= SLOW;
            if (!on) return;
            gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
            gl.viewport(0, 0, SIZE, SIZE);
            gl.clear(gl.DEPTH_BUFFER_BIT);
            gl.useProgram(program);
            gl.uniformMatrix4fv(uniforms.light, false, light);
            gl.uniform1f(uniforms.scale, SIZE / radius);
            gl.uniform1f(uniforms.most, most);
            bodies.drawPoints();
            gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        },
        // For a program in use whose positions `light` takes to the depths' picture.
        use(others, light) {
            gl.activeTexture(gl.TEXTURE0);
            gl.bindTexture(gl.TEXTURE_2D, depths);
            gl.uniform1i(others.depths_of_light, 0);
            gl.uniform2fv(others.samples, SAMPLES);
            gl.uniform1i(others.sample_count, on ? SAMPLES.length / 2 : 0);
            gl.uniformMatrix4fv(others.light, false, light);
        },
    };
}
