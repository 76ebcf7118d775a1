#include "support/support_snapshot.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

support_bytes support_snapshot_of(kugel_world *world)
{
    size_t room = kugel_snapshot_bound(world);
    support_bytes b = {.data = malloc(room)};
    cr_assert_eq(kugel_snapshot_save(world, b.data, room, &b.size), KUGEL_OK);
    cr_assert_leq(b.size, room);
    return b;
}

bool support_same_bytes(const support_bytes *a, const support_bytes *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}
