<?php

declare(strict_types=1);

namespace MerchantPay\Database;

/**
 * What a statement that failed may have done.
 *
 * @internal
 */
enum Effect
{
    /** Nothing: another row has the key. */
    case Duplicate;
    /** Nothing. */
    case None;
    /** Nobody knows: the connection was lost. */
    case Unclear;
}
