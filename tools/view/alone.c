/* Stubs of three WASI calls. libc imports them for formatted messages, but a page has no files:
 * they report a bad descriptor. */
#include <stdint.h>

enum { BAD_FILE = 8 }; /* WASI's errno badf */

int32_t __imported_wasi_snapshot_preview1_fd_close(int32_t file);
int32_t __imported_wasi_snapshot_preview1_fd_seek(int32_t file, int64_t offset, int32_t whence,
                                                  int32_t size);
int32_t __imported_wasi_snapshot_preview1_fd_write(int32_t file, int32_t parts, int32_t count,
                                                   int32_t size);

int32_t __imported_wasi_snapshot_preview1_fd_close(int32_t file) { return (void)file, BAD_FILE; }
int32_t __imported_wasi_snapshot_preview1_fd_seek(int32_t file, int64_t offset, int32_t whence,
                                                  int32_t size)
{
    return (void)file, (void)offset, (void)whence, (void)size, BAD_FILE;
}
int32_t __imported_wasi_snapshot_preview1_fd_write(int32_t file, int32_t parts, int32_t count,
                                                   int32_t size)
{
    return (void)file, (void)parts, (void)count, (void)size, BAD_FILE;
}
