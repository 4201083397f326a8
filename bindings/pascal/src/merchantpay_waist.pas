{ For the units of this package only: the functions of the library through which every call goes, and the objects that they make.

  Free Pascal and Delphi let a division by zero, or another operation with no result, raise an exception of the processor. The library
  expects the processor's usual state, in which such an operation has a result, as all code in C does. So each call masks these exceptions,
  and gives back the program's own mask afterwards, and also while code of the program runs in a callback. }
unit merchantpay_waist;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  SysUtils, Math, merchantpay_frames;

type
  { The function for the callbacks of an object, with the token that it was opened with. No exception may leave it. }
  THostFunction = function(Token: NativeUInt; What: UInt32; Args: Pointer; Len: NativeUInt; Answer: Pointer): Int32; cdecl;

  { What a call needs of the public objects. }
  IHandle = interface
    ['{3D5A1B90-7C41-4E8A-9C6B-2F0D7A1E5B34}']
    function Handle: UInt64;
  end;

  IFrame = interface
    ['{8F1E6C2A-0B7D-4D3F-A5E9-6C4B2D8F1A75}']
    function Frame: TBytes;
  end;

  ISettings = interface
    ['{4C7A9E10-2B3D-4F5A-8E6C-1D0B9A8F7E63}']
    function Open(Kind: UInt32): UInt64;
  end;

  { Owns an object of the library. Closing it while a call runs is safe: the call keeps the object. }
  TOwned = class(TInterfacedObject, IHandle)
  private
    FHandle: UInt64;
  public
    constructor Create(Handle: UInt64);
    destructor Destroy; override;
    function Handle: UInt64;
    procedure Interrupt;
  end;

  { Settings by their names. A list gets a value with each assignment; another setting keeps the last one. }
  TPairs = record
  private
    FPairs: array of record
      Name, Text: UTF8String;
    end;
  public
    procedure Put(const Name, Text: UTF8String);
    procedure RemoveByPrefix(const Prefix: UTF8String);
    { The settings as names and values by turns. The settings of Lists are lists. }
    function Frame(const Lists: array of PAnsiChar): TBytes;
  end;

  TSettable = class(TInterfacedObject, ISettable)
  protected
    FSettings: TPairs;
  public
    procedure SetByName(const Name, Text: UTF8String);
  end;

{ Makes a call, and waits for its reply. Bulk are the bytes beside the frame. Raises EMerchantPay. }
function Called(Handle: UInt64; Number: UInt32; var Args: TFrameWriter; const Bulk: TBytes; Secret: Boolean): TFrame;
{ Opens an object. The library releases the token in any case, also if it opens nothing. }
function Opened(Kind: UInt32; Parent: UInt64; const Settings, Environment: TBytes; const Callbacks: array of UTF8String;
  Host: THostFunction; Token: NativeUInt): UInt64;
{ An object for the calls that need none. }
function NewLibrary: IHandle;
{ The version of the library as a number: major * 10000 + minor * 100 + patch. }
function LibraryNumber: Integer;
procedure Answer(Slot: Pointer; const Data: TBytes);
{ The program's own mask, to be set while its code runs in a callback. }
function ProgramMask: TFPUExceptionMask;
{ The handle of an object, and the frame of another; nothing for nil, which the library refuses. }
function HandleOf(const Owner: IInterface): UInt64;
function FrameOf(const Owner: IInterface): TBytes;
{ Raises the error of an argument that this package refuses. Nothing was sent. }
procedure RefuseArgument(const Why: UTF8String);

implementation

uses
  merchantpay_api;

const
  LIBRARY_FILE = {$IFDEF MSWINDOWS}'merchantpay.dll'{$ELSE}'merchantpay'{$ENDIF};
  STYLE = 'pascal';
  KIND_LIBRARY = 1;
  USUAL_REPLY = 1024;

function mpay_abi_version: UInt32; cdecl; external LIBRARY_FILE;
function mpay_version_number: UInt32; cdecl; external LIBRARY_FILE;
function mpay_open(Kind: UInt32; Parent: UInt64; Args: Pointer; Len: NativeUInt; Host: THostFunction; Token: NativeUInt; Buffer: Pointer;
  Capacity: NativeUInt; Large: PPointer): Int64; cdecl; external LIBRARY_FILE;
function mpay_call(Handle: UInt64; Call: UInt32; Args: Pointer; Len: NativeUInt; Bulk: Pointer; BulkLen: NativeUInt; Buffer: Pointer;
  Capacity: NativeUInt; Large: PPointer): Int64; cdecl; external LIBRARY_FILE;
function mpay_interrupt(Handle: UInt64): Int32; cdecl; external LIBRARY_FILE;
procedure mpay_close(Handle: UInt64); cdecl; external LIBRARY_FILE;
procedure mpay_free(Large: Pointer; Len: NativeUInt); cdecl; external LIBRARY_FILE;
procedure mpay_answer(Answer, Data: Pointer; Len: NativeUInt); cdecl; external LIBRARY_FILE;

const
  ALL_MASKED = [exInvalidOp, exDenormalized, exZeroDivide, exOverflow, exUnderflow, exPrecision];

threadvar
  OwnMask: TFPUExceptionMask;

function ProgramMask: TFPUExceptionMask;
begin
  Result := OwnMask;
end;

procedure Refuse(Code: TCode; const Name, Why: UTF8String);
var
  Error: TFrameWriter;
begin
  Error.Start(6);
  Error.AddNumber(Ord(Code));
  Error.Add(Name);
  Error.Add('not_sent');
  Error.Skip(2);
  Error.Add(Why);
  EMerchantPay.Throw(TFrame.From(Error.Data));
end;

procedure RefuseArgument(const Why: UTF8String);
begin
  Refuse(TCode.InvalidArgument, 'invalid_argument', Why);
end;

{ The reply in Own, or in a block of the library. }
function Taken(Len: Int64; const Own; Large: Pointer): TFrame;
var
  Data: TBytes;
begin
  Data := nil;
  SetLength(Data, Abs(Len));
  if Data <> nil then
    if Large <> nil then
      Move(Large^, Data[0], Length(Data))
    else
      Move(Own, Data[0], Length(Data));
  mpay_free(Large, Length(Data));
  Result := TFrame.From(Data);
  if Len < 0 then
    EMerchantPay.Throw(Result);
end;

function Called(Handle: UInt64; Number: UInt32; var Args: TFrameWriter; const Bulk: TBytes; Secret: Boolean): TFrame;
var
  Own: array[0..USUAL_REPLY - 1] of Byte;
  Large: Pointer;
  Len: Int64;
  Outer: TFPUExceptionMask;
begin
  Large := nil;
  Outer := OwnMask;
  OwnMask := SetExceptionMask(ALL_MASKED);
  Len := mpay_call(Handle, Number, @Args.Data[0], Length(Args.Data), DataOf(Bulk), Length(Bulk), @Own, USUAL_REPLY, @Large);
  SetExceptionMask(OwnMask);
  OwnMask := Outer;
  try
    Result := Taken(Len, Own, Large);
  finally
    if Secret then
    begin
      Args.Wipe;
      FillChar(Own, USUAL_REPLY, 0);
    end;
  end;
end;

{ Another library under the same name would read a frame in another way. }
procedure CheckLibrary;
begin
  if (mpay_abi_version <> MPAY_HEADER_ABI) or (mpay_version_number < MPAY_HEADER_VERSION_NUMBER) then
    Refuse(TCode.Internal, 'internal', UTF8String(Format('these units need the library with the number %d or newer and the ABI %d; %d with the ABI %d was found',
      [MPAY_HEADER_VERSION_NUMBER, MPAY_HEADER_ABI, mpay_version_number, mpay_abi_version])));
end;

function Opened(Kind: UInt32; Parent: UInt64; const Settings, Environment: TBytes; const Callbacks: array of UTF8String;
  Host: THostFunction; Token: NativeUInt): UInt64;
var
  Args, Names: TFrameWriter;
  Own: array[0..USUAL_REPLY - 1] of Byte;
  Large: Pointer;
  Len: Int64;
  Index: Integer;
  Outer: TFPUExceptionMask;
begin
  CheckLibrary;
  Names.Start(Length(Callbacks));
  for Index := 0 to High(Callbacks) do
    Names.Add(Callbacks[Index]);
  Args.Start(4);
  Args.Add(STYLE);
  Args.AddFrame(Names.Data);
  Args.AddFrame(Settings);
  Args.AddFrame(Environment);
  Large := nil;
  Outer := OwnMask;
  OwnMask := SetExceptionMask(ALL_MASKED);
  Len := mpay_open(Kind, Parent, @Args.Data[0], Length(Args.Data), Host, Token, @Own, USUAL_REPLY, @Large);
  SetExceptionMask(OwnMask);
  OwnMask := Outer;
  Args.Wipe;
  Result := Taken(Len, Own, Large).Handle;
end;

function NewLibrary: IHandle;
begin
  Result := TOwned.Create(Opened(KIND_LIBRARY, 0, nil, nil, [], nil, 0));
end;

function LibraryNumber: Integer;
begin
  Result := mpay_version_number;
end;

procedure Answer(Slot: Pointer; const Data: TBytes);
begin
  mpay_answer(Slot, DataOf(Data), Length(Data));
end;

function HandleOf(const Owner: IInterface): UInt64;
begin
  Result := 0;
  if Owner <> nil then
    Result := (Owner as IHandle).Handle;
end;

function FrameOf(const Owner: IInterface): TBytes;
begin
  Result := nil;
  if Owner <> nil then
    Result := (Owner as IFrame).Frame;
end;

{ TOwned }

constructor TOwned.Create(Handle: UInt64);
begin
  inherited Create;
  FHandle := Handle;
end;

destructor TOwned.Destroy;
var
  Mask: TFPUExceptionMask;
begin
  { This may close a database, so the exceptions are masked as in a call. }
  Mask := SetExceptionMask(ALL_MASKED);
  mpay_close(FHandle);
  SetExceptionMask(Mask);
  inherited Destroy;
end;

function TOwned.Handle: UInt64;
begin
  Result := FHandle;
end;

procedure TOwned.Interrupt;
begin
  mpay_interrupt(FHandle);
end;

{ TPairs }

procedure TPairs.Put(const Name, Text: UTF8String);
var
  Last: Integer;
begin
  Last := Length(FPairs);
  SetLength(FPairs, Last + 1);
  FPairs[Last].Name := Name;
  FPairs[Last].Text := Text;
end;

procedure TPairs.RemoveByPrefix(const Prefix: UTF8String);
var
  Index, Kept: Integer;
begin
  Kept := 0;
  for Index := 0 to High(FPairs) do
    if Copy(FPairs[Index].Name, 1, Length(Prefix)) <> Prefix then
    begin
      FPairs[Kept] := FPairs[Index];
      Inc(Kept);
    end;
  SetLength(FPairs, Kept);
end;

function TPairs.Frame(const Lists: array of PAnsiChar): TBytes;
var
  Pairs, List: TFrameWriter;
  Index, Each, Count: Integer;

  function IsList(const Name: UTF8String): Boolean;
  var
    Known: Integer;
  begin
    for Known := 0 to High(Lists) do
      if Name = UTF8String(Lists[Known]) then
        Exit(True);
    Result := False;
  end;

begin
  Pairs.Start(2 * Length(FPairs));
  for Index := 0 to High(FPairs) do
  begin
    Pairs.AddSet(FPairs[Index].Name);
    if not IsList(FPairs[Index].Name) then
    begin
      Pairs.AddSet(FPairs[Index].Text);
      Continue;
    end;
    { The last pair with a name counts, so it has all values up to itself. }
    Count := 0;
    for Each := 0 to Index do
      Inc(Count, Ord(FPairs[Each].Name = FPairs[Index].Name));
    List.Start(Count);
    for Each := 0 to Index do
      if FPairs[Each].Name = FPairs[Index].Name then
        List.AddSet(FPairs[Each].Text);
    Pairs.AddFrame(List.Data);
  end;
  Result := Pairs.Data;
end;

procedure TSettable.SetByName(const Name, Text: UTF8String);
begin
  FSettings.Put(Name, Text);
end;

end.
