package merchantpay

import (
	"crypto"
	"log/slog"
	"time"
)

// generated: begin default_timeout

// DefaultTimeout is the timeout of a client whose Config.Timeout is not set.
const DefaultTimeout = 30 * time.Second

// generated: end

// Config has the settings of a client, a protocol or a webhook verifier. These objects copy the settings. The
// zero value of a field means that the setting is not set. The text of a Config (String, %+v, slog, JSON) shows
// neither the private key nor a proxy's password. Do not keep a Config in an unexported field of a struct: fmt
// does not call the methods of a value in such a field, and prints the private key.
type Config struct {
	// generated: begin fields

	// The absolute https URL before /api/v1/merchant/pay. Plain http is allowed to loopback only. Required. A verifier
	// does not need it.
	BaseURL string
	// The merchant's key id, as the service issued it (contract, section 5). It consists of visible ASCII. Required. A
	// verifier does not need it.
	KeyID string
	// The merchant's private key: base64 of 64 bytes, which are the seed and the public key (contract, section 5).
	// Required unless Signer is set. A verifier does not need it.
	PrivateKey string
	// The merchant's own public key, base64 of 32 bytes. It is optional, because PrivateKey contains it and a Signer
	// returns it. If it is set, it is compared with the public key of PrivateKey or Signer.
	PublicKey string
	// The service's public key, base64 of 32 bytes. Required.
	ServerPublicKey string
	// Additional values that are valid together with ServerPublicKey while the service rotates its
	// keys.
	OtherServerPublicKeys []string
	// The key ids of the service. If key ids are set, each reply must have one of these key ids. A webhook may have no key
	// id; otherwise it must also have one of these key ids.
	ServerKeyID string
	// Additional values that are valid together with ServerKeyID while the service rotates its
	// keys.
	OtherServerKeyIDs []string
	// A file with the PEM certificates of a CA to trust in addition to the operating system's CAs.
	CAFile string
	// The text of the PEM certificates of a CA to trust in addition to the operating system's CAs.
	CAPEM string
	// Trusts only the configured CA, and not the operating system's CAs. Since 0.2.0.
	ExclusiveCA bool
	// A pin of the public key of the service's own certificate: "sha256/" and the base64 of the SHA-256 of the
	// certificate's SubjectPublicKeyInfo. Set several pins while the service changes its key. Since 0.2.0.
	PinSPKI []string
	// A PEM file with the client's certificate and its chain, for a service that requires a client certificate (mTLS).
	// Since 0.2.0.
	ClientCertFile string
	// A PEM file with the private key of the client's certificate. It can be the same file as the certificate's. Since
	// 0.2.0.
	ClientKeyFile string
	// An HTTP proxy, as http://[user:password@]host:port. Variables such as HTTP_PROXY are not read.
	Proxy string
	// Allows plain http to another machine. Anyone on the network path can then read every account and signature. Since
	// 0.2.0.
	AllowHTTP bool
	// The "User-Agent" header.
	UserAgent string
	// The time limit of a whole call with its retries. The service itself can take 10 s for NewPayment. 30 s unless set.
	Timeout time.Duration
	// The time limit for opening one connection. 10 s unless set.
	ConnectTimeout time.Duration
	// The time after a response for which the response's connection can be reused for a call that is sent only once. The
	// value Never means never. 1 s unless set. Since 0.2.0.
	ReuseIdle time.Duration
	// The time for which a connection that was opened early can wait for its first request. 10 s unless set. Since 0.2.0.
	ConnectIdle time.Duration
	// The largest number of retries; NoRetries means no retries. The library retries GetAvailableAmounts and GetStatus,
	// and any other request only if no byte of that request was written. 2 unless set.
	MaxRetries int
	// The size of the largest reply body that is read. 1048576 unless set.
	MaxReplyBytes int64

	// generated: end
	// Signs in place of PrivateKey, for example with an HSM. Its method Sign gets the message and
	// crypto.Hash(0), like the method of ed25519.PrivateKey. Sign runs on a separate goroutine, and the call
	// waits for it. Several goroutines can call Sign at once. Each signature is checked before anything is sent.
	Signer crypto.Signer
	// Gets a line for every HTTP attempt of a client's calls. The Logger runs on a separate goroutine, and the
	// call waits for it. The line contains no key, signature, body, account or name.
	Logger *slog.Logger
}

