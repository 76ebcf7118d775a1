/* Encodes and decodes recorded calls by their rows (calls.h). */
#include "record/calls.h"

#define MEMBER(member, kind, count) {#member, NULL, offsetof(kg_call, member), kind, count},
#define MEMBER_DEF(member, members) {#member, members, offsetof(kg_call, member), 0, 0},

/* The arguments of the rows. */
#define BODY MEMBER(body, KG_DEF_LONG, 1)
#define BODY_DEF MEMBER_DEF(body_def, kg_body_def_members)
#define CATEGORY MEMBER(category, KG_DEF_WORD, 1)
#define FLAG MEMBER(flag, KG_DEF_FLAG, 1)
#define GROUP MEMBER(group, KG_DEF_WORD, 1)
#define HASH MEMBER(hash, KG_DEF_LONG, 1)
#define HAS_FILTER MEMBER(has_filter, KG_DEF_FLAG, 1)
#define IMAGE MEMBER(image, KG_DEF_WORD, 3)
#define KEY MEMBER(key, KG_DEF_LONG, 1)
#define KINDS MEMBER(kinds, KG_DEF_WORD, 2)
#define MASK MEMBER(mask, KG_DEF_WORD, 1)
#define NUMBER MEMBER(number, KG_DEF_DOUBLE, 1)
#define ROTATION MEMBER(rotation, KG_DEF_DOUBLE, 4)
#define SPIN MEMBER(spin, KG_DEF_DOUBLE, 3)
#define SURFACE MEMBER(surface, KG_DEF_LONG, 1)
#define SURFACE_DEF MEMBER_DEF(surface_def, kg_surface_def_members)
#define TYPE MEMBER(type, KG_DEF_WORD, 1)
#define VECTOR MEMBER(vector, KG_DEF_DOUBLE, 3)

enum { MOST_ARGUMENTS = 4 };

typedef struct row {
    kg_call_kind kind;
    kg_def_member arguments[MOST_ARGUMENTS + 1]; /* the last one has no name */
} row;

#define ROW(number, name, kind, function, arguments) [number] = {KG_CALL_##kind, {arguments{0}}},
static const row rows[KG_OP_END] = {KG_CALLS(ROW, ROW)};

kg_call_kind kg_call_kind_of(kg_op op) { return rows[op].kind; }

size_t kg_call_size(uint8_t op)
{
    size_t arguments = op < KG_OP_END ? kg_def_size(rows[op].arguments) : 0;
    return arguments ? 1 + arguments : 0;
}

void kg_call_encode(const kg_call *call, uint8_t *out)
{
    *out = (uint8_t)call->op;
    kg_def_encode(rows[call->op].arguments, call, out + 1);
}

size_t kg_call_decode(const uint8_t *in, size_t size, kg_call *call)
{
    size_t all = size ? kg_call_size(*in) : 0;
    if (!all || all > size) return 0;
    *call = (kg_call){.op = (kg_op)*in};
    kg_def_decode(rows[*in].arguments, in + 1, call);
    return all;
}
