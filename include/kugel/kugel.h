/** @file
 * kugel steps worlds of very many moving spheres. This header includes all others. */
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
