{ Tests the parts that only Pascal has: two types of strings, Currency, lifetimes, callbacks and threads. tests/contract tests the
  common parts. This program runs in a sandbox: see tools/test. }
program merchantpay_tests;

{$IFDEF UNICODE_STRINGS}{$MODE DELPHIUNICODE}{$ELSE}{$MODE DELPHI}{$H+}{$ENDIF}

uses
  cthreads, Classes, SysUtils, SyncObjs, fpcunit, testregistry, consoletestrunner, merchantpay_api, merchantpay, merchantpay_protocol,
  merchantpay_journal;

type
  TTexts = class(TTestCase)
  published
    procedure ATextConvertsFromAndToBothTypesOfStrings;
    procedure ATextWithNulIsRefusedAndNothingIsSent;
    procedure ARequestWithARefusedTextIsNotPrepared;
    procedure AHeaderThatIsRefusedLeavesTheOutcomeUnknown;
    procedure TwoTextsStayTwoTextsInTheLocaleC;
    procedure ASignatureWithNulIsExplainedAsNotBase64;
    procedure AKeyWithNulIsABadKey;
  end;

  TSums = class(TTestCase)
  published
    procedure ACurrencyAndItsTextAreEqualInBothDirections;
    procedure ASumThatCurrencyCannotHoldIsRefused;
    procedure ASumConvertsToTheBalanceAndIsRoundedOnce;
    procedure AnErrorKeepsCodeOutcomeAndReason;
  end;

  TCalls = class(TTestCase)
  private
    FLines: TStringList;
    FThread: TThreadID;
    FAsked: TEvent;
    procedure Note(const Attempt: TAttempt);
    procedure NoteAndFail(const Attempt: TAttempt);
    function CannotSign(const Message: TBytes): TBytes;
    function SignTooShort(const Message: TBytes): TBytes;
    procedure RefuseToSign(Sign: TSignEvent);
  protected
    procedure SetUp; override;
    procedure TearDown; override;
  published
    procedure APaymentOutlivesItsClientAndItsRequest;
    procedure ALoggerIsCalledOnTheThreadOfTheCall;
    procedure AnExceptionOfALoggerIsIgnored;
    procedure ASignerThatFailsSendsNothing;
    procedure AnInterruptionEndsACallOfAnotherThread;
    procedure AForgedWebhookIsUnverified;
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
    procedure PlaceWithNulIsRefused;
    procedure MissingJournalIsNotCreated;
    procedure UnverifiedWebhookIsAnsweredWith400;
    procedure AbsentEntryIsAWrongArgument;
    procedure NewsAreAcknowledgedOnce;
    procedure AcknowledgeSqlHasTheStylesParameters;
    procedure SeenReasonsLeaveTheList;
  end;

  { A call on its own thread. }
  TCall = class(TThread)
  private
    FClient: IMerchantPayClient;
    FOrderId: UTF8String;
    FCode, FOutcome: Int32;
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
    begin
      FCode := Error.Code;
      FOutcome := Error.Outcome;
    end;
  end;
end;

{ TTexts }

procedure TTexts.ATextConvertsFromAndToBothTypesOfStrings;
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

procedure TTexts.ATextWithNulIsRefusedAndNothingIsSent;
begin
  try
    Request['customer_account'] := '7900'#0'1234567';
    Fail('it was taken');
  except
    on Error: EMerchantPay do
    begin
      AssertEquals(MPAY_INVALID_ARGUMENT, Error.Code);
      AssertEquals(MPAY_OUTCOME_NOT_SENT, Error.Outcome);
    end;
  end;
end;

procedure TTexts.ARequestWithARefusedTextIsNotPrepared;
var
  Asked: IPaymentRequest;
begin
  Asked := Request;
  try
    Asked['sum'] := '99999'#0;
    Fail('it was taken');
  except
    on Error: EMerchantPay do
      AssertEquals(MPAY_INVALID_ARGUMENT, Error.Code);
  end;
  try
    NewProtocol(Settings).PrepareNewPayment(Asked);
    Fail('the old sum was taken');
  except
    on Error: EMerchantPay do
      AssertEquals(MPAY_OUTCOME_NOT_SENT, Error.Outcome);
  end;
end;

