/* Formats and prints one-line messages. */
#include "complaint.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *program_name = "kugel-run";

bool refuse(complaint *complaint, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(complaint->text, sizeof complaint->text, format, args);
    va_end(args);
    complaint->code = code;
    return false;
}

int complain(int code, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; ++c) {
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    }
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr); /* erase the progress bar */
    fprintf(stderr, "%s: %s\n", program_name, text);
    return code;
}

int finish_output(int code)
{
    bool failed = ferror(stdout) != 0; /* also of a long text, of which nothing is left to flush */
    failed = fflush(stdout) != 0 || failed;
    return failed && code == EXIT_DONE
               ? complain(EXIT_RESOURCES, "standard output: %s", strerror(errno))
               : code;
}
