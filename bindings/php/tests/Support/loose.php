<?php

// Without strict_types, PHP converts a float to a string.

use MerchantPay\Client;

return fn (Client $client) => $client->newPayment(1500.5, 'sbp', '7900');
