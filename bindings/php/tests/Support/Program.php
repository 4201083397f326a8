<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

/** A program that runs beside the tests, and ends with them. */
final class Program
{
    /** @var resource */
    private $process;

    /** @var array<int, resource> */
    private array $pipes;

    /**
     * @param list<string> $command
     * @param array<string, string> $environment beside the one that there is
     */
    public function __construct(array $command, array $environment = [], string $folder = '/')
    {
        $pipes = [];
        $process = proc_open(
            $command,
            [0 => ['file', '/dev/null', 'r'], 1 => ['pipe', 'w'], 2 => ['redirect', 1]],
            $pipes,
            $folder,
            $environment + getenv(),
        );
        if (!is_resource($process)) {
            throw new \RuntimeException('cannot start ' . $command[0]);
        }
        $this->process = $process;
        $this->pipes = $pipes;
    }

    public function __destruct()
    {
        if (is_resource($this->process)) {
            proc_terminate($this->process, SIGTERM);
            proc_close($this->process);
        }
    }

    /** The next line without its end, or null at the end. */
    public function line(): ?string
    {
        $line = fgets($this->pipes[1]);
        return $line === false ? null : rtrim($line, "\n");
    }

    /** Waits for a line with this text, and fails with all others if it does not come. */
    public function waitFor(string $text): string
    {
        $seen = '';
        while (($line = $this->line()) !== null) {
            if (str_contains($line, $text)) {
                return $line;
            }
            $seen .= $line . "\n";
        }
        throw new \RuntimeException("it ended without \"$text\":\n$seen");
    }

    /** All that it still writes, until it ends. */
    public function rest(): string
    {
        return (string) stream_get_contents($this->pipes[1]);
    }

    public function isRunning(): bool
    {
        return proc_get_status($this->process)['running'];
    }

    public function pid(): int
    {
        return proc_get_status($this->process)['pid'];
    }

    /** Ends it as a power cut does. */
    public function kill(): void
    {
        proc_terminate($this->process, SIGKILL);
        proc_close($this->process);
    }

    public function exitStatus(): int
    {
        $status = proc_close($this->process);
        return $status;
    }
}
