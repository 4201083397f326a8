{ For the units of this package only: the objects for what a journal returns. }
unit merchantpay_entries;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  SysUtils, merchantpay_frames, merchantpay_waist, merchantpay_api, merchantpay_calls, merchantpay, merchantpay_journal, merchantpay_values;

type
  TEntry = class(TEntryFields, IEntry, IFrame)
  private
    { The item of Attention, of which the frame is only a part. }
    FItem: TFrame;
    function Error(Index: Integer): UTF8String;
  public
    constructor CreateItem(const Item: TFrame);
    function Field(Index: Integer): UTF8String; override;
    function Credentials: IPayment;
    function Attention(Index: Integer): TAttention;
    function Detail(Index: Integer): UTF8String;
    function AttentionNames: UTF8String;
    function ErrorCode: TCode;
    function ErrorOutcome: TOutcome;
    function ErrorDescription: UTF8String;
    function IsOrphan: Boolean;
    function Unreadable: UTF8String;
    function AcknowledgeSql(Style: TStyle): UTF8String;
    { The names of the reasons. }
    function Frame: TBytes;
  end;

  TEntries = class(TInterfacedObject, IEntries)
  private
    FList: TFrame;
    FIsAttention: Boolean;
  public
    constructor Create(const List: TFrame; IsAttention: Boolean);
    function Count: Integer;
    function Entry(Index: Integer): IEntry;
  end;

