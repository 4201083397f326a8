{ Tests the parts that only Pascal has: two types of strings, Currency, lifetimes, callbacks and threads. tests/contract tests the
  common parts. This program runs in a sandbox: see tools/test. }
program merchantpay_tests;

{$IFDEF UNICODE_STRINGS}{$MODE DELPHIUNICODE}{$ELSE}{$MODE DELPHI}{$H+}{$ENDIF}

uses
  cthreads, Classes, SysUtils, Math, SyncObjs, fpcunit, testregistry, consoletestrunner, merchantpay_api, merchantpay, merchantpay_protocol,
  merchantpay_journal;

type
  TTexts = class(TTestCase)
  published
    procedure ATextConvertsFromAndToBothTypesOfStrings;
    procedure AFieldOfNoRequestIsRefused;
    procedure TwoTextsStayTwoTextsInTheLocaleC;
  end;

  TSums = class(TTestCase)
  published
    procedure ACurrencyAndItsTextAreEqualInBothDirections;
    procedure ASumThatCurrencyCannotHoldIsRefused;
    procedure ASumConvertsToTheBalanceAndIsRoundedOnce;
  end;

  TCalls = class(TTestCase)
  private
    FLines: TStringList;
    FThread: TThreadID;
    FAsked: TEvent;
    FMask: TFPUExceptionMask;
    procedure Note(const Attempt: TAttempt);
    procedure NoteMask(const Attempt: TAttempt);
  protected
    procedure SetUp; override;
    procedure TearDown; override;
  published
    procedure APaymentOutlivesItsClientAndItsRequest;
    procedure ALoggerIsCalledOnTheThreadOfTheCall;
    procedure AnInterruptionEndsACallOfAnotherThread;
    procedure ProcessorRaisesForTheProgramAndNotForTheLibrary;
    procedure EnvironmentWithoutServerKeysNamesWhatIsMissing;
  end;

  TJournals = class(TTestCase)
  private
    FPlace: string;
    function Opened(Create: Boolean): IJournal;
  protected
    procedure SetUp; override;
    procedure TearDown; override;
  published
    procedure EntryOutlivesItsJournal;
    procedure MissingJournalIsNotCreated;
    procedure AbsentEntryIsAWrongArgument;
    procedure AttentionHasNamesAndDetails;
  end;

  { A call on its own thread. }
  TCall = class(TThread)
  private
    FClient: IMerchantPayClient;
    FOrderId: UTF8String;
    FCode: TCode;
  protected
    procedure Execute; override;
  public
    constructor Create(const Client: IMerchantPayClient; const OrderId: UTF8String);
  end;

function Settings: IConfig;
begin
  Result := NewConfig;
  Result.FromEnvironment;
end;

function Request: IPaymentRequest;
begin
  Result := NewPaymentRequest;
  Result['sum'] := SumText(1500.5);
  Result['payment_method'] := 'sbp';
  Result['customer_account'] := '79001234567';
end;

constructor TCall.Create(const Client: IMerchantPayClient; const OrderId: UTF8String);
begin
  FClient := Client;
  FOrderId := OrderId;
  inherited Create(False);
end;

procedure TCall.Execute;
begin
  try
    FClient.Wait(FOrderId, 60000);
  except
    on Error: EMerchantPay do
      FCode := Error.Code;
  end;
end;

{$I texts.inc}

{ TSums }

procedure TSums.ACurrencyAndItsTextAreEqualInBothDirections;
const
  TEXTS: array[0..8] of UTF8String = ('0', '1500.5', '0.01', '-0.0001', '12', '100000000000000', '0.1', '922337203685477.5807',
    '-922337203685477.5808');
var
  Text: UTF8String;
begin
  for Text in TEXTS do
    AssertTrue(string(Text), SumText(SumCurrency(Text)) = Text);
  AssertTrue('zeros after the fourth decimal place', SumText(SumCurrency('1.23450000')) = '1.2345');
end;

procedure TSums.ASumThatCurrencyCannotHoldIsRefused;
const
  TEXTS: array[0..9] of UTF8String = ('', '-', '1.00001', '922337203685477.5808', '99999999999999999999', '1e3', '1,5', '.5', '1.',
    '1 500');
var
  Text: UTF8String;
  Refused: Boolean;
begin
  for Text in TEXTS do
  begin
    Refused := False;
    try
      SumCurrency(Text);
    except
      on Error: EMerchantPay do
        Refused := Error.Code = TCode.InvalidArgument;
    end;
    AssertTrue(string(Text), Refused);
  end;
end;

