{ Converts a command's values for the library, and a payment for a result. }
unit adapter_values;

{$MODE DELPHI}{$H+}

interface

uses
  SysUtils, fpjson, merchantpay;

{ Parses the command of a line. fpjson loses a NUL, so NUL_MARK replaces each NUL. TextOf restores the NUL. }
function CommandOf(const Line: UTF8String): TJSONObject;
function Bytes(const Hex: UTF8String): TBytes;
function Hex(const Data: TBytes): UTF8String;
function Given(From: TJSONObject; const Name: string): UTF8String;
function ConfigOf(Settings: TJSONObject): IConfig;
function RequestOf(Arguments: TJSONObject): IPaymentRequest;
function ReceiptOf(Arguments: TJSONObject): IReceipt;
function FieldsOf(const Payment: IPayment): TJSONObject;
function PaymentResult(const Payment: IPayment): TJSONObject;
function AmountsResult(const Amounts: IAvailableAmounts): TJSONObject;

implementation

uses
  jsonparser, merchantpay_api;

{ The values' names, in the order of IPayment.Field: first whether the status is final, and the JSON. }
const
  FIELDS: {$I fields.inc};

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

{ Returns the text of a command's value. A text that is not UTF-8 comes as hex digits. }
function TextOf(Value: TJSONData): UTF8String;
var
  Data: TBytes;
begin
  if not (Value is TJSONObject) then
    Exit(StringReplace(Value.AsString, NUL_MARK, #0, [rfReplaceAll]));
  Data := Bytes(TJSONObject(Value).Strings['hex']);
  Result := '';
  SetLength(Result, Length(Data));
  if Result <> '' then
    Move(Data[0], Result[1], Length(Data));
end;

function Given(From: TJSONObject; const Name: string): UTF8String;
var
  Value: TJSONData;
begin
  Value := From.Find(Name);
  if (Value = nil) or (Value is TJSONNull) then
    Result := ''
  else
    Result := TextOf(Value);
end;

function ConfigOf(Settings: TJSONObject): IConfig;
var
  Index, Each: Integer;
  Value: TJSONData;
begin
  Result := NewConfig;
  for Index := 0 to Settings.Count - 1 do
  begin
    Value := Settings.Items[Index];
    if Value is TJSONArray then
      for Each := 0 to Value.Count - 1 do
        Result[Settings.Names[Index]] := TextOf(Value.Items[Each])
    else
      Result[Settings.Names[Index]] := TextOf(Value);
  end;
end;

function RequestOf(Arguments: TJSONObject): IPaymentRequest;
var
  Index: Integer;
begin
  Result := NewPaymentRequest;
  for Index := 0 to Arguments.Count - 1 do
    Result[Arguments.Names[Index]] := TextOf(Arguments.Items[Index]);
end;

function ReceiptOf(Arguments: TJSONObject): IReceipt;
var
  Index: Integer;
  Files: TJSONArray;
  Each: TJSONObject;
begin
  Result := NewReceipt(Given(Arguments, 'order_id'));
  Files := Arguments.Arrays['files'];
  for Index := 0 to Files.Count - 1 do
  begin
    Each := Files.Objects[Index];
    if Each.Find('path') <> nil then
      Result.AddFile(Given(Each, 'path'))
    else
      Result.AddBytes(Given(Each, 'name'), Given(Each, 'content_type'), Bytes(Given(Each, 'data')));
  end;
end;

function FieldsOf(const Payment: IPayment): TJSONObject;
var
  Index: Integer;
begin
  Result := TJSONObject.Create;
  for Index := 2 to High(FIELDS) do
    if Payment.Field(Index) <> '' then
      Result.Add(FIELDS[Index], Payment.Field(Index));
end;

function PaymentResult(const Payment: IPayment): TJSONObject;
begin
  Result := TJSONObject.Create;
  Result.Add('payment', FieldsOf(Payment));
  Result.Add('final', Payment.IsFinal);
  Result.Add('known', Payment.StatusCode <> TStatus.None);
  Result.Add('json', Payment.Json);
  if Payment.SumMinor <> MPAY_NO_MINOR then
    Result.Add('sum_minor', IntToStr(Payment.SumMinor))
  else
    Result.Add('sum_minor');
end;

function AmountsResult(const Amounts: IAvailableAmounts): TJSONObject;
var
  Index: Integer;
  Texts: TJSONArray;
begin
  Texts := TJSONArray.Create;
  for Index := 0 to Amounts.Count - 1 do
    Texts.Add(Amounts[Index]);
  Result := TJSONObject.Create;
  Result.Add('amounts', Texts);
  Result.Add('other_amounts_possible', Amounts.OtherAmountsPossible);
  Result.Add('json', Amounts.Json);
end;

end.
