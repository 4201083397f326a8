<?php

declare(strict_types=1);

// The common part of the scripts. With preloading, the classes already exist.
require_once dirname(__DIR__, 2) . '/autoload.php';

function shop_note(string $file, string $line): void
{
    file_put_contents(dirname(__DIR__, 3) . "/$file", $line . "\n", FILE_APPEND | LOCK_EX);
}

function shop_answer(int $status, mixed $value): void
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($value), "\n";
}
