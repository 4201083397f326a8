{ Shows what to do about each of the three outcomes of a call that failed. }
program outcomes;
{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

uses
  {$IFDEF UNIX}cthreads,{$ENDIF}
  SysUtils, merchantpay_api, merchantpay, example;

{ Prints what to do about the error. }
procedure PrintOutcome(Error: EMerchantPay);
var
  Line: UTF8String;
begin
  Line := Error.OutcomeName + ' ' + Error.CodeName;
  if Error.Reason <> '' then
    Line := Line + ' ' + Error.Reason;
  case Error.Outcome of
    TOutcome.NotSent: Line := Line + ': safe to send again';
    TOutcome.Rejected: Line := Line + ': nothing took effect';
  else
    Line := Line + ': ask for the status'; { TOutcome.Unknown, and any outcome that a later version adds. }
  end;
  Print(Line);
end;

procedure Main;
var
  Client: IMerchantPayClient;
  Unreachable, Suspicious: IConfig;
  Payment: IPayment;
begin
  Client := NewClient(ExampleConfig);

  { No server listens at this URL, so no byte was sent. }
  Unreachable := ExampleConfig;
  Unreachable['base_url'] := 'http://127.0.0.1:1';
  Unreachable['max_retries'] := '0';
  try
    NewClient(Unreachable).NewPayment(ExampleRequest('sbp', '79001234567'));
    raise Exception.Create('a call succeeded that had to fail');
  except
    on Error: EMerchantPay do
      PrintOutcome(Error);
  end;

  { The service refuses the request, and signs its refusal. }
  try
    Client.Cancel('no-such-order');
    raise Exception.Create('a call succeeded that had to fail');
  except
    on Error: EMerchantPay do
      PrintOutcome(Error);
  end;

  { A client with a wrong service key cannot verify a response. The service still executes the client's requests. }
  Payment := Client.NewPayment(ExampleRequest('sbp', '79001234567'));
  Print('order ' + Payment.OrderId);
  Suspicious := ExampleConfig;
  Suspicious.ClearServerKeys;
  Suspicious['server_public_key'] := GenerateKeypair.PublicKey;
  try
    NewClient(Suspicious).Confirm(Payment.OrderId);
    raise Exception.Create('a call succeeded that had to fail');
  except
    on Error: EMerchantPay do
      PrintOutcome(Error);
  end;

  { Do not guess and confirm again: the status shows whether the first confirm took effect. }
  WaitFor(Client, Payment.OrderId);
end;

begin
  Run(Main);
end.
