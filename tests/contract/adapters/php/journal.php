<?php

declare(strict_types=1);

namespace MerchantPay\Adapter;

use MerchantPay\Client;
use MerchantPay\Entry;
use MerchantPay\Journal;
use MerchantPay\Received;

final class JournalCommands
{
    private ?Journal $journal = null;

    /** @var list<Entry> all entries that were returned, by their numbers */
    private array $entries = [];

    /**
     * @param array<string, mixed> $command
     * @return array<string, mixed>
     */
    public function answer(array $command): array
    {
        $name = $command['do'];
        foreach (['entry', 'before'] as $argument) {
            if (isset($command[$argument])) {
                $command[$argument] = $this->entries[$command[$argument]];
            }
        }
        return match ($name) {
            'journal_open' => $this->open($command),
            'journal_close' => $this->close(),
            'pay', 'pay_async', 'replace' => $this->one($this->call($name, $command + $command['request'])),
            'wait', 'find' => $this->one($this->call($name, $command)),
            'confirm', 'cancel' => $this->one($this->call($name, $command, entry: 'reference')),
            'resolve' => $this->one($this->call($name, $command, entry: 'item')),
            'acknowledge' => ['changed' => $this->call($name, $command, entry: 'reference')],
            'acknowledge_sql' => array_combine(
                ['text', 'parameters'],
                $command['entry']->acknowledgeSql($command['style']),
            ),
            'list', 'news', 'attention' => ['entries' => array_map($this->shown(...), $this->call($name, $command))],
            'settle' => fields($this->call($name, $command)),
            'stats' => ['stats' => ['pause' => $this->journal->stats()->pauseNote] + (array) $this->journal->stats()],
            'receive' => $this->received($this->call($name, ['body' => hex2bin($command['body'])] + $command)),
        };
    }

    /**
     * @param array<string, mixed> $command
     * @return array<string, mixed>
     */
    private function open(array $command): array
    {
        $client = make(Client::class, ['settings' => $command['client']] + $command);
        $settings = ['client' => $client, 'place' => $command['place']] + $command['settings'];
        $this->journal = callBy(Journal::class, '__construct', $settings);
        return [];
    }

    /** @return array<string, mixed> */
    private function close(): array
    {
        $this->journal?->close();
        $this->journal = null;
        $this->entries = [];
        return [];
    }

    /**
     * @param array<string, mixed> $command
     * @param string $entry the argument of the method that takes an entry
     */
    private function call(string $name, array $command, string $entry = 'entry'): mixed
    {
        $arguments = array_diff_key($command, array_flip(['do', 'request', 'entry', 'callbacks']));
        if (isset($command['entry'])) {
            $arguments[$entry] = $command['entry'];
        }
        return callBy($this->journal, inPhp($name), $arguments);
    }

    /** @return array<string, mixed> */
    private function one(?Entry $entry): array
    {
        return ['entry' => $entry === null ? null : $this->shown($entry)];
    }

    /** @return array<string, mixed> */
    private function received(Received $received): array
    {
        $error = $received->error === null ? [] : ['error' => failure($received->error)];
        return ['http_status' => $received->httpStatus] + $this->one($received->entry) + $error;
    }

    /** @return array<string, mixed> */
    private function shown(Entry $entry): array
    {
        $this->entries[] = $entry;
        $fields = fields($entry);
        foreach (['credentials', 'error'] as $name) {
            if (isset($fields[$name])) {
                $fields[$name] = (object) fields($fields[$name]);
            }
        }
        return ['entry' => count($this->entries) - 1, 'fields' => $fields, 'json' => $entry->json()];
    }
}
