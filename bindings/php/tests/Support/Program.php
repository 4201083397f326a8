<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

/** A program that runs during the tests and ends with them. */
final class Program
{
    /** @var resource */
    private $process;

    /** @var array<int, resource> */
    private array $pipes;

    /**
     * @param list<string> $command
     * @param array<string, string> $environment added to the present environment
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

    /** The next line without its line break, or null at the end. */
    public function line(): ?string
    {
        $line = fgets($this->pipes[1]);
        return $line === false ? null : rtrim($line, "\n");
    }

    /** Waits for a line with this text. If the line does not come, the failure shows all other lines. */
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

    /** All remaining output, until the program ends. */
    public function rest(): string
    {
        return (string) stream_get_contents($this->pipes[1]);
    }

    public function pid(): int
    {
        return proc_get_status($this->process)['pid'];
    }

    /** Kills the program, so that it stops as after a power failure. */
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
