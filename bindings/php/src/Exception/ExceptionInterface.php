<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

use MerchantPay\Code;
use MerchantPay\Outcome;
use MerchantPay\Reason;

/**
 * A failed call, with an outcome that shows whether the request may have taken effect. Catch this interface in code
 * that is tested with exceptions of its own. A later version can add methods. Since 0.4.0.
 */
interface ExceptionInterface extends \Throwable
{
    /** The code's name: one of \MerchantPay\Code, or a name that only a later version of the library knows. */
    public function code(): string;

    /** The code, or null if this version does not know the code. */
    public function codeCase(): ?Code;

    /** Shows whether the request may have taken effect: one of \MerchantPay\Outcome. Treat any other text as "unknown". */
    public function outcome(): string;

    /** The outcome, or null if this version does not know the outcome. Treat null as Outcome::Unknown. */
    public function outcomeCase(): ?Outcome;

    /** Returns true if the same call may succeed later. The outcome shows whether the request may be sent again. */
    public function isTransient(): bool;

    /** The service's text about a refusal. */
    public function description(): ?string;

    /** The reason of a refusal, if the contract lists the refusal's text: one of \MerchantPay\Reason. */
    public function reason(): ?string;

    /** The reason, or null if there is no reason or this version does not know the reason. */
    public function reasonCase(): ?Reason;

    /** The HTTP status if a reply came. The status is not signed, so it proves nothing about the payment. */
    public function httpStatus(): ?int;

    /**
     * How many milliseconds to wait before the next try, if a reply with the status 429 or 503 asked for it. It is not
     * signed, so a proxy may have asked.
     *
     * @since 0.4.0
     */
    public function retryAfterMs(): ?int;

    /**
     * The name of the argument, setting or variable that is wrong, if the message is about one.
     *
     * @since 0.4.0
     */
    public function argument(): ?string;

    /** The order id of the request or of a verified reply. */
    public function orderId(): ?string;

    /** The content type of a reply that could not be verified. */
    public function contentType(): ?string;

    /** The printable beginning of a reply that could not be verified and is not JSON, such as a proxy's page. */
    public function excerpt(): ?string;

    /** The unchanged, verified body of a reply or webhook, if the code is Rejected or Malformed; otherwise null. */
    public function body(): ?string;
}
