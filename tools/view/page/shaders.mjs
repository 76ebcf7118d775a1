// Shader programs, and the function that compiles them.

export function makeProgram(gl, vertex, fragment) {
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
        const shader = gl.createShader(type);
        gl.shaderSource(shader, `#version 300 es\nprecision highp float;\nprecision highp int;\n${text}`);
        gl.compileShader(shader);
        if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
        gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
        const name = gl.getActiveUniform(program, i).name;
        uniforms[name.replace('[0]', '')] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
}

// A ball as a point or a quad that covers its exact outline.
// AS_POINTS is defined for points. Balls beyond the largest point size, or with the centre outside of the
// picture, where points are clipped, are drawn as quads.
export const BALL_VERTEX = `
layout(location = 0) in vec4 place;
layout(location = 1) in vec4 turn;
layout(location = 2) in vec4 about;
uniform mat4 view;
uniform vec2 focal, size;
uniform float most, selected;
uniform int paint;
uniform vec2 range;
uniform vec3 ramp[6], plain[4];
flat out vec4 ball;
flat out vec4 orientation;
flat out vec3 tint;
flat out vec2 marks;

vec2 outline(float x, float depth, float r)
{
    float t = sqrt(max(x * x + depth * depth - r * r, 0.0));
    vec2 across = vec2(x * t - depth * r, x * t + depth * r), along = vec2(depth * t + x * r, depth * t - x * r);
    return vec2(along.x > 1e-6 * depth ? across.x / along.x : -1e3, along.y > 1e-6 * depth ? across.y / along.y : 1e3);
}

vec3 from_ramp(float x)
{
    float k = clamp(x, 0.0, 1.0) * 4.999;
    int i = int(k);
    return mix(ramp[i], ramp[i + 1], k - float(i));
}

vec3 paint_of()
{
    int kind = int(about.z);
    if (paint == 2) { /* every id its own: golden angle round the colours */
        vec3 wheel = 0.5 + 0.5 * cos(6.2832 * (fract(about.y * 0.618034) + vec3(0.0, 0.33, 0.67)));
        return mix(vec3(0.30, 0.32, 0.36), wheel, 0.72);
    }
    if (paint == 3) return (kind & 3) != 0 ? plain[3] : (kind & 4) != 0 ? plain[2] : about.w > 0.0 ? plain[1] : plain[0];
    if ((kind & 3) == 1) return plain[3];
    return from_ramp(((paint == 1 ? place.w : about.x) - range.x) / max(range.y - range.x, 1e-30));
}

void main()
{
    vec3 c = (view * vec4(place.xyz, 1.0)).xyz;
    float r = place.w, depth = -c.z;
    ball = vec4(c, r);
    orientation = turn;
    tint = paint_of();
    marks = vec2(about.y == selected ? 1.0 : 0.0, float((int(about.z) & 8) != 0));
    vec2 x = outline(c.x, depth, r) * focal.x, y = outline(c.y, depth, r) * focal.y;
    if (dot(c, c) <= r * r || depth < -r) x = y = vec2(4.0);
#ifdef AS_POINTS
    vec2 middle = 0.5 * vec2(x.x + x.y, y.x + y.y), extent = 0.5 * vec2(x.y - x.x, y.y - y.x) * size;
    gl_PointSize = max(extent.x, extent.y) + 1.0;
    bool fits = gl_PointSize <= most && all(lessThan(abs(middle), vec2(1.0)));
    gl_Position = fits ? vec4(middle, 0.0, 1.0) : vec4(4.0, 4.0, 4.0, 1.0);
#else
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(mix(vec2(x.x, y.x), vec2(x.y, y.y), corner), 0.0, 1.0);
#endif
}`;

// Intersects the pixel's ray with the ball; light, and a pattern of eight octants that rotates with it.
export const BALL_FRAGMENT = `
flat in vec4 ball;
flat in vec4 orientation;
flat in vec3 tint;
flat in vec2 marks;
uniform mat4 view;
uniform vec2 focal, size, depths; /* depths: of the projection */
uniform vec3 light, halfway, sky, accent;
uniform float near, pattern;
out vec4 colour;

vec3 turned_back(vec3 v, vec4 q) { return v + 2.0 * cross(-q.xyz, cross(-q.xyz, v) + q.w * v); }

void main()
{
    vec3 ray = vec3((gl_FragCoord.xy / size * 2.0 - 1.0) / focal, -1.0);
    float a = dot(ray, ray), middle = dot(ray, ball.xyz) / a, r = ball.w;
    vec3 off = ray * middle - ball.xyz;
    float aside = dot(off, off), inside = r * r - aside;
    if (inside <= 0.0) discard;
    float t = middle - sqrt(inside / a);
    if (t < near || (marks.y > 0.5 && ((int(gl_FragCoord.x) ^ int(gl_FragCoord.y)) & 1) == 0)) discard; /* sensors are half there */
    vec3 at = ray * t, n = (at - ball.xyz) / r, global = n * mat3(view), base = tint;
    float facing = -dot(n, ray) * inversesqrt(a), lit = max(dot(n, light), 0.0), shine = max(dot(n, halfway), 0.0);
    float pixels = ball.z < -r ? 0.5 * r * focal.y * size.y / -ball.z : 1e3; /* of the radius */
    if (pattern * pixels > 1.0) {
        vec3 own = clamp(turned_back(global, orientation) * (0.6 * pixels), -1.0, 1.0);
        base *= 1.0 + pattern * own.x * own.y * own.z * min(0.25 * pixels, 1.0);
    }
    shine *= shine, shine *= shine, shine *= shine, shine *= shine, shine *= shine; /* to the 32nd */
    vec3 c = base * (0.50 + 0.12 * dot(global, sky) + 0.60 * lit) * (0.72 + 0.28 * facing) + 0.22 * shine;
    if (marks.x > 0.5) c = mix(accent, c, smoothstep(0.25, 0.5, facing));
    colour = vec4(c, clamp((1.0 - sqrt(aside) / r) * pixels + 0.5, 0.0, 1.0));
    gl_FragDepth = 0.5 + 0.5 * (depths.x * at.z + depths.y) / -at.z;
}`;

