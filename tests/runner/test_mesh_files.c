/* "mesh": "FILE" in a scene: a cube in every format has its six sides in place, and spoilt files
 * are refused with their place. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"

/* A cube around the origin, sides of 2 m. */

/* Corner 1 x + 2 y + 4 z is on the upper sides x, y, z; quads turn left seen from outside. */
static const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

static double corner(int index, int axis) { return index >> axis & 1 ? 1 : -1; }

typedef struct bytes {
    char data[4096];
    size_t size;
} bytes;

static void add(bytes *b, const void *data, size_t size)
{
    cr_assert(b->size + size < sizeof b->data);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void print(bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(bytes *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    b->size += (size_t)vsnprintf(b->data + b->size, sizeof b->data - b->size, format, args);
    va_end(args);
    cr_assert(b->size < sizeof b->data);
}

/* Numbers of 1, 4 or 8 bytes in either byte order; the machine of the tests is little-endian. */
static void add_number(bytes *b, const void *number, size_t size, bool reverse)
{
    for (size_t k = 0; k < size; ++k)
        add(b, (const char *)number + (reverse ? size - 1 - k : k), 1);
}

static bytes obj_cube(bool relative)
{
    bytes b = {.size = 0};
    print(&b, "# a cube\r\nmtllib cube.mtl\no cube\n\n");
    for (int i = 0; i < 8; ++i)
        print(&b, "v %g  %g\t%.3e 1\n", corner(i, 0), corner(i, 1), corner(i, 2));
    print(&b, "vn 0 0 1\nvt 0 0\nusemtl red\ns off\n");
    for (int q = 0; q < 6; ++q) {
        print(&b, "f");
        for (int k = 0; k < 4; ++k)
            if (relative) print(&b, " %d", quads[q][k] - 8);
            else print(&b, q % 2 ? " %d//1" : " %d/1/1", quads[q][k] + 1);
        print(&b, " \n");
    }
    return b;
}

static bytes ascii_stl_cube(void)
{
    bytes b = {.size = 0};
    print(&b, "solid a cube\n");
    for (int t = 0; t < 12; ++t) {
        const int *q = quads[t / 2], corners[3] = {q[0], q[1 + t % 2], q[2 + t % 2]};
        print(&b, "facet normal 0 0 0\n outer loop\n");
        for (int k = 0; k < 3; ++k)
            print(&b, "  vertex %g %g %g\n", corner(corners[k], 0), corner(corners[k], 1),
                  corner(corners[k], 2));
        print(&b, " endloop\nendfacet\n");
    }
    print(&b, "endsolid a cube\n");
    return b;
}

/* Its header begins with "solid", as that of some programs does. */
static bytes binary_stl_cube(void)
{
    bytes b = {.size = 0};
    uint32_t count = 12;
    char head[80] = "solid, but binary";
    add(&b, head, sizeof head);
    add(&b, &count, 4);
    for (int t = 0; t < 12; ++t) {
        const int *q = quads[t / 2], corners[3] = {q[0], q[1 + t % 2], q[2 + t % 2]};
        float triangle[12] = {0};
        for (int k = 0; k < 9; ++k) triangle[3 + k] = (float)corner(corners[k / 3], k % 3);
        add(&b, triangle, sizeof triangle);
        add(&b, "\0", 2);
    }
    return b;
}

/* With properties and an element that a mesh has no use for. */
static bytes ply_cube(const char *format)
{
    bytes b = {.size = 0};
    bool ascii = strcmp(format, "ascii") == 0, big = strcmp(format, "binary_big_endian") == 0;
    print(&b,
          "ply\nformat %s 1.0\ncomment a cube\nelement material 1\nproperty list uchar char name\n"
          "element vertex 8\nproperty uchar red\nproperty float x\nproperty double y\n"
          "property int z\nelement face 6\nproperty list uchar uint vertex_indices\n"
          "property uchar flags\nend_header\n",
          format);
    if (ascii) print(&b, "2 7 7\n");
    else add(&b, "\2\7\7", 3);
    for (int i = 0; i < 8; ++i) {
        float x = (float)corner(i, 0);
        double y = corner(i, 1);
        int32_t z = (int32_t)corner(i, 2);
        if (ascii) print(&b, "255 %g %g %d\n", (double)x, y, z);
        else {
            add(&b, "\377", 1);
            add_number(&b, &x, 4, big), add_number(&b, &y, 8, big), add_number(&b, &z, 4, big);
        }
    }
    for (int q = 0; q < 6; ++q) {
        if (ascii) {
            print(&b, "4 %d %d %d %d 0\n", quads[q][0], quads[q][1], quads[q][2], quads[q][3]);
            continue;
        }
        add(&b, "\4", 1);
        for (int k = 0; k < 4; ++k) add_number(&b, &quads[q][k], 4, big);
        add(&b, "\0", 1);
    }
    return b;
}

static void write_bytes(const char *name, const char *data, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", support_folder(), name);
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "%s", path);
}

static support_program run_mesh(const char *name, const char *keys, const char *ticks)
{
    char scene[1024];
    /* six balls of radius 0.5 fly to the origin along the axes, 8 m/s */
    snprintf(scene, sizeof scene,
             "{\"format\": \"kugel-scene\", \"version\": 1, \"dt\": 0.01, \"ticks\": %s, "
             "\"surfaces\": [{\"mesh\": \"%s\"%s}], \"bodies\": ["
             "{\"position\": [-3, 0.1, 0.2], \"velocity\": [8, 0, 0]}, "
             "{\"position\": [3, 0.1, 0.2], \"velocity\": [-8, 0, 0]}, "
             "{\"position\": [0.1, -3, 0.2], \"velocity\": [0, 8, 0]}, "
             "{\"position\": [0.1, 3, 0.2], \"velocity\": [0, -8, 0]}, "
             "{\"position\": [0.1, 0.2, -3], \"velocity\": [0, 0, 8]}, "
             "{\"position\": [0.1, 0.2, 3], \"velocity\": [0, 0, -8]}]}",
             ticks, name, keys);
    return support_kugel_run(scene, (const char *const[]){"-", "--events", "e.csv", NULL});
}

/* Each ball meets its side of the one-sided cube after 1.5 m: the order of the corners counts. */
static void is_cube(const char *name, bytes file)
{
    write_bytes(name, file.data, file.size);
    support_program run = run_mesh(name, ", \"sides\": 1", "30");
    cr_assert_eq(run.code, 0, "%s: %s", name, run.err);
    char *text = support_read_file("e.csv");
    unsigned met = 0;
    for (char *row = strchr(text, '\n') + 1; *row; row = strchr(row, '\n') + 1) {
        double time, p[3];
        unsigned body;
        if (sscanf(row, "%*u,%lf,impact,%u,surface:0,%lf,%lf,%lf", &time, &body, &p[0], &p[1],
                   &p[2]) != 5)
            continue;
        cr_assert(fabs(time - 1.5 / 8) < 1e-12 && fabs(p[body / 2] - (body % 2 ? 1 : -1)) < 1e-12,
                  "%s: body %u at %g s, %g %g %g", name, body, time, p[0], p[1], p[2]);
        met |= 1u << body;
    }
    cr_assert_eq(met, 63, "%s: sides %x", name, met);
    free(text);
    support_program_free(&run);
}

Test(mesh_files, a_cube_in_each_format)
{
    is_cube("a.obj", obj_cube(false));
    is_cube("b.OBJ", obj_cube(true));
    is_cube("a.stl", ascii_stl_cube());
    is_cube("b.stl", binary_stl_cube());
    is_cube("a.ply", ply_cube("ascii"));
    is_cube("b.ply", ply_cube("binary_little_endian"));
    is_cube("c.ply", ply_cube("binary_big_endian"));
}

/* The scene is in another folder than the working directory. */
Test(mesh_files, paths_are_relative_to_the_scene)
{
    char folder[256];
    snprintf(folder, sizeof folder, "%s/inner", support_folder());
    support_program made = support_run_program("/bin/mkdir", (const char *const[]){folder, NULL});
    cr_assert_eq(made.code, 0);
    support_program_free(&made);
    bytes cube = obj_cube(false);
    write_bytes("inner/cube.obj", cube.data, cube.size);
    const char scene[] = "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 1, "
                         "\"surfaces\": [{\"mesh\": \"cube.obj\"}], "
                         "\"bodies\": [{\"position\": [3, 0, 0]}]}";
    support_write_file("inner/scene.json", scene);
    support_write_file("scene.json", scene);
    support_program run = RUN("inner/scene.json");
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    run = RUN("scene.json");
    cr_assert(support_complains(&run, 2, "surfaces[0].mesh: cube.obj: cannot be opened"));
    support_program_free(&run);
    run = RUN("inner/scene.json", "--csv", "inner/cube.obj");
    cr_assert(support_complains(&run, 2, "is a mesh of the scene as well"));
    support_program_free(&run);
}

typedef struct bad_file {
    const char *name, *text, *message;
} bad_file;

#define SOLID "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
#define PLY "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
#define PLY_FACES PLY "property float z\nelement face 1\nproperty list uchar int vertex_index\n"
#define PLY_BODY PLY_FACES "end_header\n0 0 0\n1 0 0\n0 1 0\n"

static const bad_file bad_files[] = {
    {"a.obj", "", "a.obj: has no triangles"},
    {"a.obj", "v 0 0\n", "a.obj:1: v needs 3 numbers"},
    {"a.obj", "v 0 0 x\n", "a.obj:1: must be a number, got 'x'"},
    {"a.obj", "\nv 0 nan 0\n", "a.obj:2: must be within 1e9, got nan"},
    {"a.obj", "v 0 0 1e10\n", "a.obj:1: must be within 1e9, got 1e10"},
    {"a.obj", "v 0 0 0\nf 1 1\n", "a.obj:2: f needs at least 3 corners, got 2"},
    {"a.obj", "v 0 0 0\nf 1 2 1\n", "a.obj:2: vertex 2 does not exist; 1 are above"},
    {"a.obj", "v 0 0 0\nf -1 -2 1\n", "a.obj:2: vertex -2 does not exist"},
    {"a.obj", "v 0 0 0\nf 0 1 1\n", "a.obj:2: vertex 0 does not exist"},
    {"a.obj", "v 0 0 0\nf 1.5 1 1\n", "a.obj:2: must be the number of a vertex, got '1.5'"},
    {"a.obj", "v 0 0 0\nf 1/ 1 1\n", "a.obj:2: must be v, v/vt, v/vt/vn or v//vn, got '1/'"},
    {"a.obj", "v 0 0 0\nf 1 1// 1\n", "v//vn, got '1//'"},
    {"a.obj", "v 0 0 0\nf 1 1 1/1/\n", "v//vn, got '1/1/'"},
    {"a.obj", "v 0 0 0\nf 1/1/1/1 1 1\n", "v//vn, got '1/1/1/1'"},
    {"a.obj", "v 0 0 0\nf 1///1 1 1\n", "v//vn, got '1///1'"},
    {"a.obj", "v 0 0 0\nf 1/x 1 1\n", "v//vn, got '1/x'"},
    {"a.obj", "v 0 0 0\nf 1/0 1 1\n", "v//vn, got '1/0'"},
    {"a.obj", "v 0 0 0\nf /1 1 1\n", "must be the number of a vertex, got '/1'"},
    {"a.obj", "v 0 0 0x1\n", "a.obj:1: must be a number, got '0x1'"},
    {"a.obj", "v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\nf 1 2 3 4\n", "a.obj:5: the polygon is not"},
    {"a.obj", "v 0 0 0\ncurv 0 1\n", "a.obj:2: unknown statement 'curv'"},
    {"a.obj", "v 0 0 \\\n0\n", "a.obj:1: goes on in the next line"},
    {"a.stl", "", "a.stl: byte 0: the file ends before the number of triangles"},
    {"a.stl", "solid\nendsolid\n", "a.stl: has no triangles"},
    {"a.stl", "solid\n", "a.stl:1: the file ends before 'endsolid'"},
    {"a.stl", "solid\nloop\n", "a.stl:2: expected 'facet' or 'endsolid'"},
    {"a.stl", SOLID, "a.stl:5: the file ends before 'vertex'"},
    {"a.stl", SOLID "endloop\n", "a.stl:6: expected 'vertex'"},
    {"a.stl", SOLID "vertex 0 1\n", "a.stl:6: vertex needs 3 numbers"},
    {"a.stl", SOLID "vertex 0 1 2 3\n", "a.stl:6: more than 3 numbers"},
    {"a.stl", SOLID "vertex 0 1 0\nendfacet\n", "a.stl:7: expected 'endloop'"},
    {"a.ply", "", "a.ply:1: must begin with 'ply'"},
    {"a.ply", "ply\nelement vertex 3\n", "a.ply:2: expected 'format', got 'element'"},
    {"a.ply", "ply\nformat ascii 2.0\n", "a.ply:2: must be version 1.0, got '2.0'"},
    {"a.ply", "ply\nformat text 1.0\n", "a.ply:2: unknown format 'text'"},
    {"a.ply", "ply\nformat ascii 1.0\nproperty int x\n", "a.ply:3: a property before the first"},
    {"a.ply", PLY "property real z\n", "a.ply:6: unknown type 'real'"},
    {"a.ply", PLY "property float x\n", "a.ply:6: appears twice: 'x'"},
    {"a.ply", PLY "end_header\n", "a.ply:6: needs vertices with properties x, y and z"},
    {"a.ply", PLY "property float z\nend_header\n", "a.ply:7: needs faces with a list"},
    {"a.ply", PLY "vertices 3\n", "a.ply:6: unknown keyword 'vertices'"},
    {"a.ply", PLY "element\n", "a.ply:6: an element needs a name and a number"},
    {"a.ply", PLY "element edge 3\n" PLY, "a.ply:7: unknown keyword 'ply'"},
    {"a.ply", PLY, "a.ply:5: the file ends before 'end_header'"},
    {"a.ply", PLY_FACES "element edge 9\nend_header\n", "a.ply:10: an element has no properties"},
    {"a.ply", PLY_FACES "end_header\n0 0\n", "a.ply:10: needs more numbers"},
    {"a.ply", PLY_FACES "end_header\n0 0 0 0\n", "a.ply:10: more than the header has: '0'"},
    {"a.ply", PLY_BODY, "a.ply:12: the file ends too early"},
    {"a.ply", PLY_BODY "3 0 1 3\n", "a.ply:13: must be the number of a vertex, got 3"},
    {"a.ply", PLY_BODY "3 0 1 -1\n", "a.ply:13: must be the number of a vertex, got -1"},
    {"a.ply", PLY_BODY "2 0 1\n", "a.ply:13: a face needs at least 3 corners, got 2"},
    {"a.ply", PLY_BODY "3 0 1 2\n\n3 0 1 2\n", "a.ply:15: more lines than the header has"},
    {"a.ply", PLY_BODY "2.5 0 1\n", "a.ply:13: must be the length of a list, got 2.5"},
};

Test(mesh_files, bad_files_are_refused_with_their_place)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; ++i) {
        const bad_file *bad = &bad_files[i];
        write_bytes(bad->name, bad->text, strlen(bad->text));
        support_program run = run_mesh(bad->name, "", "1");
        if (!support_complains(&run, 2, bad->message)) {
            fprintf(stderr, "of the file: %s\n", bad->text);
            wrong += 1;
        }
        support_program_free(&run);
    }
    cr_assert_eq(wrong, 0, "%u files are not refused rightly", wrong);
}

