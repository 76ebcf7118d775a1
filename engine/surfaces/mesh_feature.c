/* Features of a mesh: their planes, regions and distances. In: a built mesh. Out: see mesh.h.
 * All triangles of a facet have the plane of its largest triangle. The sides of a triangle's region
 * are perpendicular to that plane, because rounding dominates the own normal of a sliver.
 * Cost: O(triangles around the feature). */
#include "surfaces/mesh_feature.h"

#include "base/constants.h"
#include "geometry/sweep_linear.h"

/* Overlap of adjacent regions, as a share of the distance: far above rounding, far below a visible
 * turn of the normal. Smaller: paths slip between regions; larger: edges act where a face is
 * nearest. */
#define OVERLAP_SHARE 1e-9
/* Rounding of points, as a share of the largest coordinate, with a margin for long paths. */
#define POINT_ROUNDING 1e-14

uint32_t kg_mesh_edge_owner(const kg_mesh *mesh, uint32_t half)
{
    if (mesh->edge_owner) return mesh->edge_owner[half];
    uint32_t other = mesh->radial_next[half];
    return other < half ? other : half;
}

static uint32_t corner_of_vertex(const kg_mesh *mesh, uint32_t triangle, uint32_t vertex)
{
    const uint32_t *corner = mesh->corner + 3 * (size_t)triangle;
    return corner[0] == vertex ? 0 : corner[1] == vertex ? 1 : 2;
}

uint32_t kg_mesh_feature_of(const kg_mesh *mesh, uint32_t triangle, uint32_t part)
{
    if (part == KG_PART_FACE) return KG_PARTS * kg_mesh_facet_of(mesh, triangle);
    bool owned = mesh->collidable[triangle] & 1u << part; /* saves loads of scattered memory */
    if (owned) return KG_PARTS * triangle + part;
    if (part < KG_PART_VERTEX) {
        uint32_t half = kg_mesh_edge_owner(mesh, 3 * triangle + part - KG_PART_EDGE);
        return KG_PARTS * (half / 3) + KG_PART_EDGE + half % 3;
    }
    uint32_t vertex = mesh->corner[3 * triangle + part - KG_PART_VERTEX],
             owner = mesh->owner[vertex];
    if (owner == KG_NONE) return KG_PARTS * triangle + part;
    return KG_PARTS * owner + KG_PART_VERTEX + corner_of_vertex(mesh, owner, vertex);
}

void kg_mesh_corners_normal(const kg_mesh *mesh, const uint32_t corner[3], double normal[3])
{
    static const double up[3] = {0, 0, 1};
    const double *point = kg_mesh_vertex(mesh, corner[0]);
    double e[3], f[3], cross[3];
    kg_sub3(e, kg_mesh_vertex(mesh, corner[1]), point);
    kg_sub3(f, kg_mesh_vertex(mesh, corner[2]), point);
    kg_cross3(cross, e, f);
    kg_normalize3(normal, cross, up);
    for (int k = 0; k < 3; ++k) normal[k] += 0.0; /* -0 becomes +0 */
}

/* The plane of a triangle's facet. */
static void set_plane(const kg_mesh *mesh, uint32_t triangle, double point[3], double normal[3])
{
    const uint32_t *corner = mesh->corner + 3 * (size_t)kg_mesh_facet_of(mesh, triangle);
    kg_copy3(point, kg_mesh_vertex(mesh, corner[0]));
    kg_mesh_corners_normal(mesh, corner, normal);
}

/* The edge as a vector from its lower vertex, so that all triangles around it use the same bits. */
static void set_edge(const kg_mesh *mesh, uint32_t half, double point[3], double edge[3])
{
    uint32_t a = kg_mesh_start(mesh, half), b = kg_mesh_end(mesh, half);
    const double *low = kg_mesh_vertex(mesh, a < b ? a : b);
    kg_sub3(edge, kg_mesh_vertex(mesh, a < b ? b : a), low);
    kg_copy3(point, low);
}

