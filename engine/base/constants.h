/* Tuned numbers that serve several files, or weigh physics against cost. Each has its unit, its
 * reason, and what breaks with a smaller or larger value. Other numbers stand beside their one use:
 * those that change only the cost of a stage, tolerances and limits of iterations. Measurements:
 * tools/docs/decisions and tools/docs/experiments.md. */
#ifndef KG_BASE_CONSTANTS_H
#define KG_BASE_CONSTANTS_H

/* Memory and limits. */

/* Alignment of columns, bytes: a cache line, and the widest vector register. */
#define KG_CACHE_LINE 64
/* Bytes; a block at least this large is requested in large pages, which have this size on x86-64
 * and mostly on ARM. Smaller: blocks are padded but get no large page; larger: columns of 100,000
 * bodies get none. */
#define KG_LARGE_PAGE ((size_t)2 << 20)
/* Default limit of the memory for a snapshot or recording, bytes: a base, and so many for each byte
 * of the input. A body of a lattice takes 3 bytes of a snapshot and 150 of memory; one that is
 * played takes a kilobyte, and 4 bytes of a recording. Smaller: lattices at rest are refused;
 * larger: a small file takes more memory than a host expects. */
#define KG_INPUT_MEMORY ((uint64_t)1 << 28)
#define KG_INPUT_MEMORY_PER_BYTE 256
/* An index that stands for "none". Slots are below KG_BODY_LIMIT. */
#define KG_NONE 0xffffffffu
/* Maximum number of bodies of a world: a neighbour packs a slot into 26 bits, a flag into one, and
 * a periodic image into 5. */
#define KG_BODY_LIMIT (1u << 26)

/* Generations of an id, or of an index of surfaces, from 1 on. With two bits for the kind and
 * KG_BODY_LIMIT a handle has 53 bits that vary, as many as a double stores: in JavaScript it is a
 * number. More: some handles would be rounded there. */
#define KG_GENERATION_BITS 25
#define KG_GENERATION_LIMIT ((1u << KG_GENERATION_BITS) - 1)
/* A world has fewer contacts than this: their order uses three bits of a 32-bit word for flags. One
 * more counts as out of memory. Bodies that do not overlap have at most about 15 / 2 contacts per
 * body. */
#define KG_CONTACT_LIMIT (1u << 29)
/* A substep may begin with KG_PAIRS_BASE deep pairs (kg_grid_is_deep_pair), and KG_PAIRS_PER_BODY
 * more for each body. Spheres that do not overlap have none, and at most 7.5 contacts per body (G.
 * Kuperberg and O. Schramm, 1994). A pair takes about a kilobyte and microseconds. Smaller: dense
 * random starts are refused; larger: bodies created at one place take gigabytes. */
#define KG_PAIRS_BASE (1u << 16)
#define KG_PAIRS_PER_BODY 32
/* Maximum magnitude of a number given to the world (m, m/s, ...). Products of four such numbers are
 * finite in double. Without a limit infinity could enter the state. */
#define KG_VALUE_LIMIT 1e15
/* Largest growth of radii, 1/s. */
#define KG_GROWTH_MAX 1e6
/* A moving sphere of a query that starts at rest on something may enter others by this share of its
 * radius where it meets them at a flat angle (geometry/sweep_linear.h). Smaller: a body at rest
 * would be stopped by the seams of a floor into which it is pressed; larger: visible. */
#define KG_CAST_SLACK 1e-3
/* Normals and quaternions count as unit if their length differs from 1 by at most this: more than
 * the rounding of floats or of decimals such as 0.70711. Smaller: hosts must normalise these;
 * larger: mistakes stay unseen. */
#define KG_UNIT_TOLERANCE 1e-5
/* Minimum radius, m, and minimum mass, kg. Much smaller: products lose bits as subnormals. */
#define KG_RADIUS_MIN 1e-12
#define KG_MASS_MIN 1e-30
/* m/s; at the end of a tick a smaller component of a dynamic body's velocity becomes 0. Smaller:
 * its square, which decides whether the body moves, is 0, and a restored world may continue
 * differently. */
#define KG_SPEED_MIN 1e-150
/* Maximum crossings of a periodic axis by one body in one tick: each is an event. */
#define KG_CROSSINGS_LIMIT 1e5

/* Default of step_event_limit: BASE + PER_BODY for each body. Smaller: long ticks of dense worlds
 * are refused; larger: a step with endless events takes minutes. */
#define KG_STEP_EVENTS_BASE (1u << 20)
#define KG_STEP_EVENTS_PER_BODY 4096

