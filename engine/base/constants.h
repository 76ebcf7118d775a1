/* Tuned numbers that change results or serve several files: value, unit, reason, and what breaks
 * with other values. Numbers of one stage that change only its cost stand there.
 * Measurements behind them: tools/docs/decisions and tools/docs/experiments.md. */
#ifndef KG_BASE_CONSTANTS_H
#define KG_BASE_CONSTANTS_H

/* Memory and limits. */

/* Alignment of columns, bytes: a cache line, and the widest vector register. */
#define KG_CACHE_LINE 64
/* Blocks of at least this many bytes are requested in large pages, which have this size on x86-64
 * and mostly on ARM. Smaller: blocks are padded but get no large page; larger: columns of 100,000
 * bodies get none. */
#define KG_LARGE_PAGE ((size_t)2 << 20)
/* No slot, no item. Slots are below KG_BODY_LIMIT. */
#define KG_NONE 0xffffffffu
/* Bodies of a world: a neighbour holds a slot in 26 bits, a flag, and a periodic image in 5. */
#define KG_BODY_LIMIT (1u << 26)
/* Contacts of a world: their order keeps three bits of a 32-bit word for flags. More count as out
 * of memory; bodies that do not overlap have at most about 15 / 2 each. */
#define KG_CONTACT_LIMIT (1u << 29)
/* Largest magnitude of a number given to the world (m, m/s, ...). Products of four such numbers
 * stay finite in double. Without a limit infinity could enter the state. */
#define KG_VALUE_LIMIT 1e15
/* Smallest radius (m) and mass (kg). Below, squares lose bits to subnormals. */
#define KG_RADIUS_MIN 1e-12
#define KG_MASS_MIN 1e-30
/* m/s; smaller parts of a dynamic body's velocity become 0 at the end of a tick. Smaller: squares
 * vanish that decide what moves, and a restored world may continue otherwise. */
#define KG_SPEED_MIN 1e-150
/* Crossings of a periodic axis by one body in one tick. Each is an event of its own. */
#define KG_CROSSINGS_LIMIT 1e5

/* Default of step_event_limit: a base, and a number for each body. Smaller: long ticks of dense
 * worlds are refused; larger: steps that cannot finish soon take minutes. */
#define KG_STEP_EVENTS_BASE (1u << 20)
#define KG_STEP_EVENTS_PER_BODY 4096

/* Impacts. */

/* Approach speed, in speeds of the bodies, below which touching bodies do not collide: rounding
 * left by the last impact. Smaller: impacts repeat at one instant; larger: slow approaches
 * penetrate. */
#define KG_APPROACH_TOLERANCE 1e-14
/* A resting contact ends when its gap exceeds slop, or this share of the smaller radius if that is
 * more. Smaller: rounding ends contacts. */
#define KG_SLOP_MIN 1e-6
/* Largest gap to a support, in sums of radii. Larger: lists grow, since they hold pairs up to this
 * gap or def.slop; smaller: a contact that opens in the substep supports no more. */
#define KG_SUPPORT_GAP 0.01
/* Path between two bodies of different acceleration, in reaches, beyond which the time of
 * contact is refined: the quartic's error is 1e-16 (path / reach)^2. Larger: small grains part
 * the wrong way. */
#define KG_LONG_PATH_REACHES 1e3
/* Impacts and periodic crossings of one body in one substep after which even lossless impacts
 * stick. Larger: a body that hops by rounding costs seconds; smaller: real paths are cut short. */
#define KG_LOSSLESS_IMPACTS (1u << 17)
/* Lossless impacts also count against the budget if the approach, since the last impact of either
 * body, closes a path below this share of the smaller radius. Larger: dense gases lose energy;
 * smaller: bodies created in overlap have 100,000 impacts at one instant. */
#define KG_INSTANT_PATH 1e-10
/* A pair that is pulled together and would bounce lower than this share of the smaller radius
 * rests: without a bounce threshold, bounces that damping or restitution shrink would never end.
 * Smaller: steps of damped worlds have millions of impacts; larger: energy is lost. */
#define KG_FLAT_BOUNCE 1e-10
/* An impact is crowded if its approach, since the last impact of either body, closes a path below
 * this share of the smaller radius. Larger: dense gases lose energy; smaller: clusters collapse. */
