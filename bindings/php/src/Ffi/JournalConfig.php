<?php

declare(strict_types=1);

namespace MerchantPay\Ffi;

/**
 * The settings of a journal, as the library takes them. A setter's failure is kept by the config, and the journal that
 * is opened with it fails with that.
 *
 * @internal
 */
final class JournalConfig implements Builder
{
    use Opaque;

    /**
     * @param ?string $file or else a database, whose SQL the constant of this name is
     * @param array<string, string|int|null> $settings by the names of their setters; null for one that is not set
     */
    public function __construct(
        private readonly ?string $file,
        private readonly array $settings,
        private readonly ?Database $database = null,
        private readonly string $dialect = '',
    ) {
    }

    public function build(): Handle
    {
        $ffi = Library::ffi();
        $handle = new Handle($ffi->mpay_journal_config_new(), 'mpay_journal_config_free');
        $config = $handle->pointer();
        if ($this->database === null) {
            $ffi->mpay_journal_config_set_file($config, $this->file);
        } else {
            [$callback, $userData] = $this->database->callback();
            $dialect = $ffi->{$this->dialect};
            $placeholders = $ffi->MPAY_PLACEHOLDERS_QUESTION;
            $ffi->mpay_journal_config_set_database($config, $dialect, $placeholders, $callback, $userData, null);
        }
        foreach ($this->settings as $setter => $value) {
            if ($value !== null) {
                $ffi->$setter($config, $value);
            }
        }
        return $handle;
    }

    /** A file that may not be there yet. The library knows nothing of PHP's open_basedir, so PHP is asked first. */
    public static function file(string $file): string
    {
        Argument::path('the file', @file_exists($file) ? $file : dirname($file));
        return Argument::text('the file', $file);
    }
}
