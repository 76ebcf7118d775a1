/* "bodies": "FILE" in a scene. References: the values written, libraries of the formats
 * (make_files.py), and what kugel-replay exports. */
#include <criterion/criterion.h>
#include <kugel/kugel.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"
#include "support/support_states.h"

#define HEAD "{\"format\": \"kugel-scene\", \"version\": 1, "
#define DATA_HEAD "t\n1 atoms\n1 atom types\n"
#define DUMP_BOX(kinds, edges)                                                                     \
    "ITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS " kinds "\n" edges "ITEM: ATOMS "

enum { MOST = 300 };

static FILE *open_file(const char *name, const char *mode)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", support_folder(), name);
    FILE *file = fopen(path, mode);
    cr_assert(file, "%s", path);
    return file;
}

/* The bodies of tick 0 of a recording. */
static uint32_t read_states(const char *name, kugel_body_state states[MOST])
{
    FILE *file = open_file(name, "rb");
    static char data[1 << 22];
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    kugel_player *player;
    cr_assert_eq(kugel_player_open(data, size, NULL, NULL, 1, &player, NULL), KUGEL_OK);
    cr_assert_eq(kugel_player_seek(player, 0), KUGEL_PLAY_TICK);
    uint32_t count = support_read_states(kugel_player_world(player), MOST, states);
    cr_assert(count <= MOST);
    kugel_player_close(player);
    return count;
}

/* The bounds of a recording's world. */
static void read_bounds(const char *name, kugel_bounds *bounds)
{
    static char data[1 << 22];
    FILE *file = open_file(name, "rb");
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    kugel_player *player;
    kugel_world_def def;
    cr_assert_eq(kugel_player_open(data, size, NULL, NULL, 1, &player, NULL), KUGEL_OK);
    cr_assert_eq(kugel_player_seek(player, 0), KUGEL_PLAY_TICK);
    cr_assert_eq(kugel_world_get_def(kugel_player_world(player), &def), KUGEL_OK);
    *bounds = def.bounds;
    kugel_player_close(player);
}

/* The bodies of a scene with this file and these further keys. */
static uint32_t bodies_of(const char *file, const char *keys, kugel_body_state states[MOST])
{
    char scene[512];
    snprintf(scene, sizeof scene, HEAD "\"ticks\": 0, %s\"bodies\": \"%s\"}", keys, file);
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--record", "r.kugel", NULL});
    cr_assert_eq(run.code, 0, "%s: %s", file, run.err);
    support_program_free(&run);
    return read_states("r.kugel", states);
}

static void check_vector(const double found[3], double x, double y, double z, const char *what)
{
    cr_assert(found[0] == x && found[1] == y && found[2] == z, "%s: %g %g %g", what, found[0],
              found[1], found[2]);
}

Test(body_files, csv)
{
    kugel_body_state b[MOST];
    support_write_file(
        "a.csv", "x, y,z,vx,radius,density,type,wz,qx,qy,qz,qw,friction,category,mask,"
                 "sensor,gravity_scale,restitution,rolling_resistance,tangential_restitution\r\n"
                 "1,2,3,4,0.25,,kinematic,5,0,0,0,1,0.125,2,3,1,-1,0.5,0.75,-0.5\r\n"
                 "\r\n-1e0,+2.5,3,,,2000,1,,,,,,,,,,,,,\r\n"
                 "7,8,9,1,1,,,,1,0,0,0,,,,,,,,");
    uint32_t count = bodies_of(
        "a.csv", "\"defaults\": {\"radius\": 0.125, \"mass\": 3, \"spin\": [1, 2, 3]}, ", b);
    cr_assert_eq(count, 3);
    check_vector(b[0].position, 1, 2, 3, "position");
    check_vector(b[0].velocity, 4, 0, 0, "velocity");
    check_vector(b[0].spin, 1, 2, 5, "spin");
    cr_assert(b[0].type == KUGEL_KINEMATIC && b[0].radius == 0.25 && b[0].friction == 0.125);
    cr_assert(b[0].category == 2 && b[0].mask == 3 && b[0].sensor && b[0].gravity_scale == -1);
    cr_assert(b[0].restitution == 0.5 && b[0].rolling_resistance == 0.75);
    cr_assert(b[0].tangential_restitution == -0.5);
    check_vector(b[1].position, -1, 2.5, 3, "position");
    check_vector(b[1].spin, 0, 0, 0, "a static body takes no default spin");
    cr_assert(b[1].type == KUGEL_STATIC && b[1].radius == 0.125 && b[1].mask == UINT32_MAX);
    check_vector(b[2].spin, 1, 2, 3, "spin");
    cr_assert(b[2].type == KUGEL_DYNAMIC && b[2].mass == 3 && b[2].rotation[0] == 1);
}

/* As R and others write it. */
Test(body_files, quoted_csv)
{
    kugel_body_state b[MOST];
    support_write_file("a.csv",
                       "\"x\",\"y\", \"z\",\"type\",\"radius\"\n\"1\",2,\" 3\",\"static\",\"\"\n");
    cr_assert_eq(bodies_of("a.csv", "", b), 1);
    check_vector(b[0].position, 1, 2, 3, "position");
    cr_assert(b[0].type == KUGEL_STATIC && b[0].radius == 0.5);
}

/* Rows are sorted by id, ids are closed up; of several ticks the last or the one asked for. */
Test(body_files, ticks_and_ids)
{
    kugel_body_state b[MOST];
    support_write_file("a.csv", "tick,time,id,x,y,z\n3,1,5,50,0,0\n3,1,2,20,0,0\n3,1,9,90,0,0\n"
                                "4,2,1,10,0,0\n4,2,0,0,0,0\n");
    cr_assert_eq(bodies_of("a.csv", "", b), 2);
    cr_assert(b[0].position[0] == 0 && b[1].position[0] == 10);
    cr_assert_eq(bodies_of("a.csv@4", "", b), 2);
    cr_assert_eq(bodies_of("a.csv@3", "", b), 3);
    cr_assert(b[0].position[0] == 20 && b[1].position[0] == 50 && b[2].position[0] == 90);
}

