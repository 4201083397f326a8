{ Tests that each argument of each call, and each property of the records, has its place in a frame, with another value in each place. The
  functions of the library are replaced by those of this program, which keep what they get. }
program merchantpay_frames_test;

{$MODE DELPHI}{$H+}

uses
  SysUtils, merchantpay_frames, merchantpay_api, merchantpay_calls, merchantpay, merchantpay_journal, merchantpay_values, merchantpay_entries;

var
  SentNumber: UInt32;
  SentArgs, SentBulk: TBytes;

procedure Check(Condition: Boolean; const What: string);
begin
  if not Condition then
    raise Exception.Create(What);
end;

function Copied(Data: Pointer; Len: NativeUInt): TBytes;
begin
  Result := nil;
  SetLength(Result, Len);
  if Len > 0 then
    Move(Data^, Result[0], Len);
end;

function Keep(Handle: UInt64; Call: UInt32; Args: Pointer; Len: NativeUInt; Bulk: Pointer; BulkLen: NativeUInt; Buffer: Pointer;
  Capacity: NativeUInt; Large: PPointer): Int64; cdecl; [public, alias: 'mpay_call'];
begin
  SentNumber := Call;
  SentArgs := Copied(Args, Len);
  SentBulk := Copied(Bulk, BulkLen);
  Result := 0;
end;

function TextOf(Number: Integer): UTF8String;
begin
  Result := UTF8String('text ' + IntToStr(Number));
end;

function Nested(Number: Integer): TBytes;
var
  Frame: TFrameWriter;
begin
  Frame.Start(1);
  Frame.Add(TextOf(Number));
  Result := Frame.Data;
end;

{ Compares the last call. Each kind is one of text, number, handle, frame and bulk. }
procedure Sent(Number: UInt32; const Kinds: string);
var
  Index: Integer;
  Value: TFrame;
  What: string;
begin
  Check(SentNumber = Number, Format('call %d has the number %d', [Number, SentNumber]));
  Check(TFrame.From(SentArgs).Count = Length(Kinds), Format('call %d has another number of arguments', [Number]));
  for Index := 1 to Length(Kinds) do
  begin
    Value := TFrame.From(SentArgs).Value(Index - 1);
    What := Format('argument %d of call %d is in another place', [Index, Number]);
    case Kinds[Index] of
      't': Check(Value.Text = TextOf(Index), What);
      'n': Check(Value.Number = Index, What);
      'h': Check(Value.Handle = UInt64(Index), What);
      'f': Check(Value.Value(0).Text = TextOf(Index), What);
      'b': Check(Value.IsAbsent and (UTF8String(StringOf(SentBulk)) = TextOf(Index)), What);
    end;
  end;
end;

{ The place whose value is 1, which is the only flag that is set. The values are numbered from there. }
var
  Flag: Integer;

procedure Same(Place: Integer; Read: Int64); overload;
begin
  Check(Read = Place + 1 - Flag, Format('the value at %d is %d', [Place, Read]));
end;

procedure Same(Place: Integer; const Read: UTF8String); overload;
begin
  Same(Place, StrToInt64(string(Read)));
end;

procedure Same(Place: Integer; const Read: TBytes); overload;
begin
  Same(Place, StrToInt64(string(StringOf(Read))));
end;

procedure Same(Place: Integer; Read: Boolean); overload;
begin
  Check(Read = (Place = Flag), Format('the flag at %d is another', [Place]));
end;

{$I frames.inc}

function Filled(Count: Integer): TFrame;
var
  Writer: TFrameWriter;
  Place: Integer;
begin
  Writer.Start(Count);
  for Place := 0 to Count - 1 do
    Writer.AddNumber(Place + 1 - Flag);
  Result := TFrame.From(Writer.Data);
end;

{ Raises an error of each code, and compares its class. }
procedure RaiseErrors;
var
  Word: TWord;
  Writer: TFrameWriter;
begin
  for Word in CODE_WORDS do
  begin
    Writer.Start(ERROR_COUNT);
    Writer.AddNumber(Word.Number);
    Writer.Add(UTF8String(Word.Name));
    try
      EMerchantPay.Throw(TFrame.From(Writer.Data));
    except
      on Error: EMerchantPay do
        Check(SameText(Error.ClassName, 'EMerchantPay' + StringReplace(string(Word.Name), '_', '', [rfReplaceAll])), Error.ClassName);
    end;
  end;
end;

var
  Amounts: IAvailableAmounts;
  Error: EMerchantPay;
begin
  MakeCalls;
  RaiseErrors;
  for Flag := 0 to ENTRY_COUNT - 1 do
  begin
    Amounts := TAvailableAmounts.Create(Filled(AMOUNTS_COUNT));
    Error := EMerchantPay.Create(Filled(ERROR_COUNT));
    ReadProperties(PaymentOf(Filled(PAYMENT_COUNT)), Amounts, EntryOf(Filled(ENTRY_COUNT)), Error);
    Error.Free;
  end;
  WriteLn('every argument and every property is in its place, and every code has its class');
end.
