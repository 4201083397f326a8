<?php

declare(strict_types=1);

namespace MerchantPay\Adapter;

use MerchantPay\Client;
use MerchantPay\Entry;
use MerchantPay\Journal;
use MerchantPay\Received;
use PDO;
use ReflectionMethod;

/** The commands of a journal, over a file or PDO. */
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
        if (is_int($command['entry'] ?? null)) {
            $command['entry'] = $this->entries[$command['entry']];
        }
        return match ($name) {
            'journal_open' => $this->open($command),
            'journal_close' => $this->close(),
            'pay', 'pay_async' => $this->one($this->call($name, $command + $command['request'], ['request'])),
            'confirm', 'cancel', 'wait', 'find' => $this->one($this->call($name, $command)),
            'list', 'news', 'attention' => $this->many($this->call($name, $this->behind($command))),
            'acknowledge' => ['changed' => $this->call($name, $command)],
            'resolve' => (array) $this->call($name, $command),
            'settle' => fields($this->call($name, $command)),
            'stats' => ['stats' => $this->journal->stats()],
            'purge', 'forget' => ['count' => $this->call($name, $command)],
            'export' => ['lines' => iterator_to_array($this->journal->export(), false)],
            'import' => ['changed' => $this->call($name, $command)],
            'pause', 'resume', 'backup' => (array) $this->call($name, $command),
            'receive' => $this->received($this->call($name, ['body' => hex2bin($command['body'])] + $command)),
        };
    }

    /**
     * @param array<string, mixed> $command
     * @return array<string, mixed>
     */
    private function open(array $command): array
    {
        $place = $command['place'];
        $connect = static fn (): PDO => new PDO($place['dsn']);
        $settings = ['place' => $place['file'] ?? $connect, 'client' => make(Client::class, $command['client'])];
        $journal = make(Journal::class, $settings + $command['settings']);
        $journal->list(limit: 1); // A database is opened only at its first use, so this line uses it.
        $this->journal = $journal;
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
     * @param list<string> $without
     */
    private function call(string $name, array $command, array $without = []): mixed
    {
        $arguments = array_diff_key($command, array_flip(['do', ...$without]));
        return callBy(new ReflectionMethod($this->journal, inPhp($name)), $this->journal, $arguments);
    }

    /**
     * @param array<string, mixed> $command
     * @return array<string, mixed>
     */
    private function behind(array $command): array
    {
        return isset($command['before']) ? ['before' => $this->entries[$command['before']]] + $command : $command;
    }

    /** @return array<string, mixed> */
    private function one(?Entry $entry): array
    {
        return ['entry' => $entry === null ? null : $this->shown($entry)];
    }

    /**
     * @param list<Entry> $entries
     * @return array<string, mixed>
     */
    private function many(array $entries): array
    {
        return ['entries' => array_map($this->shown(...), $entries)];
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
        $number = count($this->entries) - 1;
        $fields = fields($entry);
        unset($fields['is_orphan'], $fields['earlier']);
        foreach (['credentials', 'payment', 'error'] as $name) {
            if (isset($fields[$name])) {
                $fields[$name] = (object) fields($fields[$name]);
            }
        }
        $earlier = array_map($this->shown(...), $entry->earlier);
        $whole = ['entry' => $number, 'fields' => $fields, 'is_orphan' => $entry->isOrphan];
        return $whole + ['earlier' => $earlier, 'json' => $entry->json()];
    }
}
