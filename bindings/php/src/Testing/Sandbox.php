<?php

declare(strict_types=1);

namespace MerchantPay\Testing;

use MerchantPay\Client;

/**
 * Simulates the whole service on this machine, for a shop's own tests. It runs the program merchantpay, and
 * moves no money. The sandbox ends when this object is destroyed, and when the test run ends or is killed.
 * Production code does not use this namespace. Since 0.3.0.
 */
final class Sandbox
{
    /** The variables that name files of this installation: setEnvironment keeps them. */
    private const OF_THE_INSTALLATION = ['MERCHANTPAY_LIBRARY', 'MERCHANTPAY_PROGRAM'];

    /** The sandbox's base URL. A browser shows the sandbox's console at this URL. */
    public readonly string $url;

    /** @var array<string, string> the variables MERCHANTPAY_… of a client's settings */
    public readonly array $environment;

    /** @var ?resource */
    private $process;

    /** @var array<int, resource> the pipes of the sandbox, which ends when the first pipe closes */
    private array $pipes = [];

    /** @var array<string, string|false> the values that setEnvironment has replaced */
    private array $replaced = [];

    private function __construct(string $program, string ...$options)
    {
        $command = [$program, 'sandbox', '--port', '0', '--format', 'json', '--exit-with-stdin', ...$options];
        $errors = tmpfile();
        $process = @proc_open($command, [['pipe', 'r'], ['pipe', 'w'], $errors], $this->pipes);
        $line = is_resource($process) ? fgets($this->pipes[1]) : false;
        if (!is_resource($process) || $line === false) {
            rewind($errors);
            $message = trim((string) stream_get_contents($errors)) ?: 'it cannot be started';
            throw new \RuntimeException("The sandbox of the program $program has ended: $message");
        }
        $this->process = $process;
        $settings = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
        $this->url = $settings['baseUrl'];
        $this->environment = $settings['environment'];
    }

    public function __destruct()
    {
        $this->stop();
    }

    /**
     * Starts a sandbox.
     *
     * @param ?string $program the path of the program merchantpay. If it is null, the path is taken from the
     *     variable MERCHANTPAY_PROGRAM. Without this variable the program is searched on the PATH
     * @param bool $manualClock makes a clock that moves only when advance is called
     * @param bool $hold makes every payment wait until operate decides about the payment
     * @param string ...$options further options of `merchantpay sandbox`
     * @throws \RuntimeException if the program is missing or does not start
     */
    public static function start(
        ?string $program = null,
        bool $manualClock = false,
        bool $hold = false,
        string ...$options,
    ): self {
        $program ??= getenv('MERCHANTPAY_PROGRAM') ?: self::onPath();
        $options = [...($manualClock ? ['--clock', 'manual'] : []), ...($hold ? ['--hold'] : []), ...$options];
        return new self($program, '--pace', '20ms', ...$options);
    }

    /** A client of the sandbox. Pass named arguments of Client to change the client's settings. */
    public function client(mixed ...$settings): Client
    {
        return new Client(...array_merge($this->arguments(), $settings));
    }

    /** @return array<string, string> the named arguments of Client and Protocol */
    public function arguments(): array
    {
        return [
            'baseUrl' => $this->url,
            'keyId' => $this->environment['MERCHANTPAY_KEY_ID'],
            'privateKey' => $this->environment['MERCHANTPAY_PRIVATE_KEY'],
            'serverPublicKey' => $this->environment['MERCHANTPAY_SERVER_PUBLIC_KEY'],
            'serverKeyId' => $this->environment['MERCHANTPAY_SERVER_KEY_ID'],
        ];
    }

    /**
     * Sets the environment variables of this process until stop or restoreEnvironment, and removes the other
     * variables MERCHANTPAY_…: Client::fromEnv then returns a client of this sandbox.
     */
    public function setEnvironment(): void
    {
        $names = preg_grep('/^MERCHANTPAY_/', array_keys(getenv())) ?: [];
        $others = array_fill_keys(array_diff($names, self::OF_THE_INSTALLATION), null);
        foreach ($this->environment + $others as $name => $value) {
            $this->replaced[$name] ??= getenv($name);
            putenv($value === null ? $name : "$name=$value");
        }
    }