{ An entry; nil if it is absent. }
function EntryOf(const Frame: TFrame): IEntry;
{ Refuses what is no attempt. An orphan can name the attempt to whose URL it came, but its order is not that attempt's. }
procedure NeedAttempt(const Entry: IEntry);
{ The place of an entry in a list; nil for the beginning. }
function PositionOf(const Entry: IEntry): TBytes;
function ReceivedOf(const Received: TFrame): TReceived;
function SettledOf(const Settled: TFrame): TSettled;
function Seen(Journal: UInt64; const Entry: IEntry; const Note: UTF8String): IEntry;

implementation

function EntryOf(const Frame: TFrame): IEntry;
begin
  Result := nil;
  if Frame.Count > 0 then
    Result := TEntry.Create(Frame);
end;

procedure NeedAttempt(const Entry: IEntry);
begin
  if Entry = nil then
    RefuseArgument('there is no entry');
  if Entry.IsOrphan then
    RefuseArgument('the entry is an orphan, and no attempt');
end;

{ What an orphan or a row that cannot be read has of an entry. }
function PartOfEntry(const Item: TFrame): TBytes;
var
  Entry: TFrameWriter;
  Orphan, Unreadable: TFrame;
begin
  Orphan := Item.Value(ATTENTION_ORPHAN);
  Unreadable := Item.Value(ATTENTION_UNREADABLE);
  Entry.Start(ENTRY_COUNT);
  Entry.Skip;
  Entry.Add(Orphan.Value(ORPHAN_REFERENCE).Text + Unreadable.Value(UNREADABLE_REFERENCE).Text);
  Entry.Add(Orphan.Value(ORPHAN_ATTEMPT).Text + Unreadable.Value(UNREADABLE_ATTEMPT).Text);
  Entry.Skip(ENTRY_ORDER_ID - ENTRY_STANDING);
  Entry.Add(Orphan.Value(ORPHAN_ORDER_ID).Text);
  Entry.Add(Orphan.Value(ORPHAN_STATUS).Text);
  Entry.Skip(ENTRY_CREATED_AT - ENTRY_SUM_ASKED);
  Entry.Add(Orphan.Value(ORPHAN_RECEIVED_AT).Text);
  Result := Entry.Data;
end;

{ TEntry }

constructor TEntry.CreateItem(const Item: TFrame);
begin
  if Item.Value(ATTENTION_ENTRY).IsAbsent then
    Create(TFrame.From(PartOfEntry(Item)))
  else
    Create(Item.Value(ATTENTION_ENTRY));
  FItem := Item;
end;

{ The JSON of an item has its details, too. }
function TEntry.Field(Index: Integer): UTF8String;
begin
  if (Index = ENTRY_JSON) and (FItem.Count > 0) then
    Result := FItem.Value(ATTENTION_JSON).Text
  else
    Result := inherited Field(Index);
end;

function TEntry.Credentials: IPayment;
begin
  Result := PaymentOf(FFrame.Value(ENTRY_CREDENTIALS));
end;

function TEntry.Attention(Index: Integer): TAttention;
begin
  Result := TAttention(NumberOf(ATTENTION_WORDS, FFrame.Value(ENTRY_ATTENTION).Value(Index).Text));
end;

function TEntry.Detail(Index: Integer): UTF8String;
begin
  Result := FItem.Value(ATTENTION_DETAILS).Value(Index).Text;
end;

function TEntry.AttentionNames: UTF8String;
var
  Names: TFrame;
  Index: Integer;
begin
  Names := FFrame.Value(ENTRY_ATTENTION);
  Result := '';
  for Index := 0 to Names.Count - 1 do
  begin
    if Index > 0 then
      Result := Result + ',';
    Result := Result + Names.Value(Index).Text;
  end;
end;

function TEntry.Error(Index: Integer): UTF8String;
begin
  Result := FFrame.Value(ENTRY_ERROR).Value(Index).Text;
end;

function TEntry.ErrorCode: TCode;
begin
  Result := TCode(NumberOf(CODE_WORDS, Error(PROBLEM_CODE)));
end;

function TEntry.ErrorOutcome: TOutcome;
begin
  Result := TOutcome(NumberOf(OUTCOME_WORDS, Error(PROBLEM_OUTCOME)));
end;

function TEntry.ErrorDescription: UTF8String;
begin
  Result := Error(PROBLEM_DESCRIPTION);
end;

function TEntry.IsOrphan: Boolean;
begin
  Result := FItem.Value(ATTENTION_ORPHAN).Count > 0;
end;

function TEntry.Unreadable: UTF8String;
begin
  Result := FItem.Value(ATTENTION_UNREADABLE).Value(UNREADABLE_COLUMN).Text;
end;

function TEntry.AcknowledgeSql(Style: TStyle): UTF8String;
var
  Lib: IHandle;
begin
  NeedAttempt(Self);
  Lib := NewLibrary;
  Result := CallAcknowledgeSql(Lib.Handle, Field(ENTRY_REFERENCE), Number(ENTRY_ATTEMPT), Number(ENTRY_NEWS), NameOf(STYLE_WORDS, Ord(Style)))
    .Value(STATEMENT_TEXT).Text;
end;

function TEntry.Frame: TBytes;
begin
  Result := FFrame.Value(ENTRY_ATTENTION).Bytes;
end;

{ TEntries }

constructor TEntries.Create(const List: TFrame; IsAttention: Boolean);
begin
  inherited Create;
  FList := List;
  FIsAttention := IsAttention;
end;

function TEntries.Count: Integer;
begin
  Result := FList.Count;
end;

function TEntries.Entry(Index: Integer): IEntry;
begin
  if (Index < 0) or (Index >= Count) then
    RefuseArgument('there is no entry with this index');
  if FIsAttention then
    Result := TEntry.CreateItem(FList.Value(Index))
  else
    Result := TEntry.Create(FList.Value(Index));
end;

function PositionOf(const Entry: IEntry): TBytes;
var
  Position: TFrameWriter;
begin
  if Entry = nil then
    Exit(nil);
  NeedAttempt(Entry);
  Position.Start(POSITION_COUNT);
  Position.AddNumber(Entry.CreatedAtMs);
  Position.Add(Entry.Reference);
  Result := Position.Data;
end;

function ReceivedOf(const Received: TFrame): TReceived;
var
  Error: TFrame;
begin
  Error := Received.Value(RECEIVED_ERROR);
  Result.HttpStatus := Received.Value(RECEIVED_HTTP_STATUS).Number;
  Result.Code := TCode(NumberOf(CODE_WORDS, Error.Value(ERROR_CODE).Text));
  Result.Message := Error.Value(ERROR_MESSAGE).Text;
  Result.Entry := EntryOf(Received.Value(RECEIVED_ENTRY));
end;

function SettledOf(const Settled: TFrame): TSettled;
begin
  Result.Done := Settled.Value(SETTLED_DONE).Number;
  Result.NextDueMs := -1;
  if not Settled.Value(SETTLED_NEXT_DUE_MS).IsAbsent then
    Result.NextDueMs := Settled.Value(SETTLED_NEXT_DUE_MS).Number;
end;

function Seen(Journal: UInt64; const Entry: IEntry; const Note: UTF8String): IEntry;
begin
  if (Entry <> nil) and Entry.IsOrphan then
  begin
    CallJournalResolveOrphan(Journal, Entry.OrderId, Entry.Status, Note);
    Exit(nil);
  end;
  NeedAttempt(Entry);
  Result := EntryOf(CallJournalResolveSeen(Journal, Entry.Reference, Entry.Attempt, FrameOf(Entry), Note));
end;

end.
