<?php

declare(strict_types=1);

namespace MerchantPay\Tests;

use MerchantPay\Ffi\Frame;
use MerchantPay\Ffi\Handle;
use MerchantPay\Ffi\Records;
use PHPUnit\Framework\TestCase;

/** Tests that each value of a frame is where include/merchantpay.json says. */
final class FramesTest extends TestCase
{
    /** Records that are made by code of the package: their own fields differ. */
    private const MADE = ['attention', 'prepared', 'stats'];

    /** @return array<string, list<array<string, mixed>>> the fields of each record */
    private static function records(): array
    {
        return array_column(self::described('records'), 'fields', 'name');
    }

    /** @return list<array<string, mixed>> */
    private static function described(string $list): array
    {
        $text = (string) file_get_contents(dirname(__DIR__, 3) . '/include/merchantpay.json');
        return json_decode($text, true, flags: JSON_THROW_ON_ERROR)[$list];
    }

    public function testFrameIsReadAsItIsWritten(): void
    {
        $nested = Frame::of('a', '', null);
        $frame = Frame::of('text', '', null, -7, $nested, Frame::of());
        self::assertSame(['text', '', null, '-7', $nested, Frame::of()], Frame::read($frame));
        self::assertSame(['a', '', null], Frame::read($nested));
        self::assertSame([[], []], [Frame::read(Frame::of()), Frame::read('')]);
        self::assertSame(pack('l*', 2, 1, -2) . 'a', Frame::of('a', Frame::BULK));
        $settings = ['a' => true, 'x' => false, 'b' => 0, 'y' => null];
        self::assertSame(Frame::of('a', '1', 'b', '0'), Frame::pairs($settings));
    }

    public function testEveryFieldOfARecordIsReadFromItsPlace(): void
    {
        foreach (array_diff(array_keys(self::records()), [...self::MADE, 'request', 'position']) as $record) {
            [$frame, $expected] = self::filled($record, 1);
            $read = Records::{self::camel($record)}($frame);
            foreach ($expected as $name => $value) {
                self::assertSame($value, self::plain(self::value($read, $name)), "$record: $name");
            }
        }
    }

    public function testValuesOfAnOlderLibraryAreAbsent(): void
    {
        $payment = Records::payment(Frame::of('1', '{}', 'o-1'));
        self::assertSame(['o-1', null, true], [$payment->orderId, $payment->status, $payment->isFinal()]);
        self::assertSame([0, ''], [Records::entry('')->news, Records::event('')->kind]);
    }

    public function testEveryArgumentIsWrittenToItsPlace(): void
    {
        foreach (['request', 'position'] as $record) {
            foreach (self::records()[$record] as $place => $field) {
                $frame = Records::$record(...[self::camel($field['name']) => $field['kind'] === 'time' ? 5 : '5']);
                self::assertSame([$place => '5'], array_filter(Frame::read($frame)));
            }
        }
        foreach (self::described('calls') as $call) {
            $prefix = in_array($call['on'], ['journal', 'library', 'prepared'], true) ? $call['on'] . '_' : '';
            $method = self::camel($prefix . str_replace('prepared_', '', $call['name']));
            $parameters = (new \ReflectionMethod(Handle::class, $method))->getParameters();
            $names = array_map(self::camel(...), array_column($call['arguments'], 'name'));
            self::assertSame($names, array_slice(array_column($parameters, 'name'), 0, count($names)), $method);
        }
    }

    /** @return array{string, array<string, mixed>} the record with a different value in each field, and what is read */
    private static function filled(string $record, int $first): array
    {
        $values = $expected = [];
        foreach (self::records()[$record] as $place => $field) {
            $number = $first + $place;
            $name = self::camel($field['name']);
            [$values[], $expected[$name]] = match (true) {
                $field['kind'] === 'record' => self::filled($field['of'], 10 * $number),
                $field['list'] => [Frame::of("a$number", "b$number"), ["a$number", "b$number"]],
                $field['kind'] === 'flag' => ['1', true],
                in_array($field['kind'], ['number', 'long_number', 'milliseconds', 'time'], true)
                    => [$number, $number],
                default => ["text $number", "text $number"],
            };
        }
        return [Frame::of(...$values), $expected];
    }

    /** A property, an element, or what a method without arguments returns. */
    private static function value(mixed $read, string $name): mixed
    {
        return match (true) {
            is_array($read) => $read[$name],
            method_exists($read, $name) => $read->$name(),
            $name === 'number' => $read->getCode(),
            $name === 'message' => $read->getMessage(),
            default => $read->$name,
        };
    }

    /** A nested object as the array of its fields that the test fills. */
    private static function plain(mixed $value): mixed
    {
        if (!is_object($value)) {
            return $value;
        }
        $class = (new \ReflectionClass($value))->getShortName();
        $record = str_ends_with($class, 'Exception') ? 'error' : strtolower($class);
        $fields = [];
        foreach (array_map(self::camel(...), array_column(self::records()[$record], 'name')) as $name) {
            $fields[$name] = self::plain(self::value($value, $name));
        }
        return $fields;
    }

    private static function camel(string $name): string
    {
        return lcfirst(str_replace('_', '', ucwords($name, '_')));
    }
}
