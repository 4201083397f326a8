{ Accepts a payment: accept [customer-account]. }
program accept;
{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

uses
  {$IFDEF UNIX}cthreads,{$ENDIF}
  SysUtils, merchantpay, example;

procedure Main;
var
  Client: IMerchantPayClient;
  Request: IPaymentRequest;
  Amounts: IAvailableAmounts;
  Payment, Paid: IPayment;
  Account: UTF8String;
  Index: Integer;
begin
  Client := NewClient(ExampleConfig);
  Account := '79001234567';
  if ParamCount > 0 then
    Account := UTF8String(ParamStr(1));
  Request := ExampleRequest('sbp', Account);

  Amounts := Client.GetAvailableAmounts(Request);
  for Index := 0 to Amounts.Count - 1 do
    Print('available ' + Amounts[Index] + ' RUB');
  if Amounts.OtherAmountsPossible then
    Print('others possible yes')
  else
    Print('others possible no');

  Payment := Client.NewPayment(Request);
  { A shop stores the order id before it does anything else. }
  Print('order ' + Payment.OrderId);
  Print('pay ' + Shown(Payment.Sum) + ' ' + Shown(Payment.Currency) + ' to ' + Shown(Payment.PayeeAccount));
  PrintField('bank', Payment.PayeeAccountBank);
  PrintField('holder', Payment.PayeeName);
  PrintField('link', Payment.Deeplink);

  { The customer has reported the transfer, so the shop reports it to the service. }
  Client.Confirm(Payment.OrderId);
  Print('confirmed');

  Paid := WaitFor(Client, Payment.OrderId);
  { A failed payment also has a sum. The paid sum can differ from the requested sum. }
  if Paid.Status = 'doneSuccess' then
    PrintField('paid', Paid.Sum);
end;

begin
  Run(Main);
end.
