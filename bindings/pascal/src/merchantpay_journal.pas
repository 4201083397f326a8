{ The journal over a file: it takes each payment once, whatever crashes or is lost.

  An entry stays valid after its journal is gone. Any number of threads can use a journal at once. The file belongs to the journal
  alone: no other SQLite in this process may open it. }
unit merchantpay_journal;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  SysUtils, merchantpay_api, merchantpay;

type
  { The last attempt of a reference, or an orphan: a verified message that belongs to no attempt. }
  IEntry = interface
    function Handle: Pmpay_entry;
    function Reference: UTF8String;
    function Attempt: UInt32;
    function IsOrphan: Boolean;
    { MPAY_STANDING_SENDING … MPAY_STANDING_SUPERSEDED; 0 for an orphan. }
    function Standing: Int32;
    function StandingName: UTF8String;
    function OrderId: UTF8String;
    { Where the customer pays; nil unless the customer may pay there now. }
    function Credentials: IPayment;
    { What the service last reported; nil before that. }
    function Payment: IPayment;
    function SumAsked: UTF8String;
    { MPAY_PAID_EXACTLY, MPAY_PAID_LESS or MPAY_PAID_MORE; 0 until it is known. }
    function Paid: Int32;
    { Final, and paid exactly: ship only then. }
    function Succeeded: Boolean;
    { MPAY_INTENT_STORED … MPAY_INTENT_UNCLEAR; 0 without one. }
    function ConfirmState: Int32;
    function CancelState: Int32;
    { MPAY_LEVEL_NONE … MPAY_LEVEL_FINAL. }
    function Reported: Int32;
    function Acknowledged: Int32;
    { The error of the last call; the code is MPAY_OK without one. }
    function ErrorCode: Int32;
    function ErrorOutcome: Int32;
    function ErrorDescription: UTF8String;
    { A reason why an operator must look, MPAY_ATTENTION_…, from index 0; 0 after the last one. }
    function Attention(Index: Integer): Int32;
    { An earlier attempt, from index 0 for the newest; nil after the first attempt. }
    function Earlier(Index: Integer): IEntry;
    { Milliseconds since 1970 in UTC; 0 if there is none. }
    function CreatedAtMs: UInt64;
    function UpdatedAtMs: UInt64;
    function DueAtMs: UInt64;
    { The entry as JSON. It contains personal data. }
    function Json: UTF8String;
  end;

  IEntries = interface
    function Count: Integer;
    function Entry(Index: Integer): IEntry;
    property Entries[Index: Integer]: IEntry read Entry; default;
  end;

  { The settings of a journal by their names in snake case, such as 'callback_url'. }
  IJournalConfig = interface
    function Handle: Pmpay_journal_config;
    procedure SetByName(const Name, Text: UTF8String);
    { An absolute path. }
    procedure SetFile(const Path: UTF8String);
    property Settings[const Name: UTF8String]: UTF8String write SetByName; default;
  end;

  TExportedLines = array of UTF8String;

  TSettled = record
    { How many attempts were looked at, and in how many milliseconds the next one is due; -1 for never. }
    Done: UInt32;
    NextDueMs: Int64;
  end;

  TReceived = record
    { The status to answer with. A webhook that was not applied has the reason in Code, MPAY_OK otherwise. Do not send the message. }
    HttpStatus, Code: Int32;
    Message: UTF8String;
    { The attempt as it is now; nil if there is none. }
    Entry: IEntry;
  end;

  IJournal = interface
    { Takes the payment of this reference, or returns the one that exists. It can be repeated safely. Replace is 0, or the attempt
      that an operator replaces. }
    function Pay(const Reference: UTF8String; const Request: IPaymentRequest; Replace: UInt32 = 0): IEntry;
    { The credentials come by webhook. }
    function PayAsync(const Reference: UTF8String; const Request: IPaymentRequest; Replace: UInt32 = 0): IEntry;
    function Confirm(const Entry: IEntry): IEntry;
    function Cancel(const Entry: IEntry): IEntry;
    function ConfirmBy(const Reference: UTF8String; Attempt: UInt32): IEntry;
    function CancelBy(const Reference: UTF8String; Attempt: UInt32): IEntry;
    function Receive(const Path: UTF8String; const Body: TBytes; const Signature, KeyId: UTF8String): TReceived;
    function Settle(Limit: UInt32 = 100): TSettled;
    { Wanted is MPAY_UNTIL_CREDENTIALS or MPAY_UNTIL_FINAL. Returns the entry when the time is up: look at Standing. }
    function Wait(const Reference: UTF8String; TimeoutMs: UInt32; Wanted: Int32): IEntry;
    { nil if there is no such reference. }
    function Find(const Reference: UTF8String): IEntry;
    { Standing 0 lists every entry. Before is the last entry of the page before, or nil. }
    function List(Standing: Int32; Limit: UInt32; const Before: IEntry): IEntries;
    { Unacknowledged changes, which this caller claims for ClaimMs milliseconds. Make the handler idempotent. }
    function News(Limit, ClaimMs: UInt32): IEntries;
    { Whether this call acknowledged it. }
    function Acknowledge(const Entry: IEntry): Boolean;
    function AcknowledgeBy(const Reference: UTF8String; Attempt: UInt32; Level: Int32): Boolean;
    { What an operator must look at. }
    function Attention(Limit: UInt32): IEntries;
    { Stores the operator's decision MPAY_RESOLUTION_… with a note. OrderId belongs to MPAY_RESOLUTION_ORDER_ID. }
    procedure Resolve(const Entry: IEntry; Resolution: Int32; const Note: UTF8String; const OrderId: UTF8String = '');
    { Returns the counts of the journal as one line of JSON: see mpay_stats_json. }
    function Stats: UTF8String;
    { Deletes the details of attempts and messages that were last written before a time, in milliseconds since 1970, and of
      which nothing more is expected. Returns how many it emptied. }
    function Purge(BeforeMs: Int64): UInt64;
    { Deletes the details of one reference. Returns how many attempts and messages had some. }
    function Forget(const Reference: UTF8String): UInt64;
    { Returns each attempt and each orphan as a line for Import. Pause the journal first. }
    function ExportLines: TExportedLines;
    { Stores a line of an export. Returns False if the journal already has that attempt or orphan. }
    function Import(const Line: UTF8String): Boolean;
    { Stops Pay and News in every process, until Resume. Returns when no call that makes a payment runs any more. }
    procedure Pause(const Note: UTF8String);
    { Ends a pause, and keeps the note. }
    procedure Resume(const Note: UTF8String);
    { Copies a journal in a file into a new file, while the journal is in use. The copy is paused. }
    procedure Backup(const Path: UTF8String);
    { A handle over the same journal, which can be interrupted alone. }
    function Derive: IJournal;
    procedure Interrupt;
  end;

function NewJournalConfig: IJournalConfig;
function OpenJournal(const Client: IMerchantPayClient; const Config: IJournalConfig): IJournal;

implementation

{$I entries.inc}
{$I journal.inc}

end.
