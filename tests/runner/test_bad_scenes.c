/* Malformed scenes: each ends with exit code 2 and one line with the file, the line and column or
 * the path of the key, and the error. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"

#define HEAD "\"format\": \"kugel-scene\", \"version\": 1, "
#define FINE                                                                                       \
    "{\"capsule\": {\"from\": [0, 0, 0], \"to\": [0, 0, 1], \"radius\": 1, \"segments\": 1024}}"
#define BODY "\"bodies\": [{\"position\": [0, 0, 5]}]"
#define BOX "\"bounds\": {\"min\": [0, 0, 0], \"max\": [10, 10, 10]}, "
/* "@" stands for the file name. A scene is the head, these keys, and a body. */
typedef struct bad_scene {
    const char *text, *message;
} bad_scene;

static const bad_scene syntax[] = {
    {"", "bad.json:1:1: not valid JSON: the text ends too early"},
    {"{", "bad.json:1:2: not valid JSON: the text ends too early"},
    {"{\"format\": \"kugel", "ends too early"},
    {"nul", "ends too early"},
    {"nil", "bad.json:1:1: not valid JSON: expected a value"},
    {"{\n  \"format\": \"kugel-scene\",\n  \"version\": 1\n  \"bodies\": []\n}",
     "bad.json:4:3: not valid JSON: expected ',' or '}'"},
    {"{" HEAD BODY ",}", "expected a key in double quotes"},
    {"{" HEAD BODY "} {", "text after the end of the scene"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, NaN]}]}", "expected a value"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 01]}]}", "a number must not begin with 0"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 5.]}]}", "expected a digit"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, .5]}]}", "expected a value"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, +5]}]}", "expected a value"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 5e]}]}", "expected a digit"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0 5]}]}", "expected ',' or ']'"},
    {"{" HEAD "\"dt\": "
     "0.01111111111111111111111111111111111111111111111111111111111111111111, " BODY "}",
     "a number must not have more than 60 characters"},
    {"{\"format\\u0000x\": 1}", "\\u0000 in a string"},
    {"{\"format\": \"\\ud800\"}", "half a surrogate pair"},
    {"{\"format\": \"\\q\"}", "unknown escape"},
    {"{\"format\": \"\xff\"}", "not UTF-8"},
    {"{\"format\": \"\xc0\xaf\"}", "not UTF-8"},
    {"{\"format\": \"a\tb\"}", "control character in a string"},
    {"{format: 1}", "expected a key in double quotes"},
    {"{\"format\" 1}", "expected ':'"},
};

static const bad_scene keys[] = {
    {"[]", "bad.json: must be an object, got an array"},
    {"\"gas\"", "bad.json: must be an object, got a string"},
    {"{}", "bad.json: format: is missing"},
    {"{\"format\": \"kugel\", \"version\": 1, " BODY "}", "format: must be \"kugel-scene\""},
    {"{\"format\": \"kugel-scene\", " BODY "}", "version: is missing"},
    {"{\"format\": \"kugel-scene\", \"version\": 2, " BODY "}", "version: must be 1"},
    {"{\"format\": \"kugel-scene\", \"version\": \"1\", " BODY "}", "version: must be 1"},
    {"{" HEAD "\"dt\": 1}", "needs \"bodies\" or \"generators\""},
    {"{" HEAD "\"gravitation\": [0, 0, 1], " BODY "}", "bad.json: gravitation: unknown key"},
    {"{" HEAD "\"\": 1, " BODY "}", "bad.json: \"\": unknown key"},
    {"{" HEAD "\"gravty\": [0, 0, 1], " BODY "}",
     "bad.json: gravty: unknown key; did you mean gravity?"},
    {"{" HEAD "\"radius\": 1, " BODY "}", "radius: unknown key; did you mean defaults.radius?"},
    {"{" HEAD "\"mesh\": 1, " BODY "}", "mesh: unknown key; did you mean surfaces[0].mesh?"},
    {"{" HEAD "\"bodys\": 1, " BODY "}", "bodys: unknown key; did you mean bodies?"},
    {"{" HEAD "\"damping\": 1, " BODY "}", "damping: unknown key; did you mean linear_damping?"},
    {"{" HEAD "\"body\": 1, " BODY "}", "bad.json: body: unknown key\n"},
    {"{" HEAD "\"a\\nb\": 1, " BODY "}", "bad.json: a?b: unknown key"},
    {"{" HEAD "\"dt\": 1, \"dt\": 1, " BODY "}", "bad.json: dt: appears twice"},
    {"{" HEAD BOX BOX BODY "}", "bad.json: bounds: appears twice"},
    {"{" HEAD "\"dt\": 0, " BODY "}", "dt: must be > 0, got 0"},
    {"{" HEAD "\"contact_iterations\": 0, " BODY "}", "contact_iterations: must be in [1, 100]"},
    {"{" HEAD "\"contact_iterations\": 2.5, " BODY "}", "contact_iterations: must be a whole"},
    {"{" HEAD "\"impact_budget\": 0, " BODY "}", "impact_budget: must be in [1, 1073741824]"},
    {"{" HEAD "\"step_event_limit\": -1, " BODY "}", "step_event_limit: must be"},
    {"{" HEAD "\"step_event_limit\": 4294967296, " BODY "}", "step_event_limit: must be"},
    {"{" HEAD "\"dt\": -1, " BODY "}", "dt: must be > 0, got -1"},
    {"{" HEAD "\"dt\": 1e999, " BODY "}", "dt: must be a finite number"},
    {"{" HEAD "\"dt\": \"fast\", " BODY "}", "dt: must be a number, got a string"},
    {"{" HEAD "\"dt\": null, " BODY "}", "dt: must be a number, got null"},
    {"{" HEAD "\"ticks\": -1, " BODY "}", "ticks: must be in [0, 1e+12], got -1"},
    {"{" HEAD "\"ticks\": 1.5, " BODY "}", "ticks: must be a whole number, got 1.5"},
    {"{" HEAD "\"substeps\": 1001, " BODY "}", "substeps: must be in [0, 1000], got 1001"},
    {"{" HEAD "\"gravity\": -9.81, " BODY "}",
     "gravity: must be an array of 3 numbers, got a number"},
    {"{" HEAD "\"gravity\": [0, -9.81], " BODY "}",
     "gravity: must be an array of 3 numbers, got 2"},
    {"{" HEAD "\"gravity\": [0, 0, true], " BODY "}",
     "gravity[2]: must be a number, got true or false"},
    {"{" HEAD "\"gravity\": [0, -1e999, 0], " BODY "}", "gravity[1]: must be a finite number"},
    {"{" HEAD "\"growth\": -0.1, " BODY "}", "growth: must be in"},
    {"{" HEAD "\"growth\": 0.1, \"surfaces\": [{\"box\": {\"half\": [1, 1, 1]}}], " BODY "}",
     "radii grow where all surfaces are planes"},
    {"{" HEAD "\"bounce_threshold\": -0.1, " BODY "}", "bounce_threshold: must be in"},
    {"{" HEAD "\"slop\": 0.6, " BODY "}", "slop: must be in [0, 0.5], got 0.6"},
    {"{" HEAD "\"linear_damping\": -1, " BODY "}", "linear_damping: must be in"},
    {"{" HEAD "\"sleep\": 1, " BODY "}", "sleep: must be true or false, got a number"},
};

