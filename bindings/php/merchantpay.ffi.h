/* merchantpay.h and merchantpay_bindings.h without their preprocessor, for FFI::cdef and the like. */

enum { MPAY_VERSION_NUMBER = 100 };

enum { MPAY_ABI_VERSION = 0 };

enum { MPAY_OK = 0 };

enum { MPAY_INVALID_ARGUMENT = 10 };

enum { MPAY_INVALID_KEY = 11 };

enum { MPAY_SIGNER = 12 };

enum { MPAY_TRANSPORT = 20 };

enum { MPAY_TIMEOUT = 21 };

enum { MPAY_CANCELLED = 22 };

enum { MPAY_UNVERIFIED = 30 };

enum { MPAY_MALFORMED = 31 };

enum { MPAY_REJECTED = 40 };

enum { MPAY_STORAGE = 50 };

enum { MPAY_INTERNAL = 90 };

enum { MPAY_OUTCOME_NOT_SENT = 1 };

enum { MPAY_OUTCOME_REJECTED = 2 };

enum { MPAY_OUTCOME_UNKNOWN = 3 };

enum { MPAY_REASON_INVALID_CURRENCY = 1 };

enum { MPAY_REASON_INVALID_ORDER_ID = 2 };

enum { MPAY_REASON_ORDER_NOT_FOUND = 3 };

enum { MPAY_REASON_INVALID_FILE_FORMAT = 4 };

enum { MPAY_REASON_PAYMENT_COULD_NOT_BE_CANCELED = 5 };

enum { MPAY_STATUS_FREE = 1 };

enum { MPAY_STATUS_PENDING = 2 };

enum { MPAY_STATUS_RECEIPT_REQUIRED = 3 };

enum { MPAY_STATUS_DONE_SUCCESS = 4 };

enum { MPAY_STATUS_DONE_FAIL = 5 };

enum { MPAY_STATUS_ARBITRAGE_CANCELLED_BY_MERCHANT = 6 };

enum { MPAY_PAID_EXACTLY = 1 };

enum { MPAY_PAID_LESS = 2 };

enum { MPAY_PAID_MORE = 3 };

enum { MPAY_EVENT_CREDENTIALS = 1 };

enum { MPAY_EVENT_CREDENTIALS_FAILED = 2 };

enum { MPAY_EVENT_STATUS = 3 };

enum { MPAY_BALANCE_RUB = 1 };

enum { MPAY_BALANCE_USDT = 2 };

enum { MPAY_ROUNDING_HALF_UP = 1 };

enum { MPAY_ROUNDING_HALF_EVEN = 2 };

enum { MPAY_ROUNDING_DOWN = 3 };

enum { MPAY_ROUNDING_UP = 4 };

typedef struct mpay_amount mpay_amount;

typedef struct mpay_amounts mpay_amounts;

typedef struct mpay_attempt mpay_attempt;

typedef struct mpay_client mpay_client;

typedef struct mpay_config mpay_config;

typedef struct mpay_error mpay_error;

typedef struct mpay_event mpay_event;

typedef struct mpay_http_request mpay_http_request;

typedef struct mpay_http_response mpay_http_response;

typedef struct mpay_keypair mpay_keypair;

typedef struct mpay_payment mpay_payment;

typedef struct mpay_payment_request mpay_payment_request;

typedef struct mpay_protocol mpay_protocol;

typedef struct mpay_receipt mpay_receipt;

typedef struct mpay_verifier mpay_verifier;

typedef void (*mpay_log_callback)(void *user_data, const mpay_attempt *attempt);

typedef int32_t (*mpay_signer_callback)(void *user_data, const void *message, size_t len, void *signature);

const char *mpay_version(void);

uint32_t mpay_version_number(void);

uint32_t mpay_abi_version(void);

int32_t mpay_error_code(const mpay_error *error);

const char *mpay_error_code_name(const mpay_error *error);

int32_t mpay_error_outcome(const mpay_error *error);

const char *mpay_error_outcome_name(const mpay_error *error);

int32_t mpay_error_is_transient(const mpay_error *error);

const char *mpay_error_message(const mpay_error *error);

const char *mpay_error_description(const mpay_error *error);

const char *mpay_error_reason(const mpay_error *error);

int32_t mpay_error_reason_code(const mpay_error *error);

int32_t mpay_error_http_status(const mpay_error *error);