/* Impacts. */

/* Touching bodies do not collide below this approach speed, as a share of their speeds: such an
 * approach is rounding of their last impact. Smaller: impacts repeat at one instant; larger: slow
 * approaches penetrate. */
#define KG_APPROACH_TOLERANCE 1e-14
/* Minimum of the slop, as a share of the smaller radius: a resting contact ends when its gap
 * exceeds the slop. Smaller: rounding ends contacts. */
#define KG_SLOP_MIN 1e-6
/* Maximum gap to a support, as a share of the sum of radii. Larger: neighbour lists grow, since
 * they contain the pairs up to the larger of this gap and def.slop; smaller: a contact that opens
 * in the substep no longer supports. */
#define KG_SUPPORT_GAP 0.01
/* The time of impact of bodies with different accelerations is refined where their relative path is
 * longer than this many reaches: the root of the quartic has an error of 1e-16 (path / reach)^2
 * reaches. Larger: small grains separate in wrong directions. */
#define KG_LONG_PATH_REACHES 1e3
/* Changes of motion of a body in one substep (impacts, periodic crossings) after which lossless
 * impacts count as exceeding the budget. Larger: a body that hops by rounding costs seconds;
 * smaller: real paths are cut short. */
#define KG_LOSSLESS_IMPACTS (1u << 17)
/* A lossless impact counts against the budget if its path is shorter than this share of the smaller
 * radius. The path of an impact is its approach times the longer of the times since the motions of
 * its two bodies last changed. Larger: dense gases lose energy; smaller: bodies created in overlap
 * have 100,000 impacts at one instant. */
#define KG_INSTANT_PATH 1e-10
/* With a bounce threshold in the def, a pair that is pulled together rests if it would bounce lower
 * than this share of the smaller radius. Else, with a threshold of 0, bounces that shrink by
 * damping or restitution never end. Smaller: steps of damped worlds have millions of impacts;
 * larger: energy is lost. */
#define KG_FLAT_BOUNCE 1e-10
/* A lossy impact is crowded if its path (see KG_INSTANT_PATH) is shorter than this share of the
 * smaller radius. The crowding of a body is its crowded impacts in a substep less its other lossy
 * ones. Larger: dense gases lose energy; smaller: clusters collapse. */
#define KG_CROWDED_PATH 0.01
/* Crowding above which impacts of the body have no restitution. Smaller: dense gases lose energy;
 * larger: dense flows have more impacts. */
#define KG_CROWDED_INELASTIC 4
/* Crowding above which the rest speed of the body's contacts doubles with every second count.
 * Smaller: bodies penetrate; larger: more impacts. */
#define KG_CROWDED_REST 8
/* Crowding above which the body no longer collides in the substep with what it touches or rests on.
 * At most KG_CROWDED_REST + 126, since 2^63 is the last doubling. Larger: endless touches by
 * rounding cost more. */
#define KG_CROWDED_EXHAUSTED 134
/* A body above KG_CROWDED_REST still collides with a boundary if it would move into the boundary by
 * more than this path in the rest of the substep, in radii. Larger: crowded bodies go into surfaces
 * in long substeps; smaller: more impacts. */
#define KG_CROWDED_ENTRY 0.1
/* Crowding above which KG_CROWDED_ENTRY does not apply. Larger: bodies between surfaces that close
 * up cost more. */
#define KG_CROWDED_BLOCKED (4 * KG_CROWDED_EXHAUSTED)
/* A tick is repeated if the crowding of a body reaches this: no approach or momentum of one impact
 * shows that equal balls close up. Larger: dense flows are pressed in; smaller: landing piles
 * repeat ticks without need. */
#define KG_CROWDED_SQUEEZED 16
/* A tick is repeated with this factor of substeps if a body above KG_CROWDED_REST has a crowded
 * impact whose approach would go farther in the substep than KG_CROWDED_ENTRY smaller radii.
 * Smaller: dense flows are pressed in deeper. */
#define KG_PRESSED_REFINEMENT 6
/* The same factor at KG_CROWDED_SQUEEZED, and where only the momentum of the impact would carry the
 * lighter body that far and the other is more than KG_SWEEPS_NORMAL_LOAD times as heavy. Larger:
 * piles of unlike radii take more time while they land; smaller: heavy bodies press light ones in.
 */
#define KG_SQUEEZED_REFINEMENT 3
/* Maximum rest speed, as penetration in a nominal substep, in smaller radii: a faster resting pair
 * collides. Above KG_CROWDED_REST it is the rest speed. Smaller: landing piles have more impacts,
 * and collapsing gases endless invisible ones; larger: balls of a millimetre pass through the
 * floor. */
