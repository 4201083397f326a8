{ The common code of the examples. }
unit example;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  {$IFDEF UNIX}BaseUnix,{$ENDIF}
  SysUtils, merchantpay_api, merchantpay;

type
  TProgram = procedure;

{ Reads the settings of an example from the environment. }
function ExampleConfig: IConfig;
{ Makes a request for a payment of 1500.55 RUB. }
function ExampleRequest(const Method, CustomerAccount: UTF8String): IPaymentRequest;
{ Runs a program, prints the error that it ends with, and sets the exit status. }
procedure Run(Main: TProgram);
{ Prints a line immediately, so that a reader of a pipe sees it. }
procedure Print(const Line: UTF8String);
{ Prints a field, unless it is absent. }
procedure PrintField(const Name, Value: UTF8String);
{ Returns a field, or "-" if it is absent. }
function Shown(const Value: UTF8String): UTF8String;
{ Asks for the status until the status is final or equal to Wanted, and prints the status. A shop uses webhooks instead; without
  webhooks it asks every few seconds. }
function WaitFor(const Client: IMerchantPayClient; const OrderId: UTF8String; const Wanted: UTF8String = ''): IPayment;

implementation

function ExampleConfig: IConfig;
const
  NAMES: array[0..4] of string = ('base_url', 'key_id', 'private_key', 'server_public_key', 'server_key_id');
var
  Name: string;
  Value: UTF8String;
begin
  Result := NewConfig;
  for Name in NAMES do
  begin
    Value := UTF8String(GetEnvironmentVariable('MERCHANTPAY_' + UpperCase(Name)));
    if Value <> '' then
      Result[UTF8String(Name)] := Value;
  end;
end;

function ExampleRequest(const Method, CustomerAccount: UTF8String): IPaymentRequest;
begin
  Result := NewPaymentRequest;
  { Money is decimal text or Currency, never a double. }
  Result['sum'] := '1500.55';
  Result['payment_method'] := Method;
  Result['customer_account'] := CustomerAccount;
end;

procedure Run(Main: TProgram);
begin
  ExitCode := 1;
  try
    Main;
    if ExitCode = 1 then
      ExitCode := 0;
  except
    on Error: EMerchantPay do
    begin
      WriteLn(StdErr, 'error ', Error.CodeName, ' ', Error.OutcomeName, ': ', Error.Message);
      if Error.Description <> '' then
        WriteLn(StdErr, 'the service says: ', Error.Description);
    end;
    on Error: Exception do
      WriteLn(StdErr, 'error: ', Error.Message);
  end;
end;

procedure Print(const Line: UTF8String);
begin
  WriteLn(Line);
  Flush(Output);
end;

procedure PrintField(const Name, Value: UTF8String);
begin
  if Value <> '' then
    Print(Name + ' ' + Value);
end;

function Shown(const Value: UTF8String): UTF8String;
begin
  Result := Value;
  if Result = '' then
    Result := '-';
end;

function WaitFor(const Client: IMerchantPayClient; const OrderId: UTF8String; const Wanted: UTF8String): IPayment;
begin
  repeat
    Result := Client.GetStatus(OrderId);
    if Result.IsFinal or ((Wanted <> '') and (Result.Status = Wanted)) then
    begin
      PrintField('status', Result.Status);
      Exit;
    end;
    Sleep(200);
  until False;
end;

{$IFDEF UNIX}
initialization
  { A sender that closes its connection must not end the program. }
  FpSignal(SIGPIPE, SignalHandler(SIG_IGN));
{$ENDIF}

end.