procedure TTexts.AHeaderThatIsRefusedLeavesTheOutcomeUnknown;
begin
  try
    NewHttpResponse(200, nil).AddHeader('X-Signature', 'a'#0'b');
    Fail('it was taken');
  except
    on Error: EMerchantPay do
      AssertEquals(MPAY_OUTCOME_UNKNOWN, Error.Outcome);
  end;
end;

procedure TTexts.TwoTextsStayTwoTextsInTheLocaleC;
var
  One, Other: AnsiString;
begin
  { Two Cyrillic letters. }
  One := AnsiString(UTF8String(#$D0#$90));
  Other := AnsiString(UTF8String(#$D0#$91));
  AssertTrue(UTF8String(One) <> UTF8String(Other));
end;

procedure TTexts.ASignatureWithNulIsExplainedAsNotBase64;
begin
  AssertEquals(MPAY_CAUSE_SIGNATURE_ENCODING, NewWebhookVerifier(Settings).Explain(Utf8Bytes('{}'), 'AA'#0, '').Cause);
end;

procedure TTexts.AKeyWithNulIsABadKey;
begin
  try
    Settings['private_key'] := 'AAAA'#0;
    Fail('it was taken');
  except
    on Error: EMerchantPay do
      AssertEquals(MPAY_INVALID_KEY, Error.Code);
  end;
end;

{ TSums }

procedure TSums.ACurrencyAndItsTextAreEqualInBothDirections;
const
  TEXTS: array[0..8] of UTF8String = ('0', '1500.5', '0.01', '-0.0001', '12', '100000000000000', '0.1', '922337203685477.5807',
    '-922337203685477.5807');
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
        Refused := Error.Code = MPAY_INVALID_ARGUMENT;
    end;
    AssertTrue(string(Text), Refused);
  end;
end;

procedure TSums.ASumConvertsToTheBalanceAndIsRoundedOnce;
begin
  AssertTrue(ToBalance('1500.50', '92.45', MPAY_BALANCE_USDT, 6, MPAY_ROUNDING_HALF_EVEN) = '16.230395');
  AssertTrue(ToBalance('3000', '90.01', MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP) = '33.33');
  try
    ToBalance('1', '0', MPAY_BALANCE_USDT, 2, MPAY_ROUNDING_UP);
    Fail('it was converted');
  except
    on Error: EMerchantPay do
      AssertEquals(MPAY_INVALID_ARGUMENT, Error.Code);
  end;
end;

procedure TSums.AnErrorKeepsCodeOutcomeAndReason;
begin
  try
    NewClient(Settings).Cancel('no-such-order');
    Fail('it was cancelled');
  except
    on Error: EMerchantPay do
    begin
      AssertEquals(MPAY_REJECTED, Error.Code);
      AssertEquals(MPAY_OUTCOME_REJECTED, Error.Outcome);
      AssertEquals(MPAY_REASON_ORDER_NOT_FOUND, Error.ReasonCode);
      AssertTrue(Error.Message <> '');
    end;
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

procedure TCalls.NoteAndFail(const Attempt: TAttempt);
begin
  Note(Attempt);
  raise Exception.Create('the log is full');
end;

function TCalls.CannotSign(const Message: TBytes): TBytes;
begin
  Result := nil;
  raise Exception.Create('the card was removed');
end;

function TCalls.SignTooShort(const Message: TBytes): TBytes;
begin
  Result := Copy(Message, 0, 63);
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
  AssertEquals(MPAY_REJECTED, Call.FCode);
  Call.Free;
end;

procedure TCalls.AnExceptionOfALoggerIsIgnored;
var
  Config: IConfig;
begin
  Config := Settings;
  Config.OnLog(NoteAndFail);
  AssertTrue(NewClient(Config).NewPayment(Request).OrderId <> '');
  AssertEquals(1, FLines.Count);
end;

procedure TCalls.RefuseToSign(Sign: TSignEvent);
var
  Config: IConfig;
begin
  Config := NewConfig;
  Config['base_url'] := UTF8String(GetEnvironmentVariable('MERCHANTPAY_BASE_URL'));
  Config['key_id'] := UTF8String(GetEnvironmentVariable('MERCHANTPAY_KEY_ID'));
  Config['server_public_key'] := UTF8String(GetEnvironmentVariable('MERCHANTPAY_SERVER_PUBLIC_KEY'));
  Config['public_key'] := GenerateKeypair.PublicKey;
  Config.OnSign(Sign);
  try
    NewClient(Config).NewPayment(Request);
    Fail('it was sent');
  except
    on Error: EMerchantPay do
    begin
      AssertEquals(MPAY_SIGNER, Error.Code);
      AssertEquals(MPAY_OUTCOME_NOT_SENT, Error.Outcome);
    end;
  end;
end;

procedure TCalls.ASignerThatFailsSendsNothing;
begin
  RefuseToSign(CannotSign);
  RefuseToSign(SignTooShort);
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
  AssertEquals(MPAY_CANCELLED, Call.FCode);
  Call.Free;
  AssertTrue(Client.GetStatus(OrderId).OrderId = OrderId);
end;

procedure TCalls.AForgedWebhookIsUnverified;
begin
  try
    NewWebhookVerifier(Settings).Verify(Utf8Bytes('{}'), 'AAAA');
    Fail('it verified');
  except
    on Error: EMerchantPay do
      AssertEquals(MPAY_UNVERIFIED, Error.Code);
  end;
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
