/* Texts of the status codes: each code has one of its own. */
#include <criterion/criterion.h>
#include <string.h>

#include <kugel/kugel.h>

Test(status, each_code_has_its_text)
{
    enum { COUNT = KUGEL_ERROR_STATE + 1 };
    for (int k = 0; k <= COUNT; ++k) {
        const char *text = kugel_status_text((kugel_status)k);
        cr_assert(text && *text, "status %d has no text", k);
        for (int other = 0; other < k; ++other)
            cr_assert(strcmp(text, kugel_status_text((kugel_status)other)) != 0,
                      "%d and %d have one text", other, k);
    }
    cr_assert_str_eq(kugel_status_text(KUGEL_OK), "done");
    cr_assert_str_eq(kugel_status_text((kugel_status)-1), kugel_status_text(COUNT));
}