void kg_mesh_set_site(kg_mesh_site *site, const kg_mesh *mesh, uint32_t triangle, uint32_t part)
{
    *site = (kg_mesh_site){.mesh = mesh, .triangle = triangle, .part = part};
    if (part == KG_PART_FACE) {
        set_plane(mesh, triangle, site->point, site->along);
    } else if (part < KG_PART_VERTEX) {
        uint32_t half = 3 * triangle + part - KG_PART_EDGE;
        double edge[3];
        set_edge(mesh, half, site->point, edge);
        kg_normalize3(site->along, edge, kg_zero3);
        site->length = kg_length3(edge);
    } else {
        uint32_t vertex = mesh->corner[3 * triangle + part - KG_PART_VERTEX];
        kg_copy3(site->point, kg_mesh_vertex(mesh, vertex));
    }
}

/* The half-space on the triangle's side of its edge `half`. Its border is perpendicular to the
 * facet. */
static void set_inner_side(const kg_mesh *mesh, uint32_t half, const double normal[3],
                           kg_mesh_half_space *side)
{
    double edge[3], d[3];
    set_edge(mesh, half, side->point, edge);
    kg_cross3(side->inward, normal, edge);
    uint32_t opposite = mesh->corner[half / 3 * 3 + (half + 2) % 3];
    kg_sub3(d, kg_mesh_vertex(mesh, opposite), side->point);
    if (kg_dot3(side->inward, d) < 0) kg_scale3(side->inward, side->inward, -1);
}

/* The half-edge of the longest edge of a triangle. */
static uint32_t longest_half(const kg_mesh *mesh, uint32_t triangle)
{
    double longest = -1;
    uint32_t found = 3 * triangle;
    for (uint32_t half = 3 * triangle; half < 3 * triangle + 3; ++half) {
        double d[3];
        kg_mesh_along(mesh, half, d);
        double squared = kg_dot3(d, d);
        if (squared > longest) longest = squared, found = half;
    }
    return found;
}

/* The points on the inner side of an end of a half-edge. */
static void set_end(const kg_mesh *mesh, uint32_t half, bool at_end, kg_mesh_half_space *side)
{
    const double *start = kg_mesh_vertex(mesh, kg_mesh_start(mesh, half)),
                 *end = kg_mesh_vertex(mesh, kg_mesh_end(mesh, half));
    kg_sub3(side->inward, at_end ? start : end, at_end ? end : start);
    kg_copy3(side->point, at_end ? end : start);
}

/* The region of a face is the prism over the triangle, cut at the ends of its longest edge. Without
 * the cut the tolerance would widen the prism far beyond a corner with a small angle. The cursor is
 * 0 to 2 for the edges, 3 for the first end of the longest one, then 4 + its corner, and 7. */
static bool next_of_face(const kg_mesh_site *site, uint32_t *cursor, kg_mesh_half_space *side)
{
    const kg_mesh *mesh = site->mesh;
    uint32_t n = *cursor, first = 3 * site->triangle;
    if (n == 7) return false;
    if (n < 3) {
        set_inner_side(mesh, first + n, site->along, side);
        *cursor += 1;
        return true;
    }
    uint32_t half = n == 3 ? longest_half(mesh, site->triangle) : first + n - 4;
    set_end(mesh, half, n > 3, side);
    *cursor = n == 3 ? 4 + half - first : 7;
    return true;
}

/* The region of an edge lies between its ends and outside the prism of each triangle around it. The
 * cursor is 0 and 1 for the ends, 2 for the first triangle, then 3 + the last half-edge visited. */
static bool next_of_edge(const kg_mesh_site *site, uint32_t *cursor, kg_mesh_half_space *side)
{
    const kg_mesh *mesh = site->mesh;
    if (*cursor < 2) {
        bool far = (*cursor)++;
        kg_add_scaled3(side->point, site->point, far ? site->length : 0, site->along);
        kg_scale3(side->inward, site->along, far ? -1 : 1);
        return true;
    }
    uint32_t first = 3 * site->triangle + site->part - KG_PART_EDGE;
    uint32_t half = *cursor == 2 ? first : mesh->radial_next[*cursor - 3];
    if (*cursor > 2 && half == first) return false;
    *cursor = half + 3;
    double point[3], normal[3];
    set_plane(mesh, half / 3, point, normal);
    set_inner_side(mesh, half, normal, side);
    kg_scale3(side->inward, side->inward, -1);
    return true;
}

