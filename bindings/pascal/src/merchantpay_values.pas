{ For the units of this package only: the objects for the records of the library. }
unit merchantpay_values;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  SysUtils, merchantpay_frames, merchantpay_waist, merchantpay_api, merchantpay_calls, merchantpay, merchantpay_protocol;

type
  TPayment = class(TPaymentFields, IPayment)
  public
    function SumMinor: Int64;
    function Paid(const Asked: UTF8String): TPaid;
  end;

  TAvailableAmounts = class(TAmountsFields, IAvailableAmounts)
  public
    function Count: Integer;
    function Amount(Index: Integer): UTF8String;
  end;

  { A prepared request without the functions that open its response. }
  TPrepared = class(TOwned)
  private
    FPrepared: TFrame;
  protected
    function Answer(const Response: IHttpResponse; const Operation: UTF8String): TFrame;
  public
    constructor Create(const Prepared: TFrame);
    function Url: UTF8String;
    function HeaderCount: Integer;
    function HeaderName(Index: Integer): UTF8String;
    function HeaderValue(Index: Integer): UTF8String;
    function Body: TBytes;
  end;

  TResponse = class(TSettable, IHttpResponse)
  private
    FStatus: Int32;
    FBody: TBytes;
    procedure IHttpResponse.AddHeader = SetByName;
  public
    constructor Create(Status: Int32; const Body: TBytes);
  end;

{ A payment; nil if it is absent. }
function PaymentOf(const Frame: TFrame): IPayment;

implementation

function PaymentOf(const Frame: TFrame): IPayment;
begin
  Result := nil;
  if not Frame.IsAbsent then
    Result := TPayment.Create(Frame);
end;

{ TPayment }

function TPayment.SumMinor: Int64;
begin
  if not Scaled(Field(PAYMENT_SUM), 2, Result) then
    Result := MPAY_NO_MINOR;
end;

function TPayment.Paid(const Asked: UTF8String): TPaid;
begin
  Result := TPaid.None;
  if Field(PAYMENT_SUM) <> '' then
    Result := TPaid(NumberOf(PAID_WORDS, CallPaid(0, Field(PAYMENT_SUM), Asked)));
end;

{ TAvailableAmounts }

function TAvailableAmounts.Count: Integer;
begin
  Result := FFrame.Value(AMOUNTS_AVAILABLE_AMOUNTS).Count;
end;

function TAvailableAmounts.Amount(Index: Integer): UTF8String;
begin
  if (Index < 0) or (Index >= Count) then
    RefuseArgument('there is no amount with this index');
  Result := FFrame.Value(AMOUNTS_AVAILABLE_AMOUNTS).Value(Index).Text;
end;

{ TResponse }

constructor TResponse.Create(Status: Int32; const Body: TBytes);
begin
  inherited Create;
  FStatus := Status;
  FBody := Body;
end;

{ TPrepared }

constructor TPrepared.Create(const Prepared: TFrame);
begin
  inherited Create(Prepared.Value(PREPARED_REQUEST).Handle);
  FPrepared := Prepared;
end;

function TPrepared.Url: UTF8String;
begin
  Result := FPrepared.Value(PREPARED_URL).Text;
end;

function TPrepared.HeaderCount: Integer;
begin
  Result := FPrepared.Value(PREPARED_HEADERS).Count div 2;
end;

function TPrepared.HeaderName(Index: Integer): UTF8String;
begin
  Result := FPrepared.Value(PREPARED_HEADERS).Value(2 * Index).Text;
end;

function TPrepared.HeaderValue(Index: Integer): UTF8String;
begin
  Result := FPrepared.Value(PREPARED_HEADERS).Value(2 * Index + 1).Text;
end;

function TPrepared.Body: TBytes;
begin
  Result := CallPreparedBody(Handle);
end;

function TPrepared.Answer(const Response: IHttpResponse; const Operation: UTF8String): TFrame;
var
  Given: TResponse;
begin
  Given := Response as TResponse;
  Result := CallOpen(Handle, Given.FStatus, Given.FSettings.Frame([]), Given.FBody, Operation);
end;

end.
