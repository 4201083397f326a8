{ The client of the Merchant Payment Acceptance API for Free Pascal and Delphi: the seven operations and webhooks.

  Each function New… and each call returns an interface, which frees its handle when the last reference ends. Any number of threads can
  use a client, a verifier or a protocol. Only one thread at a time can use settings, a request or a receipt. A call that fails raises
  EMerchantPay.

  A text is a UTF8String. The compiler converts between UTF8String, `string` and `UnicodeString` in assignments, so a program can use
  any of these types. In the locale C, Free Pascal on Unix would convert each letter that is not ASCII to `?`, and two order numbers could
  become one. So there this unit sets the code page of an AnsiString to UTF-8, as Lazarus does. A text that contains #0 is refused. A
  sum is an exact text. }
unit merchantpay;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  {$IFDEF FPC}{$IFDEF UNIX}cwstring,{$ENDIF}{$ENDIF}
  SysUtils, merchantpay_frames, merchantpay_api;

type
  EMerchantPay = merchantpay_api.EMerchantPay;
  TAttempt = merchantpay_api.TAttempt;
  TExplanation = merchantpay_api.TExplanation;
  TKeypair = merchantpay_api.TKeypair;

  { A payment as the service described it. A field that the service left out is an empty text. }
  IPayment = interface(IPaymentFields)
    ['{A8C3E5F1-4B27-4D9A-8E60-1F2D3C4B5A69}']
    { The sum in kopecks; MPAY_NO_MINOR if there is no sum, or if the sum has a fraction of a kopeck. }
    function SumMinor: Int64;
    { Compares the paid sum with the requested sum Asked; None if there is no sum. }
    function Paid(const Asked: UTF8String): TPaid;
  end;

  IAvailableAmounts = interface(IAmountsFields)
    ['{1D7F4A60-93C5-4E2B-B0A8-5C6D7E8F9012}']
    function Count: Integer;
    { The amount with this index, from 0, as an exact text. The amounts are in the service's order. }
    function Amount(Index: Integer): UTF8String;
    property Amounts[Index: Integer]: UTF8String read Amount; default;
  end;

  { A method that gets every HTTP attempt after the attempt has ended, on the thread that makes the call. Several threads can call the
    method at once. Exceptions of the method are ignored. }
  TLogEvent = procedure(const Attempt: TAttempt) of object;
  { A method that returns the 64 bytes of the detached ed25519 signature of the message. If the method returns a different number of bytes,
    or raises an exception, the call fails with TCode.Signer, and nothing is sent. Several threads can call the method at once. }
  TSignEvent = function(const Message: TBytes): TBytes of object;

  { The settings of docs/settings.md by their names in snake case, such as 'base_url'. If a setting is a list, each assignment adds a value
    to the list. The values are checked when something is made of them. }
  IConfig = interface(ISettable)
    ['{6E9B2C14-0F58-4A7D-93E1-D4C5B6A79801}']
    { Reads every setting that has an environment variable MERCHANTPAY_…. What the program sets takes precedence. }
    procedure FromEnvironment;
    { Forgets the service's keys and key ids, also those of the environment. }
    procedure ClearServerKeys;
    procedure OnLog(Event: TLogEvent);
    { Event signs in place of private_key. Set public_key to the public key of this signer. }
    procedure OnSign(Event: TSignEvent);
    property Settings[const Name: UTF8String]: UTF8String write SetByName; default;
  end;

  { The fields of a request by their names in snake case, such as 'sum'. A sum is an exact text such as '1500.50', or SumText of a
    Currency. The call that uses the request checks the values. }
  IPaymentRequest = interface(ISettable)
    ['{C0D1E2F3-8A4B-4C5D-9E6F-7A8B9C0D1E2F}']
    property Fields[const Name: UTF8String]: UTF8String write SetByName; default;
  end;

  { Files for a payment in arbitration. }
  IReceipt = interface
    ['{2F3E4D5C-6B7A-4988-A7B6-C5D4E3F20112}']
    procedure AddFile(const Path: UTF8String);
    procedure AddBytes(const FileName, ContentType: UTF8String; const Data: TBytes);
  end;

  IMerchantPayClient = interface
    ['{9A8B7C6D-5E4F-4031-9223-B4C5D6E7F803}']
    function GetAvailableAmounts(const Request: IPaymentRequest): IAvailableAmounts;
    function NewPayment(const Request: IPaymentRequest): IPayment;
    { The result has only the order id. The payment details that the customer needs (credentials) come by webhook. }
    function NewPaymentAsync(const Request: IPaymentRequest): IPayment;
    procedure Confirm(const OrderId: UTF8String);
    procedure Cancel(const OrderId: UTF8String);
    function GetStatus(const OrderId: UTF8String): IPayment;
    procedure AttachReceipt(const Receipt: IReceipt);
    { Asks for the status until the status is final. Raises EMerchantPayTimeout with TOutcome.Unknown if the status is not final in time. }
    function Wait(const OrderId: UTF8String; TimeoutMs: UInt32): IPayment;
    { Opens a connection now, so that the next call does not have to wait for a connection. }
    procedure Connect;
    { Makes a derived client with the same settings and connections. The derived client can be interrupted separately. TimeoutMs is the
      deadline of its calls; 0 keeps this client's deadline. }
    function Derive(TimeoutMs: UInt32 = 0): IMerchantPayClient;
    { Ends the running calls of this client and of every client derived from it, with EMerchantPayCancelled. Later calls do not start. Any
      thread may call this method. }
    procedure Interrupt;
  end;

  IEvent = interface
    ['{5B4A3928-1706-4F5E-8D4C-3B2A19080716}']
    function Kind: TEventKind;
    function Payment: IPayment;
  end;

  IWebhookVerifier = interface
    ['{E7D6C5B4-A392-4817-B605-F4E3D2C1B0A9}']
    { Verifies a webhook. Body has the unchanged bytes. KeyId is the header X-KeyId, or empty if the header is absent. Raises
      EMerchantPayUnverified if the webhook does not verify. }
    function Verify(const Body: TBytes; const Signature: UTF8String; const KeyId: UTF8String = ''): IEvent;
    { Explains why a webhook does not verify. It takes the arguments of Verify. Without a cause, the signature and the key id are accepted. }
    function Explain(const Body: TBytes; const Signature: UTF8String; const KeyId: UTF8String = ''): TExplanation;
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
  converts a text to Currency, and raises EMerchantPayInvalidArgument if Currency cannot hold the sum exactly. }
function SumText(const Sum: Currency): UTF8String;
function SumCurrency(const Text: UTF8String): Currency;
{ Converts a paid sum at a rate to the currency of the merchant's balance. The result is rounded once, to Scale digits after the decimal
  point. }
function ToBalance(const Sum, Rate: UTF8String; Balance: TBalance; Scale: UInt32; Rounding: TRounding): UTF8String;

implementation

uses
  Math, merchantpay_waist, merchantpay_calls, merchantpay_values, merchantpay_objects;

const
  { A Currency is a number of ten-thousandths. }
  CURRENCY_DECIMALS = 4;

function SumText(const Sum: Currency): UTF8String;
var
  Settings: TFormatSettings;
begin
  Settings := FormatSettings;
  Settings.DecimalSeparator := '.';
  Result := UTF8String(CurrToStr(Sum, Settings));
end;

function SumCurrency(const Text: UTF8String): Currency;
var
  Units: Int64;
begin
  if not Scaled(Text, CURRENCY_DECIMALS, Units) then
    RefuseArgument('the text is no sum, or Currency cannot hold it: it has four decimal places');
  Move(Units, Result, SizeOf(Result));
end;

function ToBalance(const Sum, Rate: UTF8String; Balance: TBalance; Scale: UInt32; Rounding: TRounding): UTF8String;
var
  Lib: IHandle;
begin
  Lib := NewLibrary;
  Result := CallToBalance(Lib.Handle, Sum, Rate, NameOf(BALANCE_WORDS, Ord(Balance)), Scale, NameOf(ROUNDING_WORDS, Ord(Rounding)));
end;

function GenerateKeypair: TKeypair;
var
  Lib: IHandle;
begin
  Lib := NewLibrary;
  Result := KeypairOf(CallKeypair(Lib.Handle));
end;

function LibraryVersion: UTF8String;
var
  Number: Integer;
begin
  Number := LibraryNumber;
  Result := UTF8String(Format('%d.%d.%d', [Number div 10000, Number div 100 mod 100, Number mod 100]));
end;

type
  { The methods of the program that an object calls. The library releases it when nothing can call them any more. }
  THost = class
    Log: TLogEvent;
    Sign: TSignEvent;
  end;

  TConfig = class(TSettable, IConfig, ISettings)
  private
    FEnvironment: TPairs;
    FLog: TLogEvent;
    FSign: TSignEvent;
    FHasEnvironment: Boolean;
  public
    procedure FromEnvironment;
    procedure ClearServerKeys;
    procedure OnLog(Event: TLogEvent);
    procedure OnSign(Event: TSignEvent);
    function Open(Kind: UInt32): UInt64;
  end;

{ Runs code of the program, with the program's own mask of the processor's exceptions. No exception may pass through the library. }
function HostCall(Token: NativeUInt; What: UInt32; Args: Pointer; Len: NativeUInt; Slot: Pointer): Int32; cdecl;
const
  DONE = 0;
  FAILED = 1;
var
  Host: THost;
  Given, Signature: TBytes;
  Masked: TFPUExceptionMask;
begin
  Result := FAILED;
  Host := THost(Token);
  Masked := SetExceptionMask(ProgramMask);
  try
    Given := nil;
    SetLength(Given, Len);
    if Len > 0 then
      Move(Args^, Given[0], Len);
    case What of
      CALLBACK_RELEASE: Host.Free;
      CALLBACK_LOG: Host.Log(AttemptOf(TFrame.From(Given)));
      CALLBACK_SIGN:
        begin
          Signature := Host.Sign(Given);
          { The library refuses any other length than 64 bytes. }
          Answer(Slot, Signature);
        end;
    end;
    Result := DONE;
  except
    { An error of the logger does not fail a payment. Without a signature the library reports its code "signer". }
  end;
  SetExceptionMask(Masked);
end;

procedure TConfig.FromEnvironment;
var
  Index: Integer;
  Text: UTF8String;
begin
  FHasEnvironment := True;
  for Index := 0 to High(VARIABLES) do
  begin
    Text := UTF8String(GetEnvironmentVariable(string(VARIABLES[Index])));
    if Text <> '' then
      FEnvironment.Put(UTF8String(VARIABLES[Index]), Text);
  end;
end;

procedure TConfig.ClearServerKeys;
begin
  FSettings.RemoveByPrefix('server_');
  FEnvironment.RemoveByPrefix('MERCHANTPAY_SERVER_');
end;

procedure TConfig.OnLog(Event: TLogEvent);
begin
  FLog := Event;
end;

procedure TConfig.OnSign(Event: TSignEvent);
begin
  FSign := Event;
end;

function TConfig.Open(Kind: UInt32): UInt64;
var
  Host: THost;
  Environment: TBytes;
  Callbacks: array of UTF8String;
begin
  Environment := nil;
  if FHasEnvironment then
    Environment := FEnvironment.Frame([]);
  Callbacks := nil;
  if Assigned(FLog) and (Kind = OBJECT_KIND_CLIENT) then
    Callbacks := Concat(Callbacks, ['log']);
  if Assigned(FSign) and (Kind <> OBJECT_KIND_VERIFIER) then
    Callbacks := Concat(Callbacks, ['sign']);
  if Callbacks = nil then
    Exit(Opened(Kind, 0, FSettings.Frame(LISTED_SETTINGS), Environment, [], nil, 0));
  Host := THost.Create;
  Host.Log := FLog;
  Host.Sign := FSign;
  Result := Opened(Kind, 0, FSettings.Frame(LISTED_SETTINGS), Environment, Callbacks, HostCall, NativeUInt(Host));
end;

function NewConfig: IConfig;
begin
  Result := TConfig.Create;
end;

type
  TPaymentRequest = class(TInterfacedObject, IPaymentRequest, IFrame)
  private
    FTexts: array[0..REQUEST_COUNT - 1] of UTF8String;
    FIsSet: array[0..REQUEST_COUNT - 1] of Boolean;
  public
    procedure SetByName(const Name, Text: UTF8String);
    function Frame: TBytes;
  end;

  TReceipt = class(TOwned, IReceipt)
  public
    procedure AddFile(const Path: UTF8String);
    procedure AddBytes(const FileName, ContentType: UTF8String; const Data: TBytes);
  end;

procedure TPaymentRequest.SetByName(const Name, Text: UTF8String);
var
  Index: Integer;
begin
  for Index := 0 to High(REQUEST_NAMES) do
    if Name = UTF8String(REQUEST_NAMES[Index]) then
    begin
      FTexts[Index] := Text;
      FIsSet[Index] := True;
      Exit;
    end;
  RefuseArgument('a request has no field "' + Name + '"');
end;

function TPaymentRequest.Frame: TBytes;
var
  Fields: TFrameWriter;
  Index: Integer;
begin
  Fields.Start(REQUEST_COUNT);
  for Index := 0 to REQUEST_COUNT - 1 do
    if FIsSet[Index] then
      Fields.AddSet(FTexts[Index])
    else
      Fields.Skip;
  Result := Fields.Data;
end;

procedure TReceipt.AddFile(const Path: UTF8String);
begin
  CallAddFile(Handle, Path);
end;

procedure TReceipt.AddBytes(const FileName, ContentType: UTF8String; const Data: TBytes);
begin
  CallAddBytes(Handle, FileName, ContentType, Data);
end;

function NewPaymentRequest: IPaymentRequest;
begin
  Result := TPaymentRequest.Create;
end;

function NewReceipt(const OrderId: UTF8String): IReceipt;
var
  Lib: IHandle;
begin
  Lib := NewLibrary;
  Result := TReceipt.Create(CallReceipt(Lib.Handle, OrderId));
end;

type
  TEvent = class(TValues, IEvent)
  public
    function Kind: TEventKind;
    function Payment: IPayment;
  end;

  TVerifier = class(TOwned, IWebhookVerifier)
  public
    function Verify(const Body: TBytes; const Signature: UTF8String; const KeyId: UTF8String): IEvent;
    function Explain(const Body: TBytes; const Signature: UTF8String; const KeyId: UTF8String): TExplanation;
  end;

function TEvent.Kind: TEventKind;
begin
  Result := TEventKind(NumberOf(EVENT_KIND_WORDS, Field(EVENT_KIND)));
end;

function TEvent.Payment: IPayment;
begin
  Result := PaymentOf(FFrame.Value(EVENT_PAYMENT));
end;

function TVerifier.Verify(const Body: TBytes; const Signature: UTF8String; const KeyId: UTF8String): IEvent;
begin
  Result := TEvent.Create(CallVerify(Handle, Body, Signature, KeyId));
end;

function TVerifier.Explain(const Body: TBytes; const Signature: UTF8String; const KeyId: UTF8String): TExplanation;
begin
  Result := ExplanationOf(CallExplain(Handle, Body, Signature, KeyId));
end;

function NewWebhookVerifier(const Config: IConfig): IWebhookVerifier;
begin
  Result := TVerifier.Create((Config as ISettings).Open(OBJECT_KIND_VERIFIER));
end;

function NewClient(const Config: IConfig): IMerchantPayClient;
begin
  Result := TClient.Create((Config as ISettings).Open(OBJECT_KIND_CLIENT));
end;

{$IFDEF FPC}{$IFDEF UNIX}
const
  UsAscii = 20127;

initialization
  if DefaultSystemCodePage = UsAscii then
    SetMultiByteConversionCodePage(CP_UTF8);
{$ENDIF}{$ENDIF}

end.