// settings returns the settings that are not callbacks.
func (c *Config) settings() settings {
	var to settings
	// generated: begin settings
	to.add("base_url", "BaseURL", c.BaseURL)
	to.add("key_id", "KeyID", c.KeyID)
	to.add("private_key", "PrivateKey", c.PrivateKey)
	to.add("public_key", "PublicKey", c.PublicKey)
	to.add("server_public_key", "ServerPublicKey", c.ServerPublicKey)
	to.add("server_public_key", "ServerPublicKey", c.OtherServerPublicKeys)
	to.add("server_key_id", "ServerKeyID", c.ServerKeyID)
	to.add("server_key_id", "ServerKeyID", c.OtherServerKeyIDs)
	to.add("ca_file", "CAFile", c.CAFile)
	to.add("ca_pem", "CAPEM", c.CAPEM)
	to.add("exclusive_ca", "ExclusiveCA", c.ExclusiveCA)
	to.add("pin_spki", "PinSPKI", c.PinSPKI)
	to.add("client_cert_file", "ClientCertFile", c.ClientCertFile)
	to.add("client_key_file", "ClientKeyFile", c.ClientKeyFile)
	to.add("proxy", "Proxy", c.Proxy)
	to.add("allow_http", "AllowHTTP", c.AllowHTTP)
	to.add("user_agent", "UserAgent", c.UserAgent)
	to.add("timeout_ms", "Timeout", c.Timeout)
	to.add("connect_timeout_ms", "ConnectTimeout", c.ConnectTimeout)
	to.add("reuse_idle_ms", "ReuseIdle", c.ReuseIdle)
	to.add("connect_idle_ms", "ConnectIdle", c.ConnectIdle)
	to.add("max_retries", "MaxRetries", c.MaxRetries)
	to.add("max_reply_bytes", "MaxReplyBytes", c.MaxReplyBytes)
	// generated: end
	return to
}

// generated: begin environment