static const bad_scene surroundings[] = {
    {"{" HEAD "\"bounds\": {\"max\": [1, 1, 1]}, " BODY "}", "bounds.min: is missing"},
    {"{" HEAD "\"bounds\": {\"min\": [0, 0, 0], \"max\": [1, 0, 1]}, " BODY "}",
     "bounds.max[1]: must be > min, 0, got 0"},
    {"{" HEAD "\"bounds\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"faces\": [\"wall\"]}, " BODY
     "}",
     "bounds.faces: must be an array of 6"},
    {"{" HEAD
     "\"bounds\": {\"min\": [0, 0, 0], \"max\": [9, 9, 9], \"faces\": [\"wall\", \"wall\", "
     "\"wall\", \"wall\", \"floor\", \"open\"]}, " BODY "}",
     "bounds.faces[4]: must be one of \"open\", \"wall\", \"periodic\", got \"floor\""},
    {"{" HEAD
     "\"bounds\": {\"min\": [0, 0, 0], \"max\": [9, 9, 9], \"faces\": [\"wall\", \"wall\", "
     "\"periodic\", \"wall\", \"open\", \"open\"]}, " BODY "}",
     "bounds.faces[3]: periodic faces come in pairs: y has only one"},
    {"{" HEAD "\"bounds\": {\"min\": [0, 0, 0], \"max\": [9, 9, 9], \"restitution\": 1.1}, " BODY
     "}",
     "bounds.restitution: must be in [0, 1], got 1.1"},
    {"{" HEAD "\"planes\": {}, " BODY "}", "planes: must be an array, got an object"},
    {"{" HEAD "\"planes\": [{\"offset\": 0}], " BODY "}", "planes[0].normal: is missing"},
    {"{" HEAD "\"planes\": [{\"normal\": [0, 0, 2]}], " BODY "}",
     "planes[0].normal: must be a unit vector, its length is 2"},
    {"{" HEAD "\"planes\": [{\"normal\": [0, 0, 1], \"friction\": -1}], " BODY "}",
     "planes[0].friction: must be in"},
    {"{" HEAD "\"planes\": [{\"normal\": [0, 0, 1], \"velocty\": [0, 0, 1]}], " BODY "}",
     "planes[0].velocty: unknown key; did you mean velocity?"},
    {"{" HEAD "\"planes\": [{\"normal\": [0, 0, 1], \"spin\": 1}], " BODY "}",
     "planes[0].spin: must be an array of 3 numbers, got a number"},
    {"{" HEAD "\"planes\": [{\"normal\": [0, 0, 1]}, {\"normal\": [0, 0, -1], \"name\": "
     "\"0\"}], " BODY "}",
     "planes[1].name: 0 is the name or the index of planes[0] as well"},
    {"{" HEAD "\"planes\": [{\"normal\": [0, 0, 1], \"kind\": 64}], " BODY "}",
     "planes[0].kind: must be in [0, 63], got 64"},
    {"{" HEAD "\"bounds\": {\"min\": [0, 0, 0], \"max\": [9, 9, 9], \"kinds\": [1, 2]}, " BODY "}",
     "bounds.kinds: must be an array of 6 kinds: x-min, x-max"},
    {"{" HEAD "\"bounds\": {\"min\": [0, 0, 0], \"max\": [9, 9, 9], "
     "\"kinds\": [0, 0, 0, 0.5, 0, 0]}, " BODY "}",
     "bounds.kinds[3]: must be a whole number"},
    {"{" HEAD "\"pairs\": {}, " BODY "}", "pairs: must be an array, got an object"},
    {"{" HEAD "\"pairs\": [{\"friction\": 1}], " BODY "}", "pairs[0].kinds: is missing"},
    {"{" HEAD "\"pairs\": [{\"kinds\": [1]}], " BODY "}",
     "pairs[0].kinds: must be an array of 2 kinds: of both sides"},
    {"{" HEAD "\"pairs\": [{\"kinds\": [1, -1]}], " BODY "}",
     "pairs[0].kinds[1]: must be in [0, 63], got -1"},
    {"{" HEAD "\"pairs\": [{\"kinds\": [1, 2]}, {\"kinds\": [2, 1]}], " BODY "}",
     "pairs[1].kinds: are those of pairs[0]"},
    {"{" HEAD "\"pairs\": [{\"kinds\": [1, 2], \"restitution\": 1.5}], " BODY "}",
     "pairs[0].restitution: must be in [0, 1], got 1.5"},
    {"{" HEAD "\"pairs\": [{\"kinds\": [1, 2], \"friction\": -1}], " BODY "}",
     "pairs[0].friction: must be in [0, 1000000], got -1"},
    {"{" HEAD "\"pairs\": [{\"kinds\": [1, 2], \"rolling_resistance\": \"x\"}], " BODY "}",
     "pairs[0].rolling_resistance: must be a number"},
    {"{" HEAD "\"pairs\": [{\"kinds\": [1, 2], \"tangential_restitution\": -2}], " BODY "}",
     "pairs[0].tangential_restitution: must be in [-1, 1], got -2"},
    {"{" HEAD "\"defaults\": {\"tangential_restitution\": 1.5}, " BODY "}",
     "defaults.tangential_restitution: must be in [-1, 1], got 1.5"},
    {"{" HEAD "\"pairs\": [{\"kinds\": [1, 2], \"bounce\": 1}], " BODY "}",
     "pairs[0].bounce: unknown key"},
    {"{" HEAD "\"defaults\": {\"kind\": 99}, " BODY "}",
     "defaults.kind: must be in [0, 63], got 99"},
    {"{" HEAD "\"generators\": [{\"lattice\": {}, \"kind\": 1}]}",
     "generators[0].kind: belongs in lattice"},
    {"{" HEAD "\"surfaces\": [{\"disc\": {\"radius\": 1}, \"kind\": 64}], " BODY "}",
     "surfaces[0].kind: must be in [0, 63], got 64"},
    {"{" HEAD "\"ellipsoids\": [{\"semi_axes\": [1, 1, 1]}], " BODY "}",
     "ellipsoids[0].center: is missing"},
    {"{" HEAD "\"ellipsoids\": [{\"center\": [0, 0, 0], \"semi_axes\": [1, 0, 1]}], " BODY "}",
     "ellipsoids[0].semi_axes[1]: must be > 0, got 0"},
    {"{" HEAD
     "\"ellipsoids\": [{\"center\": [0, 0, 0], \"semi_axes\": [1, 1, 1], \"rotation\": [0, "
     "0, 1, 1]}], " BODY "}",
     "ellipsoids[0].rotation: must be a unit quaternion"},
    {"{" HEAD "\"ellipsoids\": [{\"center\": [0, 0, 0], \"semi_axes\": [1, 1, 1], \"name\": "
     "\"a,b\"}], " BODY "}",
     "ellipsoids[0].name: must not hold commas"},
    {"{" HEAD "\"beams\": [{\"origin\": [0, 0, 0], \"direction\": [0, 0, 0]}], " BODY "}",
     "beams[0].direction: must not be 0"},
    {"{" HEAD "\"beams\": [{\"tick\": -3, \"origin\": [0, 0, 0], \"direction\": [1, 0, 0]}], " BODY
     "}",
     "beams[0].tick: must be in"},
    {"{" HEAD
     "\"beams\": [{\"origin\": [0, 0, 0], \"direction\": [1, 0, 0], \"length\": -1}], " BODY "}",
     "beams[0].length: must be in"},
    {"{" HEAD "\"impulses\": [{\"impulse\": [0, 0, 1]}], " BODY "}",
     "impulses[0].body: is missing"},
    {"{" HEAD "\"impulses\": [{\"body\": 1, \"impulse\": [0, 0, 1]}], " BODY "}",
     "impulses[0].body: body 1 does not exist"},
    {"{" HEAD "\"forces\": [{\"body\": 0}], " BODY "}", "forces[0]: needs a force or a torque"},
    {"{" HEAD "\"forces\": [{\"body\": 1, \"force\": [0, 0, 1]}], " BODY "}",
     "forces[0].body: body 1 does not exist"},
    {"{" HEAD "\"forces\": [{\"body\": 0, \"force\": [0, 0, 1], \"every\": 0}], " BODY "}",
     "forces[0].every: must be in [1, 1e+12], got 0"},
    {"{" HEAD "\"gravity_schedule\": [{\"gravity\": [0, 0, 1]}], " BODY "}",
     "gravity_schedule[0].tick: is missing"},
    {"{" HEAD "\"motions\": [{\"body\": 0}], " BODY "}",
     "motions[0]: needs a velocity, a spin, a position or a rotation"},
    {"{" HEAD
     "\"motions\": [{\"body\": 0, \"velocity\": [0, 0, 1], \"position\": [0, 0, 1]}], " BODY "}",
     "motions[0].position: replaces velocity: give one of them"},
    {"{" HEAD "\"motions\": [{\"body\": 0, \"velocity\": [0, 0, 1], \"ticks\": 2}], " BODY "}",
     "motions[0].ticks: needs a position or a rotation"},
    {"{" HEAD "\"motions\": [{\"body\": 0, \"position\": [0, 0, 1]}], " BODY "}",
     "motions[0]: is not kinematic"},
    {"{" HEAD "\"motions\": [{\"body\": 3, \"velocity\": [0, 0, 1]}], " BODY "}",
     "motions[0].body: body 3 does not exist"},
    {"{" HEAD "\"motions\": [{\"velocity\": [0, 0, 1]}], " BODY "}", "motions[0].body: is missing"},
    {"{" HEAD "\"preset\": \"gas\", " BODY "}", "preset: must be"},
    {"{" HEAD "\"thermostat\": 3, " BODY "}", "thermostat: must be an array, got a number"},
    {"{" HEAD "\"thermostat\": {}, " BODY "}", "thermostat.temperature: is missing"},
    {"{" HEAD "\"thermostat\": [{\"temperature\": -1}], " BODY "}",
     "thermostat[0].temperature: must be"},
    {"{" HEAD "\"thermostat\": {\"temperature\": 1, \"rate\": 2}, " BODY "}",
     "thermostat.rate: needs \"kind\": \"andersen\""},
    {"{" HEAD "\"thermostat\": {\"kind\": \"andersen\", \"temperature\": 1}, " BODY "}",
     "thermostat.rate: is missing"},
    {"{" HEAD "\"thermostat\": {\"kind\": \"andersen\", \"temperature\": 1, \"rate\": 61}, " BODY
     "}",
     "thermostat[0].rate: rate * dt * every must be at most 1"},
    {"{" HEAD "\"thermostat\": {\"temperature\": 1}, " BODY "}",
     "thermostat[0]: no two dynamic bodies move"},
    {"{" HEAD "\"servo\": {\"plane\": 0, \"force\": 1, \"mass\": 1}, " BODY "}",
     "servo[0].plane: plane 0 does not exist"},
    {"{" HEAD "\"planes\": [{\"normal\": [0, 0, 1], \"name\": \"lid\"}], \"servo\": {\"plane\": "
     "\"lit\", \"force\": 1, \"mass\": 1}, " BODY "}",
     "servo.plane: no plane has the name \"lit\"; did you mean \"lid\"?"},
    {"{" HEAD "\"servo\": {\"plane\": 0, \"force\": 1}, " BODY "}",
     "servo: needs a mass or a drag"},
    {"{" HEAD "\"servo\": {\"plane\": 0, \"mass\": 1}, " BODY "}",
     "servo: needs a force or a pressure"},
    {"{" HEAD "\"servo\": {\"plane\": 0, \"pressure\": 1, \"mass\": 1}, " BODY "}",
     "servo.area: is missing"},
    {"{" HEAD "\"servo\": {\"plane\": 0, \"force\": 1, \"pressure\": 1, \"mass\": 1}, " BODY "}",
     "servo.force: replaces pressure"},
    {"{" HEAD "\"servo\": {\"plane\": 0, \"force\": 1, \"area\": 1, \"mass\": 1}, " BODY "}",
     "servo.area: needs a pressure"},
    {"{" HEAD "\"servo\": {\"plane\": 0, \"surface\": 0, \"force\": 1, \"mass\": 1}, " BODY "}",
     "servo.plane: replaces surface"},
    {"{" HEAD "\"servo\": {\"plane\": 0, \"direction\": [0, 0, 1], \"force\": 1}, " BODY "}",
     "servo.direction: is the normal of the plane"},
    {"{" HEAD "\"servo\": {\"surface\": 0, \"force\": 1, \"mass\": 1}, " BODY "}",
     "servo.direction: is missing"},
    {"{" HEAD "\"motions\": [{\"body\": 0, \"rotation\": [0, 0, 0, 1]}], " BODY "}",
     "motions[0]: is not kinematic"},
    {"{" HEAD "\"emitters\": [{\"min\": [0, 0, 0]}], " BODY "}", "emitters[0].max: is missing"},
    {"{" HEAD "\"emitters\": [{\"min\": [0, 2, 0], \"max\": [1, 1, 1]}], " BODY "}",
     "emitters[0].max[1]: must be >= min, 2, got 1"},
    {"{" HEAD "\"emitters\": [{\"min\": [0, 2, 0], \"position\": [1, 1, 1]}], " BODY "}",
     "emitters[0].position: replaces min and max: give one of them"},
    {"{" HEAD "\"emitters\": [{\"position\": [1, 1, 1], \"radius\": -1}], " BODY "}",
     "emitters[0].radius: must be > 0, got -1"},
    {"{" HEAD "\"emitters\": [{\"position\": [1, 1, 1], \"count\": 0}], " BODY "}",
     "emitters[0].count: must be in [1, 67108864], got 0"},
    {"{" HEAD BOX "\"emitters\": [{\"min\": [0, 0, 13], \"max\": [1, 1, 14]}], " BODY "}",
     "emitters[0].min[2]: 13 is outside the closed bounds [0, 10]"},
    {"{" HEAD BOX "\"emitters\": [{\"min\": [0, -9, 0], \"max\": [1, -3, 1]}], " BODY "}",
     "emitters[0].max[1]: -3 is outside the closed bounds [0, 10]"},
    {"{" HEAD BOX "\"emitters\": [{\"position\": [5, 0, 10.5]}], " BODY "}",
     "emitters[0].position[2]: 10.5 is outside the closed bounds [0, 10]"},
    {"{" HEAD "\"drains\": [{}], " BODY "}", "drains[0].min: is missing"},
    {"{" HEAD "\"drains\": [{\"plane\": {\"normal\": [0, 0, 2]}}], " BODY "}",
     "drains[0].plane.normal: must be a unit vector"},
    {"{" HEAD "\"drains\": [{\"plane\": {\"normal\": [0, 0, 1]}, \"min\": [0, 0, 0]}], " BODY "}",
     "drains[0].plane: replaces min and max: give one of them"},
};