/* A radius of the defaults is drawn for each body without one, and generators follow. */
Test(body_files, distributions_and_generators)
{
    kugel_body_state b[MOST];
    support_write_file("a.csv", "x,y,z,radius\n0,0,0,\n10,0,0,5\n20,0,0,\n");
    uint32_t count = bodies_of(
        "a.csv",
        "\"defaults\": {\"radius\": {\"uniform\": [1, 2]}}, \"generators\": [{\"lattice\": "
        "{\"origin\": [0, 50, 0], \"spacing\": [5, 5, 5], \"count\": [2, 1, 1]}}], ",
        b);
    cr_assert_eq(count, 5);
    for (int k = 0; k < 5; ++k)
        cr_assert(k == 1 ? b[k].radius == 5 : b[k].radius > 1 && b[k].radius < 2);
    cr_assert_neq(b[0].radius, b[2].radius);
    cr_assert_eq(b[4].position[0], 5);
}

Test(body_files, paths_are_relative_to_the_scene)
{
    char folder[256];
    snprintf(folder, sizeof folder, "mkdir -p '%s/sub/deep'", support_folder());
    cr_assert_eq(system(folder), 0);
    support_write_file("sub/deep/a.csv", "x,y,z\n1,2,3\n");
    support_write_file("sub/s.json", HEAD "\"ticks\": 0, \"bodies\": \"deep/a.csv\"}");
    support_program run = RUN("sub/s.json", "--csv", "-");
    cr_assert(strstr(run.out, "\n0,0,0,1,2,3,"), "%s%s", run.out, run.err);
    support_program_free(&run);
    run = RUN("sub/s.json", "--csv", "sub/deep/a.csv");
    cr_assert(support_complains(&run, 2, "--csv: sub/deep/a.csv is the file of bodies as well"));
    support_program_free(&run);
}

/* What the libraries of the formats write. */

static void check_made(const char *file, bool moves, bool has_radius, bool has_mass)
{
    static const double x[3][3] = {{1.25, 2, -3}, {4, 5.5, 6}, {7, 8, 9.0625}};
    static const double v[3][3] = {{1, 0, 0.5}, {0, 1, 0}, {0, 0, -1}};
    kugel_body_state b[MOST];
    cr_assert_eq(bodies_of(file, "", b), 3, "%s", file);
    for (int k = 0; k < 3; ++k) {
        check_vector(b[k].position, x[k][0], x[k][1], x[k][2], file);
        check_vector(b[k].velocity, moves ? v[k][0] : 0, moves ? v[k][1] : 0, moves ? v[k][2] : 0,
                     file);
        cr_assert_eq(b[k].radius, has_radius ? 0.25 * (k + 1) : 0.5, "%s", file);
        cr_assert_eq(b[k].mass, has_mass ? k + 1 : 1, "%s", file);
    }
}

static void make_files(void)
{
    char script[512];
    snprintf(script, sizeof script, "%s/tests/runner/make_files.py", getenv("KUGEL_SOURCE"));
    support_program run = support_run_program(
        "/usr/bin/python3", (const char *const[]){script, support_folder(), NULL});
    if (run.code == 77) cr_skip_test("%s", run.out);
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
}

static void check_refused(const char *file, const char *message)
{
    char scene[256];
    snprintf(scene, sizeof scene, HEAD "\"bodies\": \"%s\"}", file);
    support_write_file("bad.json", scene);
    support_program run = RUN("bad.json");
    cr_assert(support_complains(&run, 2, message), "%s", file);
    support_program_free(&run);
}

/* A kind that the file does not give is that of defaults. Errors have file, line and column. */
Test(body_files, kinds)
{
    static const struct {
        const char *kind, *complaint;
    } bad[] = {{"64", "bodies: a.csv:2: kind: must be in [0, 63], got 64"},
               {"-1", "bodies: a.csv:2: kind: must be in [0, 63], got -1"},
               {"1.5", "bodies: a.csv:2: kind: must be a whole number, got 1.5"},
               {"sand", "bodies: a.csv:2: kind: must be a number, got 'sand'"}};
    kugel_body_state b[MOST];
    support_write_file("a.csv", "x,y,z,kind\n0,0,0,63\n3,0,0,\n6,0,0,0\n");
    cr_assert_eq(bodies_of("a.csv", "\"defaults\": {\"kind\": 5}, ", b), 3);
    cr_assert(b[0].kind == 63 && b[1].kind == 5 && b[2].kind == 0);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        char rows[64];
        snprintf(rows, sizeof rows, "x,y,z,kind\n0,0,0,%s\n", bad[k].kind);
        support_write_file("a.csv", rows);
        check_refused("a.csv", bad[k].complaint);
    }
}

Test(body_files, npy_made_by_numpy)
{
    static const char *const whole[] = {"n8.npy", "big.npy", "narrow.npy", "fortran.npy",
                                        "version2.npy"};
    make_files();
    for (int k = 3; k <= 11; ++k) {
        char file[16];
        snprintf(file, sizeof file, "n%d.npy", k);
        check_made(file, k > 5, k % 3 > 0, k % 3 > 1);
    }
    for (size_t k = 0; k < sizeof whole / sizeof *whole; ++k)
        check_made(whole[k], true, true, true);
    check_made("aligned.npy", false, false, false);
    check_refused("no_fields.npy", "no_fields.npy: is not a .npy file that can be read: its descr "
                                   "names no fields");
    kugel_body_state b[MOST];
    bodies_of("n9.npy", "", b);
    check_vector(b[0].spin, 2, 0, 1, "spin");
    cr_assert_eq(bodies_of("whole.npy", "", b), 2);
    check_vector(b[1].position, 4, 5, -6, "whole numbers");
    cr_assert_eq(bodies_of("table.npy", "", b), 3); /* by id: rows 1, 2, 0 */
    check_vector(b[2].position, 1.25, 2, -3, "table");
    cr_assert(b[2].sensor && b[2].type == KUGEL_KINEMATIC && b[2].velocity[0] == 1);
    cr_assert(b[0].radius == 0.5 && !b[0].sensor && b[0].type == KUGEL_DYNAMIC);
    cr_assert(b[0].kind == 9 && b[1].kind == 0 && b[2].kind == 63);
    check_refused("bad_type.npy", "bad.json: bodies: bad_type.npy: type '<c16' cannot be read");
    check_refused("bad_width.npy", "bad_width.npy: must have 3 ... 11 columns, has 12");
    check_refused("bad_field.npy", "positoin: unknown field; did you mean position?");
    check_refused("twice.npy", "bad.json: bodies: twice.npy: y: appears twice");
    check_refused("nan.npy", "bad.json: bodies: nan.npy: row 1: radius: must be a finite number");
}

