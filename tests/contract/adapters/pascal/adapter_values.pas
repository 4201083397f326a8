{ Makes the objects of a command, with callbacks and an interruption, and shows the library's results. }
unit adapter_values;

{$MODE OBJFPC}{$H+}

interface

uses
  SysUtils, fpjson, merchantpay_frames, merchantpay, merchantpay_journal;

{ fpjson loses a NUL, so NUL_MARK replaces each, which Given restores. }
function CommandOf(const Line: UTF8String): TJSONObject;
function Bytes(const Hex: UTF8String): TBytes;
function Hex(const Data: TBytes): UTF8String;
function Given(From: TJSONObject; const Name: string): UTF8String; overload;
function Given(From: TJSONData): UTF8String; overload;
procedure SetAll(const Into: ISettable; From: TJSONObject);
function ConfigOf(Command: TJSONObject; const Name: string): IConfig;
function RequestOf(Arguments: TJSONObject): IPaymentRequest;
function ReceiptOf(Arguments: TJSONObject): IReceipt;
{ The fields that are present, by their properties. }
function FieldsOf(const From: IPayment): TJSONObject; overload;
function FieldsOf(const From: IEntry): TJSONObject; overload;
function Shown(const Payment: IPayment): TJSONObject; overload;
function Shown(const Amounts: IAvailableAmounts): TJSONObject; overload;
procedure Put(Into: TJSONObject; const Name, Text: UTF8String);
{ Interrupts the client, or without one the journal, before a call or while it runs: when the next line of the input has come. }
procedure BeginInterruption(Command: TJSONObject; const Client: IMerchantPayClient; const Journal: IJournal);
procedure EndInterruption;

var
  { What the callbacks of the command got, which belongs to its answer. }
  Collected: TJSONObject;

implementation

uses
  jsonparser, merchantpay_api, merchantpay_calls;

const
  NUL_MARK = '<NUL>';

function CommandOf(const Line: UTF8String): TJSONObject;
begin
  Result := TJSONObject(GetJSON(StringReplace(Line, '\u0000', NUL_MARK, [rfReplaceAll]), True));
end;

function Bytes(const Hex: UTF8String): TBytes;
var
  Index: Integer;
begin
  Result := nil;
  SetLength(Result, Length(Hex) div 2);
  for Index := 0 to High(Result) do
    Result[Index] := StrToInt('$' + Copy(Hex, 2 * Index + 1, 2));
end;

function Hex(const Data: TBytes): UTF8String;
var
  Each: Byte;
begin
  Result := '';
  for Each in Data do
    Result := Result + LowerCase(IntToHex(Each, 2));
end;

{ A text that is not UTF-8 comes as hex digits. }
function Given(From: TJSONData): UTF8String;
var
  Data: TBytes;
begin
  if (From = nil) or (From is TJSONNull) then
    Exit('');
  if not (From is TJSONObject) then
    Exit(StringReplace(From.AsString, NUL_MARK, #0, [rfReplaceAll]));
  Data := Bytes(TJSONObject(From).Strings['hex']);
  Result := '';
  SetLength(Result, Length(Data));
  if Result <> '' then
    Move(Data[0], Result[1], Length(Data));
end;

function Given(From: TJSONObject; const Name: string): UTF8String;
begin
  Result := Given(From.Find(Name));
end;

procedure SetAll(const Into: ISettable; From: TJSONObject);
var
  Index, Each: Integer;
begin
  for Index := 0 to From.Count - 1 do
    if From.Items[Index] is TJSONArray then
      for Each := 0 to From.Items[Index].Count - 1 do
        Into.SetByName(From.Names[Index], Given(From.Items[Index].Items[Each]))
    else
      Into.SetByName(From.Names[Index], Given(From.Items[Index]));
end;

function RequestOf(Arguments: TJSONObject): IPaymentRequest;
begin
  Result := NewPaymentRequest;
  SetAll(Result, Arguments);
end;

function ReceiptOf(Arguments: TJSONObject): IReceipt;
var
  Index: Integer;
  Each: TJSONObject;
begin
  Result := NewReceipt(Given(Arguments, 'order_id'));
  for Index := 0 to Arguments.Arrays['files'].Count - 1 do
  begin
    Each := Arguments.Arrays['files'].Objects[Index];
    if Each.Find('path') <> nil then
      Result.AddFile(Given(Each, 'path'))
    else
      Result.AddBytes(Given(Each, 'name'), Given(Each, 'content_type'), Bytes(Given(Each, 'data')));
  end;
end;

{$I fields.inc}

function Shown(const Payment: IPayment): TJSONObject;
begin
  Result := TJSONObject.Create(['payment', FieldsOf(Payment), 'final', Payment.IsFinal,
    'known', Payment.StatusCode <> TStatus.None, 'json', Payment.Json]);
  if Payment.SumMinor <> MPAY_NO_MINOR then
    Result.Add('sum_minor', IntToStr(Payment.SumMinor))
  else
    Result.Add('sum_minor');
end;

function Shown(const Amounts: IAvailableAmounts): TJSONObject;
var
  Index: Integer;
  Texts: TJSONArray;
begin
  Texts := TJSONArray.Create;
  for Index := 0 to Amounts.Count - 1 do
    Texts.Add(Amounts[Index]);
  Result := TJSONObject.Create(['amounts', Texts, 'other_amounts_possible', Amounts.OtherAmountsPossible, 'json', Amounts.Json]);
end;

procedure Put(Into: TJSONObject; const Name, Text: UTF8String);
begin
  if Text <> '' then
    Into.Add(Name, Text);
end;

type
  TCallbacks = class
    Returns: TBytes;
    SignFailure, LogFailure: string;
    procedure Log(const Attempt: TAttempt);
    function Sign(const Message: TBytes): TBytes;
  end;

var
  Callbacks: TCallbacks;

procedure TCallbacks.Log(const Attempt: TAttempt);
var
  Event: TJSONObject;
begin
  Event := TJSONObject.Create(['operation', Attempt.Operation, 'number', IntToStr(Attempt.Number)]);
  Collected.Arrays['log'].Add(Event);
  Put(Event, 'order_id', Attempt.OrderId);
  if Attempt.HttpStatus <> 0 then
    Event.Add('http_status', IntToStr(Attempt.HttpStatus));
  Put(Event, 'code', NameOf(CODE_WORDS, Ord(Attempt.Code)));
  Put(Event, 'outcome', NameOf(OUTCOME_WORDS, Ord(Attempt.Outcome)));
  if LogFailure <> '' then
    raise Exception.Create(LogFailure);
end;

function TCallbacks.Sign(const Message: TBytes): TBytes;
begin
  Collected.Arrays['signed'].Add(Hex(Message));
  if SignFailure <> '' then
    raise Exception.Create(SignFailure);
  Result := Returns;
end;

function ConfigOf(Command: TJSONObject; const Name: string): IConfig;
begin
  Result := NewConfig;
  if Command.Get('from_environment', False) then
    Result.FromEnvironment;
  SetAll(Result, Command.Objects[Name]);
  if Command.Find('signer') <> nil then
  begin
    Callbacks.Returns := Bytes(Given(Command.Objects['signer'], 'returns'));
    Callbacks.SignFailure := Given(Command.Objects['signer'], 'fails');
    Collected.Add('signed', TJSONArray.Create);
    Result.OnSign(@Callbacks.Sign);
  end;
  if Command.Find('logger') <> nil then
  begin
    Callbacks.LogFailure := StringReplace(Given(Command, 'logger'), 'collects', '', []);
    Collected.Add('log', TJSONArray.Create);
    Result.OnLog(@Callbacks.Log);
  end;
end;

var
  InterruptedClient: IMerchantPayClient;
  InterruptedJournal: IJournal;
  Thread: TThreadID;

procedure Interrupt;
begin
  if InterruptedClient <> nil then
    InterruptedClient.Interrupt
  else
    InterruptedJournal.Interrupt;
end;

{ Each thread has an Input of its own, without what the main thread has read ahead. }
function AwaitLine(MainInput: Pointer): PtrInt;
var
  Line: UTF8String;
begin
  ReadLn(PText(MainInput)^, Line);
  Interrupt;
  Result := 0;
end;

procedure BeginInterruption(Command: TJSONObject; const Client: IMerchantPayClient; const Journal: IJournal);
begin
  InterruptedClient := Client;
  InterruptedJournal := Journal;
  if Given(Command, 'interrupt') = 'before' then
    Interrupt
  else if Given(Command, 'interrupt') = 'during' then
    Thread := BeginThread(@AwaitLine, @Input);
end;

procedure EndInterruption;
begin
  if Thread <> TThreadID(0) then
    WaitForThreadTerminate(Thread, 0);
  Thread := TThreadID(0);
  InterruptedClient := nil;
  InterruptedJournal := nil;
end;

initialization
  Callbacks := TCallbacks.Create;

finalization
  Callbacks.Free;

end.