#define KG_CROWDED_PATH 0.01
/* Crowded impacts of a body in a substep, less its other ones, beyond which its impacts have no
 * restitution. Smaller: dense gases lose energy; larger: dense flows have more impacts. */
#define KG_CROWDED_INELASTIC 4
/* The same, beyond which the rest speed of its contacts doubles with every second count. Smaller:
 * bodies penetrate; larger: more impacts. */
#define KG_CROWDED_REST 8
/* The same, beyond which a body collides no more in the substep. At most 63 doublings above
 * KG_CROWDED_REST. Larger: endless touches of rounding cost more. */
#define KG_CROWDED_EXHAUSTED 134
/* Path into a boundary in the rest of a substep, in radii, beyond which even a body above
 * KG_CROWDED_REST collides with it. Larger: crowded bodies go into surfaces in long substeps;
 * smaller: more impacts. */
#define KG_CROWDED_ENTRY 0.1
/* Crowded impacts, less other ones, above which it does not. Larger: bodies between surfaces that
 * close up cost more. */
#define KG_CROWDED_BLOCKED (4 * KG_CROWDED_EXHAUSTED)
/* If bodies exceed KG_CROWDED_REST more often than once per so many bodies in a substep, the tick
 * is repeated with KG_CROWDED_REFINEMENT times the substeps. Larger: landing piles repeat ticks in
 * vain. */
#define KG_CROWDED_ONE_IN 64
/* The tick is also repeated if a single body exceeds this. Larger: heavy bodies press light ones
 * in; smaller: landing piles repeat ticks in vain. */
#define KG_CROWDED_SQUEEZED 16
#define KG_CROWDED_REFINEMENT 6
/* Penetration in a substep, in smallest radii, that crowded impacts prevent at least. Smaller:
 * collapsing gases of hard spheres continue invisibly; larger: visible penetration. */
#define KG_CROWDED_PENETRATION 4e-3
/* Penetration in a nominal substep, in smaller radii, beyond which a resting pair collides.
 * Smaller: landing piles have more impacts; larger: balls of a millimetre pass through the
 * floor. */
#define KG_REST_PENETRATION 4e-3

/* Default bounce threshold: sqrt(g r / KG_BOUNCE_SCALE), r the smallest radius: bounces lower than
 * 2.5 % of it end. 0.5 m/s at 0.5 m and 9.81 m/s^2. Larger: piles chatter; smaller: bounces end too
 * early. */
#define KG_BOUNCE_SCALE 19.62
/* m/s^2; used by the default bounce threshold and time before sleep where there is no gravity. */
#define KG_USUAL_GRAVITY 9.81

/* Broad phase: no choice changes a result. */

/* Verlet skin, in mean radii, adapted between the limits to keep neighbour lists between
 * KG_LIST_TARGET_LOW and KG_LIST_TARGET_HIGH. */
#define KG_SKIN_MIN 0.2
#define KG_SKIN_INITIAL 0.4
#define KG_SKIN_MAX 4096.0
#define KG_LIST_TARGET_LOW 6
#define KG_LIST_TARGET_HIGH 12
/* Distance of a fast body's list origin ahead of it, in skins. Larger, up to 1: gravity bends the
 * body's path, so that it leaves the skin at once; smaller: lists are refreshed more often. */
#define KG_LIST_ORIGIN_OFFSET 0.75
/* Longest path of an inactive body in a substep, in smallest radii (grid/inactive.c). Smaller:
 * settled piles are tested in vain; larger: clearances are used up sooner. */
#define KG_INACTIVE_TRAVEL 2e-4
/* Cells along the edge of a block, a power of two, and what follows from it. */
#define KG_BLOCK_EDGE 4
#define KG_BLOCK_SHIFT 2
#define KG_BLOCK_CELLS 64
/* Edge of the cells that order contacts, in largest radii of the bodies that they are made for: at
 * least a diameter, so that bodies in contact are in the same block or in adjacent ones. */
#define KG_CONTACT_CELL_EDGE 2.5
/* A body more than so many times as large as those that the cells are made for has its contacts in
 * no block, if at most one body in KG_BLOCK_LARGE_ONE_IN is as large. Smaller ratio, more bodies:
 * more contacts on one thread, and small blocks fill fewer lanes: a landing pile of radii 1 : 10
 * takes a tenth longer. Else blocks hold whole piles, and each change orders all of it. */
