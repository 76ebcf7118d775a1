/* Checks of contacts and nearest features of a mesh, with oracle_mesh.h. Messages have `name`. */
#ifndef SUPPORT_MESH_CONTACT_H
#define SUPPORT_MESH_CONTACT_H

#include "support/support_random.h"
#include "surfaces/mesh.h"

/* A sphere of 1 mm to 0.5 m that starts `away` from the origin and flies near it. */
kg_mesh_path support_random_path(support_random *random, double away, bool parabolic);

/* Distance of the sphere from the nearest triangle at the start. */
double support_start_gap(const kg_mesh *mesh, const kg_mesh_path *path);

/* The cast's time is a contact, and no triangle overlaps earlier by more than `depth`, m. Its
 * feature has the same distance and normal. The sphere starts free. */
void support_expect_first_contact(const kg_mesh *mesh, const kg_mesh_path *path, double depth,
                                  const char *name);

/* Check that some feature is nearest at x, with the distance of the whole mesh within the
 * tolerance, m. Without such a feature there would be a hole for contacts. */
void support_expect_nearest(const kg_mesh *mesh, const double x[3], double tolerance,
                            const char *name);

#endif
