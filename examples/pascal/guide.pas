{ The code of the package's README, which shows the lines between two marks. tests/docs runs it with a sandbox: guide RECEIPT }
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

{ [client] }
function OpenClient: IMerchantPayClient;
var
  Config: IConfig;
begin
  Config := NewConfig;
  Config.FromEnvironment;
  Result := NewClient(Config);
end;
{ [/client] }

{ [pay] }
function Pay(const Client: IMerchantPayClient): IPayment;
var
  Request: IPaymentRequest;
begin
  Request := NewPaymentRequest;
  Request['sum'] := '1500.50';
  Request['payment_method'] := 'sbp';
  Request['customer_account'] := '79001234567';
  Request['merchant_id'] := 'order-1017';
  try
    Result := Client.NewPayment(Request);
    WriteLn(Result.OrderId, ': pay at ', Result.Deeplink);
  except
    on Error: EMerchantPay do
    begin
      case Error.Outcome of
        TOutcome.NotSent: WriteLn('nothing was sent: ', Error.Message);
        TOutcome.Rejected: WriteLn('refused: ', Error.Description);
      else
        WriteLn('a payment may exist, do not send again: ', Error.Message); { TOutcome.Unknown }
      end;
      raise;
    end;
  end;
end;
{ [/pay] }

{ [confirm] }
function Confirm(const Client: IMerchantPayClient; const OrderId: UTF8String): Boolean;
var
  Payment: IPayment;
begin
  Client.Confirm(OrderId); { The customer says that the money was sent. }
  Payment := Client.Wait(OrderId, 60000); { Asks GetStatus until the status is final. }
  Result := (Payment.StatusCode = TStatus.DoneSuccess) and (Payment.Paid('1500.50') = TPaid.Exactly);
end;
{ [/confirm] }

{ [cancel] }
procedure Cancel(const Client: IMerchantPayClient; const OrderId: UTF8String);
begin
  try
    Client.Cancel(OrderId);
    WriteLn(OrderId, ': cancelled');
  except
    on Error: EMerchantPay do
    begin
      if Error.Outcome <> TOutcome.Rejected then
        raise;
      WriteLn(OrderId, ': ', Client.GetStatus(OrderId).Status); { Too late: the status shows why. }
    end;
  end;
end;
{ [/cancel] }

{ [receipt] }
procedure Attach(const Client: IMerchantPayClient; const OrderId, FileName: UTF8String);
var
  Receipt: IReceipt;
begin
  Receipt := NewReceipt(OrderId);
  Receipt.AddFile(FileName); { a PDF, JPEG or PNG by its content; AddBytes for a file in memory. }
  Client.AttachReceipt(Receipt);
end;
{ [/receipt] }

{ [money] }
procedure Money(const Payment: IPayment);
begin
  WriteLn(ToBalance('1500.50', '92.45', TBalance.Usdt, 6, TRounding.HalfEven)); { 16.230395 }
  { The payment's DealCurrency is the currency of the merchant's balance. }
  WriteLn('paid exactly: ', Payment.Paid('1500.50') = TPaid.Exactly, ', balance ', Payment.DealCurrency);
  { A program can compute in the type Currency, which has four decimal places: }
  WriteLn('in Currency: ', SumText(SumCurrency(Payment.Sum)));
end;
{ [/money] }

{ [webhook] }
{ Takes the unchanged body, and the headers X-Signature and X-KeyId. Returns the HTTP status of the answer. }
function Receive(const Verifier: IWebhookVerifier; const Body: TBytes; const Signature, KeyId: UTF8String): Integer;
var
  Event: IEvent;
  Payment: IPayment;
begin
  try
    Event := Verifier.Verify(Body, Signature, KeyId);
  except
    on EMerchantPay do
    begin
      WriteLn(StdErr, 'webhook refused: ', Verifier.Explain(Body, Signature, KeyId).Hint); { For your log, not for the sender. }
      Flush(StdErr);
      Exit(400);
    end;
  end;
  Payment := Event.Payment;
  case Event.Kind of
    TEventKind.Credentials: WriteLn('show the customer ', Payment.Deeplink);
    TEventKind.CredentialsFailed: WriteLn(Payment.OrderId, ' has no payee');
    TEventKind.Status: WriteLn(Payment.OrderId, ' is now ', Payment.Status);
  end;
  Result := 200; { Only when the event is stored. }
end;
{ [/webhook] }

{ [journal] }
function OpenedJournal(const Client: IMerchantPayClient): IJournal;
var
  Config: IJournalConfig;
begin
  Config := NewJournalConfig;
  Config.SetPlace(UTF8String(GetEnvironmentVariable('MERCHANTPAY_JOURNAL')));
  Config['callback_url'] := 'https://shop.example/pay/callback';
  Result := OpenJournal(Client, Config);
end;

{ Returns the payment details for the customer; nil if the customer cannot pay now. }
function Sell(const Journal: IJournal): IPayment;
var
  Request: IPaymentRequest;
begin
  Request := NewPaymentRequest;
  Request['sum'] := '1500.50';
  Request['payment_method'] := 'sbp';
  Request['customer_account'] := '79001234567';
  Result := Journal.Pay('order-1017', Request).Credentials; { A repeated call returns the same payment. }
end;

procedure CustomerHasPaid(const Journal: IJournal);
begin
  Journal.Confirm(Journal.Find('order-1017'));
end;

function Callback(const Journal: IJournal; const Path: UTF8String; const Body: TBytes; const Signature, KeyId: UTF8String): Integer;
begin
  Result := Journal.Receive(Path, Body, Signature, KeyId).HttpStatus; { The HTTP status of the answer. }
end;

procedure EveryFewSeconds(const Journal: IJournal);
var
  News: IEntries;
  Index: Integer;
begin
  Journal.Settle; { Asks the service about open attempts whose next query is due. }
  News := Journal.News; { The entries with unacknowledged changes, also from before a crash. }
  for Index := 0 to News.Count - 1 do
  begin
    if News[Index].Succeeded then { doneSuccess, and exactly the requested sum was paid. }
      Ship(News[Index]);
    Journal.Acknowledge(News[Index]);
  end;
end;
{ [/journal] }

procedure Dispute(const Client: IMerchantPayClient; const FileName: UTF8String);
var
  Request: IPaymentRequest;
  OrderId: UTF8String;
begin
  Request := NewPaymentRequest;
  Request['sum'] := '1500.50';
  Request['payment_method'] := 'card';
  Request['customer_account'] := 'arbitration';
  OrderId := Client.NewPayment(Request).OrderId;
  Client.Confirm(OrderId);
  while Client.GetStatus(OrderId).StatusCode <> TStatus.ReceiptRequired do
    Sleep(50);
  Attach(Client, OrderId, FileName);
end;

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
  Dispute(Client, UTF8String(ParamStr(1)));

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
