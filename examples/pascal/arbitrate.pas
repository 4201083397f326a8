{ Takes a payment through arbitration: arbitrate FILE, where FILE is a receipt (PDF, JPEG or PNG). }
program arbitrate;
{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

uses
  {$IFDEF UNIX}cthreads,{$ENDIF}
  SysUtils, merchantpay, example;

procedure Main;
var
  Client: IMerchantPayClient;
  OrderId: UTF8String;
  Receipt: IReceipt;
begin
  Client := NewClient(ExampleConfig);
  { This is a test account of the sandbox: its payments go to arbitration. }
  OrderId := Client.NewPayment(ExampleRequest('card', 'arbitration')).OrderId;
  Print('order ' + OrderId);

  { Reads the file before the customer pays, so that a wrong file is found in time. }
  Receipt := NewReceipt(OrderId);
  Receipt.AddFile(UTF8String(ParamStr(1)));

  Client.Confirm(OrderId);
  Print('confirmed');

  if WaitFor(Client, OrderId, 'receiptRequired').IsFinal then
    Exit;

  Client.AttachReceipt(Receipt);
  Print('receipt attached');

  WaitFor(Client, OrderId);
end;

begin
  if ParamCount <> 1 then
  begin
    WriteLn(StdErr, 'usage: arbitrate FILE');
    Halt(2);
  end;
  Run(Main);
end.
