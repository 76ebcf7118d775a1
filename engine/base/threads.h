/* POSIX threads, or stubs on targets without threads (WebAssembly). There a pool has no workers,
 * and the caller runs all tasks. */
#ifndef KG_BASE_THREADS_H
#define KG_BASE_THREADS_H

#include <stdint.h>

#if defined(__wasm__) && !defined(_REENTRANT)
#define KG_HAS_THREADS 0
typedef int pthread_t, pthread_mutex_t, pthread_cond_t;
static inline int pthread_mutex_init(pthread_mutex_t *lock, const void *how)
{
    return (void)lock, (void)how, 0;
}
static inline int pthread_mutex_lock(pthread_mutex_t *lock) { return (void)lock, 0; }
static inline int pthread_mutex_unlock(pthread_mutex_t *lock) { return (void)lock, 0; }
static inline int pthread_mutex_destroy(pthread_mutex_t *lock) { return (void)lock, 0; }
static inline int pthread_cond_init(pthread_cond_t *sign, const void *how)
{
    return (void)sign, (void)how, 0;
}
static inline int pthread_cond_wait(pthread_cond_t *sign, pthread_mutex_t *lock)
{
    return (void)sign, (void)lock, 0;
}
static inline int pthread_cond_signal(pthread_cond_t *sign) { return (void)sign, 0; }
static inline int pthread_cond_broadcast(pthread_cond_t *sign) { return (void)sign, 0; }
static inline int pthread_cond_destroy(pthread_cond_t *sign) { return (void)sign, 0; }
static inline int pthread_join(pthread_t thread, void **result)
{
    return (void)thread, (void)result, 0;
}
static inline int pthread_create(pthread_t *thread, const void *how, void *(*run)(void *),
                                 void *argument)
{
    return (void)thread, (void)how, (void)run, (void)argument, 1;
}
static inline uint32_t kg_thread_processors(void) { return 1; }
static inline void kg_thread_pause(uint32_t attempt) { (void)attempt; }
#else
#include <pthread.h>
#include <sched.h>
#ifndef _WIN32
#include <unistd.h>
#endif
#define KG_HAS_THREADS 1
/* Number of processors that are online. */
static inline uint32_t kg_thread_processors(void)
{
#ifdef _WIN32
    long count = pthread_num_processors_np();
#else
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return count < 1 ? 1 : (uint32_t)count;
}
/* Wait between two polls. Every 32nd `attempt` yields the processor to other threads: the process
 * may have fewer processors than the machine. */
static inline void kg_thread_pause(uint32_t attempt)
{
    enum { YIELD = 32 };
    if (attempt % YIELD == YIELD - 1) {
        sched_yield();
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}
#endif

#endif
