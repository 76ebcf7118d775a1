/* An ellipsoid of a scene, which only beams meet. */
#ifndef RUNNER_ELLIPSOID_H
#define RUNNER_ELLIPSOID_H

/* Size of the name of an ellipsoid or surface, with the final 0. */
enum { SCENE_NAME = 64 };

typedef struct ellipsoid {
    double center[3], semi_axes[3], rotation[4];
    char name[SCENE_NAME];
} ellipsoid;

#endif
