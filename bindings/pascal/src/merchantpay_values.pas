{ For the units of this package only: the objects for the records of the library. }
unit merchantpay_values;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  SysUtils, merchantpay_frames, merchantpay_api, merchantpay;

type
  { The values of a record by their index. }
  TValues = class(TInterfacedObject, IRecord)
  protected
    FFrame: TFrame;
  public
    constructor Create(const Frame: TFrame);
    function Field(Index: Integer): UTF8String; virtual;
    function Number(Index: Integer): Int64;
    function Flag(Index: Integer): Boolean;
  end;

  TPayment = class(TValues, IPaymentFields, IPayment)
  public
    function SumMinor: Int64;
    function StatusCode: TStatus;
    function Paid(const Asked: UTF8String): TPaid;
  end;

  TAvailableAmounts = class(TValues, IAvailableAmounts)
  public
    function Count: Integer;
    function Amount(Index: Integer): UTF8String;
    function OtherAmountsPossible: Boolean;
    function Json: UTF8String;
  end;

{ A payment; nil if it is absent. }
function PaymentOf(const Frame: TFrame): IPayment;

implementation

uses
  merchantpay_waist, merchantpay_calls;

constructor TValues.Create(const Frame: TFrame);
begin
  inherited Create;
  FFrame := Frame;
end;

function TValues.Field(Index: Integer): UTF8String;
begin
  Result := FFrame.Value(Index).Text;
end;

function TValues.Number(Index: Integer): Int64;
begin
  Result := FFrame.Value(Index).Number;
end;

function TValues.Flag(Index: Integer): Boolean;
begin
  Result := FFrame.Value(Index).Flag;
end;

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

function TPayment.StatusCode: TStatus;
begin
  Result := TStatus(NumberOf(STATUS_WORDS, Field(PAYMENT_STATUS)));
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

function TAvailableAmounts.OtherAmountsPossible: Boolean;
begin
  Result := Flag(AMOUNTS_OTHER_AMOUNTS_POSSIBLE);
end;

function TAvailableAmounts.Json: UTF8String;
begin
  Result := Field(AMOUNTS_JSON);
end;

end.
