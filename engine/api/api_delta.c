/* Public functions that compare snapshots, and make and apply deltas between them. */
#include "record/snapshot.h"

static kugel_status open_snapshot(const void *data, size_t size, kg_snapshot_view *view)
{
    if (!data) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_status status = kg_snapshot_open(data, size, view, NULL);
    return status ? status : kg_snapshot_validate(view, NULL);
}

bool kugel_snapshot_difference(const void *expected, size_t expected_size, const void *found,
                               size_t found_size, kugel_divergence *out)
{
    kg_snapshot_view p, q;
    bool valid = !open_snapshot(expected, expected_size, &p),
         other = !open_snapshot(found, found_size, &q);
    if (out) out->tick = valid ? p.tick : 0;
    if (!valid || !other) return kg_snapshot_difference_set(out, 0, "data", valid, other);
    return kg_snapshot_difference(&p, &q, out);
}

kugel_status kugel_delta_make(const void *base, size_t base_size, const void *snapshot, size_t size,
                              void *delta, size_t capacity, size_t *delta_size)
{
    kg_snapshot_view p, q;
    if (!delta_size) return KUGEL_ERROR_INVALID_ARGUMENT;
    *delta_size = delta ? 0 : kg_delta_bound(size);
    if (!delta) return KUGEL_OK;
    kugel_status status = open_snapshot(base, base_size, &p);
    if (!status) status = open_snapshot(snapshot, size, &q);
    if (status) return status;
    *delta_size = kg_delta_write(&p, &q, delta, capacity);
    return *delta_size ? KUGEL_OK : KUGEL_ERROR_LIMIT;
}

kugel_status kugel_delta_apply(const void *base, size_t base_size, const void *delta,
                               size_t delta_size, void *snapshot, size_t capacity, size_t *size)
{
    kg_snapshot_view p;
    uint64_t whole;
    if (!delta || !snapshot || !size) return KUGEL_ERROR_INVALID_ARGUMENT;
    *size = 0;
    kugel_status status = open_snapshot(base, base_size, &p);
    if (status) return status;
    if (!kg_delta_is_valid(delta, delta_size, &whole) || whole > SIZE_MAX)
        return KUGEL_ERROR_FORMAT;
    *size = (size_t)whole;
    if (capacity < *size) return KUGEL_ERROR_LIMIT;
    if (*size >= KG_SNAPSHOT_HEADER && kg_delta_apply(&p, delta, delta_size, snapshot))
        return KUGEL_OK;
    *size = 0;
    return KUGEL_ERROR_FORMAT;
}
