/* A world over several ranks: what the files of this directory share.
 * Between steps the world of a rank holds its own bodies. A step moves bodies to the ranks that own
 * their places (migrate.c), adds ghosts behind them (halo.c), runs the tick as in one process, and
 * compares each ghost that own bodies can reach with its original. Where one differs, all ranks run
 * the tick again with more ghosts (ranks_step.c). Every function that takes ranks is collective and
 * returns the same status on all ranks. For changes between steps each rank gets all bodies, and
 * drops those of others before the next step (replicate.c).
 * Why so: tools/docs/decisions/32-ranks.md. */
#ifndef KG_RANKS_RANKS_H
#define KG_RANKS_RANKS_H

#include "kugel/ranks.h"
#include "ranks/partition.h"
#include "world/replicas.h"

/* A body to send: one that moves to another rank, or is a ghost there. */
typedef struct kg_listed_body {
    uint32_t slot, rank;
    bool inner; /* of a ghost: bodies of that rank can reach it in this tick */
} kg_listed_body;

enum {
    KG_RANKS_NUMBERS, /* five arrays of numbers by rank */
    KG_RANKS_PARTS,
    KG_RANKS_TERMS,
    KG_RANKS_LISTED, /* this and the next ones: by listed, sent or received bodies */
    KG_RANKS_HASHES,
    KG_RANKS_SENT_SLOTS,
    KG_RANKS_SENT_INNER,
    KG_RANKS_INNER,
    KG_RANKS_COLUMNS
};

/* Terms that are summed at once at least: 256 KiB, so that a large world needs few reductions. */
enum { KG_RANKS_TERMS_MIN = 1 << 15 };

/* The least buffer, in largest radii, and speed margin: what a world begins with. */
#define KG_RANKS_BUFFER_MIN 4.0
#define KG_RANKS_MARGIN_MIN 1.25

struct kugel_ranks {
    kugel_world *world;
    kugel_exchange exchange;
    kg_whole whole;
    kg_partition partition;
    double largest_radius;       /* m, of all bodies */
    double largest_acceleration; /* m/s^2, of all bodies */

    /* words to and from each rank: between steps the world's motions, after a tick hashes */
    uint64_t *sent, *received;
    uint64_t *hashes; /* of the listed bodies, then of ghosts */
    /* by rank: numbers of bodies and words */
    uint64_t *sent_bodies, *received_bodies;
    uint64_t *sent_words, *received_words;
    uint64_t *next;         /* by rank: where its next body goes in sent_slots */
    kg_listed_body *listed; /* by slot, then by rank */
    uint32_t listed_count;
    uint32_t *sent_slots; /* of the listed bodies: by rank, then by slot */
    uint8_t *sent_inner;
    uint8_t *inner;  /* by row of a ghost, from own_count on: 1: own bodies can reach it */
    kg_part *parts;  /* of the partition */
    uint64_t *terms; /* numbers to be summed over the ranks: KG_RANKS_TERMS_MIN or more */

    /* of the present attempt at a tick */
    uint32_t own_count; /* also while bodies are gathered */
    double travel;      /* m, limit of a body's path */
    bool everywhere;    /* all bodies are on all ranks */

    /* adapted from tick to tick */
    double speed_margin; /* limit of the speed over the largest speed at the start */
    double buffer;       /* m, width of the ghosts around those that own bodies can reach */
    uint64_t ticks_since_partition;
    bool recorded;      /* rank 0 recorded its world when it was last divided or replicated */
    bool gathered;      /* rank 0 has copies of all bodies behind its own ones */
    bool impacts_apart; /* each rank has impacts of the last tick that rank 0 lacks */
    bool edited;        /* each rank has all bodies, for changes */

    kugel_ranks_counts counts;
    kg_column columns[KG_RANKS_COLUMNS];
};

/* transfer.c */
kugel_status kg_ranks_reduce(kugel_ranks *ranks, kugel_reduction operation, uint64_t *values,
                             size_t count);