#define KG_REST_PENETRATION 4e-3

/* By default a pair with the smaller radius r, pulled together by an acceleration a, rests if it
 * would rebound by less than sqrt(a r / KG_BOUNCE_SCALE), to 2.5 % of r: 0.5 m/s for 0.5 m and
 * 9.81 m/s^2. Larger: piles chatter; smaller: bounces end too early. */
#define KG_BOUNCE_SCALE 19.62

/* Broad phase. No value changes a result. */

/* Verlet skin, in mean radii. It is adapted between MIN and MAX so that the mean length of
 * neighbour lists stays between KG_LIST_TARGET_LOW and KG_LIST_TARGET_HIGH. */
#define KG_SKIN_MIN 0.2
#define KG_SKIN_INITIAL 0.4
#define KG_SKIN_MAX 4096.0
#define KG_LIST_TARGET_LOW 6
#define KG_LIST_TARGET_HIGH 12
/* Distance of a list origin ahead of a fast body, in skins, below 1. Larger: gravity bends the
 * path, so that the body leaves the skin at once; smaller: lists are refreshed more often. */
#define KG_LIST_ORIGIN_OFFSET 0.75
/* Maximum path of an inactive body in a nominal substep, in smallest radii (grid/inactive.c), and
 * of a body at rest in a tick, in radii (contact/substeps.c).
 * Smaller: settled piles are tested without need; larger: clearances are used up sooner. */
#define KG_INACTIVE_TRAVEL 2e-4
/* Cells along the edge of a block, a power of two; its logarithm; cells of a block. */
#define KG_BLOCK_EDGE 4
#define KG_BLOCK_SHIFT 2
#define KG_BLOCK_CELLS 64
/* Edge of the cells that order contacts, in largest radii of the bodies for which they are made. At
 * least a diameter, so that bodies in contact are in the same block or in adjacent ones. */
#define KG_CONTACT_CELL_EDGE 2.5
/* A body more than this many times as large as those for which the cells are made is large.
 * Contacts of large movable bodies belong to no block of cells: one thread solves them. Cells are
 * made for the others if at most one body in KG_BLOCK_LARGE_ONE_IN is large. Smaller values: more
 * contacts on one thread, and blocks that fill fewer lanes (a landing pile of radii 1 : 10 takes a
 * tenth longer). Larger values: a block holds a whole pile, and each change of blocks orders all
 * contacts of the pile. */
#define KG_BLOCK_RADIUS_RATIO 4.0
#define KG_BLOCK_LARGE_ONE_IN 1024
/* Cell coordinates are clamped to this magnitude before their conversion to int. */
#define KG_CELL_COORDINATE_LIMIT 1.0e9

/* Sweeps of the contact solve (contact/sweep_plan.c). The first sweeps change all contacts. Their
 * number is def.contact_iterations for each nominal substep. Sweeps continue where a closing speed
 * still changes by more than the tolerance. */

/* Maximum number of sweeps, as a multiple of that number. Smaller: landing piles sink deeper;
 * larger: landing piles cost more. */
#define KG_SWEEPS_MAX_FACTOR 5
/* Least factor of successive overrelaxation (Young 1954) in all sweeps after the first, while the
 * largest load of a contact is at most KG_SWEEPS_NORMAL_LOAD. With a factor below 2 a sweep adds no
 * energy. With 1, eight sweeps converge as far as five with 1.5. */
#define KG_SWEEPS_OVERRELAXATION 1.5
/* The tolerance, as a share of the speed that gravity adds in a nominal substep (sweep_plan.c).
 * Larger: tall piles and piles without friction swing and sink; smaller: more sweeps. */
#define KG_SWEEPS_RESIDUAL 0.1
/* The first sweeps are at least KG_SWEEPS_FEW_CONTACTS divided by the number of contacts, up to
 * KG_SWEEPS_FEW_MAX: sweeps of few contacts are cheap. Smaller: a ball in a dimple keeps creeping,
 * and a chain of balls, each heavier than the one below, sinks in. */
#define KG_SWEEPS_FEW_MAX 16
#define KG_SWEEPS_FEW_CONTACTS 256
/* Contacts that ended in the tick keep their lanes until they outnumber the others by more than
 * this. Smaller: short ticks order their contacts twice; larger: long ticks sweep empty lanes. */
