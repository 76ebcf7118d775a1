/* Rows that ranks send to each other: a ghost has every column of its original but forces. */
#include <criterion/criterion.h>
#include <string.h>

#include "world/body_rows.h"

enum { BODIES = 9, SENT = 4 };

/* Bodies whose columns have different bytes in each row. */
static kg_bodies make(kg_memory *memory)
{
    kg_bodies bodies = {0};
    kugel_body_def def = kugel_body_def_default();
    uint32_t slot;
    for (uint32_t i = 0; i < BODIES; ++i)
        cr_assert_eq(kg_bodies_add(memory, &bodies, &def, &slot), KUGEL_OK);
    cr_assert(kg_bodies_reserve_images(memory, &bodies) &&
              kg_bodies_reserve_loads(memory, &bodies));
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        unsigned char *data = kg_bodies_column(&bodies, &kg_body_fields[k]);
        size_t size = kg_bodies_item_size(k);
        for (size_t b = 0; b < BODIES * size && kg_body_fields[k].kind != KG_U32; ++b)
            data[b] = (unsigned char)(1 + k * 7 + b * 3);
        for (uint32_t i = 0; i < BODIES && kg_body_fields[k].kind == KG_U32; ++i)
            kg_field_put(data + i * size, KG_U32, (i + (uint32_t)k) % BODIES);
    }
    return bodies;
}

Test(body_rows, carry_every_column_but_forces)
{
    static const uint32_t slots[SENT] = {7, 0, 3, 8};
    kg_memory memory;
    uint64_t words[KG_BODY_COLUMNS * SENT];
    kg_memory_init(&memory, &(kugel_allocator){0});
    kg_bodies from = make(&memory), to = make(&memory);
    cr_assert_leq(kg_body_rows_words(&from, SENT), KG_BODY_COLUMNS * SENT);
    kg_body_rows_write(&from, slots, SENT, words);
    cr_assert(kg_bodies_reserve(&memory, &to, BODIES + SENT, BODIES + SENT));
    kg_body_rows_append(&to, words, SENT);
    cr_assert_eq(to.count, BODIES + SENT);
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        const kg_field *field = &kg_body_fields[k];
        size_t size = kg_bodies_item_size(k);
        const char *original = kg_bodies_column(&from, field), *copy = kg_bodies_column(&to, field);
        static const char none[8];
        for (uint32_t i = 0; i < SENT; ++i) {
            const char *expected = original + slots[i] * size;
            if (field->role == KG_ROLE_LOAD) expected = none;
            cr_assert_eq(memcmp(copy + (BODIES + i) * size, expected, size), 0, "%s of row %u",
                         field->name, i);
        }
    }
    kg_bodies_free(&memory, &from), kg_bodies_free(&memory, &to);
    cr_assert_eq(memory.used, 0);
}
