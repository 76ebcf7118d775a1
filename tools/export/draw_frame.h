/* Draws a stored frame: bodies, closed bounds, planes, and surfaces through which bodies can be
 * seen. */
#ifndef EXPORT_DRAW_FRAME_H
#define EXPORT_DRAW_FRAME_H

#include "frame_store.h"
#include "picture.h"

void draw_frame(picture *picture, const frame_store *store, const stored_frame *frame,
                picture_colours colours);

#endif
