/* What the cases of tests/contract cannot see of the functions in C: NULL, ownership, callbacks' data, and memory. The driver
   (../tests/memory.rs) passes the services by environment variables and runs this program alone, under valgrind and with sanitizers. */
#include "suite.h"

static void the_versions_agree(void) {
    CHECK(same(mpay_version(), MPAY_HEADER_VERSION));
    CHECK(mpay_version_number() == MPAY_HEADER_VERSION_NUMBER);
    CHECK(mpay_abi_version() == MPAY_HEADER_ABI);
}

int main(void) {
    RUN(the_versions_agree);
    suite_null();
    suite_settings();
    suite_calls();
    suite_release();
    return failures() ? 1 : 0;
}
