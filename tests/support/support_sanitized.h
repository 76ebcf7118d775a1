/* SUPPORT_SANITIZED: 1 in builds with the address or thread sanitizer, else 0. They are six times
 * slower and put their own functions in place of the system's.
 * SUPPORT_ROUNDS(n): n, or a fifth of it there, for random cases that differ by their seed only. */
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
