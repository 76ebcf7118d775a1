/* Cells, blocks and colours. */
#include <criterion/criterion.h>

#include "grid/lattice.h"
#include "support/support_random.h"

/* Blocks of one colour must share no neighbouring cell: neighbouring blocks differ in colour, also
 * across a periodic face, for any number of cells. */
Test(lattice, neighbouring_blocks_differ_in_colour)
{
    for (int cells = 9; cells < 60; ++cells) {
        kugel_bounds bounds = {.min = {0, 0, 0}, .max = {cells, cells, cells}};
        for (int f = 0; f < 6; ++f) bounds.faces[f] = KUGEL_FACE_PERIODIC;
        kg_lattice lattice = kg_lattice_make(&bounds, 1);
        cr_assert_eq(lattice.count[0], cells);
        int blocks = (cells + KG_BLOCK_EDGE - 1) / KG_BLOCK_EDGE;
        for (int b = 0; b < blocks; ++b) {
            int next = (b + 1) % blocks;
            cr_assert_neq(kg_lattice_colour_axis(&lattice, 0, b),
                          kg_lattice_colour_axis(&lattice, 0, next), "%d cells, block %d", cells,
                          b);
        }
    }
}

Test(lattice, cells_cover_their_places)
{
    support_random random = support_random_start("lattice", 1);
    kugel_bounds bounds = {
        .min = {-3, 0, 0}, .max = {4, 0, 0}, .faces = {KUGEL_FACE_PERIODIC, KUGEL_FACE_PERIODIC}};
    kg_lattice lattice = kg_lattice_make(&bounds, 0.9);
    for (int i = 0; i < 1000; ++i) {
        double x = support_between(&random, -3, 4), y = support_between(&random, -1e6, 1e6);
        int32_t c = kg_lattice_cell(&lattice, 0, x), d = kg_lattice_cell(&lattice, 1, y);
        cr_assert(c >= 0 && c < lattice.count[0]);
        cr_assert(d <= y / 0.9 && y / 0.9 < d + 1.0000001, "%g lies not in %d", y, d);
    }
    cr_assert_eq(kg_lattice_cell(&lattice, 0, 4), lattice.count[0] - 1,
                 "the end itself belongs to the last cell");
    cr_assert_eq(kg_lattice_cell(&lattice, 1, 1e300), (int32_t)KG_CELL_COORDINATE_LIMIT,
                 "clamped before the conversion");
    cr_assert_eq(kg_lattice_cell(&lattice, 1, -1e300), -(int32_t)KG_CELL_COORDINATE_LIMIT);
}
