<?php

declare(strict_types=1);

namespace MerchantPay\Adapter;

/** The callbacks of a command, and what they got, which belongs to its answer. */
final class Callbacks
{
    /** @var array<string, list<mixed>> */
    public array $got = [];

    /** @param array<string, mixed> $command */
    public function __construct(private readonly array $command)
    {
        foreach (array_intersect_key(['signer' => 'signed', 'logger' => 'log'], $command) as $name) {
            $this->got[$name] = [];
        }
    }

    /** @return array<string, mixed> the arguments of a client or a protocol */
    public function arguments(): array
    {
        return array_intersect_key(['signer' => $this->sign(...), 'logger' => $this], $this->command);
    }

    public function sign(string $message): string
    {
        $this->got['signed'][] = bin2hex($message);
        $signer = $this->command['signer'];
        return hex2bin($signer['returns'] ?? throw new \RuntimeException($signer['fails']));
    }

    /** @param array<string, mixed> $context */
    public function log(string $level, string $message, array $context): void
    {
        $event = array_diff_key($context, ['elapsedMs' => 0, 'attempt' => 0]) + ['number' => $context['attempt']];
        $this->got['log'][] = array_map(strval(...), fields((object) $event));
        if ($this->command['logger'] === 'fails') {
            throw new \RuntimeException($message);
        }
    }
}
