/* The handles of kugel/kugel.hpp: what they own is freed once, moved, and never used too early or
 * too late; errors are exceptions; lists are complete. Prints the hash of the world. */
#ifdef SINGLE_FILE
#include "kugel.hpp"
#else
#include <kugel/kugel.hpp>
#endif
#include <cstdio>
#include <cstdlib>
#include <cstring>
#if __cplusplus >= 202002L
#include <span>
#endif

static_assert(!std::is_copy_constructible_v<kugel::world> &&
              !std::is_copy_assignable_v<kugel::world>);
static_assert(std::is_nothrow_move_constructible_v<kugel::world> &&
              std::is_nothrow_move_constructible_v<kugel::player> &&
              std::is_nothrow_move_assignable_v<kugel::recorder> &&
              std::is_nothrow_move_assignable_v<kugel::ranks>);
static_assert(std::is_convertible_v<const kugel::world &, const kugel_world *>);
static_assert(!std::is_convertible_v<kugel::world, kugel_world *>, "a pointer to a lost world");
static_assert(!std::is_convertible_v<kugel_world *, kugel::world>, "ownership without a word");
static_assert(!std::is_convertible_v<kugel::recorder &, kugel_world *>);
static_assert(std::is_base_of_v<std::runtime_error, kugel::error>);

/* handles of bodies and surfaces are types of their own, that convert to numbers only */
static_assert(!std::is_convertible_v<kugel_surface, kugel_body> &&
              !std::is_convertible_v<kugel_body, kugel_surface> &&
              !std::is_convertible_v<std::uint64_t, kugel_body> &&
              std::is_convertible_v<kugel_surface, std::uint64_t>);
static_assert(sizeof(kugel_body) == 8 && sizeof(kugel_surface) == 8);

static int blocks; /* of memory in use */

static void require(bool condition, const char *what)
{
    if (condition) return;
    std::fprintf(stderr, "handles: %s\n", what);
    std::exit(1);
}

static void *take(void *, std::size_t size) { return ++blocks, std::malloc(size); }
static void *resize(void *, void *block, std::size_t, std::size_t size)
{
    return std::realloc(block, size);
}
static void release(void *, void *block, std::size_t) { --blocks, std::free(block); }

/* The error that a call throws. */
template <class Call> static kugel::error thrown(Call call)
{
    try {
        call();
    } catch (const kugel::error &error) {
        return error;
    }
    require(false, "nothing was thrown");
    std::abort();
}

static kugel_world_def make_def()
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    def.allocator = {take, resize, release, nullptr};
    return def;
}

static kugel::world make_world()
{
    kugel::world world(make_def());
    const double up[3] = {0, 0, 1};
    kugel_surface_def ground = kugel_surface_def_plane(up, 0);
    kugel::check(kugel_surface_create(world, &ground, nullptr), world);
    for (int i = 0; i < 40; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.position[0] = 1.5 * i;
        ball.position[2] = 0.5 + 0.125 * i;
        kugel::check(kugel_body_create(world, &ball, nullptr), world);
    }
    return world;
}

static void test_errors(const kugel::world &world)
{
    kugel_world_def bad = make_def();
    bad.substeps = -1;
    kugel::error error = thrown([&] { kugel::world unborn(bad); });
    require(error.status() == KUGEL_ERROR_INVALID_ARGUMENT, "status of a bad def");
    require(!std::strcmp(error.argument(), "substeps"), "argument of a bad def");
    require(std::strstr(error.what(), "substeps ") == error.what(), "message of a bad def");

    error = thrown([&] { kugel::check(kugel_world_step(world, -1), world); });
    require(!std::strcmp(error.argument(), "dt"), "argument of a bad step");
    error = thrown([&] { kugel::check(KUGEL_ERROR_IO, world); });
    require(!std::strcmp(error.what(), kugel_status_text(KUGEL_ERROR_IO)), "another status");
    error = thrown([] { kugel::player player(kugel::bytes(100)); });
    require(error.status() == KUGEL_ERROR_FORMAT, "not a recording");
}

