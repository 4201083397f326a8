<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

/**
 * php-fpm with several workers behind nginx. Both run as an ordinary user, because php-fpm as root would preload
 * as a different user. The package and the library are copied to a folder that everybody can read.
 */
final class Fpm
{
    private const PARTS = ['src', 'bin', 'autoload.php', 'preload.php', 'merchantpay.ffi.h'];

    public readonly string $url;
    public readonly string $folder;

    private ?Program $fpm;
    private ?Program $nginx;

    /**
     * @param list<string> $settings of php.ini, such as ffi.enable=preload; %s is the package's folder
     * @param array<string, string> $environment %url is the URL of nginx
     * @param bool $asRoot php-fpm starts as root, as with systemd; its workers still run as an ordinary user
     * @param string $script the file that serves all pages
     */
    public function __construct(
        array $settings,
        array $environment,
        bool $asRoot = false,
        int $workers = 4,
        string $script = 'package/tests/fpm/shop.php',
        bool $withLibrary = true,
    ) {
        $this->folder = $folder = sys_get_temp_dir() . '/merchantpay-fpm-' . bin2hex(random_bytes(6));
        $this->copyPackage($withLibrary);
        $port = self::freePort();
        $this->url = "http://127.0.0.1:$port";
        file_put_contents("$folder/fpm.conf", <<<INI
            [global]
            error_log = $folder/fpm.log
            daemonize = no
            [shop]
            user = www-data
            group = www-data
            listen.owner = www-data
            listen = $folder/fpm.sock
            pm = static
            pm.max_children = $workers
            clear_env = no
            catch_workers_output = yes
            decorate_workers_output = no

            INI);
        $temporary = implode(' ', array_map(
            static fn (string $kind): string => "{$kind}_temp_path $folder/$kind;",
            ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
        ));
        file_put_contents("$folder/nginx.conf", <<<CONF
            daemon off;
            worker_processes 1;
            pid $folder/nginx.pid;
            error_log $folder/nginx.log;
            events { }
            http {
                access_log off;
                $temporary
                server {
                    listen 127.0.0.1:$port;
                    location / {
                        include /etc/nginx/fastcgi_params;
                        fastcgi_param SCRIPT_FILENAME $folder/$script;
                        fastcgi_pass unix:$folder/fpm.sock;
                    }
                }
            }
            CONF);
        $ordinary = [];
        if (posix_geteuid() === 0) {
            Program::run(['chown', '-R', 'www-data:www-data', $folder]);
            $ordinary = ['setpriv', '--reuid=www-data', '--regid=www-data', '--clear-groups'];
        }
        $flags = array_map(static fn (string $one): string => '-d' . $one, $settings);
        $flags = str_replace('%s', "$folder/package", $flags);
        // The environment of the tests names a library, but here PHP must find the packaged one, or none.
        $environment = ['MERCHANTPAY_LIBRARY' => ''] + str_replace('%url', $this->url, $environment);
        if (!$withLibrary) {
            file_put_contents("$folder/libmerchantpay.so.0", 'not a library');
            $environment['LD_LIBRARY_PATH'] = $folder;
        }
        $server = '/usr/sbin/php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        $command = [...($asRoot ? [] : $ordinary), $server, '-O', '--fpm-config', "$folder/fpm.conf", ...$flags];
        $this->fpm = new Program($command, $environment);
        $this->fpm->waitFor('ready to handle connections');
        // The log of nginx repeats the scripts' errors. It goes to a file, because it would fill a pipe.
        $command = [...$ordinary, '/usr/sbin/nginx', '-e', "$folder/nginx.log", '-c', "$folder/nginx.conf"];
        $this->nginx = new Program($command);
        for ($tries = 0; @stream_socket_client("tcp://127.0.0.1:$port", timeout: 1) === false; $tries++) {
            usleep($tries < 2000 ? 10_000 : throw new \RuntimeException('nginx does not listen'));
        }
    }

    public function __destruct()
    {
        $this->nginx = $this->fpm = null; // Both must end before their folder is deleted.
        Program::run(['rm', '-rf', $this->folder]);
    }

    public function addLibrary(): void
    {
        copy((string) getenv('MERCHANTPAY_LIBRARY'), $this->folder . '/package/lib/libmerchantpay.so.0');
    }

    /**
     * Sends a request, and returns the connection for reply().
     *
     * @param ?string $form the body of a POST; null for a GET
     * @return resource
     */
    public function send(string $path, ?string $form = null)
    {
        $connection = stream_socket_client(str_replace('http', 'tcp', $this->url), timeout: 20);
        // As long as nginx waits for php-fpm.
        stream_set_timeout($connection, 60);
        $method = $form === null ? 'GET' : 'POST';
        $headers = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " . strlen((string) $form);
        fwrite($connection, "$method $path HTTP/1.0\r\n$headers\r\n\r\n$form");
        return $connection;
    }

    /**
     * @param resource $connection
     * @return array{int, string, string} the status, the body, and the place of a redirect
     */
    public static function reply($connection): array
    {
        $answer = (string) stream_get_contents($connection);
        if (!str_contains($answer, "\r\n\r\n")) {
            $state = json_encode(stream_get_meta_data($connection));
            throw new \RuntimeException("no whole answer: '$answer', $state");
        }
        [$head, $body] = explode("\r\n\r\n", $answer, 2);
        preg_match('/^Location: (.*)\r$/m', $head . "\r", $found);
        return [(int) explode(' ', $head)[1], $body, $found[1] ?? ''];
    }

    /** @return array{int, mixed} the status, and the JSON of the answer */
    public function ask(string $path): array
    {
        [$status, $body] = self::reply($this->send($path));
        return [$status, json_decode($body, true)];
    }

    /** @return ?list<string> the lines that the scripts have written to a file, or null if they are fewer */
    public function lines(string $file, int $count): ?array
    {
        $lines = is_file("$this->folder/$file") ? file("$this->folder/$file", FILE_IGNORE_NEW_LINES) : [];
        return count($lines) < $count ? null : $lines;
    }

    /** @return list<int> the ids of the present worker processes */
    public function workers(): array
    {
        $children = file_get_contents("/proc/{$this->fpm->pid()}/task/{$this->fpm->pid()}/children");
        return array_map(intval(...), preg_split('/ /', (string) $children, flags: PREG_SPLIT_NO_EMPTY));
    }

    private function copyPackage(bool $withLibrary): void
    {
        $sources = dirname(__DIR__, 2);
        $package = "$this->folder/package";
        $examples = "$this->folder/examples";
        Program::run(['mkdir', '-p', "$package/lib", "$package/tests", $examples, "$this->folder/bindings"]);
        $parts = array_map(static fn (string $part): string => "$sources/$part", self::PARTS);
        Program::run(['cp', '-r', ...$parts, $package]);
        Program::run(['cp', '-r', "$sources/tests/fpm", "$package/tests"]);
        Program::run(['cp', '-r', dirname($sources, 2) . '/examples/php', $examples]);
        symlink($package, "$this->folder/bindings/php");
        if ($withLibrary) {
            $this->addLibrary();
            $header = Program::run(["$package/bin/merchantpay-ffi-header"], ['MERCHANTPAY_LIBRARY' => '']);
            file_put_contents("$package/preload.h", $header);
        }
        Program::run(['chmod', '-R', 'a+rX', $this->folder]);
    }

    private static function freePort(): int
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        return (int) substr((string) strrchr((string) stream_socket_get_name($socket, false), ':'), 1);
    }
}
