/* See file_box.h. */
#include "file_box.h"

#include <math.h>
#include <string.h>

#include "body_table.h"

bool file_box_check(const body_table *table, const file_box *box, bool needed)
{
    if (box->tilted)
        return table_refuse(table, box->place,
                            "box: is tilted: only boxes with right angles along the axes are read");
    if (!needed) return true;
    if (!box->given) return table_refuse(table, box->place, "needs a box: the file has none");
    for (int k = 0; k < 3; ++k) {
        double low = box->min[k], high = box->max[k];
        if (low >= -LARGEST && low < high && high <= LARGEST) continue;
        return table_refuse(table, box->place,
                            "box: %c: must have min < max within +-%g, got %.10g and %.10g",
                            "xyz"[k], LARGEST, low, high);
    }
    return true;
}

bool file_box_use(const body_table *table, scene *scene)
{
    const file_box *box = &table->box;
    if (!file_box_check(table, box, scene->bounds_of_file)) return false;
    if (!scene->bounds_of_file) return true;
    kugel_bounds *bounds = &scene->world.bounds;
    memcpy(bounds->min, box->min, sizeof bounds->min);
    memcpy(bounds->max, box->max, sizeof bounds->max);
    if (box->has_faces && !scene->has_faces)
        memcpy(bounds->faces, box->faces, sizeof bounds->faces);
    return true;
}

bool file_box_wrap(const kugel_bounds *bounds, int axis, kugel_body_def *def)
{
    double low = bounds->min[axis], high = bounds->max[axis], length = high - low;
    double *x = &def->position[axis];
    if (*x >= low && *x <= high) return true;
    double turns = floor((*x - low) / length), image = def->image[axis] + turns;
    if (!(fabs(image) <= INT32_MAX)) return false;
    *x = fmin(fmax(*x - turns * length, low), high); /* rounding may leave it beside a face */
    def->image[axis] = (int32_t)image;
    return true;
}
