<?php

declare(strict_types=1);

namespace MerchantPay;

/** How the customer pays (contract, section 1). */
enum PaymentMethod: string
{
    case Card = 'card';
    case Sbp = 'sbp';
}
