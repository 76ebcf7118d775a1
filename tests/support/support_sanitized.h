/* SUPPORT_SANITIZED: 1 in builds with the address or thread sanitizer, else 0. Such builds are six
 * times slower and replace functions of the system.
 * SUPPORT_ROUNDS(n): number of random cases that differ only by seed: n, or n / 5 if sanitized. */
#ifndef SUPPORT_SANITIZED_H
#define SUPPORT_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SUPPORT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SUPPORT_SANITIZED 1
#endif
#endif
#ifndef SUPPORT_SANITIZED
#define SUPPORT_SANITIZED 0
#endif

#define SUPPORT_ROUNDS(n) (SUPPORT_SANITIZED ? ((n) + 4) / 5 : (n))

#endif