// A flat patch with a grid: planes fade out, walls end.
export const PATCH_VERTEX = `
uniform mat4 both;
uniform vec3 middle, u, v;
uniform vec2 extent;
out vec2 on;
void main()
{
    on = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * extent;
    gl_Position = both * vec4(middle + u * on.x + v * on.y, 1.0);
}`;
export const PATCH_FRAGMENT = `
in vec2 on;
uniform vec2 extent, shift;
uniform vec3 ink;
uniform float grid, strength, fade;
out vec4 colour;
void main()
{
    vec2 at = (on + shift) / grid, wide = fwidth(at);
    vec2 line = 1.0 - smoothstep(vec2(0.4), vec2(1.1), abs(fract(at - 0.5) - 0.5) / wide);
    vec2 shown = line * clamp(0.35 / wide, 0.0, 1.0);
    float away = fade * length(on / extent), seen = max(shown.x, shown.y);
    float alpha = (0.10 + 0.38 * seen) * strength * (1.0 - smoothstep(0.25, 1.0, away));
    colour = vec4(ink, alpha);
}`;

export const LINE_VERTEX = `
layout(location = 0) in vec3 at;
uniform mat4 both;
void main() { gl_Position = both * vec4(at, 1.0); }`;
export const LINE_FRAGMENT = `
uniform vec4 ink;
out vec4 colour;
void main() { colour = ink; }`;

// Shields: an ellipsoid is a scaled unit ball of triangles; transparent where it faces the eye.
export const SHELL_VERTEX = `
layout(location = 0) in vec3 at;
uniform mat4 view, projection, model;
out vec3 n, p;
void main()
{
    vec4 there = view * model * vec4(at, 1.0);
    vec3 axes = vec3(dot(model[0], model[0]), dot(model[1], model[1]), dot(model[2], model[2]));
    n = mat3(view) * mat3(model) * (at / max(axes, vec3(1e-12)));
    p = there.xyz;
    gl_Position = projection * there;
}`;
export const SHELL_FRAGMENT = `
in vec3 n, p;
uniform vec3 ink;
out vec4 colour;
void main()
{
    float rim = 1.0 - abs(dot(normalize(n), normalize(p)));
    colour = vec4(ink, 0.08 + 0.5 * rim * rim * rim);
}`;

// Surfaces: no normals are stored, since each triangle has one; both sides are seen.
export const SHEET_VERTEX = `
layout(location = 0) in vec3 at;
uniform mat4 view, projection, model;
out vec3 p;
void main()
{
    vec4 there = view * model * vec4(at, 1.0);
    p = there.xyz;
    gl_Position = projection * there;
}`;
export const SHEET_FRAGMENT = `
in vec3 p;
uniform vec3 ink;
out vec4 colour;
void main()
{
    float facing = abs(dot(normalize(cross(dFdx(p), dFdy(p))), normalize(p)));
    colour = vec4(ink, 0.12 + 0.28 * (1.0 - facing));
}`;

// Light without a body: impacts and the ends of beams.
export const GLOW_VERTEX = `
layout(location = 0) in vec4 place;
layout(location = 1) in float bright;
uniform mat4 view, projection;
uniform float scale, most;
out float strength;
void main()
{
    vec4 there = view * vec4(place.xyz, 1.0);
    there.xyz -= normalize(there.xyz) * place.w * 0.5; /* before the bodies that touch there */
    gl_Position = projection * there;
    gl_PointSize = clamp(scale * place.w / max(-there.z, 1e-6), 3.0, most);
    strength = bright;
}`;
export const GLOW_FRAGMENT = `
in float strength;
uniform vec3 ink;
out vec4 colour;
void main()
{
    float d = length(gl_PointCoord * 2.0 - 1.0), core = max(1.0 - d, 0.0);
    colour = vec4(ink, strength * core * core);
}`;
