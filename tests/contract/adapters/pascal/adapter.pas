{ The adapter in Pascal: reads one command per line from stdin, and writes one result per line to stdout. See ../../README.md. }
program adapter;

{$MODE OBJFPC}{$H+}

uses
  cthreads, SysUtils, fpjson, merchantpay_api, merchantpay_frames, merchantpay_calls, merchantpay, merchantpay_protocol, adapter_values,
  adapter_journal;

function Prepare(Command: TJSONObject): IHttpRequest;
var
  Protocol: IProtocol;
  Arguments: TJSONObject;
begin
  Protocol := NewProtocol(ConfigOf(Command, 'settings'));
  Arguments := Command.Objects['arguments'];
  case Given(Command, 'operation') of
    'get_available_amounts': Result := Protocol.PrepareGetAvailableAmounts(RequestOf(Arguments));
    'new_payment': Result := Protocol.PrepareNewPayment(RequestOf(Arguments));
    'new_payment_async': Result := Protocol.PrepareNewPaymentAsync(RequestOf(Arguments));
    'confirm': Result := Protocol.PrepareConfirm(Given(Arguments, 'order_id'));
    'cancel': Result := Protocol.PrepareCancel(Given(Arguments, 'order_id'));
    'get_status': Result := Protocol.PrepareGetStatus(Given(Arguments, 'order_id'));
    'attach_receipt': Result := Protocol.PrepareAttachReceipt(ReceiptOf(Arguments));
  end;
end;

function Prepared(const Request: IHttpRequest): TJSONObject;
var
  Index: Integer;
  Headers: TJSONArray;
begin
  Headers := TJSONArray.Create;
  for Index := 0 to Request.HeaderCount - 1 do
    Headers.Add(TJSONArray.Create([Request.HeaderName(Index), Request.HeaderValue(Index)]));
  Result := TJSONObject.Create(['url', Request.Url, 'headers', Headers, 'body', Hex(Request.Body)]);
end;

function Opened(Command: TJSONObject): TJSONObject;
var
  Sent: IHttpRequest;
  Response: IHttpResponse;
  Reply: TJSONObject;
  Index: Integer;
begin
  Sent := Prepare(Command);
  Reply := Command.Objects['reply'];
  Response := NewHttpResponse(Reply.Integers['status'], Bytes(Given(Reply, 'body')));
  for Index := 0 to Reply.Arrays['headers'].Count - 1 do
    with Reply.Arrays['headers'].Arrays[Index] do
      Response.AddHeader(Strings[0], Strings[1]);
  Result := nil;
  case Given(Command, 'operation') of
    'get_available_amounts': Result := Shown(Sent.OpenGetAvailableAmounts(Response));
    'new_payment': Result := Shown(Sent.OpenNewPayment(Response));
    'new_payment_async': Result := Shown(Sent.OpenNewPaymentAsync(Response));
    'get_status': Result := Shown(Sent.OpenGetStatus(Response));
    'confirm': Sent.OpenConfirm(Response);
    'cancel': Sent.OpenCancel(Response);
    'attach_receipt': Sent.OpenAttachReceipt(Response);
  end;
end;

function Call(const Client: IMerchantPayClient; Command, Arguments: TJSONObject): TJSONObject;
begin
  Result := nil;
  case Given(Command, 'operation') of
    'get_available_amounts': Result := Shown(Client.GetAvailableAmounts(RequestOf(Arguments)));
    'new_payment': Result := Shown(Client.NewPayment(RequestOf(Arguments)));
    'new_payment_async': Result := Shown(Client.NewPaymentAsync(RequestOf(Arguments)));
    'get_status': Result := Shown(Client.GetStatus(Given(Arguments, 'order_id')));
    'confirm': Client.Confirm(Given(Arguments, 'order_id'));
    'cancel': Client.Cancel(Given(Arguments, 'order_id'));
    'attach_receipt': Client.AttachReceipt(ReceiptOf(Arguments));
  end;
end;

function Called(Command: TJSONObject): TJSONObject;
var
  Client: IMerchantPayClient;
  Times: Integer;
