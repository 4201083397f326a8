<?php

declare(strict_types=1);

namespace MerchantPay;

/** What a webhook is about (contract, section 6). */
enum EventKind: string
{
    /** Credentials were found for a payment of newPaymentAsync. */
    case Credentials = 'credentials';
    /** No credentials were found: the payment has nothing but its orderId. */
    case CredentialsFailed = 'credentials_failed';
    /** The payment has a new status. */
    case Status = 'status';
}
