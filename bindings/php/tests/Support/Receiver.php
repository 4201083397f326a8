<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

use MerchantPay\Event;
use MerchantPay\WebhookVerifier;

/** An address for webhooks. They wait in the listener's queue until somebody asks for the next one. */
final class Receiver
{
    public readonly string $url;

    /** @var resource */
    private $listener;

    public function __construct(private readonly WebhookVerifier $verifier)
    {
        $this->listener = stream_socket_server('tcp://127.0.0.1:0');
        $this->url = 'http://' . stream_socket_get_name($this->listener, false) . '/hook';
    }

    public function next(): Event
    {
        $connection = stream_socket_accept($this->listener, 20);
        $request = Http::read($connection);
        fwrite($connection, Http::message('HTTP/1.1 200 OK', [], ''));
        fclose($connection);
        return $this->verifier->verify(
            $request['body'],
            $request['headers']['x-signature'] ?? null,
            $request['headers']['x-keyid'] ?? null,
        );
    }
}