begin
  Client := NewClient(ConfigOf(Command, 'settings'));
  Result := nil;
  for Times := 1 to Command.Get('times', 1) do
  begin
    FreeAndNil(Result);
    BeginInterruption(Command, Client, nil);
    try
      Result := Call(Client, Command, Command.Objects['arguments']);
    finally
      EndInterruption;
    end;
  end;
end;

function Verified(const Verifier: IWebhookVerifier; Command: TJSONObject): TJSONObject;
var
  Event: IEvent;
begin
  Event := Verifier.Verify(Bytes(Given(Command, 'body')), Given(Command, 'signature'), Given(Command, 'key_id'));
  Result := Shown(Event.Payment);
  Result.Add('kind', NameOf(EVENT_KIND_WORDS, Ord(Event.Kind)));
end;

function Explained(const Verifier: IWebhookVerifier; Command: TJSONObject): TJSONObject;
begin
  with Verifier.Explain(Bytes(Given(Command, 'body')), Given(Command, 'signature'), Given(Command, 'key_id')) do
    Result := TJSONObject.Create(['cause', CauseName, 'hint', Hint]);
end;

function Answer(Command: TJSONObject): TJSONObject;
begin
  Result := nil;
  case Given(Command, 'do') of
    'settings':
      case Given(Command, 'makes') of
        'client': NewClient(ConfigOf(Command, 'settings'));
        'protocol': NewProtocol(ConfigOf(Command, 'settings'));
        'verifier': NewWebhookVerifier(ConfigOf(Command, 'settings'));
      end;
    'prepare': Result := Prepared(Prepare(Command));
    'open': Result := Opened(Command);
    'verify': Result := Verified(NewWebhookVerifier(ConfigOf(Command, 'settings')), Command);
    'explain': Result := Explained(NewWebhookVerifier(ConfigOf(Command, 'settings')), Command);
    'call': Result := Called(Command);
  else
    Result := JournalAnswer(Command);
  end;
  if Result = nil then
    Result := TJSONObject.Create;
end;

function Failure(Error: EMerchantPay): TJSONObject;
var
  Code: string;
begin
  { The code of its class. }
  Code := string(Error.CodeName);
  if not SameText(Error.ClassName, 'EMerchantPay' + StringReplace(Code, '_', '', [rfReplaceAll])) then
    Code := Error.ClassName;
  Result := TJSONObject.Create(['code', Code, 'outcome', Error.OutcomeName, 'is_transient', Error.IsTransient]);
  Put(Result, 'message', UTF8String(Error.Message));
  Put(Result, 'description', Error.Description);
  Put(Result, 'reason', Error.Reason);
  Put(Result, 'order_id', Error.OrderId);
  Put(Result, 'content_type', Error.ContentType);
  Put(Result, 'excerpt', Error.Excerpt);
  if Error.HasBody then
    Result.Add('body', Hex(Error.Body));
  if Error.HttpStatus <> 0 then
    Result.Add('http_status', Error.HttpStatus);
  if Error.RetryAfterMs <> 0 then
    Result.Add('retry_after_ms', Int64(Error.RetryAfterMs));
end;

function Answered(const Name: string; Fields: TJSONObject): TJSONObject;
var
  Each: string;
begin
  while Collected.Count > 0 do
  begin
    Each := Collected.Names[0];
    Fields.Add(Each, Collected.Extract(0));
  end;
  Result := TJSONObject.Create([Name, Fields]);
end;

var
  Line: UTF8String;
  Command, Written: TJSONObject;
begin
  while not Eof do
  begin
    ReadLn(Line);
    Command := CommandOf(Line);
    Collected := TJSONObject.Create;
    try
      Written := Answered('ok', Answer(Command));
    except
      on Error: EMerchantPay do
        Written := Answered('error', Failure(Error));
      on Error: Exception do
        Written := TJSONObject.Create(['crash', Error.ClassName + ': ' + Error.Message]);
    end;
    WriteLn(Written.AsJSON);
    Flush(Output);
    Written.Free;
    Collected.Free;
    Command.Free;
  end;
end.
