/* See picture_look.h. */
#include "picture_look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 16, LARGEST_SIDE = 4096 };

static bool is_side(long n) { return n >= SMALLEST && n <= LARGEST_SIDE && n % 2 == 0; }

const char *picture_look_size(picture_look *look, const char *text)
{
    static const char wanted[] = "WIDTHxHEIGHT, even numbers from 16 to 4096";
    char *end;
    if (text[0] < '0' || text[0] > '9') return wanted;
    long width = strtol(text, &end, 10);
    if (*end != 'x' || end[1] < '0' || end[1] > '9') return wanted;
    long height = strtol(end + 1, &end, 10);
    if (*end || !is_side(width) || !is_side(height)) return wanted;
    look->width = (int)width, look->height = (int)height;
    return NULL;
}

/* Read numbers between commas. @return how many, 0 if the text is something else. */
static int read_numbers(const char *text, double values[6])
{
    for (int n = 0; n < 6; ++n) {
        char *end;
        values[n] = strtod(text, &end);
        if (end == text || !isfinite(values[n]) || fabs(values[n]) > 1e15) return 0;
        if (!*end) return n + 1;
        if (*end != ',') return 0;
        text = end + 1;
    }
    return 0;
}

const char *picture_look_camera(picture_look *look, const char *text)
{
    static const char wanted[] = "X,Y,Z, the direction towards the eye, or X,Y,Z,TX,TY,TZ, the "
                                 "places of the eye and of its target";
    double values[6];
    int count = read_numbers(text, values);
    double length = 0;
    if (count != 3 && count != 6) return wanted;
    for (int k = 0; k < 3; ++k)
        length = fmax(length, fabs(values[k] - (count == 6 ? values[3 + k] : 0)));
    if (!(length > 0)) return wanted;
    look->has_direction = count == 3, look->has_eye = count == 6;
    for (int k = 0; k < 3; ++k) look->direction[k] = values[k] / length;
    memcpy(look->eye, values, sizeof look->eye);
    if (count == 6) memcpy(look->target, values + 3, sizeof look->target);
    return NULL;
}

const char *picture_look_colours(picture_look *look, const char *text)
{
    static const char *const names[] = {[PICTURE_BY_ID] = "id",
                                        [PICTURE_BY_SPEED] = "speed",
                                        [PICTURE_BY_RADIUS] = "radius",
                                        [PICTURE_PLAIN] = "none"};
    for (int k = 0; k < 4; ++k) {
        if (strcmp(text, names[k]) != 0) continue;
        look->colours = (picture_colours)k;
        return NULL;
    }
    return "id, speed, radius or none";
}
