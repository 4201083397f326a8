<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

use MerchantPay\Testing\Sandbox as Kit;

/** The sandbox that all tests share, and what they wait for. */
final class Sandbox
{
    private static ?Kit $one = null;

    public static function one(): Kit
    {
        return self::$one ??= Kit::start();
    }

    /** Creates a file with an empty journal. */
    public static function createJournal(string $file): string
    {
        $init = new Program([(string) getenv('MERCHANTPAY_PROGRAM'), 'journal', 'init', '--journal', $file]);
        $init->rest();
        return $file;
    }

    /** @return array<string, mixed> the webhook of this kind for a payment; waits for it */
    public static function webhook(string $merchantId, string $kind): array
    {
        return self::eventually(static function () use ($merchantId, $kind): ?array {
            $path = '/webhooks?merchantId=' . rawurlencode($merchantId);
            foreach (self::one()->control($path)['webhooks'] as $webhook) {
                if ($webhook['kind'] === $kind) {
                    return self::one()->control("/webhooks/{$webhook['id']}");
                }
            }
            return null;
        });
    }

    /** @template T @param \Closure(): ?T $look @return T the first result of $look that is not null */
    public static function eventually(\Closure $look): mixed
    {
        $end = hrtime(true) + 30_000_000_000;
        while (($found = $look()) === null) {
            if (hrtime(true) > $end) {
                throw new \RuntimeException('it did not happen in 30 s');
            }
            usleep(20_000);
        }
        return $found;
    }
}
