{ The client of the Merchant Payment Acceptance API for Free Pascal and Delphi: the seven operations and webhooks.

  Each New… and each call returns an interface, which frees its handle when the last reference ends. A client, a verifier and a
  protocol can be used by any number of threads; settings, requests and receipts by one thread at a time. A call that fails raises
  EMerchantPay.

  A text is a UTF8String. The compiler converts from and to `string` and `UnicodeString` where they are assigned, so a program uses the
  type that it has. On Unix, a program of Free Pascal whose `string` is an AnsiString calls SetMultiByteConversionCodePage(CP_UTF8) first,
  as Lazarus does; else the compiler converts to the locale. A text that contains #0 is refused, because the C library would read a
  part of it only. A sum is an exact text. }
unit merchantpay;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  {$IFDEF FPC}{$IFDEF UNIX}cwstring,{$ENDIF}{$ENDIF}
  SysUtils, merchantpay_api;

type
  { A failed call. Outcome says what may have happened: MPAY_OUTCOME_NOT_SENT, MPAY_OUTCOME_REJECTED or MPAY_OUTCOME_UNKNOWN.
    Never repeat a payment whose outcome is unknown. Message contains no key, signature, account or name. }
  EMerchantPay = class(Exception)
  private
    FCode, FOutcome, FReasonCode, FHttpStatus: Int32;
    FIsTransient, FHasBody: Boolean;
    FCodeName, FOutcomeName, FDescription, FReason, FOrderId, FContentType, FExcerpt: UTF8String;
    FBody: TBytes;
  public
    { Copies the error and frees it. }
    constructor Take(Error: Pmpay_error);
    { An argument that this package refuses, by MPAY_INVALID_ARGUMENT or MPAY_INVALID_KEY: nothing was sent. }
    constructor CreateArgument(const Text: UTF8String; ArgumentCode: Int32 = MPAY_INVALID_ARGUMENT);
    { One of MPAY_INVALID_ARGUMENT … MPAY_INTERNAL, and its name. }
    property Code: Int32 read FCode;
    property CodeName: UTF8String read FCodeName;
    property Outcome: Int32 read FOutcome;
    property OutcomeName: UTF8String read FOutcomeName;
    { Whether the same call may succeed later without a change. }
    property IsTransient: Boolean read FIsTransient;
    { The service's own text about a refusal, and the reason in it that this version knows, as a name and a number (0: none). }
    property Description: UTF8String read FDescription;
    property Reason: UTF8String read FReason;
    property ReasonCode: Int32 read FReasonCode;
    { 0 without a response. }
    property HttpStatus: Int32 read FHttpStatus;
    property OrderId: UTF8String read FOrderId;
    { Of a response that does not verify: its type, the beginning of its text, and its bytes. They may contain personal data. }
    property ContentType: UTF8String read FContentType;
    property Excerpt: UTF8String read FExcerpt;
    property Body: TBytes read FBody;
    { Whether there was a body, which may be empty. }
    property HasBody: Boolean read FHasBody;
  end;

  { A payment as the service described it. A field that the service left out is an empty text. }
  IPayment = interface
    function Field(Index: Integer): UTF8String;
    { The sum in kopecks; MPAY_NO_MINOR if there is none, or if it is not a whole number of them. }
    function SumMinor: Int64;
    { MPAY_STATUS_FREE … MPAY_STATUS_ARBITRAGE_CANCELLED_BY_MERCHANT; 0 for a status that this version does not know. }
    function StatusCode: Int32;
    function IsFinal: Boolean;
    { MPAY_PAID_EXACTLY, MPAY_PAID_LESS or MPAY_PAID_MORE than the asked sum; 0 unless it is paid. }
    function Paid(const Asked: UTF8String): Int32;
    { The verified body as it came. It contains personal data. }
    function Json: UTF8String;
    { generated: begin payment_fields }
    { The service's identifier of the payment. Since 0.1.0. }
    property OrderId: UTF8String index 0 read Field;
    { The payment's sum in its currency: the amount actually paid once there is a payment; it changes if the customer pays more or less,
    and a payment that failed has one too. Since 0.1.0. }
    property Sum: UTF8String index 1 read Field;
    { The currency of the sum: in the reply to NewPayment and in the credentials webhook. Since 0.1.0. }
    property Currency: UTF8String index 2 read Field;
    { The account to which the customer pays. Since 0.1.0. }
    property PayeeAccount: UTF8String index 3 read Field;
    { The bank of that account. Since 0.1.0. }
    property PayeeAccountBank: UTF8String index 4 read Field;
    { The holder of that account; in the reply to GetStatus in Latin letters. Since 0.1.0. }
    property PayeeName: UTF8String index 5 read Field;
    { The sum in the balance's currency, with commission; fixed when credentials are issued. Since 0.1.0. }
    property DealSum: UTF8String index 6 read Field;
    { The currency of the merchant's balance. Since 0.1.0. }
    property DealCurrency: UTF8String index 7 read Field;
    { The rate of the deal, from the payment's currency to the balance's. Since 0.1.0. }
    property DealRate: UTF8String index 8 read Field;
    { The URL of the customer's payment frame. Since 0.1.0. }
    property Deeplink: UTF8String index 9 read Field;
    { The payment's status (contract, section 3): in the reply to GetStatus and in status webhooks. Since 0.1.0. }
    property Status: UTF8String index 10 read Field;
    { generated: end }
  end;

  IAvailableAmounts = interface
    function Count: Integer;
    { Exact texts, in the order of the service. The index begins at 0. }
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

  { Called when an attempt has ended, on the thread that makes the call, and by several threads at once. An exception is ignored. }
  TLogEvent = procedure(const Attempt: TAttempt) of object;
  { Returns the 64 bytes of the detached ed25519 signature of the message. Any other length, and an exception, mean that it cannot
    sign: the call fails with MPAY_SIGNER, and nothing is sent. Several threads may call it at once. }
  TSignEvent = function(const Message: TBytes): TBytes of object;

  { The settings of docs/settings.md by their names in snake case, such as 'base_url'. A setting that is a list adds. }
  IConfig = interface
    function Handle: Pmpay_config;
    procedure SetByName(const Name, Text: UTF8String);
    { Takes every setting that has a variable MERCHANTPAY_…. }
    procedure FromEnvironment;
    procedure ClearServerKeys;
    procedure OnLog(Event: TLogEvent);
    { Signs in place of private_key; public_key has to name its key. }
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
    { The payment has an order id only; its credentials come by webhook. }
    function NewPaymentAsync(const Request: IPaymentRequest): IPayment;
    procedure Confirm(const OrderId: UTF8String);
    procedure Cancel(const OrderId: UTF8String);
    function GetStatus(const OrderId: UTF8String): IPayment;
    procedure AttachReceipt(const Receipt: IReceipt);
    { Asks for the status until it is final. Raises MPAY_TIMEOUT with an unknown outcome when the time is up. }
    function Wait(const OrderId: UTF8String; TimeoutMs: UInt32): IPayment;
    { Opens a connection now, so that the next call does not wait for it. }
    procedure Connect;
    { A handle over the same connections, which can be interrupted alone. 0 keeps the timeout. }
    function Derive(TimeoutMs: UInt32 = 0): IMerchantPayClient;
    { Ends the calls of this handle, from any thread, and each later one, with MPAY_CANCELLED. }
    procedure Interrupt;
  end;

  IEvent = interface
    { MPAY_EVENT_CREDENTIALS, MPAY_EVENT_CREDENTIALS_FAILED or MPAY_EVENT_STATUS. }
    function Kind: Int32;
    function Payment: IPayment;
  end;

  { Why a webhook does not verify. Write it to the log, and do not return it to the sender. }
  TExplanation = record
    { MPAY_CAUSE_BODY_CHANGED or another cause; 0 if the signature and the key id are accepted. }
    Cause: Int32;
    CauseName, Hint: UTF8String;
  end;

  IWebhookVerifier = interface
    { Body has the bytes as they came. KeyId is the header X-KeyId, or empty if there is none. Raises MPAY_UNVERIFIED. }
    function Verify(const Body: TBytes; const Signature: UTF8String; const KeyId: UTF8String = ''): IEvent;
    { Takes what Verify takes. }
    function Explain(const Body: TBytes; const Signature: UTF8String; const KeyId: UTF8String = ''): TExplanation;
  end;

  TKeypair = record
    PrivateKey, PublicKey: UTF8String;
  end;

{ The functions that make things. Keep what they return in a variable. }
function NewConfig: IConfig;
function NewPaymentRequest: IPaymentRequest;
function NewReceipt(const OrderId: UTF8String): IReceipt;
function NewClient(const Config: IConfig): IMerchantPayClient;
{ Needs no private key. }
function NewWebhookVerifier(const Config: IConfig): IWebhookVerifier;
function GenerateKeypair: TKeypair;
function LibraryVersion: UTF8String;

{ The exact text of a sum in Currency, and the reverse, which raises EMerchantPay if Currency cannot hold the sum exactly. }
function SumText(const Sum: Currency): UTF8String;
function SumCurrency(const Text: UTF8String): Currency;
{ A sum at a rate in the currency of the merchant's balance, MPAY_BALANCE_…, with Scale digits after the point, rounded once by
  MPAY_ROUNDING_…. }
function ToBalance(const Sum, Rate: UTF8String; Balance: Int32; Scale: UInt32; Rounding: Int32): UTF8String;

{ For the other units of this package. }

{ Raises what a function of the C library reported. }
procedure Check(Code: Int32; Error: Pmpay_error);
{ The text for the C library; it lives as long as the variable. An optional text that is empty is absent (nil). }
function Chars(const Text: UTF8String): PAnsiChar;
function Optional(const Text: UTF8String): PAnsiChar;
{ The two headers of a webhook. A header with #0 comes from outside: it does not verify, and it is no wrong argument. }
function SignatureChars(const Signature, KeyId: UTF8String): PAnsiChar;
function KeyIdChars(const KeyId: UTF8String): PAnsiChar;
function HasNul(const Text: UTF8String): Boolean;
{ A copy of a text of the C library; nil is an empty text. }
function TextOf(Chars: PAnsiChar): UTF8String;
function BytesOf(Data: Pointer; Size: NativeUInt): TBytes;
{ The first byte, or nil. }
function DataOf(const Bytes: TBytes): Pointer;
{ The bytes of a text, such as the body of a request. }
function Utf8Bytes(const Text: UTF8String): TBytes;
{ A payment that belongs to the owner, which stays as long as the payment; nil without a payment. }
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

end.
