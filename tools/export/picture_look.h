/* How pictures and videos look: size, camera and colours, from texts of the command line. */
#ifndef EXPORT_PICTURE_LOOK_H
#define EXPORT_PICTURE_LOOK_H

#include <stdbool.h>

typedef enum picture_colours {
    PICTURE_BY_ID,
    PICTURE_BY_SPEED,
    PICTURE_BY_RADIUS,
    PICTURE_PLAIN
} picture_colours;

typedef struct picture_look {
    int width, height; /* pixels, even; 0: 960 x 720 */
    picture_colours colours;
    bool has_direction; /* true: the eye is in `direction` from the middle, at a fitting distance */
    bool has_eye;       /* true: the eye is at `eye` and looks at `target` */
    double direction[3], eye[3], target[3];
} picture_look;

/* Each returns NULL, or what the text must be. */
/* "WIDTHxHEIGHT" */
const char *picture_look_size(picture_look *look, const char *text);
/* "X,Y,Z": a direction; "X,Y,Z,TX,TY,TZ": places of the eye and of what it looks at, m. */
const char *picture_look_camera(picture_look *look, const char *text);
/* "id", "speed", "radius", "none" */
const char *picture_look_colours(picture_look *look, const char *text);

#endif