// ConfigFromEnv reads the settings from the environment:
//
//   - MERCHANTPAY_BASE_URL
//   - MERCHANTPAY_KEY_ID
//   - MERCHANTPAY_PRIVATE_KEY, or MERCHANTPAY_PRIVATE_KEY_FILE, which names a file with the key
//   - MERCHANTPAY_PUBLIC_KEY
//   - MERCHANTPAY_SERVER_PUBLIC_KEY, several texts separated by commas
//   - MERCHANTPAY_SERVER_KEY_ID, several texts separated by commas
//   - MERCHANTPAY_CA_FILE
//   - MERCHANTPAY_CA_PEM
//   - MERCHANTPAY_EXCLUSIVE_CA, 1 or 0
//   - MERCHANTPAY_PIN_SPKI, several texts separated by commas
//   - MERCHANTPAY_CLIENT_CERT_FILE
//   - MERCHANTPAY_CLIENT_KEY_FILE
//   - MERCHANTPAY_PROXY
//   - MERCHANTPAY_ALLOW_HTTP, 1 or 0
//   - MERCHANTPAY_USER_AGENT
//   - MERCHANTPAY_TIMEOUT_MS
//   - MERCHANTPAY_CONNECT_TIMEOUT_MS
//   - MERCHANTPAY_REUSE_IDLE_MS
//   - MERCHANTPAY_CONNECT_IDLE_MS
//   - MERCHANTPAY_MAX_RETRIES
//   - MERCHANTPAY_MAX_REPLY_BYTES
//
// An empty variable is treated as absent. If a value cannot be read, ConfigFromEnv returns an error with the code
// CodeInvalidArgument, which names the variable and never shows the value. Missing settings are reported when the
// Config is used.
func ConfigFromEnv() (Config, error) {
	var env environment
	var config Config
	env.read("MERCHANTPAY_BASE_URL", &config.BaseURL)
	env.read("MERCHANTPAY_KEY_ID", &config.KeyID)
	env.privateKey("MERCHANTPAY_PRIVATE_KEY", &config.PrivateKey)
	env.read("MERCHANTPAY_PUBLIC_KEY", &config.PublicKey)
	env.rotated("MERCHANTPAY_SERVER_PUBLIC_KEY", &config.ServerPublicKey, &config.OtherServerPublicKeys)
	env.rotated("MERCHANTPAY_SERVER_KEY_ID", &config.ServerKeyID, &config.OtherServerKeyIDs)
	env.read("MERCHANTPAY_CA_FILE", &config.CAFile)
	env.read("MERCHANTPAY_CA_PEM", &config.CAPEM)
	env.read("MERCHANTPAY_EXCLUSIVE_CA", &config.ExclusiveCA)
	env.read("MERCHANTPAY_PIN_SPKI", &config.PinSPKI)
	env.read("MERCHANTPAY_CLIENT_CERT_FILE", &config.ClientCertFile)
	env.read("MERCHANTPAY_CLIENT_KEY_FILE", &config.ClientKeyFile)
	env.read("MERCHANTPAY_PROXY", &config.Proxy)
	env.read("MERCHANTPAY_ALLOW_HTTP", &config.AllowHTTP)
	env.read("MERCHANTPAY_USER_AGENT", &config.UserAgent)
	env.read("MERCHANTPAY_TIMEOUT_MS", &config.Timeout)
	env.read("MERCHANTPAY_CONNECT_TIMEOUT_MS", &config.ConnectTimeout)
	env.read("MERCHANTPAY_REUSE_IDLE_MS", &config.ReuseIdle)
	env.read("MERCHANTPAY_CONNECT_IDLE_MS", &config.ConnectIdle)
	env.read("MERCHANTPAY_MAX_RETRIES", &config.MaxRetries)
	env.read("MERCHANTPAY_MAX_REPLY_BYTES", &config.MaxReplyBytes)
	// generated: end
	if env.err != nil {
		return Config{}, env.err
	}
	return config, nil
}

// goNames maps the C names in the library's errors to the Go names of settings, fields and operations. A name
// that is also an ordinary word is left out.
var goNames = map[string]string{
	// generated: begin go_names
	"base_url":              "BaseURL",
	"key_id":                "KeyID",
	"private_key":           "PrivateKey",
	"public_key":            "PublicKey",
	"server_public_key":     "ServerPublicKey",
	"server_key_id":         "ServerKeyID",
	"ca_file":               "CAFile",
	"ca_pem":                "CAPEM",
	"exclusive_ca":          "ExclusiveCA",
	"pin_spki":              "PinSPKI",
	"client_cert_file":      "ClientCertFile",
	"client_key_file":       "ClientKeyFile",
	"allow_http":            "AllowHTTP",
	"user_agent":            "UserAgent",
	"timeout_ms":            "Timeout",
	"connect_timeout_ms":    "ConnectTimeout",
	"reuse_idle_ms":         "ReuseIdle",
	"connect_idle_ms":       "ConnectIdle",
	"max_retries":           "MaxRetries",
	"max_reply_bytes":       "MaxReplyBytes",
	"callback_url":          "CallbackURL",
	"pay_wait_ms":           "PayWait",
	"durability_vouched":    "DurabilityVouched",
	"password_file":         "PasswordFile",
	"paymentMethod":         "PaymentMethod",
	"customerAccount":       "CustomerAccount",
	"statusWebhookUrl":      "StatusWebhookURL",
	"credentialsWebhookUrl": "CredentialsWebhookURL",
	"payerBank":             "PayerBank",
	"merchantId":            "MerchantID",
	"sumDriftUp":            "SumDriftUp",
	"sumDriftDown":          "SumDriftDown",
	"getAvailableAmounts":   "GetAvailableAmounts",
	"newPayment":            "NewPayment",
	"newPaymentAsync":       "NewPaymentAsync",
	"getStatus":             "GetStatus",
	"attachReceipt":         "AttachReceipt",
	"orderId":               "OrderID",
	"order_id":              "OrderID",
	"pay_async":             "PayAsync",
	// generated: end
}
