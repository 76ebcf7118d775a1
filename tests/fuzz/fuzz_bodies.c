/* Fuzz target: files of bodies. The first byte chooses the format, and with BOX_OF_FILE a scene
 * whose bounds are the box of the file; the rest is the file. The reader must refuse the file with
 * one line and an exit code, or read bodies and bounds whose numbers are in range. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "input.h"
#include "read_bodies.h"

static const char empty[] =
    "{\"format\": \"kugel-scene\", \"version\": 1, \"bodies\": [], \"bounds\": {\"min\": [0, 0, "
    "0], \"max\": [1, 1, 1], \"faces\": [\"periodic\", \"periodic\", \"wall\", \"wall\", \"open\", "
    "\"open\"]}}";
static const char empty_of_file[] =
    "{\"format\": \"kugel-scene\", \"version\": 1, \"bodies\": \"file\", \"bounds\": {}}";
enum { BOX_OF_FILE = 64 }; /* a bit of the first byte */
static const char *const files[] = {"a.csv",       "a.npy", "a.xyz",   "a.data",
                                    "a.lammpstrj", "a.gsd", "a.csv@1", "a.gsd@1"};
enum { FILES = sizeof files / sizeof *files };

static void check_bounds(const kugel_bounds *bounds)
{
    for (int k = 0; k < 3; ++k) {
        double low = bounds->min[k], high = bounds->max[k];
        bool periodic = bounds->faces[2 * k] == KUGEL_FACE_PERIODIC;
        FUZZ_CHECK(low >= -LARGEST && low < high && high <= LARGEST, "%g ... %g", low, high);
        FUZZ_CHECK(periodic == (bounds->faces[2 * k + 1] == KUGEL_FACE_PERIODIC), "axis %d", k);
    }
}

static void check_bodies(const scene *scene)
{
    size_t count = arrlenu(scene->bodies);
    FUZZ_CHECK(count == arrlenu(scene->body_places), "%zu bodies", count);
    for (size_t i = 0; i < count; ++i) {
        const kugel_body_def *b = &scene->bodies[i];
        char path[SCENE_PATH];
        scene_body_path(scene, i, path);
        FUZZ_CHECK((unsigned)b->type <= KUGEL_KINEMATIC, "%s: type %d", path, (int)b->type);
        FUZZ_CHECK(b->radius > 0 && b->radius <= LARGEST, "%s: radius %g", path, b->radius);
        FUZZ_CHECK(b->mass >= 0, "%s: mass %g", path, b->mass);
        for (int k = 0; k < 3; ++k) {
            FUZZ_CHECK(fabs(b->position[k]) <= LARGEST, "%s: %g", path, b->position[k]);
            FUZZ_CHECK(fabs(b->velocity[k]) <= LARGEST, "%s: %g", path, b->velocity[k]);
            bool periodic = scene->world.bounds.faces[2 * k] == KUGEL_FACE_PERIODIC;
            FUZZ_CHECK(periodic || b->image[k] == 0, "%s: image %d", path, (int)b->image[k]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scene scene;
    complaint complaint = {0};
    bodies_file file;
    uint8_t choice = size ? data[0] : 0;
    size_t length = size ? size - 1 : 0;
    char *text = malloc(length + 1); /* ended by 0, as a file that was read */
    if (!text) abort();
    if (length) memcpy(text, data + 1, length);
    text[length] = 0;
    const char *json = choice & BOX_OF_FILE ? empty_of_file : empty;
    FUZZ_CHECK(scene_parse(&scene, json, strlen(json), "scene", &complaint), "%s", complaint.text);
    free(scene.bodies_file);
    scene.bodies_file = strdup(files[choice % FILES]);
    FUZZ_CHECK(scene.bodies_file && bodies_find(&scene, "scene", &file), "no memory");
    if (bodies_parse(&scene, "scene", &file, text, length, &complaint)) {
        check_bounds(&scene.world.bounds);
        check_bodies(&scene);
    } else {
        FUZZ_CHECK(complaint.code == EXIT_USAGE, "exit code %d", complaint.code);
        size_t said = strnlen(complaint.text, sizeof complaint.text);
        FUZZ_CHECK(said > 0 && said < sizeof complaint.text, "a complaint of %zu bytes", said);
    }
    scene_free(&scene);
    free(file.path);
    free(text);
    return 0;
}
