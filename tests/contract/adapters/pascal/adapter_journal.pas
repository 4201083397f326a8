{ The commands of a journal, over a file. }
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
  Index: Integer;
begin
  Config := NewJournalConfig;
  Settings := Command.Objects['settings'];
  for Index := 0 to Settings.Count - 1 do
    Config[Settings.Names[Index]] := Settings.Items[Index].AsString;
  Config.SetFile(Given(Command.Objects['place'], 'file'));
  Journal := OpenJournal(NewClient(ConfigOf(Command.Objects['client'])), Config);
  Result := TJSONObject.Create;
end;

{ Standings and levels are numbers here; 0 means absent, except for levels. }
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
  Fields.Add('reported', Entry.Reported);
  Fields.Add('acknowledged', Entry.Acknowledged);
  PutText('reference', Entry.Reference);
  PutText('order_id', Entry.OrderId);
  PutText('sum_asked', Entry.SumAsked);
  PutNumber('standing', Entry.Standing);
  PutNumber('paid', Entry.Paid);
  PutNumber('confirm', Entry.ConfirmState);
  PutNumber('cancel', Entry.CancelState);
  PutNumber('created_at', Entry.CreatedAtMs);
  PutNumber('updated_at', Entry.UpdatedAtMs);
  PutNumber('due_at', Entry.DueAtMs);
  List := TJSONArray.Create;
  Index := 0;
  while Entry.Attention(Index) <> 0 do
  begin
    List.Add(Entry.Attention(Index));
    Inc(Index);
  end;
  Fields.Add('attention', List);
  if Entry.Credentials <> nil then
    Fields.Add('credentials', FieldsOf(Entry.Credentials));
  if Entry.Payment <> nil then
    Fields.Add('payment', FieldsOf(Entry.Payment));
  if Entry.ErrorCode <> MPAY_OK then
  begin
    Error := TJSONObject.Create;
    Error.Add('code', Entry.ErrorCode);
    Error.Add('outcome', Entry.ErrorOutcome);
    if Entry.ErrorDescription <> '' then
      Error.Add('description', Entry.ErrorDescription);
    Fields.Add('error', Error);
  end;
  Result := TJSONObject.Create;
  Result.Add('entry', Length(Entries));
  Result.Add('fields', Fields);
  Result.Add('is_orphan', Entry.IsOrphan);
  Result.Add('json', Entry.Json);
  SetLength(Entries, Length(Entries) + 1);
  Entries[High(Entries)] := Entry;
  List := TJSONArray.Create;
  Index := 0;
  while Entry.Earlier(Index) <> nil do
  begin
    List.Add(Shown(Entry.Earlier(Index)));
    Inc(Index);
  end;
  Result.Add('earlier', List);
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
  if Taken.Code <> MPAY_OK then
    Result.Add('error', TJSONObject.Create(['code', Taken.Code]));
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

procedure Resolve(const Entry: IEntry; Command: TJSONObject);
begin
  if Command.Find('seen') <> nil then
    Journal.Resolve(Entry, MPAY_RESOLUTION_SEEN, Given(Command, 'note'))
  else if Command.Find('no_payment') <> nil then
    Journal.Resolve(Entry, MPAY_RESOLUTION_NO_PAYMENT, Given(Command, 'note'))
  else
    Journal.Resolve(Entry, MPAY_RESOLUTION_ORDER_ID, Given(Command, 'note'), Given(Command, 'order_id'));
end;

function Standing(const Name: UTF8String): Int32;
const
  NAMES: array[0..6] of UTF8String = ('', 'sending', 'unknown', 'refused', 'open', 'final', 'superseded');
begin
  for Result := 0 to High(NAMES) do
    if NAMES[Result] = Name then
      Exit;
  Result := -1;
end;

{ The commands of an operator; nil for another command. }
function Upkeep(const Name: UTF8String; Command: TJSONObject): TJSONObject;
var
  Line: UTF8String;
  Lines: TJSONArray;
begin
  if Name = 'stats' then
    Exit(TJSONObject.Create(['stats', GetJSON(Journal.Stats)]));
  if Name = 'purge' then
    Exit(TJSONObject.Create(['count', Int64(Journal.Purge(Command.Int64s['before_ms']))]));
  if Name = 'forget' then
    Exit(TJSONObject.Create(['count', Int64(Journal.Forget(Given(Command, 'reference')))]));
  if Name = 'import' then
    Exit(TJSONObject.Create(['changed', Journal.Import(Given(Command, 'line'))]));
  if Name = 'export' then
  begin
    Lines := TJSONArray.Create;
    for Line in Journal.ExportLines do
      Lines.Add(Line);
    Exit(TJSONObject.Create(['lines', Lines]));
  end;
  if Name = 'pause' then
    Journal.Pause(Given(Command, 'note'))
  else if Name = 'resume' then
    Journal.Resume(Given(Command, 'note'))
  else if Name = 'backup' then
    Journal.Backup(Given(Command, 'file'))
  else
    Exit(nil);
  Result := TJSONObject.Create;
end;

function JournalAnswer(Command: TJSONObject): TJSONObject;
var
  Name, Reference: UTF8String;
  Wanted: Int32;

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
  Result := Upkeep(Name, Command);
  if Result <> nil then
    Exit;
  if Name = 'pay' then
    Exit(One(Journal.Pay(Reference, RequestOf(Command.Objects['request']), Number('replace', 0))));
  if Name = 'pay_async' then
    Exit(One(Journal.PayAsync(Reference, RequestOf(Command.Objects['request']), Number('replace', 0))));
  if Name = 'confirm' then
    Exit(One(Journal.Confirm(GivenEntry('entry'))));
  if Name = 'cancel' then
    Exit(One(Journal.Cancel(GivenEntry('entry'))));
  if Name = 'find' then
    Exit(One(Journal.Find(Reference)));
  if Name = 'list' then
    Exit(Many(Journal.List(Standing(Given(Command, 'standing')), Number('limit', 100), GivenEntry('before'))));
  if Name = 'news' then
    Exit(Many(Journal.News(Number('limit', 100), Number('claim_ms', 0))));
  if Name = 'attention' then
    Exit(Many(Journal.Attention(Number('limit', 100))));
  if Name = 'receive' then
    Exit(Received(Command));
  if Name = 'settle' then
    Exit(Settled(Number('limit', 100)));
  if Name = 'wait' then
  begin
    Wanted := MPAY_UNTIL_CREDENTIALS;
    if Given(Command, 'until') = 'final' then
      Wanted := MPAY_UNTIL_FINAL;
    Exit(One(Journal.Wait(Reference, Number('timeout_ms', 0), Wanted)));
  end;
  if Name = 'acknowledge' then
    Exit(TJSONObject.Create(['changed', Journal.Acknowledge(GivenEntry('entry'))]));
  if Name = 'resolve' then
    Resolve(GivenEntry('entry'), Command)
  else if Name = 'journal_close' then
  begin
    Entries := nil;
    Journal := nil;
  end
  else
    raise Exception.Create('there is no command ' + Name);
  Result := TJSONObject.Create;
end;

end.