Test(body_files, gsd_made_by_its_library)
{
    kugel_body_state b[MOST];
    make_files();
    check_made("two.gsd@7", true, true, true);
    cr_assert_eq(bodies_of("two.gsd", "", b), 3);
    check_vector(b[1].position, 4.5, 6, 6.5, "the last frame");
    cr_assert(b[1].radius == 0.5 && b[1].mass == 2 && b[1].rotation[0] == 1);
    cr_assert(b[0].rotation[3] == 1 && b[2].rotation[2] == 1);
    check_refused("two.gsd@8", "bodies: two.gsd: has no tick 8");
    check_refused("cut.gsd@7", "bodies: cut.gsd: particles/velocity: is cut off");
}

/* ASE's numbers have eight digits after the point. */
Test(body_files, xyz_and_data_made_by_ase)
{
    kugel_body_state b[MOST];
    make_files();
    check_made("ase.xyz", true, true, true);
    cr_assert_eq(bodies_of("ase.data", "", b), 3);
    check_vector(b[1].position, 3.75, 4.5, 10, "ase.data");
}

/* As ASE writes atoms without radius and masses: momenta need the mass that the body gets. */
Test(body_files, momenta_and_the_mass_of_defaults)
{
    kugel_body_state b[MOST];
    support_write_file("a.xyz", "2\nLattice=\"9 0 0 0 9 0 0 0 9\" "
                                "Properties=species:S:1:pos:R:3:momenta:R:3 pbc=\"T T T\"\n"
                                "Ar 1 2 3 4 0 -8\nAr 5 2 3 0 2 0\n");
    cr_assert_eq(bodies_of("a.xyz", "\"defaults\": {\"mass\": 16}, ", b), 2);
    check_vector(b[0].velocity, 0.25, 0, -0.5, "momenta over 16 kg");
    check_vector(b[1].velocity, 0, 0.125, 0, "momenta over 16 kg");
    cr_assert(b[0].mass == 16 && b[1].mass == 16);
    bodies_of("a.xyz", "\"defaults\": {\"radius\": 0.25, \"density\": 2}, ", b);
    cr_assert_float_eq(b[0].velocity[0] * b[0].mass, 4, 1e-15);
    cr_assert_float_eq(b[0].mass, M_PI / 24, 1e-16);
    support_write_file("b.xyz", "1\nProperties=pos:R:3:momenta:R:3:radius:R:1:density:R:1\n"
                                "1 2 3 4 0 -8 0.25 2\n");
    bodies_of("b.xyz", "\"defaults\": {\"mass\": 16}, ", b);
    cr_assert_float_eq(b[0].velocity[2] * b[0].mass, -8, 1e-15);
}

Test(body_files, lammps_data)
{
    kugel_body_state b[MOST];
    support_write_file("a.data", "a title\n\n2 atoms\n2 atom types\n0 10 xlo xhi\n\nMasses\n\n1 5\n"
                                 "2 6 # heavy\n\nAtoms # atomic\n\n9 2 1 2 3 0 0 1\n"
                                 "4 1 4 5 6 0 0 0\n\nVelocities\n\n4 7 8 9\n9 1 0 0\n");
    cr_assert_eq(bodies_of("a.data", "", b), 2);
    check_vector(b[0].position, 4, 5, 6, "position");
    check_vector(b[0].velocity, 7, 8, 9, "velocity");
    check_vector(b[1].position, 1, 2, 3, "position");
    cr_assert(b[0].mass == 5 && b[1].mass == 6 && b[0].radius == 0.5);
    support_write_file("b.data", "LAMMPS\n1 atoms\n1 atom types\nAtoms # sphere\n\n"
                                 "1 1 2 3 4 5 6\n\nVelocities\n\n1 7 8 9 10 11 12\n");
    cr_assert_eq(bodies_of("b.data", "", b), 1);
    check_vector(b[0].position, 4, 5, 6, "position");
    check_vector(b[0].spin, 10, 11, 12, "spin");
    cr_assert_float_eq(b[0].mass, 4 * M_PI, 1e-14);
    cr_assert_eq(b[0].radius, 1);
}

/* The columns of each atom_style; images may follow. Hybrid styles name each column once. */
Test(body_files, lammps_atom_styles)
{
    static const struct {
        const char *style, *line;
        double radius, mass;
    } rows[] = {{"atomic", "3 1 1 2 3", 0.5, 5},
                {"charge", "3 1 -0.5 1 2 3", 0.5, 5},
                {"bond", "3 8 1 1 2 3", 0.5, 5},
                {"angle", "3 8 1 1 2 3", 0.5, 5},
                {"molecular", "3 8 1 1 2 3", 0.5, 5},
                {"full", "3 8 1 -0.5 1 2 3", 0.5, 5},
                {"dipole", "3 1 -0.5 1 2 3 7 8 9", 0.5, 5},
                {"sphere", "3 1 2 3 1 2 3", 1, 4 * M_PI},
                {"bpm/sphere", "3 8 1 2 3 1 2 3", 1, 4 * M_PI},
                {"hybrid charge sphere", "3 1 1 2 3 -0.5 2 3", 1, 4 * M_PI},
                {"hybrid sphere full", "3 1 1 2 3 2 3 8 -0.5", 1, 4 * M_PI},
                {"hybrid dipole full", "3 1 1 2 3 -0.5 7 8 9 8", 0.5, 5},
                {"hybrid bpm/sphere sphere", "3 1 1 2 3 8 2 3", 1, 4 * M_PI}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        for (int images = 0; images < 2; ++images) {
            kugel_body_state b[MOST];
            char text[512];
            snprintf(text, sizeof text,
                     "t\n1 atoms\n1 atom types\nMasses\n\n1 5\n\nAtoms # %s\n\n%s%s\n",
                     rows[k].style, rows[k].line, images ? " 0 -2 1" : "");
            support_write_file("a.data", text);
            cr_assert_eq(bodies_of("a.data", "", b), 1, "%s", rows[k].style);
            check_vector(b[0].position, 1, 2, 3, rows[k].style);
            cr_assert_eq(b[0].radius, rows[k].radius, "%s", rows[k].style);
            cr_assert_float_eq(b[0].mass, rows[k].mass, 1e-14, "%s", rows[k].style);
        }
    }
}

/* Types by number or by label, in Masses and Atoms. */
Test(body_files, lammps_type_labels)
{
    kugel_body_state b[MOST];
    support_write_file("a.data",
                       "t\n3 atoms\n3 atom types\n\nAtom Type Labels\n\n1 sand\n3 Iron\n2 Ice-9\n\n"
                       "Masses\n\nIron 7\nsand 2\n2 4\n\nPair Coeffs # lj\n\n1 1 1\n\n"
                       "Atoms # charge\n\n1 Iron 0 1 0 0\n2 sand 0 2 0 0\n3 2 0 3 0 0\n");
    cr_assert_eq(bodies_of("a.data", "", b), 3);
    cr_assert(b[0].mass == 7 && b[1].mass == 2 && b[2].mass == 4);
}

