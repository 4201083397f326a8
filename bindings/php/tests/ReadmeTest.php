<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\TestCase;

/** Tests that the PHP code of the README runs. */
final class ReadmeTest extends TestCase
{
    /** @return array<string, array{string}> */
    public function blocks(): array
    {
        $text = (string) file_get_contents(dirname(__DIR__) . '/README.md');
        preg_match_all('/^## ([^\n]+)\n(?:(?!\n## ).)*?^```php\n(.*?)^```$/ms', $text, $found, PREG_SET_ORDER);
        self::assertCount(substr_count($text, '```php'), $found);
        return array_combine(array_column($found, 1), array_map(static fn (array $one): array => [$one[2]], $found));
    }

    /** @dataProvider blocks */
    public function testBlockRuns(string $code): void
    {
        $file = $this->folder() . '/readme.php';
        $autoload = var_export(self::AUTOLOAD, true);
        file_put_contents($file, "<?php\ndeclare(strict_types=1);\nrequire $autoload;\n$code\necho \"the end\\n\";\n");
        $journal = $this->folder() . '/payments.db';
        Program::run([(string) getenv('MERCHANTPAY_PROGRAM'), 'journal', 'init', '--journal', $journal]);
        $flags = ['-dzend.assertions=1', '-derror_reporting=-1', '-ddisplay_errors=stderr'];
        $environment = self::sandbox()->environment + ['MERCHANTPAY_JOURNAL' => $journal];
        $printed = Program::run([PHP_BINARY, ...$flags, $file], $environment);
        self::assertStringEndsWith("the end\n", $printed);
        self::assertStringNotContainsString('Warning', $printed);
    }
}
