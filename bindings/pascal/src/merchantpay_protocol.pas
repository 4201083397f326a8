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
    function Handle: Pmpay_http_response;
    procedure AddHeader(const Name, Value: UTF8String);
  end;

  { A signed request. Send exactly this body with these headers, once, by POST. Then open the response with the function for the
    operation. }
  IHttpRequest = interface
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

type
  TResponse = class(TInterfacedObject, IHttpResponse)
  private
    FHandle: Pmpay_http_response;
  public
    constructor Create(Status: Int32; const Body: TBytes);
    destructor Destroy; override;
    function Handle: Pmpay_http_response;
    procedure AddHeader(const Name, Value: UTF8String);
  end;

  TRequest = class(TInterfacedObject, IHttpRequest)
  private
    FHandle: Pmpay_http_request;
  public
    constructor Create(Handle: Pmpay_http_request);
    destructor Destroy; override;
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

  TProtocol = class(TInterfacedObject, IProtocol)
  private
    FHandle: Pmpay_protocol;
  public
    constructor Create(const Config: IConfig);
    destructor Destroy; override;
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
  Result := TProtocol.Create(Config);
end;

function NewHttpResponse(Status: Int32; const Body: TBytes): IHttpResponse;
begin
  Result := TResponse.Create(Status, Body);
end;

{ TResponse }

constructor TResponse.Create(Status: Int32; const Body: TBytes);
begin
  inherited Create;
  FHandle := mpay_http_response_new;
  mpay_http_response_set_status(FHandle, Status);
  mpay_http_response_set_body(FHandle, DataOf(Body), Length(Body));
end;

destructor TResponse.Destroy;
begin
  mpay_http_response_free(FHandle);
  inherited Destroy;
end;

function TResponse.Handle: Pmpay_http_response;
begin
  Result := FHandle;
end;

procedure TResponse.AddHeader(const Name, Value: UTF8String);
begin
  { The header belongs to a reply, so the request was sent. After a header that is refused, the C library refuses the reply. }
  if HasNul(Name) or HasNul(Value) then
    mpay_http_response_add_header(FHandle, nil, nil)
  else if mpay_http_response_add_header(FHandle, PAnsiChar(Name), PAnsiChar(Value)) = MPAY_OK then
    Exit;
  raise EMerchantPay.CreateArgument('this header cannot be added', MPAY_INVALID_ARGUMENT, MPAY_OUTCOME_UNKNOWN);
end;

{ TRequest }

constructor TRequest.Create(Handle: Pmpay_http_request);
begin
  inherited Create;
  FHandle := Handle;
end;

destructor TRequest.Destroy;
begin
  mpay_http_request_free(FHandle);
  inherited Destroy;
end;

function TRequest.Url: UTF8String;
begin
  Result := TextOf(mpay_http_request_url(FHandle));
end;

function TRequest.HeaderCount: Integer;
begin
  Result := Integer(mpay_http_request_header_count(FHandle));
end;

function TRequest.HeaderName(Index: Integer): UTF8String;
begin
  Result := TextOf(mpay_http_request_header_name(FHandle, NativeUInt(Index)));
end;

function TRequest.HeaderValue(Index: Integer): UTF8String;
begin
  Result := TextOf(mpay_http_request_header_value(FHandle, NativeUInt(Index)));
end;

function TRequest.Body: TBytes;
begin
  Result := BytesOf(mpay_http_request_body(FHandle), mpay_http_request_body_len(FHandle));
end;

function TRequest.OpenGetAvailableAmounts(const Response: IHttpResponse): IAvailableAmounts;
var
  Made: Pmpay_amounts;
  Error: Pmpay_error;
begin
  Check(mpay_open_get_available_amounts(FHandle, Response.Handle, @Made, @Error), Error);
  Result := OwnAmounts(Made);
end;

function TRequest.OpenNewPayment(const Response: IHttpResponse): IPayment;
var
  Made: Pmpay_payment;
  Error: Pmpay_error;
begin
  Check(mpay_open_new_payment(FHandle, Response.Handle, @Made, @Error), Error);
  Result := OwnPayment(Made);
