// Shader programs, and the function that compiles them.

export function makeProgram(gl, vertex, fragment) {
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
        const shader = gl.createShader(type);
        gl.shaderSource(shader, `#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2DShadow;\n${text}`);
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

// The share of the sun's light that reaches a place; see shadows.mjs.
const LIT = `
uniform sampler2DShadow depths_of_light;
uniform mat4 light;
uniform vec2 samples[8];
uniform int sample_count; /* 0: no shadows */
float lit_at(vec3 place)
{
    vec3 at = (light * vec4(place, 1.0)).xyz * 0.5 + 0.5;
    if (sample_count == 0 || any(greaterThan(abs(at - 0.5), vec3(0.5)))) return 1.0;
    float sum = 0.0;
    for (int k = 0; k < sample_count; ++k) sum += texture(depths_of_light, vec3(at.xy + samples[k], at.z - 1e-5));
    return sum / float(sample_count);
}`;

// The disc of a ball across the light.
export const SHADOW_VERTEX = `
layout(location = 0) in vec4 place;
layout(location = 2) in vec4 about;
uniform mat4 light;
uniform float scale, most;
void main()
{
    gl_Position = light * vec4(place.xyz, (int(about.z) & 8) != 0 ? 0.0 : 1.0);
    if (gl_Position.w == 0.0) gl_Position = vec4(4.0, 4.0, 4.0, 1.0); /* sensors have no shadow */
    gl_PointSize = min(scale * place.w, most);
}`;
export const SHADOW_FRAGMENT = `
void main()
{
    vec2 at = gl_PointCoord * 2.0 - 1.0;
    if (dot(at, at) > 1.0) discard;
}`;

// A ball as a point or a quad that covers its exact outline and the half pixel around it.
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
flat out vec4 rotation;
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
    if (paint == 2 || paint == 4) { /* every id or material its own: golden angle round the colours */
        float turns = (paint == 2 ? about.y : float(kind >> 4)) * 0.618034;
        vec3 wheel = 0.5 + 0.5 * cos(6.2832 * (fract(turns) + vec3(0.0, 0.33, 0.67)));
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
    rotation = turn;
    tint = paint_of();
    marks = vec2(about.y == selected ? 1.0 : 0.0, float((int(about.z) & 8) != 0));
    vec2 x = outline(c.x, depth, r) * focal.x, y = outline(c.y, depth, r) * focal.y;
    if (dot(c, c) <= r * r || depth < -r) x = y = vec2(4.0);
#ifdef AS_POINTS
    vec2 middle = 0.5 * vec2(x.x + x.y, y.x + y.y), extent = 0.5 * vec2(x.y - x.x, y.y - y.x) * size;
    gl_PointSize = max(extent.x, extent.y) + 2.0;
    bool fits = gl_PointSize <= most && all(lessThan(abs(middle), vec2(1.0)));
    gl_Position = fits ? vec4(middle, 0.0, 1.0) : vec4(4.0, 4.0, 4.0, 1.0);
#else
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(mix(vec2(x.x, y.x), vec2(x.y, y.y), corner) + (corner * 2.0 - 1.0) * 2.0 / size, 0.0, 1.0);
#endif
}`;

// Intersects the pixel's ray with the ball; light, shadows, and a soft pattern of eight octants that rotates with it. The
// alpha of the outline is the share of the pixel that the ball covers: balls are drawn from back to front.
export const BALL_FRAGMENT = `
flat in vec4 ball;
flat in vec4 rotation;
flat in vec3 tint;
flat in vec2 marks;
uniform mat4 view;
uniform vec2 focal, size, depths; /* depths: of the projection */
uniform vec3 sun, halfway, sky, accent;
uniform float near, pattern;
out vec4 colour;
${LIT}

vec3 turned_back(vec3 v, vec4 q) { return v + 2.0 * cross(-q.xyz, cross(-q.xyz, v) + q.w * v); }

void main()
{
    vec3 ray = vec3((gl_FragCoord.xy / size * 2.0 - 1.0) / focal, -1.0);
    float a = dot(ray, ray), middle = dot(ray, ball.xyz) / a, r = ball.w;
    vec3 off = ray * middle - ball.xyz;
    float aside = dot(off, off), t = middle - sqrt(max(r * r - aside, 0.0) / a);
    float pixels = ball.z < -r ? 0.5 * r * focal.y * size.y / -ball.z : 1e3; /* of the radius */
    float cover = clamp((1.0 - sqrt(aside) / r) * pixels + 0.5, 0.0, 1.0);
    if (cover <= 0.0 || t < near) discard;
    vec3 at = ray * t, n = normalize(at - ball.xyz), global = n * mat3(view), base = tint;
    float facing = -dot(n, ray) * inversesqrt(a), lit = max(dot(n, sun), 0.0), shine = max(dot(n, halfway), 0.0);
    if (lit > 0.0) lit *= lit_at(at);
    if (pattern > 0.0) {
        vec3 own = turned_back(global, rotation);
        base *= 1.0 + pattern * clamp(30.0 * own.x * own.y * own.z, -1.0, 1.0) * smoothstep(3.0, 10.0, pixels);
    }
    shine *= shine, shine *= shine, shine *= shine, shine *= shine, shine *= shine; /* to the 32nd */
    vec3 c = base * (0.44 + 0.14 * dot(global, sky) + 0.66 * lit) * (0.75 + 0.25 * facing) + 0.22 * shine * min(2.0 * lit, 1.0);
    if (marks.x > 0.5) c = mix(accent, c, smoothstep(0.25, 0.5, facing));
    colour = vec4(c, cover * (marks.y > 0.5 ? 0.45 : 1.0)); /* sensors are half there */
    gl_FragDepth = 0.5 + 0.5 * (depths.x * at.z + depths.y) / -at.z;
}`;

// A flat patch with a grid: planes fade out, walls end; both are cut at the other planes and faces.
export const MOST_CUTS = 16;
export const PATCH_VERTEX = `
uniform mat4 both;
uniform vec3 middle, u, v;
uniform vec2 extent;
out vec2 on;
out vec3 place;
void main()
{
    on = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * extent;
    place = middle + u * on.x + v * on.y;
    gl_Position = both * vec4(place, 1.0);
}`;
export const PATCH_FRAGMENT = `
in vec2 on;
in vec3 place;
uniform vec2 extent, shift;
uniform vec3 ink, wall, normal, sun;
uniform float grid, strength, fade;
uniform int cut_count;
uniform vec4 cuts[${MOST_CUTS}];
out vec4 colour;
${LIT}

void main()
{
    vec2 at = (on + shift) / grid, wide = fwidth(at);
    for (int k = 0; k < cut_count; ++k) {
        if (dot(cuts[k].xyz, place) < cuts[k].w) discard;
    }
    vec2 line = 1.0 - smoothstep(vec2(0.3), vec2(1.0), abs(fract(at - 0.5) - 0.5) / wide);
    vec2 shown = line * clamp(0.35 / wide, 0.0, 1.0);
    float away = fade * length(on / extent), seen = max(shown.x, shown.y), straight = dot(normal, sun);
    float lit = straight > 0.0 ? straight * lit_at(place) : 0.0;
    float alpha = (strength + (1.0 - strength) * 0.25 * seen) * (1.0 - smoothstep(0.25, 1.0, away));
    colour = vec4(mix(wall * (0.72 + 0.42 * lit), ink, 0.24 * seen), alpha);
}`;

// Edges of boxes: from a to b, some pixels wide, with soft sides. The part behind the eye is cut off.
export const EDGE_VERTEX = `
layout(location = 0) in vec3 a;
layout(location = 1) in vec3 b;
uniform mat4 both;
uniform vec2 size;
uniform float near;
out float side;
void main()
{
    vec4 from = both * vec4(a, 1.0), to = both * vec4(b, 1.0), kept = from;
    if (from.w < near) from = mix(to, kept, (to.w - near) / max(to.w - kept.w, 1e-9));
    if (to.w < near) to = mix(kept, to, (kept.w - near) / max(kept.w - to.w, 1e-9));
    vec2 along = normalize((to.xy / to.w - from.xy / from.w) * size + vec2(1e-6, 0.0));
    vec4 end = (gl_VertexID & 1) == 0 ? from : to;
    side = (gl_VertexID >> 1) == 0 ? -1.5 : 1.5;
    gl_Position = end + vec4(vec2(-along.y, along.x) * side * 2.0 / size * end.w, 0.0, 0.0);
}`;
export const EDGE_FRAGMENT = `
in float side;
uniform vec4 ink;
out vec4 colour;
void main() { colour = vec4(ink.rgb, ink.a * clamp(1.5 - abs(side), 0.0, 1.0)); }`;

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
uniform vec3 ink, sun;
out vec4 colour;
${LIT}
void main()
{
    vec3 normal = normalize(cross(dFdx(p), dFdy(p)));
    float facing = abs(dot(normal, normalize(p))), lit = abs(dot(normal, sun)) * lit_at(p);
    colour = vec4(ink * (0.45 + 0.75 * lit), 0.42 + 0.3 * (1.0 - facing));
}`;

// Glows at impacts and at the ends of beams.
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
