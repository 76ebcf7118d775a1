/* Every tuned number of the engine: value, unit, reason, what breaks. */
#ifndef KG_BASE_CONSTANTS_H
#define KG_BASE_CONSTANTS_H

/* Alignment of hot columns, bytes: a cache line, and the widest vector register. */
#define KG_CACHE_LINE 64

/* Blocks of so many bytes and more are asked for in large pages, which have this size on x86-64 and
 * mostly on ARM. Smaller: blocks that fill none are aligned for nothing; larger: worlds of 100,000
 * have no such block. */
#define KG_LARGE_PAGE ((size_t)2 << 20)

/* "No slot", "no item". Slots are below 2^26, so it can never be one. */
#define KG_NONE 0xffffffffu

/* Neighbour entries hold a slot in 26 bits, one flag and a periodic image in 5: this many bodies.
 */
#define KG_BODY_LIMIT (1u << 26)

/* Planes of a world: with the six faces they fit a kg_boundary_set (world/boundary.h). */
#define KG_PLANE_LIMIT 57

/* Contacts of a world: the solver's order keeps three bits of a 32-bit word for what begins at a
 * contact. More is an error as when memory is out; bodies that do not lie in one another have at
 * most some 15 / 2 each. */
#define KG_CONTACT_LIMIT (1u << 29)

/* Largest magnitude of any number given to the world (m, m/s, ...). Squares and products of four
 * such numbers stay finite in double; without a limit an overflow would bring infinity into the
 * state. */
#define KG_VALUE_LIMIT 1e15

/* Smallest radius and mass: below it squares lose their bits to subnormals. */
#define KG_RADIUS_MIN 1e-12
#define KG_MASS_MIN 1e-30

/* A periodic axis may be crossed at most this often in one tick: each crossing is an event of its
 * own. */
#define KG_CROSSINGS_LIMIT 1e5

/* Touching bodies whose approach speed is below this fraction of their speeds do not collide: it is
 * the rounding left by the impact before (2^-53 times a few operations). Smaller: sticking impacts
 * repeat at one instant; larger: real slow approaches are lost to penetration. */
#define KG_APPROACH_TOLERANCE 1e-14

/* Resting contacts end when the gap exceeds slop, but never less than this fraction of the smaller
 * radius, so that rounding cannot end them. */
#define KG_SLOP_MIN 1e-6

/* Where two bodies that fall unlike meet after a way of more than so many reaches, the time of the
 * contact is refined: the quartic's is wrong by 1e-16 (way / reach)^2 of the reach. More: a grain
 * of 10 um at 500 m/s parts in the wrong direction; less: nothing. */
#define KG_LONG_PATH_REACHES 1e3

/* Changes of one body's motion (impacts and periodic crossings) in one substep after which even
 * lossless impacts stick. Counting pi with a mass ratio of 1e8 needs 31,415, and 1e5 crossings are
 * allowed; an elastic ball that hops by the rounding of its place would need millions. More: such a
 * body costs seconds, and a hundred bytes of events an impact; less: real ways are cut short. */
#define KG_LOSSLESS_IMPACTS (1u << 17)

/* Impacts of one body in one substep after its budget is used up. They stick, but a heavy body that
 * has light ones between itself and the floor is stopped by each a little. Fewer: it goes on
 * through them to the end of the substep (0 at 200 : 1 and 11 m/s: by a sixth of their radius,
 * 2048: by a twelfth); more: squeezes last longer. */
#define KG_EXHAUSTED_IMPACTS 8192
/* Such impacts are for approaches that would press in by more than this share of the smallest
 * radius in a substep. Less: collapsing gases of hard spheres go on where nothing is to be seen. */
#define KG_EXHAUSTED_PENETRATION 4e-3

/* A resting pair that would press in by more than this share of the smaller radius in a substep
 * that the world is asked for collides, however slow it is. Less: landing piles have more impacts
 * (2.5e-3: half a metre of radius is struck by all that is faster than 0.3 m/s, and falls up to an
 * eighth slower); more: small balls are pressed in, and those of a millimetre go through the floor.
 */
#define KG_REST_PENETRATION 4e-3

/* Skin of the neighbour lists: each body may move this fraction of the largest radius before its
 * neighbours are looked up again. Adapted between the limits to keep the lists near the target
 * length; no choice changes a result. */
#define KG_SKIN_MIN 0.2
#define KG_SKIN_INITIAL 0.4
#define KG_SKIN_MAX 4096.0
/* Part of the skin that a fast body is anchored ahead of itself. Below 1 by enough that what
 * gravity bends its way (half of the rest at most at a time) never puts it outside at once. */