#define PERIODIC                                                                                   \
    "\"bounds\": {\"min\": [0, 0, 0], \"max\": [8, 8, 8], \"faces\": [\"periodic\", "              \
    "\"periodic\", \"periodic\", \"periodic\", \"wall\", \"wall\"]}, "

static void check_image(const kugel_body_state *b, int x, int y, int z, const char *what)
{
    cr_assert(b->image[0] == x && b->image[1] == y && b->image[2] == z, "%s: %d %d %d", what,
              (int)b->image[0], (int)b->image[1], (int)b->image[2]);
}

/* Scaled and unwrapped coordinates, and places beyond periodic faces. */
Test(body_files, lammps_coordinates)
{
    static const struct {
        const char *names, *line;
        double x[3];
        int image[3];
    } rows[] = {{"x y z", "1 2 3", {1, 2, 3}, {0, 0, 0}},
                {"x y z ix iy iz", "1 2 3 4 -5 0", {1, 2, 3}, {4, -5, 0}},
                {"x y z", "-1 9 3", {7, 1, 3}, {-1, 1, 0}},
                {"x y z ix iy iz", "-1 9 3 4 -5 0", {7, 1, 3}, {3, -4, 0}},
                {"x y z", "0 8 3", {0, 0, 3}, {0, 1, 0}},
                {"xs ys zs", "0.25 0.5 0.75", {2, 4, 6}, {0, 0, 0}},
                {"xs ys zs ix iy iz", "0.25 0.5 0.75 1 2 0", {2, 4, 6}, {1, 2, 0}},
                {"xu yu zu", "17 -15 3", {1, 1, 3}, {2, -2, 0}},
                {"xu yu zu ix iy iz", "17 -15 3 2 -2 0", {1, 1, 3}, {2, -2, 0}},
                {"xsu ysu zsu", "2.25 -1.5 0.5", {2, 4, 4}, {2, -2, 0}},
                {"xu x y yu z ix", "17 1 2 18 3 2", {1, 2, 3}, {2, 0, 0}},
                {"zu ys x", "3 0.25 1", {1, 2, 3}, {0, 0, 0}}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        kugel_body_state b[MOST];
        char text[512];
        snprintf(text, sizeof text, DUMP_BOX("pp pp ff", "0 8\n0 8\n0 8\n") "%s\n%s\n",
                 rows[k].names, rows[k].line);
        support_write_file("a.dump", text);
        cr_assert_eq(bodies_of("a.dump", PERIODIC, b), 1, "%s", text);
        check_vector(b[0].position, rows[k].x[0], rows[k].x[1], rows[k].x[2], text);
        check_image(&b[0], rows[k].image[0], rows[k].image[1], rows[k].image[2], text);
    }
}

/* Bounds without min and max are the box of the file; its faces are those of the scene, else those
 * of the file, else walls. */
Test(body_files, bounds_of_the_file)
{
    static const char open_z[] = "\"faces\": [\"periodic\", \"periodic\", \"wall\", \"wall\", "
                                 "\"open\", \"open\"]";
    static const struct {
        const char *file, *text, *keys;
        kugel_face faces[3];
    } rows[] = {
        {"a.dump", DUMP_BOX("pp ff ss", "-1 1\n-2 3\n0 5\n") "x y z\n0 0 1\n", "", {2, 1, 0}},
        {"a.dump",
         DUMP_BOX("xy xz yz pp pp mm", "-1 1 0\n-2 3 0\n0 5 0\n") "x y z\n0 0 1\n",
         "",
         {2, 2, 0}},
        {"a.dump", DUMP_BOX("ff ff ff", "-1 1\n-2 3\n0 5\n") "x y z\n0 0 1\n", open_z, {2, 1, 0}},
        {"a.data",
         DATA_HEAD
         "-1 1 xlo xhi\n-2 3.0 ylo yhi # wide\n0 5 zlo zhi\n0 0 0 xy xz yz\nAtoms\n\n1 1 0 0 1\n",
         "",
         {1, 1, 1}},
        {"a.data",
         DATA_HEAD "-1 1 xlo xhi\n-2 3.0 ylo yhi\n0 5 zlo zhi\nAtoms\n\n1 1 0 0 1\n",
         open_z,
         {2, 1, 0}},
        {"a.xyz",
         "1\nLattice=\"2 0 0 0 5 0 0 0 5\" Origin=\"-1 -2 0\" pbc=\"T F F\"\nH 0 0 1\n",
         "",
         {2, 1, 1}},
        {"a.xyz", "1\nOrigin=\"-1 -2 0\" Lattice=\"2 0 0 0 5 0 0 0 5\"\nH 0 0 1\n", "", {2, 2, 2}}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        kugel_body_state b[MOST];
        kugel_bounds bounds;
        char keys[400];
        snprintf(keys, sizeof keys, "\"defaults\": {\"radius\": 0.1}, \"bounds\": {%s}, ",
                 rows[k].keys);
        support_write_file(rows[k].file, rows[k].text);
        cr_assert_eq(bodies_of(rows[k].file, keys, b), 1, "%s", rows[k].text);
        read_bounds("r.kugel", &bounds);
        check_vector(bounds.min, -1, -2, 0, rows[k].text);
        check_vector(bounds.max, 1, 3, 5, rows[k].text);
        for (int face = 0; face < 6; ++face)
            cr_assert_eq(bounds.faces[face], rows[k].faces[face / 2], "%s: face %d", rows[k].text,
                         face);
    }
    make_files();
    kugel_body_state b[MOST];
    kugel_bounds bounds;
    bodies_of("two.gsd", "\"bounds\": {}, ", b);
    read_bounds("r.kugel", &bounds);
    check_vector(bounds.min, -20, -20, -20, "gsd");
    check_vector(bounds.max, 20, 20, 20, "gsd");
    cr_assert_eq(bounds.faces[0], KUGEL_FACE_PERIODIC);
}

