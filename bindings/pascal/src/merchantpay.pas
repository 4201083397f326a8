{ The client of the Merchant Payment Acceptance API for Free Pascal and Delphi: the seven operations and webhooks.

  Each function New… and each call returns an interface, which frees its handle when the last reference ends. Any number of threads can
  use a client, a verifier or a protocol. Only one thread at a time can use settings, a request or a receipt. A call that fails raises
  EMerchantPay.

  A text is a UTF8String. The compiler converts between UTF8String, `string` and `UnicodeString` in assignments, so a program can use
  any of these types. In the locale C, Free Pascal on Unix would convert each letter that is not ASCII to `?`, and two order numbers could
  become one. So there this unit sets the code page of an AnsiString to UTF-8, as Lazarus does. A text that contains #0 is refused, because
  the C library would read only a part of the text. A sum is an exact text. }
unit merchantpay;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  {$IFDEF FPC}{$IFDEF UNIX}cwstring,{$ENDIF}{$ENDIF}
  SysUtils, merchantpay_api;

type
  { A failed call. Outcome shows whether the request may have taken effect: MPAY_OUTCOME_NOT_SENT, MPAY_OUTCOME_REJECTED or
    MPAY_OUTCOME_UNKNOWN. Never repeat a payment whose outcome is unknown. Message contains no key, signature, account or name. }
  EMerchantPay = class(Exception)
  private
    FCode, FOutcome, FReasonCode, FHttpStatus: Int32;
    FRetryAfterMs: UInt64;
    FIsTransient, FHasBody: Boolean;
    FCodeName, FOutcomeName, FDescription, FReason, FOrderId, FContentType, FExcerpt: UTF8String;
    FBody: TBytes;
  public
    { Copies the error and frees it. }
    constructor Take(Error: Pmpay_error);
    { Makes the error of an argument that this package refuses, with the code MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY. Nothing was
      sent, unless the argument belongs to a reply. }
    constructor CreateArgument(const Text: UTF8String; ArgumentCode: Int32 = MPAY_INVALID_ARGUMENT;
      ArgumentOutcome: Int32 = MPAY_OUTCOME_NOT_SENT);
    { The code, one of MPAY_INVALID_ARGUMENT … MPAY_INTERNAL, and its name. }
    property Code: Int32 read FCode;
    property CodeName: UTF8String read FCodeName;
    property Outcome: Int32 read FOutcome;
    property OutcomeName: UTF8String read FOutcomeName;
    { True if the same call may succeed later without a change. }
    property IsTransient: Boolean read FIsTransient;
    { The service's text about a refusal; and the refusal's reason, as a name and as a number (0: no reason that this version knows). }
    property Description: UTF8String read FDescription;
    property Reason: UTF8String read FReason;
    property ReasonCode: Int32 read FReasonCode;
    { The HTTP status; 0 without a response. }
    property HttpStatus: Int32 read FHttpStatus;
    { How many milliseconds to wait before the next try, if a response with the status 429 or 503 asked for it; otherwise 0. It is not
      signed, so a proxy may have asked. Since 0.4.0. }
    property RetryAfterMs: UInt64 read FRetryAfterMs;
    property OrderId: UTF8String read FOrderId;
    { ContentType and Excerpt are the content type and the beginning of a response that could not be verified. Body is the unchanged,
      verified body of a response or webhook, if the code is "rejected" or "malformed". Excerpt and Body may contain personal data. }
    property ContentType: UTF8String read FContentType;
    property Excerpt: UTF8String read FExcerpt;
    property Body: TBytes read FBody;
    { True if there was a body. The body may be empty. }
    property HasBody: Boolean read FHasBody;
  end;

  { A payment as the service described it. A field that the service left out is an empty text. }
  IPayment = interface
    function Field(Index: Integer): UTF8String;
    { The sum in kopecks; MPAY_NO_MINOR if there is no sum, or if the sum has a fraction of a kopeck. }
    function SumMinor: Int64;
    { The status, one of MPAY_STATUS_FREE … MPAY_STATUS_ARBITRAGE_CANCELLED_BY_MERCHANT; 0 for a status that this version does not know.
      }
    function StatusCode: Int32;
    function IsFinal: Boolean;
    { Compares the paid sum with the requested sum Asked: MPAY_PAID_EXACTLY, MPAY_PAID_LESS or MPAY_PAID_MORE; 0 if there is no sum. }
    function Paid(const Asked: UTF8String): Int32;
    { The body of the verified message, unchanged. It contains personal data. }
    function Json: UTF8String;
    { generated: begin payment_fields }
    { The service's identifier of the payment. Since 0.1.0. }
    property OrderId: UTF8String index 0 read Field;
    { The payment's sum in its currency. After the customer has paid, it is the amount that was actually paid, which can be more or less
    than requested. A failed payment has a sum too. Since 0.1.0. }
    property Sum: UTF8String index 1 read Field;
    { The currency of the sum. The reply to NewPayment and the credentials webhook have it. Since 0.1.0. }
    property Currency: UTF8String index 2 read Field;
    { The account to which the customer pays. Since 0.1.0. }
    property PayeeAccount: UTF8String index 3 read Field;
    { The bank of the payee's account. Since 0.1.0. }
    property PayeeAccountBank: UTF8String index 4 read Field;
    { The holder of the payee's account. In the reply to GetStatus the name is in Latin letters. Since 0.1.0. }
    property PayeeName: UTF8String index 5 read Field;
    { The sum in the currency of the merchant's balance, with commission. The sum is fixed when the service issues the credentials.
    Since 0.1.0. }
    property DealSum: UTF8String index 6 read Field;
    { The currency of the merchant's balance. Since 0.1.0. }
    property DealCurrency: UTF8String index 7 read Field;
    { The rate from the payment's currency to the currency of the merchant's balance. Since 0.1.0. }
    property DealRate: UTF8String index 8 read Field;
    { The URL of the customer's payment frame. Since 0.1.0. }
    property Deeplink: UTF8String index 9 read Field;
    { The payment's status (contract, section 3). The reply to GetStatus and status webhooks have it. Since 0.1.0. }
    property Status: UTF8String index 10 read Field;
    { generated: end }
  end;

  IAvailableAmounts = interface
    function Count: Integer;
    { The amount with this index, from 0, as an exact text. The amounts are in the service's order. }
    function Amount(Index: Integer): UTF8String;
    function OtherAmountsPossible: Boolean;
    function Json: UTF8String;
    property Amounts[Index: Integer]: UTF8String read Amount; default;
  end;

  { One HTTP attempt of a call, as a logger sees it. Line is a text for a log, without secrets or personal data. }
  TAttempt = record
    Operation, OrderId, Line: UTF8String;
    Number: UInt32;
    HttpStatus, Code, Outcome: Int32;
    ElapsedMs: UInt64;
  end;

  { A method that gets every HTTP attempt after the attempt has ended, on the thread that makes the call. Several threads can call the
    method at once. Exceptions of the method are ignored. }
  TLogEvent = procedure(const Attempt: TAttempt) of object;
  { A method that returns the 64 bytes of the detached ed25519 signature of the message. If the method returns a different number of bytes,
    or raises an exception, the call fails with MPAY_SIGNER, and nothing is sent. Several threads can call the method at once. }
  TSignEvent = function(const Message: TBytes): TBytes of object;

  { The settings of docs/settings.md by their names in snake case, such as 'base_url'. If a setting is a list, each assignment adds a value
    to the list. }
  IConfig = interface
    function Handle: Pmpay_config;
    procedure SetByName(const Name, Text: UTF8String);
    { Reads every setting that has an environment variable MERCHANTPAY_…. }
    procedure FromEnvironment;
    procedure ClearServerKeys;
    procedure OnLog(Event: TLogEvent);
    { Event signs in place of private_key. Set public_key to the public key of this signer. }
    procedure OnSign(Event: TSignEvent);
    property Settings[const Name: UTF8String]: UTF8String write SetByName; default;
  end;

  { The fields of a request by their names in snake case, such as 'sum'. A sum is an exact text such as '1500.50', or SumText of a
    Currency. }
  IPaymentRequest = interface
    function Handle: Pmpay_payment_request;
    procedure SetByName(const Name, Text: UTF8String);
    property Fields[const Name: UTF8String]: UTF8String write SetByName; default;
  end;

  { Files for a payment in arbitration. }
  IReceipt = interface
    function Handle: Pmpay_receipt;
    procedure AddFile(const Path: UTF8String);
    procedure AddBytes(const FileName, ContentType: UTF8String; const Data: TBytes);
  end;

  IMerchantPayClient = interface
    function Handle: Pmpay_client;
    function GetAvailableAmounts(const Request: IPaymentRequest): IAvailableAmounts;
    function NewPayment(const Request: IPaymentRequest): IPayment;
    { The result has only the order id. The payment details that the customer needs (credentials) come by webhook. }
    function NewPaymentAsync(const Request: IPaymentRequest): IPayment;
    procedure Confirm(const OrderId: UTF8String);
    procedure Cancel(const OrderId: UTF8String);
    function GetStatus(const OrderId: UTF8String): IPayment;
    procedure AttachReceipt(const Receipt: IReceipt);
    { Asks for the status until the status is final. Raises MPAY_TIMEOUT with MPAY_OUTCOME_UNKNOWN if the status is not final in time. }
    function Wait(const OrderId: UTF8String; TimeoutMs: UInt32): IPayment;
    { Opens a connection now, so that the next call does not have to wait for a connection. }
    procedure Connect;
    { Makes a derived client with the same settings and connections. The derived client can be interrupted separately. TimeoutMs is the
      deadline of its calls; 0 keeps this client's deadline. }
    function Derive(TimeoutMs: UInt32 = 0): IMerchantPayClient;
    { Ends the running calls of this client and of every client derived from it, with MPAY_CANCELLED. Later calls do not start. Any thread
      may call this method. }
    procedure Interrupt;
  end;

  IEvent = interface
    { The kind: MPAY_EVENT_CREDENTIALS, MPAY_EVENT_CREDENTIALS_FAILED or MPAY_EVENT_STATUS. }
    function Kind: Int32;
    function Payment: IPayment;
  end;

  { The reason why a webhook does not verify. Write it to the log, and do not return it to the sender. }
  TExplanation = record
    { The cause, such as MPAY_CAUSE_BODY_CHANGED; 0 if the signature and the key id are accepted. }
    Cause: Int32;
    CauseName, Hint: UTF8String;
  end;

  IWebhookVerifier = interface
    { Verifies a webhook. Body has the unchanged bytes. KeyId is the header X-KeyId, or empty if the header is absent. Raises
      MPAY_UNVERIFIED if the webhook does not verify. }
    function Verify(const Body: TBytes; const Signature: UTF8String; const KeyId: UTF8String = ''): IEvent;
    { Explains why a webhook does not verify. It takes the arguments of Verify. }
    function Explain(const Body: TBytes; const Signature: UTF8String; const KeyId: UTF8String = ''): TExplanation;
  end;

  TKeypair = record
    PrivateKey, PublicKey: UTF8String;
  end;

{ These functions make objects. Keep each result in a variable. }
function NewConfig: IConfig;
function NewPaymentRequest: IPaymentRequest;
function NewReceipt(const OrderId: UTF8String): IReceipt;
function NewClient(const Config: IConfig): IMerchantPayClient;
{ A verifier needs no private key. }
function NewWebhookVerifier(const Config: IConfig): IWebhookVerifier;
function GenerateKeypair: TKeypair;
function LibraryVersion: UTF8String;

{ SumText returns the exact text of a Currency. A Double is not an exact sum: the compiler rounds it to a Currency first. SumCurrency
  converts a text to Currency, and raises EMerchantPay if Currency cannot hold the sum exactly. }
function SumText(const Sum: Currency): UTF8String;
function SumCurrency(const Text: UTF8String): Currency;
{ Converts a paid sum at a rate to the currency of the merchant's balance (MPAY_BALANCE_…). The result is rounded once
  (MPAY_ROUNDING_…), to Scale digits after the decimal point. }
function ToBalance(const Sum, Rate: UTF8String; Balance: Int32; Scale: UInt32; Rounding: Int32): UTF8String;

{ The following functions are for the other units of this package. }

{ Raises the error that a function of the C library reported; does nothing after MPAY_OK. }
procedure Check(Code: Int32; Error: Pmpay_error);
{ Both functions return a text for the C library. The result is valid as long as the variable Text is valid. Optional returns nil, an
  absent text, for an empty text. }
function Chars(const Text: UTF8String): PAnsiChar;
function Optional(const Text: UTF8String): PAnsiChar;
{ The path and the two headers of a webhook for the C library. The sender wrote them, so a #0 in them is not the program's mistake: the
  webhook does not verify. A key id that is empty is absent (nil). }
function SentChars(const Text: UTF8String): PAnsiChar;
function KeyIdChars(const KeyId: UTF8String): PAnsiChar;
function HasNul(const Text: UTF8String): Boolean;
const
  { A text that the C library refuses. After this text, the handle of a setting remembers that its new value was refused. }
  NotUtf8: PAnsiChar = #255;
  { A text that is neither a path, a signature nor a key id. }
  NeverValid: PAnsiChar = #1;
{ A copy of a text of the C library; an empty text for nil. }
function TextOf(Chars: PAnsiChar): UTF8String;
function BytesOf(Data: Pointer; Size: NativeUInt): TBytes;
{ The address of the first byte, or nil if there are no bytes. }
function DataOf(const Bytes: TBytes): Pointer;
{ The bytes of a text, such as the body of a request. }
function Utf8Bytes(const Text: UTF8String): TBytes;
{ A payment that is part of the object Owner, and keeps this object alive; nil without a payment. }
function BorrowedPayment(Payment: Pmpay_payment; const Owner: IInterface): IPayment;
{ A payment that is freed with its last reference. }
function OwnPayment(Payment: Pmpay_payment): IPayment;
function OwnAmounts(Amounts: Pmpay_amounts): IAvailableAmounts;

implementation

{$I errors.inc}
{$I texts.inc}
{$I sums.inc}
{$I values.inc}
{$I callbacks.inc}
{$I config.inc}
{$I requests.inc}
{$I client.inc}
{$I webhooks.inc}
{$I keys.inc}

{$IFDEF FPC}{$IFDEF UNIX}
const
  UsAscii = 20127;

initialization
  if DefaultSystemCodePage = UsAscii then
    SetMultiByteConversionCodePage(CP_UTF8);
{$ENDIF}{$ENDIF}

end.
