<?php

declare(strict_types=1);

namespace Shop;

require_once __DIR__ . '/symfony_shop.php';
require_once __DIR__ . '/ShopTestCase.php';

use Symfony\Component\HttpFoundation\Request;

final class SymfonyShopTest extends ShopTestCase
{
    protected function post(string $path, array $form = [], string $body = '', array $headers = []): array
    {
        $request = Request::create($path, 'POST', $form, content: $body);
        $request->headers->add($headers);
        $response = (new Symfony\Shop(Symfony\database(), Symfony\journal()))->handle($request);
        return [$response->getStatusCode(), (string) $response->getContent()];
    }

    protected function main(string $command): void
    {
        Symfony\main($command);
    }

    protected function shipPaid(): void
    {
        (new Symfony\Shop(Symfony\database(), Symfony\journal()))->shipPaid();
    }
}
