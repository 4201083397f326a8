<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Attention;
use MerchantPay\AvailableAmounts;
use MerchantPay\Balance;
use MerchantPay\Client;
use MerchantPay\ClientInterface;
use MerchantPay\Cause;
use MerchantPay\Code;
use MerchantPay\EventKind;
use MerchantPay\Exception\LibraryException;
use MerchantPay\Exception\MerchantPayException;
use MerchantPay\Ffi\Library;
use MerchantPay\Intent;
use MerchantPay\IntentState;
use MerchantPay\Journal;
use MerchantPay\JournalInterface;
use MerchantPay\Outcome;
use MerchantPay\Paid;
use MerchantPay\Payment;
use MerchantPay\PaymentMethod;
use MerchantPay\Protocol;
use MerchantPay\Reason;
use MerchantPay\Rounding;
use MerchantPay\Standing;
use MerchantPay\Status;
use MerchantPay\Style;
use MerchantPay\Until;
use PHPUnit\Framework\TestCase;

/**
 * Tests that the package has everything that the core has. The lists are read from the C header and from the
 * core's sources.
 */
final class ListsTest extends TestCase
{
    /** Functions of the library that PHP does not need, with the reasons. */
    private const UNUSED = [
        'mpay_amounts_get_minor' => 'sums are decimal text',
        'mpay_amount_minor' => 'sums are decimal text',
        'mpay_event_kind' => 'it is read with the fields',
        'mpay_explanation_cause' => 'the enum has the number',
        'mpay_event_payment' => 'all fields are read at once',
        'mpay_http_request_url' => 'it is read with the headers',
        'mpay_http_request_header_count' => 'all headers are read at once',
        'mpay_http_request_header_name' => 'all headers are read at once',
        'mpay_http_request_header_value' => 'all headers are read at once',
        'mpay_client_interrupt' => 'PHP has one thread, which is in the call',
        'mpay_journal_derive' => 'nobody could interrupt it',
        'mpay_journal_interrupt' => 'PHP has one thread, which is in the call',
        'mpay_config_clear_server_keys' => 'a config is made once, of all its settings',
        'mpay_config_from_env' => 'the environment of a request of php-fpm is not the process\'s',
        'mpay_stats_count' => 'all of the stats is read at once',
        'mpay_stats_attention' => 'all of the stats is read at once',
        'mpay_stats_due' => 'all of the stats is read at once',
        'mpay_stats_overdue_ms' => 'all of the stats is read at once',
        'mpay_stats_news' => 'all of the stats is read at once',
        'mpay_stats_pause_note' => 'all of the stats is read at once',
        'mpay_attention_name' => 'the enum has it',
        'mpay_code_name' => 'the enum has it',
        'mpay_outcome_name' => 'the enum has it',
        'mpay_status_name' => 'the enum has it',
        'mpay_reason_name' => 'the enum has it',
    ];

    /** The package does not call these functions: it calls one setter with the setting's name, and reads all fields at once. */
    private const BY_NAME_OR_AT_ONCE =
        '/^mpay_(((journal_)?config|payment_request)_(set|add)|payment|entry|error|attempt)_(?!fields$)/';

    public function testTheHeaderIsTheCores(): void
    {
        self::assertFileEquals(self::root() . '/include/merchantpay.ffi.h', dirname(__DIR__) . '/merchantpay.ffi.h');
        self::assertSame(self::constants('HEADER_ABI')[''], Library::ABI_VERSION);
        self::assertSame(self::constants('HEADER_VERSION_NUMBER')[''], Library::OLDEST);
    }

    public function testEveryFunctionIsUsed(): void
    {
        $source = self::sources(dirname(__DIR__) . '/src');
        preg_match_all('/\b(mpay_\w+)\(/', Library::declarations(), $found);
        $functions = preg_grep(self::BY_NAME_OR_AT_ONCE, $found[1], PREG_GREP_INVERT);
        $functions = array_diff($functions, array_keys(self::UNUSED));
        self::assertGreaterThan(60, count($functions));
        $missing = array_filter($functions, static fn (string $name): bool => !self::isUsed($name, $source));
        self::assertSame([], array_values($missing));
        foreach (array_keys(self::UNUSED) as $name) {
            self::assertFalse(self::isUsed($name, $source), $name);
        }
    }

    /** @return array<string, array{string, class-string<\BackedEnum>}> */
    public static function enums(): array
    {
        return [
            'codes' => ['', Code::class],
            'outcomes' => ['OUTCOME', Outcome::class],
            'reasons' => ['REASON', Reason::class],
            'statuses' => ['STATUS', Status::class],
            'events' => ['EVENT', EventKind::class],
            'causes' => ['CAUSE', Cause::class],
            'comparisons' => ['PAID', Paid::class],
            'roundings' => ['ROUNDING', Rounding::class],
            'balances' => ['BALANCE', Balance::class],
            'standings' => ['STANDING', Standing::class],
            'intents' => ['INTENT', Intent::class],
            'states of intents' => ['INTENT_STATE', IntentState::class],
            'styles' => ['STYLE', Style::class],
            'reasons of attention' => ['ATTENTION', Attention::class],
            'untils' => ['UNTIL', Until::class],
        ];
    }

