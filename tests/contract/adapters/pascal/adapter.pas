{ The adapter in Pascal: reads one command per line from stdin, and writes one result per line to stdout. See ../../README.md. }
program adapter;

{$MODE DELPHI}{$H+}

uses
  cthreads, SysUtils, fpjson, merchantpay_api, merchantpay, merchantpay_protocol, adapter_values, adapter_journal;

function Prepare(Command: TJSONObject): IHttpRequest;
var
  Protocol: IProtocol;
  Arguments: TJSONObject;
  Operation: UTF8String;
begin
  Protocol := NewProtocol(ConfigOf(Command.Objects['settings']));
  Arguments := Command.Objects['arguments'];
  Operation := Given(Command, 'operation');
  if Operation = 'get_available_amounts' then
    Result := Protocol.PrepareGetAvailableAmounts(RequestOf(Arguments))
  else if Operation = 'new_payment' then
    Result := Protocol.PrepareNewPayment(RequestOf(Arguments))
  else if Operation = 'new_payment_async' then
    Result := Protocol.PrepareNewPaymentAsync(RequestOf(Arguments))
  else if Operation = 'attach_receipt' then
    Result := Protocol.PrepareAttachReceipt(ReceiptOf(Arguments))
  else if Operation = 'confirm' then
    Result := Protocol.PrepareConfirm(Given(Arguments, 'order_id'))
  else if Operation = 'cancel' then
    Result := Protocol.PrepareCancel(Given(Arguments, 'order_id'))
  else
    Result := Protocol.PrepareGetStatus(Given(Arguments, 'order_id'));
end;

function Prepared(const Request: IHttpRequest): TJSONObject;
var
  Index: Integer;
  Headers: TJSONArray;
begin
  Headers := TJSONArray.Create;
  for Index := 0 to Request.HeaderCount - 1 do
    Headers.Add(TJSONArray.Create([Request.HeaderName(Index), Request.HeaderValue(Index)]));
  Result := TJSONObject.Create;
  Result.Add('url', Request.Url);
  Result.Add('headers', Headers);
  Result.Add('body', Hex(Request.Body));
end;

function Opened(Command: TJSONObject): TJSONObject;
var
  Sent: IHttpRequest;
  Response: IHttpResponse;
  Reply: TJSONObject;
  Headers: TJSONArray;
  Operation: UTF8String;
  Index: Integer;
begin
  Sent := Prepare(Command);
  Reply := Command.Objects['reply'];
  Response := NewHttpResponse(Reply.Integers['status'], Bytes(Given(Reply, 'body')));
  Headers := Reply.Arrays['headers'];
  for Index := 0 to Headers.Count - 1 do
    Response.AddHeader(Headers.Arrays[Index].Strings[0], Headers.Arrays[Index].Strings[1]);
  Operation := Given(Command, 'operation');
  if Operation = 'get_available_amounts' then
    Exit(AmountsResult(Sent.OpenGetAvailableAmounts(Response)));
  if Operation = 'new_payment' then
    Exit(PaymentResult(Sent.OpenNewPayment(Response)));
  if Operation = 'new_payment_async' then
    Exit(PaymentResult(Sent.OpenNewPaymentAsync(Response)));
  if Operation = 'get_status' then
    Exit(PaymentResult(Sent.OpenGetStatus(Response)));
  if Operation = 'attach_receipt' then
    Sent.OpenAttachReceipt(Response)
  else if Operation = 'confirm' then
    Sent.OpenConfirm(Response)
  else
    Sent.OpenCancel(Response);
  Result := TJSONObject.Create;
end;

function Called(const Client: IMerchantPayClient; const Operation: UTF8String; Arguments: TJSONObject): TJSONObject;
begin
  if Operation = 'get_available_amounts' then
    Exit(AmountsResult(Client.GetAvailableAmounts(RequestOf(Arguments))));
  if Operation = 'new_payment' then
    Exit(PaymentResult(Client.NewPayment(RequestOf(Arguments))));
  if Operation = 'new_payment_async' then
    Exit(PaymentResult(Client.NewPaymentAsync(RequestOf(Arguments))));
  if Operation = 'get_status' then
    Exit(PaymentResult(Client.GetStatus(Given(Arguments, 'order_id'))));
  if Operation = 'attach_receipt' then
    Client.AttachReceipt(ReceiptOf(Arguments))
  else if Operation = 'confirm' then
    Client.Confirm(Given(Arguments, 'order_id'))
  else
    Client.Cancel(Given(Arguments, 'order_id'));
  Result := TJSONObject.Create;
