/* The first difference of two validated snapshots. Members from `located` on are set. */
#ifndef KG_RECORD_SNAPSHOT_DIFFERENCE_H
#define KG_RECORD_SNAPSHOT_DIFFERENCE_H

#include "record/snapshot.h"

bool kg_snapshot_difference(const kg_snapshot_view *expected, const kg_snapshot_view *found,
                            kugel_divergence *out);

/* Set the located difference of one field; `out` may be NULL. Returns true. */
bool kg_snapshot_difference_set(kugel_divergence *out, uint32_t body, const char *field,
                                double expected, double found);

#endif
