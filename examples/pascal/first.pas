program first;
{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

uses
  {$IFDEF UNIX}cthreads,{$ENDIF}
  SysUtils, merchantpay;

var
  Config: IConfig;
  Request: IPaymentRequest;
  Payment: IPayment;
begin
  Config := NewConfig;
  Config.FromEnvironment;
  Request := NewPaymentRequest;
  Request['sum'] := '1500.50';
  Request['payment_method'] := 'sbp';
  Request['customer_account'] := '79001234567';
  Payment := NewClient(Config).NewPayment(Request);
  WriteLn(Payment.OrderId, ': pay 1500.50 RUB at ', Payment.Deeplink);
end.
