/** @file
 * C++17: handles that own worlds, players, recorders and ranks, and errors as exceptions. A handle
 * converts to the pointer of the C functions, which do all else:
 *
 *     kugel::world world(def);
 *     kugel::check(kugel_world_step(world, 1.0 / 60), world);
 *     for (const kugel_impact &hit : kugel::events(kugel_world_impact_events, world)) ...
 *     auto hits = kugel::all(kugel_world_ray_all, world, &ray, nullptr);
 *
 * Errors are exceptions because a constructor has no other way to fail, and because what fails is
 * rare: an argument out of range, no memory, a damaged file. A host that expects an error compares
 * the status of the C function. A callback must not throw: its caller is C. A handle that was
 * moved from converts to NULL, which the C functions refuse. kugel_body and kugel_surface are
 * different types in C++. */
#ifndef KUGEL_HPP
#define KUGEL_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kugel.h"

/// Handles, errors and lists for C++ (kugel/kugel.hpp).
namespace kugel {

/// A call that failed. what() is the argument and the message of the kugel_error, or the text of
/// the status if there is none.
class error : public std::runtime_error {
public:
    /// The exception of a kugel_error.
    explicit error(const kugel_error &value) : std::runtime_error(text(value)), value_(value) {}

    /// The kind of error.
    kugel_status status() const noexcept { return value_.status; }
    /// Name of the argument or field, as "def.radius"; "" if there is none.
    const char *argument() const noexcept { return value_.argument; }

private:
    static std::string text(const kugel_error &value)
    {
        if (!value.message[0]) return kugel_status_text(value.status);
        return (value.argument[0] ? std::string(value.argument) + " " : std::string()) +
               value.message;
    }

    kugel_error value_;
};

/// Throw kugel::error unless a status is KUGEL_OK.
/// @param world the world of the call, whose last error names argument and message; NULL for a call
/// that takes a const world or none, and sets no last error.
inline void check(kugel_status status, const kugel_world *world = nullptr)
{
    if (status == KUGEL_OK) return;
    const kugel_error *last = kugel_world_last_error(world);
    kugel_error value = {};
    value.status = status;
    throw error(last && last->status == status ? *last : value);
}

/// The events of a step, where the world has them: valid as long as the array (kugel/events.h).
template <class Event> class view {
public:
    /// A view of `count` events.
    view(const Event *first, std::size_t count) noexcept : first_(first), count_(count) {}

    /// The first event.
    const Event *begin() const noexcept { return first_; }
    /// The end of the array.
    const Event *end() const noexcept { return first_ + count_; }
    /// The number of events.
    std::size_t size() const noexcept { return count_; }
    /// True if there are none.
    bool empty() const noexcept { return count_ == 0; }
    /// An event; the index must be below size().
    const Event &operator[](std::size_t index) const noexcept { return first_[index]; }

private:
    const Event *first_;
    std::size_t count_;
};

/// The events that a function of kugel/events.h returns, as
/// events(kugel_world_impact_events, world).
template <class Event>
view<Event> events(const Event *(*function)(const kugel_world *, std::size_t *, std::size_t),
                   const kugel_world *world)
{
    std::size_t count = 0;
    const Event *first = function(world, &count, sizeof(Event));
    return {first, count};
}

/// All results of a function whose last parameters are a capacity, an array, a count and the size
/// of a row: queries and contacts. The other arguments follow, as in all(kugel_world_ray_all,
/// world, &ray, nullptr).
template <class... Parameters, class... Arguments>
auto all(kugel_status (*function)(Parameters...), const Arguments &...arguments)
{
    using array = std::tuple_element_t<sizeof...(Arguments) + 1, std::tuple<Parameters...>>;
    using row = std::remove_pointer_t<array>;
    std::vector<row> rows(8);
    for (;;) {
        std::size_t count = 0;
        if constexpr (sizeof...(Parameters) == sizeof...(Arguments) + 4)
            check(function(arguments..., rows.size(), rows.data(), &count, sizeof(row)));
        else check(function(arguments..., rows.size(), rows.data(), &count)); /* handles */
        bool complete = count < rows.size(); /* kugel_world_nearest counts what it wrote */
        rows.resize(complete ? count : count + rows.size());
        if (complete) return rows;
    }
}

/// The rows that kugel_world_moves or kugel_world_surface_moves copies.
template <class Row>
std::vector<Row> all(std::uint32_t (*function)(const kugel_world *, std::uint32_t, Row *,
                                               std::size_t),
                     const kugel_world *world)
{
    std::vector<Row> rows(function(world, 0, nullptr, sizeof(Row)));
    function(world, static_cast<std::uint32_t>(rows.size()), rows.data(), sizeof(Row));
    return rows;
}

/// A snapshot or a recording.
using bytes = std::vector<unsigned char>;

/// Owns an object of the library, and what the object uses: move-only.
template <class Object, auto destroy, class Used = std::tuple<>> class owner {
public:
    /// The object for C functions; NULL after a move.
    operator Object *() const &noexcept { return object_.get(); }
    /// A temporary handle would destroy the object at once.
    operator Object *() const && = delete;

protected:
    /// Own an object that was created.
    explicit owner(Object *object, Used used = {}) noexcept : object_(object, {std::move(used)}) {}

    /// Calls `destroy`, and then releases what the object used.
    struct deleter {
        Used used; ///< released after the object
        /// Destroy an object.
        void operator()(Object *object) const noexcept { destroy(object); }
    };
    std::unique_ptr<Object, deleter> object_; ///< the object
};

/// A world.
class world : public owner<kugel_world, kugel_world_destroy> {
public:
    /// Own a world that a C function created.
    explicit world(kugel_world *created) noexcept : owner(created) {}

