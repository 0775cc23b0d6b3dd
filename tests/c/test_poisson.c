/* When a ratio of Poisson terms is taken as a product. (What else ldp_poisson has is tested
 * through the distributions that use it.) */
#include "check.h"
#include "ldp_poisson.h"

int main(void) {
    static const double two_to_52 = 4503599627370496.0;
    check_begin();
    CHECK(ldp_poisson_is_near(0, 24), "24 apart");
    CHECK(!ldp_poisson_is_near(25, 0), "25 apart");
    CHECK(ldp_poisson_is_near(two_to_52 - 3, two_to_52), "up to 2^52");
    /* from here on adding 1 ends nowhere: 2^53 + 1 is 2^53 */
    CHECK(!ldp_poisson_is_near(two_to_52, two_to_52 + 1), "above 2^52");
    CHECK(!ldp_poisson_is_near(2 * two_to_52, 2 * two_to_52 + 2), "above 2^53");
    return check_report("poisson");
}
