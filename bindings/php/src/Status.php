<?php

declare(strict_types=1);

namespace MerchantPay;

/** The statuses of a payment (contract, section 3). */
enum Status: string
{
    case Free = 'free';
    case Pending = 'pending';
    case ReceiptRequired = 'receiptRequired';
    case DoneSuccess = 'doneSuccess';
    case DoneFail = 'doneFail';
    case ArbitrageCancelledByMerchant = 'arbitrageCancelledByMerchant';
}