const char *mpay_error_order_id(const mpay_error *error);

const char *mpay_error_content_type(const mpay_error *error);

const char *mpay_error_excerpt(const mpay_error *error);

const void *mpay_error_body(const mpay_error *error);

size_t mpay_error_body_len(const mpay_error *error);

void mpay_error_free(mpay_error *error);

const char *mpay_code_name(int32_t code);

const char *mpay_outcome_name(int32_t outcome);

const char *mpay_status_name(int32_t status);

const char *mpay_reason_name(int32_t reason);

mpay_config *mpay_config_new(void);

int32_t mpay_config_set_base_url(mpay_config *config, const char *base_url);

int32_t mpay_config_set_key_id(mpay_config *config, const char *key_id);

int32_t mpay_config_set_private_key(mpay_config *config, const char *private_key);

int32_t mpay_config_set_public_key(mpay_config *config, const char *public_key);

int32_t mpay_config_add_server_public_key(mpay_config *config, const char *server_public_key);

int32_t mpay_config_add_server_key_id(mpay_config *config, const char *server_key_id);

int32_t mpay_config_clear_server_keys(mpay_config *config);

int32_t mpay_config_set_allow_http(mpay_config *config, int32_t allow_http);

int32_t mpay_config_set_ca_file(mpay_config *config, const char *ca_file);

int32_t mpay_config_set_ca_pem(mpay_config *config, const char *ca_pem);

int32_t mpay_config_set_exclusive_ca(mpay_config *config, int32_t exclusive_ca);

int32_t mpay_config_add_pin_spki(mpay_config *config, const char *pin);

int32_t mpay_config_set_client_certificate(mpay_config *config, const char *cert_file, const char *key_file);

int32_t mpay_config_set_proxy(mpay_config *config, const char *proxy);

int32_t mpay_config_set_user_agent(mpay_config *config, const char *user_agent);

int32_t mpay_config_set_timeout_ms(mpay_config *config, uint32_t timeout_ms);

int32_t mpay_config_set_connect_timeout_ms(mpay_config *config, uint32_t connect_timeout_ms);

int32_t mpay_config_set_reuse_idle_ms(mpay_config *config, uint32_t reuse_idle_ms);

int32_t mpay_config_set_connect_idle_ms(mpay_config *config, uint32_t connect_idle_ms);

int32_t mpay_config_set_max_retries(mpay_config *config, uint32_t max_retries);

int32_t mpay_config_set_max_reply_bytes(mpay_config *config, uint64_t max_reply_bytes);

int32_t mpay_config_set_log_callback(mpay_config *config, mpay_log_callback callback, void *user_data);

int32_t mpay_config_set_signer_callback(mpay_config *config, mpay_signer_callback callback, void *user_data);

void mpay_config_free(mpay_config *config);

const char *mpay_attempt_operation(const mpay_attempt *attempt);

const char *mpay_attempt_order_id(const mpay_attempt *attempt);

uint32_t mpay_attempt_number(const mpay_attempt *attempt);

int32_t mpay_attempt_http_status(const mpay_attempt *attempt);

uint64_t mpay_attempt_elapsed_ms(const mpay_attempt *attempt);

int32_t mpay_attempt_code(const mpay_attempt *attempt);

int32_t mpay_attempt_outcome(const mpay_attempt *attempt);

const char *mpay_attempt_line(const mpay_attempt *attempt);

int32_t mpay_client_new(const mpay_config *config, mpay_client **out, mpay_error **error);

int32_t mpay_client_derive(const mpay_client *client, uint32_t timeout_ms, mpay_client **out, mpay_error **error);

void mpay_client_interrupt(const mpay_client *client);

int32_t mpay_client_connect(const mpay_client *client, mpay_error **error);

void mpay_client_free(mpay_client *client);

mpay_payment_request *mpay_payment_request_new(void);

int32_t mpay_payment_request_set_sum_minor(mpay_payment_request *request, int64_t kopecks);

void mpay_payment_request_free(mpay_payment_request *request);

int32_t mpay_payment_request_set_sum(mpay_payment_request *request, const char *sum);

int32_t mpay_payment_request_set_currency(mpay_payment_request *request, const char *currency);

int32_t mpay_payment_request_set_payment_method(mpay_payment_request *request, const char *payment_method);