/* The sum of a number for each rank. */
uint64_t kg_ranks_total(const kugel_ranks *ranks, const uint64_t *numbers);
/* Append to the list; false when out of memory. */
bool kg_ranks_list_body(kugel_ranks *ranks, uint32_t slot, uint32_t rank, bool inner);
/* List each body for all other ranks, as an inner ghost. */
bool kg_ranks_list_for_all(kugel_ranks *ranks);
/* Send the rows of the listed bodies, and receive others. `listed`: this rank could list them. */
kugel_status kg_ranks_transfer_bodies(kugel_ranks *ranks, bool listed);
/* Append the rows that came last, and set `inner` of them. */
void kg_ranks_append_received(kugel_ranks *ranks);
/* Reserve words for ranks->sent and ranks->received, until the next step or sort of the world.
 * False when out of memory. */
bool kg_ranks_lend_words(kugel_ranks *ranks, size_t sent, size_t received);
/* Send the words of ranks->sent, sent_words[i] of them to rank i, and receive others. */
kugel_status kg_ranks_send(kugel_ranks *ranks);

/* migrate.c */
/* Find the boxes of the ranks, from the bodies of all ranks. */
kugel_status kg_ranks_repartition(kugel_ranks *ranks);
/* Move each body to the rank that owns its place. */
kugel_status kg_ranks_migrate(kugel_ranks *ranks);
/* List the bodies in other ranks' boxes; drop the bodies of the list. */
bool kg_ranks_list_leaving(kugel_ranks *ranks);
void kg_ranks_drop_listed(kugel_ranks *ranks);

/* halo.c */
/* Add ghosts of the bodies of other ranks behind the own ones. */
kugel_status kg_ranks_add_ghosts(kugel_ranks *ranks);
/* Let the step hash the paths that are compared: those of inner ghosts and of their originals.
 * False when out of memory. Not collective. */
bool kg_ranks_begin_comparison(kugel_ranks *ranks);
/* Compare the paths of ghosts with their originals; *same: those of this rank agree. */
kugel_status kg_ranks_compare_ghosts(kugel_ranks *ranks, bool *same);
void kg_ranks_drop_ghosts(kugel_ranks *ranks);

/* gather.c */
/* Add copies of all bodies behind those of rank 0. */
kugel_status kg_ranks_gather(kugel_ranks *ranks);
/* Add the impacts of the last tick of all ranks to those of rank 0. */
kugel_status kg_ranks_gather_impacts(kugel_ranks *ranks);
/* Drop the copies, if there are any. Not collective. */
void kg_ranks_release(kugel_ranks *ranks);

/* ranks_step.c */
/* Advance by dt (checked), s. */
kugel_status kg_ranks_step(kugel_ranks *ranks, double dt);

/* replicate.c */
/* True when the bodies of a world can be divided; else all ranks get all of them. */
bool kg_ranks_can_divide(const kugel_world *world);
/* Replicate a world of which each rank holds all bodies. */
void kg_ranks_begin_replicas(kugel_ranks *ranks);
/* Replicate a divided world. */
kugel_status kg_ranks_replicate(kugel_ranks *ranks);
/* Give each rank the whole world, for changes. */
kugel_status kg_ranks_edit(kugel_ranks *ranks);
/* End changes: divide or replicate the world, equal on all ranks. Drop copies of bodies. */
kugel_status kg_ranks_end_edit(kugel_ranks *ranks);

/* ranks_record.c */
/* After a step that succeeded. An error of the recording alone is the recording's. */
kugel_status kg_ranks_record(kugel_ranks *ranks, double dt);

/* ranks_create.c */
/* Divide a world that is equal on all ranks, or replicate it where it cannot be divided. */
kugel_status kg_ranks_divide(kugel_ranks *ranks);
/* Take over a world that is equal on all ranks. The world's error names what is not supported. */
kugel_status kg_ranks_create(kugel_world *world, const kugel_exchange *exchange, kugel_ranks **out);
/* Free the buffers by listed, sent or received bodies: those of all bodies are large. */
void kg_ranks_free_buffers(kugel_ranks *ranks);
/* Free all but the world. Not collective. */
void kg_ranks_free(kugel_ranks *ranks);

/* ranks_sums.c */
kugel_status kg_ranks_hash(kugel_ranks *ranks, uint64_t *hash);
kugel_status kg_ranks_sum_stats(kugel_ranks *ranks, kugel_stats *stats);
/* The world's counters become their sums over the ranks; rank 0 alone keeps them, and the ends of
 * contacts that calls removed. */
kugel_status kg_ranks_sum_counters(kugel_ranks *ranks);
void kg_ranks_count_once(kugel_ranks *ranks);

#endif
