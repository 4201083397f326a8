<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use MerchantPay\Exception\InvalidArgumentException;

/**
 * The settings of a client, protocol or verifier, in the library's format.
 *
 * @internal
 */
final class Config implements Builder
{
    use Opaque;

    /**
     * @var array{?object, ?\Closure} the logger and the signer: keep them as long as the objects made from
     * these settings
     */
    public readonly array $callbacks;

    /** @var array<string, list<string>> */
    private readonly array $texts;

    /** @param array<string, mixed> $settings the settings, by the names of the arguments or of the variables */
    public function __construct(
        #[\SensitiveParameter] array $settings,
        ?object $logger = null,
        ?callable $signer = null,
    ) {
        $this->texts = NamedTexts::of($settings);
        if ($logger !== null && !is_callable([$logger, 'log'])) {
            throw InvalidArgumentException::because('the logger must have the method log of PSR-3');
        }
        $this->callbacks = [$logger, $signer === null ? null : $signer(...)];
    }

    public function build(): Handle
    {
        $handle = NamedTexts::make('mpay_config', $this->texts);
        Callbacks::register($handle->pointer(), ...$this->callbacks);
        return $handle;
    }
}
