{ A whole sale at a point of sale: till FILE REFERENCE SUM [again]. The till has no callback URL, so it asks for the status. Ctrl-C is the
  cashier's button, which ends the waiting. After a power cut, run the program again with the same arguments: it continues the
  same payment. }
program till;
{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

uses
  {$IFDEF UNIX}cthreads, BaseUnix,{$ENDIF}
  Classes, SysUtils, merchantpay_api, merchantpay, merchantpay_journal, example;

type
  { Interrupts the client's calls when the button is pressed. }
  TButton = class(TThread)
  private
    FClient: IMerchantPayClient;
  protected
    procedure Execute; override;
  public
    constructor Create(const Client: IMerchantPayClient);
  end;

var
  { A signal handler must do very little: it writes to this pipe, and the button's thread reads from the pipe. }
  Pressed: TFilDes;

procedure OnSignal(Signal: cint); cdecl;
begin
  FpWrite(Pressed[1], 'i', 1);
end;

constructor TButton.Create(const Client: IMerchantPayClient);
begin
  FClient := Client;
  FpPipe(Pressed);
  FpSignal(SIGINT, OnSignal);
  inherited Create(False);
end;

procedure TButton.Execute;
var
  What: AnsiChar;
begin
  repeat
    What := #0;
  until (FpRead(Pressed[0], @What, 1) > 0) or Terminated;
  if What = 'i' then
    FClient.Interrupt;
end;

{ Returns the payment of this sale: an existing one, or a new one. }
function Pay(const Journal: IJournal; const Reference, Sum: UTF8String; Again: Boolean): IEntry;
var
  Request: IPaymentRequest;
begin
  Request := ExampleRequest('sbp', '79001234567');
  Request['sum'] := Sum;
  Result := Journal.Pay(Reference, Request);
  { After a power cut during the call, the standing stays "sending" until the call's deadline. }
  if Result.Standing = TStanding.Sending then
    Result := Journal.Wait(Reference, 60000, TUntil.Credentials);
  { The cashier has decided that no customer saw the old credentials, so no customer can use them. }
  if Again and (Result.Credentials = nil) and not Result.Succeeded then
    Result := Journal.Replace(Reference, Result.Attempt, Request);
end;

{ Prints the receipt of a payment that has ended. After a power cut before the receipt, the entry is still not acknowledged. }
procedure PrintReceipt(const Journal: IJournal; const Entry: IEntry);
var
  HasEnded: Boolean;
begin
  HasEnded := (Entry.Standing = TStanding.Final) or (Entry.Standing = TStanding.Refused);
  if not HasEnded or Entry.Acknowledged then
    Exit;
  if Entry.Succeeded then
    Print('sold ' + Entry.Reference)
  else
    Print('not sold ' + Entry.Reference);
  Journal.Acknowledge(Entry);
end;

function Sell(const Journal: IJournal; const Reference, Sum: UTF8String; Again: Boolean): Integer;
var
  Entry: IEntry;
begin
  Entry := Pay(Journal, Reference, Sum, Again);
  Print(Reference + ' ' + Entry.StandingName);
  if Entry.Standing = TStanding.Unknown then
  begin
    Print('nobody knows whether there is a payment: try again, or ask support');
    Exit(4);
  end;
  if Entry.Credentials <> nil then
    Print('pay ' + Shown(Entry.Credentials.Sum) + ' to ' + Shown(Entry.Credentials.PayeeAccount));
  { The customer has paid. The journal stores the confirm first, and retries it after a power cut. }
  if (Entry.Standing = TStanding.Open) and (Entry.Intent = TIntent.None) then
  begin
    Entry := Journal.Confirm(Entry);
    Print('confirmed ' + Reference);
  end;
  Entry := Journal.Wait(Reference, 600000, TUntil.Final);
  Print('status ' + Shown(Entry.Status));
  PrintReceipt(Journal, Entry);
  Result := Ord(not Entry.Succeeded);
end;

procedure Main;
var
  Client: IMerchantPayClient;
  Config: IJournalConfig;
  Button: TButton;
  Status: Integer;
begin
  Client := NewClient(ExampleConfig);
  Config := NewJournalConfig;
  Config.SetPlace(UTF8String(ParamStr(1)));
  Button := TButton.Create(Client);
  try
    Status := Sell(OpenJournal(Client, Config), UTF8String(ParamStr(2)), UTF8String(ParamStr(3)), ParamStr(4) = 'again');
  finally
    Button.Terminate;
    FpWrite(Pressed[1], 'e', 1);
    Button.Free;
  end;
  if Status <> 0 then
    Halt(Status);
end;

begin
  if ParamCount < 3 then
  begin
    WriteLn(StdErr, 'usage: till FILE REFERENCE SUM [again]');
    Halt(2);
  end;
  Run(Main);
end.