end;

function Verified(Command: TJSONObject): TJSONObject;
const
  KINDS: array[0..3] of string = ('', 'credentials', 'credentials_failed', 'status');
var
  Event: IEvent;
begin
  Event := NewWebhookVerifier(ConfigOf(Command.Objects['settings'])).Verify(
    Bytes(Given(Command, 'body')), Given(Command, 'signature'), Given(Command, 'key_id'));
  Result := PaymentResult(Event.Payment);
  Result.Add('kind', KINDS[Ord(Event.Kind)]);
end;

function Explained(Command: TJSONObject): TJSONObject;
var
  Explanation: TExplanation;
begin
  Explanation := NewWebhookVerifier(ConfigOf(Command.Objects['settings'])).Explain(
    Bytes(Given(Command, 'body')), Given(Command, 'signature'), Given(Command, 'key_id'));
  Result := TJSONObject.Create;
  Result.Add('cause', Explanation.CauseName);
  Result.Add('hint', Explanation.Hint);
end;

function Made(Command: TJSONObject): TJSONObject;
begin
  if Given(Command, 'makes') = 'protocol' then
    NewProtocol(ConfigOf(Command.Objects['settings']))
  else
    NewWebhookVerifier(ConfigOf(Command.Objects['settings']));
  Result := TJSONObject.Create;
end;

function Answer(Command: TJSONObject): TJSONObject;
var
  Name: UTF8String;
  Client: IMerchantPayClient;
  Times: Integer;
begin
  Name := Given(Command, 'do');
  if Name = 'prepare' then
    Exit(Prepared(Prepare(Command)));
  if Name = 'open' then
    Exit(Opened(Command));
  if Name = 'verify' then
    Exit(Verified(Command));
  if Name = 'explain' then
    Exit(Explained(Command));
  if Name = 'settings' then
    Exit(Made(Command));
  if Name <> 'call' then
    Exit(JournalAnswer(Command));
  Client := NewClient(ConfigOf(Command.Objects['settings']));
  Result := nil;
  for Times := 1 to Command.Get('times', 1) do
  begin
    Result.Free;
    Result := nil;
    Result := Called(Client, Given(Command, 'operation'), Command.Objects['arguments']);
  end;
end;

function Failure(Error: EMerchantPay): TJSONObject;

  procedure Put(const Name, Text: UTF8String);
  begin
    if Text <> '' then
      Result.Add(Name, Text);
  end;

begin
  Result := TJSONObject.Create;
  Put('code', Error.CodeName);
  Put('outcome', Error.OutcomeName);
  Result.Add('is_transient', Error.IsTransient);
  Put('description', Error.Description);
  Put('reason', Error.Reason);
  Put('order_id', Error.OrderId);
  Put('content_type', Error.ContentType);
  Put('excerpt', Error.Excerpt);
  if Error.HasBody then
    Result.Add('body', Hex(Error.Body));
  if Error.HttpStatus <> 0 then
    Result.Add('http_status', Error.HttpStatus);
  if Error.RetryAfterMs <> 0 then
    Result.Add('retry_after_ms', Int64(Error.RetryAfterMs));
end;

var
  Line: UTF8String;
  Command, Written: TJSONObject;
begin
  while not Eof do
  begin
    ReadLn(Line);
    Written := TJSONObject.Create;
    Command := CommandOf(Line);
    try
      try
        Written.Add('ok', Answer(Command));
      except
        on Error: EMerchantPay do
          Written.Add('error', Failure(Error));
        on Error: Exception do
          Written.Add('crash', Error.ClassName + ': ' + Error.Message);
      end;
      WriteLn(Written.AsJSON);
      Flush(Output);
    finally
      Written.Free;
      Command.Free;
    end;
  end;
end.
