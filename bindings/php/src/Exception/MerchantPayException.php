<?php

declare(strict_types=1);

namespace MerchantPay\Exception;

use MerchantPay\Code;
use MerchantPay\Ffi\Trace;
use MerchantPay\Outcome;
use MerchantPay\Reason;

/**
 * Why a call failed, and whether the request may have taken effect.
 *
 * Its message holds no key, signature, account or name. description() and body() are the service's own words and may
 * hold personal data, so var_dump and print_r leave them out. getCode() is the number of code().
 */
class MerchantPayException extends \RuntimeException
{
    /** The code of what is made without one. */
    protected const CODE = Code::Internal;

    private readonly string $codeName;
    private readonly string $outcome;

    /**
     * Made by the library; a test may make one by named arguments.
     *
     * @param ?string $code the code's name; null for the one that the class stands for
     * @param int $number the code's number, where the code is named
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

    /** The code's name: one of \MerchantPay\Code, or one that a later library added. */
    public function code(): string
    {
        return $this->codeName;
    }

    /** The code, or null if this version does not know it. */
    public function codeCase(): ?Code
    {
        return Code::tryFrom($this->codeName);
    }

    /** Whether the request may have taken effect: one of \MerchantPay\Outcome. Treat any other as "unknown". */
    public function outcome(): string
    {
        return $this->outcome;
    }

    /** The outcome, or null if this version does not know it: take that for Outcome::Unknown. */
    public function outcomeCase(): ?Outcome
    {
        return Outcome::tryFrom($this->outcome);
    }

    /** Whether the same call may succeed later. Whether it may be sent again, the outcome says. */
    public function isTransient(): bool
    {
        return $this->isTransient;
    }

    /** The service's own words of a refusal. */
    public function description(): ?string
    {
        return $this->description;
    }

    /** The reason of a refusal where the contract names it: one of \MerchantPay\Reason. */
    public function reason(): ?string
    {
        return $this->reason;
    }

    /** The reason, or null if there is none or this version does not know it. */
    public function reasonCase(): ?Reason
    {
        return $this->reason === null ? null : Reason::tryFrom($this->reason);
    }

    /** The HTTP status where a reply came. It is not signed, and says nothing about the payment. */
    public function httpStatus(): ?int
    {
        return $this->httpStatus;
    }

    /** The order that was asked about, or that a verified reply names. */
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

    /** The verified body of a reply or webhook that is rejected or malformed, as it came. */
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

    /** What went wrong stands where the package was called, not inside of it, and the trace shows no argument of it. */
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
