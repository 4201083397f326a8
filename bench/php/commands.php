<?php

/* Executes the driver's commands. A command is a line with a task and a number; the program answers with one line. */

declare(strict_types=1);

const KEY_ID = 'merchant-1';
define('ORDER_ID', getenv('BENCH_ORDER_ID'));
// The file with the CA of the server, if the URL is https.
define('CA_FILE', getenv('BENCH_CA') ?: null);
define('SIGNATURE', getenv('BENCH_SIGNATURE'));
define('WEBHOOK', getenv('BENCH_WEBHOOK'));

function expect(bool $right): void
{
    if (!$right) {
        throw new RuntimeException('this is not what the server has sent');
    }
}

/** @param array<string, callable> $tasks */
function serve(array $tasks): void
{
    while (($line = fgets(STDIN)) !== false) {
        [$task, $count] = explode(' ', trim($line));
        $work = $tasks[$task];
        for ($left = (int) $count; $left > 0; $left--) {
            $work();
        }
        echo "ok\n";
    }
}
