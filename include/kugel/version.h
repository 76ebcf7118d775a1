/** @file
 * Version numbers, growth of structs, and the export macro.
 *
 * A program works with a later library of the same soname than the one that it was compiled for.
 * Structs grow at their end only:
 * - Structs with a `cookie` have their size in it, which the default function sets. Members that
 *   the caller's struct lacks have their defaults; a member that the library's struct lacks must be
 *   0, else the call gives KUGEL_ERROR_UNINITIALIZED_DEF.
 * - Functions with a macro of their name at the end of a header receive the sizes of the caller's
 *   structs, in bytes, as their last arguments: the macro adds them. In an array a size is
 *   the distance of two rows. Members that the caller's struct lacks are not written; members that
 *   the library's struct lacks become 0. Where a function reads a struct, members that the caller's
 *   lacks count as 0.
 * - All other structs never change.
 *
 * A struct that the library passes to a callback, or to which it returns a pointer, may be longer
 * than in the headers. Enums have 32 bits; their numbers never change, and later libraries may
 * return further ones. A program that passes the sizes itself, as one in another language, defines
 * KUGEL_PASS_SIZES. */
#ifndef KUGEL_VERSION_H
#define KUGEL_VERSION_H

#include <stddef.h>
#include <stdint.h>

/// @defgroup version Version
/// Numbers of the library, growth of structs, and the export macro.
/// @{

#define KUGEL_VERSION_MAJOR 0        ///< library version, semantic versioning
#define KUGEL_VERSION_MINOR 1        ///< additions to the API
#define KUGEL_VERSION_PATCH 0        ///< fixes
#define KUGEL_VERSION_STRING "0.1.0" ///< major, minor and patch as text

/// A number that changes when the bits of a run change. Recordings replay bit for bit within one
/// epoch.
#define KUGEL_PHYSICS_EPOCH 33

/// @cond
/* An enum of 32 bits, whatever the compiler and the later members. */
#ifdef __cplusplus
#define KUGEL_ENUM(name) enum name : uint32_t
#else
#define KUGEL_ENUM(name)                                                                           \
    typedef uint32_t name;                                                                         \
    enum
#endif

#if defined(_WIN32) && defined(KUGEL_EXPORTS) /* the library compiles itself as a DLL */
#define KUGEL_API __declspec(dllexport)
#elif defined(_WIN32)
#define KUGEL_API
#else
#define KUGEL_API __attribute__((visibility("default")))
#endif

/* In C++ each kind of handle is a type of its own: it converts to a number, but no number and no
 * handle of another kind converts to it. */
#if defined(__cplusplus) && (__cplusplus >= 201103L || defined(_MSC_VER))
#define KUGEL_HANDLE(name) enum name : uint64_t {}
#else
#define KUGEL_HANDLE(name) typedef uint64_t name
#endif

#ifdef __cplusplus
#define KUGEL_BEGIN_DECLS extern "C" {
#define KUGEL_END_DECLS }
#else
#define KUGEL_BEGIN_DECLS
#define KUGEL_END_DECLS
#endif
/// @endcond

/// @}

#endif
