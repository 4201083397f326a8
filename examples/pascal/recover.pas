{ Makes exactly one payment, whatever fails: recover FILE [PORT]. FILE is the journal: a path, postgresql:// or mysql://. The program
  receives webhooks on PORT; without PORT, on any free port. Kill the program, lose its responses, and run it again with the same arguments:
  it continues the same payment. }
program recover;
{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

uses
  {$IFDEF UNIX}cthreads,{$ENDIF}
  SysUtils, merchantpay_api, merchantpay, merchantpay_journal, example, receiver;

type
  TShop = class
  private
    FJournal: IJournal;
    FReceiver: TReceiver;
    function Receive(const Webhook: TWebhook): Integer;
    procedure Settle;
    procedure Sell(const Reference: UTF8String);
  public
    constructor Create(const Path: UTF8String; Port: Word);
    destructor Destroy; override;
  end;

constructor TShop.Create(const Path: UTF8String; Port: Word);
var
  Client: IMerchantPayClient;
  Config: IJournalConfig;
begin
  inherited Create;
  Client := NewClient(ExampleConfig);
  FReceiver := TReceiver.Create(Port);
  Config := NewJournalConfig;
  Config.SetPlace(Path);
  Config['callback_url'] := FReceiver.Url;
  FJournal := OpenJournal(Client, Config);
  FReceiver.OnReceive := Receive;
end;

destructor TShop.Destroy;
begin
  FReceiver.Free;
  inherited Destroy;
end;

function TShop.Receive(const Webhook: TWebhook): Integer;
begin
  Result := FJournal.Receive(Webhook.Path, Webhook.Body, Webhook.Signature, Webhook.KeyId).HttpStatus;
end;

{ Asks the service about attempts whose next query is due, and acts on all changes. }
procedure TShop.Settle;
var
  News: IEntries;
  Entry: IEntry;
  Index: Integer;
begin
  FJournal.Settle;
  News := FJournal.News;
  for Index := 0 to News.Count - 1 do
  begin
    Entry := News[Index];
    if Entry.Succeeded then
      Print(Entry.Reference + ' ' + Entry.StandingName + ': ship it')
    else if Entry.Credentials <> nil then
      Print(Entry.Reference + ' ' + Entry.StandingName + ': show the credentials')
    else
      Print(Entry.Reference + ' ' + Entry.StandingName);
    FJournal.Acknowledge(Entry);
  end;
end;

procedure TShop.Sell(const Reference: UTF8String);
var
  Entry: IEntry;
begin
  { A repeated call returns the same payment. If the response is lost, a webhook still brings the credentials. }
  Entry := FJournal.PayAsync(Reference, ExampleRequest('sbp', '79001234567'));
  Print(Reference + ' ' + Entry.StandingName);
  repeat
    FReceiver.Serve(100);
    Settle;
    Entry := FJournal.Find(Reference);
  until ((Entry.Standing = TStanding.Final) or (Entry.Standing = TStanding.Refused)) and Entry.Acknowledged;
end;

procedure Main;
var
  Shop: TShop;
begin
  Shop := TShop.Create(UTF8String(ParamStr(1)), StrToIntDef(ParamStr(2), 0));
  try
    Shop.Sell('order-1017');
  finally
    Shop.Free;
  end;
end;

begin
  if ParamCount < 1 then
  begin
    WriteLn(StdErr, 'usage: recover FILE [PORT]');
    Halt(2);
  end;
  Run(Main);
end.
