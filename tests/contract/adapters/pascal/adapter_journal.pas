{ The commands of a journal. }
unit adapter_journal;

{$MODE DELPHI}{$H+}

interface

uses
  fpjson;

function JournalAnswer(Command: TJSONObject): TJSONObject;

implementation

uses
  SysUtils, merchantpay_api, merchantpay, merchantpay_journal, adapter_values;

var
  Journal: IJournal;
  { The entries that were returned, by their numbers. }
  Entries: array of IEntry;

function Opened(Command: TJSONObject): TJSONObject;
var
  Config: IJournalConfig;
  Settings: TJSONObject;
  Index, Each: Integer;
begin
  Config := NewJournalConfig;
  Settings := Command.Objects['settings'];
  for Index := 0 to Settings.Count - 1 do
    if Settings.Items[Index] is TJSONArray then
      for Each := 0 to Settings.Items[Index].Count - 1 do
        Config[Settings.Names[Index]] := Settings.Items[Index].Items[Each].AsString
    else
      Config[Settings.Names[Index]] := Given(Settings, Settings.Names[Index]);
  Config.SetPlace(Given(Command, 'place'));
  Journal := OpenJournal(NewClient(ConfigOf(Command.Objects['client'])), Config);
  Result := TJSONObject.Create;
end;

{ The words are numbers here; 0 means absent. }
function Shown(const Entry: IEntry): TJSONObject;
var
  Fields, Error: TJSONObject;
  List: TJSONArray;
  Index: Integer;

  procedure PutText(const Name, Text: UTF8String);
  begin
    if Text <> '' then
      Fields.Add(Name, Text);
  end;

  procedure PutNumber(const Name: UTF8String; Number: Int64);
  begin
    if Number <> 0 then
      Fields.Add(Name, Number);
  end;

begin
  Fields := TJSONObject.Create;
  Fields.Add('attempt', Int64(Entry.Attempt));
  Fields.Add('succeeded', Entry.Succeeded);
  Fields.Add('news', Entry.News);
  Fields.Add('acknowledged', Entry.Acknowledged);
  PutText('reference', Entry.Reference);
  PutText('order_id', Entry.OrderId);
  PutText('status', Entry.Status);
  PutText('sum_asked', Entry.SumAsked);
  PutText('sum_paid', Entry.SumPaid);
  PutNumber('standing', Ord(Entry.Standing));
  PutNumber('intent', Ord(Entry.Intent));
  PutNumber('intent_state', Ord(Entry.IntentState));
  PutNumber('created_at', Entry.CreatedAtMs);
  PutNumber('updated_at', Entry.UpdatedAtMs);
  List := TJSONArray.Create;
  Index := 0;
  while Entry.Attention(Index) <> TAttention.None do
  begin
    List.Add(Ord(Entry.Attention(Index)));
    Inc(Index);
  end;
  Fields.Add('attention', List);
  if Entry.Credentials <> nil then
    Fields.Add('credentials', FieldsOf(Entry.Credentials));
  if Entry.ErrorCode <> TCode.None then
  begin
    Error := TJSONObject.Create;
    Error.Add('code', Ord(Entry.ErrorCode));
    Error.Add('outcome', Ord(Entry.ErrorOutcome));
    if Entry.ErrorDescription <> '' then
      Error.Add('description', Entry.ErrorDescription);
    Fields.Add('error', Error);
  end;
  Result := TJSONObject.Create;
  Result.Add('entry', Length(Entries));
  Result.Add('fields', Fields);
  Result.Add('is_orphan', Entry.IsOrphan);
  if Entry.Unreadable <> '' then
    Result.Add('unreadable', Entry.Unreadable);
  List := TJSONArray.Create;
  Index := 0;
  while Entry.Detail(Index) <> '' do
  begin
    List.Add(Entry.Detail(Index));
    Inc(Index);
  end;
  Result.Add('details', List);
  Result.Add('json', Entry.Json);
  SetLength(Entries, Length(Entries) + 1);
  Entries[High(Entries)] := Entry;
end;

function One(const Entry: IEntry): TJSONObject;
begin
  Result := TJSONObject.Create;
  if Entry = nil then
    Result.Add('entry')
  else
    Result.Add('entry', Shown(Entry));
end;

function Many(const Page: IEntries): TJSONObject;
var
  List: TJSONArray;
  Index: Integer;
begin
  List := TJSONArray.Create;
  for Index := 0 to Page.Count - 1 do
    List.Add(Shown(Page[Index]));
  Result := TJSONObject.Create;
  Result.Add('entries', List);
end;

function Received(Command: TJSONObject): TJSONObject;
var
  Taken: TReceived;
begin
  Taken := Journal.Receive(
    Given(Command, 'path'), Bytes(Given(Command, 'body')), Given(Command, 'signature'), Given(Command, 'key_id'));
  Result := One(Taken.Entry);
  Result.Add('http_status', Taken.HttpStatus);
  if Taken.Code <> TCode.None then
    Result.Add('error', TJSONObject.Create(['code', Ord(Taken.Code)]));
end;

function Settled(Limit: UInt32): TJSONObject;
var
  Done: TSettled;
begin
  Done := Journal.Settle(Limit);
  Result := TJSONObject.Create;
  Result.Add('done', Int64(Done.Done));
  if Done.NextDueMs >= 0 then
    Result.Add('next_due_ms', Done.NextDueMs);
