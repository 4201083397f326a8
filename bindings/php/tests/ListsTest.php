<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\AvailableAmounts;
use MerchantPay\Balance;
use MerchantPay\Client;
use MerchantPay\Code;
use MerchantPay\EventKind;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Library;
use MerchantPay\Outcome;
use MerchantPay\Payment;
use MerchantPay\PaymentMethod;
use MerchantPay\Protocol;
use MerchantPay\Reason;
use MerchantPay\Rounding;
use MerchantPay\Status;
use PHPUnit\Framework\TestCase;

/** What the core has, this package has too: its lists are read from the core's header and sources, not written down again. */
final class ListsTest extends TestCase
{
    /** Functions that are no use here: what they give is had otherwise. */
    private const UNUSED = [
        'mpay_payment_request_set_sum_minor' => 'sums are decimal text',
        'mpay_amounts_get_minor' => 'sums are decimal text',
        'mpay_payment_sum_minor' => 'sums are decimal text',
        'mpay_amount_minor' => 'sums are decimal text',
        'mpay_payment_order_id' => 'all fields are read at once',
        'mpay_payment_sum' => 'all fields are read at once',
        'mpay_payment_currency' => 'all fields are read at once',
        'mpay_payment_payee_account' => 'all fields are read at once',
        'mpay_payment_payee_account_bank' => 'all fields are read at once',
        'mpay_payment_payee_name' => 'all fields are read at once',
        'mpay_payment_deal_sum' => 'all fields are read at once',
        'mpay_payment_deal_currency' => 'all fields are read at once',
        'mpay_payment_deal_rate' => 'all fields are read at once',
        'mpay_payment_deeplink' => 'all fields are read at once',
        'mpay_payment_status' => 'all fields are read at once',
        'mpay_payment_is_final' => 'all fields are read at once',
        'mpay_payment_json' => 'all fields are read at once',
        'mpay_event_kind' => 'it is read with the fields',
        'mpay_event_payment' => 'all fields are read at once',
        'mpay_http_request_url' => 'it is read with the headers',
        'mpay_http_request_header_count' => 'all headers are read at once',
        'mpay_http_request_header_name' => 'all headers are read at once',
        'mpay_http_request_header_value' => 'all headers are read at once',
        'mpay_client_interrupt' => 'PHP has one thread, which is in the call',
    ];

    /** New settings and answers, which reach this language with the generated bindings. */
    private const LATER = [
        'mpay_config_set_allow_http',
        'mpay_config_set_exclusive_ca',
        'mpay_config_add_pin_spki',
        'mpay_config_set_client_certificate',
        'mpay_payment_paid',
        'mpay_error_is_transient',
        'mpay_config_set_reuse_idle_ms',
        'mpay_config_set_connect_idle_ms',
        'mpay_client_connect',
        'mpay_wait',
    ];

    public function testTheHeaderIsTheCores(): void
    {
        self::assertFileEquals(self::root() . '/include/merchantpay.ffi.h', dirname(__DIR__) . '/merchantpay.ffi.h');
        self::assertSame(self::constants('ABI_VERSION')[''], Library::ABI_VERSION);
        self::assertSame(self::constants('VERSION_NUMBER')[''], Library::OLDEST);
    }

    public function testEveryFunctionIsUsed(): void
    {
        $source = self::sources(dirname(__DIR__) . '/src');
        preg_match_all('/\b(mpay_\w+)\(/', Library::declarations(), $found);
        $functions = array_diff($found[1], array_keys(self::UNUSED));
        self::assertGreaterThan(90, count($functions));
        $missing = array_filter($functions, static fn (string $name): bool => !self::isUsed($name, $source));
        self::assertEqualsCanonicalizing(self::LATER, $missing);
    }

