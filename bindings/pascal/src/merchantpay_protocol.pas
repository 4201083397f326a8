{ The protocol without I/O, for a program that sends requests with its own HTTP client. It makes signed requests and opens the
  responses. }
unit merchantpay_protocol;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  SysUtils, merchantpay_api, merchantpay;

type
  { A response as the HTTP client received it. }
  IHttpResponse = interface
    ['{B1C2D3E4-F506-4172-8384-95061728394A}']
    procedure AddHeader(const Name, Value: UTF8String);
  end;

  { A signed request. Send exactly this body with these headers, once, by POST. Then open the response with the function for the
    operation. }
  IHttpRequest = interface
    ['{C2D3E4F5-0617-4283-9495-061728394A5B}']
    function Url: UTF8String;
    function HeaderCount: Integer;
    function HeaderName(Index: Integer): UTF8String;
    function HeaderValue(Index: Integer): UTF8String;
    function Body: TBytes;
    function OpenGetAvailableAmounts(const Response: IHttpResponse): IAvailableAmounts;
    function OpenNewPayment(const Response: IHttpResponse): IPayment;
    function OpenNewPaymentAsync(const Response: IHttpResponse): IPayment;
    procedure OpenConfirm(const Response: IHttpResponse);
    procedure OpenCancel(const Response: IHttpResponse);
    function OpenGetStatus(const Response: IHttpResponse): IPayment;
    procedure OpenAttachReceipt(const Response: IHttpResponse);
  end;

  { Any number of threads can use a protocol at once. }
  IProtocol = interface
    ['{D3E4F506-1728-4394-A5A6-1728394A5B6C}']
    function PrepareGetAvailableAmounts(const Request: IPaymentRequest): IHttpRequest;
    function PrepareNewPayment(const Request: IPaymentRequest): IHttpRequest;
    function PrepareNewPaymentAsync(const Request: IPaymentRequest): IHttpRequest;
    function PrepareConfirm(const OrderId: UTF8String): IHttpRequest;
    function PrepareCancel(const OrderId: UTF8String): IHttpRequest;
    function PrepareGetStatus(const OrderId: UTF8String): IHttpRequest;
    function PrepareAttachReceipt(const Receipt: IReceipt): IHttpRequest;
  end;

function NewProtocol(const Config: IConfig): IProtocol;
function NewHttpResponse(Status: Int32; const Body: TBytes): IHttpResponse;

implementation

uses
  merchantpay_frames, merchantpay_waist, merchantpay_calls, merchantpay_values;

type
  TResponse = class(TInterfacedObject, IHttpResponse, IFrame)
  private
    FStatus: Int32;
    FBody: TBytes;
    FNames, FValues: array of UTF8String;
  public
    constructor Create(Status: Int32; const Body: TBytes);
    procedure AddHeader(const Name, Value: UTF8String);
    { The headers as pairs. }
    function Frame: TBytes;
  end;

  TRequest = class(TOwned, IHttpRequest)
  private
    FPrepared: TFrame;
    function Answer(const Response: IHttpResponse; const Operation: UTF8String): TFrame;
  public
    constructor Create(const Prepared: TFrame);
    function Url: UTF8String;
    function HeaderCount: Integer;
    function HeaderName(Index: Integer): UTF8String;
    function HeaderValue(Index: Integer): UTF8String;
    function Body: TBytes;
    function OpenGetAvailableAmounts(const Response: IHttpResponse): IAvailableAmounts;
    function OpenNewPayment(const Response: IHttpResponse): IPayment;
    function OpenNewPaymentAsync(const Response: IHttpResponse): IPayment;
    procedure OpenConfirm(const Response: IHttpResponse);
    procedure OpenCancel(const Response: IHttpResponse);
    function OpenGetStatus(const Response: IHttpResponse): IPayment;
    procedure OpenAttachReceipt(const Response: IHttpResponse);
  end;

  TProtocol = class(TOwned, IProtocol)
  public
    function PrepareGetAvailableAmounts(const Request: IPaymentRequest): IHttpRequest;
    function PrepareNewPayment(const Request: IPaymentRequest): IHttpRequest;
    function PrepareNewPaymentAsync(const Request: IPaymentRequest): IHttpRequest;
    function PrepareConfirm(const OrderId: UTF8String): IHttpRequest;
    function PrepareCancel(const OrderId: UTF8String): IHttpRequest;
    function PrepareGetStatus(const OrderId: UTF8String): IHttpRequest;
    function PrepareAttachReceipt(const Receipt: IReceipt): IHttpRequest;
  end;

function NewProtocol(const Config: IConfig): IProtocol;
begin
  Result := TProtocol.Create((Config as ISettings).Open(OBJECT_KIND_PROTOCOL));
end;