Test(mesh_files, binary_files_are_refused_with_the_byte)
{
    bytes stl = binary_stl_cube(), ply = ply_cube("binary_little_endian");
    write_bytes("a.stl", stl.data + 1, stl.size - 1); /* no longer "solid" */
    support_program run = run_mesh("a.stl", "", "1");
    cr_assert(support_complains(&run, 2, "a.stl: byte 80: "));
    support_program_free(&run);
    memset(stl.data + 84 + 12, 0xff, 4);
    write_bytes("a.stl", stl.data, stl.size);
    run = run_mesh("a.stl", "", "1");
    cr_assert(support_complains(&run, 2, "a.stl: byte 96: must be within 1e9, got"));
    support_program_free(&run);
    write_bytes("a.ply", ply.data, ply.size - 1);
    run = run_mesh("a.ply", "", "1");
    cr_assert(support_complains(&run, 2, "the file ends too early"));
    support_program_free(&run);
    write_bytes("a.ply", ply.data, ply.size + 1);
    run = run_mesh("a.ply", "", "1");
    cr_assert(support_complains(&run, 2, "more bytes than the header has"));
    support_program_free(&run);
}

/* Spoilt files: a run or one line, and no crash. */

static uint32_t random_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes */
    return *state >> 8;
}

static void spoil(const char *name, bytes file, uint32_t seed)
{
    for (int round = 0; round < 40; ++round) {
        bytes spoilt = file;
        if (round % 2) spoilt.size = random_number(&seed) % file.size;
        else
            for (int k = 0; k < 3; ++k)
                spoilt.data[random_number(&seed) % file.size] = (char)random_number(&seed);
        write_bytes(name, spoilt.data, spoilt.size);
        support_program run = run_mesh(name, "", "1");
        cr_assert(run.code == 0 || support_complains(&run, 2, name), "%s, round %d: exit code %d",
                  name, round, run.code);
        support_program_free(&run);
    }
}

Test(mesh_files, spoilt_files_do_not_crash)
{
    spoil("a.obj", obj_cube(false), 1);
    spoil("a.stl", ascii_stl_cube(), 2);
    spoil("b.stl", binary_stl_cube(), 3);
    spoil("a.ply", ply_cube("ascii"), 4);
    spoil("b.ply", ply_cube("binary_little_endian"), 5);
}