/* The region of a vertex lies beyond the end of each of its edges. */
static bool next_of_vertex(const kg_mesh_site *site, uint32_t *cursor, kg_mesh_half_space *side)
{
    const kg_mesh *mesh = site->mesh;
    uint32_t vertex = mesh->corner[3 * site->triangle + site->part - KG_PART_VERTEX];
    uint32_t at = mesh->adjacent_start[vertex] + *cursor;
    if (at >= mesh->adjacent_start[vertex + 1]) return false;
    *cursor += 1;
    kg_copy3(side->point, site->point);
    kg_sub3(side->inward, site->point, kg_mesh_vertex(mesh, mesh->adjacent[at]));
    return true;
}

bool kg_mesh_next_half_space(const kg_mesh_site *site, uint32_t *cursor, kg_mesh_half_space *space)
{
    if (site->part == KG_PART_FACE) return next_of_face(site, cursor, space);
    if (site->part < KG_PART_VERTEX) return next_of_edge(site, cursor, space);
    return next_of_vertex(site, cursor, space);
}

double kg_mesh_tolerance(const kg_mesh *mesh, const double x[3], double distance)
{
    double magnitude = kg_max(kg_max_abs3(x), mesh->largest_coordinate);
    return OVERLAP_SHARE * distance + POINT_ROUNDING * magnitude;
}

/* True if the foot of x on the plane of a face is inside the triangle: then x is in the region,
 * because the cuts at the ends of the longest edge do not pass through the triangle. */
static bool is_well_over(const kg_mesh_site *face, const double x[3])
{
    const uint32_t *corner = face->mesh->corner + 3 * (size_t)face->triangle;
    double part[3]; /* twice the area between the foot and an edge, m^2 */
    for (int k = 0; k < 3; ++k) {
        const double *start = kg_mesh_vertex(face->mesh, corner[k]);
        double edge[3], d[3], cross[3];
        kg_sub3(edge, kg_mesh_vertex(face->mesh, corner[(k + 1) % 3]), start);
        kg_sub3(d, x, start);
        kg_cross3(cross, edge, d);
        part[k] = kg_dot3(face->along, cross);
    }
    return (part[0] > 0 && part[1] > 0 && part[2] > 0) ||
           (part[0] < 0 && part[1] < 0 && part[2] < 0);
}

bool kg_mesh_site_contains(const kg_mesh_site *site, const double x[3], double tolerance)
{
    kg_mesh_half_space space;
    if (site->part == KG_PART_FACE && is_well_over(site, x)) return true;
    for (uint32_t cursor = 0; kg_mesh_next_half_space(site, &cursor, &space);) {
        double d[3];
        kg_sub3(d, x, space.point);
        double inside = kg_dot3(space.inward, d);
        if (inside < 0 &&
            inside * inside > tolerance * tolerance * kg_dot3(space.inward, space.inward))
            return false;
    }
    return true;
}

double kg_mesh_part_clearance(const kg_mesh *mesh, uint32_t triangle, uint32_t part,
                              const double x[3], double radius, double enough)
{
    kg_mesh_site site;
    kg_mesh_half_space space;
    double d[3];
    kg_mesh_set_site(&site, mesh, triangle, part);
    kg_sub3(d, x, site.point);
    double along = part < KG_PART_VERTEX ? kg_dot3(d, site.along) : 0;
    if (part >= KG_PART_EDGE) kg_add_scaled3(d, d, -along, site.along);
    double distance = part < KG_PART_EDGE ? kg_abs(along) : kg_length3(d),
           clearance = distance - radius,
           tolerance = kg_mesh_tolerance(mesh, x, kg_max(distance, radius));
    for (uint32_t cursor = 0;
         clearance < enough && kg_mesh_next_half_space(&site, &cursor, &space);) {
        kg_sub3(d, x, space.point);
        double outside = -kg_dot3(space.inward, d) / kg_length3(space.inward) - tolerance;
        clearance = outside > clearance ? outside : clearance;
    }
    return clearance;
}

static bool is_in_front_of(const kg_mesh *mesh, uint32_t triangle, const double x[3],
                           double tolerance)
{
    double point[3], normal[3], d[3];
    set_plane(mesh, triangle, point, normal);
    kg_sub3(d, x, point);
    return kg_dot3(normal, d) >= -tolerance;
}