#define KG_LIST_ORIGIN_OFFSET 0.75
#define KG_LIST_TARGET_LOW 6
#define KG_LIST_TARGET_HIGH 12

/* Longest way of a quiet body in a substep, in smallest radii (grid/inactive.c). Smaller: settled
 * piles are looked at in vain; larger: rooms are used up sooner. No choice changes a result. */
#define KG_INACTIVE_TRAVEL 2e-4

/* Cells along the edge of a block (a power of two). */
#define KG_BLOCK_EDGE 4
#define KG_BLOCK_SHIFT 2
#define KG_BLOCK_CELLS 64

/* Edge of the cells that order contacts, in largest radii: at least one diameter, so that bodies in
 * contact are in the same block or in neighbouring ones. */
#define KG_CONTACT_CELL_EDGE 2.5

/* Cell coordinates are clamped to this magnitude before the conversion to int. */
#define KG_CELL_COORDINATE_LIMIT 1.0e9

/* Sweeps of the contact solve: the least number (below), and while they change much more of them,
 * until a substep of those that the world is asked for has this factor times its least (a longer
 * one as many over its own). Less: landing piles sink in deeper; more: they take more sweeps (nine
 * piles of 10,000: 1.56 % of r in the worst moment, 1.58 % with eight plain ones). */
#define KG_SWEEPS_MAX_FACTOR 5
/* Every sweep but the first changes a normal impulse by so much of what it lacks (successive
 * overrelaxation, Young 1954; below 2 it loses energy as the first one does, which alone solves a
 * lone contact). 1: eight sweeps for what now takes five. */
#define KG_SWEEPS_OVERRELAXATION 1.5
/* Sweeps go on while some closing speed changes by more than what would press bodies into one
 * another by this share of the smallest radius in a substep, or by this share of the bounce
 * threshold if that is less; what gravity adds in a substep is never too much. More: landing piles
 * sink in deeper; a quarter: a third more sweeps of a landing pile of 10,000, which rests as deep
 * (mean 0.021 % of r instead of 0.022 %). */
#define KG_SWEEPS_PENETRATION 1e-3
#define KG_SWEEPS_BOUNCE_SHARE 0.33
/* A sweep suffices alone if it changes less than this part of that. More: balls that land in a
 * funnel sink in by 3 % of r; less: more sweeps, no deeper rest. */
#define KG_SWEEPS_SINGLE_SHARE 0.25
/* But not where that would open contacts: where gravity moves a body by more than this share of the
 * smallest radius in a substep, only what moves it by that share is not too much, and up to so many
 * times as many sweeps are made. A contact that opened has lost its impulse: two balls on one
 * another hop for ever, and grains sink in (216 of 1 mm at the defaults: by 28 % of r instead of 4
 * %). Larger share: the same; smaller: settled piles of 10,000 take more sweeps. */
#define KG_SWEEPS_FALL_SHARE 0.01
#define KG_SWEEPS_FALL_FACTOR 4
/* Worlds of few contacts: as many sweeps at least as are so many contacts' work, and not more than
 * these. Less: see few_sweeps; more: a ball in a dimple of 0.03 still stirs by millimetres a
 * second. */
#define KG_SWEEPS_FEW_MAX 16
#define KG_SWEEPS_FEW_CONTACTS 256
/* Where masses in contact differ the least number is sqrt(ratio) over this times the world's, at
 * most so many times; what a sweep may change is that much less. More: heavy bodies sink into light
 * ones. */
#define KG_SWEEPS_MASS_RATIO 1.5
#define KG_SWEEPS_MASS_MAX_FACTOR 24

/* Piles of at least so many bodies, of masses up to this ratio where they touch, take fewer
 * substeps while they settle and once they have: as many as let gravity alone move a body by at
 * most this share of the smallest radius in one, while at most one body in so many goes farther
 * than this share of its own in a tick. Fewer bodies: closed forms of single ones are met less
 * closely, for steps that are short anyway; one in 512 or 256 with the longest substeps: balls that
 * are struck are pressed in by up to 1.1 or 2.8 % of r. More than one in 8 with fewer: few ticks of
 * a fall are between that and one in 4. */
#define KG_SETTLED_BODIES_MIN 256
#define KG_SETTLED_MASS_RATIO 8.0
#define KG_SETTLED_TRAVEL 0.01
#define KG_SETTLED_FAST_ONE_IN 1024
#define KG_SETTLED_FALL 6e-3
#define KG_SETTLING_FAST_ONE_IN 8
#define KG_SETTLING_FALL 1.5e-3