/* A run whose bodies and bounds come from the exports of another one goes on as that does. */
Test(body_files, a_run_goes_on_from_its_exports)
{
    static const char *const files[] = {"a.xyz", "a.lammpstrj"};
    support_program run =
        support_kugel_run(HEAD "\"ticks\": 9, " PERIODIC
                               "\"defaults\": {\"radius\": 0.25}, \"generators\": [{\"gas\": "
                               "{\"count\": 60, \"speed_sigma\": 20}}]}",
                          (const char *const[]){"-", "--record", "a.kugel", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        kugel_body_state b[MOST];
        kugel_bounds bounds;
        run = support_run_program("tools/replay/kugel-replay",
                                  (const char *const[]){"export", "a.kugel", "-o", files[k], NULL});
        cr_assert_eq(run.code, 0, "%s", run.err);
        support_program_free(&run);
        cr_assert_eq(bodies_of(files[k], "\"bounds\": {}, ", b), 60);
        read_bounds("r.kugel", &bounds);
        check_vector(bounds.max, 8, 8, 8, files[k]);
        cr_assert(bounds.faces[0] == KUGEL_FACE_PERIODIC && bounds.faces[4] == KUGEL_FACE_WALL);
    }
}

/* Positions and velocities come back: doubles exactly, nine digits as the same nine digits, floats
 * of GSD within 1e-6 of the extent. */
Test(body_files, exports_are_read_back)
{
    static const struct {
        char format[8], file[16];
        double within;
    } rows[] = {{"csv", "a.csv", 5e-9},
                {"xyz", "a.xyz", 5e-9},
                {"npy", "a.npy", 0},
                {"lammps", "a.lammpstrj", 5e-9},
                {"gsd", "a.gsd", 1e-6}};
    static kugel_body_state found[MOST], expected[MOST];
    support_program run =
        RUN("bowling", "--quiet", "--ticks", "60", "--record", "a.kugel", "--csv", "t.csv");
    support_program_free(&run);
    run = RUN("--restart", "a.kugel@50", "--ticks", "50", "--record", "b.kugel");
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    uint32_t count = read_states("b.kugel", expected);
    cr_assert(count > 10);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char name[24];
        run = support_run_program("tools/replay/kugel-replay",
                                  (const char *const[]){"export", "a.kugel", "--every", "50",
                                                        "--format", rows[k].format, "-o",
                                                        rows[k].file, NULL});
        cr_assert_eq(run.code, 0, "%s", run.err);
        support_program_free(&run);
        snprintf(name, sizeof name, "%s@50", rows[k].file);
        cr_assert_eq(bodies_of(name, "", found), count, "%s", rows[k].format);
        for (uint32_t i = 0; i < count; ++i) {
            for (int c = 0; c < 3; ++c) {
                double x = expected[i].position[c], v = expected[i].velocity[c];
                double loose = rows[k].format[0] == 'g' ? 20 * rows[k].within : 0;
                cr_assert_float_eq(found[i].position[c], x, loose, "%s", rows[k].format);
                cr_assert_float_eq(found[i].velocity[c], v, rows[k].within * fabs(v), "%s",
                                   rows[k].format);
            }
            if (strcmp(rows[k].format, "csv") == 0) continue; /* it has neither */
            cr_assert_float_eq(found[i].radius, expected[i].radius, 1e-7 * expected[i].radius);
            cr_assert_float_eq(found[i].mass, expected[i].mass, 1e-7 * expected[i].mass);
            cr_assert_eq(found[i].type, expected[i].type, "%s: body %u", rows[k].format, i);
        }
    }
}

/* A gas that has crossed its periodic faces: images come back in all formats that have them. */
Test(body_files, images_are_read_back)
{
    static const char *const files[] = {"a.xyz", "a.npy", "a.lammpstrj", "a.gsd"};
    static const char box[] = "\"bounds\": {\"min\": [0, 0, 0], \"max\": [4, 4, 4], \"faces\": "
                              "[\"periodic\", \"periodic\", \"periodic\", \"periodic\", "
                              "\"wall\", \"wall\"]}, ";
    static kugel_body_state found[MOST], expected[MOST];
    char scene[1024];
    snprintf(scene, sizeof scene,
             HEAD "\"ticks\": 60, %s\"defaults\": {\"radius\": 0.1}, \"generators\": [{\"gas\": "
                  "{\"count\": 50, \"speed_sigma\": 20}}]}",
             box);
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--record", "a.kugel", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    run = RUN("--restart", "a.kugel@60", "--record", "b.kugel");
    support_program_free(&run);
    cr_assert_eq(read_states("b.kugel", expected), 50);
    int crossed = 0;
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        run = support_run_program(
            "tools/replay/kugel-replay",
            (const char *const[]){"export", "a.kugel", "--every", "60", "-o", files[k], NULL});
        cr_assert_eq(run.code, 0, "%s", run.err);
        support_program_free(&run);
        cr_assert_eq(bodies_of(files[k], box, found), 50);
        for (int i = 0; i < 50; ++i) {
            for (int c = 0; c < 3; ++c) {
                cr_assert_eq(found[i].image[c], expected[i].image[c], "%s: body %d, %c", files[k],
                             i, "xyz"[c]);
                crossed += expected[i].image[c] != 0;
            }
        }
    }
    cr_assert_gt(crossed, 100);
    bodies_of("a.npy", "", found); /* an open world has no images */
    for (int i = 0; i < 50; ++i) cr_assert(!found[i].image[0] && !found[i].image[1]);
}

/* Images of listed bodies: the first body crosses x-max once more, the second has none. The third
 * has the widest range. */
