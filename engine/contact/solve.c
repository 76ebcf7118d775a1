/* Projected Gauss-Seidel over the rows, in their canonical order. */
#include <math.h>

#include "contact/contact.h"

static void cross(const float a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Impulse on b at the contact point, its opposite on a. */
static void give(kg_work *work, const kg_contact_row *row, const double impulse[3])
{
    double moment[3];
    cross(row->normal, impulse, moment);
    for (int s = 0; s < 2; ++s) {
        double inverse = row->inverse_mass[s];
        if (inverse == 0) continue;
        uint32_t slot = s ? row->b : row->a;
        double turn = inverse / (0.4 * (double)row->radius[s]), push = s ? inverse : -inverse;
        for (int k = 0; k < 3; ++k) {
            work->motion[slot].v[k] += push * impulse[k];
            work->w[k][slot] -= turn * moment[k];
        }
    }
}

/* Angular impulse on b, its opposite on a. */
static void give_turn(kg_work *work, const kg_contact_row *row, const double impulse[3])
{
    for (int s = 0; s < 2; ++s) {
        double inverse = row->inverse_mass[s];
        if (inverse == 0) continue;
        uint32_t slot = s ? row->b : row->a;
        double turn = inverse / (0.4 * (double)row->radius[s] * row->radius[s]);
        for (int k = 0; k < 3; ++k) work->w[k][slot] += (s ? turn : -turn) * impulse[k];
    }
}

/* Velocity of b's surface relative to a's at the contact, and b's spin relative to a's. */
static void relative(const kg_work *work, const kg_contact_row *row, double slip[3], double spin[3])
{
    double arm[3], swirl[3];
    for (int k = 0; k < 3; ++k) {
        double vb = row->b != KG_NONE ? work->motion[row->b].v[k] : 0;
        double wb = row->b != KG_NONE ? work->w[k][row->b] : 0;
        slip[k] = vb - work->motion[row->a].v[k];
        spin[k] = wb - work->w[k][row->a];
        arm[k] = work->w[k][row->a] * row->radius[0] + wb * row->radius[1];
    }
    cross(row->normal, arm, swirl); /* n x arm is minus arm x n */
    for (int k = 0; k < 3; ++k) slip[k] += swirl[k];
}

/* Shorten a vector to at most `most`. */
static void clamp_length(double v[3], double most)
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (length <= most) return;
    for (int k = 0; k < 3; ++k) v[k] *= most / length;
}

static void solve_normal(kg_work *work, kg_contact_row *row, double h)
{
    double slip[3], spin[3], impulse[3], speed = 0;
    relative(work, row, slip, spin);
    for (int k = 0; k < 3; ++k) speed += slip[k] * row->normal[k];
    double room = row->gap > 0 ? (double)row->gap / h : 0; /* this much of the approach closes the gap */
    double sum = row->normal_impulse - (speed + room) * row->normal_mass;
    sum = sum > 0 ? sum : 0;
    for (int k = 0; k < 3; ++k) impulse[k] = (sum - row->normal_impulse) * row->normal[k];
    row->normal_impulse = (float)sum;
    give(work, row, impulse);
}

static void solve_friction(kg_work *work, kg_contact_row *row)
{
    if (row->friction == 0) return;
    double slip[3], spin[3], sum[3], impulse[3], along = 0;
    relative(work, row, slip, spin);
    for (int k = 0; k < 3; ++k) along += slip[k] * row->normal[k];
    for (int k = 0; k < 3; ++k) {
        sum[k] = row->friction_impulse[k] - (slip[k] - along * row->normal[k]) * row->friction_mass;
    }
    clamp_length(sum, (double)row->friction * row->normal_impulse);
    for (int k = 0; k < 3; ++k) {
        impulse[k] = sum[k] - row->friction_impulse[k];
        row->friction_impulse[k] = (float)sum[k];
    }
    give(work, row, impulse);
}

static void solve_rolling(kg_work *work, kg_contact_row *row)
{
    if (row->rolling == 0) return;
    double slip[3], spin[3], sum[3], impulse[3];
    relative(work, row, slip, spin);
    for (int k = 0; k < 3; ++k) sum[k] = row->rolling_impulse[k] - spin[k] * row->rolling_mass;
    clamp_length(sum, (double)row->rolling * row->normal_impulse);
    for (int k = 0; k < 3; ++k) {
        impulse[k] = sum[k] - row->rolling_impulse[k];
        row->rolling_impulse[k] = (float)sum[k];
    }
    give_turn(work, row, impulse);
}

static void warm_start(kg_work *work, const kg_contact_row *row)
{
    double impulse[3];
    for (int k = 0; k < 3; ++k) impulse[k] = (double)row->normal_impulse * row->normal[k] + row->friction_impulse[k];
    give(work, row, impulse);
    if (row->rolling == 0) return;
    for (int k = 0; k < 3; ++k) impulse[k] = row->rolling_impulse[k];
    give_turn(work, row, impulse);
}

static void store(kg_contact *c, const kg_contact_row *row)
{
    c->normal_impulse = row->normal_impulse;
    for (int k = 0; k < 3; ++k) {
        c->friction[k] = row->friction_impulse[k];
        c->rolling[k] = row->rolling_impulse[k];
    }
}

void kg_contact_solve(kugel_world *world, double h, int iterations)
{
    kg_work *work = &world->work;
    kg_contact_row *rows = world->contact->rows;
    uint32_t n = work->contacts.count;
    for (uint32_t k = 0; k < n; ++k) warm_start(work, &rows[k]);
    for (int iteration = 0; iteration < iterations; ++iteration) {
        for (uint32_t k = 0; k < n; ++k) {
            solve_normal(work, &rows[k], h);
            solve_friction(work, &rows[k]);
            solve_rolling(work, &rows[k]);
        }
    }
    for (uint32_t k = 0; k < n; ++k) store(&work->contacts.items[k], &rows[k]);
}

void kg_contact_forget_impulses(kugel_world *world)
{
    for (uint32_t k = 0; k < world->work.contacts.count; ++k) {
        kg_contact_row *row = &world->contact->rows[k];
        row->normal_impulse = 0;
        for (int i = 0; i < 3; ++i) row->friction_impulse[i] = row->rolling_impulse[i] = 0;
    }
}

/* Part two bodies that overlap by moving them along the normal, shares by mass. */
void kg_contact_push(kugel_world *world)
{
    kg_work *work = &world->work;
    for (uint32_t k = 0; k < work->contacts.count; ++k) {
        const kg_contact_row *row = &world->contact->rows[k];
        double small = row->radius[0];
        if (row->b != KG_NONE && row->radius[1] < row->radius[0]) small = row->radius[1];
        double normal[3];
        double gap = kg_contact_geometry(world, row->a, row->b, work->contacts.items[k].other, normal);
        double depth = -gap - KG_PUSH_LEAVE * small;
        if (depth <= 0) continue;
        double push = depth * KG_PUSH_SHARE;
        if (push > KG_PUSH_MAX * small) push = KG_PUSH_MAX * small;
        for (int i = 0; i < 3; ++i) {
            double step = push * normal[i] * row->normal_mass;
            work->motion[row->a].x[i] -= step * row->inverse_mass[0];
            if (row->b != KG_NONE) work->motion[row->b].x[i] += step * row->inverse_mass[1];
        }
    }
}
