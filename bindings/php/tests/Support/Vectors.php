<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

/** The vectors that every language is held against: tests/contract/vectors of the project, whose README says what a case is. */
final class Vectors
{
    public const FILES = [
        'amounts', 'headers', 'keys', 'misdirected', 'receipts', 'replies', 'requests', 'statuses', 'webhooks',
    ];

    /** @return list<string> the files that there are */
    public static function files(): array
    {
        $paths = (array) glob(self::folder() . '/*.json');
        $files = array_map(static fn (string $path) => basename($path, '.json'), $paths);
        sort($files);
        return $files;
    }

    /** @return list<array<string, mixed>> the cases of a file, each with the settings that hold for it */
    public static function of(string $file): array
    {
        $text = (string) file_get_contents(self::folder() . "/$file.json");
        $document = json_decode($text, true, 512, JSON_THROW_ON_ERROR);
        if ($document['count'] !== count($document['cases']) || $document['count'] < 30) {
            throw new \LogicException("$file: the number of its cases is wrong");
        }
        $merged = static fn (array $case): array
            => ['settings' => ($case['settings'] ?? []) + $document['settings']] + $case;
        return array_map($merged, $document['cases']);
    }

    /** @param string|array{base64: string} $value */
    public static function bytes(string|array $value): string
    {
        return is_string($value) ? $value : (string) base64_decode($value['base64'], true);
    }

    private static function folder(): string
    {
        return dirname(__DIR__, 4) . '/tests/contract/vectors';
    }
}
