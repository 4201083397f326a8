/* merchantpay.h and merchantpay_bindings.h without their preprocessor, for FFI::cdef and the like. */

enum { MPAY_HEADER_VERSION_NUMBER = 200 };

enum { MPAY_HEADER_ABI = 0 };

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

enum { MPAY_CONFLICT = 51 };

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

enum { MPAY_STANDING_SENDING = 1 };

enum { MPAY_STANDING_UNKNOWN = 2 };

enum { MPAY_STANDING_REFUSED = 3 };

enum { MPAY_STANDING_OPEN = 4 };

enum { MPAY_STANDING_FINAL = 5 };

enum { MPAY_STANDING_SUPERSEDED = 6 };

enum { MPAY_LEVEL_NONE = 0 };

enum { MPAY_LEVEL_CREDENTIALS = 1 };

enum { MPAY_LEVEL_RECEIPT_REQUIRED = 2 };

enum { MPAY_LEVEL_REFUSED = 3 };

enum { MPAY_LEVEL_FINAL = 4 };

enum { MPAY_INTENT_STORED = 1 };

enum { MPAY_INTENT_ACCEPTED = 2 };

enum { MPAY_INTENT_REFUSED = 3 };

enum { MPAY_INTENT_UNCLEAR = 4 };

enum { MPAY_ATTENTION_UNKNOWN = 1 };

enum { MPAY_ATTENTION_FOUND_AFTER_REFUSED = 2 };

enum { MPAY_ATTENTION_SUPERSEDED_PAID = 3 };

enum { MPAY_ATTENTION_SUPERSEDED_ALIVE = 4 };

enum { MPAY_ATTENTION_CONFIRM_REFUSED = 5 };

enum { MPAY_ATTENTION_CONFIRM_UNCLEAR = 6 };

enum { MPAY_ATTENTION_FINAL_CONTRADICTED = 7 };

enum { MPAY_ATTENTION_PAID_DIFFERS = 8 };

enum { MPAY_ATTENTION_CREDENTIALS_DIFFER = 9 };

enum { MPAY_ATTENTION_ORDER_NOT_FOUND = 10 };

enum { MPAY_ATTENTION_STILL_OPEN = 11 };

enum { MPAY_ATTENTION_ORDER_DIFFERS = 12 };

enum { MPAY_ATTENTION_ORDER_UNPROVEN = 13 };

enum { MPAY_ATTENTION_SUM_MISSING = 14 };

enum { MPAY_UNTIL_CREDENTIALS = 1 };

enum { MPAY_UNTIL_FINAL = 2 };

enum { MPAY_DIALECT_SQLITE = 1 };

enum { MPAY_DIALECT_POSTGRESQL = 2 };

enum { MPAY_DIALECT_MYSQL = 3 };

enum { MPAY_PLACEHOLDERS_QUESTION = 1 };

enum { MPAY_PLACEHOLDERS_NUMBERED = 2 };

enum { MPAY_PLACEHOLDERS_PERCENT = 3 };

enum { MPAY_DATABASE_OK = 0 };

enum { MPAY_DATABASE_DUPLICATE = 1 };

enum { MPAY_DATABASE_UNCLEAR = 2 };

enum { MPAY_DATABASE_FAILED = 3 };

enum { MPAY_RESOLUTION_ORDER_ID = 1 };

enum { MPAY_RESOLUTION_NO_PAYMENT = 2 };

enum { MPAY_RESOLUTION_SEEN = 3 };

typedef struct mpay_amount mpay_amount;

typedef struct mpay_amounts mpay_amounts;

typedef struct mpay_attempt mpay_attempt;

typedef struct mpay_client mpay_client;

typedef struct mpay_config mpay_config;

typedef struct mpay_entries mpay_entries;

typedef struct mpay_entry mpay_entry;

typedef struct mpay_error mpay_error;

typedef struct mpay_event mpay_event;

typedef struct mpay_http_request mpay_http_request;

typedef struct mpay_http_response mpay_http_response;

typedef struct mpay_journal mpay_journal;

typedef struct mpay_journal_config mpay_journal_config;

typedef struct mpay_keypair mpay_keypair;

typedef struct mpay_payment mpay_payment;

typedef struct mpay_payment_request mpay_payment_request;

typedef struct mpay_protocol mpay_protocol;

typedef struct mpay_receipt mpay_receipt;

typedef struct mpay_rows mpay_rows;

typedef struct mpay_verifier mpay_verifier;

typedef void (*mpay_log_callback)(void *user_data, const mpay_attempt *attempt);

