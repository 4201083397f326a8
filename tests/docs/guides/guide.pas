{ Runs the code of a page, which guides.py puts in. examples.py sets the environment. }
program guide;
{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

uses
  {$IFDEF UNIX}cthreads,{$ENDIF}
  SysUtils, merchantpay_api, merchantpay, merchantpay_journal;

var
  Shipped: Integer = 0;

procedure Need(Holds: Boolean);
begin
  if not Holds then
    raise Exception.Create('the guide is wrong');
end;

procedure Ship(const Entry: IEntry);
begin
  Need(Entry.Reference = 'order-1017');
  Inc(Shipped);
end;

{ bindings/pascal/README.md }

procedure Webhooks(const Client: IMerchantPayClient; const Journal: IJournal);
var
  Config: IConfig;
  Verifier: IWebhookVerifier;
  Body: TBytes;
  Signature: UTF8String;
begin
  Body := BytesOf(UTF8String(GetEnvironmentVariable('WEBHOOK_BODY')));
  Signature := UTF8String(GetEnvironmentVariable('WEBHOOK_SIGNATURE'));
  Config := NewConfig;
  Config.FromEnvironment;
  Verifier := NewWebhookVerifier(Config);
  Need(Receive(Verifier, Body, Signature, '') = 200);
  Need(Receive(Verifier, BytesOf('{}'), Signature, '') = 400);
  Need(Callback(Journal, '/pay/callback/0', Body, Signature, '') = 404);
end;

var
  Client: IMerchantPayClient;
  Journal: IJournal;
  First: IPayment;
begin
  Client := OpenClient;
  Client.Connect;
  First := Pay(Client);
  Money(First);
  Need(Confirm(Client, First.OrderId));
  Cancel(Client, First.OrderId);
  Cancel(Client, Pay(Client).OrderId);
  Attach(Client, UTF8String(GetEnvironmentVariable('DISPUTED')), UTF8String(GetEnvironmentVariable('RECEIPT')));

  Journal := OpenedJournal(Client);
  Webhooks(Client, Journal);
  Need(Sell(Journal).PayeeAccount = Sell(Journal).PayeeAccount);
  CustomerHasPaid(Journal);
  while Shipped = 0 do
  begin
    EveryFewSeconds(Journal);
    Sleep(100);
  end;
  Need(Shipped = 1);
  WriteLn('the end');
end.