    /**
     * @dataProvider enums
     * @param class-string<\BackedEnum> $enum
     */
    public function testEveryConstantIsACaseWithItsNumberAndDocumentation(string $prefix, string $enum): void
    {
        $constants = $prefix === '' ? self::codes() : self::constants($prefix);
        $number = static fn (\UnitEnum $case): int => $case->number();
        self::assertSame($constants, self::numbers($enum::cases(), $number));
        foreach ($enum::cases() as $case) {
            self::assertSame($case, $enum::tryFromNumber($case->number()));
            $documentation = (new \ReflectionEnumBackedCase($enum, $case->name))->getDocComment();
            self::assertNotFalse($documentation, $case->name);
        }
        self::assertNull($enum::tryFromNumber(-1));
        self::assertNull($enum::tryFromNumber(9999));
    }

    /**
     * @return array<string, array{string, class-string<\BackedEnum>}> the library's function that returns a
     * name
     */
    public function names(): array
    {
        return [
            'codes' => ['mpay_code_name', Code::class],
            'outcomes' => ['mpay_outcome_name', Outcome::class],
            'statuses' => ['mpay_status_name', Status::class],
            'reasons' => ['mpay_reason_name', Reason::class],
        ];
    }

    /**
     * @dataProvider names
     * @param class-string<\BackedEnum> $enum
     */
    public function testEveryNameIsTheLibrarys(string $function, string $enum): void
    {
        foreach ($enum::cases() as $case) {
            self::assertSame($case->value, Library::ffi()->$function($case->number()));
        }
    }

    public function testEveryCodeHasAnExceptionOfItsOwn(): void
    {
        $folder = dirname(__DIR__) . '/src/Exception/';
        $others = ['InterruptedException', 'LibraryException', 'MerchantPayException'];
        $names = array_map(static fn (Code $code): string => $code->name . 'Exception', Code::cases());
        $files = array_map(static fn (string $file): string => basename($file, '.php'), (array) glob("$folder*.php"));
        self::assertEqualsCanonicalizing([...$names, ...$others], $files);
        foreach (Code::cases() as $code) {
            $class = 'MerchantPay\Exception\\' . $code->name . 'Exception';
            self::assertSame(MerchantPayException::class, get_parent_class($class));
            self::assertNotFalse((new \ReflectionClass($class))->getDocComment(), $class);
            $made = new $class('made by a test', Outcome::Rejected, description: 'no');
            self::assertSame([$code->value, $code->number()], [$made->code(), $made->getCode()]);
            self::assertSame([$code, Outcome::Rejected], [$made->codeCase(), $made->outcomeCase()]);
        }
        self::assertSame(MerchantPayException::class, get_parent_class(LibraryException::class));
    }

    public function testEveryMethodOfPaymentIsACase(): void
    {
        $core = self::sources(self::root() . '/crates/merchantpay/src', 'rs');
        self::assertSame(1, preg_match('/pub enum PaymentMethod \{(.*?)\n *\}/s', $core, $body));
        preg_match_all('/^ +([A-Z]\w+),/m', $body[1], $found);
        $names = array_map(static fn (PaymentMethod $case): string => $case->name, PaymentMethod::cases());
        self::assertSame($found[1], $names);
    }

    public function testEveryOperationIsAMethodOfClientItsInterfaceAndProtocol(): void
    {
        preg_match_all('/\bmpay_prepare_(\w+)\(/', Library::declarations(), $found);
        self::assertCount(7, $found[1]);
        foreach (array_map(self::camel(...), $found[1]) as $name) {
            $methods = [
                new \ReflectionMethod(Client::class, $name),
                new \ReflectionMethod(ClientInterface::class, $name),
                new \ReflectionMethod(Protocol::class, 'prepare' . ucfirst($name)),
            ];
            foreach ($methods as $method) {
                self::assertNotFalse($method->getDocComment(), $name);
                self::assertSame(self::parameters($methods[0]), self::parameters($method));
            }
        }
        self::assertTrue(is_subclass_of(Client::class, ClientInterface::class));
    }

    /** @dataProvider interfaces */
    public function testEachPublicMethodIsInItsInterface(string $class, string $interface): void
    {
        $own = array_filter(
            (new \ReflectionClass($class))->getMethods(\ReflectionMethod::IS_PUBLIC),
            static fn (\ReflectionMethod $method): bool => !$method->isStatic() && $method->name[0] !== '_',
        );
        $names = static fn (array $methods): array => array_column($methods, 'name');
        self::assertEqualsCanonicalizing($names((new \ReflectionClass($interface))->getMethods()), $names($own));
    }

    /** @return list<array{class-string, class-string}> */
    public static function interfaces(): array
    {
        return [[Client::class, ClientInterface::class], [Journal::class, JournalInterface::class]];
    }