#define KG_ENDED_CONTACTS_KEPT 64
/* Above this largest load of a contact the maximum number of sweeps grows by sqrt(load /
 * KG_SWEEPS_NORMAL_LOAD), up to KG_SWEEPS_LOAD_MAX_FACTOR, and the tolerance is divided by the same
 * factor. Sweeps then come in rounds of KG_SWEEPS_ROUND, except in worlds of at most
 * KG_SWEEPS_FEW_CONTACTS contacts. Smaller load: falls of unlike radii cost more. Smaller maximum:
 * a boulder of 27,000 grain masses rocks on its grains and stays awake. */
#define KG_SWEEPS_NORMAL_LOAD 9.0
#define KG_SWEEPS_LOAD_MAX_FACTOR 48
/* Factor of the maximum number of sweeps in settled piles. Larger: piles that settle cost more;
 * smaller: tall piles do not come to rest. */
#define KG_SWEEPS_SETTLED_FACTOR 2
/* Above the same load overrelaxation grows with it (sweep_plan.c), up to these maxima: in worlds
 * of more than KG_SWEEPS_FEW_CONTACTS contacts, and in others. Larger: falls cost more, and some
 * are deeper; smaller: heavy balls rock on grains and stay awake. The second is also the maximum
 * where it grows with the number of the sweep (solve.c). Smaller: tall piles sway, sink and stay
 * awake. */
#define KG_SWEEPS_LOADED_OVERRELAXATION 1.8
#define KG_SWEEPS_MOST_OVERRELAXATION 1.95
/* Sweeps of a round: the first changes all impulses, the others only normal impulses, at a quarter
 * of the cost. Larger: friction lags behind the load. */
#define KG_SWEEPS_ROUND 8
/* Sweeps have stalled if sweep 2 n changed more than KG_SWEEPS_STALLED of what sweep n changed, and
 * sweep 4 n of what sweep 2 n changed. n is KG_SWEEPS_STALL_FIRST, a multiple of KG_SWEEPS_ROUND,
 * or this times a power of two. They count as stalled at sweep KG_SWEEPS_STALL_TICK / substeps at
 * the latest; this number is at least KG_SWEEPS_STALL_LEAST and def.contact_iterations, and at most
 * KG_SWEEPS_STALL_LAST. At most as many sweeps again follow, so a tick makes at most about 2
 * KG_SWEEPS_STALL_TICK sweeps unless one of the two minima holds. Smaller: slow convergence under
 * loads of unlike masses is cut off; larger: steps of a dozen pressed bodies, and of heavy bodies
 * in long ticks, take longer. */
#define KG_SWEEPS_STALL_FIRST 128
#define KG_SWEEPS_STALL_LAST 2048
#define KG_SWEEPS_STALL_LEAST 32
#define KG_SWEEPS_STALL_TICK 262144
#define KG_SWEEPS_STALLED 0.99f

/* Substeps. */

/* With the default number of substeps of length h, g h^2 is at most this share of the smallest
 * radius: 4 substeps for a tick of 1/60 s and 0.5 m. The fall from rest in a substep is half of it.
 * Larger: small grains and long ticks press bodies in; smaller: more substeps without less
 * penetration. */
#define KG_SUBSTEP_FALL 3.5e-4
/* Default number of substeps without gravity, where KG_SUBSTEP_FALL gives none. */
#define KG_SUBSTEPS_WITHOUT_GRAVITY 4
/* rad; maximum turn of a spinning surface in a substep by default. In the surface's frame paths are
 * computed as parabolas; their relative error is the square of this angle. */
#define KG_SUBSTEP_TURN 0.02
/* rad; the maximum turn where the def gives a number of substeps. Larger: fast surfaces pass
 * through bodies. */
#define KG_SUBSTEP_TURN_MAX 0.05
/* Maximum of def.substeps and of the default number of substeps. */
#define KG_SUBSTEPS_MAX 1000

/* A settled pile takes fewer substeps: g h^2 is at most KG_SETTLED_FALL smallest radii. A pile is
 * settled if it has at least KG_SETTLED_BODIES_MIN awake bodies, of which at most one in
 * KG_SETTLED_FAST_ONE_IN is fast. */
#define KG_SETTLED_BODIES_MIN 256
#define KG_SETTLED_FALL 6e-3
/* Smaller: struck balls are pressed in by a percent of the radius. */
#define KG_SETTLED_FAST_ONE_IN 1024
/* A body is fast if its path is longer than this share of its radius in a tick. */
#define KG_SETTLED_PATH 0.01
/* A pile that settles has more fast bodies, at most one in KG_SETTLING_FAST_ONE_IN. Its substeps
 * follow from KG_SETTLING_FALL instead of KG_SETTLED_FALL. */