static bool edge_is_in_front(const kg_mesh_site *site, const double x[3], double tolerance)
{
    const kg_mesh *mesh = site->mesh;
    uint32_t first = 3 * site->triangle + site->part - KG_PART_EDGE, half = first;
    if (mesh->radial_next[first] == first) return true;
    do {
        if (is_in_front_of(mesh, half / 3, x, tolerance)) return true;
        half = mesh->radial_next[half];
    } while (half != first);
    return false;
}

/* True if x is in front of some triangle around the vertex. The walk passes from triangle to
 * triangle over shared edges. Also true if an edge around the vertex is open or branching, or if
 * the vertex has several fans of triangles: then the surface around it has no inside. */
static bool vertex_is_in_front(const kg_mesh_site *site, const double x[3], double tolerance)
{
    const kg_mesh *mesh = site->mesh;
    uint32_t corner = 3 * site->triangle + site->part - KG_PART_VERTEX;
    uint32_t vertex = mesh->corner[corner], triangle = site->triangle, half = corner, count = 0;
    uint32_t edges = mesh->adjacent_start[vertex + 1] - mesh->adjacent_start[vertex];
    do { /* half: the edge over which the walk leaves the triangle */
        if (is_in_front_of(mesh, triangle, x, tolerance)) return true;
        uint32_t other = mesh->radial_next[half];
        if (other == half || mesh->radial_next[other] != half || ++count > edges) return true;
        triangle = other / 3;
        uint32_t k = corner_of_vertex(mesh, triangle, vertex);
        uint32_t leaving = 3 * triangle + k, arriving = 3 * triangle + (k + 2) % 3;
        half = other == leaving ? arriving : leaving;
    } while (triangle != site->triangle);
    return count < edges;
}

bool kg_mesh_is_in_front(const kg_mesh_site *site, const double x[3], double tolerance)
{
    if (!site->mesh->one_sided || site->part == KG_PART_FACE) return true;
    return site->part < KG_PART_VERTEX ? edge_is_in_front(site, x, tolerance)
                                       : vertex_is_in_front(site, x, tolerance);
}

double kg_mesh_height(const kg_mesh *mesh, uint32_t triangle, const double x[3], double normal[3])
{
    double d[3], point[3];
    set_plane(mesh, triangle, point, normal);
    kg_sub3(d, x, point);
    return kg_dot3(normal, d);
}

bool kg_mesh_is_over(const kg_mesh *mesh, uint32_t triangle, const double x[3], double height,
                     const double normal[3])
{
    kg_mesh_site face = {.mesh = mesh, .triangle = triangle, .part = KG_PART_FACE};
    kg_copy3(face.along, normal);
    return kg_mesh_site_contains(&face, x, 0.25 * kg_mesh_tolerance(mesh, x, kg_abs(height)));
}

bool kg_mesh_is_border(const kg_mesh *mesh, uint32_t triangle, uint32_t k)
{
    uint32_t half = 3 * triangle + k, other = mesh->radial_next[half];
    return other == half || mesh->radial_next[other] != half ||
           mesh->facet[other / 3] != mesh->facet[triangle];
}

typedef struct foot_search {
    kg_mesh_site site;
    const double *x;
    double tolerance;
    bool any;        /* true: the first triangle found ends the search */
    uint32_t lowest; /* the lowest triangle found so far, or KG_NONE */
} foot_search;

static bool visit_foot(void *context, uint32_t triangle)
{
    foot_search *search = context;
    if (search->site.mesh->facet[triangle] != search->site.mesh->facet[search->site.triangle])
        return true;
    kg_mesh_site face = search->site;
    face.triangle = triangle;
    if (triangle < search->lowest && kg_mesh_site_contains(&face, search->x, search->tolerance))
        search->lowest = triangle;
    return !search->any || search->lowest == KG_NONE;
}

/* The triangle of a facet that contains the foot of x on the plane: the site's triangle if it
 * contains the foot, else the lowest that does or, with `any`, the first one found. KG_NONE if none
 * does. */
static uint32_t find_in_facet(const kg_mesh_site *face, const double x[3], const double foot[3],
                              double tolerance, bool any)
{
    const kg_mesh *mesh = face->mesh;
    if (kg_mesh_site_contains(face, x, tolerance)) return face->triangle;
    double low[3], high[3], margin = 2 * tolerance + mesh->facet_thickness;
    for (int k = 0; k < 3; ++k) low[k] = foot[k] - margin, high[k] = foot[k] + margin;
    foot_search search = {*face, x, tolerance, any, KG_NONE};
    kg_mesh_find_near(mesh, low, high, 0, visit_foot, &search);
    return search.lowest;
}