static const bad_scene surfaces[] = {
    {"{" HEAD "\"surfaces\": [{\"disc\": {\"radius\": 1}, \"name\": \"a\"}, {\"disc\": "
     "{\"radius\": 1}}, {\"disc\": {\"radius\": 1}, \"name\": \"a\"}], " BODY "}",
     "surfaces[2].name: a is the name or the index of surfaces[0] as well"},
    {"{" HEAD "\"surfaces\": [{\"disc\": {\"radius\": 1}, \"name\": \"1\"}, {\"disc\": "
     "{\"radius\": 1}}], " BODY "}",
     "surfaces[1].name: 1 is the name or the index of surfaces[0] as well"},
    {"{" HEAD "\"ellipsoids\": [{\"center\": [0, 0, 0], \"semi_axes\": [1, 1, 1], \"name\": "
     "\"a\"}, {\"center\": [0, 0, 0], \"semi_axes\": [1, 1, 1], \"name\": \"a\"}], " BODY "}",
     "ellipsoids[1].name: a is the name or the index of ellipsoids[0] as well"},
    {"{" HEAD "\"surfaces\": [{}]"
     ", " BODY "}",
     "surfaces[0]: needs a shape: mesh, heightfield, box"},
    {"{" HEAD "\"surfaces\": [{\"box\": {\"half\": [1, 1, 1]}, \"disc\": {\"radius\": 1}}]"
     ", " BODY "}",
     "surfaces[0]: has two shapes, box and disc"},
    {"{" HEAD "\"surfaces\": [{\"sphere\": {\"radius\": 1}}]"
     ", " BODY "}",
     "surfaces[0].sphere: unknown key"},
    {"{" HEAD "\"surfaces\": [{\"disc\": {\"radius\": 1, \"segment\": 9}}]"
     ", " BODY "}",
     "surfaces[0].disc.segment: unknown key; did you mean segments?"},
    {"{" HEAD "\"surfaces\": [{\"disc\": {\"radius\": 0}}]"
     ", " BODY "}",
     "surfaces[0].disc.radius: must be > 0, got 0"},
    {"{" HEAD "\"surfaces\": [{\"disc\": {\"radius\": 1, \"normal\": [0, 0, 0]}}]"
     ", " BODY "}",
     "surfaces[0].disc.normal: must not be 0"},
    {"{" HEAD "\"surfaces\": [{\"disc\": {\"radius\": 1, \"segments\": 2}}]"
     ", " BODY "}",
     "surfaces[0].disc.segments: must be in [3, 1024], got 2"},
    {"{" HEAD "\"surfaces\": [{\"box\": {\"half\": [1, 0, 1]}}]"
     ", " BODY "}",
     "surfaces[0].box.half[1]: must be > 0, got 0"},
    {"{" HEAD "\"surfaces\": [{\"rectangle\": {\"edges\": [[1, 0, 0]]}}]"
     ", " BODY "}",
     "surfaces[0].rectangle.edges: must be an array of 2 vectors"},
    {"{" HEAD "\"surfaces\": [{\"rectangle\": {\"edges\": [[1, 0, 2], [-2, 0, -4]]}}]"
     ", " BODY "}",
     "surfaces[0].rectangle.edges: must not be 0 or parallel"},
    {"{" HEAD "\"surfaces\": [{\"rectangle\": {\"edges\": [[0, 0, 0], [1, 0, 0]]}}]"
     ", " BODY "}",
     "surfaces[0].rectangle.edges: must not be 0 or parallel"},
    {"{" HEAD "\"surfaces\": [{\"ellipsoid\": {\"semi_axes\": [1, 0, 1]}}]"
     ", " BODY "}",
     "surfaces[0].ellipsoid.semi_axes[1]: must be > 0, got 0"},
    {"{" HEAD "\"surfaces\": [{\"ellipsoid\": {\"semi_axes\": [1, 1, 1]}, \"sides\": 1}]"
     ", " BODY "}",
     "surfaces[0].sides: a solid shape has one side"},
    {"{" HEAD "\"surfaces\": [{\"capsule\": {\"from\": [0, 0, 0], \"to\": [0, 0, 1], \"radius\": "
     "1, \"segments\": 8, \"solid\": true}}]"
     ", " BODY "}",
     "surfaces[0].capsule.segments: a solid shape is round, without segments"},
    {"{" HEAD "\"surfaces\": [{\"cylinder\": {\"from\": [0, 0, 0], \"to\": [0, 0, 1], \"radius\": "
     "1, \"caps\": \"none\", \"solid\": true}}]"
     ", " BODY "}",
     "surfaces[0].cylinder.caps: of a solid shape must be both"},
    {"{" HEAD "\"surfaces\": [{\"cylinder\": {\"from\": [0, 0, 0], \"to\": [0, 0, 1], \"radius\": "
     "1, \"solid\": true}, \"spin\": [1, 0, 0]}]"
     ", " BODY "}",
     "surfaces[0].spin: a solid shape spins about its middle: from must be -to"},
    {"{" HEAD "\"surfaces\": [{\"capsule\": {\"from\": [0, 0, 0], \"to\": [0, 0, 1], \"radius\": "
     "1, \"segments\": 10}}]"
     ", " BODY "}",
     "surfaces[0].capsule.segments: must be a multiple of 4, got 10"},
    {"{" HEAD "\"surfaces\": [" FINE ", " FINE ", {\"box\": {\"half\": [1, 1, 1]}}], " BODY "}",
     "surfaces[2].box: makes 2097164 triangles with the shapes before it, more than 2097152: use "
     "fewer segments, or solid shapes"},
    {"{" HEAD
     "\"surfaces\": [{\"cone\": {\"from\": [0, 0, 0], \"to\": [0, 0, 1], \"radii\": [0, 0]}}]"
     ", " BODY "}",
     "surfaces[0].cone.radii: must not both be 0"},
    {"{" HEAD
     "\"surfaces\": [{\"cone\": {\"from\": [0, 0, 0], \"to\": [0, 0, 1], \"radii\": [-1, 1]}}]"
     ", " BODY "}",
     "surfaces[0].cone.radii[0]: must be >= 0, got -1"},
    {"{" HEAD
     "\"surfaces\": [{\"cylinder\": {\"from\": [0, 0, 1], \"to\": [0, 0, 1], \"radius\": 1}}]"
     ", " BODY "}",
     "surfaces[0].cylinder.to: must differ from \"from\""},
    {"{" HEAD "\"surfaces\": [{\"cone\": {\"from\": [0, 0, 0], \"to\": [0, -0.0, 0], \"radii\": "
     "[1, 1], \"solid\": true}}], " BODY "}",
     "surfaces[0].cone.to: must differ from \"from\""},
    {"{" HEAD "\"surfaces\": [{\"cylinder\": {\"from\": [0, 0, 0], \"to\": [0, 0, 1], \"radius\": "
     "1, \"caps\": \"top\"}}]"
     ", " BODY "}",
     "surfaces[0].cylinder.caps: must be one of \"none\", \"from\", \"to\", \"both\""},
    {"{" HEAD "\"surfaces\": [{\"heightfield\": {\"spacing\": [1, 1], \"size\": [2, 2], "
     "\"heights\": [0, 0, 0]}}]"
     ", " BODY "}",
     "surfaces[0].heightfield.heights: must be an array of 4 numbers, got 3"},
    {"{" HEAD
     "\"surfaces\": [{\"heightfield\": {\"spacing\": [1, 0], \"size\": [2, 2], \"heights\": []}}]"
     ", " BODY "}",
     "surfaces[0].heightfield.spacing[1]: must be > 0, got 0"},
    {"{" HEAD
     "\"surfaces\": [{\"heightfield\": {\"spacing\": [1, 1], \"size\": [1, 2], \"heights\": []}}]"
     ", " BODY "}",
     "surfaces[0].heightfield.size[0]: must be in [2, 67108864], got 1"},
    {"{" HEAD "\"surfaces\": [{\"heightfield\": {\"spacing\": [1, 1], \"size\": [1e5, 1e5], "
     "\"heights\": []}}]"
     ", " BODY "}",
     "surfaces[0].heightfield.size: more than 2^26 heights"},
    {"{" HEAD
     "\"surfaces\": [{\"mesh\": {\"vertices\": [[0, 0, 0], [1, 0, 0]], \"triangles\": []}}]"
     ", " BODY "}",
     "surfaces[0].mesh.vertices: needs at least 3 vertices, got 2"},
    {"{" HEAD "\"surfaces\": [{\"mesh\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "
     "\"triangles\": []}}]"
     ", " BODY "}",
     "surfaces[0].mesh.triangles: needs a triangle"},
    {"{" HEAD "\"surfaces\": [{\"mesh\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "
     "\"triangles\": [[0, 1, 3]]}}]"
     ", " BODY "}",
     "surfaces[0].mesh.triangles[0][2]: must be in [0, 2], got 3"},
    {"{" HEAD "\"surfaces\": [{\"mesh\": \"\"}]"
     ", " BODY "}",
     "surfaces[0].mesh: needs a file name"},
    {"{" HEAD "\"surfaces\": [{\"mesh\": 5}], " BODY "}",
     "surfaces[0].mesh: must be the name of a file or an object, got a number"},
    {"{" HEAD "\"surfaces\": [{\"mesh\": \"no.obj\"}]"
     ", " BODY "}",
     "surfaces[0].mesh: no.obj: cannot be opened"},
    {"{" HEAD "\"surfaces\": [{\"mesh\": \"bad.json\"}]"
     ", " BODY "}",
     "surfaces[0].mesh: bad.json: must end in .obj, .stl or .ply"},
    {"{" HEAD "\"surfaces\": [{\"box\": {\"half\": [1, 1, 1], \"center\": [1e15, 0]}}], " BODY "}",
     "surfaces[0].box.center: must be an array of 3 numbers, got 2"},
    {"{" HEAD "\"surfaces\": [{\"box\": {\"half\": [1, 1, 1], \"center\": [1e15, 0, 0]}}], " BODY
     "}",
     "surfaces[0].vertices: "},
    {"{" HEAD "\"surfaces\": [{\"box\": {\"half\": [1, 1, 1]}, \"sides\": 3}]"
     ", " BODY "}",
     "surfaces[0].sides: must be in [1, 2], got 3"},
    {"{" HEAD "\"surfaces\": [{\"box\": {\"half\": [1, 1, 1]}, \"restitution\": 2}]"
     ", " BODY "}",
     "surfaces[0].restitution: must be in [0, 1], got 2"},
    {"{" HEAD "\"surfaces\": [{\"box\": {\"half\": [1, 1, 1]}, \"rotation\": [0, 0, 1, 1]}]"
     ", " BODY "}",
     "surfaces[0].rotation: must be a unit quaternion"},
    {"{" HEAD "\"surfaces\": [{\"box\": {\"half\": [1, 1, 1]}, \"name\": \"a,b\"}]"
     ", " BODY "}",
     "surfaces[0].name: must not hold commas"},
};

