/* Copies values of all bodies to arrays, in order of ids. */
#ifndef KG_WORLD_BODY_ARRAYS_H
#define KG_WORLD_BODY_ARRAYS_H

#include "kugel/body.h"
#include "world/bodies.h"

/* As kugel_world_read_arrays. */
uint32_t kg_bodies_read(const kg_bodies *bodies, uint32_t capacity,
                        const kugel_body_arrays *arrays);

#endif