int32_t mpay_payment_request_set_customer_account(mpay_payment_request *request, const char *customer_account);

int32_t mpay_payment_request_set_status_webhook_url(mpay_payment_request *request, const char *status_webhook_url);

int32_t mpay_payment_request_set_credentials_webhook_url(mpay_payment_request *request,
                                                         const char *credentials_webhook_url);

int32_t mpay_payment_request_set_payer_bank(mpay_payment_request *request, const char *payer_bank);

int32_t mpay_payment_request_set_merchant_id(mpay_payment_request *request, const char *merchant_id);

int32_t mpay_payment_request_set_sum_drift_up(mpay_payment_request *request, const char *sum_drift_up);

int32_t mpay_payment_request_set_sum_drift_down(mpay_payment_request *request, const char *sum_drift_down);

mpay_receipt *mpay_receipt_new(const char *order_id);

int32_t mpay_receipt_add_file(mpay_receipt *receipt, const char *path, mpay_error **error);

int32_t mpay_receipt_add_bytes(mpay_receipt *receipt,
                               const char *file_name,
                               const char *content_type,
                               const void *data,
                               size_t len,
                               mpay_error **error);

void mpay_receipt_free(mpay_receipt *receipt);

size_t mpay_amounts_count(const mpay_amounts *amounts);

const char *mpay_amounts_get(const mpay_amounts *amounts, size_t index);

int64_t mpay_amounts_get_minor(const mpay_amounts *amounts, size_t index);

int32_t mpay_amounts_other_possible(const mpay_amounts *amounts);

const char *mpay_amounts_json(const mpay_amounts *amounts);

void mpay_amounts_free(mpay_amounts *amounts);

int64_t mpay_payment_sum_minor(const mpay_payment *payment);

int32_t mpay_payment_paid(const mpay_payment *payment, const char *asked);

int32_t mpay_payment_status_code(const mpay_payment *payment);

int32_t mpay_payment_is_final(const mpay_payment *payment);

const char *mpay_payment_json(const mpay_payment *payment);

void mpay_payment_free(mpay_payment *payment);

const char *mpay_payment_order_id(const mpay_payment *payment);

const char *mpay_payment_sum(const mpay_payment *payment);

const char *mpay_payment_currency(const mpay_payment *payment);

const char *mpay_payment_payee_account(const mpay_payment *payment);

const char *mpay_payment_payee_account_bank(const mpay_payment *payment);

const char *mpay_payment_payee_name(const mpay_payment *payment);

const char *mpay_payment_deal_sum(const mpay_payment *payment);

const char *mpay_payment_deal_currency(const mpay_payment *payment);

const char *mpay_payment_deal_rate(const mpay_payment *payment);

const char *mpay_payment_deeplink(const mpay_payment *payment);

const char *mpay_payment_status(const mpay_payment *payment);

int32_t mpay_get_available_amounts(const mpay_client *client,
                                   const mpay_payment_request *request,
                                   mpay_amounts **out,
                                   mpay_error **error);

int32_t mpay_new_payment(const mpay_client *client,
                         const mpay_payment_request *request,
                         mpay_payment **out,
                         mpay_error **error);

int32_t mpay_new_payment_async(const mpay_client *client,
                               const mpay_payment_request *request,
                               mpay_payment **out,
                               mpay_error **error);

int32_t mpay_confirm(const mpay_client *client, const char *order_id, mpay_error **error);

int32_t mpay_cancel(const mpay_client *client, const char *order_id, mpay_error **error);

int32_t mpay_get_status(const mpay_client *client, const char *order_id, mpay_payment **out, mpay_error **error);

int32_t mpay_wait(const mpay_client *client,
                  const char *order_id,
                  uint32_t timeout_ms,
                  mpay_payment **out,
                  mpay_error **error);

int32_t mpay_attach_receipt(const mpay_client *client, const mpay_receipt *receipt, mpay_error **error);

int32_t mpay_verifier_new(const mpay_config *config, mpay_verifier **out, mpay_error **error);

int32_t mpay_verify_webhook(const mpay_verifier *verifier,
                            const void *body,
                            size_t len,
                            const char *signature,
                            const char *key_id,
                            mpay_event **out,
                            mpay_error **error);

int32_t mpay_event_kind(const mpay_event *event);

const mpay_payment *mpay_event_payment(const mpay_event *event);