#define DOORS                                                                                      \
    "\"surfaces\": [{\"disc\": {\"radius\": 1}, \"name\": \"door\"}, {\"capsule\": {\"from\": "    \
    "[0, 0, "                                                                                      \
    "0], \"to\": [0, 0, 1], \"radius\": 1, \"solid\": true}}], "
#define DOOR(motion) "{" HEAD DOORS "\"motions\": [{" motion "}], " BODY "}"
static const bad_scene surface_motions[] = {
    {DOOR("\"surface\": \"dor\", \"spin\": [0, 0, 1]"),
     "motions[0].surface: no surface has the name \"dor\"; did you mean \"door\"?"},
    {DOOR("\"surface\": 0, \"tangent_velocty\": [0, 0, 1]"),
     "motions[0].tangent_velocty: unknown key; did you mean tangent_velocity?"},
    {DOOR("\"surface\": 0, \"tangent_velocity\": [0, 1]"),
     "motions[0].tangent_velocity: must be an array of 3 numbers, got 2"},
    {DOOR("\"body\": 0, \"tangent_velocity\": [0, 0, 1]"),
     "motions[0].tangent_velocity: is for surfaces and planes"},
    {DOOR("\"surface\": 0, \"plane\": 0, \"spin\": [0, 0, 1]"),
     "motions[0].plane: replaces surface: give one of them"},
    {DOOR("\"plane\": \"door\", \"spin\": [0, 0, 1]"),
     "motions[0].plane: no plane has the name \"door\""},
    {DOOR("\"plane\": 0, \"spin\": [0, 0, 1]"), "motions[0].plane: plane 0 does not exist"},
    {DOOR("\"surface\": \"gate\", \"spin\": [0, 0, 1]"),
     "motions[0].surface: no surface has the name \"gate\""},
    {DOOR("\"surface\": \"0\", \"spin\": [0, 0, 1]"),
     "motions[0].surface: no surface has the name \"0\""},
    {DOOR("\"surface\": \"\", \"spin\": [0, 0, 1]"),
     "motions[0].surface: no surface has the name \"\""},
    {DOOR("\"surface\": [0], \"spin\": [0, 0, 1]"),
     "motions[0].surface: must be the name or the index of a surface, got an array"},
    {DOOR("\"surface\": 0.5, \"spin\": [0, 0, 1]"),
     "motions[0].surface: must be a whole number, got 0.5"},
    {DOOR("\"surface\": -1, \"spin\": [0, 0, 1]"),
     "motions[0].surface: must be in [0, 4294967295], got -1"},
    {DOOR("\"surface\": 2, \"spin\": [0, 0, 1]"), "motions[0].surface: surface 2 does not exist"},
    {DOOR("\"surface\": 0, \"body\": 0, \"spin\": [0, 0, 1]"),
     "motions[0].surface: replaces body: give one of them"},
    {DOOR("\"surface\": \"door\""),
     "motions[0]: needs a velocity, a spin, a position or a rotation"},
    {DOOR("\"surface\": 0, \"spin\": [0, 0, 1], \"ticks\": 2"),
     "motions[0].ticks: needs a position or a rotation"},
    {DOOR("\"surface\": 0, \"spin\": [0, 0, 1], \"rotation\": [0, 0, 0, 1]"),
     "motions[0].rotation: replaces spin: give one of them"},
    {DOOR("\"surface\": 0, \"velocity\": [0, 0, 1], \"position\": [0, 0, 1]"),
     "motions[0].position: replaces velocity: give one of them"},
    {DOOR("\"surface\": 0, \"rotation\": [0, 0, 1, 1]"),
     "motions[0].rotation: must be a unit quaternion x, y, z, w, its length"},
    {DOOR("\"surface\": \"1\", \"spin\": [0, 0, 1]"),
     "motions[0].spin: a solid shape spins about its middle: from must be -to"},
    {DOOR("\"surface\": 1, \"rotation\": [0, 0, 0, 1]"),
     "motions[0].rotation: a solid shape spins about its middle: from must be -to"},
};

