{ For the units of this package only: frames, in which values cross to the library. A frame is a count, the length of each value, and the
  bytes of the values, in the machine's order and unaligned. docs/c-abi-description.md has the format. }
unit merchantpay_frames;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  SysUtils;

type
  TWord = record
    Name: PAnsiChar;
    Number: Integer;
  end;

  { A value of a frame, or a whole reply. A value that is itself a frame has values. One that is absent has none, and is empty or 0. }
  TFrame = record
  private
    FData: TBytes;
    FFirst, FSize: Integer;
    function Int(Place: Integer): Int32;
  public
    class function From(const Data: TBytes): TFrame; static;
    function IsAbsent: Boolean;
    function Count: Integer;
    { A value behind the end is absent: an older library sends fewer. }
    function Value(Index: Integer): TFrame;
    function Text: UTF8String;
    function Bytes: TBytes;
    function Number: Int64;
    function Flag: Boolean;
    function Handle: UInt64;
  end;

  { Writes a frame, value by value. A value that is not added is absent. }
  TFrameWriter = record
  private
    FData: TBytes;
    FPlace: Integer;
    procedure Put(const Source; Size: Int32);
  public
    procedure Start(Count: Integer);
    { Adds a text; '' is absent. }
    procedure Add(const Text: UTF8String);
    { Adds a text that the program has set, also an empty one. }
    procedure AddSet(const Text: UTF8String);
    procedure AddNumber(Number: Int64);
    procedure AddHandle(Handle: UInt64);
    { Adds a frame; nil is absent. }
    procedure AddFrame(const Frame: TBytes);
    { Adds the bytes that are passed beside the frame. }
    procedure AddBulk;
    procedure Skip(Count: Integer = 1);
    { Overwrites the frame, which may have a key. }
    procedure Wipe;
    property Data: TBytes read FData;
  end;

  { The values of a reply by their index; '' or 0 for an absent one. The properties of its descendants name them. }
  IRecord = interface
    ['{0E2B6B86-5B0C-4B0C-9A37-7C1B7B7D3E51}']
    function Field(Index: Integer): UTF8String;
    function Number(Index: Integer): Int64;
    function Flag(Index: Integer): Boolean;
  end;

  { What is set by names and texts. The default property of its descendants does it. }
  ISettable = interface
    ['{7B0C5D2E-9F14-4A36-8E57-C3D2A1B09F48}']
    procedure SetByName(const Name, Text: UTF8String);
  end;

  TValues = class(TInterfacedObject, IRecord)
  protected
    FFrame: TFrame;
  public
    constructor Create(const Frame: TFrame);
    function Field(Index: Integer): UTF8String; virtual;
    function Number(Index: Integer): Int64;
    function Flag(Index: Integer): Boolean;
  end;

{ The number of a word; 0 for a name that this version does not know. }
function NumberOf(const Words: array of TWord; const Name: UTF8String): Integer;
{ The name of a word; '' for 0. The library refuses the name of a number that is no word. }
function NameOf(const Words: array of TWord; Number: Integer): UTF8String;
{ The address of the first byte; nil if there are no bytes. }
function DataOf(const Bytes: TBytes): Pointer;
{ An exact sum as a number of the smallest units that have so many decimals. False if the text is no sum, has more decimals or is too large. }
function Scaled(const Text: UTF8String; Decimals: Integer; out Units: Int64): Boolean;

implementation

const
  INT_SIZE = SizeOf(Int32);
  ABSENT = -1;
  BULK = -2;

function NumberOf(const Words: array of TWord; const Name: UTF8String): Integer;
var
  Index: Integer;
begin
  for Index := 0 to High(Words) do
    if Name = UTF8String(Words[Index].Name) then
      Exit(Words[Index].Number);
  Result := 0;
end;

function NameOf(const Words: array of TWord; Number: Integer): UTF8String;
var
  Index: Integer;
begin
  if Number = 0 then
    Exit('');
  for Index := 0 to High(Words) do
    if Number = Words[Index].Number then
      Exit(UTF8String(Words[Index].Name));
  Result := UTF8String(IntToStr(Number));
end;

function DataOf(const Bytes: TBytes): Pointer;
begin
  if Length(Bytes) = 0 then
    Result := nil
  else
    Result := @Bytes[0];
end;

function Scaled(const Text: UTF8String; Decimals: Integer; out Units: Int64): Boolean;
var
  Digits: UTF8String;
  First, Point, Places, Place: Integer;
begin
  Digits := Text;
  Point := Pos('.', Text);
  Places := 0;
  if Point > 0 then
  begin
    Places := Length(Text) - Point;
    Delete(Digits, Point, 1);
  end;
  First := 1 + Ord(Copy(Digits, 1, 1) = '-');
  { There are digits before the point, and behind one. }
  Result := (Length(Digits) - Places >= First) and ((Point = 0) or (Places > 0));
  for Place := First to Length(Digits) do
    Result := Result and (Digits[Place] in ['0'..'9']);
  while Result and (Places > Decimals) do
  begin
    Result := Digits[Length(Digits)] = '0';
    SetLength(Digits, Length(Digits) - 1);
    Dec(Places);
  end;
  Result := Result and TryStrToInt64(string(Digits) + StringOfChar('0', Decimals - Places), Units);
end;

{ TFrame }

class function TFrame.From(const Data: TBytes): TFrame;
begin
  Result.FData := Data;
  Result.FFirst := 0;
  Result.FSize := Length(Data);
end;

function TFrame.Int(Place: Integer): Int32;
begin
  Move(FData[Place], Result, INT_SIZE);
end;

function TFrame.IsAbsent: Boolean;
begin
  Result := FSize < 0;
end;

function TFrame.Count: Integer;
begin
  Result := 0;
  if FSize >= INT_SIZE then
    Result := Int(FFirst);
end;

function TFrame.Value(Index: Integer): TFrame;
var
  Each, Size: Integer;
begin
  Result.FData := FData;
  Result.FSize := ABSENT;
  Result.FFirst := FFirst + INT_SIZE * (1 + Count);
  if (Index < 0) or (Index >= Count) then
    Exit;
  for Each := 1 to Index do
  begin
    Size := Int(FFirst + INT_SIZE * Each);
    if Size > 0 then
      Inc(Result.FFirst, Size);
  end;
  Result.FSize := Int(FFirst + INT_SIZE * (1 + Index));
end;

function TFrame.Text: UTF8String;
begin
  Result := '';
  if FSize <= 0 then
    Exit;
  SetLength(Result, FSize);
  Move(FData[FFirst], Result[1], FSize);
end;

function TFrame.Bytes: TBytes;
begin
  Result := nil;
  if FSize > 0 then
    Result := Copy(FData, FFirst, FSize);
end;

function TFrame.Number: Int64;
begin
  Result := StrToInt64Def(string(Text), 0);
end;

function TFrame.Flag: Boolean;
begin
  Result := Text = '1';
end;

function TFrame.Handle: UInt64;
begin
  Result := 0;
  if FSize = SizeOf(Result) then
    Move(FData[FFirst], Result, SizeOf(Result));
end;

{ TFrameWriter }

procedure TFrameWriter.Start(Count: Integer);
var
  Ints: array of Int32;
  Index: Integer;
begin
  Ints := nil;
  SetLength(Ints, 1 + Count);
  Ints[0] := Count;
  for Index := 1 to Count do
    Ints[Index] := ABSENT;
  FData := nil;
  SetLength(FData, INT_SIZE * Length(Ints));
  Move(Ints[0], FData[0], Length(FData));
  FPlace := INT_SIZE;
end;

procedure TFrameWriter.Put(const Source; Size: Int32);
var
  Old: TBytes;
begin
  Move(Size, FData[FPlace], INT_SIZE);
  Skip;
  if Size <= 0 then
    Exit;
  Old := FData;
  FData := nil;
  SetLength(FData, Length(Old) + Size);
  Move(Old[0], FData[0], Length(Old));
  Move(Source, FData[Length(Old)], Size);
  FillChar(Old[0], Length(Old), 0);
end;

procedure TFrameWriter.Skip(Count: Integer);
begin
  Inc(FPlace, INT_SIZE * Count);
end;

procedure TFrameWriter.Add(const Text: UTF8String);
begin
  if Text = '' then
    Skip
  else
    AddSet(Text);
end;

procedure TFrameWriter.AddSet(const Text: UTF8String);
begin
  Put(PAnsiChar(Text)^, Length(Text));
end;

procedure TFrameWriter.AddNumber(Number: Int64);
begin
  AddSet(UTF8String(IntToStr(Number)));
end;

procedure TFrameWriter.AddHandle(Handle: UInt64);
begin
  Put(Handle, SizeOf(Handle));
end;

procedure TFrameWriter.AddFrame(const Frame: TBytes);
begin
  if Frame = nil then
    Skip
  else
    Put(Frame[0], Length(Frame));
end;

procedure TFrameWriter.AddBulk;
begin
  Put(FData, BULK);
end;

procedure TFrameWriter.Wipe;
begin
  if FData <> nil then
    FillChar(FData[0], Length(FData), 0);
end;

{ TValues }

constructor TValues.Create(const Frame: TFrame);
begin
  inherited Create;
  FFrame := Frame;
end;

function TValues.Field(Index: Integer): UTF8String;
begin
  Result := FFrame.Value(Index).Text;
end;

function TValues.Number(Index: Integer): Int64;
begin
  Result := FFrame.Value(Index).Number;
end;

function TValues.Flag(Index: Integer): Boolean;
begin
  Result := FFrame.Value(Index).Flag;
end;

end.