    public function testEveryFieldOfAPaymentIsADocumentedPropertyInTheLibrarysOrder(): void
    {
        preg_match_all('/char \*mpay_payment_(?!request)(\w+)\(/', Library::declarations(), $found);
        $fields = array_map(self::camel(...), array_values(array_diff($found[1], ['json'])));
        self::assertGreaterThan(10, count($fields));
        $properties = (new \ReflectionClass(Payment::class))->getProperties(\ReflectionProperty::IS_PUBLIC);
        self::assertSame($fields, array_column($properties, 'name'));
        foreach ($properties as $property) {
            self::assertNotFalse($property->getDocComment(), $property->name);
            self::assertTrue($property->isReadOnly(), $property->name);
        }
        self::assertTrue(property_exists(AvailableAmounts::class, 'availableAmounts'));
        self::assertTrue(property_exists(AvailableAmounts::class, 'otherAmountsPossible'));
    }

    public function testEveryFieldOfARequestIsADocumentedArgument(): void
    {
        preg_match_all('/\bmpay_payment_request_set_(\w+)\(/', Library::declarations(), $found);
        $arguments = '';
        foreach (['getAvailableAmounts', 'newPayment', 'newPaymentAsync'] as $method) {
            $method = new \ReflectionMethod(Client::class, $method);
            foreach (self::parameters($method) as $name) {
                self::assertStringContainsString(" $$name ", (string) $method->getDocComment());
                $arguments .= " $name ";
            }
        }
        foreach (array_diff($found[1], ['sum_minor']) as $field) {
            self::assertStringContainsString(' ' . self::camel($field) . ' ', $arguments);
        }
    }

    public function testEverySettingIsADocumentedArgumentOfClientAndProtocol(): void
    {
        preg_match_all('/\bmpay_config_(?:set|add)_(\w+)\(/', Library::declarations(), $found);
        self::assertGreaterThan(20, count($found[1]));
        $others = [
            'log_callback' => ['logger'],
            'signer_callback' => ['signer'],
            'client_certificate' => ['clientCertFile', 'clientKeyFile'],
        ];
        $names = array_map(static fn (string $name): array => $others[$name] ?? [self::camel($name)], $found[1]);
        foreach ([Client::class, Protocol::class] as $class) {
            $constructor = new \ReflectionMethod($class, '__construct');
            self::assertEqualsCanonicalizing(array_merge(...$names), self::parameters($constructor));
            foreach (self::parameters($constructor) as $name) {
                self::assertStringContainsString(" $$name ", (string) $constructor->getDocComment());
            }
        }
    }

    public function testWhatAnErrorKnowsIsAMethod(): void
    {
        preg_match_all('/\bmpay_error_(\w+)\(/', Library::declarations(), $found);
        $elsewhere = ['free', 'fields', 'body_len', 'code_name', 'outcome_name', 'message', 'reason_code'];
        foreach (array_diff($found[1], $elsewhere) as $name) {
            self::assertTrue(method_exists(MerchantPayException::class, self::camel($name)), $name);
        }
    }

    public function testEveryFileIsStrict(): void
    {
        foreach (self::files(dirname(__DIR__) . '/src', 'php') as $file) {
            self::assertStringContainsString('declare(strict_types=1);', (string) file_get_contents($file), $file);
        }
    }

    /** Returns true if a function is used by its full name, or by a name that the sources compose from parts. */
    private static function isUsed(string $name, string $source): bool
    {
        if (preg_match("/\\b$name\\b/", $source) === 1) {
            return true;
        }
        foreach (['mpay_prepare_', 'mpay_open_'] as $prefix) {
            if (str_starts_with($name, $prefix) && str_contains($source, "'$prefix'")) {
                return str_contains($source, "'" . substr($name, strlen($prefix)) . "'");
            }
        }
        // Call::make composes the name of the function that frees an object from the object's type. NamedTexts
        // composes the names of the functions that make an object and set its settings in the same way.
        return str_contains($source, "'" . preg_replace('/_(free|new|set)$/', '', $name) . "'");
    }

    /** @return list<string> */
    private static function parameters(\ReflectionMethod $method): array
    {
        return array_column($method->getParameters(), 'name');
    }

    /** @return array<string, int> the header's constants that belong to no other list */
    private static function codes(): array
    {
        $prefixes = array_diff(array_column(self::enums(), 0), ['']);
        $names = static fn (string $prefix): array => array_keys(self::constants($prefix, $prefix . '_'));
        $others = array_merge(...array_map($names, array_values($prefixes)));
        $others = [...$others, 'HEADER_VERSION_NUMBER', 'HEADER_ABI', 'OK'];
        return array_diff_key(self::constants(''), array_flip($others));
    }

    /** @return array<string, int> */
    private static function constants(string $prefix, string $keep = ''): array
    {
        $prefix = 'MPAY_' . $prefix;
        preg_match_all("/enum \{ $prefix(?!_STATE)(\w*) = (\d+) \};/", Library::declarations(), $found);
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
