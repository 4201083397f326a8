<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * The settings of a journal, in the library's format.
 *
 * @internal
 */
final class JournalConfig implements Builder
{
    use Opaque;

    /**
     * @param array<string, list<string>> $texts the settings by the names of the arguments; a journal in a file
     * also has the text file
     * @param string $dialect the name of the constant of the database's dialect
     */
    public function __construct(
        private readonly array $texts,
        private readonly ?Database $database,
        private readonly string $dialect,
    ) {
    }

    public function build(): Handle
    {
        $ffi = Library::ffi();
        $handle = NamedTexts::make('mpay_journal_config', $this->texts);
        $config = $handle->pointer();
        $ffi->mpay_journal_config_set_check_later($config, 1); // Opening then needs one statement less.
        if ($this->database !== null) {
            $sql = [$ffi->{$this->dialect}, $ffi->MPAY_PLACEHOLDERS_QUESTION];
            $ffi->mpay_journal_config_set_database($config, ...$sql, ...$this->database->callback());
        }
        return $handle;
    }

    /**
     * Checks the path of a file that may not exist yet: the library itself ignores PHP's setting open_basedir.
     */
    public static function file(string $file): string
    {
        Argument::path('the file', @file_exists($file) ? $file : dirname($file));
        return Argument::text('the file', $file);
    }
}