end;

function Resolved(const Entry: IEntry; Command: TJSONObject): TJSONObject;
var
  Note: UTF8String;
begin
  Note := Given(Command, 'note');
  if Command.Find('seen') <> nil then
    Exit(One(Journal.ResolveSeen(Entry, Note)));
  if Command.Find('trusted') <> nil then
    Exit(One(Journal.ResolveTrusted(Entry, Note)));
  if Command.Find('no_payment') <> nil then
    Exit(One(Journal.ResolveNoPayment(Entry, Note)));
  Result := One(Journal.ResolveOrder(Entry, Given(Command, 'order_id'), Note, Given(Command, 'sum')));
end;

{ The program itself passes the parameters: by position, or by name. }
function AcknowledgeSql(const Entry: IEntry; const Style: UTF8String): TJSONObject;
const
  STYLES: array[1..5] of UTF8String = ('question', 'dollar', 'percent', 'colon', 'at');
var
  Number: Integer;
begin
  Number := 1;
  while STYLES[Number] <> Style do
    Inc(Number);
  Result := TJSONObject.Create(['text', Entry.AcknowledgeSql(TStyle(Number))]);
  if Number >= Ord(TStyle.Colon) then
    Result.Add('parameters', TJSONObject.Create(
      ['reference', Entry.Reference, 'attempt', Int64(Entry.Attempt), 'news', Entry.News]))
  else
    Result.Add('parameters', TJSONArray.Create([Entry.Reference, Int64(Entry.Attempt), Entry.News]));
end;

function Standing(const Name: UTF8String): TStanding;
const
  NAMES: array[0..6] of UTF8String = ('', 'sending', 'unknown', 'refused', 'open', 'final', 'superseded');
var
  Index: Integer;
begin
  for Index := 0 to High(NAMES) do
    if NAMES[Index] = Name then
      Exit(TStanding(Index));
  raise Exception.Create('there is no standing ' + Name);
end;

function JournalAnswer(Command: TJSONObject): TJSONObject;
var
  Name, Reference: UTF8String;
  Wanted: TUntil;

  function Number(const Key: string; Absent: Int64): UInt32;
  begin
    Result := Command.Get(Key, Absent);
  end;

  function GivenEntry(const Key: string): IEntry;
  begin
    Result := nil;
    if Command.Find(Key) <> nil then
      Result := Entries[Command.Integers[Key]];
  end;

begin
  Name := Given(Command, 'do');
  Reference := Given(Command, 'reference');
  if Name = 'journal_open' then
    Exit(Opened(Command));
  if Name = 'pay' then
    Exit(One(Journal.Pay(Reference, RequestOf(Command.Objects['request']))));
  if Name = 'pay_async' then
    Exit(One(Journal.PayAsync(Reference, RequestOf(Command.Objects['request']))));
  if Name = 'replace' then
    Exit(One(Journal.Replace(Reference, Number('attempt', 0), RequestOf(Command.Objects['request']))));
  if (Name = 'confirm') and (Command.Find('entry') <> nil) then
    Exit(One(Journal.Confirm(GivenEntry('entry'))));
  if Name = 'confirm' then
    Exit(One(Journal.Confirm(Reference, Number('attempt', 0))));
  if (Name = 'cancel') and (Command.Find('entry') <> nil) then
    Exit(One(Journal.Cancel(GivenEntry('entry'))));
  if Name = 'cancel' then
    Exit(One(Journal.Cancel(Reference, Number('attempt', 0))));
  if Name = 'find' then
    Exit(One(Journal.Find(Reference)));
  if Name = 'list' then
    Exit(Many(Journal.List(Standing(Given(Command, 'standing')), Number('limit', 100), GivenEntry('before'))));
  if Name = 'news' then
    Exit(Many(Journal.News(Number('limit', 100))));
  if Name = 'attention' then
    Exit(Many(Journal.Attention(Number('limit', 100))));
  if Name = 'receive' then
    Exit(Received(Command));
  if Name = 'settle' then
    Exit(Settled(Number('limit', 100)));
  if Name = 'wait' then
  begin
    Wanted := TUntil.Credentials;
    if Given(Command, 'until') = 'final' then
      Wanted := TUntil.Final;
    Exit(One(Journal.Wait(Reference, Number('timeout_ms', 0), Wanted)));
  end;
  if (Name = 'acknowledge') and (Command.Find('entry') <> nil) then
    Exit(TJSONObject.Create(['changed', Journal.Acknowledge(GivenEntry('entry'))]));
  if Name = 'acknowledge' then
    Exit(TJSONObject.Create(['changed', Journal.Acknowledge(Reference, Number('attempt', 0), Command.Int64s['news'])]));
  if Name = 'acknowledge_sql' then
    Exit(AcknowledgeSql(GivenEntry('entry'), Given(Command, 'style')));
  if Name = 'stats' then
    Exit(TJSONObject.Create(['stats', GetJSON(Journal.Stats)]));
  if Name = 'resolve' then
    Exit(Resolved(GivenEntry('entry'), Command));
  if Name = 'journal_close' then
  begin
    Entries := nil;
    Journal := nil;
  end
  else
    raise Exception.Create('there is no command ' + Name);
  Result := TJSONObject.Create;
end;

end.
