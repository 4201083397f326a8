{ The journal takes each payment once, even after crashes and lost messages. It keeps its rows in a file or in a database, which it opens
  itself.

  An entry is a value, and stays valid after its journal is freed. Any number of threads can use a journal at once. A file belongs to the
  journal alone: no other copy of SQLite in this process may open it. }
unit merchantpay_journal;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  SysUtils, merchantpay_frames, merchantpay_api, merchantpay;

type
  { One attempt of a payment. An item of Attention can also be an orphan, or a row that cannot be read. }
  IEntry = interface(IEntryFields)
    ['{7D8E9FA0-B1C2-4D3E-8F40-516273849506}']
    { The payment details that the customer needs; nil unless the customer may pay now. }
    function Credentials: IPayment;
    { A reason for which a person must look at the attempt, by index from 0; None after the last reason, and for a reason that this version
      does not know. Detail is one sentence about the reason, only in an item of Attention; empty after the last one. AttentionNames has
      all names, separated by commas. }
    function Attention(Index: Integer): TAttention;
    function Detail(Index: Integer): UTF8String;
    function AttentionNames: UTF8String;
    { The error of the last call about the attempt; None if that call did not fail. }
    function ErrorCode: TCode;
    function ErrorOutcome: TOutcome;
    function ErrorDescription: UTF8String;
    { True for messages about an order that no attempt has. An orphan has OrderId, Status and CreatedAtMs, when the first message came.
      Reference and Attempt are of the attempt to whose URL a message came, if there is one. }
    function IsOrphan: Boolean;
    { The column because of which this version cannot read the row, else empty. Such an item has only Reference and Attempt. }
    function Unreadable: UTF8String;
    { The statement that acknowledges this entry in your own transaction on the journal's database. The parameters are Reference, Attempt
      and News, in this order or by the names reference, attempt and news. Execute it first. If it changes no row: roll back, and read the
      news again. }
    function AcknowledgeSql(Style: TStyle): UTF8String;
  end;

  IEntries = interface
    ['{8E9FA0B1-C2D3-4E4F-9051-627384950617}']
    function Count: Integer;
    function Entry(Index: Integer): IEntry;
    property Entries[Index: Integer]: IEntry read Entry; default;
  end;

  { The settings of a journal by their names in snake case, such as 'callback_url'. }
  IJournalConfig = interface(ISettable)
    ['{9FA0B1C2-D3E4-4F50-A162-738495061728}']
    { Sets where the journal is: the absolute path of a file, postgresql://… or mysql://…. }
    procedure SetPlace(const Place: UTF8String);
    property Settings[const Name: UTF8String]: UTF8String write SetByName; default;
  end;

  TSettled = record
    { The number of processed attempts, and the time in milliseconds until the next query is due; -1 if no query is planned. }
    Done: UInt32;
    NextDueMs: Int64;
  end;

  TReceived = record
    { HttpStatus is the answer to send. If the webhook was refused, Code and Message have the reason; otherwise Code is None. Do not send
      Message to the service. }
    HttpStatus: Int32;
    Code: TCode;
    Message: UTF8String;
    { The attempt after the webhook; nil if the webhook belongs to no attempt. }
    Entry: IEntry;
  end;

  { In place of an entry, Confirm, Cancel and Acknowledge take its values. A note of a Resolve… says who decided, and why. ResolveSeen is for
    the reasons that an item of Attention shows, and for an orphan, for which it returns nil. Stats is one line of JSON. }
  IJournal = interface
    ['{A0B1C2D3-E4F5-4061-B273-849506172839}']
    {$I journal.inc}
    { Ends the running calls of this journal and of those derived from it. Later calls do not start. }
    procedure Interrupt;
  end;

function NewJournalConfig: IJournalConfig;
function OpenJournal(const Client: IMerchantPayClient; const Config: IJournalConfig): IJournal;

implementation

uses
  merchantpay_waist, merchantpay_calls, merchantpay_objects;

type
  TJournalConfig = class(TSettable, IJournalConfig, IFrame)
  public
    procedure SetPlace(const Place: UTF8String);
    function Frame: TBytes;
  end;

function NewJournalConfig: IJournalConfig;
begin
  Result := TJournalConfig.Create;
end;

function OpenJournal(const Client: IMerchantPayClient; const Config: IJournalConfig): IJournal;
begin
  Result := TJournal.Create(Opened(OBJECT_KIND_JOURNAL, HandleOf(Client), FrameOf(Config), nil, [], nil, 0));
end;

{ TJournalConfig }

procedure TJournalConfig.SetPlace(const Place: UTF8String);
begin
  SetByName('place', Place);
end;

function TJournalConfig.Frame: TBytes;
begin
  Result := FSettings.Frame(LISTED_SETTINGS);
end;

end.