#define KG_SETTLING_FAST_ONE_IN 8
#define KG_SETTLING_FALL 1.5e-3

/* Resting contacts. */

/* A warm start is not scaled if the energy limit leaves more than this share of it: that saves a
 * second warm start. Smaller: landing loads gain energy. */
#define KG_WARM_START_WHOLE 0.99
/* Radius of the patch over which friction acts, in effective radii r1 r2 / (r1 + r2). Smaller:
 * balls held from two sides spin for minutes; larger: tops stop too soon. */
#define KG_FRICTION_PATCH_RADIUS 0.01
/* Gaps are measured in double where the sum of radii exceeds this multiple of the smaller radius.
 * Larger: balls sink into a large sphere that serves as ground, and hop by rounding. */
#define KG_GAP_DOUBLE_RATIO 4.0
/* Share of the penetration beyond KG_CORRECTION_SLOP that position correction removes in a nominal
 * substep, but at most the path at the speed that gravity adds in it: a faster correction opens
 * contacts, and tall piles without friction never come to rest. Larger: piles jitter; smaller:
 * piles sink. */
#define KG_CORRECTION_SHARE 0.2
/* Penetration that position correction leaves, in smaller radii. */
#define KG_CORRECTION_SLOP 2e-4
/* With a bounce threshold, position correction also removes KG_CORRECTION_DEEP_SHARE of the
 * penetration beyond KG_CORRECTION_DEEP smaller radii: impacts after the solve press resting balls
 * into their neighbours. Smaller share: falling piles overlap. */
#define KG_CORRECTION_DEEP 3e-3
#define KG_CORRECTION_DEEP_SHARE 0.8
/* Where the penetration exceeds KG_CORRECTION_DEEP smaller radii, position correction takes the
 * heavier body as at most this many times as heavy as the lighter one. Larger: grains between two
 * large balls, or one and the floor, stay overlapped. If this held for smaller penetrations, too, a
 * boulder on three grains would not come to rest. */
#define KG_CORRECTION_MASS_RATIO 2
/* Maximum correction in a nominal substep, in smaller radii; in one that stands for several, that
 * of all, up to the number by default. Larger: bodies created in overlap jump. */
#define KG_CORRECTION_MAX 0.02

/* Sleep. */

/* A slow body has a speed below this share of the bounce threshold. Larger: slopes freeze while
 * they creep. */
#define KG_SLEEP_SPEED 0.2
/* A slow body also has a surface speed by spin below this share of the bounce threshold. Smaller: a
 * ball that spins on one spot keeps its pile awake. */
#define KG_SLEEP_SPIN 0.5
/* s; an island sleeps when its bodies have been slow for this time. With the default bounce
 * threshold and gravity it is the time in which a body moves by half its radius at the
 * threshold: also 0.5 s for 0.5 m and 9.81 m/s^2. */
#define KG_SLEEP_TIME 0.5
/* In an island that sleeps, one body in this many may be restless: faster than slow. Larger: piles
 * of 10,000 stay awake for minutes; smaller: rolling balls freeze on small heaps. */
#define KG_SLEEP_RESTLESS_ONE_IN 512
/* A restless body has a speed below this share of the bounce threshold. */
#define KG_SLEEP_RESTLESS_SPEED 0.5
/* A restless body has a surface speed by spin below this share of the bounce threshold. */
#define KG_SLEEP_RESTLESS_SPIN 2.0
/* A contact keeps its island awake if its penetration exceeds KG_SLEEP_PENETRATION smaller radii
 * and shrinks by more than KG_SLEEP_SEPARATION smaller radii in a tick. Larger: bodies fall asleep
 * in overlap; smaller: piles stay awake by jitter. */
#define KG_SLEEP_PENETRATION 0.05
#define KG_SLEEP_SEPARATION 1e-3
/* An island rests if its bodies' mean velocity gain in the time before sleep is at most one in this
 * many parts of the slow speed. Smaller: balls that roll down 1 degree freeze; larger: swaying
 * islands stay awake. */
#define KG_SLEEP_GAIN_ONE_IN 20

/* Places. */

/* Two movers are in one place (places/places.h) if they are nearer than this many smaller radii,
 * besides their paths. Larger: scenes near each other share substeps and sweeps; smaller: bodies
 * that are scattered step one by one, which costs some microseconds each. */
#define KG_PLACE_LINK 64.0

#endif
