/* Stores snapshots, and asserts that two worlds have the same. */
#include "support/support_snapshot.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "record/snapshot.h"

size_t support_snapshot_room(const kugel_world *world, bool meshes)
{
    size_t room;
    cr_assert_eq(kugel_snapshot_save(world, meshes, NULL, 0, &room), KUGEL_OK);
    return room;
}

support_bytes support_snapshot_of(const kugel_world *world)
{
    size_t room = support_snapshot_room(world, true);
    support_bytes b = {.data = malloc(room)};
    cr_assert_eq(kugel_snapshot_save(world, true, b.data, room, &b.size), KUGEL_OK);
    cr_assert_leq(b.size, room);
    return b;
}

bool support_same_bytes(const support_bytes *a, const support_bytes *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

void support_put_checksum(support_bytes *snapshot)
{
    uint64_t hash = kg_snapshot_checksum(snapshot->data, snapshot->size);
    kg_put64(snapshot->data + KG_SNAPSHOT_CHECKSUM, hash);
}

support_bytes support_delta_of(const support_bytes *base, const support_bytes *to)
{
    size_t capacity;
    cr_assert_eq(kugel_delta_make(base->data, base->size, to->data, to->size, NULL, 0, &capacity),
                 KUGEL_OK);
    support_bytes delta = {.data = malloc(capacity)}, out = {.data = malloc(to->size)};
    cr_assert_eq(kugel_delta_make(base->data, base->size, to->data, to->size, delta.data, capacity,
                                  &delta.size),
                 KUGEL_OK);
    cr_assert_eq(kugel_delta_apply(base->data, base->size, delta.data, delta.size, out.data,
                                   to->size, &out.size),
                 KUGEL_OK);
    cr_assert(support_same_bytes(&out, to), "the delta gives other bytes than the snapshot");
    if (base == to) cr_assert_lt(delta.size, 64, "nothing changed: %zu bytes", delta.size);
    free(out.data);
    return delta;
}