procedure TSums.ASumConvertsToTheBalanceAndIsRoundedOnce;
begin
  AssertTrue(ToBalance('1500.50', '92.45', TBalance.Usdt, 6, TRounding.HalfEven) = '16.230395');
  AssertTrue(ToBalance('3000', '90.01', TBalance.Usdt, 2, TRounding.Up) = '33.33');
  try
    ToBalance('1', '0', TBalance.Usdt, 2, TRounding.Up);
    Fail('it was converted');
  except
    on Error: EMerchantPay do
      AssertTrue(TCode.InvalidArgument = Error.Code);
  end;
end;

{ TCalls }

procedure TCalls.SetUp;
begin
  FLines := TStringList.Create;
  FAsked := TEvent.Create(nil, True, False, '');
end;

procedure TCalls.TearDown;
begin
  FAsked.Free;
  FLines.Free;
end;

procedure TCalls.Note(const Attempt: TAttempt);
begin
  FThread := GetCurrentThreadId;
  FLines.Add(string(Attempt.Line));
  FAsked.SetEvent;
end;

procedure TCalls.NoteMask(const Attempt: TAttempt);
begin
  FMask := GetExceptionMask;
end;

procedure TCalls.APaymentOutlivesItsClientAndItsRequest;
var
  Payment: IPayment;
begin
  Payment := NewClient(Settings).NewPayment(Request);
  AssertTrue(Payment.OrderId <> '');
  AssertTrue(SumCurrency(Payment.Sum) = 1500.5);
  AssertTrue(Payment.SumMinor = 150050);
end;

procedure TCalls.ALoggerIsCalledOnTheThreadOfTheCall;
var
  Config: IConfig;
  Call: TCall;
begin
  Config := Settings;
  Config.OnLog(Note);
  Call := TCall.Create(NewClient(Config), 'no-such-order');
  Call.WaitFor;
  AssertEquals(1, FLines.Count);
  AssertTrue(FThread = Call.ThreadID);
  AssertTrue(TCode.Rejected = Call.FCode);
  Call.Free;
end;

procedure TCalls.AnInterruptionEndsACallOfAnotherThread;
var
  Config: IConfig;
  Client, Sale: IMerchantPayClient;
  OrderId: UTF8String;
  Call: TCall;
begin
  Config := Settings;
  Client := NewClient(Config);
  OrderId := Client.NewPayment(Request).OrderId;
  Config.OnLog(Note);
  Sale := NewClient(Config).Derive;
  Call := TCall.Create(Sale, OrderId);
  AssertTrue(FAsked.WaitFor(INFINITE) = wrSignaled);
  Sale.Interrupt;
  Call.WaitFor;
  AssertTrue(TCode.Cancelled = Call.FCode);
  Call.Free;
  AssertTrue(Client.GetStatus(OrderId).OrderId = OrderId);
end;

{ The mask is the program's own after a call, and while a callback of it runs. }
procedure TCalls.ProcessorRaisesForTheProgramAndNotForTheLibrary;
var
  Before: TFPUExceptionMask;
  Config: IConfig;
begin
  Before := GetExceptionMask;
  SetExceptionMask([exDenormalized, exUnderflow, exPrecision]);
  try
    Config := Settings;
    Config.OnLog(NoteMask);
    NewClient(Config).NewPayment(Request);
    AssertTrue(GetExceptionMask = [exDenormalized, exUnderflow, exPrecision]);
    AssertTrue(FMask = [exDenormalized, exUnderflow, exPrecision]);
  finally
    SetExceptionMask(Before);
  end;
end;

procedure TCalls.EnvironmentWithoutServerKeysNamesWhatIsMissing;
var
  Config: IConfig;
begin
  Config := Settings;
  Config.ClearServerKeys;
  try
    NewClient(Config);
    Fail('it was made');
  except
    on Error: EMerchantPayInvalidArgument do
      AssertTrue(Error.Argument = 'MERCHANTPAY_SERVER_PUBLIC_KEY');
  end;
  Config['server_public_key'] := GenerateKeypair.PublicKey;
  Config['server_public_key'] := UTF8String(GetEnvironmentVariable('MERCHANTPAY_SERVER_PUBLIC_KEY'));
  AssertTrue(NewClient(Config).NewPayment(Request).OrderId <> '');
end;

{$I journals.inc}

var
  Application: TTestRunner;
begin
  RegisterTests([TTexts, TSums, TCalls, TJournals]);
  DefaultFormat := fPlain;
  DefaultRunAllTests := True;
  Application := TTestRunner.Create(nil);
  Application.Initialize;
  Application.Run;
  Application.Free;
end.
