<?php

declare(strict_types=1);

namespace Shop;

require_once __DIR__ . '/laravel_shop.php';
require_once __DIR__ . '/ShopTestCase.php';

use Illuminate\Http\Request;

final class LaravelShopTest extends ShopTestCase
{
    protected function post(string $path, array $form = [], string $body = '', array $headers = []): array
    {
        $request = Request::create($path, 'POST', $form, content: $body);
        $request->headers->add($headers);
        $response = Laravel\handle(Laravel\container(), $request);
        return [$response->getStatusCode(), (string) $response->getContent()];
    }

    protected function main(string $command): void
    {
        Laravel\main($command);
    }

    protected function shipPaid(): void
    {
        Laravel\container()->get(Laravel\Shop::class)->shipPaid();
    }
}