end;

function TRequest.OpenNewPaymentAsync(const Response: IHttpResponse): IPayment;
var
  Made: Pmpay_payment;
  Error: Pmpay_error;
begin
  Check(mpay_open_new_payment_async(FHandle, Response.Handle, @Made, @Error), Error);
  Result := OwnPayment(Made);
end;

procedure TRequest.OpenConfirm(const Response: IHttpResponse);
var
  Error: Pmpay_error;
begin
  Check(mpay_open_confirm(FHandle, Response.Handle, @Error), Error);
end;

procedure TRequest.OpenCancel(const Response: IHttpResponse);
var
  Error: Pmpay_error;
begin
  Check(mpay_open_cancel(FHandle, Response.Handle, @Error), Error);
end;

function TRequest.OpenGetStatus(const Response: IHttpResponse): IPayment;
var
  Made: Pmpay_payment;
  Error: Pmpay_error;
begin
  Check(mpay_open_get_status(FHandle, Response.Handle, @Made, @Error), Error);
  Result := OwnPayment(Made);
end;

procedure TRequest.OpenAttachReceipt(const Response: IHttpResponse);
var
  Error: Pmpay_error;
begin
  Check(mpay_open_attach_receipt(FHandle, Response.Handle, @Error), Error);
end;

{ TProtocol }

constructor TProtocol.Create(const Config: IConfig);
var
  Error: Pmpay_error;
begin
  inherited Create;
  Check(mpay_protocol_new(Config.Handle, @FHandle, @Error), Error);
end;

destructor TProtocol.Destroy;
begin
  mpay_protocol_free(FHandle);
  inherited Destroy;
end;

function TProtocol.PrepareGetAvailableAmounts(const Request: IPaymentRequest): IHttpRequest;
var
  Made: Pmpay_http_request;
  Error: Pmpay_error;
begin
  Check(mpay_prepare_get_available_amounts(FHandle, Request.Handle, @Made, @Error), Error);
  Result := TRequest.Create(Made);
end;

function TProtocol.PrepareNewPayment(const Request: IPaymentRequest): IHttpRequest;
var
  Made: Pmpay_http_request;
  Error: Pmpay_error;
begin
  Check(mpay_prepare_new_payment(FHandle, Request.Handle, @Made, @Error), Error);
  Result := TRequest.Create(Made);
end;

function TProtocol.PrepareNewPaymentAsync(const Request: IPaymentRequest): IHttpRequest;
var
  Made: Pmpay_http_request;
  Error: Pmpay_error;
begin
  Check(mpay_prepare_new_payment_async(FHandle, Request.Handle, @Made, @Error), Error);
  Result := TRequest.Create(Made);
end;

function TProtocol.PrepareConfirm(const OrderId: UTF8String): IHttpRequest;
var
  Made: Pmpay_http_request;
  Error: Pmpay_error;
begin
  Check(mpay_prepare_confirm(FHandle, Chars(OrderId), @Made, @Error), Error);
  Result := TRequest.Create(Made);
end;

function TProtocol.PrepareCancel(const OrderId: UTF8String): IHttpRequest;
var
  Made: Pmpay_http_request;
  Error: Pmpay_error;
begin
  Check(mpay_prepare_cancel(FHandle, Chars(OrderId), @Made, @Error), Error);
  Result := TRequest.Create(Made);
end;

function TProtocol.PrepareGetStatus(const OrderId: UTF8String): IHttpRequest;
var
  Made: Pmpay_http_request;
  Error: Pmpay_error;
begin
  Check(mpay_prepare_get_status(FHandle, Chars(OrderId), @Made, @Error), Error);
  Result := TRequest.Create(Made);
end;

function TProtocol.PrepareAttachReceipt(const Receipt: IReceipt): IHttpRequest;
var
  Made: Pmpay_http_request;
  Error: Pmpay_error;
begin
  Check(mpay_prepare_attach_receipt(FHandle, Receipt.Handle, @Made, @Error), Error);
  Result := TRequest.Create(Made);
end;

end.
