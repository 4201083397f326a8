<?php

declare(strict_types=1);

namespace Shop;

use MerchantPay\Testing\Sandbox;
use MerchantPay\Testing\WebhookSigner;
use PDO;
use PHPUnit\Framework\TestCase;

/** The tests of both shops. Each shop has a subclass, which sends the requests through the shop's framework. */
abstract class ShopTestCase extends TestCase
{
    private const PHONE = ['phone' => '79001234567'];

    protected Sandbox $sandbox;

    private string $file;

    /**
     * @param array<string, string> $form
     * @param array<string, string> $headers
     * @return array{int, string} the status and the body
     */
    abstract protected function post(string $path, array $form = [], string $body = '', array $headers = []): array;

    abstract protected function main(string $command): void;

    abstract protected function shipPaid(): void;

    // [test]
    protected function setUp(): void
    {
        $this->sandbox = Sandbox::start(hold: true);
        $this->sandbox->setEnvironment();
        $this->file = (string) tempnam(sys_get_temp_dir(), 'shop');
        putenv("SHOP_DATABASE=$this->file");
        putenv("SHOP_JOURNAL=$this->file.journal");
        putenv('SHOP_URL=http://127.0.0.1:9'); // the tests deliver the webhooks
        $this->main('tables');
        $this->query("INSERT INTO orders (number, sum) VALUES ('order-1', '1500.50')");
    }

    protected function tearDown(): void
    {
        $this->sandbox->stop();
        array_map(unlink(...), (array) glob("$this->file*"));
    }

    public function testAPaidOrderIsShippedOnce(): void
    {
        [, $first] = $this->post('/orders/order-1/pay', self::PHONE);
        self::assertStringContainsString('"standing":"open","sum":"1500.50"', $first);
        self::assertSame([200, $first], $this->post('/orders/order-1/pay', self::PHONE));
        self::assertSame(204, $this->post('/orders/order-1/paid')[0]);
        $this->sandbox->operate($this->orderId(), 'approve');
        for ($i = 0; $i < 2; $i++) {
            self::assertSame(200, $this->deliver());
            $this->shipPaid();
        }
        self::assertTrue($this->isShipped());
    }

    // [/test]

    public function testUnderpaidOrderIsNotShipped(): void
    {
        $this->post('/orders/order-1/pay', self::PHONE);
        $orderId = $this->orderId();
        $this->sandbox->pay($orderId, 'less');
        $this->sandbox->operate($orderId, 'approve');
        self::assertSame(200, $this->deliver());
        $this->shipPaid();
        self::assertFalse($this->isShipped());
    }

    public function testForgedWebhookAndWrongInputAreRefused(): void
    {
        $forged = (new WebhookSigner())->status('order-1', 'doneSuccess', '1500.50');
        $headers = ['X-Signature' => $forged['signature'], 'X-KeyId' => $forged['keyId']];
        self::assertSame(400, $this->post('/callback/forged', body: $forged['body'], headers: $headers)[0]);
        self::assertSame(400, $this->post('/orders/order-1/pay', ['phone' => ''])[0]);
        self::assertSame(404, $this->post('/orders/order-2/pay', self::PHONE)[0]);
        self::assertSame(409, $this->post('/orders/order-1/paid')[0]);
    }

    /** Sends the sandbox's newest webhook to the shop, like the service. Returns the HTTP status. */
    private function deliver(): int
    {
        [$newest] = $this->sandbox->control('/webhooks')['webhooks'];
        $sent = $this->sandbox->control("/webhooks/{$newest['id']}");
        ['request' => $request, 'url' => $url] = $sent;
        $headers = ['X-Signature' => $request['signature'], 'X-KeyId' => $request['keyId']];
        $body = (string) base64_decode($request['body']['base64'], true);
        return $this->post((string) parse_url($url, PHP_URL_PATH), body: $body, headers: $headers)[0];
    }

    private function orderId(): string
    {
        return $this->sandbox->control('/payments')['payments'][0]['orderId'];
    }

    private function isShipped(): bool
    {
        return $this->query('SELECT shipped FROM orders')->fetchColumn() === 1;
    }

    private function query(string $sql): \PDOStatement
    {
        return (new PDO("sqlite:$this->file"))->query($sql);
    }
}
