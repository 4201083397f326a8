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

  { In place of an entry, Confirm, Cancel and Acknowledge take its values. }
  IJournal = interface
    ['{A0B1C2D3-E4F5-4061-B273-849506172839}']
    { Takes a payment, or returns the existing payment of the reference: this call can be repeated safely. }
    function Pay(const Reference: UTF8String; const Request: IPaymentRequest): IEntry;
    { Like Pay, but the credentials come by webhook. }
    function PayAsync(const Reference: UTF8String; const Request: IPaymentRequest): IEntry;
    { Takes a payment in place of the last attempt of a reference. Only a person may decide this: the attempt must be unknown, refused,
      failed, or open with an accepted cancel. }
    function Replace(const Reference: UTF8String; Attempt: UInt32; const Request: IPaymentRequest): IEntry;
    function Confirm(const Entry: IEntry): IEntry; overload;
    function Confirm(const Reference: UTF8String; Attempt: UInt32): IEntry; overload;
    function Cancel(const Entry: IEntry): IEntry; overload;
    function Cancel(const Reference: UTF8String; Attempt: UInt32): IEntry; overload;
    function Receive(const Path: UTF8String; const Body: TBytes; const Signature, KeyId: UTF8String): TReceived;
    function Settle(Limit: UInt32 = 100): TSettled;
    { Waits until the last attempt has credentials, or is final. It also returns the entry if the time is up: check Standing. }
    function Wait(const Reference: UTF8String; TimeoutMs: UInt32 = 30000; Wanted: TUntil = TUntil.Credentials): IEntry;
    { Finds the last attempt of a reference; nil if there is no such reference. }
    function Find(const Reference: UTF8String): IEntry;
    { Lists the last attempt of each reference (Standing is None), or all attempts of one standing, the newest first. Before is the last entry
      of the previous page, or nil. }
    function List(Standing: TStanding; Limit: UInt32; const Before: IEntry): IEntries;
    { Returns entries with news that are not acknowledged. Each is leased to the caller for a minute, and comes again if it is not
      acknowledged by then: make your handler idempotent. }
    function News(Limit: UInt32 = 100): IEntries;
    { Returns True if this call acknowledged the news; False if they were acknowledged before, or if there are newer ones. }
    function Acknowledge(const Entry: IEntry): Boolean; overload;
    function Acknowledge(const Reference: UTF8String; Attempt: UInt32; News: Int64): Boolean; overload;
    { Lists what a person must look at: attempts, orphans, and rows that cannot be read. }
    function Attention(Limit: UInt32 = 100): IEntries;
    { A person's decisions about an item of Attention; each returns the new entry. The note says who decided, and why.
      ResolveOrder: the unknown attempt's payment is this order, with this sum; empty for the asked one.
      ResolveNoPayment: there is no payment for the unknown attempt.
      ResolveSeen: the reasons that the item shows were seen; of an orphan, for which it returns nil, its status.
      ResolveTrusted: the attempt, which comes from a backup, is as new as the truth. }
    function ResolveOrder(const Entry: IEntry; const OrderId, Note: UTF8String; const Sum: UTF8String = ''): IEntry;
    function ResolveNoPayment(const Entry: IEntry; const Note: UTF8String): IEntry;
    function ResolveSeen(const Entry: IEntry; const Note: UTF8String): IEntry;
    function ResolveTrusted(const Entry: IEntry; const Note: UTF8String): IEntry;
    { Returns the counts of the journal as one line of JSON. }
    function Stats: UTF8String;
    { Makes a derived handle of the same journal. The derived handle can be interrupted separately. }
    function Derive: IJournal;
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
