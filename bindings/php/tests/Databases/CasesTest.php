<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Databases;

use MerchantPay\Tests\JournalCases;
use MerchantPay\Tests\Support\Place;
use PHPUnit\Framework\TestCase;

/** The cases of all languages, with the journal in each database, through PDO. */
final class CasesTest extends TestCase
{
    /** @return array<string, array{string, list<array<string, mixed>>}> */
    public function cases(): array
    {
        $cases = [];
        foreach (Place::names() as $database => [$place]) {
            foreach (JournalCases::all() as $name => [$steps]) {
                $cases["$database: $name"] = [$place, $steps];
            }
        }
        return $cases;
    }

    /**
     * @dataProvider cases
     * @param list<array<string, mixed>> $steps
     */
    public function testInADatabase(string $place, array $steps): void
    {
        JournalCases::run(Place::of($place)->factory(), $steps);
    }
}