/* Warm starts that may keep this share of themselves are kept whole: the energy in it is little,
 * and another warm start is saved. Less: landing loads gain energy. */
#define KG_WARM_START_WHOLE 0.99

/* Impulses on masses (kg) and moments of inertia (kg m^2) between this and one over it are compared
 * as they are, others in a unit near them. Less: squares of friction's limits are subnormal, and
 * nothing slides or rolls; more: nothing but time. */
#define KG_UNSCALED_MASS_MIN 1e-12

/* A contact is deep where it is pressed in by this part of the smaller radius: more than a pile
 * that lands (2 % among 100,000). It sinks if its bodies approach by KG_DEEP_SINKING of that radius
 * in a substep. Where more than one in KG_DEEP_SINKING_ONE_IN does, so many times as many sweeps
 * are made, up to KG_DEEP_SWEEPS_FACTOR times, and as much finer: in a tall column no sweep changes
 * much anywhere, and all sinks. Fewer: 200 balls on one another sink without end. Not only what
 * sinks: a heap that is made inside itself takes seven times as long to part (with this, three to
 * four times). */
#define KG_DEEP_PENETRATION 0.02
#define KG_DEEP_SINKING 5e-6
#define KG_DEEP_SINKING_ONE_IN 64
#define KG_DEEP_SWEEPS_FACTOR 16

/* Radius of the patch over which friction acts, in effective radii (r1 r2 / (r1 + r2)). Smaller:
 * balls held from two sides turn for minutes, and their pile stays awake; larger: tops stop too
 * soon. */
#define KG_FRICTION_PATCH_RADIUS 0.01

/* A body is slow below these shares of the bounce threshold (its centre; its surface by its spin),
 * and an island sleeps when all its bodies have been slow for this long, s. Larger: slopes freeze
 * that still creep; smaller: piles stay awake for a ball that turns on one spot, which nothing
 * stops. */
#define KG_SLEEP_SPEED 0.2
#define KG_SLEEP_SPIN 0.5
/* In an island one body in so many may be restless, if it is slower than this share of the bounce
 * threshold. Fewer in one: rolling balls freeze on small heaps; more: piles of 10,000 stay awake
 * for minutes. */
#define KG_SLEEP_RESTLESS_ONE_IN 512
#define KG_SLEEP_RESTLESS_SPEED 0.5
#define KG_SLEEP_TIME 0.5
/* What is deeper than the first share of the smaller radius and has come out by the second one in a
 * tick is still being pushed apart, which gives no speed: it stays awake. Deeper: bodies fall
 * asleep within one another; shallower: piles that are pressed in wait for their jitter. */
#define KG_SLEEP_PENETRATION 0.05
#define KG_SLEEP_SEPARATION 1e-3
/* An island that is slow rests if what its bodies gain on the mean in a tick would in that time be
 * no more than this share of the speed that is slow: 0.01 m/s^2 at the default threshold. More (1:
 * 0.2 m/s^2): balls freeze that roll down a slope of 1 degree, turn back on one of 2, or begin to
 * topple; less: islands that sway a little stay awake. */
#define KG_SLEEP_VELOCITY_GAIN 0.05

/* Gaps of pairs whose radii together are more than so many of the smaller one are measured in
 * double. More: balls sink into a ground that is a sphere, unseen, by 6e-8 of its radius, and in
 * short substeps a ball that rolls down one hops on the roundings; less: nothing but time, where
 * there are such. */
#define KG_GAP_DOUBLE_RATIO 4.0

/* Share of a contact's penetration that one substep takes back by moving the bodies, and the share
 * of the smaller radius that is left alone. More: piles jitter; less: they sink. */
#define KG_CORRECTION_SHARE 0.2
#define KG_CORRECTION_SLOP 2e-4
/* Of what is deeper than this share of the smaller radius, so much more (between bodies of one
 * mass). Impacts strike on resting balls after the solve, and press them into their neighbours by
 * up to the bounce threshold times the substep, each substep again. Without it a falling pile of
 * 10,000 at restitution 0.5 is pressed in by 2.7 % of the radius at the worst; with 0.4 by 1.79 %
 * (mean of 13 such piles, two beyond 2 %), with 0.8 and the sweeps above by 1.66 % (mean of five,
 * none beyond 1.75 %). */
#define KG_CORRECTION_DEEP 3e-3
#define KG_CORRECTION_DEEP_SHARE 0.8
/* Longest push in one substep, in smaller radii: bodies created inside one another part gently. */
#define KG_CORRECTION_MAX 0.02

#endif
