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
    procedure TextConvertsToBothTypesOfStrings;
    procedure UnknownFieldIsRefused;
    procedure LocaleCKeepsTexts;
  end;

  TSums = class(TTestCase)
  published
    procedure CurrencyAndItsTextAreEqual;
    procedure SumBeyondCurrencyIsRefused;
    procedure ConversionRoundsOnce;
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
    procedure PaymentOutlivesItsClient;
    procedure LoggerRunsOnTheThreadOfTheCall;
    procedure InterruptionEndsACallOfAnotherThread;
    procedure CallsKeepTheProgramsExceptionMask;
    procedure MissingServerKeyIsNamed;
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

{ TTexts }

procedure TTexts.TextConvertsToBothTypesOfStrings;
const
  UTF8: array[0..9] of Byte = ($D0, $97, $D0, $B0, $D0, $BA, $D0, $B0, $D0, $B7);
var
  Bytes: UTF8String;
  Wide: UnicodeString;
  Narrow: string;
  Field: IPaymentRequest;
  Body: TBytes;
  Text: UTF8String;
begin
  SetLength(Bytes, Length(UTF8));
  Move(UTF8, Bytes[1], Length(UTF8));
  Wide := #$0417#$0430#$043A#$0430#$0437;
  Narrow := string(Bytes);
  AssertTrue('to UnicodeString', UnicodeString(Bytes) = Wide);
  AssertTrue('from UnicodeString', UTF8String(Wide) = Bytes);
  AssertTrue('from string', UTF8String(Narrow) = Bytes);
  Field := Request;
  Field['merchant_id'] := UTF8String(Wide);
  Body := NewProtocol(Settings).PrepareNewPayment(Field).Body;
  SetLength(Text, Length(Body));
  Move(Body[0], Text[1], Length(Body));
  AssertTrue('the request has the bytes', Pos(Bytes, Text) > 0);
end;

procedure TTexts.UnknownFieldIsRefused;
begin
  try
    Request['customerAccount'] := '1';
    Fail('it was taken');
  except
    on Error: EMerchantPayInvalidArgument do
      AssertTrue(TOutcome.NotSent = Error.Outcome);
  end;
end;

procedure TTexts.LocaleCKeepsTexts;
var
  One, Other: AnsiString;
begin
  { Two Cyrillic letters. }
  One := AnsiString(UTF8String(#$D0#$90));
  Other := AnsiString(UTF8String(#$D0#$91));
  AssertTrue(UTF8String(One) <> UTF8String(Other));
end;

{ TSums }

procedure TSums.CurrencyAndItsTextAreEqual;
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

procedure TSums.SumBeyondCurrencyIsRefused;
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

procedure TSums.ConversionRoundsOnce;
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

procedure TCalls.PaymentOutlivesItsClient;
var
  Payment: IPayment;
begin
  Payment := NewClient(Settings).NewPayment(Request);
  AssertTrue(Payment.OrderId <> '');
  AssertTrue(SumCurrency(Payment.Sum) = 1500.5);
  AssertTrue(Payment.SumMinor = 150050);
end;

procedure TCalls.LoggerRunsOnTheThreadOfTheCall;
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

procedure TCalls.InterruptionEndsACallOfAnotherThread;
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
procedure TCalls.CallsKeepTheProgramsExceptionMask;
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

procedure TCalls.MissingServerKeyIsNamed;
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

{ TJournals }

procedure TJournals.SetUp;
begin
  FPlace := GetTempFileName('', 'journal');
  DeleteFile(FPlace);
end;

procedure TJournals.TearDown;
begin
  DeleteFile(FPlace);
  DeleteFile(FPlace + '-wal');
  DeleteFile(FPlace + '-shm');
end;

function TJournals.Opened(Create: Boolean): IJournal;
var
  Config: IJournalConfig;
begin
  Config := NewJournalConfig;
  Config.SetPlace(UTF8String(FPlace));
  if Create then
    Config['create'] := '1';
  Result := OpenJournal(NewClient(Settings), Config);
end;

procedure TJournals.EntryOutlivesItsJournal;
var
  Entry: IEntry;
begin
  Entry := Opened(True).Pay('order-1', Request);
  AssertTrue(Entry.Credentials.PayeeAccount <> '');
  AssertTrue(Opened(False).Pay('order-1', Request).OrderId = Entry.OrderId);
  AssertTrue(TStanding.Open = Entry.Standing);
end;

procedure TJournals.MissingJournalIsNotCreated;
begin
  try
    Opened(False);
    Fail('it was opened');
  except
    on Error: EMerchantPay do
      AssertTrue(TCode.Storage = Error.Code);
  end;
  AssertFalse(FileExists(FPlace));
end;

procedure TJournals.AbsentEntryIsAWrongArgument;
begin
  try
    Opened(True).Acknowledge(nil);
    Fail('it was acknowledged');
  except
    on Error: EMerchantPay do
      AssertTrue(TCode.InvalidArgument = Error.Code);
  end;
end;

procedure TJournals.AttentionHasNamesAndDetails;
var
  Journal: IJournal;
  Asked: IPaymentRequest;
  Item: IEntry;
begin
  Journal := Opened(True);
  Asked := Request;
  Asked['customer_account'] := 'pays-less';
  Journal.Confirm(Journal.Pay('order-4', Asked));
  AssertFalse(Journal.Wait('order-4', 60000, TUntil.Final).Succeeded);
  Item := Journal.Attention[0];
  AssertTrue((TAttention.None = Item.Attention(1)) and (Item.AttentionNames = 'sum_differs'));
  AssertTrue((Item.Detail(0) <> '') and (Item.Detail(1) = ''));
end;

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
