<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

/** A program that runs during the tests and ends with them. */
final class Program
{
    /** @var resource */
    private $process;

    /** @var array<int, resource> */
    private array $pipes = [];

    /**
     * @param list<string> $command
     * @param array<string, string> $environment added to the present environment
     */
    public function __construct(array $command, array $environment = [])
    {
        $descriptors = [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]];
        $process = proc_open($command, $descriptors, $this->pipes, '/', $environment + getenv());
        if (!is_resource($process)) {
            throw new \RuntimeException('cannot start ' . $command[0]);
        }
        $this->process = $process;
    }

    public function __destruct()
    {
        if (is_resource($this->process)) {
            proc_terminate($this->process, SIGTERM);
            proc_close($this->process);
        }
    }

    /**
     * Runs a program that must succeed, and returns its output.
     *
     * @param list<string> $command
     * @param array<string, string> $environment
     */
    public static function run(array $command, array $environment = []): string
    {
        $program = new self($command, $environment);
        $output = $program->rest();
        $status = $program->exitStatus();
        return $status === 0 ? $output : throw new \RuntimeException("$command[0] ended with $status: $output");
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

    public function kill(): void
    {
        proc_terminate($this->process, SIGKILL);
        proc_close($this->process);
    }

    public function exitStatus(): int
    {
        return proc_close($this->process);
    }
}