    /// kugel_world_create. The error of an invalid def names its field.
    explicit world(const kugel_world_def &def) : owner(create(def)) {}

    /// kugel_world_clone.
    world clone() const
    {
        kugel_world *copy;
        check(kugel_world_clone(*this, &copy));
        return world(copy);
    }

    /// kugel_snapshot_save.
    bytes save() const
    {
        std::size_t size = 0;
        check(kugel_snapshot_save(*this, true, nullptr, 0, &size));
        bytes snapshot(size);
        check(kugel_snapshot_save(*this, true, snapshot.data(), snapshot.size(), &size));
        snapshot.resize(size);
        return snapshot;
    }

    /// Give the world away: the caller destroys it.
    kugel_world *release() noexcept { return object_.release(); }

private:
    static kugel_world *create(const kugel_world_def &def)
    {
        kugel_world *created;
        kugel_status status = kugel_world_create(&def, &created);
        kugel_error value;
        if (status != KUGEL_OK && kugel_world_def_check(&def, &value) == status) throw error(value);
        check(status);
        return created;
    }
};

/// Records a world. Stop or destroy it before the world is destroyed.
class recorder : owner<kugel_world, kugel_world_recording_stop, std::unique_ptr<bytes>> {
public:
    /// kugel_world_recording_start. Where `def` has no `write`, the recorder keeps the bytes.
    explicit recorder(kugel_world *world, kugel_recording_def def = kugel_recording_def_default())
        : owner(nullptr, std::make_unique<bytes>())
    {
        if (!def.write) def.write = append, def.user = object_.get_deleter().used.get();
        check(kugel_world_recording_start(world, &def), world);
        object_.reset(world);
    }

    /// kugel_world_recording_stop. @return the bytes that the recorder kept.
    bytes stop()
    {
        kugel_world *world = object_.release();
        check(kugel_world_recording_stop(world), world);
        return std::move(*object_.get_deleter().used);
    }

private:
    static bool append(void *user, const void *data, std::size_t size)
    try {
        const unsigned char *first = static_cast<const unsigned char *>(data);
        bytes *kept = static_cast<bytes *>(user);
        kept->insert(kept->end(), first, first + size);
        return true;
    } catch (const std::exception &) {
        return false;
    }
};

/// Plays a recording, which it keeps.
class player : public owner<kugel_player, kugel_player_close, bytes> {
public:
    /// kugel_player_open. @param threads of the played world, 1 ... 256. @param limits 0: defaults.
    explicit player(bytes recording, std::uint32_t threads = 1, kugel_limits limits = {})
        : owner{open(recording, threads, limits), std::move(recording)} /* braces keep this order */
    {
    }

private:
    static kugel_player *open(const bytes &data, std::uint32_t threads, const kugel_limits &limits)
    {
        kugel_player *opened;
        kugel_error value;
        if (kugel_player_open(data.data(), data.size(), &limits, nullptr, threads, &opened, &value))
            throw error(value);
        return opened;
    }
};

/// This rank's part of a world.
class ranks : public owner<kugel_ranks, kugel_ranks_destroy> {
public:
    /// kugel_ranks_create, which takes the world over. On an error `whole` keeps it.
    ranks(world &&whole, const kugel_exchange &exchange) : owner(create(whole, exchange))
    {
        whole.release();
    }

private:
    static kugel_ranks *create(const world &whole, const kugel_exchange &exchange)
    {
        kugel_ranks *created;
        check(kugel_ranks_create(whole, &exchange, &created), whole);
        return created;
    }
};

} // namespace kugel

#endif
