/* The first difference of two snapshots that were validated. Fields from `located` on are filled
 * in. */
#ifndef KG_RECORD_SNAPSHOT_DIFFERENCE_H
#define KG_RECORD_SNAPSHOT_DIFFERENCE_H

#include "record/snapshot.h"

bool kg_snapshot_difference(const kg_snapshot_view *expected, const kg_snapshot_view *found,
                            kugel_divergence *out);

#endif
