<?php

// Without strict_types, where PHP would make a string of a float.

use MerchantPay\Client;

return fn (Client $client) => $client->newPayment(1500.5, 'sbp', '7900');