function NewHttpResponse(Status: Int32; const Body: TBytes): IHttpResponse;
begin
  Result := TResponse.Create(Status, Body);
end;

{ TResponse }

constructor TResponse.Create(Status: Int32; const Body: TBytes);
begin
  inherited Create;
  FStatus := Status;
  FBody := Body;
end;

procedure TResponse.AddHeader(const Name, Value: UTF8String);
begin
  SetLength(FNames, Length(FNames) + 1);
  SetLength(FValues, Length(FNames));
  FNames[High(FNames)] := Name;
  FValues[High(FValues)] := Value;
end;

function TResponse.Frame: TBytes;
var
  Pairs: TFrameWriter;
  Index: Integer;
begin
  Pairs.Start(2 * Length(FNames));
  for Index := 0 to High(FNames) do
  begin
    Pairs.AddSet(FNames[Index]);
    Pairs.AddSet(FValues[Index]);
  end;
  Result := Pairs.Data;
end;

{ TRequest }

constructor TRequest.Create(const Prepared: TFrame);
begin
  inherited Create(Prepared.Value(PREPARED_REQUEST).Handle);
  FPrepared := Prepared;
end;

function TRequest.Url: UTF8String;
begin
  Result := FPrepared.Value(PREPARED_URL).Text;
end;

function TRequest.HeaderCount: Integer;
begin
  Result := FPrepared.Value(PREPARED_HEADERS).Count div 2;
end;

function TRequest.HeaderName(Index: Integer): UTF8String;
begin
  Result := FPrepared.Value(PREPARED_HEADERS).Value(2 * Index).Text;
end;

function TRequest.HeaderValue(Index: Integer): UTF8String;
begin
  Result := FPrepared.Value(PREPARED_HEADERS).Value(2 * Index + 1).Text;
end;

function TRequest.Body: TBytes;
begin
  Result := CallPreparedBody(Handle);
end;

function TRequest.Answer(const Response: IHttpResponse; const Operation: UTF8String): TFrame;
var
  Given: TResponse;
begin
  Given := Response as TResponse;
  Result := CallOpen(Handle, Given.FStatus, Given.Frame, Given.FBody, Operation);
end;

function TRequest.OpenGetAvailableAmounts(const Response: IHttpResponse): IAvailableAmounts;
begin
  Result := TAvailableAmounts.Create(Answer(Response, 'getAvailableAmounts'));
end;

function TRequest.OpenNewPayment(const Response: IHttpResponse): IPayment;
begin
  Result := PaymentOf(Answer(Response, 'newPayment'));
end;

function TRequest.OpenNewPaymentAsync(const Response: IHttpResponse): IPayment;
begin
  Result := PaymentOf(Answer(Response, 'newPaymentAsync'));
end;

procedure TRequest.OpenConfirm(const Response: IHttpResponse);
begin
  Answer(Response, 'confirm');
end;

procedure TRequest.OpenCancel(const Response: IHttpResponse);
begin
  Answer(Response, 'cancel');
end;

function TRequest.OpenGetStatus(const Response: IHttpResponse): IPayment;
begin
  Result := PaymentOf(Answer(Response, 'getStatus'));
end;

procedure TRequest.OpenAttachReceipt(const Response: IHttpResponse);
begin
  Answer(Response, 'attachReceipt');
end;

{ TProtocol }

function TProtocol.PrepareGetAvailableAmounts(const Request: IPaymentRequest): IHttpRequest;
begin
  Result := TRequest.Create(CallPrepareGetAvailableAmounts(Handle, FrameOf(Request)));
end;

function TProtocol.PrepareNewPayment(const Request: IPaymentRequest): IHttpRequest;
begin
  Result := TRequest.Create(CallPrepareNewPayment(Handle, FrameOf(Request)));
end;

function TProtocol.PrepareNewPaymentAsync(const Request: IPaymentRequest): IHttpRequest;
begin
  Result := TRequest.Create(CallPrepareNewPaymentAsync(Handle, FrameOf(Request)));
end;

function TProtocol.PrepareConfirm(const OrderId: UTF8String): IHttpRequest;
begin
  Result := TRequest.Create(CallPrepareConfirm(Handle, OrderId));
end;

function TProtocol.PrepareCancel(const OrderId: UTF8String): IHttpRequest;
begin
  Result := TRequest.Create(CallPrepareCancel(Handle, OrderId));
end;

function TProtocol.PrepareGetStatus(const OrderId: UTF8String): IHttpRequest;
begin
  Result := TRequest.Create(CallPrepareGetStatus(Handle, OrderId));
end;

function TProtocol.PrepareAttachReceipt(const Receipt: IReceipt): IHttpRequest;
begin
  Result := TRequest.Create(CallPrepareAttachReceipt(Handle, HandleOf(Receipt)));
end;

end.