/* Distance of x from the facet's plane, m, and the unit normal from x into the plane. The distance
 * is below 0 behind a one-sided facet. */
static double measure_facet(const kg_mesh_site *face, const double x[3], double normal[3])
{
    double d[3];
    kg_sub3(d, x, face->point);
    double height = kg_dot3(face->along, d);
    bool back = height < 0 && !face->mesh->one_sided;
    kg_scale3(normal, face->along, back ? 1 : -1);
    return back ? -height : height;
}

static bool facet_is_nearest(const kg_mesh_site *face, const double x[3], double height,
                             double depth, const double normal[3])
{
    if (height < -depth) return false;
    double foot[3];
    kg_add_scaled3(foot, x, height, normal);
    double tolerance = kg_mesh_tolerance(face->mesh, x, kg_abs(height));
    return find_in_facet(face, x, foot, tolerance, true) != KG_NONE;
}

uint32_t kg_mesh_facet_triangle(const kg_mesh *mesh, uint32_t triangle, const double x[3])
{
    kg_mesh_site face;
    double normal[3], foot[3];
    kg_mesh_set_site(&face, mesh, triangle, KG_PART_FACE);
    double height = measure_facet(&face, x, normal);
    kg_add_scaled3(foot, x, height, normal);
    double tolerance = kg_mesh_tolerance(mesh, x, kg_abs(height));
    uint32_t found = find_in_facet(&face, x, foot, tolerance, false);
    return found == KG_NONE ? triangle : found;
}

/* Distance of x from an edge or vertex, m, and the unit normal from x into it. The site of a vertex
 * has length 0 and the direction 0. */
static double measure_edge_or_vertex(const kg_mesh_site *site, const double x[3], double normal[3])
{
    double d[3], point[3], plane[3];
    kg_sub3(d, x, site->point);
    double s = kg_dot3(d, site->along);
    s = s < 0 ? 0 : s > site->length ? site->length : s;
    kg_add_scaled3(d, d, -s, site->along);
    kg_scale3(d, d, -1);
    set_plane(site->mesh, site->triangle, point, plane);
    kg_scale3(plane, plane, -1);
    kg_normalize3(normal, d, plane);
    return kg_length3(d);
}

bool kg_mesh_sharp_site_is_nearest(const kg_mesh_site *site, const double x[3], double distance)
{
    double tolerance = kg_mesh_tolerance(site->mesh, x, distance);
    return site->mesh->collidable[site->triangle] & 1u << site->part &&
           kg_mesh_site_contains(site, x, tolerance) && kg_mesh_is_in_front(site, x, tolerance);
}

/* Distance of x from the plane, line or point of a feature, m; sets the feature's site and normal.
 * KG_NEVER for a feature of a dropped triangle. */
static double measure_feature(const kg_mesh *mesh, uint32_t feature, const double x[3],
                              kg_mesh_site *site, double normal[3])
{
    kg_set3(normal, 0, 0, -1);
    if (!kg_mesh_has_area(mesh, feature / KG_PARTS)) return KG_NEVER;
    feature = kg_mesh_feature_of(mesh, feature / KG_PARTS, feature % KG_PARTS);
    kg_mesh_set_site(site, mesh, feature / KG_PARTS, feature % KG_PARTS);
    return site->part == KG_PART_FACE ? measure_facet(site, x, normal)
                                      : measure_edge_or_vertex(site, x, normal);
}

double kg_mesh_feature_normal(const kg_mesh *mesh, uint32_t feature, const double x[3],
                              double normal[3])
{
    kg_mesh_site site;
    return measure_feature(mesh, feature, x, &site, normal);
}

double kg_mesh_feature_distance(const kg_mesh *mesh, uint32_t feature, const double x[3],
                                double depth, double normal[3])
{
    kg_mesh_site site;
    double distance = measure_feature(mesh, feature, x, &site, normal);
    if (distance >= KG_NEVER) return KG_NEVER;
    bool is_nearest = site.part == KG_PART_FACE
                          ? facet_is_nearest(&site, x, distance, depth, normal)
                          : kg_mesh_sharp_site_is_nearest(&site, x, distance);
    return is_nearest ? distance : KG_NEVER;
}
