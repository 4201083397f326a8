{ This program does the same as by_name.c, over the raw imports that are generated from merchantpay.json. }
program by_name;

{$MODE DELPHI}{$H+}

uses
  SysUtils, merchantpay_api;

type
  EMerchantPay = class(Exception);

procedure Check(code: Int32; error: Pmpay_error);
var
  text: string;
begin
  if code = MPAY_OK then Exit;
  text := Format('%s (%s): %s', [mpay_error_code_name(error), mpay_error_outcome_name(error), mpay_error_message(error)]);
  mpay_error_free(error);
  raise EMerchantPay.Create(text);
end;

var
  settings: Pmpay_config;
  journalSettings: Pmpay_journal_config;
  request: Pmpay_payment_request;
  client: Pmpay_client;
  journal: Pmpay_journal;

procedure ReadSettings;
var
  line, owner, name: string;
  error: Pmpay_error;
begin
  while not Eof do
  begin
    ReadLn(line);
    owner := Copy(line, 1, Pos(' ', line) - 1);
    Delete(line, 1, Length(owner) + 1);
    name := Copy(line, 1, Pos(' ', line) - 1);
    Delete(line, 1, Length(name) + 1);
    error := nil;
    if owner = 'client' then Check(mpay_config_set(settings, PAnsiChar(name), PAnsiChar(line), @error), error);
    if owner = 'journal' then Check(mpay_journal_config_set(journalSettings, PAnsiChar(name), PAnsiChar(line), @error), error);
    if owner = 'request' then Check(mpay_payment_request_set(request, PAnsiChar(name), PAnsiChar(line), @error), error);
  end;
end;

procedure Pay(const reference: string);
var
  entry, confirmed: Pmpay_entry;
  error: Pmpay_error;
begin
  entry := nil; confirmed := nil; error := nil;
  Check(mpay_journal_pay(journal, PAnsiChar(reference), request, @entry, @error), error);
  WriteLn(mpay_entry_reference(entry), ' ', mpay_entry_attempt(entry), ' ', mpay_entry_standing_name(entry));
  Check(mpay_journal_confirm(journal, PAnsiChar(reference), mpay_entry_attempt(entry), @confirmed, @error), error);
  mpay_entry_free(confirmed);
  mpay_entry_free(entry);
  Check(mpay_journal_wait(journal, PAnsiChar(reference), 60000, MPAY_UNTIL_FINAL, @entry, @error), error);
  mpay_entry_free(entry);
end;

procedure Acknowledge;
var
  entries: Pmpay_entries;
  entry: Pmpay_entry;
  error: Pmpay_error;
  reference: string;
  attempt: UInt32;
  news: Int64;
  changed: Int32;
begin
  entries := nil; error := nil; changed := 0;
  Check(mpay_journal_news(journal, 1, @entries, @error), error);
  entry := mpay_entries_get(entries, 0);
  reference := mpay_entry_reference(entry);
  attempt := mpay_entry_attempt(entry);
  news := mpay_entry_news(entry);
  mpay_entries_free(entries);
  Check(mpay_journal_acknowledge(journal, PAnsiChar(reference), attempt, news, @changed, @error), error);
  WriteLn('acknowledged ', reference, ' ', attempt, ': ', changed);
end;

var
  error: Pmpay_error;
begin
  settings := mpay_config_new;
  journalSettings := mpay_journal_config_new;
  request := mpay_payment_request_new;
  client := nil; journal := nil; error := nil;
  try
    ReadSettings;
    Check(mpay_client_new(settings, @client, @error), error);
    Check(mpay_journal_open(client, journalSettings, @journal, @error), error);
    Pay(ParamStr(1));
    Acknowledge;
  except
    on failure: Exception do begin WriteLn(StdErr, failure.Message); ExitCode := 1; end;
  end;
  mpay_journal_free(journal);
  mpay_client_free(client);
  mpay_payment_request_free(request);
  mpay_journal_config_free(journalSettings);
  mpay_config_free(settings);
end.