Test(body_files, images_of_listed_bodies)
{
    static kugel_body_state found[MOST];
    support_program run = support_kugel_run(
        HEAD
        "\"dt\": 0.125, \"ticks\": 8, \"bounds\": {\"min\": [0, 0, 0], \"max\": [4, 4, 4], "
        "\"faces\": [\"periodic\", \"periodic\", \"periodic\", \"periodic\", \"wall\", "
        "\"wall\"]}, \"defaults\": {\"radius\": 0.1}, \"bodies\": [{\"position\": [3.5, 1, 1], "
        "\"velocity\": [1, 0, 0], \"image\": [2, -3, 0]}, {\"position\": [1, 1, 1]}, "
        "{\"position\": [2, 2, 2], \"image\": [2147483647, -2147483648, 0]}]}",
        (const char *const[]){"-", "--check", "--record", "a.kugel", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    run = RUN("--restart", "a.kugel@8", "--record", "b.kugel");
    support_program_free(&run);
    cr_assert_eq(read_states("b.kugel", found), 3);
    static const int32_t images[3][3] = {{3, -3, 0}, {0}, {INT32_MAX, INT32_MIN, 0}};
    for (int i = 0; i < 3; ++i)
        cr_assert_arr_eq(found[i].image, images[i], sizeof images[i], "body %d", i);
    cr_assert_eq(found[0].position[0], 0.5);
}

/* A dump up to its atoms. */
#define DUMP(count) "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n" count "\nITEM: ATOMS id x y z\n"

/* What a scene with bounds without min and max cannot take from its file. */
Test(body_files, refused_bounds)
{
    static const struct {
        const char *file, *text, *message;
    } rows[] = {
        {"a.csv", "x,y,z\n1,2,3\n", "bad.json: bodies: a.csv: needs a box: the file has none"},
        {"a.data", DATA_HEAD "0 1 xlo xhi\n0 1 ylo yhi\nAtoms\n\n1 1 1 2 3\n", "needs a box"},
        {"a.xyz", "1\nLattice=\"1 0 0 0 0 0 0 0 1\"\nH 1 2 3\n", "a.xyz:2: box: y: must have min"},
        {"a.xyz", "1\nLattice=\"1 0 0 0 nan 0 0 0 1\"\nH 1 2 3\n", "a.xyz:2: box: y: must have"},
        {"a.lammpstrj", DUMP_BOX("ff ff ff", "0 1\n0 1\n0 1\n") "x y z\n0 0 3\n",
         "a.lammpstrj:8: position: z = 3 is outside the closed bounds [0, 1]"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char scene[400];
        snprintf(scene, sizeof scene, HEAD "\"bounds\": {}, \"bodies\": \"%s\"}", rows[k].file);
        support_write_file("bad.json", scene);
        support_write_file(rows[k].file, rows[k].text);
        support_program run = RUN("bad.json");
        cr_assert(support_complains(&run, 2, rows[k].message), "%s", rows[k].text);
        support_program_free(&run);
    }
    support_write_file("bad.json", HEAD "\"bounds\": {}, \"bodies\": []}");
    support_program run = RUN("bad.json");
    cr_assert(
        support_complains(&run, 2, "bounds: needs min and max, or a file of bodies that has"));
    support_program_free(&run);
}

Test(body_files, refusals)
{
    static const struct {
        const char *file, *text, *message;
    } rows[] = {
        {"a.txt", "x", "bad.json: bodies: a.txt: must end in .csv, .npy"},
        {"a.csv", "", "bad.json: bodies: a.csv:1: needs a header"},
        {"a.csv@0", "x,y,z\n", "bad.json: bodies: a.csv: has no tick 0"},
        {"a.csv", "x,y\n1,2\n", "a.csv:1: needs a column z"},
        {"a.csv", "x;y;z\n", "a.csv:1: x;y;z: unknown column; columns are separated by commas"},
        {"a.csv", "\xef\xbb\xbfx,y,z\n1,2\n", "a.csv:2: has 2 fields"},
        {"a.csv", "x,y,z,type\n1,2,3,statik\n", "a.csv:2: type: must be dynamic, static or"},
        {"a.csv", "x,y,z,qx\n1,2,3,1\n", "a.csv:2: qx, qy, qz, qw: needs all four"},
        {"a.csv", "x,y,z,x\n", "a.csv:1: x: appears twice"},
        {"a.csv", "X,y,z\n", "a.csv:1: X: unknown column; did you mean x?"},
        {"a.csv", "x,y,z,raduis\n", "a.csv:1: raduis: unknown column; did you mean radius?"},
        {"a.csv", "x,y,z\n1,2,3\n1,2\n", "a.csv:3: has 2 fields, the header has 3"},
        {"a.csv", "x,y,z\n1,2,b\n", "a.csv:2: z: must be a number, got 'b'"},
        {"a.csv", "x,y,z\n1,2,nan\n", "a.csv:2: z: must be a finite number"},
        {"a.csv", "x,y,z\n1,2,1e999\n", "a.csv:2: z: must be a finite number"},
        {"a.csv", "x,y,z\n1,2,\n", "a.csv:2: z: is missing"},
        {"a.csv", "x,y,z\n1,2,2e15\n", "a.csv:2: z: must be in [-1e+15, 1e+15], got 2e+15"},
        {"a.csv", "x,y,z,radius\n\n1,2,3,-1\n", "a.csv:3: radius: must be > 0, got -1"},
        {"a.csv", "x,y,z,mass\n1,2,3,0\n", "a.csv:2: mass: must be > 0, got 0"},
        {"a.csv", "x,y,z,mass\n1,2,3,1e-31\n", "a.csv:2: mass: must be >= 1e-30, got 1e-31"},
        {"a.csv", "x,y,z,restitution\n1,2,3,2\n", "a.csv:2: restitution: must be in [0, 1], got 2"},
        {"a.csv", "x,y,z,mask\n1,2,3,1.5\n", "a.csv:2: mask: must be a whole number, got 1.5"},
        {"a.csv", "x,y,z,mass,density\n1,2,3,1,1\n", "a.csv:2: density: replaces mass"},
        {"a.csv", "x,y,z,qx,qy,qz,qw\n1,2,3,1,1,0,0\n",
         "a.csv:2: qx, qy, qz, qw: must be a unit quaternion"},
        {"a.csv", "id,x,y,z\n1,2,3,4\n2,2,3,4\n1,2,3,4\n", "a.csv:4: id: 1 appears twice"},
        {"a.csv@7", "tick,x,y,z\n1,2,3,4\n", "a.csv: has no tick 7"},
        {"a.csv", "x,y,z,type,vx\n1,2,3,static,4\n", "bad.json: bodies: a.csv:2: velocity: "},
        {"a.csv", "\nx,y,z\n", "a.csv:1: needs the names of the columns"},
        {"a.csv", "x,y,z,\n", "a.csv:1: needs the names of the columns, one of them is empty"},
        {"a.xyz", "2\n\nX 1 2 3\n", "a.xyz:3: ends after 1 of 2 bodies"},
        {"a.xyz", "two\n", "a.xyz:1: must be the number of bodies, got 'two'"},
        {"a.xyz", "1\nProperties=pos:R:3:mass\n1 2 3 4", "a.xyz:2: Properties: must be NAME"},
        {"a.xyz", "1\nProperties=pos:R:3\n1 2\n", "a.xyz:3: has 2 words, its block needs 3"},
        {"a.xyz", "1\nProperties=pos:R:3:momenta:R:3\n1 2 3 4 5 6\n",
         "a.xyz:3: momenta: needs a mass, of the file or of defaults"},
        {"a.xyz", "1\nProperties=pos:R:3:mass:R:1:momenta:R:3\n1 2 3 1e-9 4e9 5 6\n",
         "a.xyz:3: vx: must be in [-1e+15, 1e+15], got 4e+18"},
        {"a.csv", "x,y,z,momenta\n1,2,3,4\n", "a.csv:1: momenta: unknown column"},
        {"a.xyz", "1\nProperties=pos:R:3:pos:R:3\n1 2 3 1 2 4\n",
         "a.xyz:3: z: appears twice, as 3 and 4"},
        {"a.xyz", "1\nProperties=pos:R:3:mass:R:1:masses:R:1\n1 2 3 1 2\n",
         "a.xyz:3: mass: appears twice, as 1 and 2"},
        {"a.xyz", "1\nProperties=pos:R:3:mass:R:1:momenta:R:3:momenta:R:3\n1 2 3 1 4 5 6 4 5 7\n",
         "a.xyz:3: momenta: appears twice, as 6 and 7"},
        {"a.lammpstrj", "no\n", "a.lammpstrj:1: does not begin as a LAMMPS dump"},
        {"a.lammpstrj", "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS id x y\n1 2 3\n",
         "a.lammpstrj:5: needs the columns x, y and z"},
        {"a.lammpstrj",
         "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: ATOMS id x y z\n1 2 3 4\n",
         "a.lammpstrj:6: ends after 1 of 2 atoms"},
        {"a.lammpstrj", DUMP("1") "1 2 3 4\n2 2 3 4\n",
         "a.lammpstrj:7: must begin with ITEM: behind the atoms"},
        {"a.lammpstrj", DUMP("1") "1 2 3 4 5\n", "a.lammpstrj:6: has 5 words, needs 4"},
        {"a.lammpstrj", DUMP("1") "1 2 3 4\nITEM: TIMESTEP\n1\n",
         "a.lammpstrj:8: ends before ITEM: ATOMS"},
        {"a.lammpstrj", "ITEM: TIMESTEP\n0\nITEM: ATOMS id x y z\n1 2 3 4\n",
         "a.lammpstrj:3: needs ITEM: NUMBER OF ATOMS before"},
        {"a.lammpstrj", "ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS x y z x\n1 2 3 4\n",
         "a.lammpstrj:3: x: appears twice"},
        {"a.data", "t\n-1 atoms\n", "a.data:2: must begin with a whole number, got '-1'"},
        {"a.data", "t\n1 atoms\nAtoms\n\n1 1 1 2 3\n",
         "a.data:5: needs a line N atom types before"},
        {"a.data", "t\n2 atoms\n1 atom types\nAtoms # atomic\n\n1 1 1 2 3\n2 1 1 2 3 0 0\n",
         "a.data:7: has 7 words, needs 5"},
        {"a.data",
         "t\n1 atoms\n1 atom types\nAtoms # atomic\n\n1 1 1 2 3\n\nVelocities\n\n1 1 1 1 0\n",
         "a.data:10: has 5 words, needs 4"},
        {"a.data", "t\n1 atoms\n1 atom types\nAtoms # peri\n\n1 1 1 2 3 4 5\n",
         "a.data:6: Atoms: atom_style peri cannot be read: must be atomic, charge"},
        {"a.data", DATA_HEAD "Atoms\n\n1 7 1 0.5 1 2 3\n",
         "a.data:6: Atoms: lines of 7 words need the atom_style behind the name of the section, as "
         "Atoms # sphere"},
        {"a.data", DATA_HEAD "Atoms\n\n1 1 1 2 3 0 0 0\n",
         "a.data:6: Atoms: lines of 8 words need"},
        {"a.data", DATA_HEAD "Atoms # full\n\n1 7 1 0.5 1 2\n", "a.data:6: has 6 words, needs 7"},
        {"a.data", DATA_HEAD "Atoms # full\n\n1 7 2 0.5 1 2 3\n",
         "a.data:6: type: must be in [1, 1], got '2'"},
        {"a.data", DATA_HEAD "Atoms # hybrid\n\n1 1 1 2 3\n",
         "a.data:6: Atoms: atom_style hybrid needs its styles"},
        {"a.data", DATA_HEAD "Atoms # hybrid sphere tri\n\n1 1 1 2 3\n",
         "a.data:6: Atoms: atom_style tri cannot be read"},
        {"a.data", DATA_HEAD "Atom Type Labels\n\n2 sand\n",
         "a.data:6: Atom Type Labels: must be a type in [1, 1] and its name"},
        {"a.data", DATA_HEAD "Atom Type Labels\n\n1 sand\n\nAtoms\n\n1 clay 1 2 3\n",
         "a.data:10: type: must be in [1, 1] or a label, got 'clay'"},
        {"a.data", "t\n1 atoms\n1 atom types\n0 0.5 0 xy xz yz\nAtoms\n\n1 1 1 2 3\n",
         "a.data:4: box: is tilted"},
        {"a.data", "t\n1 atoms\n1 atom types\n1 0 0 avec\nAtoms\n\n1 1 1 2 3\n",
         "a.data:4: box: is tilted"},
        {"a.data", "t\n1 atoms\n0 b xlo xhi\n", "a.data:3: xlo xhi: must be two numbers"},
        {"a.data", "t\n1 atoms\n0 b 0 xy xz yz\n", "a.data:3: xy xz yz: must be three numbers"},
        {"a.lammpstrj", DUMP_BOX("xy xz yz pp pp pp", "0 1 0\n0 1 0.5\n0 1 0\n") "x y z\n1 2 3\n",
         "a.lammpstrj:3: box: is tilted"},
        {"a.lammpstrj",
         DUMP_BOX("abc origin pp pp pp", "1 0 0 0\n0 1 0 0\n0 0 1 0\n") "x y z\n1 2 3\n",
         "a.lammpstrj:3: box: is tilted"},
        {"a.lammpstrj", DUMP_BOX("pp pp pp", "0 1\n0\n0 1\n") "x y z\n1 2 3\n",
         "a.lammpstrj:5: box: must be the numbers min and max"},
        {"a.lammpstrj", DUMP_BOX("pp pp pp", "0 1\n2 2\n0 1\n") "xs ys zs\n1 2 3\n",
         "a.lammpstrj:3: box: y: must have min < max within +-1e+15, got 2 and 2"},
        {"a.lammpstrj", "ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS xs y z\n1 2 3\n",
         "a.lammpstrj:3: xs, ys, zs: need ITEM: BOX BOUNDS before"},
        {"a.lammpstrj", "ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS xu yu zu xu\n1 2 3 4\n",
         "a.lammpstrj:3: x: appears twice"},
        {"a.xyz", "1\nLattice=\"1 0 0 0 1 0 0.5 0 1\"\nH 1 2 3\n", "a.xyz:2: box: is tilted"},
        {"a.xyz", "1\nLattice=\"1 0 0\"\nH 1 2 3\n", "a.xyz:2: Lattice: must be nine numbers"},
        {"a.xyz", "1\nOrigin=\"1 0\"\nH 1 2 3\n", "a.xyz:2: Origin: must be three numbers"},
        {"a.xyz", "1\npbc=\"T\"\nH 1 2 3\n", "a.xyz:2: pbc: must be three of T and F"},
        {"a.data", "t\n1 atoms\n1 atom types\nAtoms\n\n1 2 1 2 3\n",
         "a.data:6: type: must be in [1, 1], got '2'"},
        {"a.data", "t\n2 atoms\n1 atom types\nAtoms\n\n1 1 1 2 3\n", "ends after 1 of 2 atoms"},
        {"a.data", "t\n1 atoms\n1 atom types\nAtoms\n\n1 1 1 2 3\n\nVelocities\n\n2 1 1 1\n",
         "a.data:10: Velocities: there is no atom 2"},
        {"a.data",
         "t\n2 atoms\n1 atom types\nAtoms\n\n1 1 1 2 3\n2 1 4 2 3\n\nVelocities\n\n2 1 1 1\n",
         "Velocities: there are 1 for 2 atoms"},
        {"a.data",
         "t\n1 atoms\n1 atom types\nAtoms\n\n1 1 1 2 3\n\nVelocities\n\n1 1 1 1\n1 2 2 2\n",
         "a.data:11: Velocities: atom 1 appears twice"},
        {"a.npy", "text", "a.npy: is not a .npy file that can be read: it does not begin as one"},
        {"a.gsd", "text", "a.gsd: is not a GSD file that can be read: it does not begin as one"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(rows[k].file, "@"), rows[k].file);
        support_write_file(name, rows[k].text);
        check_refused(rows[k].file, rows[k].message);
    }
    check_refused("none.csv", "bad.json: bodies: none.csv: cannot be opened: No such file");
    check_refused("", "bad.json: bodies: needs a file name");
}

/* Bodies outside closed bounds, as those of an array. */
Test(body_files, outside_bounds)
{
    support_write_file("a.csv", "x,y,z\n1,1,1\n1,1,3\n");
    support_write_file("bad.json", HEAD "\"bounds\": {\"min\": [0, 0, 0], \"max\": [2, 2, 2]}, "
                                        "\"bodies\": \"a.csv\"}");
    support_program run = RUN("bad.json");
    cr_assert(support_complains(&run, 2, "bad.json: bodies: a.csv:3: position: "));
    support_program_free(&run);
}

/* Every beginning of a binary file is refused or read, without an error of memory. */
Test(body_files, cut_files)
{
    static const char *const formats[] = {"npy", "gsd"};
    char command[16], scene[256];
    support_program run = RUN("cradle", "--quiet", "--ticks", "2", "--export", "whole.npy");
    support_program_free(&run);
    run = RUN("cradle", "--quiet", "--ticks", "2", "--export", "whole.gsd");
    support_program_free(&run);
    for (int f = 0; f < 2; ++f) {
        static char data[1 << 16];
        snprintf(command, sizeof command, "whole.%s", formats[f]);
        FILE *whole = open_file(command, "rb");
        size_t size = fread(data, 1, sizeof data, whole);
        fclose(whole);
        for (size_t n = 0; n < size; n += 1 + size / 40) {
            snprintf(command, sizeof command, "cut.%s", formats[f]);
            FILE *cut = open_file(command, "wb");
            cr_assert(fwrite(data, 1, n, cut) == n && fclose(cut) == 0);
            snprintf(scene, sizeof scene, "bad.json: bodies: cut.%s: ", formats[f]);
            check_refused(command, scene);
        }
    }
}

/* Tables of a run without bodies. */
Test(body_files, no_bodies)
{
    kugel_body_state b[MOST];
    support_program run =
        support_kugel_run(HEAD "\"ticks\": 1, \"bodies\": []}",
                          (const char *const[]){"-", "--csv", "a.csv", "--export", "a.npy", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
    cr_assert_eq(bodies_of("a.csv", "", b), 0);
    cr_assert_eq(bodies_of("a.npy", "", b), 0);
}

/* A second descr would count fields of the first twice: behind the end of the numbers. */
Test(body_files, npy_keys_that_appear_twice)
{
    static const char head[] =
        "{'descr': [('x', '<f8'), ('y', '<f8'), ('z', '<f8')], 'descr': '<f4', "
        "'fortran_order': False, 'shape': (2,)}\n";
    FILE *file = open_file("a.npy", "wb");
    const unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof head - 1, 0};
    cr_assert(fwrite(start, 1, sizeof start, file) == sizeof start &&
              fwrite(head, 1, sizeof head - 1, file) == sizeof head - 1 &&
              fwrite((char[48]){0}, 1, 48, file) == 48 && fclose(file) == 0);
    check_refused("a.npy", "a.npy: is not a .npy file that can be read: descr appears twice");
}

/* As HOOMD's own library writes them: a frame whose step is that of frame 0, or 0, lacks it. Here
 * the entries of the steps of frames 0 and 1 get the id of no name. */
Test(body_files, gsd_frames_without_a_step)
{
    static unsigned char data[1 << 16];
    kugel_body_state b[MOST], wanted[MOST];
    support_program run = RUN("cradle", "--quiet", "--ticks", "2", "--export", "a.gsd");
    support_program_free(&run);
    uint32_t count = bodies_of("a.gsd@1", "", wanted);
    FILE *file = open_file("a.gsd", "rb");
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    size_t index = 0;
    for (int k = 15; k >= 8; --k) index = index << 8 | data[k];
    int changed = 0;
    for (unsigned char *at = data + index; at + 32 <= data + size && at[16] + at[17]; at += 32) {
        if (at[28] != 0 || at[0] > 1) continue; /* name 0 is configuration/step */
        at[28] = at[29] = 0xff;
        ++changed;
    }
    cr_assert_eq(changed, 2);
    file = open_file("b.gsd", "wb");
    cr_assert(fwrite(data, 1, size, file) == size && fclose(file) == 0);
    cr_assert_eq(bodies_of("b.gsd@0", "", b), count);
    for (uint32_t i = 0; i < count; ++i)
        check_vector(b[i].position, wanted[i].position[0], wanted[i].position[1],
                     wanted[i].position[2], "the last frame of step 0");
    check_refused("b.gsd@1", "bodies: b.gsd: has no tick 1");
    cr_assert_eq(bodies_of("b.gsd@2", "", b), count);
}
