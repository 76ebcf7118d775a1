/** @file
 * Version numbers and the export macro. */
#ifndef KUGEL_VERSION_H
#define KUGEL_VERSION_H

/// @defgroup version Version
/// Numbers of the library, and the export macro.
/// @{

#define KUGEL_VERSION_MAJOR 0        ///< library version, semantic versioning
#define KUGEL_VERSION_MINOR 1        ///< additions to the API
#define KUGEL_VERSION_PATCH 0        ///< fixes
#define KUGEL_VERSION_STRING "0.1.0" ///< major, minor and patch as text

/// A number that changes when the bits of a run change. Recordings replay bit for bit within one
/// epoch.
#define KUGEL_PHYSICS_EPOCH 33

/// @cond
#if defined(_WIN32)
#define KUGEL_API
#else
#define KUGEL_API __attribute__((visibility("default")))
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
