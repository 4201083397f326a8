{ Receives webhooks by HTTP on loopback, one at a time. In production a proxy in front of the server does TLS. }
unit receiver;

{$IFDEF FPC}{$MODE DELPHI}{$H+}{$ENDIF}

interface

uses
  SysUtils, BaseUnix, Sockets, merchantpay;

type
  TWebhook = record
    Path, Signature, KeyId: UTF8String;
    Body: TBytes;
    TooLarge: Boolean;
  end;

  { Returns the HTTP status of the answer. }
  TReceive = function(const Webhook: TWebhook): Integer of object;

  TReceiver = class
  private
    FSocket: LongInt;
    FPort: Word;
    FReceived: Integer;
    FReceive: TReceive;
    procedure Answer(Connection: LongInt);
  public
    { Listens on a port; 0 is any free port. }
    constructor Create(Port: Word);
    destructor Destroy; override;
    { Serves requests for at most this many milliseconds; -1 waits for one request. }
    procedure Serve(Milliseconds: Integer);
    function Url: UTF8String;
    { The number of webhooks that were answered with 200. }
    property Received: Integer read FReceived;
    property OnReceive: TReceive read FReceive write FReceive;
  end;

implementation

uses
  example;

const
  LARGEST_HEAD = 16384;
  { The largest body that is accepted, in bytes. Every webhook of the contract is far smaller. }
  LARGEST_BODY = 65536;

constructor TReceiver.Create(Port: Word);
var
  Address: TInetSockAddr;
  Size: TSockLen;
  Reuse: LongInt;
begin
  inherited Create;
  FSocket := fpSocket(AF_INET, SOCK_STREAM, 0);
  Reuse := 1;
  fpSetSockOpt(FSocket, SOL_SOCKET, SO_REUSEADDR, @Reuse, SizeOf(Reuse));
  FillChar(Address, SizeOf(Address), 0);
  Address.sin_family := AF_INET;
  Address.sin_port := htons(Port);
  Address.sin_addr.s_addr := htonl($7F000001);
  Size := SizeOf(Address);
  if (fpBind(FSocket, @Address, Size) <> 0) or (fpListen(FSocket, 100) <> 0) or (fpGetSockName(FSocket, @Address, @Size) <> 0) then
    raise Exception.Create('the receiver cannot listen');
  FPort := ntohs(Address.sin_port);
  Print('listening ' + UTF8String(IntToStr(FPort)));
end;

destructor TReceiver.Destroy;
begin
  CloseSocket(FSocket);
  inherited Destroy;
end;

function TReceiver.Url: UTF8String;
begin
  Result := 'http://127.0.0.1:' + UTF8String(IntToStr(FPort)) + '/hooks';
end;

procedure TReceiver.Serve(Milliseconds: Integer);
var
  Waiting: TFDSet;
  Connection: LongInt;
begin
  fpFD_ZERO(Waiting);
  fpFD_SET(FSocket, Waiting);
  if fpSelect(FSocket + 1, @Waiting, nil, nil, Milliseconds) <= 0 then
    Exit;
  Connection := fpAccept(FSocket, nil, nil);
  if Connection < 0 then
    Exit;
  try
    Answer(Connection);
  finally
    CloseSocket(Connection);
  end;
end;

{ Returns the value of a header. A repeated header is treated as invalid, because it is ambiguous. }
function Header(const Head, Name: UTF8String): UTF8String;
var
  Line: string;
  Times: Integer;
begin
  Result := '';
  Times := 0;
  for Line in string(Head).Split([#13#10]) do
    if SameText(Copy(Line, 1, Length(Name) + 1), Name + ':') then
    begin
      Result := UTF8String(Trim(Copy(Line, Length(Name) + 2, MaxInt)));
      Inc(Times);
    end;
  if Times > 1 then
    Result := 'repeated';
end;

procedure TReceiver.Answer(Connection: LongInt);
var
  Webhook: TWebhook;
  Limit: TTimeVal;
  Buffer: array[0..8191] of AnsiChar;
  Data, Head, Line, Reply: UTF8String;
  Read, Start, Expected, Status: Integer;
  Piece: UTF8String;
begin
  Limit.tv_sec := 10;
  Limit.tv_usec := 0;
  fpSetSockOpt(Connection, SOL_SOCKET, SO_RCVTIMEO, @Limit, SizeOf(Limit));
  Data := '';
  Start := 0;
  Expected := 0;
  Webhook.TooLarge := False;
  repeat
    Read := fpRecv(Connection, @Buffer, SizeOf(Buffer), 0);
    if Read <= 0 then
      Exit;
    SetString(Piece, PAnsiChar(@Buffer), Read);
    Data := Data + Piece;
    if Start = 0 then
    begin
      Start := Pos(#13#10#13#10, Data);
      if (Start = 0) and (Length(Data) > LARGEST_HEAD) then
        Exit;
      if Start > 0 then
      begin
        Head := Copy(Data, 1, Start + 1);
        Start := Start + 4;
        Expected := StrToIntDef(string(Header(Head, 'Content-Length')), 0);
        if Expected < 0 then
          Exit;
        if Header(Head, 'Expect') <> '' then
        begin
          Reply := 'HTTP/1.1 100 Continue'#13#10#13#10;
          fpSend(Connection, PAnsiChar(Reply), Length(Reply), 0);
        end;
      end;
    end;
    { The rest of a body that is too large is read and dropped. }
    if (Start > 0) and (Length(Data) - Start + 1 > LARGEST_BODY) then
    begin
      Webhook.TooLarge := True;
      Expected := Expected - (Length(Data) - Start + 1);
      SetLength(Data, Start - 1);
    end;
  until (Start > 0) and (Length(Data) - Start + 1 >= Expected);
  Line := Copy(Head, 1, Pos(#13, Head) - 1);
  Webhook.Path := UTF8String(string(Line).Split([' '])[1]);
  Webhook.Signature := Header(Head, 'X-Signature');
  Webhook.KeyId := Header(Head, 'X-KeyId');
  Webhook.Body := BytesOf(Copy(Data, Start, Expected));
  if Copy(Line, 1, 5) = 'POST ' then
    Status := FReceive(Webhook)
  else
    Status := 405;
  Reply := UTF8String(Format('HTTP/1.1 %d -'#13#10'Content-Length: 0'#13#10'Connection: close'#13#10#13#10, [Status]));
  fpSend(Connection, PAnsiChar(Reply), Length(Reply), 0);
  if Status = 200 then
    Inc(FReceived);
end;

end.
