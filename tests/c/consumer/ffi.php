<?php
// Calls the library: php ffi.php DECLARATIONS LIBRARY. The file DECLARATIONS must have no preprocessor lines.
$ffi = FFI::cdef(file_get_contents($argv[1]), $argv[2]);
$keys = $ffi->new('mpay_keypair *');
$error = $ffi->new('mpay_error *');
$code = $ffi->mpay_keypair_generate(FFI::addr($keys), FFI::addr($error));
$refused = $ffi->mpay_config_add_server_key_id(null, null);
echo $ffi->mpay_version(), ' ', $ffi->MPAY_HEADER_VERSION_NUMBER, ' ', $code, ' ', json_encode($refused === $ffi->MPAY_INVALID_ARGUMENT), "\n";
$ffi->mpay_keypair_free($keys);
