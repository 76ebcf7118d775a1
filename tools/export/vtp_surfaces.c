/* See vtp_surfaces.h. */
#include "vtp_surfaces.h"

#include "format.h"
#include "surface_place.h"

/* All surfaces as one mesh. */
typedef struct mesh {
    uint64_t vertices, triangles;
    double *points;    /* [3 * vertices], m, in the world */
    int64_t *corners;  /* [3 * triangles] */
    int64_t *ends;     /* [triangles]: 3, 6, 9 ... */
    uint32_t *surface; /* [triangles] */
} mesh;

static bool get(const kugel_world *world, uint32_t index, kugel_surface_def *def)
{
    return kugel_surface_get(world, kugel_world_surface(world, index), def, NULL) == KUGEL_OK;
}

/* FNV-1a of indices and places. */
uint64_t vtp_surfaces_places(const kugel_world *world)
{
    uint64_t hash = 0;
    kugel_surface_def def;
    for (uint32_t s = 0; s < kugel_world_surface_end(world); ++s) {
        if (!get(world, s, &def) || !def.triangle_count) continue;
        double numbers[9] = {s, def.triangle_count};
        memcpy(numbers + 2, def.position, sizeof def.position);
        memcpy(numbers + 5, def.rotation, sizeof def.rotation);
        if (!hash) hash = 0xcbf29ce484222325u;
        for (size_t k = 0; k < sizeof numbers; ++k)
            hash = (hash ^ ((unsigned char *)numbers)[k]) * 0x100000001b3u;
    }
    return hash;
}

static bool reserve(mesh *all, const kugel_world *world)
{
    kugel_surface_def def;
    for (uint32_t s = 0; s < kugel_world_surface_end(world); ++s) {
        if (!get(world, s, &def)) continue;
        all->vertices += def.vertex_count;
        all->triangles += def.triangle_count;
    }
    all->points = malloc(all->vertices * sizeof(double[3]));
    all->corners = malloc(all->triangles * sizeof(int64_t[3]));
    all->ends = malloc(all->triangles * sizeof *all->ends);
    all->surface = malloc(all->triangles * sizeof *all->surface);
    return all->points && all->corners && all->ends && all->surface;
}

static void fill(mesh *all, const kugel_world *world)
{
    uint64_t vertex = 0, triangle = 0;
    kugel_surface_def def;
    for (uint32_t s = 0; s < kugel_world_surface_end(world); ++s) {
        if (!get(world, s, &def)) continue;
        for (uint64_t c = 0; c < 3 * (uint64_t)def.triangle_count; ++c)
            all->corners[3 * triangle + c] = (int64_t)(vertex + def.triangles[c]);
        for (uint32_t t = 0; t < def.triangle_count; ++t, ++triangle)
            all->ends[triangle] = (int64_t)(3 * triangle + 3), all->surface[triangle] = s;
        for (uint32_t v = 0; v < def.vertex_count; ++v, ++vertex)
            surface_place(&def, def.vertices + 3 * (uint64_t)v, all->points + 3 * vertex);
    }
}

static void write_block(FILE *to, const void *values, size_t size, uint64_t count)
{
    uint64_t bytes = size * count;
    write_numbers(to, &bytes, 8, 1);
    write_numbers(to, values, size, count);
}

static void write_mesh(FILE *to, const mesh *m, double time)
{
    typedef unsigned long long ull;
    uint64_t points = 8 + 24 * m->vertices, surface = 8 + 4 * m->triangles,
             corners = 8 + 24 * m->triangles;
    fprintf(to,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
            "<PolyData>\n<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" "
            "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray></FieldData>\n"
            "<Piece NumberOfPoints=\"%llu\" NumberOfPolys=\"%llu\">\n<Points>\n"
            "<DataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\" "
            "format=\"appended\" offset=\"0\"/>\n</Points>\n<CellData Scalars=\"surface\">\n"
            "<DataArray type=\"UInt32\" Name=\"surface\" format=\"appended\" offset=\"%llu\"/>\n"
            "</CellData>\n<Polys>\n"
            "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"appended\" "
            "offset=\"%llu\"/>\n"
            "<DataArray type=\"Int64\" Name=\"offsets\" format=\"appended\" offset=\"%llu\"/>\n"
            "</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_",
            time, (ull)m->vertices, (ull)m->triangles, (ull)points, (ull)(points + surface),
            (ull)(points + surface + corners));
    write_block(to, m->points, 8, 3 * m->vertices);
    write_block(to, m->surface, 4, m->triangles);
    write_block(to, m->corners, 8, 3 * m->triangles);
    write_block(to, m->ends, 8, m->triangles);
    fputs("\n</AppendedData>\n</VTKFile>\n", to);
}

bool vtp_surfaces_write(FILE *to, const kugel_world *world, double time)
{
    mesh all = {0};
    bool good = reserve(&all, world);
    if (good) {
        fill(&all, world);
        write_mesh(to, &all, time);
    } else errno = ENOMEM;
    free(all.points);
    free(all.corners);
    free(all.ends);
    free(all.surface);
    return good && !ferror(to);
}