    public function testEveryCodeHasAnExceptionOfItsOwn(): void
    {
        $outcomes = self::constants('OUTCOME');
        $others = array_merge(...array_map(
            static fn (string $prefix): array => array_keys(self::constants($prefix, $prefix . '_')),
            ['OUTCOME', 'EVENT', 'BALANCE', 'ROUNDING', 'PAID'],
        ));
        $codes = array_diff_key(self::constants(''), array_flip([...$others, 'VERSION_NUMBER', 'ABI_VERSION', 'OK']));
        self::assertSame($codes, self::numbers(Code::cases(), static fn (Code $code): int => $code->number()));
        foreach (Code::cases() as $code) {
            self::assertSame($code, Code::tryFromNumber($code->number()));
            self::assertTrue(is_subclass_of(
                'MerchantPay\Exception\\' . $code->name . 'Exception',
                MerchantPayException::class,
            ), $code->name);
        }
        self::assertCount(count($outcomes), Outcome::cases());
        foreach ($outcomes as $name => $number) {
            self::assertSame(strtolower($name), Outcome::tryFromNumber($number)?->value);
        }
    }

    /** @return array<string, array{string, class-string<\BackedEnum>}> */
    public function enums(): array
    {
        return [
            'events' => ['EVENT', EventKind::class],
            'roundings' => ['ROUNDING', Rounding::class],
            'balances' => ['BALANCE', Balance::class],
        ];
    }

    /**
     * @dataProvider enums
     * @param class-string<\BackedEnum> $enum
     */
    public function testEveryConstantIsACase(string $prefix, string $enum): void
    {
        $names = array_map(self::upper(...), $enum::cases());
        self::assertSame(array_keys(self::constants($prefix)), $names);
    }

    public function testEveryReasonStatusAndMethodIsACase(): void
    {
        $core = self::sources(self::root() . '/crates/merchantpay/src', 'rs');
        foreach ([Reason::class, Status::class, PaymentMethod::class] as $enum) {
            $name = substr((string) strrchr($enum, '\\'), 1);
            self::assertSame(1, preg_match("/pub enum $name \{(.*?)\n *\}/s", $core, $body), $name);
            preg_match_all('/^ +([A-Z]\w+)(?:,| =)/m', $body[1], $found);
            self::assertSame(
                array_values(array_diff($found[1], ['Other', 'Unknown'])),
                array_map(static fn (\UnitEnum $case): string => $case->name, $enum::cases()),
            );
        }
    }

    public function testEveryOperationIsAMethod(): void
    {
        preg_match_all('/\bmpay_prepare_(\w+)\(/', Library::declarations(), $found);
        self::assertCount(7, $found[1]);
        foreach ($found[1] as $operation) {
            $name = self::camel($operation);
            self::assertTrue(method_exists(Client::class, $name), $name);
            self::assertTrue(method_exists(Protocol::class, 'prepare' . ucfirst($name)), $name);
        }
    }

    public function testEveryFieldIsAProperty(): void
    {
        preg_match_all('/char \*mpay_payment_(?!request)(\w+)\(/', Library::declarations(), $found);
        self::assertGreaterThan(10, count($found[1]));
        foreach (array_diff($found[1], ['json']) as $field) {
            self::assertTrue((new \ReflectionProperty(Payment::class, self::camel($field)))->isPublic(), $field);
        }
        self::assertTrue(property_exists(AvailableAmounts::class, 'availableAmounts'));
        self::assertTrue(property_exists(AvailableAmounts::class, 'otherAmountsPossible'));

        preg_match_all('/\bmpay_payment_request_set_(\w+)\(/', Library::declarations(), $found);
        $parameters = [];
        foreach (['getAvailableAmounts', 'newPaymentAsync'] as $method) {
            foreach ((new \ReflectionMethod(Client::class, $method))->getParameters() as $parameter) {
                $parameters[] = $parameter->getName();
            }
        }
        foreach (array_diff($found[1], ['sum_minor']) as $field) {
            self::assertContains(self::camel($field), $parameters);
        }
    }

