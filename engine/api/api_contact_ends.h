/* Ends resting contacts in calls between steps. In: contacts that a call removes. Out: marks of
 * ended contacts, which leave the set when the next step begins, and their end events, which it
 * publishes at time 0. Cost: the contacts of the body, or for kg_api_end_contacts those of the
 * world. */
#ifndef KG_API_API_CONTACT_ENDS_H
#define KG_API_API_CONTACT_ENDS_H

#include "world/world.h"

/* Reserve memory for the end events of `count` contacts, before a call changes anything. */
kugel_status kg_api_reserve_ends(kugel_world *world, size_t count);
/* Reserve memory for the end events of all contacts of a body, and note its exits from sensors, or
 * those of the bodies in it. */
kugel_status kg_api_prepare_body_ends(kugel_world *world, uint32_t slot);

/* The index that a new surface gets: the lowest free one that no end names which no step has
 * reported. So the index of an end names no successor of what was removed. */
uint32_t kg_api_free_index(const kugel_world *world, const kg_indices *indices,
                           kugel_target target);

/* End and remove the contacts of a body. The end events have the contact points at the body's
 * present position. */
void kg_api_end_body_contacts(kugel_world *world, uint32_t slot);
/* End and remove the contacts with bodies and surfaces that the body's filter excludes; those of a
 * disabled body with anything. */
void kg_api_end_filtered_contacts(kugel_world *world, uint32_t slot);

/* True for a contact that ends. */
typedef bool kg_api_contact_test(const kugel_world *world, const kg_contact *contact, uint32_t id);
/* End and remove the contacts for which `ends` returns true; `id` is passed to `ends`. */
void kg_api_end_contacts(kugel_world *world, kg_api_contact_test *ends, uint32_t id);

#endif
