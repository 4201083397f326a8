<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

use FFI;
use FFI\CData;
use MerchantPay\Database\Effect;
use MerchantPay\Database\Rows;
use MerchantPay\Database\StatementException;

/**
 * The merchant's database. During a call the library runs statements on this database through a callback, on the
 * same thread. No exception may pass through C.
 *
 * If a statement fails, the callback returns its possible effect. An exception of the factory (the function that
 * makes connections) becomes the previous exception of the call's exception.
 *
 * @internal
 */
final class Database
{
    use Opaque;

    /** The factory's last exception, until the factory succeeds again. */
    private ?\Throwable $thrown = null;

    /** @param \Closure(string, list<?string>): Rows $run */
    public function __construct(private readonly \Closure $run)
    {
    }

    /** @return array{CData, CData, CData} the callback, its user_data, and the function that releases the user_data */
    public function callback(): array
    {
        return UserData::of($this, 'mpay_database_callback', self::run(...));
    }

    private static function run(CData $userData, string $sql, ?CData $parameters, int $count, CData $out): int
    {
        try {
            return UserData::object($userData)->answer($sql, self::texts($parameters, $count), $out);
        } catch (\Throwable) {
            return Library::ffi()->MPAY_DATABASE_UNCLEAR;
        }
    }

    /** @param list<?string> $parameters */
    private function answer(string $sql, #[\SensitiveParameter] array $parameters, CData $out): int
    {
        $ffi = Library::ffi();
        try {
            $rows = ($this->run)($sql, $parameters);
            foreach ($rows->rows as $row) {
                self::add($out, $row);
            }
            $ffi->mpay_rows_set_affected($out, $rows->affected);
            $this->note(null);
            return $ffi->MPAY_DATABASE_OK;
        } catch (StatementException $failure) {
            $ffi->mpay_rows_set_message($out, strtr($failure->getMessage(), "\0", ' '));
            $this->note($failure->getPrevious());
            return match ($failure->effect) {
                Effect::Duplicate => $ffi->MPAY_DATABASE_DUPLICATE,
                Effect::None => $ffi->MPAY_DATABASE_FAILED,
                Effect::Unclear => $ffi->MPAY_DATABASE_UNCLEAR,
            };
        }
    }

    /** Keeps the exception of the last statement. After a successful retry there is no exception to report. */
    private function note(?\Throwable $thrown): void
    {
        if ($thrown !== null || Callbacks::$thrown === $this->thrown) {
            Callbacks::$thrown = $thrown;
        }
        $this->thrown = $thrown;
    }

    /** @return list<?string> */
    private static function texts(?CData $parameters, int $count): array
    {
        $texts = [];
        for ($place = 0; $place < $count; $place++) {
            $texts[] = $parameters[$place];
        }
        return $texts;
    }

    /**
     * Adds a row. The texts are NUL-terminated and follow each other in memory. C gets the address of each text.
     *
     * @param list<?string> $row
     */
    private static function add(CData $out, #[\SensitiveParameter] array $row): void
    {
        $ffi = Library::ffi();
        $all = implode("\0", $row) . "\0";
        if (substr_count($all, "\0") !== count($row)) {
            throw new StatementException(Effect::Unclear, 'a text of the database has a NUL in it');
        }
        $length = strlen($all);
        $buffer = $ffi->new("char[$length]");
        FFI::memcpy($buffer, $all, $length);
        $address = $ffi->cast('uintptr_t', FFI::addr($buffer))->cdata;
        $values = $ffi->new('uintptr_t[' . count($row) . ']');
        foreach ($row as $place => $text) {
            $values[$place] = $text === null ? 0 : $address;
            $address += strlen((string) $text) + 1;
        }
        $ffi->mpay_rows_add($out, $ffi->cast('const char **', FFI::addr($values)), count($row));
    }
}