static const bad_scene bodies[] = {
    {"{" HEAD "\"bodies\": 5}", "bodies: must be an array or the name of a file, got a number"},
    {"{" HEAD "\"bodies\": [5]}", "bodies[0]: must be an object, got a number"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0]}, {}]}", "bodies[1].position: is missing"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"mass\": 0}]}",
     "bodies[0].mass: must be > 0, got 0"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"mass\": 1e-320}]}",
     "bodies[0].mass: must be in"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"radius\": -1}]}",
     "bad.json: bodies[0].radius: must be > 0, got -1"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"restitution\": 1.5}]}",
     "bodies[0].restitution: must be in [0, 1], got 1.5"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"type\": \"fixed\"}]}",
     "bodies[0].type: must be one of \"dynamic\", \"static\", \"kinematic\", got \"fixed\""},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"image\": [0, 1]}]}",
     "bodies[0].image: must be an array of 3 numbers, got 2"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"image\": 1}]}",
     "bodies[0].image: must be an array of 3 numbers, got a number"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"image\": [0, 0, 0.5]}]}",
     "bodies[0].image[2]: must be a whole number, got 0.5"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"image\": [0, 2147483648, 0]}]}",
     "bodies[0].image[1]: must be in [-2147483648, 2147483647], got"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"image\": [0, -1, 0]}]}",
     "bodies[0].image: must be 0 along y, which is not periodic, got -1"},
    {"{" HEAD "\"defaults\": {\"image\": [0, 0, 0]}, " BODY "}", "defaults.image: unknown key"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"category\": -1}]}",
     "bodies[0].category: must be in"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"mask\": 4294967296}]}",
     "bodies[0].mask: must be in [0, 4294967295], got 4294967296"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"rotation\": [1, 1, 1, 1]}]}",
     "bodies[0].rotation: must be a unit quaternion"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"radius\": 1, \"radius\": 1}]}",
     "bodies[0].radius: appears twice"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"colour\": 1}]}",
     "bodies[0].colour: unknown key"},
    {"{" HEAD
     "\"bodies\": [{\"position\": [0, 0, 0], \"type\": \"static\", \"velocity\": [1, 0, 0]}]}",
     "bodies[0].velocity: "},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"type\": \"static\", \"spin\": [1, 0, 0]}]}",
     "bodies[0].spin: "},
    {"{" HEAD BOX "\"bodies\": [{\"position\": [0, 0, 0]}, {\"position\": [0, 11, 0]}]}",
     "bodies[1].position: "},
    {"{" HEAD "\"bounds\": {\"min\": [0, 0, 0], \"max\": [1, 9, 9], \"faces\": [\"periodic\", "
     "\"periodic\", \"open\", \"open\", \"open\", \"open\"]}, \"bodies\": [{\"position\": [0, 0, "
     "0]}]}",
     "bodies[0].radius: "},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"gravity_scale\": 2e6}]}",
     "bodies[0].gravity_scale: must be in [-1000000, 1000000], got 2000000"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"linear_damping\": -1}]}",
     "bodies[0].linear_damping: must be in [0, 1000000], got -1"},
    {"{" HEAD "\"defaults\": {\"can_sleep\": 1}, " BODY "}",
     "defaults.can_sleep: must be true or false"},
    {"{" HEAD "\"defaults\": {\"radius\": 0}, " BODY "}", "defaults.radius: must be > 0, got 0"},
    {"{" HEAD "\"defaults\": {\"position\": [0, 0, 0]}, " BODY "}",
     "defaults.position: unknown key"},
    {"{" HEAD "\"generators\": [{}]}", "generators[0]: must hold one of"},
    {"{" HEAD "\"generators\": [{\"pile\": {}}]}", "generators[0].pile: unknown key"},
    {"{" HEAD "\"generators\": [{\"gas\": {\"count\": 10, \"packing_fraction\": 0.1}}]}",
     "generators[0].gas: needs bounds to fill"},
    {"{" HEAD BOX "\"generators\": [{\"gas\": {\"count\": 0, \"packing_fraction\": 0.1}}]}",
     "generators[0].gas.count: must be in [1, 67108864], got 0"},
    {"{" HEAD BOX "\"generators\": [{\"gas\": {\"count\": 9}, \"radius\": 0.1}]}",
     "generators[0].radius: belongs in gas"},
    {"{" HEAD "\"generators\": [{\"lattice\": {}, \"density\": 0.1}]}",
     "generators[0].density: belongs in lattice"},
    {"{" HEAD BOX "\"generators\": [{\"gas\": {\"count\": 9, \"restitution\": 1}}]}",
     "generators[0].gas.restitution: unknown key; did you mean defaults.restitution?"},
    {"{" HEAD BOX "\"generators\": [{\"gas\": {\"count\": 9, \"fraction\": 0.1}}]}",
     "generators[0].gas.fraction: unknown key; did you mean packing_fraction?"},
    {"{" HEAD BOX "\"surfaces\": [{\"box\": {\"half\": [20, 20, 9]}}], "
     "\"generators\": [{\"gas\": {\"count\": 9, \"packing_fraction\": 0.1}}]}",
     "generators[0].gas.packing_fraction: 0.1 cannot be reached with 9 spheres here"},
    {"{" HEAD BOX "\"generators\": [{\"gas\": {\"count\": 10, \"packing_fraction\": 0.8}}]}",
     "generators[0].gas.packing_fraction: no packing of equal spheres reaches 0.8"},
    {"{" HEAD BOX "\"generators\": [{\"gas\": {\"count\": 10, \"packing_fraction\": 0.73}}]}",
     "generators[0].gas.packing_fraction: 0.73 cannot be reached with 10 spheres here"},
    /* a plane leaves no space in the box; for such small spheres the search over lattices must
     * end */
    {"{" HEAD BOX "\"planes\": [{\"normal\": [0, 0, 1], \"offset\": 20}], "
     "\"generators\": [{\"gas\": {\"count\": 100, \"packing_fraction\": 1e-9}}]}",
     "generators[0].gas.packing_fraction: 1e-09 cannot be reached with 100 spheres here"},
    {"{" HEAD BOX "\"planes\": [{\"normal\": [0, 0, 1], \"offset\": 20}], "
     "\"generators\": [{\"gas\": {\"count\": 100, \"packing_fraction\": 1e-300}}]}",
     "generators[0].gas.packing_fraction: 1e-300 cannot be reached with 100 spheres here"},
    {"{" HEAD "\"generators\": [{\"lattice\": {\"origin\": [0, 0, 0], \"spacing\": [1, 1, 1], "
     "\"count\": [10000, 10000, 10000]}}]}",
     "generators[0].lattice.count: more than 67108864 bodies: 1e+12"},
    {"{" HEAD "\"generators\": [{\"lattice\": {\"origin\": [0, 0, 0], \"spacing\": [1, 1, 1], "
     "\"count\": [1000, 1000, 40]}}, {\"lattice\": {\"origin\": [0, 0, 0], \"spacing\": [1, 1, 1], "
     "\"count\": [1000, 1000, 40]}}]}",
     "generators[1]: more than 67108864 bodies in all: 80000000"},
    {"{" HEAD "\"generators\": [{\"lattice\": {\"origin\": [0, 0, 0], \"spacing\": [1, 1, 1], "
     "\"count\": [2, 2, 1.5]}}]}",
     "generators[0].lattice.count[2]: must be a whole number, got 1.5"},
    {"{" HEAD BOX "\"generators\": [{\"lattice\": {\"origin\": [5, 5, 5], \"spacing\": [4, 4, 4], "
     "\"count\": [1, 1, 3]}}]}",
     "generators[0]: body 2"},
};

