/* Writes the page. Data are base64 text in script elements of a type that browsers do not run. */
#include "page.h"

#include <string.h>

bool view_available(void) { return view_page[0]; }

enum { LINE = 57 }; /* bytes that make 76 characters */

typedef struct encoder {
    FILE *to;
    uint8_t kept[LINE];
    size_t count;
} encoder;

static void write_line(encoder *e)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char line[4 * ((LINE + 2) / 3) + 1], *out = line;
    for (size_t i = 0; i < e->count; i += 3) {
        size_t left = e->count - i;
        uint32_t bits = (uint32_t)e->kept[i] << 16;
        if (left > 1) bits |= (uint32_t)e->kept[i + 1] << 8;
        if (left > 2) bits |= e->kept[i + 2];
        *out++ = digits[bits >> 18];
        *out++ = digits[bits >> 12 & 63];
        *out++ = left > 1 ? digits[bits >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[bits & 63] : '=';
    }
    *out++ = '\n';
    fwrite(line, 1, (size_t)(out - line), e->to);
    e->count = 0;
}

static bool encode(void *user, const void *data, size_t size)
{
    encoder *e = user;
    for (const uint8_t *from = data; size > 0;) {
        size_t n = size < LINE - e->count ? size : LINE - e->count;
        memcpy(e->kept + e->count, from, n);
        e->count += n;
        from += n;
        size -= n;
        if (e->count == LINE) write_line(e);
    }
    return !ferror(e->to);
}

/* Escapes a file name for HTML. */
static void write_text(FILE *to, const char *text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        default:
            fputc(*text, to);
        }
    }
}

/* Why the recording ends, as main.mjs reads it: the page holds only its whole chunks. */
static void write_end(FILE *to, const kugel_recording_info *info)
{
    fputs("<template id=\"end\">", to);
    if (info->damaged) fprintf(to, "damaged at byte %llu", (unsigned long long)info->bytes);
    else if (info->lost || !info->closed) fputs("not closed", to);
    fputs("</template>\n", to);
}

kugel_status view_write(FILE *to, const char *name, kugel_player *player)
{
    encoder e = {.to = to};
    kugel_recording_info info;
    kugel_player_info(player, &info);
    for (const char *const *part = view_page; *part; ++part) fputs(*part, to);
    fputs("<template id=\"name\">", to);
    write_text(to, name);
    fputs("</template>\n", to);
    write_end(to, &info);
    fputs("<script type=\"text/plain\" id=\"recording\">\n", to);
    kugel_status status = kugel_player_rewrite(player, encode, &e);
    if (status) return status;
    if (e.count) write_line(&e);
    fputs("</script>\n</body>\n</html>\n", to);
    return ferror(to) ? KUGEL_ERROR_IO : KUGEL_OK;
}
