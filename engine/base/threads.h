/* Threads, mutexes and condition variables: those of POSIX or of Windows, or stubs where there are
 * none (WebAssembly, KUGEL_PORTABLE): a pool has no workers then, and the caller runs all tasks. */
#ifndef KG_BASE_THREADS_H
#define KG_BASE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(KUGEL_PORTABLE) || (defined(__wasm__) && !defined(_REENTRANT))
#define KG_HAS_THREADS 0
typedef int kg_thread, kg_mutex, kg_condition;
typedef int kg_thread_result;
#define KG_THREAD_CALL
static inline bool kg_mutex_init(kg_mutex *mutex) { return (void)mutex, true; }
static inline void kg_mutex_lock(kg_mutex *mutex) { (void)mutex; }
static inline void kg_mutex_unlock(kg_mutex *mutex) { (void)mutex; }
static inline void kg_mutex_free(kg_mutex *mutex) { (void)mutex; }
static inline void kg_condition_init(kg_condition *condition) { (void)condition; }
static inline void kg_condition_wait(kg_condition *condition, kg_mutex *mutex)
{
    (void)condition, (void)mutex;
}
static inline void kg_condition_wake_one(kg_condition *condition) { (void)condition; }
static inline void kg_condition_wake_all(kg_condition *condition) { (void)condition; }
static inline void kg_condition_free(kg_condition *condition) { (void)condition; }
static inline bool kg_thread_start(kg_thread *thread, kg_thread_result (*run)(void *),
                                   void *argument)
{
    return (void)thread, (void)run, (void)argument, false;
}
static inline void kg_thread_join(kg_thread thread) { (void)thread; }
static inline uint32_t kg_thread_processors(void) { return 1; }
static inline void kg_thread_yield(void) {}

#elif defined(_WIN32)
#include <process.h>
#define KG_HAS_THREADS 1
/* Functions of kernel32. Declared here, because windows.h defines macros such as `near`. */
__declspec(dllimport) void __stdcall AcquireSRWLockExclusive(void **lock);
__declspec(dllimport) void __stdcall ReleaseSRWLockExclusive(void **lock);
__declspec(dllimport) int __stdcall SleepConditionVariableSRW(void **condition, void **lock,
                                                              unsigned long milliseconds,
                                                              unsigned long flags);
__declspec(dllimport) void __stdcall WakeConditionVariable(void **condition);
__declspec(dllimport) void __stdcall WakeAllConditionVariable(void **condition);
__declspec(dllimport) unsigned long __stdcall WaitForSingleObject(void *object,
                                                                  unsigned long milliseconds);
__declspec(dllimport) int __stdcall CloseHandle(void *object);
__declspec(dllimport) int __stdcall SwitchToThread(void);
__declspec(dllimport) unsigned long __stdcall GetActiveProcessorCount(unsigned short group);
#define KG_INFINITE 0xffffffffu  /* milliseconds */
#define KG_ALL_PROCESSORS 0xffff /* groups of processors */

typedef void *kg_thread, *kg_mutex, *kg_condition;
typedef unsigned kg_thread_result;
#define KG_THREAD_CALL __stdcall
static inline bool kg_mutex_init(kg_mutex *mutex) { return *mutex = NULL, true; }
static inline void kg_mutex_lock(kg_mutex *mutex) { AcquireSRWLockExclusive(mutex); }
static inline void kg_mutex_unlock(kg_mutex *mutex) { ReleaseSRWLockExclusive(mutex); }
static inline void kg_mutex_free(kg_mutex *mutex) { (void)mutex; }
static inline void kg_condition_init(kg_condition *condition) { *condition = NULL; }
static inline void kg_condition_wait(kg_condition *condition, kg_mutex *mutex)
{
    SleepConditionVariableSRW(condition, mutex, KG_INFINITE, 0);
}
static inline void kg_condition_wake_one(kg_condition *condition)
{
    WakeConditionVariable(condition);
}
static inline void kg_condition_wake_all(kg_condition *condition)
{
    WakeAllConditionVariable(condition);
}
static inline void kg_condition_free(kg_condition *condition) { (void)condition; }
static inline bool kg_thread_start(kg_thread *thread, kg_thread_result(KG_THREAD_CALL *run)(void *),
                                   void *argument)
{
    *thread = (void *)_beginthreadex(NULL, 0, run, argument, 0, NULL);
    return *thread != NULL;
}
static inline void kg_thread_join(kg_thread thread)
{
    WaitForSingleObject(thread, KG_INFINITE);
    CloseHandle(thread);
}
static inline uint32_t kg_thread_processors(void)
{
    unsigned long count = GetActiveProcessorCount(KG_ALL_PROCESSORS);
    return count < 1 ? 1 : (uint32_t)count;
}
static inline void kg_thread_yield(void) { SwitchToThread(); }

#else
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#define KG_HAS_THREADS 1
typedef pthread_t kg_thread;
typedef pthread_mutex_t kg_mutex;
typedef pthread_cond_t kg_condition;
typedef void *kg_thread_result;
#define KG_THREAD_CALL
/* False when out of memory. */
static inline bool kg_mutex_init(kg_mutex *mutex) { return pthread_mutex_init(mutex, NULL) == 0; }
static inline void kg_mutex_lock(kg_mutex *mutex) { pthread_mutex_lock(mutex); }
static inline void kg_mutex_unlock(kg_mutex *mutex) { pthread_mutex_unlock(mutex); }
static inline void kg_mutex_free(kg_mutex *mutex) { pthread_mutex_destroy(mutex); }
static inline void kg_condition_init(kg_condition *condition)
{
    pthread_cond_init(condition, NULL);
}
static inline void kg_condition_wait(kg_condition *condition, kg_mutex *mutex)
{
    pthread_cond_wait(condition, mutex);
}
static inline void kg_condition_wake_one(kg_condition *condition)
{
    pthread_cond_signal(condition);
}
static inline void kg_condition_wake_all(kg_condition *condition)
{
    pthread_cond_broadcast(condition);
}
static inline void kg_condition_free(kg_condition *condition) { pthread_cond_destroy(condition); }
/* False when out of memory or threads. */
static inline bool kg_thread_start(kg_thread *thread, kg_thread_result (*run)(void *),
                                   void *argument)
{
    return pthread_create(thread, NULL, run, argument) == 0;
}
static inline void kg_thread_join(kg_thread thread) { pthread_join(thread, NULL); }
/* Number of processors that are online. */
static inline uint32_t kg_thread_processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}
static inline void kg_thread_yield(void) { sched_yield(); }
#endif

/* Wait between two polls. Every 32nd `attempt` yields the processor to other threads: the process
 * may have fewer processors than the machine. */
static inline void kg_thread_pause(uint32_t attempt)
{
    enum { YIELD = 32 };
    if (attempt % YIELD == YIELD - 1) {
        kg_thread_yield();
        return;
    }
#if defined(KUGEL_PORTABLE)
#elif defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