typedef void (*mpay_release_callback)(void *user_data);

typedef int32_t (*mpay_signer_callback)(void *user_data, const void *message, size_t len, void *signature);

typedef int32_t (*mpay_database_callback)(void *user_data,
                                          const char *sql,
                                          const char *const *parameters,
                                          size_t count,
                                          mpay_rows *out);

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

int32_t mpay_config_set_log_callback(mpay_config *config,
                                     mpay_log_callback callback,
                                     void *user_data,
                                     mpay_release_callback release);

int32_t mpay_config_set_signer_callback(mpay_config *config,
                                        mpay_signer_callback callback,
                                        void *user_data,
                                        mpay_release_callback release);

void mpay_config_free(mpay_config *config);

int32_t mpay_config_set(mpay_config *config, const char *name, const char *text, mpay_error **error);

int32_t mpay_config_from_env(mpay_config *config, mpay_error **error);

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

int32_t mpay_payment_request_set(mpay_payment_request *request, const char *name, const char *text, mpay_error **error);

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

mpay_journal_config *mpay_journal_config_new(void);

int32_t mpay_journal_config_set_file(mpay_journal_config *config, const char *path);

int32_t mpay_journal_config_set_database(mpay_journal_config *config,
                                         int32_t dialect,
                                         int32_t placeholders,
                                         mpay_database_callback callback,
                                         void *user_data,
                                         mpay_release_callback release);

int32_t mpay_journal_config_set_callback_url(mpay_journal_config *config, const char *url);

int32_t mpay_journal_config_set_account(mpay_journal_config *config, const char *account);

int32_t mpay_journal_config_set_timeout_ms(mpay_journal_config *config, uint32_t timeout_ms);

int32_t mpay_journal_config_set_calls_per_second(mpay_journal_config *config, uint32_t calls);

int32_t mpay_journal_config_set_create(mpay_journal_config *config, int32_t create);

int32_t mpay_journal_config_set_pay_wait_ms(mpay_journal_config *config, uint32_t wait_ms);

int32_t mpay_journal_config_add_durability_vouched(mpay_journal_config *config, const char *names);

int32_t mpay_journal_config_set(mpay_journal_config *config, const char *name, const char *text, mpay_error **error);

void mpay_journal_config_free(mpay_journal_config *config);

int32_t mpay_rows_add(mpay_rows *rows, const char *const *values, size_t count);

int32_t mpay_rows_set_affected(mpay_rows *rows, uint64_t affected);

int32_t mpay_rows_set_message(mpay_rows *rows, const char *message);

const char *mpay_entry_reference(const mpay_entry *entry);

uint32_t mpay_entry_attempt(const mpay_entry *entry);

int32_t mpay_entry_is_orphan(const mpay_entry *entry);

int32_t mpay_entry_standing(const mpay_entry *entry);

const char *mpay_entry_standing_name(const mpay_entry *entry);

const char *mpay_entry_order_id(const mpay_entry *entry);

const mpay_payment *mpay_entry_credentials(const mpay_entry *entry);

const mpay_payment *mpay_entry_payment(const mpay_entry *entry);

const char *mpay_entry_sum_asked(const mpay_entry *entry);

int32_t mpay_entry_paid(const mpay_entry *entry);

int32_t mpay_entry_succeeded(const mpay_entry *entry);

int32_t mpay_entry_confirm_state(const mpay_entry *entry);

int32_t mpay_entry_cancel_state(const mpay_entry *entry);

int32_t mpay_entry_reported(const mpay_entry *entry);

int32_t mpay_entry_acknowledged(const mpay_entry *entry);

int32_t mpay_entry_error_code(const mpay_entry *entry);

int32_t mpay_entry_error_outcome(const mpay_entry *entry);

const char *mpay_entry_error_description(const mpay_entry *entry);

int32_t mpay_entry_attention(const mpay_entry *entry, size_t place);

const mpay_entry *mpay_entry_earlier(const mpay_entry *entry, size_t place);

uint64_t mpay_entry_created_at_ms(const mpay_entry *entry);

uint64_t mpay_entry_updated_at_ms(const mpay_entry *entry);

uint64_t mpay_entry_due_at_ms(const mpay_entry *entry);

const char *mpay_entry_json(const mpay_entry *entry);

void mpay_entry_free(mpay_entry *entry);

size_t mpay_entries_count(const mpay_entries *entries);

const mpay_entry *mpay_entries_get(const mpay_entries *entries, size_t place);

