<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Tests\Support\Folder;
use MerchantPay\Tests\Support\Program;
use MerchantPay\Tests\Support\Sandbox;
use PHPUnit\Framework\TestCase;

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
    public function testABlockRuns(string $code): void
    {
        $file = tempnam(sys_get_temp_dir(), 'readme');
        self::assertIsString($file);
        $autoload = var_export(dirname(__DIR__) . '/autoload.php', true);
        file_put_contents($file, "<?php\ndeclare(strict_types=1);\nrequire $autoload;\n$code\necho \"the end\\n\";\n");
        $flags = ['-dzend.assertions=1', '-derror_reporting=-1', '-ddisplay_errors=stderr'];
        $folder = new Folder();
        $journal = ['MERCHANTPAY_JOURNAL' => Sandbox::createJournal("$folder->path/payments.db")];
        $program = new Program([PHP_BINARY, ...$flags, $file], Sandbox::one()->environment + $journal);
        $printed = $program->rest();
        unlink($file);
        self::assertSame(0, $program->exitStatus(), $printed);
        self::assertStringEndsWith("the end\n", $printed);
        self::assertStringNotContainsString('Warning', $printed);
    }
}