    public function testEverySettingIsAParameter(): void
    {
        preg_match_all('/\bmpay_config_set_(\w+)\(/', Library::declarations(), $found);
        $parameters = array_map(
            static fn (\ReflectionParameter $parameter): string => $parameter->getName(),
            (new \ReflectionMethod(Client::class, '__construct'))->getParameters(),
        );
        foreach (self::withoutLater('mpay_config_set_', $found[1]) as $setting) {
            $name = ['log_callback' => 'logger', 'signer_callback' => 'signer'][$setting] ?? self::camel($setting);
            self::assertContains($name, $parameters);
        }
    }

    public function testWhatAnErrorKnowsIsAMethod(): void
    {
        preg_match_all('/\bmpay_error_(\w+)\(/', Library::declarations(), $found);
        $elsewhere = ['free', 'body_len', 'code_name', 'outcome_name', 'message'];
        foreach (self::withoutLater('mpay_error_', array_diff($found[1], $elsewhere)) as $name) {
            self::assertTrue(method_exists(MerchantPayException::class, self::camel($name)), $name);
        }
    }

    public function testEveryFileIsStrict(): void
    {
        foreach (self::files(dirname(__DIR__) . '/src', 'php') as $file) {
            self::assertStringContainsString('declare(strict_types=1);', (string) file_get_contents($file), $file);
        }
    }

    /**
     * @param array<string> $names
     * @return array<string>
     */
    private static function withoutLater(string $prefix, array $names): array
    {
        return array_filter($names, static fn (string $name): bool => !in_array($prefix . $name, self::LATER, true));
    }

    /** Used by its name, or put together of the parts that the sources put it together of. */
    private static function isUsed(string $name, string $source): bool
    {
        if (str_contains($source, $name)) {
            return true;
        }
        foreach (['mpay_config_set_', 'mpay_payment_request_set_', 'mpay_prepare_', 'mpay_open_'] as $prefix) {
            if (str_starts_with($name, $prefix) && str_contains($source, "'$prefix'")) {
                $rest = substr($name, strlen($prefix));
                return str_contains($source, "'$rest'") || str_contains($source, "'" . self::camel($rest) . "'");
            }
        }
        // Call::make frees what it makes by the name of its type.
        return str_ends_with($name, '_free') && str_contains($source, "'" . substr($name, 0, -5) . "'");
    }

    /** @return array<string, int> */
    private static function constants(string $prefix, string $keep = ''): array
    {
        $prefix = 'MPAY_' . $prefix;
        preg_match_all("/enum \{ $prefix(\w*) = (\d+) \};/", Library::declarations(), $found);
        self::assertNotSame([], $found[1]);
        $names = array_map(static fn (string $name): string => $keep . ltrim($name, '_'), $found[1]);
        return array_combine($names, array_map('intval', $found[2]));
    }

    /**
     * @param list<\UnitEnum> $cases
     * @return array<string, int>
     */
    private static function numbers(array $cases, \Closure $number): array
    {
        return array_combine(array_map(self::upper(...), $cases), array_map($number, $cases));
    }

    private static function upper(\UnitEnum $case): string
    {
        return strtoupper((string) preg_replace('/(?<!^)[A-Z]/', '_$0', $case->name));
    }

    private static function camel(string $name): string
    {
        return lcfirst(str_replace('_', '', ucwords($name, '_')));
    }

    private static function sources(string $folder, string $ending = 'php'): string
    {
        return implode("\n", array_map('file_get_contents', self::files($folder, $ending)));
    }

    /** @return list<string> */
    private static function files(string $folder, string $ending): array
    {
        $files = [];
        foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($folder)) as $file) {
            if ($file->getExtension() === $ending) {
                $files[] = $file->getPathname();
            }
        }
        return $files;
    }

    private static function root(): string
    {
        return dirname(__DIR__, 3);
    }
}