#define GAS(keys) "{" HEAD BOX "\"generators\": [{\"gas\": {" keys "}}]}"
#define RADIUS(value) "{" HEAD "\"defaults\": {\"radius\": " value "}, " BODY "}"
static const bad_scene sizes[] = {
    {RADIUS("\"big\""), "defaults.radius: must be a number or a distribution, got a string"},
    {RADIUS("{}"), "defaults.radius: must hold one of uniform, log_uniform, power and choices"},
    {RADIUS("{\"uniform\": [1, 2], \"power\": [1, 2, 3]}"), "defaults.radius: must hold one of"},
    {RADIUS("{\"normal\": [1, 2]}"), "defaults.radius.normal: unknown key"},
    {RADIUS("{\"uniform\": 1}"), "radius.uniform: must be an array of 2 numbers, got a number"},
    {RADIUS("{\"uniform\": [1]}"), "defaults.radius.uniform: must be an array of 2 numbers, got 1"},
    {RADIUS("{\"uniform\": [0, 1]}"), "defaults.radius.uniform[0]: must be > 0, got 0"},
    {RADIUS("{\"uniform\": [2, 1]}"), "defaults.radius.uniform[1]: must be >= 2, got 1"},
    {RADIUS("{\"log_uniform\": [-1, 1]}"), "defaults.radius.log_uniform[0]: must be > 0, got -1"},
    {RADIUS("{\"power\": [1, 2]}"), "radius.power: must be an array of 3 numbers, got 2"},
    {RADIUS("{\"power\": [1, 2, 101]}"), "power[2]: must be in [-100, 100], got 101"},
    {RADIUS("{\"choices\": []}"), "defaults.radius.choices: must be an array of [radius, weight]"},
    {RADIUS("{\"choices\": [[1, 2], [1]]}"), "choices[1]: must be an array of 2 numbers, got 1"},
    {RADIUS("{\"choices\": [[1, 0]]}"), "choices[0][1]: must be > 0, got 0"},
    {"{" HEAD "\"bodies\": [{\"position\": [0, 0, 0], \"radius\": {\"uniform\": [1, 2]}}]}",
     "bodies[0].radius: must be a number, got an object"},
    {"{" HEAD "\"defaults\": {\"density\": 0}, " BODY "}", "defaults.density: must be > 0, got 0"},
    {"{" HEAD "\"defaults\": {\"density\": 1, \"mass\": 1}, " BODY "}",
     "defaults.density: replaces mass: give one of them"},
    {"{" HEAD "\"defaults\": {\"density\": 1e-30}, " BODY "}", "bodies[0].mass: must be in"},
    {GAS("\"seed\": 1"), "generators[0].gas: needs count or packing_fraction"},
    {GAS("\"packing_fraction\": 0.1, \"radius\": {\"uniform\": [1, 0.5]}"),
     "generators[0].gas.radius.uniform[1]: must be >= 1, got 0.5"},
    {GAS("\"packing_fraction\": 0.001, \"radius\": 2"),
     "generators[0].gas.packing_fraction: 0.001 is less than half a sphere"},
    {GAS("\"count\": 10, \"packing_fraction\": 0.1, \"radius\": 0.1"),
     "generators[0].gas.radius: count and packing_fraction make it 1.3365, got 0.1"},
    {GAS("\"packing_fraction\": 0.8, \"radius\": 1"),
     "generators: a packing of 0.8001 cannot be reached with the 191 spheres of all gases here"},
    {GAS("\"packing_fraction\": 2, \"radius\": {\"uniform\": [0.5, 1]}"),
     "generators: a packing of 2"},
    {GAS("\"packing_fraction\": 0.1, \"radius\": 0.0001"),
     "generators[0]: more than 67108864 bodies in all"},
    {GAS("\"count\": 1, \"radius\": 6"), "generators: a packing of 0.9048 cannot be reached"},
};

