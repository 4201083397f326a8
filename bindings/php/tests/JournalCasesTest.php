<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Tests\Support\Folder;
use PHPUnit\Framework\TestCase;

/** The cases of all languages, with the journal in a file. */
final class JournalCasesTest extends TestCase
{
    /** @return array<string, array{list<array<string, mixed>>}> */
    public function cases(): array
    {
        return JournalCases::all();
    }

    /**
     * @dataProvider cases
     * @param list<array<string, mixed>> $steps
     */
    public function testInAFile(array $steps): void
    {
        $folder = new Folder();
        JournalCases::run("$folder->path/payments.db", $steps);
    }
}
