{ The commands of a journal. }
unit adapter_journal;

{$MODE OBJFPC}{$H+}

interface

uses
  fpjson;

function JournalAnswer(Command: TJSONObject): TJSONObject;

implementation

uses
  SysUtils, merchantpay_api, merchantpay_frames, merchantpay_calls, merchantpay, merchantpay_journal, adapter_values;

var
  Journal: IJournal;
  { The entries that were returned, by their numbers. }
  Entries: array of IEntry;

procedure Open(Command: TJSONObject);
var
  Config: IJournalConfig;
begin
  Config := NewJournalConfig;
  SetAll(Config, Command.Objects['settings']);
  Config.SetPlace(Given(Command, 'place'));
  Journal := OpenJournal(NewClient(ConfigOf(Command, 'client')), Config);
end;

procedure Close;
begin
  Entries := nil;
  Journal := nil;
end;

function Shown(const Entry: IEntry): TJSONObject;
var
  Fields: TJSONObject;
  Attention, Details: TJSONArray;
  Index: Integer;
begin
  Fields := FieldsOf(Entry);
  Attention := TJSONArray.Create;
  Index := 0;
  while Entry.Attention(Index) <> TAttention.None do
  begin
    Attention.Add(Ord(Entry.Attention(Index)));
    Inc(Index);
  end;
  Fields.Add('attention', Attention);
  if Entry.Credentials <> nil then
    Fields.Add('credentials', FieldsOf(Entry.Credentials));
  if Entry.ErrorCode <> TCode.None then
  begin
    Fields.Add('error', TJSONObject.Create(['code', Ord(Entry.ErrorCode), 'outcome', Ord(Entry.ErrorOutcome)]));
    Put(Fields.Objects['error'], 'description', Entry.ErrorDescription);
  end;
  Details := TJSONArray.Create;
  while Entry.Detail(Details.Count) <> '' do
    Details.Add(Entry.Detail(Details.Count));
  Fields.Add('details', Details);
  Fields.Add('is_orphan', Entry.IsOrphan);
  Put(Fields, 'unreadable', Entry.Unreadable);
  Result := TJSONObject.Create(['entry', Length(Entries), 'fields', Fields, 'json', Entry.Json]);
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
  Result := TJSONObject.Create(['entries', List]);
end;

function Received(const Taken: TReceived): TJSONObject;
begin
  Result := One(Taken.Entry);
  Result.Add('http_status', Taken.HttpStatus);
  if Taken.Code <> TCode.None then
    Result.Add('error', TJSONObject.Create(['code', Ord(Taken.Code)]));
end;

function Settled(const Done: TSettled): TJSONObject;
begin
  Result := TJSONObject.Create(['done', Int64(Done.Done)]);
  if Done.NextDueMs >= 0 then
    Result.Add('next_due_ms', Done.NextDueMs);
end;

function Resolved(const Entry: IEntry; Command: TJSONObject): IEntry;
var
  Note: UTF8String;
begin
  Note := Given(Command, 'note');
  if Command.Find('seen') <> nil then
    Result := Journal.ResolveSeen(Entry, Note)
  else if Command.Find('trusted') <> nil then
    Result := Journal.ResolveTrusted(Entry, Note)
  else if Command.Find('no_payment') <> nil then
    Result := Journal.ResolveNoPayment(Entry, Note)
  else
    Result := Journal.ResolveOrder(Entry, Given(Command, 'order_id'), Note, Given(Command, 'sum'));
end;

function JournalAnswer(Command: TJSONObject): TJSONObject;
var
  Reference: UTF8String;
  Attempt, Limit: UInt32;
  Entry, Before: IEntry;
  Used: IJournal;

  function Named(const Words: array of TWord; const Key: string): Integer;
  begin
    Result := NumberOf(Words, Given(Command, Key));
  end;

  function Changed(Done: Boolean): TJSONObject;
  begin
    Result := TJSONObject.Create(['changed', Done]);
  end;

begin
  Reference := Given(Command, 'reference');
  Attempt := Command.Get('attempt', 0);
  Limit := Command.Get('limit', 100);
  if Command.Find('entry') <> nil then
    Entry := Entries[Command.Integers['entry']];
  if Command.Find('before') <> nil then
    Before := Entries[Command.Integers['before']];
  Used := Journal;
  if Command.Find('interrupt') <> nil then
    Used := Journal.Derive;
  Result := nil;
  BeginInterruption(Command, nil, Used);
  try
    case Given(Command, 'do') of
      'journal_open': Open(Command);
      'journal_close': Close;
      'pay': Result := One(Journal.Pay(Reference, RequestOf(Command.Objects['request'])));
      'pay_async': Result := One(Journal.PayAsync(Reference, RequestOf(Command.Objects['request'])));
      'replace': Result := One(Journal.Replace(Reference, Attempt, RequestOf(Command.Objects['request'])));
      'confirm': if Entry <> nil then Result := One(Journal.Confirm(Entry)) else Result := One(Journal.Confirm(Reference, Attempt));
      'cancel': if Entry <> nil then Result := One(Journal.Cancel(Entry)) else Result := One(Journal.Cancel(Reference, Attempt));
      'find': Result := One(Journal.Find(Reference));
      'list': Result := Many(Journal.List(TStanding(Named(STANDING_WORDS, 'standing')), Limit, Before));
      'news': Result := Many(Journal.News(Limit));
      'attention': Result := Many(Journal.Attention(Limit));
      'receive':
        Result := Received(Journal.Receive(
          Given(Command, 'path'), Bytes(Given(Command, 'body')), Given(Command, 'signature'), Given(Command, 'key_id')));
      'settle': Result := Settled(Used.Settle(Limit));
      'wait': Result := One(Used.Wait(Reference, Command.Get('timeout_ms', 0), TUntil(Named(UNTIL_WORDS, 'until'))));
      'acknowledge':
        if Entry <> nil then
          Result := Changed(Journal.Acknowledge(Entry))
        else
          Result := Changed(Journal.Acknowledge(Reference, Attempt, Command.Int64s['news']));
      'acknowledge_sql': Result := TJSONObject.Create(['text', Entry.AcknowledgeSql(TStyle(Named(STYLE_WORDS, 'style')))]);
      'stats': Result := TJSONObject.Create(['stats', GetJSON(Journal.Stats)]);
      'resolve': Result := One(Resolved(Entry, Command));
    else
      raise Exception.Create('there is no such command');
    end;
  finally
    EndInterruption;
  end;
end;

end.