static void refuse_all(const bad_scene *scenes, size_t count)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; ++i) {
        support_write_file("bad.json", scenes[i].text);
        support_program run = RUN("bad.json", "--quiet", "--csv", "out.csv");
        if (!support_complains(&run, 2, scenes[i].message) || run.out_size > 0) {
            fprintf(stderr, "of the scene: %s\n", scenes[i].text);
            wrong += 1;
        }
        support_program_free(&run);
    }
    cr_assert_eq(wrong, 0, "%u of %zu scenes are not refused rightly", wrong, count);
    cr_assert_eq(support_count_files("out.csv"), 0, "a refused scene left an output");
}

#define ALL(scenes) scenes, sizeof scenes / sizeof *scenes

Test(bad_scenes, syntax_is_reported_by_line_and_column) { refuse_all(ALL(syntax)); }
Test(bad_scenes, world_keys) { refuse_all(ALL(keys)); }
Test(bad_scenes, surroundings) { refuse_all(ALL(surroundings)); }
Test(bad_scenes, surfaces) { refuse_all(ALL(surfaces)); }
Test(bad_scenes, motions_of_surfaces) { refuse_all(ALL(surface_motions)); }
Test(bad_scenes, bodies_and_generators) { refuse_all(ALL(bodies)); }
Test(bad_scenes, sizes_and_masses) { refuse_all(ALL(sizes)); }

