/* Reads the text of a scene. */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "builtin.h"
#include "complaint.h"

static int no_such_scene(const char *name)
{
    const builtin *nearest = builtin_nearest(name);
    if (!nearest) {
        return complain(EXIT_USAGE, "%s: no such file or sample (--list names the samples)", name);
    }
    return complain(EXIT_USAGE, "%s: no such file or sample; did you mean %s?", name,
                    nearest->name);
}

/* Reads to the end of the file. Messages begin with `what`, as "--restart: ", and `name`. */
static int read_all(FILE *file, const char *what, const char *name, char **text, size_t *size)
{
    size_t room = 1 << 16, used = 0;
    char *data = malloc(room);
    while (data) {
        used += fread(data + used, 1, room - used, file);
        if (used < room) {
            data[used] = 0;
            break;
        }
        char *more = realloc(data, room *= 2);
        if (!more) free(data);
        data = more;
    }
    if (!data) return complain(EXIT_RESOURCES, "%s%s: out of memory", what, name);
    if (ferror(file)) {
        int why = errno, code = why == EISDIR ? EXIT_USAGE : EXIT_RESOURCES;
        free(data);
        return complain(code, "%s%s: cannot be read: %s", what, name, strerror(why));
    }
    *text = data;
    *size = used;
    return 0;
}

static load_sharing sharing = {.reads = true};

void load_share(const load_sharing *with) { sharing = *with; }

static int shared(int code, char **data, size_t *size)
{
    return sharing.share ? sharing.share(sharing.context, code, data, size) : code;
}

static int read_text(const char *name, char **text, size_t *size)
{
    const builtin *sample = builtin_find(name);
    if (sample) {
        *text = strdup(sample->json);
        *size = strlen(sample->json);
        return *text ? 0 : complain(EXIT_RESOURCES, "out of memory");
    }
    if (strcmp(name, "-") == 0) return read_all(stdin, "", "standard input", text, size);
    struct stat info;
    if (stat(name, &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) return no_such_scene(name);
    FILE *file = fopen(name, "rb");
    if (!file) return complain(EXIT_RESOURCES, "%s: cannot be opened: %s", name, strerror(errno));
    int code = read_all(file, "", name, text, size);
    fclose(file);
    return code;
}

int load_text(const char *name, char **text, size_t *size)
{
    return shared(sharing.reads ? read_text(name, text, size) : 0, text, size);
}

static int read_file(const char *what, const char *name, char **data, size_t *size)
{
    char prefix[320];
    snprintf(prefix, sizeof prefix, "%s: ", what);
    if (strcmp(name, "-") == 0) return read_all(stdin, prefix, "standard input", data, size);
    FILE *file = fopen(name, "rb");
    bool absent = !file && (errno == ENOENT || errno == ENOTDIR);
    if (!file)
        return complain(absent ? EXIT_USAGE : EXIT_RESOURCES, "%s%s: cannot be opened: %s", prefix,
                        name, strerror(errno));
    int code = read_all(file, prefix, name, data, size);
    fclose(file);
    return code;
}

int load_file(const char *what, const char *name, char **data, size_t *size)
{
    return shared(sharing.reads ? read_file(what, name, data, size) : 0, data, size);
}

char *path_beside(const char *scene, const char *file)
{
    const char *slash = strrchr(scene, '/');
    bool beside = slash && file[0] != '/' && !builtin_find(scene);
    size_t folder = beside ? (size_t)(slash + 1 - scene) : 0;
    char *path = malloc(folder + strlen(file) + 1);
    if (!path) return NULL;
    memcpy(path, scene, folder);
    strcpy(path + folder, file);
    return path;
}
