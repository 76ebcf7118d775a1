/* The column tables (world/fields.h): every column and member has one row. */
#include <criterion/criterion.h>

#include "world/world.h"

/* The rows cover each byte of [from, to) once and no other. `item`: bytes of a member; 0: those
 * of its kind. */
static void check_rows(const kg_field *fields, int count, size_t item, size_t from, size_t to)
{
    uint8_t covered[1024] = {0};
    cr_assert_leq(to, sizeof covered);
    for (int k = 0; k < count; ++k) {
        size_t size = item ? item : kg_field_kind_size(fields[k].kind);
        cr_assert(fields[k].name, "row %d is missing", k);
        cr_assert(fields[k].offset >= from && fields[k].offset + size <= to, "%s lies outside",
                  fields[k].name);
        for (size_t b = 0; b < size; ++b) covered[fields[k].offset + b] += 1;
    }
    for (size_t b = from; b < to; ++b) cr_assert_eq(covered[b], 1, "byte %zu: %d", b, covered[b]);
}

Test(fields, each_body_column_has_one_row)
{
    check_rows(kg_body_fields, KG_BODY_COLUMNS, sizeof(void *), offsetof(kg_bodies, x),
               offsetof(kg_bodies, slot));
}

Test(fields, each_member_of_a_material_has_one_row)
{
    kg_field all[KG_MATERIAL_FIELDS + 1];
    memcpy(all, kg_material_fields, KG_MATERIAL_FIELDS * sizeof *all);
    all[KG_MATERIAL_FIELDS] =
        (kg_field){"body_count", offsetof(kg_material, body_count), KG_U32, KG_ROLE_LOCAL};
    check_rows(all, KG_MATERIAL_FIELDS + 1, 0, 0, offsetof(kg_material, quiet) + 1);
}

Test(fields, each_member_of_a_contact_has_one_row)
{
    kg_field all[KG_CONTACT_FIELDS + 3];
    memcpy(all, kg_contact_fields, KG_CONTACT_FIELDS * sizeof *all);
    for (uint32_t k = 0; k < 3; ++k) /* `ended`, which is 0 between steps, and the padding */
        all[KG_CONTACT_FIELDS + k] =
            (kg_field){"ended", (uint32_t)offsetof(kg_contact, ended) + k, KG_U8, KG_ROLE_LOCAL};
    check_rows(all, KG_CONTACT_FIELDS + 3, 0, 0, sizeof(kg_contact));
}
