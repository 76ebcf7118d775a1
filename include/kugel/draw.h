/** @file
 * Helpers for drawing a world: values between two ticks, and debug drawing by callbacks. No
 * function changes the world. */
#ifndef KUGEL_DRAW_H
#define KUGEL_DRAW_H

#include "body.h"
#include "surface.h"

KUGEL_BEGIN_DECLS

/// @defgroup drawing Drawing
/// Values between two ticks, debug drawing by callbacks.
/// @{

/* Between two ticks: read the world after each step, keep what was read at the last two ticks, and
 * draw values between them, with alpha = (time since the last step) / dt. */

/// Positions between those of two ticks, by linear interpolation. Along a periodic axis the way
/// between them is the shortest one, which may lead beyond a face.
/// @param count number of positions. @param from, to [3 * count], m, of the earlier and the later
/// tick. @param alpha in [0, 1]: 0 gives `from`, 1 gives `to` or its image nearest to `from`.
/// @param out [3 * count], m; may be `from` or `to`.
/// @return KUGEL_OK, or KUGEL_ERROR_INVALID_ARGUMENT: a NULL argument, or alpha out of range.
KUGEL_API kugel_status kugel_interpolate_positions(const kugel_world *world, uint32_t count,
                                                   const double *from, const double *to,
                                                   double alpha, double *out);

/// Rotations between those of two ticks, on the shorter arc: the normalised weighted mean.
/// @param from, to, out [4 * count], unit quaternions; q and -q are the same rotation. Other
/// arguments and results as kugel_interpolate_positions.
KUGEL_API kugel_status kugel_interpolate_rotations(uint32_t count, const double *from,
                                                   const double *to, double alpha, double *out);

/* Debug drawing. */

/// Callbacks that receive what a world contains. Each may be NULL. Calls by which one would change
/// the world give KUGEL_ERROR_STATE.
/// Pointers are valid during the callback.
typedef struct kugel_debug_draw {
    /// The box, once, if an axis has walls or is periodic.
    void (*box)(void *user, const kugel_bounds *bounds);
    /// Each surface, by index, as kugel_surface_get returns it.
    void (*surface)(void *user, kugel_surface surface, const kugel_surface_def *def);
    /// Each body, in id order.
    void (*body)(void *user, const kugel_body_state *body);
    /// Each resting contact, in the order of kugel_world_contacts.
    void (*contact)(void *user, const kugel_resting_contact *contact);
    /// Each impact of the last step, in the order of kugel_world_impact_events.
    void (*impact)(void *user, const kugel_impact *impact);
    void *user; ///< first argument of the callbacks
} kugel_debug_draw;

/// Call the callbacks for the world as it is, in this order: box, surfaces, bodies,
/// contacts, impacts. Nothing is allocated. @return KUGEL_OK or KUGEL_ERROR_INVALID_ARGUMENT
/// (NULL).
KUGEL_API kugel_status kugel_world_draw(const kugel_world *world, const kugel_debug_draw *draw,
                                        size_t size);

/// @cond
#ifndef KUGEL_PASS_SIZES /* version.h */
#define kugel_world_draw(...) kugel_world_draw(__VA_ARGS__, sizeof(kugel_debug_draw))
#endif
/// @endcond

/// @}

KUGEL_END_DECLS
#endif
