/* A recursive-descent parser over the bytes. Each function leaves `at` after the text that it
 * accepted, or sets `why` and leaves `at` at the error. */
#include "syntax.h"

#include <stdint.h>
#include <string.h>

enum { DEEPEST = 64, LONGEST_NUMBER = 60 };

typedef struct scanner {
    const char *text;
    size_t size, at;
    const char *why;
} scanner;

static bool stop(scanner *s, const char *why)
{
    s->why = s->at < s->size ? why : "the text ends too early";
    return false;
}

/* The next byte, or -1. */
static int peek(const scanner *s) { return s->at < s->size ? (unsigned char)s->text[s->at] : -1; }

static void skip_space(scanner *s)
{
    for (int c = peek(s); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = peek(s)) s->at += 1;
}

static bool take(scanner *s, char c)
{
    if (peek(s) != c) return false;
    s->at += 1;
    return true;
}

static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static bool take_digits(scanner *s)
{
    if (!is_digit(peek(s))) return stop(s, "expected a digit");
    while (is_digit(peek(s))) s->at += 1;
    return true;
}

static bool number(scanner *s)
{
    size_t start = s->at;
    take(s, '-');
    if (take(s, '0')) {
        if (is_digit(peek(s))) return stop(s, "a number must not begin with 0");
    } else if (!take_digits(s)) {
        return false;
    }
    if (take(s, '.') && !take_digits(s)) return false;
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+')) take(s, '-');
        if (!take_digits(s)) return false;
    }
    if (s->at - start <= LONGEST_NUMBER) return true;
    s->at = start;
    return stop(s, "a number must not have more than 60 characters");
}

/* Read four hexadecimal digits. @return their value, or -1 with an error. */
static int32_t code_unit(scanner *s)
{
    int32_t value = 0;
    for (int k = 0; k < 4; ++k) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        int c = peek(s);
        const char *digit = c > 0 ? strchr(digits, c) : NULL;
        if (!digit) return stop(s, "expected 4 hexadecimal digits"), -1;
        value = value * 16 + (int32_t)((digit - digits) % 16);
        s->at += 1;
    }
    return value;
}

static bool escape(scanner *s)
{
    int c = peek(s);
    if (c < 0 || !strchr("\"\\/bfnrtu", c)) return stop(s, "unknown escape in a string");
    s->at += 1;
    if (c != 'u') return true;
    size_t start = s->at;
    int32_t unit = code_unit(s), low = 0;
    if (unit < 0) return false;
    if (unit >= 0xd800 && unit < 0xdc00) {
        if (take(s, '\\') && take(s, 'u')) low = code_unit(s);
        if (low < 0) return false;
        if (low >= 0xdc00 && low < 0xe000) return true;
        unit = 0xdc00; /* half a surrogate pair */
    }
    if (unit != 0 && (unit < 0xdc00 || unit >= 0xe000)) return true;
    s->at = start;
    return stop(s, unit ? "half a surrogate pair in a string" : "\\u0000 in a string");
}

/* Accept one multi-byte UTF-8 character: no overlong forms, no surrogates, up to U+10FFFF. */
static bool utf8(scanner *s)
{
    int first = peek(s);
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    int low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    int high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (first < 0xc2 || first > 0xf4) return stop(s, "not UTF-8");
    for (int k = 1; k <= more; ++k) {
        s->at += 1;
        int c = peek(s);
        if (c < low || c > high) return stop(s, "not UTF-8");
        low = 0x80, high = 0xbf;
    }
    s->at += 1;
    return true;
}

static bool string(scanner *s)
{
    s->at += 1;
    while (!take(s, '"')) {
        int c = peek(s);
        if (c < ' ') return stop(s, "control character in a string");
        if (c >= 0x80) {
            if (!utf8(s)) return false;
            continue;
        }
        s->at += 1;
        if (c == '\\' && !escape(s)) return false;
    }
    return true;
}

static bool word(scanner *s, const char *word)
{
    size_t start = s->at;
    for (; *word; ++word) {
        if (take(s, *word)) continue;
        if (s->at < s->size) s->at = start;
        return stop(s, "expected a value");
    }
    return true;
}

static bool value(scanner *s, int depth);

static bool array(scanner *s, int depth)
{
    s->at += 1;
    skip_space(s);
    if (take(s, ']')) return true;
    for (;;) {
        if (!value(s, depth)) return false;
        if (take(s, ']')) return true;
        if (!take(s, ',')) return stop(s, "expected ',' or ']'");
    }
}

static bool object(scanner *s, int depth)
{
    s->at += 1;
    skip_space(s);
    if (take(s, '}')) return true;
    for (;;) {
        skip_space(s);
        if (peek(s) != '"') return stop(s, "expected a key in double quotes");
        if (!string(s)) return false;
        skip_space(s);
        if (!take(s, ':')) return stop(s, "expected ':'");
        if (!value(s, depth)) return false;
        if (take(s, '}')) return true;
        if (!take(s, ',')) return stop(s, "expected ',' or '}'");
    }
}

/* Accept a value with the white space around it. */
static bool value(scanner *s, int depth)
{
    skip_space(s);
    int c = peek(s);
    if (depth > DEEPEST && (c == '{' || c == '[')) return stop(s, "nested deeper than 64 levels");
    bool good = c == '{'                  ? object(s, depth + 1)
                : c == '['                ? array(s, depth + 1)
                : c == '"'                ? string(s)
                : c == 't'                ? word(s, "true")
                : c == 'f'                ? word(s, "false")
                : c == 'n'                ? word(s, "null")
                : c == '-' || is_digit(c) ? number(s)
                                          : stop(s, "expected a value");
    if (good) skip_space(s);
    return good;
}

bool syntax_check(const char *text, size_t size, syntax_error *error)
{
    scanner s = {.text = text, .size = size};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) s.at = 3;
    if (value(&s, 1) && (s.at == size || stop(&s, "text after the end of the scene"))) return true;
    *error = (syntax_error){.line = 1, .column = 1, .why = s.why};
    for (size_t i = 0; i < s.at; ++i) {
        error->column += 1;
        if (text[i] == '\n') error->line += 1, error->column = 1;
    }
    return false;
}