void mpay_event_free(mpay_event *event);

void mpay_verifier_free(mpay_verifier *verifier);

int32_t mpay_keypair_generate(mpay_keypair **out, mpay_error **error);

const char *mpay_keypair_private_key(const mpay_keypair *keypair);

const char *mpay_keypair_public_key(const mpay_keypair *keypair);

void mpay_keypair_free(mpay_keypair *keypair);

int32_t mpay_to_balance(const char *sum,
                        const char *rate,
                        int32_t balance,
                        uint32_t scale,
                        int32_t rounding,
                        mpay_amount **out,
                        mpay_error **error);

const char *mpay_amount_text(const mpay_amount *amount);

int64_t mpay_amount_minor(const mpay_amount *amount);

void mpay_amount_free(mpay_amount *amount);

const char *mpay_http_request_url(const mpay_http_request *request);

size_t mpay_http_request_header_count(const mpay_http_request *request);

const char *mpay_http_request_header_name(const mpay_http_request *request, size_t index);

const char *mpay_http_request_header_value(const mpay_http_request *request, size_t index);

const void *mpay_http_request_body(const mpay_http_request *request);

size_t mpay_http_request_body_len(const mpay_http_request *request);

void mpay_http_request_free(mpay_http_request *request);

mpay_http_response *mpay_http_response_new(void);

int32_t mpay_http_response_set_status(mpay_http_response *response, int32_t status);

int32_t mpay_http_response_add_header(mpay_http_response *response, const char *name, const char *value);

int32_t mpay_http_response_set_body(mpay_http_response *response, const void *body, size_t len);

void mpay_http_response_free(mpay_http_response *response);

int32_t mpay_protocol_new(const mpay_config *config, mpay_protocol **out, mpay_error **error);

void mpay_protocol_free(mpay_protocol *protocol);

int32_t mpay_prepare_get_available_amounts(const mpay_protocol *protocol,
                                           const mpay_payment_request *request,
                                           mpay_http_request **out,
                                           mpay_error **error);

int32_t mpay_prepare_new_payment(const mpay_protocol *protocol,
                                 const mpay_payment_request *request,
                                 mpay_http_request **out,
                                 mpay_error **error);

int32_t mpay_prepare_new_payment_async(const mpay_protocol *protocol,
                                       const mpay_payment_request *request,
                                       mpay_http_request **out,
                                       mpay_error **error);

int32_t mpay_prepare_confirm(const mpay_protocol *protocol,
                             const char *order_id,
                             mpay_http_request **out,
                             mpay_error **error);

int32_t mpay_prepare_cancel(const mpay_protocol *protocol,
                            const char *order_id,
                            mpay_http_request **out,
                            mpay_error **error);

int32_t mpay_prepare_get_status(const mpay_protocol *protocol,
                                const char *order_id,
                                mpay_http_request **out,
                                mpay_error **error);

int32_t mpay_prepare_attach_receipt(const mpay_protocol *protocol,
                                    const mpay_receipt *receipt,
                                    mpay_http_request **out,
                                    mpay_error **error);

int32_t mpay_open_get_available_amounts(const mpay_http_request *request,
                                        const mpay_http_response *response,
                                        mpay_amounts **out,
                                        mpay_error **error);

int32_t mpay_open_new_payment(const mpay_http_request *request,
                              const mpay_http_response *response,
                              mpay_payment **out,
                              mpay_error **error);

int32_t mpay_open_new_payment_async(const mpay_http_request *request,
                                    const mpay_http_response *response,
                                    mpay_payment **out,
                                    mpay_error **error);

int32_t mpay_open_confirm(const mpay_http_request *request, const mpay_http_response *response, mpay_error **error);

int32_t mpay_open_cancel(const mpay_http_request *request, const mpay_http_response *response, mpay_error **error);

int32_t mpay_open_get_status(const mpay_http_request *request,
                             const mpay_http_response *response,
                             mpay_payment **out,
                             mpay_error **error);

int32_t mpay_open_attach_receipt(const mpay_http_request *request,
                                 const mpay_http_response *response,
                                 mpay_error **error);

const void *mpay_payment_fields(const mpay_payment *payment, size_t *len);

const void *mpay_event_fields(const mpay_event *event, size_t *len);

const void *mpay_http_request_head(const mpay_http_request *request, size_t *len);
