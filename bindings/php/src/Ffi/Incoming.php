<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use Psr\Http\Message\RequestInterface;

/**
 * The parts of a webhook's request: its body, and its headers X-Signature and X-KeyId, which are null if absent.
 *
 * @internal
 */
final class Incoming
{
    /** @return array{string, ?string, ?string} of the request that PHP is serving */
    public static function globals(): array
    {
        $text = static fn (string $name): ?string => is_string($_SERVER[$name] ?? null) ? $_SERVER[$name] : null;
        return [(string) file_get_contents('php://input'), $text('HTTP_X_SIGNATURE'), $text('HTTP_X_KEYID')];
    }

    /** @return array{string, ?string, ?string} */
    public static function request(RequestInterface $request): array
    {
        $header = static fn (string $name): ?string =>
            $request->hasHeader($name) ? $request->getHeaderLine($name) : null;
        return [(string) $request->getBody(), $header('X-Signature'), $header('X-KeyId')];
    }
}