/* For texts that are too long to write out. */
static char *repeat(const char *head, const char *text, size_t times, const char *tail)
{
    size_t length = strlen(text);
    char *all = malloc(strlen(head) + length * times + strlen(tail) + 1), *end = all;
    end = stpcpy(end, head);
    for (size_t i = 0; i < times; ++i) end = stpcpy(end, text);
    stpcpy(end, tail);
    return all;
}

static void refuse_long(char *text, const char *message)
{
    bad_scene scene = {text, message};
    refuse_all(&scene, 1);
    free(text);
}

Test(bad_scenes, deep_nesting_does_not_crash)
{
    refuse_long(repeat("", "[", 2000000, ""), "nested deeper than 64 levels");
    refuse_long(repeat("", "{\"a\":", 1000000, ""), "nested deeper than 64 levels");
}

Test(bad_scenes, long_keys_and_strings_fit_one_line)
{
    refuse_long(repeat("{\"", "key", 1000000, "\": 1}"), "keykeykey");
    refuse_long(repeat("{\"format\": \"kugel-scene\", \"version\": 1, \"bodies\": [{\"position\": "
                       "[0, 0, 0], \"type\": \"",
                       "x", 1000000, "\"}]}"),
                "bodies[0].type: must be one of");
}

/* Errors found when the world is filled name a place in the scene. */
Test(bad_scenes, errors_of_the_world_name_a_place_in_the_scene)
{
    refuse_long(repeat("{" HEAD BODY ", \"planes\": [", "{\"normal\": [0, 0, 1]}, ", 16384,
                       "{\"normal\": [0, 0, 1]}]}"),
                "bad.json: planes[16384]: a world has at most 16384 surfaces");
    const bad_scene fast = {
        "{" HEAD "\"bodies\": [{\"position\": [1e15, 0, 0], \"velocity\": [1e15, 0, 0]}]}",
        "bad.json: tick 1: a body would leave the range"};
    refuse_all(&fast, 1);
}

Test(bad_scenes, the_last_of_many_bodies_is_named)
{
    refuse_long(repeat("{" HEAD "\"bodies\": [", "{\"position\": [0, 0, 0]}, ", 100000,
                       "{\"position\": [0, 0]}]}"),
                "bodies[100000].position: must be an array of 3 numbers, got 2");
}

/* A truncated text is refused, unless only trailing space is missing. */
Test(bad_scenes, a_scene_cut_anywhere_is_refused)
{
    static const char whole[] =
        "{" HEAD "\"planes\": [{\"normal\": [0, 0, 1], \"friction\": 5e-1}], " BODY "}";
    char cut[sizeof whole];
    for (size_t n = 0; n < sizeof whole - 1; ++n) {
        memcpy(cut, whole, n);
        cut[n] = 0;
        support_write_file("cut.json", cut);
        support_program run = RUN("cut.json", "--ticks", "0");
        cr_assert(support_complains(&run, 2, "the text ends too early"), "cut after %zu bytes", n);
        support_program_free(&run);
    }
}

/* A scene with one changed byte runs or is refused with one line; it never crashes. */
Test(bad_scenes, a_changed_byte_is_refused_or_harmless)
{
    static const char whole[] =
        "{" HEAD "\"ticks\": 1, \"planes\": [{\"normal\": [0, 0, 1]}], " BODY "}";
    static const char bytes[] = "\"[{,:9-e\x01\xff";
    char changed[sizeof whole];
    for (size_t n = 0; n < sizeof whole - 1; n += 3) {
        memcpy(changed, whole, sizeof whole);
        changed[n] = bytes[n % (sizeof bytes - 1)];
        support_write_file("changed.json", changed);
        support_program run = RUN("changed.json", "--ticks", "1");
        bool fine = run.code == 0 || (run.code == 2 && support_count_lines(run.err) == 1);
        cr_assert(fine, "exit code %d, %s for %s", run.code, run.err, changed);
        support_program_free(&run);
    }
}
