/* The box of a frame of bodies, as its file gives it. It is used where the file has coordinates
 * in units of the box, and for bounds of a scene that have no "min" and "max". */
#ifndef RUNNER_FILE_BOX_H
#define RUNNER_FILE_BOX_H

#include "scene.h"

struct body_table;

typedef struct file_box {
    uint64_t place; /* in the file, for messages; 0: the file as a whole */
    bool given;     /* true: min and max are set */
    bool has_faces; /* true: the file says which axes are periodic */
    bool tilted;    /* true: the axes are not at right angles; such a frame is refused */
    double min[3], max[3];
    kugel_face faces[6];
} file_box;

/* Refuse a box that is tilted, or, if it is needed, missing or empty. false: a complaint. */
bool file_box_check(const struct body_table *table, const file_box *box, bool needed);
/* Set the bounds of the scene from the box where the scene has none. false: a complaint. */
bool file_box_use(const struct body_table *table, scene *scene);
/* Move a position along a periodic axis into the bounds, and count it in the image. true: the
 * image is in range. */
bool file_box_wrap(const kugel_bounds *bounds, int axis, kugel_body_def *def);

#endif
