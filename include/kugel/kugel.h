/** @file
 * kugel steps worlds of very many moving spheres. This header includes all others.
 *
 * Lists have two forms:
 * - Events of a step are an array of the world with a count, valid until the next step or restore
 *   (events.h).
 * - All other lists go to an array of the caller with room for `capacity` rows, which may be NULL
 *   for 0. The answer is the number of all rows, of which at most `capacity` are written: a call
 *   with 0 asks for the number. (kugel_world_nearest alone answers with the rows written.) A
 *   function that can fail writes the answer to `count` and returns a status, another one returns
 *   it. Bytes have this form, too (snapshot.h): NULL asks for the room.
 *
 * Names: kugel_THING_VERB or kugel_THING_PROPERTY. get_ reads what a call of set_, create or add
 * gave; a value that the library computes has no get_. Functions return a kugel_status if they can
 * fail. Identifiers have American spelling (center, neighbor). */
#ifndef KUGEL_H
#define KUGEL_H

#include "body.h"
#include "draw.h"
#include "events.h"
#include "geometry.h"
#include "mesh_shapes.h"
#include "pairs.h"
#include "query.h"
#include "ranks.h"
#include "record.h"
#include "snapshot.h"
#include "status.h"
#include "surface.h"
#include "version.h"
#include "world.h"

#endif
