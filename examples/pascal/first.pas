program first;
{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

uses
  {$IFDEF UNIX}cthreads,{$ENDIF}
  SysUtils, merchantpay;

var
  Config: IConfig;
  Client: IMerchantPayClient;
  Request: IPaymentRequest;
  Payment: IPayment;
begin
  Config := NewConfig;
  Config.FromEnvironment;
  Client := NewClient(Config);
  Request := NewPaymentRequest;
  Request['sum'] := '1500.50';
  Request['payment_method'] := 'sbp';
  Request['customer_account'] := '79001234567';
  Payment := Client.NewPayment(Request);
  WriteLn('pay ', Payment.Sum, ' to ', Payment.PayeeAccount);
  Client.Confirm(Payment.OrderId); { The customer says that the money was sent. }
  Payment := Client.Wait(Payment.OrderId, 60000); { Asks for the status until it is final. }
  WriteLn(Payment.Status, ' ', Payment.Sum);
end.
