<?php

declare(strict_types=1);

namespace MerchantPay;

/** The reasons of a refusal that the contract names (section 7). */
enum Reason: string
{
    case InvalidCurrency = 'invalid_currency';
    case InvalidOrderId = 'invalid_order_id';
    case OrderNotFound = 'order_not_found';
    case InvalidFileFormat = 'invalid_file_format';
    case PaymentCouldNotBeCanceled = 'payment_could_not_be_canceled';
}
