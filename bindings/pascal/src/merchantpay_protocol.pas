{ The protocol without I/O, for a program that sends requests with its own HTTP client. It makes signed requests and opens the
  responses. }
unit merchantpay_protocol;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  SysUtils, merchantpay_api, merchantpay;

type
  { A reply as the HTTP client received it, with all its headers and the body byte for byte. }
  IHttpResponse = interface
    ['{B1C2D3E4-F506-4172-8384-95061728394A}']
    procedure AddHeader(const Name, Value: UTF8String);
  end;

  { A signed request. Send exactly this body with these headers, once, by POST. Then pass the reply to the Open function
    of the operation that prepared it. }
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

  { Prepares signed requests; an error of a Prepare function means that nothing was sent. Threads can share it. }
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
  merchantpay_waist, merchantpay_calls, merchantpay_values, merchantpay_objects;

function NewProtocol(const Config: IConfig): IProtocol;
begin
  Result := TProtocol.Create((Config as ISettings).Open(OBJECT_KIND_PROTOCOL));
end;

function NewHttpResponse(Status: Int32; const Body: TBytes): IHttpResponse;
begin
  Result := TResponse.Create(Status, Body);
end;

end.