static void test_lists(const kugel::world &world)
{
    std::size_t begins = 0;
    for (const kugel_touch &touch : kugel::events(kugel_world_begin_events, world)) {
        require(touch.target == KUGEL_TARGET_SURFACE, "a ball touches the ground");
        ++begins;
    }
    kugel::view<kugel_touch> touches = kugel::events(kugel_world_begin_events, world);
    require(begins == 1 && touches.size() == 1 && !touches.empty(), "one ball begins to rest");
    require(touches[0].a == kugel_world_body(world, 0), "it is the lowest");
    require(kugel::events(kugel_world_impact_events, world).empty(), "the others fall");
#if __cplusplus >= 202002L
    std::span<const kugel_touch> span = touches;
    require(span.size() == 1 && &span[0] == touches.begin(), "a span");
#endif

    kugel_ray ray = {{-10, 0, 0.5}, {1, 0, 0}, 100};
    std::vector<kugel_ray_hit> hits = kugel::all(kugel_world_ray_all, world, &ray, nullptr);
    require(hits.size() == 5, "balls on a ray");
    double point[3] = {0, 0, 0};
    kugel_filter filter = kugel_filter_default();
    filter.targets = KUGEL_TARGETS_BODIES;
    auto near = kugel::all(kugel_world_nearest, world, point, 1000.0, &filter);
    require(near.size() == 40 && near[39].gap > near[0].gap, "more targets than the first array");
    near = kugel::all(kugel_world_nearest, world, point, 11.0, &filter);
    require(near.size() == 8, "targets that just fit the first array");
    require(kugel::all(kugel_world_contacts, world).size() == 1, "resting contacts");
    require(kugel::all(kugel_body_contacts, world, kugel_world_body(world, 1)).empty(), "none");
    require(kugel::all(kugel_world_moves, world).size() == 40, "moves");
    std::vector<kugel_move> moves = kugel::all(kugel_world_moves, world);
    require(moves.size() == 40 && moves[3].body == kugel_world_body(world, 3), "moves");
}

static void test_ownership(kugel::world world)
{
    kugel_world *pointer = world;
    kugel::world other = std::move(world);
    require(other == pointer && world == nullptr, "a move");
    require(kugel_world_step(world, 1) == KUGEL_ERROR_INVALID_ARGUMENT, "a moved handle is NULL");
    kugel::world copy = other.clone();
    require(copy != other && kugel_world_hash(copy) == kugel_world_hash(other), "a clone");
    kugel::bytes snapshot = other.save();
    kugel::check(kugel_world_step(copy, 0.25), copy);
    kugel::check(kugel_snapshot_restore(copy, snapshot.data(), snapshot.size()), copy);
    require(copy.save() == snapshot, "a restored snapshot");
    other = std::move(copy); /* frees the first world */
    kugel_world_destroy(other.release());
    require(other == nullptr, "a released world");
}

static void test_recording(kugel::world &world)
{
    {
        kugel::recorder dropped(world);
        kugel::error error = thrown([&] { kugel::recorder second(world); });
        require(error.status() == KUGEL_ERROR_STATE, "two recordings");
    }
    kugel::recorder moved(world);
    kugel::recorder recorder = std::move(moved);
    for (int k = 0; k < 20; ++k) kugel::check(kugel_world_step(world, 1.0 / 64), world);
    kugel::bytes recording = recorder.stop();
    require(thrown([&] { recorder.stop(); }).status() == KUGEL_ERROR_INVALID_ARGUMENT, "stopped");

    std::vector<kugel::player> players;
    for (int k = 0; k < 3; ++k) players.emplace_back(recording);
    players.erase(players.begin());
    require(kugel_player_seek(players[1], 20) == KUGEL_PLAY_TICK, "a seek");
    const kugel_world *played = kugel_player_world(players[1]);
    require(kugel_world_hash(played) == kugel_world_hash(world), "a played world");
    require(kugel::events(kugel_world_impact_events, played).size() ==
                kugel::events(kugel_world_impact_events, world).size(),
            "events of a played world");
}

static void test_ranks(kugel::world world)
{
    kugel_exchange exchange = {};
    exchange.count = 1;
    require(thrown([&] { kugel::ranks ranks(std::move(world), exchange); }).status() ==
                KUGEL_ERROR_INVALID_ARGUMENT,
            "an exchange without functions");
    require(world != nullptr, "a world that was not taken over");
    exchange.reduce = [](void *, kugel_reduction, std::uint64_t *, std::size_t) {
        return KUGEL_OK;
    };
    exchange.numbers = [](void *, const std::uint64_t *sent, std::uint64_t *received) {
        *received = *sent;
        return KUGEL_OK;
    };
    exchange.words = [](void *, const std::uint64_t *sent, const std::uint64_t *words,
                        std::uint64_t *received, const std::uint64_t *) {
        std::memcpy(received, sent, *words * sizeof *sent);
        return KUGEL_OK;
    };
    std::uint64_t tick = kugel_world_tick(world);
    kugel::ranks ranks(std::move(world), exchange);
    require(world == nullptr, "a world that was taken over");
    kugel::check(kugel_ranks_step(ranks, 0.25), kugel_ranks_world(ranks));
    require(kugel_world_tick(kugel_ranks_world(ranks)) == tick + 1, "a step on one rank");
}

int main()
{
    {
        kugel::world world = make_world();
        kugel::check(kugel_world_step(world, 1.0 / 64), world);
        test_errors(world);
        test_lists(world);
        test_ownership(world.clone());
        test_recording(world);
        test_ranks(world.clone());
        std::printf("%016llx\n", static_cast<unsigned long long>(kugel_world_hash(world)));
    }
    require(blocks == 0, "memory is left");
    return 0;
}
