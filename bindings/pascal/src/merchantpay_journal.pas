{ The journal in a file. It takes each payment once, even after crashes and lost messages.

  An entry stays valid after its journal is freed. Any number of threads can use a journal at once. The file belongs to the journal
  alone: no other copy of SQLite in this process may open the file. }
unit merchantpay_journal;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  SysUtils, merchantpay_api, merchantpay;

type
  { The last attempt of a reference, or an orphan: a verified message that matches no attempt. }
  IEntry = interface
    function Handle: Pmpay_entry;
    function Reference: UTF8String;
    function Attempt: UInt32;
    function IsOrphan: Boolean;
    { The standing, which is the state of the attempt in the journal: MPAY_STANDING_SENDING … MPAY_STANDING_SUPERSEDED; 0 for an orphan. }
    function Standing: Int32;
    function StandingName: UTF8String;
    function OrderId: UTF8String;
    { The payment details that the customer needs (credentials); nil unless the customer may pay now. }
    function Credentials: IPayment;
    { The payment, merged from all messages of the service; nil before the first message. }
    function Payment: IPayment;
    function SumAsked: UTF8String;
    { The paid sum compared with the requested sum: MPAY_PAID_EXACTLY, MPAY_PAID_LESS or MPAY_PAID_MORE; 0 until the paid sum is known.
      }
    function Paid: Int32;
    { True if the attempt is final, and the requested sum was paid exactly. Ship only then. }
    function Succeeded: Boolean;
    { The states of the confirm and of the cancel: MPAY_INTENT_STORED … MPAY_INTENT_UNCLEAR; 0 if there is no confirm or no cancel. }
    function ConfirmState: Int32;
    function CancelState: Int32;
    { The level that the attempt has reached, and the level that the merchant has acknowledged: MPAY_LEVEL_NONE … MPAY_LEVEL_FINAL. }
    function Reported: Int32;
    function Acknowledged: Int32;
    { The error of the last call for the attempt; the code is MPAY_OK if that call did not fail. }
    function ErrorCode: Int32;
    function ErrorOutcome: Int32;
    function ErrorDescription: UTF8String;
    { A reason for which an operator must decide, MPAY_ATTENTION_…, by index from 0; 0 after the last reason. }
    function Attention(Index: Integer): Int32;
    { An earlier attempt, by index: 0 is the newest earlier attempt. nil after the oldest one. }
    function Earlier(Index: Integer): IEntry;
    { The times at which the attempt was stored, was last written, and will be queried next, in milliseconds since 1970 in UTC; 0 if there
      is no such time. }
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
    { Sets the path of the journal's file. The path must be absolute. }
    procedure SetFile(const Path: UTF8String);
    property Settings[const Name: UTF8String]: UTF8String write SetByName; default;
  end;

  TExportedLines = array of UTF8String;

  TSettled = record
    { The number of processed attempts, and the time in milliseconds until the next query is due; -1 if no query is planned. }
    Done: UInt32;
    NextDueMs: Int64;
  end;

  TReceived = record
    { HttpStatus is the answer to send. If the webhook was not applied, Code and Message have the reason; otherwise Code is MPAY_OK. Do
      not send Message to the service. }
    HttpStatus, Code: Int32;
    Message: UTF8String;
    { The attempt after the webhook was applied; nil if the webhook belongs to no attempt. }
    Entry: IEntry;
  end;

  IJournal = interface
    { Takes a payment, or returns the existing payment of the reference: this call can be repeated safely. Replace is 0, or the number of
      the attempt to replace. Only a person may decide to replace an attempt. }
    function Pay(const Reference: UTF8String; const Request: IPaymentRequest; Replace: UInt32 = 0): IEntry;
    { Like Pay, but the credentials come by webhook. }
    function PayAsync(const Reference: UTF8String; const Request: IPaymentRequest; Replace: UInt32 = 0): IEntry;
    function Confirm(const Entry: IEntry): IEntry;
    function Cancel(const Entry: IEntry): IEntry;
    function ConfirmBy(const Reference: UTF8String; Attempt: UInt32): IEntry;
    function CancelBy(const Reference: UTF8String; Attempt: UInt32): IEntry;
    function Receive(const Path: UTF8String; const Body: TBytes; const Signature, KeyId: UTF8String): TReceived;
    function Settle(Limit: UInt32 = 100): TSettled;
    { Waits until the last attempt has reached Wanted, MPAY_UNTIL_CREDENTIALS or MPAY_UNTIL_FINAL. It also returns the entry if the time is
      up: check Standing. }
    function Wait(const Reference: UTF8String; TimeoutMs: UInt32; Wanted: Int32): IEntry;
    { Finds the last attempt of a reference, with the earlier attempts; nil if there is no such reference. }
    function Find(const Reference: UTF8String): IEntry;
    { Lists entries of one standing, or of all standings (0), the newest first. If Before is not nil, the list has only entries that are
      older than Before. }
    function List(Standing: Int32; Limit: UInt32; const Before: IEntry): IEntries;
    { Returns entries with changes that are not acknowledged, and claims them for ClaimMs milliseconds. Entries that are not
      acknowledged by then are returned again, so make your handler idempotent. }
    function News(Limit, ClaimMs: UInt32): IEntries;
    { Returns True if this call acknowledged the entry's level. }
    function Acknowledge(const Entry: IEntry): Boolean;
    function AcknowledgeBy(const Reference: UTF8String; Attempt: UInt32; Level: Int32): Boolean;
    { Lists the items about which an operator must decide: attempts, orphans and a changed server. }
    function Attention(Limit: UInt32): IEntries;
    { Stores the operator's decision MPAY_RESOLUTION_… with a note. Only MPAY_RESOLUTION_ORDER_ID needs OrderId. }
    procedure Resolve(const Entry: IEntry; Resolution: Int32; const Note: UTF8String; const OrderId: UTF8String = '');
    { Returns the counts of the journal as one line of JSON: see mpay_stats_json. }
    function Stats: UTF8String;
    { Deletes the details of finished attempts, and of orphans that an operator has seen, if they were last written before a time, in
      milliseconds since 1970. Returns the number of attempts and orphans whose details it deleted. }
    function Purge(BeforeMs: Int64): UInt64;
    { Deletes the details of all attempts of a reference, and of their orphans. Returns the number of attempts and orphans that had
      details. }
    function Forget(const Reference: UTF8String): UInt64;
    { Returns each attempt and each orphan as a line for Import. Pause the journal first. }
    function ExportLines: TExportedLines;
    { Stores a line of an export. Returns False if the journal already has that attempt or orphan. }
    function Import(const Line: UTF8String): Boolean;
    { Stops Pay and News in every process that uses the journal, until Resume is called. Returns when no payment call is running. }
    procedure Pause(const Note: UTF8String);
    { Ends a pause, and stores the note. }
    procedure Resume(const Note: UTF8String);
    { Copies a journal's file to a new file, also while other processes use the journal. The copy is paused. }
    procedure Backup(const Path: UTF8String);
    { Makes a derived handle of the same journal. The derived handle can be interrupted separately. }
    function Derive: IJournal;
    procedure Interrupt;
  end;

function NewJournalConfig: IJournalConfig;
function OpenJournal(const Client: IMerchantPayClient; const Config: IJournalConfig): IJournal;

implementation

{$I entries.inc}
{$I journal.inc}

end.
