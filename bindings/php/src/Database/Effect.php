<?php

declare(strict_types=1);

namespace MerchantPay\Database;

/**
 * The possible effect of a failed statement.
 *
 * @internal
 */
enum Effect
{
    /** Nothing was written: another row already has the key. */
    case Duplicate;
    /** The statement certainly had no effect. */
    case None;
    /** The statement may have taken effect: the connection was lost. */
    case Unclear;
}
