<?php

declare(strict_types=1);

namespace MerchantPay\Tests\Support;

/**
 * php-fpm with several workers behind nginx. Both run as an ordinary user, because php-fpm as root would preload
 * as a different user. The package and the library are copied to a folder that everybody can read.
 */
final class Fpm
{
    public readonly string $url;
    public readonly string $folder;

    private ?Program $fpm;
    private ?Program $nginx;

    /**
     * @param list<string> $settings of php.ini, such as ffi.enable=preload; %s is the package's folder
     * @param array<string, string> $environment
     * @param bool $asRoot php-fpm starts as root, as with systemd; its workers still run as an ordinary user
     * @param ?string $script the file of tests/fpm or of the examples that serves all pages; unless given, each
     *     page has its own script
     */
    public function __construct(
        array $settings,
        array $environment,
        bool $asRoot = false,
        int $workers = 4,
        ?string $script = null,
        bool $withLibrary = true,
    ) {
        $this->folder = sys_get_temp_dir() . '/merchantpay-fpm-' . bin2hex(random_bytes(6));
        $this->copyPackage($withLibrary);
        $port = self::freePort();
        $this->url = "http://127.0.0.1:$port";
        $script ??= 'package/tests/fpm$uri.php';
        // Puts the URL of nginx into the settings. The URL is not known before.
        $environment = str_replace('%url', $this->url, $environment);

        $this->write('fpm.conf', <<<INI
            [global]
            error_log = {$this->folder}/fpm.log
            daemonize = no
            [shop]
            user = www-data
            group = www-data
            listen.owner = www-data
            listen = {$this->folder}/fpm.sock
            pm = static
            pm.max_children = $workers
            clear_env = no
            catch_workers_output = yes
            decorate_workers_output = no
            INI);
        $this->write('nginx.conf', <<<CONF
            daemon off;
            worker_processes 1;
            pid {$this->folder}/nginx.pid;
            error_log {$this->folder}/nginx.log;
            events { }
            http {
                access_log off;
                client_body_temp_path {$this->folder}/body;
                proxy_temp_path {$this->folder}/proxy;
                fastcgi_temp_path {$this->folder}/fastcgi;
                uwsgi_temp_path {$this->folder}/uwsgi;
                scgi_temp_path {$this->folder}/scgi;
                server {
                    listen 127.0.0.1:$port;
                    location / {
                        include /etc/nginx/fastcgi_params;
                        fastcgi_param SCRIPT_FILENAME {$this->folder}/$script;
                        fastcgi_pass unix:{$this->folder}/fpm.sock;
                    }
                }
            }
            CONF);
        if (posix_geteuid() === 0) {
            self::run(['chown', '-R', 'www-data:www-data', $this->folder]);
        }

        $ordinary = self::ordinary();
        $flags = [];
        foreach ($settings as $setting) {
            array_push($flags, '-d', str_replace('%s', $this->folder . '/package', $setting));
        }
        $fpm = '/usr/sbin/php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        // The environment of the tests names a library. In this server PHP must find the packaged library, or no
        // library.
        $environment['MERCHANTPAY_LIBRARY'] = '';
        if (!$withLibrary) {
            $this->write('libmerchantpay.so.0', 'not a library');
            $environment['LD_LIBRARY_PATH'] = $this->folder;
        }
        $this->fpm = new Program(
            [...($asRoot ? [] : $ordinary), $fpm, '-O', '--fpm-config', $this->folder . '/fpm.conf', ...$flags],
            $environment,
        );
        $this->fpm->waitFor('ready to handle connections');
        // The log of nginx repeats the scripts' errors. It goes to a file, because it would fill a pipe.
        $this->nginx = new Program(
            [...$ordinary, '/usr/sbin/nginx', '-e', $this->folder . '/nginx.log', '-c', $this->folder . '/nginx.conf'],
        );
        self::awaitPort($port);
    }

    public function __destruct()
    {
        $this->nginx = $this->fpm = null; // Both must end before their folder is deleted.
        self::run(['rm', '-rf', $this->folder]);
    }

    /** Puts the library next to the package. */
    public function addLibrary(): void
    {
        copy((string) getenv('MERCHANTPAY_LIBRARY'), $this->folder . '/package/lib/libmerchantpay.so.0');
    }

    /** Waits until the scripts have written this number of lines to a file, and returns the lines. */
    public function lines(string $file, int $count): array
    {
        $end = hrtime(true) + 20_000_000_000;
        do {
            $lines = is_file("$this->folder/$file") ? file("$this->folder/$file", FILE_IGNORE_NEW_LINES) : [];
            if (count($lines) >= $count) {
                return $lines;
            }
            usleep(20_000);
        } while (hrtime(true) < $end);
        throw new \RuntimeException("$file has only " . count($lines) . " lines of $count");
    }

    /** @return list<int> the ids of the present worker processes */
    public function workers(): array
    {
        $workers = [];
        foreach (glob('/proc/[0-9]*/stat') ?: [] as $file) {
            // In /proc/…/stat, the state and the parent of a process follow its name.
            $stat = explode(') ', (string) @file_get_contents($file));
            if ((int) (explode(' ', (string) end($stat))[1] ?? 0) === $this->fpm->pid()) {
                $workers[] = (int) basename(dirname($file));
            }
        }
        return $workers;
    }

    private function copyPackage(bool $withLibrary): void
    {
        $package = $this->folder . '/package';
        mkdir($package . '/lib', 0755, true);
        $source = dirname(__DIR__, 2);
        $parts = ['src', 'bin', 'autoload.php', 'preload.php', 'merchantpay.ffi.h'];
        self::run(['cp', '-r', ...array_map(static fn (string $part): string => "$source/$part", $parts), $package]);
        mkdir($package . '/tests');
        self::run(['cp', '-r', "$source/tests/fpm", $package . '/tests']);
        mkdir("$this->folder/examples/php", 0755, true);
        mkdir("$this->folder/bindings");
        self::run(['cp', '-r', dirname($source, 2) . '/examples/php', "$this->folder/examples"]);
        symlink($package, "$this->folder/bindings/php");
        if ($withLibrary) {
            $this->addLibrary();
            $header = new Program(["$package/bin/merchantpay-ffi-header"], ['MERCHANTPAY_LIBRARY' => '']);
            $this->write('package/preload.h', $header->rest());
        }
        self::run(['chmod', '-R', 'a+rX', $this->folder]);
    }

    private function write(string $file, string $text): void
    {
        file_put_contents("$this->folder/$file", $text . "\n");
    }

    /** @return list<string> */
    private static function ordinary(): array
    {
        return posix_geteuid() === 0
            ? ['setpriv', '--reuid=www-data', '--regid=www-data', '--clear-groups']
            : [];
    }

    private static function freePort(): int
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        return (int) substr((string) strrchr((string) stream_socket_get_name($socket, false), ':'), 1);
    }

    private static function awaitPort(int $port): void
    {
        $end = hrtime(true) + 20_000_000_000;
        do {
            if (@stream_socket_client("tcp://127.0.0.1:$port", timeout: 1) !== false) {
                return;
            }
            usleep(10_000);
        } while (hrtime(true) < $end);
        throw new \RuntimeException('nginx does not listen');
    }

    /** @param list<string> $command */
    private static function run(array $command): void
    {
        $process = proc_open($command, [], $pipes);
        if (!is_resource($process) || proc_close($process) !== 0) {
            throw new \RuntimeException(implode(' ', $command) . ' failed');
        }
    }
}
