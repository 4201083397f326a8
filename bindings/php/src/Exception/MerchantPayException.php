<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

use MerchantPay\Code;
use MerchantPay\Ffi\Trace;
use MerchantPay\Outcome;
use MerchantPay\Reason;

/**
 * A failed call, with an outcome that shows whether the request may have taken effect.
 *
 * The exception's message contains no key, signature, account or name. description() and body() return the
 * service's texts, which may contain personal data, so var_dump and print_r leave these texts out. getCode()
 * returns the number of the code.
 */
class MerchantPayException extends \RuntimeException
{
    /** The default code of the class. */
    protected const CODE = Code::Internal;

    private readonly string $codeName;
    private readonly string $outcome;

    /**
     * The library makes this object. A test can make such an object with named arguments.
     *
     * @param ?string $code the code's name; null for the default of the class
     * @param int $number the code's number, if $code is given
     */
    final public function __construct(
        string $message,
        Outcome|string $outcome,
        private readonly ?string $description = null,
        private readonly ?string $reason = null,
        private readonly ?int $httpStatus = null,
        private readonly ?string $orderId = null,
        private readonly ?string $contentType = null,
        private readonly ?string $excerpt = null,
        private readonly ?string $body = null,
        private readonly bool $isTransient = false,
        ?\Throwable $previous = null,
        ?string $code = null,
        int $number = 0,
    ) {
        parent::__construct($message, $code === null ? static::CODE->number() : $number, $previous);
        $this->codeName = $code ?? static::CODE->value;
        $this->outcome = $outcome instanceof Outcome ? $outcome->value : $outcome;
        $this->lookFromOutside();
    }

    /** @internal */
    public static function because(
        string $message,
        ?\Throwable $previous = null,
        Outcome $outcome = Outcome::NotSent,
    ): static {
        return new static(message: $message, outcome: $outcome, previous: $previous);
    }

    /** The code's name: one of \MerchantPay\Code, or a name that only a later version of the library knows. */
    public function code(): string
    {
        return $this->codeName;
    }

    /** The code, or null if this version does not know the code. */
    public function codeCase(): ?Code
    {
        return Code::tryFrom($this->codeName);
    }

    /** Whether the request may have taken effect: one of \MerchantPay\Outcome. Treat any other text as "unknown". */
    public function outcome(): string
    {
        return $this->outcome;
    }

    /** The outcome, or null if this version does not know the outcome. Treat null as Outcome::Unknown. */
    public function outcomeCase(): ?Outcome
    {
        return Outcome::tryFrom($this->outcome);
    }

    /** Whether the same call may succeed later. The outcome shows whether the request may be sent again. */
    public function isTransient(): bool
    {
        return $this->isTransient;
    }

    /** The service's text about a refusal. */
    public function description(): ?string
    {
        return $this->description;
    }

    /** The reason of a refusal, if the contract lists the refusal's text: one of \MerchantPay\Reason. */
    public function reason(): ?string
    {
        return $this->reason;
    }

    /** The reason, or null if there is no reason or this version does not know the reason. */
    public function reasonCase(): ?Reason
    {
        return $this->reason === null ? null : Reason::tryFrom($this->reason);
    }

    /** The HTTP status if a reply came. The status is not signed, so it proves nothing about the payment. */
    public function httpStatus(): ?int
    {
        return $this->httpStatus;
    }

    /** The order id of the request or of a verified reply. */
    public function orderId(): ?string
    {
        return $this->orderId;
    }

    /** The content type of a reply that could not be verified. */
    public function contentType(): ?string
    {
        return $this->contentType;
    }

    /** The printable beginning of a reply that could not be verified and is not JSON, such as a proxy's page. */
    public function excerpt(): ?string
    {
        return $this->excerpt;
    }

    /** The unchanged, verified body of a reply or webhook, if the code is Rejected or Malformed; otherwise null. */
    public function body(): ?string
    {
        return $this->body;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return [
            'code' => $this->codeName,
            'outcome' => $this->outcome,
            'reason' => $this->reason,
            'httpStatus' => $this->httpStatus,
            'orderId' => $this->orderId,
            'message' => $this->getMessage(),
            'file' => $this->getFile(),
            'line' => $this->getLine(),
        ];
    }

    /**
     * Sets file and line to the place where the program called the package, and removes the package's arguments
     * from the trace.
     */
    private function lookFromOutside(): void
    {
        $trace = $this->getTrace();
        $sources = dirname(__DIR__) . DIRECTORY_SEPARATOR;
        $inside = str_starts_with($this->file, $sources);
        foreach ($trace as $frame) {
            if ($inside && isset($frame['file'], $frame['line'])) {
                $this->file = $frame['file'];
                $this->line = $frame['line'];
                $inside = str_starts_with($this->file, $sources);
            }
        }
        Trace::put($this, Trace::without($trace));
    }
}
