{ Receives webhooks: webhook [COUNT]. The program ends after COUNT webhooks; without COUNT, or with 0, it does not end. }
program webhook;
{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

uses
  {$IFDEF UNIX}cthreads,{$ENDIF}
  SysUtils, merchantpay_api, merchantpay, example, receiver;

type
  TShop = class
  private
    FVerifier: IWebhookVerifier;
  public
    function Receive(const Webhook: TWebhook): Integer;
  end;

procedure PrintEvent(const Event: IEvent);
var
  Payment: IPayment;
begin
  Payment := Event.Payment;
  case Event.Kind of
    TEventKind.Credentials:
      Print('credentials ' + Payment.OrderId + ' pay ' + Shown(Payment.Sum) + ' RUB to ' + Shown(Payment.PayeeAccount));
    TEventKind.CredentialsFailed: Print('credentials_failed ' + Payment.OrderId);
    TEventKind.Status: Print('status ' + Payment.OrderId + ' ' + Shown(Payment.Status));
  else
    Print('event ' + Payment.OrderId); { A later version of the library may know more kinds. }
  end;
end;

{ Verifies one webhook or refuses it. The same event may come again: a shop must handle an event only once. }
function TShop.Receive(const Webhook: TWebhook): Integer;
var
  Why: TExplanation;
begin
  if Webhook.TooLarge then
  begin
    Print('refused too_large');
    Exit(400);
  end;
  try
    { Uses the unchanged bytes: a parsed and rewritten body does not verify. }
    PrintEvent(FVerifier.Verify(Webhook.Body, Webhook.Signature, Webhook.KeyId));
    Result := 200;
  except
    on Error: EMerchantPay do
    begin
      Print('refused ' + Error.CodeName);
      Why := FVerifier.Explain(Webhook.Body, Webhook.Signature, Webhook.KeyId);
      WriteLn(StdErr, 'webhook refused: ', Why.CauseName, ': ', Why.Hint); { For your log, not for the sender. }
      Flush(StdErr);
      Result := 400;
    end;
  end;
end;

procedure Main;
var
  Shop: TShop;
  Receiver: TReceiver;
  Count: Integer;
begin
  Count := 0; { With 0 the program does not end. }
  if ParamCount > 0 then
    Count := StrToIntDef(ParamStr(1), 0);
  Receiver := nil;
  Shop := TShop.Create;
  try
    { A verifier needs only the service's public key. The other settings make the verifier stricter. }
    Shop.FVerifier := NewWebhookVerifier(ExampleConfig);
    Receiver := TReceiver.Create(0);
    Receiver.OnReceive := Shop.Receive;
    while (Count = 0) or (Receiver.Received < Count) do
      Receiver.Serve(-1);
  finally
    Receiver.Free;
    Shop.Free;
  end;
end;

begin
  Run(Main);
end.