#define KG_BLOCK_RADIUS_RATIO 4.0
#define KG_BLOCK_LARGE_ONE_IN 1024
/* Cell coordinates are clamped to this magnitude before their conversion to int. */
#define KG_CELL_COORDINATE_LIMIT 1.0e9

/* Sweeps of the contact solve. */

/* Most sweeps of a nominal substep, in times the least number. Smaller: landing piles sink deeper;
 * larger: they cost more. */
#define KG_SWEEPS_MAX_FACTOR 5
/* Successive overrelaxation (Young 1954) of all sweeps but the first; below 2 it loses energy.
 * 1: eight sweeps for the work of five. */
#define KG_SWEEPS_OVERRELAXATION 1.5
/* Sweeps continue while a closing speed changes by more than this penetration in a substep, in
 * smallest radii, or this share of the bounce threshold if that is less. Gravity's change in a
 * substep always suffices. Larger: landing piles sink deeper; smaller: more sweeps. */
#define KG_SWEEPS_PENETRATION 1e-3
#define KG_SWEEPS_BOUNCE_SHARE 0.33
/* No second sweep follows if the first one changes closing speeds by less than this share of that
 * tolerance. Larger: balls in a funnel sink in; smaller: more sweeps of the same depth. */
#define KG_SWEEPS_SINGLE_SHARE 0.25
/* Where gravity moves a body by more than this share of the smallest radius in a substep, the
 * tolerance is that travel and the most sweeps grow by the factor. A contact that opens loses its
 * impulse. Larger share: stacked balls hop for ever; smaller: settled piles take more sweeps. */
#define KG_SWEEPS_FALL_SHARE 0.01
#define KG_SWEEPS_FALL_FACTOR 4
/* Worlds of few contacts make at least as many sweeps as sum up to this many contacts, at most
 * KG_SWEEPS_FEW_MAX. Smaller: a ball in a dimple keeps creeping. */
#define KG_SWEEPS_FEW_MAX 16
#define KG_SWEEPS_FEW_CONTACTS 256
/* Contacts that ended in the tick keep their lanes until they are this many more than the others.
 * Fewer: short ticks order their contacts twice; more: long ticks sweep empty lanes. */
#define KG_ENDED_CONTACTS_KEPT 64
/* With unlike masses the least number grows by sqrt(load of a contact) over this, at most by the
 * factor; the tolerance shrinks alike. Larger: heavy bodies sink into light ones. */
#define KG_SWEEPS_LOAD 1.5
#define KG_SWEEPS_LOAD_MAX_FACTOR 24
/* Where a contact carries a load above the first number, which doubles the sweeps, sweeps come in
 * rounds of so many: one changes all impulses, the next ones normal impulses alone, at a quarter of
 * the cost; only in worlds of more than KG_SWEEPS_FEW_CONTACTS. More: friction lags behind the
 * load. A contact has converged when its closing speed changes by less than this share of the
 * tolerance. Larger: piles sink deeper; smaller: later rounds sweep more groups. */
#define KG_SWEEPS_NORMAL_LOAD 9.0
#define KG_SWEEPS_ROUND 8
#define KG_SWEEPS_CONVERGED_SHARE 0.5
/* A contact is deep beyond this share of the smaller radius, and sinks if it closes by
 * KG_DEEP_SINKING radii in a substep. If one in KG_DEEP_SINKING_ONE_IN sinks, sweeps grow up to
 * KG_DEEP_SWEEPS_FACTOR times, and finer. Smaller: a column of 200 balls sinks without end. */
#define KG_DEEP_PENETRATION 0.02
#define KG_DEEP_SINKING 5e-6
#define KG_DEEP_SINKING_ONE_IN 64
#define KG_DEEP_SWEEPS_FACTOR 16

/* Substeps. */

/* With the default number of substeps gravity moves a body by at most this share of the smallest
 * radius in one: 4 substeps of 1/60 s at 0.5 m. Larger: small grains and long ticks press bodies
 * in; smaller: more substeps of the same depth. */