    public function restoreEnvironment(): void
    {
        foreach ($this->replaced as $name => $value) {
            putenv($value === false ? $name : "$name=$value");
        }
        $this->replaced = [];
    }

    /**
     * Makes requests of the merchant fail. For example, with "dropAfterCommit" the service executes the
     * request, and the response to the request is lost.
     *
     * @param string $kind a fault of the sandbox; the page docs/sandbox.md has the list
     * @param ?string $operation the contract's name, such as "newPayment"; null means every operation
     * @param ?int $latencyMs the delay for the kind "latency"
     */
    public function fail(string $kind, ?string $operation = null, int $times = 1, ?int $latencyMs = null): void
    {
        $this->control('/faults', array_filter(compact('kind', 'operation', 'times', 'latencyMs')));
    }

    public function clearFaults(): void
    {
        $this->call('DELETE', '/faults');
    }

    /** Plays the customer, who pays "exactly", "less", "more" or "nothing". */
    public function pay(string $orderId, string $pays): void
    {
        $this->control('/payments/' . rawurlencode($orderId) . '/customer', compact('pays'));
    }

    /**
     * Plays the service's operator: "approve", "fail", "arbitration", "requireReceipt", "hold" or "release".
     */
    public function operate(string $orderId, string $action): void
    {
        $this->control('/payments/' . rawurlencode($orderId) . '/operator', compact('action'));
    }

    /** Changes the payment's next webhook: "duplicate", "tamper", "wrongKey", "unsigned" or "reorder". */
    public function nextWebhook(string $orderId, string $action): void
    {
        $this->control('/payments/' . rawurlencode($orderId) . '/webhooks', compact('action'));
    }

    /** Advances a manual clock. All events of this time happen before the method returns. */
    public function advance(int $milliseconds): void
    {
        $this->control('/clock', ['advanceMs' => $milliseconds]);
    }

    /** The number of received requests of an operation, such as "newPayment". */
    public function requests(string $operation): int
    {
        return $this->control('')['requests'][$operation] ?? 0;
    }

    /**
     * Calls the sandbox's control API, which the real service does not have.
     *
     * @param ?array<string, mixed> $body the body of a POST; null sends a GET
     * @return array<string, mixed>
     * @throws \RuntimeException with the sandbox's message if the sandbox refuses the request
     */
    public function control(string $path, ?array $body = null): array
    {
        return $this->call($body === null ? 'GET' : 'POST', $path, $body);
    }

    /** Ends the sandbox. This method can be called more than once. */
    public function stop(): void
    {
        $this->restoreEnvironment();
        array_map(fclose(...), $this->pipes);
        $this->pipes = [];
        if (is_resource($this->process)) {
            proc_close($this->process);
        }
        $this->process = null;
    }

    private static function onPath(): string
    {
        foreach (explode(PATH_SEPARATOR, (string) getenv('PATH')) as $folder) {
            if (is_executable("$folder/merchantpay")) {
                return "$folder/merchantpay";
            }
        }
        $message = 'There is no program merchantpay on the path: set MERCHANTPAY_PROGRAM to its path.';
        throw new \RuntimeException($message);
    }

    /**
     * @param ?array<string, mixed> $body
     * @return array<string, mixed>
     */
    private function call(string $method, string $path, ?array $body = null): array
    {
        $http = ['ignore_errors' => true, 'method' => $method, 'header' => 'Content-Type: application/json'];
        if ($body !== null) {
            $http['content'] = json_encode($body, JSON_THROW_ON_ERROR | JSON_FORCE_OBJECT);
        }
        $text = @file_get_contents("$this->url/sandbox$path", false, stream_context_create(compact('http')));
        $status = (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0);
        if ($text === false || $status >= 300) {
            throw new \RuntimeException("The sandbox refuses $method $path: " . ($text ?: 'no response'), $status);
        }
        return (array) json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    }
}
