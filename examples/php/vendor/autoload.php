<?php

require_once __DIR__ . '/../../../bindings/php/autoload.php'; // In your own project Composer writes this file.
