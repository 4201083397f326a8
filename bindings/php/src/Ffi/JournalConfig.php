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

    /** @var array<string, list<string>> */
    private readonly array $texts;

    /** @param array<string, mixed> $settings by the names of the constructor's arguments */
    public function __construct(#[\SensitiveParameter] array $settings)
    {
        $place = $settings['place'];
        if (!str_contains($place, '://')) {
            // The file may not exist yet. The library itself ignores PHP's setting open_basedir.
            Argument::path('place', @file_exists($place) ? $place : dirname($place));
        }
        // A journal's setting is set once: the library splits a list at its commas.
        $this->texts = array_map(
            static fn (array $texts): array => [implode(',', $texts)],
            array_filter(NamedTexts::of($settings)),
        );
    }

    public function build(): Handle
    {
        return NamedTexts::make('mpay_journal_config', $this->texts);
    }
}