#define KG_SUBSTEP_FALL 3.5e-4
/* Default number without gravity, where the rule above gives none. */
#define KG_SUBSTEPS_WITHOUT_GRAVITY 4
/* rad; largest turn of a spinning surface in a substep by default. In its frame paths are
 * computed as parabolas; the relative error is the square of this angle. */
#define KG_SUBSTEP_TURN 0.02
#define KG_SUBSTEPS_MAX 1000

/* Piles of at least KG_SETTLED_BODIES_MIN bodies take fewer substeps: gravity moves a body by at
 * most KG_SETTLED_FALL smallest radii in one. */
#define KG_SETTLED_BODIES_MIN 256
#define KG_SETTLED_FALL 6e-3
/* This holds while at most one body in KG_SETTLED_FAST_ONE_IN travels more than
 * KG_SETTLED_TRAVEL of its radius in a tick. More fast bodies: struck balls are pressed in by a
 * percent of the radius. */
#define KG_SETTLED_TRAVEL 0.01
#define KG_SETTLED_FAST_ONE_IN 1024
/* While piles settle: the same for one fast body in KG_SETTLING_FAST_ONE_IN. */
#define KG_SETTLING_FAST_ONE_IN 8
#define KG_SETTLING_FALL 1.5e-3

/* Resting contacts. */

/* A warm start that the energy limit would scale by more than this is not scaled: it saves a second
 * warm start. Smaller: landing loads gain energy. */
#define KG_WARM_START_WHOLE 0.99
/* 1/s; contacts of shorter substeps use 1e-20 s. Larger: impulses as forces leave the range
 * of floats, and a long tick after a short one throws bodies out of the finite range. */
#define KG_CONTACT_RATE_LIMIT 1e20
/* Radius of the patch over which friction acts, in effective radii r1 r2 / (r1 + r2). Smaller:
 * balls held from two sides spin for minutes; larger: tops stop too soon. */
#define KG_FRICTION_PATCH_RADIUS 0.01
/* Gaps are measured in double where the sum of radii exceeds this many smaller radii. Larger: balls
 * sink into a ground that is a sphere, and hop on its roundings. */
#define KG_GAP_DOUBLE_RATIO 4.0
/* Share of the penetration that one substep corrects, and share of the smaller radius that is left.
 * Larger share: piles jitter; smaller: they sink. */
#define KG_CORRECTION_SHARE 0.2
#define KG_CORRECTION_SLOP 2e-4
/* Beyond KG_CORRECTION_DEEP smaller radii this share is corrected, between equal masses: impacts
 * after the solve press resting balls into their neighbours. Smaller: falling piles overlap. */
#define KG_CORRECTION_DEEP 3e-3
#define KG_CORRECTION_DEEP_SHARE 0.8
/* Longest correction in a substep, in smaller radii. Larger: bodies created in overlap jump. */
#define KG_CORRECTION_MAX 0.02

/* Sleep. */

/* A body is slow below these shares of the bounce threshold: centre, and surface by spin. Larger:
 * slopes freeze while they creep; smaller: a ball that spins on one spot keeps its pile awake. */
#define KG_SLEEP_SPEED 0.2
#define KG_SLEEP_SPIN 0.5
/* An island sleeps when its bodies have been slow for this long: with the default bounce threshold
 * sqrt(KG_SLEEP_SCALE r / g), r the smallest radius, which is 0.5 s at 0.5 m and 9.81 m/s^2; with
 * a given threshold this time, s. */
#define KG_SLEEP_SCALE 4.905
#define KG_SLEEP_TIME 0.5
/* One body in so many may be restless, below this share of the bounce threshold. More of them:
 * rolling balls freeze on small heaps; fewer: piles of 10,000 stay awake for minutes. */
#define KG_SLEEP_RESTLESS_ONE_IN 512
#define KG_SLEEP_RESTLESS_SPEED 0.5
/* A contact deeper than the first share of the smaller radius that separates by the second in a
 * tick keeps its island awake. Larger: bodies fall asleep in overlap; smaller: piles wait for
 * jitter. */
#define KG_SLEEP_PENETRATION 0.05
#define KG_SLEEP_SEPARATION 1e-3
/* An island rests if the mean velocity gain in this time is at most this share of the slow
 * speed. Larger: balls freeze that roll down 1 degree; smaller: swaying islands stay awake. */
#define KG_SLEEP_VELOCITY_GAIN 0.05

#endif