void mpay_entries_free(mpay_entries *entries);

int32_t mpay_journal_open(const mpay_client *client,
                          const mpay_journal_config *config,
                          mpay_journal **out,
                          mpay_error **error);

int32_t mpay_journal_derive(const mpay_journal *journal, mpay_journal **out, mpay_error **error);

void mpay_journal_interrupt(const mpay_journal *journal);

int32_t mpay_journal_find(const mpay_journal *journal, const char *reference, mpay_entry **out, mpay_error **error);

int32_t mpay_journal_list(const mpay_journal *journal,
                          int32_t standing,
                          uint32_t limit,
                          const mpay_entry *before,
                          mpay_entries **out,
                          mpay_error **error);

int32_t mpay_journal_news(const mpay_journal *journal,
                          uint32_t limit,
                          uint32_t claim_ms,
                          mpay_entries **out,
                          mpay_error **error);

int32_t mpay_journal_acknowledge(const mpay_journal *journal,
                                 const mpay_entry *entry,
                                 int32_t *changed,
                                 mpay_error **error);

int32_t mpay_journal_acknowledge_with(const mpay_journal *journal,
                                      const mpay_entry *entry,
                                      mpay_database_callback callback,
                                      void *user_data,
                                      int32_t *changed,
                                      mpay_error **error);

int32_t mpay_journal_attention(const mpay_journal *journal, uint32_t limit, mpay_entries **out, mpay_error **error);

int32_t mpay_journal_wait(const mpay_journal *journal,
                          const char *reference,
                          uint32_t timeout_ms,
                          int32_t wanted,
                          mpay_entry **out,
                          mpay_error **error);

int32_t mpay_journal_settle(const mpay_journal *journal,
                            uint32_t limit,
                            uint32_t *done,
                            int64_t *next_due_ms,
                            mpay_error **error);

int32_t mpay_journal_receive(const mpay_journal *journal,
                             const char *path,
                             const void *body,
                             size_t len,
                             const char *signature,
                             const char *key_id,
                             int32_t *http_status,
                             mpay_entry **out,
                             mpay_error **error);

void mpay_journal_free(mpay_journal *journal);

int32_t mpay_journal_acknowledge_by(const mpay_journal *journal,
                                    const char *reference,
                                    uint32_t attempt,
                                    int32_t level,
                                    int32_t *changed,
                                    mpay_error **error);

int32_t mpay_journal_acknowledge_by_with(const mpay_journal *journal,
                                         const char *reference,
                                         uint32_t attempt,
                                         int32_t level,
                                         mpay_database_callback callback,
                                         void *user_data,
                                         int32_t *changed,
                                         mpay_error **error);

int32_t mpay_journal_confirm_by(const mpay_journal *journal,
                                const char *reference,
                                uint32_t attempt,
                                mpay_entry **out,
                                mpay_error **error);

int32_t mpay_journal_cancel_by(const mpay_journal *journal,
                               const char *reference,
                               uint32_t attempt,
                               mpay_entry **out,
                               mpay_error **error);

int32_t mpay_journal_pay(const mpay_journal *journal,
                         const char *reference,
                         const mpay_payment_request *request,
                         uint32_t replace,
                         mpay_entry **out,
                         mpay_error **error);

int32_t mpay_journal_pay_async(const mpay_journal *journal,
                               const char *reference,
                               const mpay_payment_request *request,
                               uint32_t replace,
                               mpay_entry **out,
                               mpay_error **error);

int32_t mpay_journal_confirm(const mpay_journal *journal,
                             const mpay_entry *entry,
                             mpay_entry **out,
                             mpay_error **error);

int32_t mpay_journal_cancel(const mpay_journal *journal, const mpay_entry *entry, mpay_entry **out, mpay_error **error);

int32_t mpay_journal_resolve(const mpay_journal *journal,
                             const mpay_entry *entry,
                             int32_t resolution,
                             const char *order_id,
                             const char *note,
                             mpay_error **error);

const void *mpay_payment_fields(const mpay_payment *payment, size_t *len);

const void *mpay_event_fields(const mpay_event *event, size_t *len);

const void *mpay_error_fields(const mpay_error *error, size_t *len);

const void *mpay_attempt_fields(const mpay_attempt *attempt, size_t *len);

const void *mpay_entry_fields(const mpay_entry *entry, size_t *len);

const void *mpay_http_request_head(const mpay_http_request *request, size_t *len);

int32_t mpay_journal_config_set_check_later(mpay_journal_config *config, int32_t later);
