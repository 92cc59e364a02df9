"""Client of Antiphon's API, for Python 3.11 and later, without dependencies.

Written by `make docs` from /openapi.json and clients/generate/python-runtime.py. Do not edit.

    import antiphon

    client = antiphon.Client("https://voice.example.com", key="svc_…")
    call = client.place_call(agent_id, {"to_number": "+919811112222"})
    for call in client.each_of_list_calls(status=["failed"]):
        print(call["id"], call["hangup_reason"])
"""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from typing import Any, Literal, NotRequired, TypedDict, cast


class ApiError(Exception):
    """The API answered with an error."""

    def __init__(self, status: int, body: Any, headers: Any) -> None:
        fields = body if isinstance(body, dict) else {}
        detail = fields.get("detail", "")
        #: HTTP status.
        self.status = status
        #: A word for programs where the API has one, such as `workspace_inactive`; else empty.
        self.code: str = fields.get("code", "")
        #: What is wrong with each field, of a 422.
        self.details: list[dict[str, Any]] = detail if isinstance(detail, list) else []
        #: Identifies the request in the workspace's logs.
        self.request_id: str = headers.get("X-Request-ID") or ""
        #: How long the API asks to wait; None: it does not say.
        self.retry_after_seconds = _retry_after(headers)
        fields_text = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in self.details)
        super().__init__(f"{status} {fields_text or detail}".strip())


class ConnectionFailed(Exception):
    """No answer came, or none in time. Whether a change was carried out is not known."""


class WebhookSignatureError(Exception):
    """The request is not from the service, or older than five minutes."""


def verify_webhook(secret: str, signature: str, body: bytes, now_seconds: float | None = None) -> WebhookEvent:
    """Checks the header X-Svc-Signature of a delivery, in constant time, and returns its event."""
    parts = dict(part.split("=", 1) for part in signature.split(",") if "=" in part)
    sent_at = parts.get("t", "")
    now = time.time() if now_seconds is None else now_seconds
    if not (sent_at.isascii() and sent_at.isdigit() and len(sent_at) < 16) or abs(now - int(sent_at)) > 300:
        raise WebhookSignatureError("the signature has no time, or one that is not now")
    expected = hmac.new(secret.encode(), sent_at.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), parts.get("v1", "").encode()):
        raise WebhookSignatureError("the signature is not that of the secret")
    return cast("WebhookEvent", json.loads(body))


def _retry_after(headers: Any) -> float | None:
    text = headers.get("Retry-After") or ""
    return float(text) if text.isdigit() else None


def _form(fields: dict[str, Any]) -> tuple[bytes, str]:
    """A body of multipart/form-data (RFC 7578) and its boundary; bytes are files."""
    boundary = uuid.uuid4().hex
    parts: list[bytes] = []
    for name, value in fields.items():
        file_name = f'; filename="{name}"' if isinstance(value, bytes) else ""
        content = value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode()
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{file_name}\r\n\r\n'
        parts += [head.encode(), content, b"\r\n"]
    return b"".join(parts) + f"--{boundary}--\r\n".encode(), boundary


class _Transport:
    """Sends requests, again where that is safe.

    url: where the service is. key: an API key, the token of a session, or the access token of an app. timezone: the zone of times in
    answers. workspace_id: the workspace that a session is used in. timeout_seconds: for one attempt. max_retries: attempts after the first.
    max_retry_delay_seconds: the longest wait before another attempt.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timezone: str = "",
        workspace_id: str = "",
        timeout_seconds: float = 30,
        max_retries: int = 3,
        max_retry_delay_seconds: float = 60,
    ) -> None:
        self._url = url.rstrip("/")
        own = {"Authorization": f"Bearer {key}", "X-Timezone": timezone, "X-Workspace-ID": workspace_id}
        self._headers = {name: value for name, value in own.items() if value != ""}
        self._timeout_seconds = timeout_seconds
        self._max_retries = max_retries
        self._max_retry_delay_seconds = max_retry_delay_seconds

    def _send(
        self,
        method: str,
        path: str,
        result: Literal["json", "file", "none"],
        *,
        query: dict[str, Any] | None = None,
        headers: dict[str, Any] | None = None,
        body: Any = None,
        form: bool = False,
        idempotency_key: str | None = None,
    ) -> Any:
        given = {name: ",".join(map(str, value)) if isinstance(value, list) else value for name, value in (query or {}).items()}
        given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items() if value is not None}
        url = self._url + path + (f"?{urllib.parse.urlencode(given)}" if given else "")
        sent = {**self._headers, **{name: str(value) for name, value in (headers or {}).items() if value is not None}}
        data: bytes | None = None
        if idempotency_key is not None:
            sent["Idempotency-Key"] = idempotency_key
        if form:
            data, boundary = _form(body)
            sent["Content-Type"] = f"multipart/form-data; boundary={boundary}"
        elif body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        repeatable = method in ("GET", "PUT", "DELETE") or idempotency_key is not None
        request = urllib.request.Request(url, data=data, headers=sent, method=method)
        content = self._answer(request, repeatable)
        return json.loads(content) if result == "json" else content if result == "file" else None

    def _answer(self, request: urllib.request.Request, repeatable: bool) -> bytes:
        attempt = 0
        while True:
            backoff = min(8, 0.5 * 2**attempt) * random.uniform(0.5, 1)
            failure: Exception
            try:
                with urllib.request.urlopen(request, timeout=self._timeout_seconds) as response:
                    return cast(bytes, response.read())
            except urllib.error.HTTPError as error:
                with error:
                    content = error.read()
                failure = api_error = ApiError(error.code, _json_or_none(content), error.headers)
                # A 429 was not carried out; whether anything else was is not known.
                again = error.code == 429 or (repeatable and error.code in (502, 503, 504))
                delay = backoff if api_error.retry_after_seconds is None else api_error.retry_after_seconds
            except (urllib.error.URLError, OSError) as error:
                failure = ConnectionFailed(f"no answer from {self._url}: {error}")
                failure.__cause__ = error
                again = repeatable
                delay = backoff
            if not again or attempt >= self._max_retries or delay > self._max_retry_delay_seconds:
                raise failure
            time.sleep(delay)
            attempt += 1


def _json_or_none(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _quoted(value: Any) -> str:
    return urllib.parse.quote(str(value), safe="")


class SignupInput(TypedDict):
    #: of the person
    name: str
    #: what one will sign in with
    email: str
    #: only a hash of it is stored
    password: str
    #: default `<name>'s workspace`
    workspace_name: NotRequired[str]
    #: IANA name
    timezone: NotRequired[str]


class LoginInput(TypedDict):
    #: upper and lower case are the same
    email: str
    #: as it was chosen
    password: str


class TwoFactorLoginInput(TypedDict):
    #: from the first step
    login_token: str
    #: six digits, or a recovery code
    code: str


class Error(TypedDict):
    detail: str


class Forbidden(TypedDict):
    detail: str
    #: `workspace_inactive`, `confirmation_required`, `email_unverified`, or absent
    code: NotRequired[str]


class ValidationErrorDetailItem(TypedDict):
    type: str
    loc: list[str | int]
    msg: str
    input: Any


class ValidationError(TypedDict):
    detail: list[ValidationErrorDetailItem]


class InternalError(TypedDict):
    detail: str
    #: the same as the header `X-Request-ID`
    request_id: NotRequired[str]


class WorkspaceOfUser(TypedDict):
    #: 32 hex characters
    id: str
    #: for display
    name: str
    #: what one may do there
    role: Literal["owner", "admin", "developer", "viewer"]
    #: only an active one may place calls
    state: Literal["onboarding", "active", "suspended", "closed"]


class SignedInUser(TypedDict):
    #: 32 hex characters
    id: str
    #: 1 to 80 characters
    name: str
    #: what one signs in with
    email: str
    #: sign-in takes two steps
    two_factor: bool


class AuthResult(TypedDict):
    #: who signed in
    user: SignedInUser
    #: the one a session acts in unless another is chosen comes first
    workspaces: list[WorkspaceOfUser]
    #: only when the request has no `Origin`: browsers get a cookie
    token: NotRequired[str]
    #: 30 days after the last use, 90 days after signing in at the latest
    expires_at: str


class Passkey(TypedDict):
    #: 32 hex characters
    id: str
    #: 1 to 80 characters
    name: str
    #: it is on more than one of the user's devices
    synced: bool
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: null: never
    last_used_at: str | None


class PasskeySetup(TypedDict):
    #: for `navigator.credentials.create`, as JSON of Web Authentication level 3
    options: dict[str, Any]
    #: of the challenge, which is used once
    expires_at: str


class PasskeyChallenge(TypedDict):
    #: for `navigator.credentials.get`, as JSON of Web Authentication level 3
    options: dict[str, Any]
    #: of the challenge, which is used once
    expires_at: str


class Account(TypedDict):
    #: 32 hex characters
    id: str
    #: 1 to 80 characters
    name: str
    #: what one signs in with
    email: str
    #: waits for its link to be followed; empty when none does
    pending_email: str
    #: the link in the email was followed
    email_verified: bool
    #: sign-in takes two steps
    two_factor: bool
    #: the second step may be a code of an authenticator app
    authenticator: bool
    #: of ten
    recovery_codes_left: int
    #: IANA name
    timezone: str
    #: number of a drawing, or address of a picture; null: none
    avatar: int | str | None
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: those one is a member of
    workspaces: list[WorkspaceOfUser]


class Session(TypedDict):
    #: 32 hex characters
    id: str
    #: the one this request is made with
    current: bool
    #: browser and system
    client: str
    #: where the client was last seen, an IP address
    address: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: ISO 8601 with the offset of the zone asked for
    last_seen_at: str
    #: ISO 8601 with the offset of the zone asked for
    expires_at: str


class TwoFactorRequired(TypedDict):
    #: distinguishes this response from a completed sign-in
    two_factor_required: Literal[True]
    #: for the second step: 10 minutes, 5 tries
    login_token: str
    #: ISO 8601 with the offset of the zone asked for
    expires_at: str
    #: what the second step may be made with; left out where the user has no passkey: a code
    methods: NotRequired[list[Literal["passkey", "authenticator", "recovery_code"]]]


class MeKey(TypedDict):
    #: 32 hex characters
    id: str
    #: its label
    name: str
    #: its first 12 characters
    prefix: str
    #: what it may do; null: all that keys may
    scopes: list[str] | None


class MeWorkspace(TypedDict):
    #: 32 hex characters
    id: str
    #: 1 to 120 characters
    name: str
    #: only an active one may place calls
    state: Literal["onboarding", "active", "suspended", "closed"]
    #: what credits and prices are counted in
    currency: Literal["INR", "USD"]
    #: IANA name
    timezone: str


class Me(TypedDict):
    #: what the request was made with
    credential: Literal["session", "api_key", "oauth_app"]
    #: null for a key
    user: SignedInUser | None
    #: null unless the credential is a key
    key: MeKey | None
    #: the one that is acted in; null when none is open
    workspace: MeWorkspace | None
    #: a key shows developer
    role: Literal["owner", "admin", "developer", "viewer"] | None
    #: what this credential may do here
    permissions: list[Literal["agents.view", "calls.view", "logs.view", "members.view", "agents.edit", "calls.place", "keys.manage", "billing.view", "numbers.manage", "members.manage", "billing.manage", "kyc.manage"]]
    #: for a key only its own
    workspaces: list[WorkspaceOfUser]


class CallSummaryTransfer(TypedDict):
    #: of the target
    name: str
    #: of the target, E.164
    number: str
    #: why, as the agent gave it
    reason: str
    #: `ringing`, or its outcome
    status: str
    #: when the transfer began
    at: str


class CallSummary(TypedDict):
    #: the id of the call
    id: str
    agent_id: str | None
    #: as when the call was placed
    agent_name: str
    #: the agent's version the call was placed with
    agent_version: int
    batch_id: str | None
    #: who called whom: `outbound` is placed by the service
    direction: Literal["outbound", "inbound"]
    #: `web`: from a browser, or over a client's stream
    channel: Literal["phone", "web"]
    #: moves forward only; live while `ringing` or `in-progress`; `ended` until analytics and transfers are over
    status: Literal["queued", "ringing", "in-progress", "ended", "completed", "no-answer", "busy", "canceled", "failed"]
    #: E.164; empty where `channel` is `web`
    from_number: str
    #: E.164; empty where `channel` is `web`
    to_number: str
    #: values of the variables in welcome message and prompt
    user_data: dict[str, Any]
    #: only while queued, 1 is next; 1001: a thousand or more are before it
    queue_position: int | None
    #: a person, the label of a key, `batch <name>`, or empty for inbound calls
    started_by: str
    #: the carrier; `stream` for a call over a client's stream, empty for browser calls
    provider: str
    #: when the call was placed or came in
    created_at: str
    not_before_at: str | None
    placed_at: str | None
    started_at: str | None
    ended_at: str | None
    completed_at: str | None
    #: live time, rounded up; 0 before the end
    duration_seconds: int
    #: who ended it: `caller` (the person at the other end), `agent` (it said goodbye, heard nothing, met an answering machine, or transferred the call), `member` (somebody of the workspace, or a key or an app of it), `carrier` (it could not connect or carry the call, also busy and no-answer), `service` (a limit, credits, or a failure of its own); null while live
    hangup_by: Literal["caller", "agent", "member", "carrier", "service"] | None
    #: why it ended, one of a closed list; empty while live
    hangup_reason: str
    #: null when not known
    answered_by: Literal["human", "machine"] | None
    #: of the post-call analytics; empty until analysed or when off
    summary: str
    #: a recording can be fetched
    recorded: bool
    #: from the caller's last word to the agent's first audio, on average; null without a turn
    avg_first_audio_ms: int | None
    #: the last transfer to a person; null when there was none
    transfer: CallSummaryTransfer | None
    rescheduled_from: str | None
    rescheduled_to: str | None
    #: what was charged for it, in the smallest unit of `currency`
    cost_paise: int
    #: seconds paid from the plan's included minutes
    plan_seconds_covered: int
    #: what its post-call analytics cost, charged apart
    analysis_cost_paise: int
    #: `INR` or `USD`
    currency: str


class CallTransfer(TypedDict):
    #: of the target
    name: str
    #: of the target, E.164
    number: str
    #: why, as the agent gave it
    reason: str
    #: `ringing`, or its outcome
    status: str
    #: when the transfer began
    at: str


class CallTranscriptItem(TypedDict):
    #: `user` is the caller, `human_agent` a person who spoke to the caller in a live call
    role: Literal["user", "agent", "human_agent"]
    #: what was said; of the agent, what was played
    text: str
    #: when it was said: of the agent when it began, of people when it was over
    at: str
    #: the caller spoke over the rest of it
    interrupted: bool
    #: the same in milliseconds from the answer, where the recording begins; null when it was never answered
    offset_ms: int | None


class CallUsage(TypedDict):
    #: of the caller, and of people who spoke to them, that was transcribed
    stt_seconds: float
    #: of the agent that were played
    tts_characters: float
    #: read by the language model
    llm_input_tokens: float
    #: written by the language model
    llm_output_tokens: float
    #: requests to the language model
    llm_calls: float


class CallCostBreakdownComponents(TypedDict):
    """amounts by component"""

    #: of this component
    transcriber: float
    #: of this component
    llm: float
    #: of this component
    voice: float
    #: of this component
    telephony: float
    #: of this component
    platform: float


class CallCostBreakdownLinesItem(TypedDict):
    #: what it is a part of
    component: Literal["transcriber", "llm", "voice", "telephony", "platform"]
    #: that served it
    provider: str
    #: that served it; `transfer` and `transfer-caller` for the legs of a transfer
    model: str
    #: of `unit`
    quantity: float
    #: what the rate is for
    unit: Literal["minute", "1k_characters", "1m_input_tokens", "1m_output_tokens", "1m_text_input_tokens", "1m_text_output_tokens", "1m_audio_input_tokens", "1m_audio_output_tokens", "1m_cached_text_input_tokens", "1m_cached_audio_input_tokens"]
    #: per unit
    rate_paise: float
    #: quantity × rate
    amount_paise: float


class CallCostBreakdownPlanMinutes(TypedDict):
    """what the plan covered"""

    #: included minutes that a minute of the call takes
    multiplier: float
    #: seconds taken from the plan's included minutes
    allowance_seconds_used: float


class CallCostBreakdown(TypedDict):
    """how `cost_paise` came about; empty until charged"""

    #: amounts by component
    components: NotRequired[CallCostBreakdownComponents]
    #: what was used, by provider and model
    lines: NotRequired[list[CallCostBreakdownLinesItem]]
    #: the sum of the lines, rounded up
    usage_paise: NotRequired[int]
    #: the least that a minute costs, by the plan
    floor_per_minute_paise: NotRequired[float]
    #: the least that the call costs, without what the plan covers
    floor_paise: NotRequired[int]
    #: the floor was charged
    floor_applied: NotRequired[bool]
    #: what was charged
    total_paise: NotRequired[int]
    #: live time, rounded up
    duration_seconds: NotRequired[int]
    #: which floor applies
    channel: NotRequired[Literal["phone", "web"]]
    #: what the plan covered
    plan_minutes: NotRequired[CallCostBreakdownPlanMinutes]
    #: `failed`: the call is free because the service ended it by a failure
    waived: NotRequired[Literal["failed"] | None]
    #: the cost without the waiver
    waived_paise: NotRequired[int]
    #: the exchange rate that prices in rupees were converted at; null: the workspace pays in rupees
    paise_per_dollar: NotRequired[Any]


class Call(TypedDict):
    #: the id of the call
    id: str
    agent_id: str | None
    #: as when the call was placed
    agent_name: str
    #: the agent's version the call was placed with
    agent_version: int
    batch_id: str | None
    #: who called whom: `outbound` is placed by the service
    direction: Literal["outbound", "inbound"]
    #: `web`: from a browser, or over a client's stream
    channel: Literal["phone", "web"]
    #: moves forward only; live while `ringing` or `in-progress`; `ended` until analytics and transfers are over
    status: Literal["queued", "ringing", "in-progress", "ended", "completed", "no-answer", "busy", "canceled", "failed"]
    #: E.164; empty where `channel` is `web`
    from_number: str
    #: E.164; empty where `channel` is `web`
    to_number: str
    #: values of the variables in welcome message and prompt
    user_data: dict[str, Any]
    #: only while queued, 1 is next; 1001: a thousand or more are before it
    queue_position: int | None
    #: a person, the label of a key, `batch <name>`, or empty for inbound calls
    started_by: str
    #: the carrier; `stream` for a call over a client's stream, empty for browser calls
    provider: str
    #: when the call was placed or came in
    created_at: str
    not_before_at: str | None
    placed_at: str | None
    started_at: str | None
    ended_at: str | None
    completed_at: str | None
    #: live time, rounded up; 0 before the end
    duration_seconds: int
    #: who ended it: `caller` (the person at the other end), `agent` (it said goodbye, heard nothing, met an answering machine, or transferred the call), `member` (somebody of the workspace, or a key or an app of it), `carrier` (it could not connect or carry the call, also busy and no-answer), `service` (a limit, credits, or a failure of its own); null while live
    hangup_by: Literal["caller", "agent", "member", "carrier", "service"] | None
    #: why it ended, one of a closed list; empty while live
    hangup_reason: str
    #: null when not known
    answered_by: Literal["human", "machine"] | None
    #: of the post-call analytics; empty until analysed or when off
    summary: str
    #: a recording can be fetched
    recorded: bool
    #: from the caller's last word to the agent's first audio, on average; null without a turn
    avg_first_audio_ms: int | None
    #: the last transfer to a person; null when there was none
    transfer: CallTransfer | None
    rescheduled_from: str | None
    rescheduled_to: str | None
    #: what was charged for it, in the smallest unit of `currency`
    cost_paise: int
    #: seconds paid from the plan's included minutes
    plan_seconds_covered: int
    #: what its post-call analytics cost, charged apart
    analysis_cost_paise: int
    #: `INR` or `USD`
    currency: str
    #: what was said, in order
    transcript: list[CallTranscriptItem]
    #: of the post-call analytics: one entry per extraction key, and the keys of the extraction prompt
    extracted: dict[str, Any]
    #: what the call consumed; null when never connected
    usage: CallUsage | None
    #: how `cost_paise` came about; empty until charged
    cost_breakdown: CallCostBreakdown


class TimelineItem(TypedDict):
    #: `evt_` and 32 hex characters; the same in webhooks
    id: str
    #: its position on the timeline, from 1 without a gap
    seq: int
    #: what happened
    type: str
    #: one line for a person; what was said, for events that carry speech
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: int | None
    #: fields of this type of event
    data: dict[str, Any]
    #: when it happened
    created_at: str
    #: the same in milliseconds from the answer, where the recording begins; null when it was never answered
    offset_ms: int | None


class TestScenarioDraft(TypedDict):
    """a scenario that is not saved"""

    #: for display
    name: str
    #: who the caller is and what they want
    persona: str
    #: what the caller says first; empty: the caller waits
    first_message: str
    #: values of the variables in welcome message and prompt
    user_data: dict[str, str | float | bool]
    #: what must be true of the conversation; the run passes when all are
    criteria: list[str]
    #: the conversation ends after so many turns of the caller
    max_turns: int
    #: language the caller speaks, a tag such as `hi` or `en-IN`; empty: the agent's
    language: str
    #: tool name → text the model receives; a tool without an entry answers `ok`, and no request is sent. With an entry for `transfer_call` the caller comes back to the agent with this text
    tool_results: dict[str, str]


class TestScenarioLastRun(TypedDict):
    #: the id of the run
    id: str
    #: `passed`, `failed` and `error` are final
    status: Literal["queued", "running", "passed", "failed", "error"]
    finished_at: str | None


class TestScenario(TypedDict):
    #: 32 hex characters
    id: str
    #: the agent that is tested
    agent_id: str
    #: for display
    name: str
    #: who the caller is and what they want
    persona: str
    #: what the caller says first; empty: the caller waits
    first_message: str
    #: values of the variables in welcome message and prompt
    user_data: dict[str, str | float | bool]
    #: what must be true of the conversation; the run passes when all are
    criteria: list[str]
    #: the conversation ends after so many turns of the caller
    max_turns: int
    #: language the caller speaks, a tag such as `hi` or `en-IN`; empty: the agent's
    language: str
    #: tool name → text the model receives; a tool without an entry answers `ok`, and no request is sent. With an entry for `transfer_call` the caller comes back to the agent with this text
    tool_results: dict[str, str]
    #: the run that was queued last; null while there is none
    last_run: TestScenarioLastRun | None
    #: a person or the label of a key
    created_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: ISO 8601 with the offset of the zone asked for
    updated_at: str


class TestRunVoice(TypedDict):
    #: as it was asked for
    background_noise: str
    #: of the call
    duration_seconds: float
    #: median from the end of the caller's speech to the first audio of the reply, in milliseconds; null where there is none
    first_audio_p50_ms: Any
    #: the same, 95th percentile, in milliseconds; null where there is none
    first_audio_p95_ms: Any
    #: replies that the caller talked over
    interruptions: int
    #: replies that the agent broke off
    replies_interrupted: int
    #: median from the beginning of the caller's interruption to the agent's silence, in milliseconds; null where there is none
    stopped_after_p50_ms: Any
    #: the same, the longest, in milliseconds; null where there is none
    stopped_after_max_ms: Any
    #: for how long both spoke at once, interruptions included
    talk_over_ms: float
    #: audio given to the agent's transcriber
    stt_seconds: float
    #: synthesized for the agent and the caller
    tts_characters: int


class TestRunTranscriptItem(TypedDict):
    #: `user` is the simulated caller
    role: Literal["user", "agent"]
    #: what was said
    text: str
    #: when it was said
    at: str
    #: the agent was talked over, and the text is what was played; always false in text
    interrupted: bool
    #: of the caller, aloud: what the agent's transcriber wrote; empty where it wrote nothing
    transcribed: NotRequired[str]


class TestRunTranscriptItem2(TypedDict):
    #: a tool that the agent called
    role: Literal["tool"]
    #: of the tool
    name: str
    #: as the model wrote them
    args: dict[str, Any]
    #: what the model received; empty for `end_call`
    result: str
    #: when it was called
    at: str


class TestRunCriteriaItem(TypedDict):
    #: the criterion
    text: str
    #: whether it was met
    passed: bool
    #: why, in one sentence
    reason: str
    #: words of the transcript that decide it; empty where none can
    quote: str


class TestRunUsage(TypedDict):
    """what it took"""

    #: of the agent, the caller and the judge together
    llm_input_tokens: int
    #: of the agent, the caller and the judge together
    llm_output_tokens: int
    #: requests to language models
    llm_calls: int


class TestRun(TypedDict):
    #: 32 hex characters
    id: str
    #: the scenario, which may be removed since
    scenario_id: str
    #: the agent that is tested
    agent_id: str
    #: as when the run was queued
    scenario_name: str
    #: the agent's saved version that is tested
    agent_version: int
    #: `queued`, then `running`, then `passed`, `failed` or `error`
    status: Literal["queued", "running", "passed", "failed", "error"]
    #: what was said and done, in order; empty before the end
    transcript: list[TestRunTranscriptItem | TestRunTranscriptItem2]
    #: as it was asked for
    mode: Literal["text", "voice"]
    #: what was measured aloud; null in text, before the end and after an error
    voice: TestRunVoice | None
    #: path of the recording, for a year: stereo WAV, caller left, agent right; null where there is none
    recording_url: Any
    #: as the judge decided them; empty before the end and after an error
    criteria: list[TestRunCriteriaItem]
    #: why there is no result; empty unless the status is `error`
    error: str
    #: what it took
    usage: TestRunUsage
    #: charged at the end; 0 after an error
    cost_paise: int
    #: the billing currency of the workspace
    currency: Literal["INR", "USD"]
    #: a person or the label of a key
    started_by: str
    #: when it was asked for
    queued_at: str
    started_at: str | None
    finished_at: str | None


class KnowledgeBase(TypedDict):
    #: 32 hex characters
    id: str
    #: 1 to 120 characters
    name: str
    #: at most 500 characters; may be empty
    description: str
    #: of its sources together
    status: Literal["empty", "processing", "ready", "failed"]
    #: texts, pages and files in it
    source_count: int
    #: of all sources, after processing
    characters: int
    #: small enough to be put whole into the prompt when knowledge_mode is `auto`
    inline: bool
    #: agents that use it
    agent_ids: list[str]
    #: a name
    created_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: ISO 8601 with the offset of the zone asked for
    updated_at: str


class KnowledgeSource(TypedDict):
    #: 32 hex characters
    id: str
    #: how it came
    kind: Literal["file", "url", "text"]
    #: file name, page title or given name
    name: str
    #: queued and processing become ready or failed
    status: Literal["queued", "processing", "ready", "failed"]
    #: why it failed
    error: str
    #: of a page; otherwise empty
    url: str
    #: as it was uploaded; otherwise empty
    file_name: str
    #: of what was given
    size_bytes: int
    #: after processing
    characters: int
    #: after processing
    passages: int
    #: a name
    created_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: ISO 8601 with the offset of the zone asked for
    updated_at: str


class KnowledgeBaseWithSources(TypedDict):
    #: 32 hex characters
    id: str
    #: 1 to 120 characters
    name: str
    #: at most 500 characters; may be empty
    description: str
    #: of its sources together
    status: Literal["empty", "processing", "ready", "failed"]
    #: texts, pages and files in it
    source_count: int
    #: of all sources, after processing
    characters: int
    #: small enough to be put whole into the prompt when knowledge_mode is `auto`
    inline: bool
    #: agents that use it
    agent_ids: list[str]
    #: a name
    created_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: ISO 8601 with the offset of the zone asked for
    updated_at: str
    #: newest first
    sources: list[KnowledgeSource]


class KnowledgeSearchItemsItem(TypedDict):
    #: where the passage is from
    source_id: str
    #: as the source is called
    source_name: str
    #: the passage itself
    text: str
    #: 0 to 1
    score: float
    #: holds words of the query
    keyword_match: bool


class KnowledgeSearch(TypedDict):
    #: best first
    items: list[KnowledgeSearchItemsItem]
    #: 0 without a provider of embeddings
    embed_ms: float
    #: time the search took
    search_ms: float


class AmbientSound(TypedDict):
    #: as `call.ambient_sound` of an agent names it
    id: str
    #: for display
    name: str
    #: uploads belong to the workspace
    kind: Literal["builtin", "upload"]
    #: until it begins again
    duration_seconds: float
    #: of the WAV file
    size_bytes: int
    #: agents whose calls it plays in
    used_by_agents: int
    #: a name; empty for a built-in one
    created_by: str
    created_at: str | None


class AgentLlmRealtime(TypedDict):
    """of a speech-to-speech model"""

    #: the model's own voice; empty: the provider's default
    voice: str
    #: text: the model hears the caller and writes, and the voice below speaks; not every provider can
    output: Literal["audio", "text"]
    #: who decides that the caller's turn is over
    turn_detection: Literal["service", "model"]
    #: whose model answers what is not spoken, and takes over with voice and transcriber when the session fails
    text_provider: NotRequired[Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]]
    #: empty: the provider's default
    text_model: str


class AgentLlm(TypedDict):
    """language model"""

    #: whose language model
    provider: Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]
    #: empty: the provider's default
    model: str
    #: higher is more varied
    temperature: float
    #: the longest reply in tokens
    max_tokens: int
    #: of a speech-to-speech model
    realtime: NotRequired[AgentLlmRealtime]


class AgentVoicePronunciationsItem(TypedDict):
    #: as it is written, one word or several
    word: str
    #: as it is to be said, in letters that the voice reads; empty: `ipa` alone
    say: str
    #: the same in IPA, for voices that take it; others get `say`
    ipa: str


class AgentVoiceFallbacksItem(TypedDict):
    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider
    voice_id: str
    #: display name
    voice_name: str
    #: empty: the voice's language
    language: str


class AgentVoiceByLanguageItem(TypedDict):
    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider; empty: the provider's default for the language
    voice_id: str
    #: display name
    voice_name: str
    #: ISO 639-1, with or without a region
    language: str


class AgentVoice(TypedDict):
    """text to speech"""

    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: empty: the provider's default
    model: str
    #: a voice from the voices list; empty: the provider's default
    voice_id: str
    #: display name
    voice_name: str
    #: language the agent speaks
    language: str
    #: 1 is normal
    speed: float
    #: words that are said otherwise than they are written; transcripts keep the word
    pronunciations: list[AgentVoicePronunciationsItem]
    #: tried in order when the voice fails
    fallbacks: list[AgentVoiceFallbacksItem]
    #: voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice
    by_language: list[AgentVoiceByLanguageItem]


class AgentTranscriberFallbacksItem(TypedDict):
    #: whose transcriber
    provider: Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]
    #: empty: the provider's default
    model: str
    #: language the caller speaks
    language: str


class AgentTranscriber(TypedDict):
    """speech to text"""

    #: whose transcriber
    provider: Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]
    #: empty: the provider's default
    model: str
    #: how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms
    turn_detection: Literal["responsive", "balanced", "patient"]
    #: the caller's language, for a provider that needs to be told
    language: str
    #: silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself
    endpointing_ms: int
    #: words the recogniser should expect
    keyterms: list[str]
    #: tried in order when the transcriber fails
    fallbacks: list[AgentTranscriberFallbacksItem]


class AgentCallTransferTargetsItem(TypedDict):
    #: what the agent calls this person or team
    name: str
    #: E.164
    number: str
    #: when to transfer here
    description: str


class AgentCallHandoffsItem(TypedDict):
    #: an agent of the workspace
    agent_id: str
    #: what this agent calls it
    name: str
    #: when to hand the call to it
    description: str
    #: how many of the last turns the other agent knows; null: all of them
    history_turns: int | None
    #: what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in
    first_message: str


class AgentCall(TypedDict):
    """call behaviour"""

    #: the call ends after this long
    max_duration_seconds: int
    #: the call ends when nobody speaks for so long
    hangup_after_silence_seconds: int
    #: where the caller changes to another language that the service knows, the conversation goes on in it
    follow_language: bool
    #: the caller can talk over the agent, which stops speaking
    allow_interruptions: bool
    #: words of the caller that stop the agent
    interruption_min_words: int
    #: outbound calls start only inside the hours below
    calling_hours: bool
    #: in `timezone`
    call_start_hour: int
    #: calls start before this hour
    call_end_hour: int
    #: IANA zone of the calling hours
    timezone: str
    #: keep a stereo recording
    record: bool
    #: the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence
    filler_after_ms: int
    #: what it says then, in turn; empty: phrases of the voice's language
    filler_phrases: list[str]
    #: said before the agent hangs up when the conversation is over
    hangup_message: str
    #: after each reply, ask the model whether the conversation is over
    hangup_on_prompt: bool
    #: the question; must be answerable with Yes or No
    hangup_prompt: str
    #: the caller can still talk over the last message
    hangup_interruptible: bool
    #: ask a quiet caller once whether they are still there
    check_user_online: bool
    #: what a quiet caller is asked
    user_online_message: str
    #: silence before the question
    user_online_after_seconds: int
    #: background sound; empty for none
    ambient_sound: str
    #: percent
    ambient_volume: int
    #: take noise out of the caller's sound
    noise_cancellation: bool
    #: percent
    noise_cancellation_strength: int
    #: end the call when a machine answers
    voicemail_detection: bool
    #: how long is listened for a machine
    voicemail_detection_seconds: int
    #: left on the machine; empty: nothing is left
    voicemail_message: str
    #: shown on the called person's telephone
    caller_verification_call_reason: str
    #: take keys the caller presses
    dtmf_input: bool
    #: pause after the last key that ends the input
    dtmf_wait_seconds: float
    #: book a call back when the caller asks for one, during the call or by a check after it
    auto_reschedule: bool
    #: call backs are booked at most so far ahead
    reschedule_max_days: int
    #: the agent may hand the call to a person
    transfer_enabled: bool
    #: whom it may hand the call to
    transfer_targets: list[AgentCallTransferTargetsItem]
    #: other agents that it may let go on with the call
    handoffs: list[AgentCallHandoffsItem]
    #: said before the transfer
    transfer_message: str
    #: the person hears a summary first
    transfer_summary: bool
    #: music while a transfer rings, in place of the background
    hold_music: bool
    #: said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in
    recording_notice: str
    #: the agent may pause the recording, by the tools pause_recording and resume_recording
    recording_pause: bool
    #: a pause of the recording, also one by the API, ends by itself after this long
    recording_pause_seconds: int
    #: card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording
    redact_cards: bool
    #: Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording
    redact_identity_numbers: bool


class AgentAnalyticsExtractionsItemChoicesItem(TypedDict):
    #: as it is saved
    value: str
    #: when this is the one
    when: str


class AgentAnalyticsExtractionsItem(TypedDict):
    #: its name in `extracted`
    key: str
    #: display name
    label: str
    #: what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said
    type: Literal["text", "number", "boolean", "choice", "date", "list"]
    #: what to look for in the call
    description: str
    #: of a `choice`
    choices: list[AgentAnalyticsExtractionsItemChoicesItem]


class AgentAnalytics(TypedDict):
    """run once the call ends"""

    #: write a summary of the call
    summarize: bool
    #: what to find out from the call
    extractions: list[AgentAnalyticsExtractionsItem]
    #: its result is saved as JSON in `extracted`
    extraction_prompt: str


class AgentToolsItemResults(TypedDict):
    """what becomes of a JSON response of status 2xx"""

    #: where in the JSON what the model gets is; empty: all
    path: str
    #: variables of the call that take a value of the JSON: name to path, like `order.items[0].price`
    variables: dict[str, str]
    #: said after a success, in place of an answer of the model; `{variables}` are filled in
    message: str


class AgentToolsItem(TypedDict):
    #: what the model and the timeline call it
    name: str
    #: when the model should use it
    description: str
    #: JSON Schema of the arguments
    parameters: dict[str, Any]
    #: client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it
    kind: Literal["http", "client"]
    #: GET sends the arguments as query parameters, POST as JSON
    method: Literal["GET", "POST"]
    #: called by the service; no private addresses; needed by an HTTP tool
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: dict[str, str]
    #: said while the request runs
    pre_call_message: str
    #: the request is abandoned after this long
    timeout_seconds: float
    #: what becomes of a JSON response of status 2xx
    results: AgentToolsItemResults


class AgentMcpServersItem(TypedDict):
    #: precedes the name of a tool where another tool has that name
    name: str
    #: called by the service; no private addresses
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: dict[str, str]
    #: names of the server's tools that the model may call; empty: all of them
    tools: list[str]
    #: the request is abandoned after this long
    timeout_seconds: float


class Agent(TypedDict):
    #: 32 hex characters
    id: str
    #: for display; 1 to 120 characters
    name: str
    #: said first; `{variables}` are filled in
    welcome_message: str
    #: instructions of the language model; `{variables}` are filled in
    system_prompt: str
    #: language model
    llm: AgentLlm
    #: text to speech
    voice: AgentVoice
    #: speech to text
    transcriber: AgentTranscriber
    #: call behaviour
    call: AgentCall
    #: run once the call ends
    analytics: AgentAnalytics
    #: HTTP tools, and tools of the page, that the model can call
    tools: list[AgentToolsItem]
    #: servers of the Model Context Protocol whose tools the model can call
    mcp_servers: list[AgentMcpServersItem]
    #: what the agent may look into
    knowledge_base_ids: list[str]
    #: auto: small bases stand in the prompt as a whole
    knowledge_mode: Literal["auto", "search"]
    #: https; receives the lifecycle events of this agent's calls
    webhook_url: str
    #: a frozen agent takes and places no calls
    status: Literal["active", "paused", "frozen"]
    #: number of a drawing, or address of a picture; null: none
    avatar: int | str | None
    #: number that answers for this agent
    phone_number: str
    #: increases with every saved change
    version: int
    #: who made the last change
    updated_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: ISO 8601 with the offset of the zone asked for
    updated_at: str
    frozen_at: str | None
    #: the rule that was broken; set when frozen
    frozen_reason: str
    #: the incident that froze it; empty otherwise
    frozen_incident_id: str
    #: the status before
    frozen_from: str
    #: every `{variable}` used by the welcome message and prompt, in order
    variables: list[str]


class SavedAgentLlmRealtime(TypedDict):
    """of a speech-to-speech model"""

    #: the model's own voice; empty: the provider's default
    voice: str
    #: text: the model hears the caller and writes, and the voice below speaks; not every provider can
    output: Literal["audio", "text"]
    #: who decides that the caller's turn is over
    turn_detection: Literal["service", "model"]
    #: whose model answers what is not spoken, and takes over with voice and transcriber when the session fails
    text_provider: NotRequired[Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]]
    #: empty: the provider's default
    text_model: str


class SavedAgentLlm(TypedDict):
    """language model"""

    #: whose language model
    provider: Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]
    #: empty: the provider's default
    model: str
    #: higher is more varied
    temperature: float
    #: the longest reply in tokens
    max_tokens: int
    #: of a speech-to-speech model
    realtime: NotRequired[SavedAgentLlmRealtime]


class SavedAgentVoicePronunciationsItem(TypedDict):
    #: as it is written, one word or several
    word: str
    #: as it is to be said, in letters that the voice reads; empty: `ipa` alone
    say: str
    #: the same in IPA, for voices that take it; others get `say`
    ipa: str


class SavedAgentVoiceFallbacksItem(TypedDict):
    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider
    voice_id: str
    #: display name
    voice_name: str
    #: empty: the voice's language
    language: str


class SavedAgentVoiceByLanguageItem(TypedDict):
    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider; empty: the provider's default for the language
    voice_id: str
    #: display name
    voice_name: str
    #: ISO 639-1, with or without a region
    language: str


class SavedAgentVoice(TypedDict):
    """text to speech"""

    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: empty: the provider's default
    model: str
    #: a voice from the voices list; empty: the provider's default
    voice_id: str
    #: display name
    voice_name: str
    #: language the agent speaks
    language: str
    #: 1 is normal
    speed: float
    #: words that are said otherwise than they are written; transcripts keep the word
    pronunciations: list[SavedAgentVoicePronunciationsItem]
    #: tried in order when the voice fails
    fallbacks: list[SavedAgentVoiceFallbacksItem]
    #: voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice
    by_language: list[SavedAgentVoiceByLanguageItem]


class SavedAgentTranscriberFallbacksItem(TypedDict):
    #: whose transcriber
    provider: Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]
    #: empty: the provider's default
    model: str
    #: language the caller speaks
    language: str


class SavedAgentTranscriber(TypedDict):
    """speech to text"""

    #: whose transcriber
    provider: Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]
    #: empty: the provider's default
    model: str
    #: how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms
    turn_detection: Literal["responsive", "balanced", "patient"]
    #: the caller's language, for a provider that needs to be told
    language: str
    #: silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself
    endpointing_ms: int
    #: words the recogniser should expect
    keyterms: list[str]
    #: tried in order when the transcriber fails
    fallbacks: list[SavedAgentTranscriberFallbacksItem]


class SavedAgentCallTransferTargetsItem(TypedDict):
    #: what the agent calls this person or team
    name: str
    #: E.164
    number: str
    #: when to transfer here
    description: str


class SavedAgentCallHandoffsItem(TypedDict):
    #: an agent of the workspace
    agent_id: str
    #: what this agent calls it
    name: str
    #: when to hand the call to it
    description: str
    #: how many of the last turns the other agent knows; null: all of them
    history_turns: int | None
    #: what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in
    first_message: str


class SavedAgentCall(TypedDict):
    """call behaviour"""

    #: the call ends after this long
    max_duration_seconds: int
    #: the call ends when nobody speaks for so long
    hangup_after_silence_seconds: int
    #: where the caller changes to another language that the service knows, the conversation goes on in it
    follow_language: bool
    #: the caller can talk over the agent, which stops speaking
    allow_interruptions: bool
    #: words of the caller that stop the agent
    interruption_min_words: int
    #: outbound calls start only inside the hours below
    calling_hours: bool
    #: in `timezone`
    call_start_hour: int
    #: calls start before this hour
    call_end_hour: int
    #: IANA zone of the calling hours
    timezone: str
    #: keep a stereo recording
    record: bool
    #: the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence
    filler_after_ms: int
    #: what it says then, in turn; empty: phrases of the voice's language
    filler_phrases: list[str]
    #: said before the agent hangs up when the conversation is over
    hangup_message: str
    #: after each reply, ask the model whether the conversation is over
    hangup_on_prompt: bool
    #: the question; must be answerable with Yes or No
    hangup_prompt: str
    #: the caller can still talk over the last message
    hangup_interruptible: bool
    #: ask a quiet caller once whether they are still there
    check_user_online: bool
    #: what a quiet caller is asked
    user_online_message: str
    #: silence before the question
    user_online_after_seconds: int
    #: background sound; empty for none
    ambient_sound: str
    #: percent
    ambient_volume: int
    #: take noise out of the caller's sound
    noise_cancellation: bool
    #: percent
    noise_cancellation_strength: int
    #: end the call when a machine answers
    voicemail_detection: bool
    #: how long is listened for a machine
    voicemail_detection_seconds: int
    #: left on the machine; empty: nothing is left
    voicemail_message: str
    #: shown on the called person's telephone
    caller_verification_call_reason: str
    #: take keys the caller presses
    dtmf_input: bool
    #: pause after the last key that ends the input
    dtmf_wait_seconds: float
    #: book a call back when the caller asks for one, during the call or by a check after it
    auto_reschedule: bool
    #: call backs are booked at most so far ahead
    reschedule_max_days: int
    #: the agent may hand the call to a person
    transfer_enabled: bool
    #: whom it may hand the call to
    transfer_targets: list[SavedAgentCallTransferTargetsItem]
    #: other agents that it may let go on with the call
    handoffs: list[SavedAgentCallHandoffsItem]
    #: said before the transfer
    transfer_message: str
    #: the person hears a summary first
    transfer_summary: bool
    #: music while a transfer rings, in place of the background
    hold_music: bool
    #: said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in
    recording_notice: str
    #: the agent may pause the recording, by the tools pause_recording and resume_recording
    recording_pause: bool
    #: a pause of the recording, also one by the API, ends by itself after this long
    recording_pause_seconds: int
    #: card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording
    redact_cards: bool
    #: Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording
    redact_identity_numbers: bool


class SavedAgentAnalyticsExtractionsItemChoicesItem(TypedDict):
    #: as it is saved
    value: str
    #: when this is the one
    when: str


class SavedAgentAnalyticsExtractionsItem(TypedDict):
    #: its name in `extracted`
    key: str
    #: display name
    label: str
    #: what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said
    type: Literal["text", "number", "boolean", "choice", "date", "list"]
    #: what to look for in the call
    description: str
    #: of a `choice`
    choices: list[SavedAgentAnalyticsExtractionsItemChoicesItem]


class SavedAgentAnalytics(TypedDict):
    """run once the call ends"""

    #: write a summary of the call
    summarize: bool
    #: what to find out from the call
    extractions: list[SavedAgentAnalyticsExtractionsItem]
    #: its result is saved as JSON in `extracted`
    extraction_prompt: str


class SavedAgentToolsItemResults(TypedDict):
    """what becomes of a JSON response of status 2xx"""

    #: where in the JSON what the model gets is; empty: all
    path: str
    #: variables of the call that take a value of the JSON: name to path, like `order.items[0].price`
    variables: dict[str, str]
    #: said after a success, in place of an answer of the model; `{variables}` are filled in
    message: str


class SavedAgentToolsItem(TypedDict):
    #: what the model and the timeline call it
    name: str
    #: when the model should use it
    description: str
    #: JSON Schema of the arguments
    parameters: dict[str, Any]
    #: client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it
    kind: Literal["http", "client"]
    #: GET sends the arguments as query parameters, POST as JSON
    method: Literal["GET", "POST"]
    #: called by the service; no private addresses; needed by an HTTP tool
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: dict[str, str]
    #: said while the request runs
    pre_call_message: str
    #: the request is abandoned after this long
    timeout_seconds: float
    #: what becomes of a JSON response of status 2xx
    results: SavedAgentToolsItemResults


class SavedAgentMcpServersItem(TypedDict):
    #: precedes the name of a tool where another tool has that name
    name: str
    #: called by the service; no private addresses
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: dict[str, str]
    #: names of the server's tools that the model may call; empty: all of them
    tools: list[str]
    #: the request is abandoned after this long
    timeout_seconds: float


class SavedAgentWarningsItem(TypedDict):
    #: the field, as in a 422
    loc: list[str | int]
    #: what is saved instead, or has no effect
    msg: str


class SavedAgent(TypedDict):
    #: 32 hex characters
    id: str
    #: for display; 1 to 120 characters
    name: str
    #: said first; `{variables}` are filled in
    welcome_message: str
    #: instructions of the language model; `{variables}` are filled in
    system_prompt: str
    #: language model
    llm: SavedAgentLlm
    #: text to speech
    voice: SavedAgentVoice
    #: speech to text
    transcriber: SavedAgentTranscriber
    #: call behaviour
    call: SavedAgentCall
    #: run once the call ends
    analytics: SavedAgentAnalytics
    #: HTTP tools, and tools of the page, that the model can call
    tools: list[SavedAgentToolsItem]
    #: servers of the Model Context Protocol whose tools the model can call
    mcp_servers: list[SavedAgentMcpServersItem]
    #: what the agent may look into
    knowledge_base_ids: list[str]
    #: auto: small bases stand in the prompt as a whole
    knowledge_mode: Literal["auto", "search"]
    #: https; receives the lifecycle events of this agent's calls
    webhook_url: str
    #: a frozen agent takes and places no calls
    status: Literal["active", "paused", "frozen"]
    #: number of a drawing, or address of a picture; null: none
    avatar: int | str | None
    #: number that answers for this agent
    phone_number: str
    #: increases with every saved change
    version: int
    #: who made the last change
    updated_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: ISO 8601 with the offset of the zone asked for
    updated_at: str
    frozen_at: str | None
    #: the rule that was broken; set when frozen
    frozen_reason: str
    #: the incident that froze it; empty otherwise
    frozen_incident_id: str
    #: the status before
    frozen_from: str
    #: every `{variable}` used by the welcome message and prompt, in order
    variables: list[str]
    #: settings that its providers take in part or not at all; left out when there are none
    warnings: NotRequired[list[SavedAgentWarningsItem]]


class AgentCanaryFiguresCanary(TypedDict):
    """of the calls with this version"""

    #: created in this time
    calls: int
    #: of them answered
    connected: int
    #: with status `completed`
    completed: int
    #: with status `failed`
    failed: int
    #: with status `no-answer`
    no_answer: int
    #: with status `busy`
    busy: int
    #: with status `canceled`
    canceled: int
    #: connected ones among those that are over, 0 to 1
    answer_rate: float
    #: of connected calls that are over
    avg_duration_seconds: int
    #: from the caller's last word to the agent's first sound, median; at most 2.5 % off
    first_audio_p50_ms: int | None
    #: the same, 95th percentile
    first_audio_p95_ms: int | None
    #: charged for these calls, in the smallest unit of `currency`
    cost_paise: int
    #: answered by a machine
    voicemail: int


class AgentCanaryFiguresOthers(TypedDict):
    """of the agent's other calls"""

    #: created in this time
    calls: int
    #: of them answered
    connected: int
    #: with status `completed`
    completed: int
    #: with status `failed`
    failed: int
    #: with status `no-answer`
    no_answer: int
    #: with status `busy`
    busy: int
    #: with status `canceled`
    canceled: int
    #: connected ones among those that are over, 0 to 1
    answer_rate: float
    #: of connected calls that are over
    avg_duration_seconds: int
    #: from the caller's last word to the agent's first sound, median; at most 2.5 % off
    first_audio_p50_ms: int | None
    #: the same, 95th percentile
    first_audio_p95_ms: int | None
    #: charged for these calls, in the smallest unit of `currency`
    cost_paise: int
    #: answered by a machine
    voicemail: int


class AgentCanaryFigures(TypedDict):
    """of calls made since the canary began, those that wait in the queue left out: of the newest 20000 finished ones, 2000 each at most"""

    #: of the calls with this version
    canary: AgentCanaryFiguresCanary
    #: of the agent's other calls
    others: AgentCanaryFiguresOthers


class AgentCanary(TypedDict):
    #: the version that a share of the new calls uses
    version: int
    #: of the agent's new calls, for a call decided when it is made
    percent: int
    #: ISO 8601 with the offset of the zone asked for
    started_at: str
    #: a name
    started_by: str
    #: of calls made since the canary began, those that wait in the queue left out: of the newest 20000 finished ones, 2000 each at most
    figures: AgentCanaryFigures
    #: `INR` or `USD`
    currency: str


class AgentCanarySettings(TypedDict):
    #: the version that a share of the new calls uses
    version: int
    #: of the agent's new calls, for a call decided when it is made
    percent: int
    #: ISO 8601 with the offset of the zone asked for
    started_at: str
    #: a name
    started_by: str


class AgentLatencyFirstAudioMs(TypedDict):
    """from the end of the caller's speech to the first audio of the reply, in milliseconds, at most 2.5 % off; null where nothing was measured"""

    #: milliseconds; null when nothing was measured
    p50: int | None
    #: milliseconds; null when nothing was measured
    p90: int | None
    #: milliseconds; null when nothing was measured
    p95: int | None


class AgentLatencyLlmFirstTokenMs(TypedDict):
    """from the end of the caller's speech to the model's first token, in milliseconds, at most 2.5 % off; null where nothing was measured"""

    #: milliseconds; null when nothing was measured
    p50: int | None
    #: milliseconds; null when nothing was measured
    p90: int | None
    #: milliseconds; null when nothing was measured
    p95: int | None


class AgentLatencyWelcomeMs(TypedDict):
    """from the start of the call to the first audio of the welcome message, in milliseconds, at most 2.5 % off; null where nothing was measured"""

    #: milliseconds; null when nothing was measured
    p50: int | None
    #: milliseconds; null when nothing was measured
    p90: int | None
    #: milliseconds; null when nothing was measured
    p95: int | None


class AgentLatencyToolMs(TypedDict):
    """time of a tool's request, in milliseconds, at most 2.5 % off; null where nothing was measured"""

    #: milliseconds; null when nothing was measured
    p50: int | None
    #: milliseconds; null when nothing was measured
    p90: int | None
    #: milliseconds; null when nothing was measured
    p95: int | None


class AgentLatencyByDayItem(TypedDict):
    #: YYYY-MM-DD in the zone of the request
    day: str
    #: replies measured on that day
    turns: int
    #: milliseconds; null when nothing was measured
    first_audio_p50_ms: int | None
    #: milliseconds; null when nothing was measured
    first_audio_p95_ms: int | None


class AgentLatency(TypedDict):
    #: length of the period
    days: int
    #: answered calls of these days
    calls: int
    #: replies whose first audio was measured
    turns: int
    #: from the end of the caller's speech to the first audio of the reply, in milliseconds, at most 2.5 % off; null where nothing was measured
    first_audio_ms: AgentLatencyFirstAudioMs
    #: from the end of the caller's speech to the model's first token, in milliseconds, at most 2.5 % off; null where nothing was measured
    llm_first_token_ms: AgentLatencyLlmFirstTokenMs
    #: from the start of the call to the first audio of the welcome message, in milliseconds, at most 2.5 % off; null where nothing was measured
    welcome_ms: AgentLatencyWelcomeMs
    #: time of a tool's request, in milliseconds, at most 2.5 % off; null where nothing was measured
    tool_ms: AgentLatencyToolMs
    #: every day, oldest first; a call counts for the day it was created in
    by_day: list[AgentLatencyByDayItem]


class PriceEstimateComponentsItem(TypedDict):
    #: what is paid for
    key: Literal["transcriber", "llm", "voice", "telephony", "platform"]
    #: for display
    label: str
    #: who is paid
    provider: str
    #: which of its models; may be empty
    model: str
    #: with up to four decimals
    paise_per_minute: float


class PriceEstimateAssumptions(TypedDict):
    """what the estimate takes for a usual minute"""

    #: seconds of audio that are transcribed
    caller_audio_seconds_per_minute: int
    #: characters the voice speaks
    tts_characters_per_minute: int
    #: replies of the language model
    llm_turns_per_minute: int
    #: every turn reads the prompt, the service's instructions and the conversation so far
    llm_input_tokens_per_minute: int
    #: tokens of all replies
    llm_output_tokens_per_minute: int
    #: characters of the prompt and of the knowledge in it / 4
    prompt_tokens: int


class PriceEstimate(TypedDict):
    #: the parts of the price
    components: list[PriceEstimateComponentsItem]
    #: the components together, rounded up once
    usage_paise_per_minute: int
    #: the plan's price of a minute
    floor_paise_per_minute: int
    #: the greater of the two
    total_paise_per_minute: int
    #: the plan's price is the greater one
    floor_applied: bool
    #: what the estimate takes for a usual minute
    assumptions: PriceEstimateAssumptions
    #: included minutes that one minute uses up; at least 1
    plan_minutes_multiplier: float
    #: what the estimate is for
    channel: Literal["phone", "web"]
    #: of all amounts
    currency: Literal["INR", "USD"]


class GeneratedPrompt(TypedDict):
    #: what the agent says first
    welcome_message: str
    #: its instructions
    system_prompt: str
    #: every `{variable}` used by them, in order
    variables: list[str]
    #: what it cost, taken from the credits
    cost_paise: int
    #: the billing currency of the workspace
    currency: Literal["INR", "USD"]


class AgentShare(TypedDict):
    #: the share's name in paths; anyone who knows it can read and copy the agent
    token: str
    #: the agent that was shared
    agent_id: str
    #: as it was called then
    agent_name: str
    #: the version shared; later changes are not followed
    version: int
    #: page of the console
    url: str
    #: how often it was copied
    copies: int
    #: a name
    created_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: null: never
    expires_at: str | None


class SharedAgentAgentLlmRealtime(TypedDict):
    """of a speech-to-speech model"""

    #: the model's own voice; empty: the provider's default
    voice: str
    #: text: the model hears the caller and writes, and the voice below speaks; not every provider can
    output: Literal["audio", "text"]
    #: who decides that the caller's turn is over
    turn_detection: Literal["service", "model"]
    #: whose model answers what is not spoken, and takes over with voice and transcriber when the session fails
    text_provider: NotRequired[Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]]
    #: empty: the provider's default
    text_model: str


class SharedAgentAgentLlm(TypedDict):
    """language model"""

    #: whose language model
    provider: Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]
    #: empty: the provider's default
    model: str
    #: higher is more varied
    temperature: float
    #: the longest reply in tokens
    max_tokens: int
    #: of a speech-to-speech model
    realtime: NotRequired[SharedAgentAgentLlmRealtime]


class SharedAgentAgentVoicePronunciationsItem(TypedDict):
    #: as it is written, one word or several
    word: str
    #: as it is to be said, in letters that the voice reads; empty: `ipa` alone
    say: str
    #: the same in IPA, for voices that take it; others get `say`
    ipa: str


class SharedAgentAgentVoiceFallbacksItem(TypedDict):
    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider
    voice_id: str
    #: display name
    voice_name: str
    #: empty: the voice's language
    language: str


class SharedAgentAgentVoiceByLanguageItem(TypedDict):
    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider; empty: the provider's default for the language
    voice_id: str
    #: display name
    voice_name: str
    #: ISO 639-1, with or without a region
    language: str


class SharedAgentAgentVoice(TypedDict):
    """text to speech"""

    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: empty: the provider's default
    model: str
    #: a voice from the voices list; empty: the provider's default
    voice_id: str
    #: display name
    voice_name: str
    #: language the agent speaks
    language: str
    #: 1 is normal
    speed: float
    #: words that are said otherwise than they are written; transcripts keep the word
    pronunciations: list[SharedAgentAgentVoicePronunciationsItem]
    #: tried in order when the voice fails
    fallbacks: list[SharedAgentAgentVoiceFallbacksItem]
    #: voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice
    by_language: list[SharedAgentAgentVoiceByLanguageItem]


class SharedAgentAgentTranscriberFallbacksItem(TypedDict):
    #: whose transcriber
    provider: Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]
    #: empty: the provider's default
    model: str
    #: language the caller speaks
    language: str


class SharedAgentAgentTranscriber(TypedDict):
    """speech to text"""

    #: whose transcriber
    provider: Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]
    #: empty: the provider's default
    model: str
    #: how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms
    turn_detection: Literal["responsive", "balanced", "patient"]
    #: the caller's language, for a provider that needs to be told
    language: str
    #: silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself
    endpointing_ms: int
    #: words the recogniser should expect
    keyterms: list[str]
    #: tried in order when the transcriber fails
    fallbacks: list[SharedAgentAgentTranscriberFallbacksItem]


class SharedAgentAgentCallTransferTargetsItem(TypedDict):
    #: what the agent calls this person or team
    name: str
    #: E.164
    number: str
    #: when to transfer here
    description: str


class SharedAgentAgentCallHandoffsItem(TypedDict):
    #: an agent of the workspace
    agent_id: str
    #: what this agent calls it
    name: str
    #: when to hand the call to it
    description: str
    #: how many of the last turns the other agent knows; null: all of them
    history_turns: int | None
    #: what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in
    first_message: str


class SharedAgentAgentCall(TypedDict):
    """call behaviour"""

    #: the call ends after this long
    max_duration_seconds: int
    #: the call ends when nobody speaks for so long
    hangup_after_silence_seconds: int
    #: where the caller changes to another language that the service knows, the conversation goes on in it
    follow_language: bool
    #: the caller can talk over the agent, which stops speaking
    allow_interruptions: bool
    #: words of the caller that stop the agent
    interruption_min_words: int
    #: outbound calls start only inside the hours below
    calling_hours: bool
    #: in `timezone`
    call_start_hour: int
    #: calls start before this hour
    call_end_hour: int
    #: IANA zone of the calling hours
    timezone: str
    #: keep a stereo recording
    record: bool
    #: the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence
    filler_after_ms: int
    #: what it says then, in turn; empty: phrases of the voice's language
    filler_phrases: list[str]
    #: said before the agent hangs up when the conversation is over
    hangup_message: str
    #: after each reply, ask the model whether the conversation is over
    hangup_on_prompt: bool
    #: the question; must be answerable with Yes or No
    hangup_prompt: str
    #: the caller can still talk over the last message
    hangup_interruptible: bool
    #: ask a quiet caller once whether they are still there
    check_user_online: bool
    #: what a quiet caller is asked
    user_online_message: str
    #: silence before the question
    user_online_after_seconds: int
    #: background sound; empty for none
    ambient_sound: str
    #: percent
    ambient_volume: int
    #: take noise out of the caller's sound
    noise_cancellation: bool
    #: percent
    noise_cancellation_strength: int
    #: end the call when a machine answers
    voicemail_detection: bool
    #: how long is listened for a machine
    voicemail_detection_seconds: int
    #: left on the machine; empty: nothing is left
    voicemail_message: str
    #: shown on the called person's telephone
    caller_verification_call_reason: str
    #: take keys the caller presses
    dtmf_input: bool
    #: pause after the last key that ends the input
    dtmf_wait_seconds: float
    #: book a call back when the caller asks for one, during the call or by a check after it
    auto_reschedule: bool
    #: call backs are booked at most so far ahead
    reschedule_max_days: int
    #: the agent may hand the call to a person
    transfer_enabled: bool
    #: whom it may hand the call to
    transfer_targets: list[SharedAgentAgentCallTransferTargetsItem]
    #: other agents that it may let go on with the call
    handoffs: list[SharedAgentAgentCallHandoffsItem]
    #: said before the transfer
    transfer_message: str
    #: the person hears a summary first
    transfer_summary: bool
    #: music while a transfer rings, in place of the background
    hold_music: bool
    #: said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in
    recording_notice: str
    #: the agent may pause the recording, by the tools pause_recording and resume_recording
    recording_pause: bool
    #: a pause of the recording, also one by the API, ends by itself after this long
    recording_pause_seconds: int
    #: card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording
    redact_cards: bool
    #: Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording
    redact_identity_numbers: bool


class SharedAgentAgentAnalyticsExtractionsItemChoicesItem(TypedDict):
    #: as it is saved
    value: str
    #: when this is the one
    when: str


class SharedAgentAgentAnalyticsExtractionsItem(TypedDict):
    #: its name in `extracted`
    key: str
    #: display name
    label: str
    #: what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said
    type: Literal["text", "number", "boolean", "choice", "date", "list"]
    #: what to look for in the call
    description: str
    #: of a `choice`
    choices: list[SharedAgentAgentAnalyticsExtractionsItemChoicesItem]


class SharedAgentAgentAnalytics(TypedDict):
    """run once the call ends"""

    #: write a summary of the call
    summarize: bool
    #: what to find out from the call
    extractions: list[SharedAgentAgentAnalyticsExtractionsItem]
    #: its result is saved as JSON in `extracted`
    extraction_prompt: str


class SharedAgentAgentToolsItemResults(TypedDict):
    """what becomes of a JSON response of status 2xx"""

    #: where in the JSON what the model gets is; empty: all
    path: str
    #: variables of the call that take a value of the JSON: name to path, like `order.items[0].price`
    variables: dict[str, str]
    #: said after a success, in place of an answer of the model; `{variables}` are filled in
    message: str


class SharedAgentAgentToolsItem(TypedDict):
    #: what the model and the timeline call it
    name: str
    #: when the model should use it
    description: str
    #: JSON Schema of the arguments
    parameters: dict[str, Any]
    #: client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it
    kind: Literal["http", "client"]
    #: GET sends the arguments as query parameters, POST as JSON
    method: Literal["GET", "POST"]
    #: called by the service; no private addresses; needed by an HTTP tool
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: dict[str, str]
    #: said while the request runs
    pre_call_message: str
    #: the request is abandoned after this long
    timeout_seconds: float
    #: what becomes of a JSON response of status 2xx
    results: SharedAgentAgentToolsItemResults


class SharedAgentAgentMcpServersItem(TypedDict):
    #: precedes the name of a tool where another tool has that name
    name: str
    #: called by the service; no private addresses
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: dict[str, str]
    #: names of the server's tools that the model may call; empty: all of them
    tools: list[str]
    #: the request is abandoned after this long
    timeout_seconds: float


class SharedAgentAgent(TypedDict):
    """the configuration without webhook address, header values, knowledge bases, transfer targets and uploads"""

    #: for display; 1 to 120 characters
    name: str
    #: said first; `{variables}` are filled in
    welcome_message: str
    #: instructions of the language model; `{variables}` are filled in
    system_prompt: str
    #: language model
    llm: SharedAgentAgentLlm
    #: text to speech
    voice: SharedAgentAgentVoice
    #: speech to text
    transcriber: SharedAgentAgentTranscriber
    #: call behaviour
    call: SharedAgentAgentCall
    #: run once the call ends
    analytics: SharedAgentAgentAnalytics
    #: HTTP tools, and tools of the page, that the model can call
    tools: list[SharedAgentAgentToolsItem]
    #: servers of the Model Context Protocol whose tools the model can call
    mcp_servers: list[SharedAgentAgentMcpServersItem]
    #: what the agent may look into
    knowledge_base_ids: list[str]
    #: auto: small bases stand in the prompt as a whole
    knowledge_mode: Literal["auto", "search"]
    #: https; receives the lifecycle events of this agent's calls
    webhook_url: str
    #: a paused agent takes and places no calls
    status: Literal["active", "paused"]
    #: number of a drawing, or address of a picture; null: none
    avatar: int | str | None


class SharedAgent(TypedDict):
    #: its name in paths
    token: str
    #: as it was called then
    agent_name: str
    #: whose agent it is
    workspace_name: str
    #: the configuration without webhook address, header values, knowledge bases, transfer targets and uploads
    agent: SharedAgentAgent
    expires_at: str | None


class AgentVersion(TypedDict):
    #: counts from 1
    version: int
    #: the present version of the agent
    current: bool
    #: the version it was restored from
    restored_from: int | None
    #: dotted names of the fields that differ from the version before
    changes: list[str]
    #: ISO 8601 with the offset of the zone asked for
    saved_at: str
    #: a name
    saved_by: str


class AgentVersionWithConfigurationAgentLlmRealtime(TypedDict):
    """of a speech-to-speech model"""

    #: the model's own voice; empty: the provider's default
    voice: str
    #: text: the model hears the caller and writes, and the voice below speaks; not every provider can
    output: Literal["audio", "text"]
    #: who decides that the caller's turn is over
    turn_detection: Literal["service", "model"]
    #: whose model answers what is not spoken, and takes over with voice and transcriber when the session fails
    text_provider: NotRequired[Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]]
    #: empty: the provider's default
    text_model: str


class AgentVersionWithConfigurationAgentLlm(TypedDict):
    """language model"""

    #: whose language model
    provider: Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]
    #: empty: the provider's default
    model: str
    #: higher is more varied
    temperature: float
    #: the longest reply in tokens
    max_tokens: int
    #: of a speech-to-speech model
    realtime: NotRequired[AgentVersionWithConfigurationAgentLlmRealtime]


class AgentVersionWithConfigurationAgentVoicePronunciationsItem(TypedDict):
    #: as it is written, one word or several
    word: str
    #: as it is to be said, in letters that the voice reads; empty: `ipa` alone
    say: str
    #: the same in IPA, for voices that take it; others get `say`
    ipa: str


class AgentVersionWithConfigurationAgentVoiceFallbacksItem(TypedDict):
    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider
    voice_id: str
    #: display name
    voice_name: str
    #: empty: the voice's language
    language: str


class AgentVersionWithConfigurationAgentVoiceByLanguageItem(TypedDict):
    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider; empty: the provider's default for the language
    voice_id: str
    #: display name
    voice_name: str
    #: ISO 639-1, with or without a region
    language: str


class AgentVersionWithConfigurationAgentVoice(TypedDict):
    """text to speech"""

    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: empty: the provider's default
    model: str
    #: a voice from the voices list; empty: the provider's default
    voice_id: str
    #: display name
    voice_name: str
    #: language the agent speaks
    language: str
    #: 1 is normal
    speed: float
    #: words that are said otherwise than they are written; transcripts keep the word
    pronunciations: list[AgentVersionWithConfigurationAgentVoicePronunciationsItem]
    #: tried in order when the voice fails
    fallbacks: list[AgentVersionWithConfigurationAgentVoiceFallbacksItem]
    #: voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice
    by_language: list[AgentVersionWithConfigurationAgentVoiceByLanguageItem]


class AgentVersionWithConfigurationAgentTranscriberFallbacksItem(TypedDict):
    #: whose transcriber
    provider: Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]
    #: empty: the provider's default
    model: str
    #: language the caller speaks
    language: str


class AgentVersionWithConfigurationAgentTranscriber(TypedDict):
    """speech to text"""

    #: whose transcriber
    provider: Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]
    #: empty: the provider's default
    model: str
    #: how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms
    turn_detection: Literal["responsive", "balanced", "patient"]
    #: the caller's language, for a provider that needs to be told
    language: str
    #: silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself
    endpointing_ms: int
    #: words the recogniser should expect
    keyterms: list[str]
    #: tried in order when the transcriber fails
    fallbacks: list[AgentVersionWithConfigurationAgentTranscriberFallbacksItem]


class AgentVersionWithConfigurationAgentCallTransferTargetsItem(TypedDict):
    #: what the agent calls this person or team
    name: str
    #: E.164
    number: str
    #: when to transfer here
    description: str


class AgentVersionWithConfigurationAgentCallHandoffsItem(TypedDict):
    #: an agent of the workspace
    agent_id: str
    #: what this agent calls it
    name: str
    #: when to hand the call to it
    description: str
    #: how many of the last turns the other agent knows; null: all of them
    history_turns: int | None
    #: what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in
    first_message: str


class AgentVersionWithConfigurationAgentCall(TypedDict):
    """call behaviour"""

    #: the call ends after this long
    max_duration_seconds: int
    #: the call ends when nobody speaks for so long
    hangup_after_silence_seconds: int
    #: where the caller changes to another language that the service knows, the conversation goes on in it
    follow_language: bool
    #: the caller can talk over the agent, which stops speaking
    allow_interruptions: bool
    #: words of the caller that stop the agent
    interruption_min_words: int
    #: outbound calls start only inside the hours below
    calling_hours: bool
    #: in `timezone`
    call_start_hour: int
    #: calls start before this hour
    call_end_hour: int
    #: IANA zone of the calling hours
    timezone: str
    #: keep a stereo recording
    record: bool
    #: the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence
    filler_after_ms: int
    #: what it says then, in turn; empty: phrases of the voice's language
    filler_phrases: list[str]
    #: said before the agent hangs up when the conversation is over
    hangup_message: str
    #: after each reply, ask the model whether the conversation is over
    hangup_on_prompt: bool
    #: the question; must be answerable with Yes or No
    hangup_prompt: str
    #: the caller can still talk over the last message
    hangup_interruptible: bool
    #: ask a quiet caller once whether they are still there
    check_user_online: bool
    #: what a quiet caller is asked
    user_online_message: str
    #: silence before the question
    user_online_after_seconds: int
    #: background sound; empty for none
    ambient_sound: str
    #: percent
    ambient_volume: int
    #: take noise out of the caller's sound
    noise_cancellation: bool
    #: percent
    noise_cancellation_strength: int
    #: end the call when a machine answers
    voicemail_detection: bool
    #: how long is listened for a machine
    voicemail_detection_seconds: int
    #: left on the machine; empty: nothing is left
    voicemail_message: str
    #: shown on the called person's telephone
    caller_verification_call_reason: str
    #: take keys the caller presses
    dtmf_input: bool
    #: pause after the last key that ends the input
    dtmf_wait_seconds: float
    #: book a call back when the caller asks for one, during the call or by a check after it
    auto_reschedule: bool
    #: call backs are booked at most so far ahead
    reschedule_max_days: int
    #: the agent may hand the call to a person
    transfer_enabled: bool
    #: whom it may hand the call to
    transfer_targets: list[AgentVersionWithConfigurationAgentCallTransferTargetsItem]
    #: other agents that it may let go on with the call
    handoffs: list[AgentVersionWithConfigurationAgentCallHandoffsItem]
    #: said before the transfer
    transfer_message: str
    #: the person hears a summary first
    transfer_summary: bool
    #: music while a transfer rings, in place of the background
    hold_music: bool
    #: said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in
    recording_notice: str
    #: the agent may pause the recording, by the tools pause_recording and resume_recording
    recording_pause: bool
    #: a pause of the recording, also one by the API, ends by itself after this long
    recording_pause_seconds: int
    #: card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording
    redact_cards: bool
    #: Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording
    redact_identity_numbers: bool


class AgentVersionWithConfigurationAgentAnalyticsExtractionsItemChoicesItem(TypedDict):
    #: as it is saved
    value: str
    #: when this is the one
    when: str


class AgentVersionWithConfigurationAgentAnalyticsExtractionsItem(TypedDict):
    #: its name in `extracted`
    key: str
    #: display name
    label: str
    #: what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said
    type: Literal["text", "number", "boolean", "choice", "date", "list"]
    #: what to look for in the call
    description: str
    #: of a `choice`
    choices: list[AgentVersionWithConfigurationAgentAnalyticsExtractionsItemChoicesItem]


class AgentVersionWithConfigurationAgentAnalytics(TypedDict):
    """run once the call ends"""

    #: write a summary of the call
    summarize: bool
    #: what to find out from the call
    extractions: list[AgentVersionWithConfigurationAgentAnalyticsExtractionsItem]
    #: its result is saved as JSON in `extracted`
    extraction_prompt: str


class AgentVersionWithConfigurationAgentToolsItemResults(TypedDict):
    """what becomes of a JSON response of status 2xx"""

    #: where in the JSON what the model gets is; empty: all
    path: str
    #: variables of the call that take a value of the JSON: name to path, like `order.items[0].price`
    variables: dict[str, str]
    #: said after a success, in place of an answer of the model; `{variables}` are filled in
    message: str


class AgentVersionWithConfigurationAgentToolsItem(TypedDict):
    #: what the model and the timeline call it
    name: str
    #: when the model should use it
    description: str
    #: JSON Schema of the arguments
    parameters: dict[str, Any]
    #: client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it
    kind: Literal["http", "client"]
    #: GET sends the arguments as query parameters, POST as JSON
    method: Literal["GET", "POST"]
    #: called by the service; no private addresses; needed by an HTTP tool
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: dict[str, str]
    #: said while the request runs
    pre_call_message: str
    #: the request is abandoned after this long
    timeout_seconds: float
    #: what becomes of a JSON response of status 2xx
    results: AgentVersionWithConfigurationAgentToolsItemResults


class AgentVersionWithConfigurationAgentMcpServersItem(TypedDict):
    #: precedes the name of a tool where another tool has that name
    name: str
    #: called by the service; no private addresses
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: dict[str, str]
    #: names of the server's tools that the model may call; empty: all of them
    tools: list[str]
    #: the request is abandoned after this long
    timeout_seconds: float


class AgentVersionWithConfigurationAgent(TypedDict):
    """the configuration as it was"""

    #: for display; 1 to 120 characters
    name: str
    #: said first; `{variables}` are filled in
    welcome_message: str
    #: instructions of the language model; `{variables}` are filled in
    system_prompt: str
    #: language model
    llm: AgentVersionWithConfigurationAgentLlm
    #: text to speech
    voice: AgentVersionWithConfigurationAgentVoice
    #: speech to text
    transcriber: AgentVersionWithConfigurationAgentTranscriber
    #: call behaviour
    call: AgentVersionWithConfigurationAgentCall
    #: run once the call ends
    analytics: AgentVersionWithConfigurationAgentAnalytics
    #: HTTP tools, and tools of the page, that the model can call
    tools: list[AgentVersionWithConfigurationAgentToolsItem]
    #: servers of the Model Context Protocol whose tools the model can call
    mcp_servers: list[AgentVersionWithConfigurationAgentMcpServersItem]
    #: what the agent may look into
    knowledge_base_ids: list[str]
    #: auto: small bases stand in the prompt as a whole
    knowledge_mode: Literal["auto", "search"]
    #: https; receives the lifecycle events of this agent's calls
    webhook_url: str
    #: a paused agent takes and places no calls
    status: Literal["active", "paused"]
    #: number of a drawing, or address of a picture; null: none
    avatar: int | str | None


class AgentVersionWithConfiguration(TypedDict):
    #: counts from 1
    version: int
    #: the present version of the agent
    current: bool
    #: the version it was restored from
    restored_from: int | None
    #: dotted names of the fields that differ from the version before
    changes: list[str]
    #: ISO 8601 with the offset of the zone asked for
    saved_at: str
    #: a name
    saved_by: str
    #: the configuration as it was
    agent: AgentVersionWithConfigurationAgent


BatchCounts = TypedDict(
    "BatchCounts",
    {
        "pending": "int",
        "queued": "int",
        "in-progress": "int",
        "retrying": "int",
        "completed": "int",
        "no-answer": "int",
        "busy": "int",
        "failed": "int",
        "voicemail": "int",
        "canceled": "int",
        "skipped": "int",
    },
)


class Batch(TypedDict):
    #: the id of the batch
    id: str
    #: who calls
    agent_id: str
    #: as the agent was called when the batch was made
    agent_name: str
    #: shown as `batch <name>` in `started_by` of its calls
    name: str
    #: `completed` and `canceled` are final
    status: Literal["scheduled", "running", "paused", "completed", "canceled"]
    #: caller numbers, used in turn; none: as for a single call
    from_numbers: list[str]
    #: receives the lifecycle events of its calls; empty for none
    webhook_url: str
    #: when it starts, or started; null: at once
    scheduled_at: str | None
    #: at most this many of its calls live; null: no limit of its own
    concurrency: int | None
    #: calls to one contact at most
    max_attempts: int
    #: from the end of a call to the next one to the same contact
    retry_after_minutes: int
    #: outcomes after which a contact is called again
    retry_on: list[Literal["no-answer", "busy", "failed", "voicemail"]]
    #: contacts
    total: int
    #: how many contacts are in each status
    counts: BatchCounts
    #: percent of contacts in a final status, rounded down
    progress: int
    #: why it is paused: `by <person>`, `out of credits`, `too many failures`, `no caller number`, or empty
    paused_reason: str
    #: its calls so far, without their analyses
    cost_paise: int
    #: of cost_paise
    currency: str
    #: a person, or the label of a key
    created_by: str
    #: when it was made
    created_at: str
    #: when it began to call
    started_at: str | None
    #: when it was completed or canceled
    completed_at: str | None


class BatchContact(TypedDict):
    #: the id of the contact
    id: str
    #: as in the file, whose header is row 1; from 1 in a list
    row: int
    #: E.164
    to_number: str
    #: values of the variables in welcome message and prompt
    user_data: dict[str, Any]
    #: where it stands
    status: Literal["pending", "queued", "in-progress", "retrying", "completed", "no-answer", "busy", "failed", "voicemail", "canceled", "skipped"]
    #: calls placed; what expired in the queue is not counted
    attempts: int
    #: while `retrying`: not called again before
    next_attempt_at: str | None
    #: the last call
    call_id: Any
    #: of the last call
    duration_seconds: int
    #: of the last call, or why the contact was skipped
    hangup_reason: str
    #: of all its calls
    cost_paise: int
    #: when it last changed
    updated_at: str


class ContactUploadErrorsItem(TypedDict):
    #: as a spreadsheet counts: the header is row 1
    row: int
    #: empty when it is the row as a whole
    column: str
    #: what is wrong
    msg: str


class ContactUpload(TypedDict):
    #: for `upload_id` of a batch
    id: str
    #: as it was sent
    file_name: str
    #: the header
    columns: list[str]
    #: the column with the numbers
    phone_column: str
    #: rows that are not empty
    total_rows: int
    #: contacts of a batch made from it
    valid_rows: int
    #: numbers of an earlier row
    duplicate_rows: int
    #: rows that cannot be called
    invalid_rows: int
    #: the first 100
    errors: list[ContactUploadErrorsItem]
    #: the first 5 rows by column
    preview: list[dict[str, str]]
    #: when it was sent
    created_at: str
    #: deleted then, 24 hours later
    expires_at: str


class InvoiceTaxLinesItem(TypedDict):
    #: the tax
    name: Literal["CGST", "SGST", "IGST"]
    #: of the amount
    rate_percent: float
    #: the tax itself
    amount_paise: int


class InvoiceBuyer(TypedDict):
    """as it was when the invoice was issued"""

    #: as in the business details, else the name of the workspace
    name: str
    #: lines; may be empty
    address: str
    #: empty: not registered for GST
    gstin: str
    #: in India its name
    state: str


class InvoiceCreditNotesItem(TypedDict):
    #: its PDF is read like that of an invoice
    id: str
    #: `CN/26-27/000004`, without gaps in a financial year
    number: str
    #: why it was issued
    reason: str
    #: what was given back, tax included
    total_paise: int
    #: when it was issued
    issued_at: str


class Invoice(TypedDict):
    #: 32 hex characters
    id: str
    #: `2026-27/000123`, without gaps in a financial year of India
    number: str
    #: what was bought
    kind: Literal["topup", "plan", "lines", "number", "caller_id"]
    #: what was bought, in words
    description: str
    #: before tax
    amount_paise: int
    #: all tax lines together
    tax_paise: int
    #: amount and tax
    total_paise: int
    #: empty for exports, and where credits paid: their tax was charged when they were bought
    tax_lines: list[InvoiceTaxLinesItem]
    #: of all amounts
    currency: Literal["INR", "USD"]
    #: a payment, or the credits of the workspace
    paid_from: Literal["gateway", "credits"]
    #: the payment it is for
    payment_id: Any
    #: as it was when the invoice was issued
    buyer: InvoiceBuyer
    #: empty unless it is an export of services, without GST
    export_note: str
    #: what of it was given back, oldest first
    credit_notes: list[InvoiceCreditNotesItem]
    #: when it was issued
    issued_at: str


class WorkspaceProfile(TypedDict):
    #: empty until it was filled in
    company_name: str
    #: empty until it was filled in
    website: str
    #: empty until it was filled in
    industry: str
    #: empty until it was filled in
    use_case: str
    #: empty until it was filled in
    team_size: str
    #: empty until it was filled in
    monthly_calls: str
    #: empty until it was filled in
    phone: str
    #: empty until it was filled in
    country: str


class WorkspaceSecurity(TypedDict):
    #: off: only people make and rotate API keys; on: keys without limits and connected apps as well
    keys_may_make_keys: bool
    #: keys, members, invites, exports and these settings: the password or second factor of the last 15 minutes
    confirm_password: bool


class WorkspaceSystemLogs(TypedDict):
    """which lines are logged"""

    #: off: nothing is written
    enabled: bool
    #: the lowest that is logged
    level: Literal["info", "warning", "error"]


class Workspace(TypedDict):
    #: 32 hex characters
    id: str
    #: 1 to 120 characters
    name: str
    #: onboarding until the business details are approved; only an active one may place calls
    state: Literal["onboarding", "active", "suspended", "closed"]
    #: where the business details stand
    kyc_status: Literal["not_submitted", "submitted", "approved", "rejected"]
    #: what credits and prices are counted in
    currency: Literal["INR", "USD"]
    #: IANA name
    timezone: str
    #: as in the list of plans
    plan_id: str
    #: for display
    plan_name: str
    #: who gets an email when something needs attention; unless set, the owner
    alert_emails: list[str]
    #: what the workspace entered about its business
    profile: WorkspaceProfile
    #: which lines are logged
    system_logs: WorkspaceSystemLogs
    #: what asks for more than the permission of a role
    security: WorkspaceSecurity
    #: ISO 8601 with the offset of the zone asked for
    created_at: str


class LimitRequest(TypedDict):
    #: 32 hex characters
    id: str
    #: live calls
    requested_limit: int
    #: why more are needed, in its own words
    reason: str
    #: open until the service's team has decided
    status: Literal["open", "approved", "declined"]
    #: the service's team's words; empty until it is decided
    answer: str
    #: a name
    requested_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    decided_at: str | None


class LimitsAgents(TypedDict):
    """of the workspace"""

    #: how many there are
    used: int
    #: how many there may be
    limit: int


class LimitsMembers(TypedDict):
    """limit null: as many as you like"""

    #: members and pending invites
    used: int
    #: null: no limit
    limit: int | None


class Limits(TypedDict):
    #: live calls at most, extra lines included
    concurrency_limit: int
    #: ringing or in progress
    active_calls: int
    #: waiting for their turn
    queued_calls: int
    #: the open request; null when there is none
    pending_request: LimitRequest | None
    #: live calls of the plan
    plan_limit: int
    #: bought besides
    extra_lines: int
    #: of each key and connected app
    api_requests_per_minute: int
    #: of the workspace
    agents: LimitsAgents
    #: limit null: as many as you like
    members: LimitsMembers


class Member(TypedDict):
    #: the id of the person
    user_id: str
    #: of the person
    name: str
    #: what they sign in with
    email: str
    #: what they may do here
    role: Literal["owner", "admin", "developer", "viewer"]
    #: signs in with two steps
    two_factor: bool
    #: the one who asks
    you: bool
    #: ISO 8601 with the offset of the zone asked for
    joined_at: str
    last_seen_at: str | None


class Invite(TypedDict):
    #: 32 hex characters
    id: str
    #: whom it was sent to
    email: str
    #: of the member to be
    role: Literal["admin", "developer", "viewer"]
    #: expired after 7 days
    status: Literal["pending", "expired"]
    #: a name
    invited_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: ISO 8601 with the offset of the zone asked for
    expires_at: str


class NewInvite(TypedDict):
    #: 32 hex characters
    id: str
    #: whom it was sent to
    email: str
    #: of the member to be
    role: Literal["admin", "developer", "viewer"]
    #: expired after 7 days
    status: Literal["pending", "expired"]
    #: a name
    invited_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: ISO 8601 with the offset of the zone asked for
    expires_at: str
    #: also mailed; shown this once
    link: str


class InviteInfo(TypedDict):
    #: where one is invited to
    workspace_name: str
    #: whom it was sent to
    email: str
    #: of the member to be
    role: Literal["admin", "developer", "viewer"]
    #: a name
    invited_by: str
    #: ISO 8601 with the offset of the zone asked for
    expires_at: str


class ApiKey(TypedDict):
    #: 32 hex characters
    id: str
    #: the label it was given
    name: str
    #: its first 12 characters
    prefix: str
    #: a person, or the key that made it
    created_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    last_used_at: str | None
    #: the IP address it was used from then; empty before
    last_used_address: str
    #: what it may do; null: all that keys may
    scopes: list[Literal["agents:read", "agents:write", "agent_tests:read", "agent_tests:write", "batches:read", "batches:write", "billing:read", "calls:read", "calls:write", "catalog:read", "keys:read", "keys:write", "knowledge_bases:read", "knowledge_bases:write", "numbers:read", "observability:read", "tools:read", "tools:write", "webhooks:read", "webhooks:write", "workspace:read", "workspace:write"]] | None
    expires_at: str | None
    #: where it is accepted from; empty: anywhere
    allowed_addresses: list[str]
    #: the id of the key that was made when it was rotated
    replaced_by: Any


class NewApiKey(TypedDict):
    #: 32 hex characters
    id: str
    #: the label it was given
    name: str
    #: its first 12 characters
    prefix: str
    #: a person, or the key that made it
    created_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    last_used_at: str | None
    #: the IP address it was used from then; empty before
    last_used_address: str
    #: what it may do; null: all that keys may
    scopes: list[Literal["agents:read", "agents:write", "agent_tests:read", "agent_tests:write", "batches:read", "batches:write", "billing:read", "calls:read", "calls:write", "catalog:read", "keys:read", "keys:write", "knowledge_bases:read", "knowledge_bases:write", "numbers:read", "observability:read", "tools:read", "tools:write", "webhooks:read", "webhooks:write", "workspace:read", "workspace:write"]] | None
    expires_at: str | None
    #: where it is accepted from; empty: anywhere
    allowed_addresses: list[str]
    #: the id of the key that was made when it was rotated
    replaced_by: Any
    #: the whole key; shown this once
    key: str


class Choice(TypedDict):
    #: what is sent
    id: str
    #: what people read
    name: str


class Masters(TypedDict):
    #: choices of a form, in their order
    business_types: list[Choice]
    #: choices of a form, in their order
    industries: list[Choice]
    #: choices of a form, in their order
    use_cases: list[Choice]
    #: choices of a form, in their order
    team_sizes: list[Choice]
    #: choices of a form, in their order
    document_kinds: list[Choice]
    #: ISO 3166-1, two letters
    countries: list[Choice]
    #: ISO 639-1
    languages: list[Choice]
    #: IANA names
    timezones: list[Choice]
    #: choices of a form, in their order
    roles: list[Choice]


class BalancePendingBonus(TypedDict):
    #: of the coupon
    code: str
    #: of the next top-up, as extra credits
    percent: int
    #: limit of the bonus; null: none
    max_paise: int | None
    #: smallest top-up that gets it, before GST
    min_topup_paise: int
    #: when the code was redeemed
    redeemed_at: str


class Balance(TypedDict):
    #: paid and free credits together; below 0: a debt
    credits_paise: int
    #: the plan's price of a minute
    price_per_minute_paise: int
    #: what the credits pay for at the plan's price; included minutes not counted
    minutes_left: int
    #: fewer than 10 minutes are left
    low_balance: bool
    #: the billing currency of the workspace
    currency: Literal["INR", "USD"]
    #: of the present plan
    plan_name: str
    #: of the present plan
    plan_id: str
    #: a bonus that waits for the next top-up
    pending_bonus: BalancePendingBonus | None
    #: included seconds that are left in this cycle
    plan_minutes_left_seconds: int
    #: included seconds of the whole cycle
    plan_minutes_total_seconds: int
    #: null: the plan has neither a fee nor included minutes
    plan_minutes_cycle_end: str | None


class LedgerItem(TypedDict):
    #: 32 hex characters
    id: str
    #: when the credits moved
    at: str
    #: why they moved
    kind: Literal["grant", "coupon", "topup", "call", "plan", "number", "caller_id", "lines", "composer", "test", "conversion", "adjustment"]
    #: negative: a charge; 0: included minutes paid for all of it
    amount_paise: int
    #: the credits after it
    balance_after_paise: int
    #: what it was for
    note: str
    #: the call it was for
    call_id: Any
    #: the payment it came with
    payment_id: Any
    #: who caused it; empty: the service
    by_name: str
    #: the billing currency of the workspace
    currency: Literal["INR", "USD"]
    #: `free`: it moved only free credits
    funded: Literal["paid", "free"]
    #: the part of it that moved paid credits
    paid_paise: int
    #: the part of it that moved free credits
    free_paise: int


class UsageDailyItem(TypedDict):
    #: `YYYY-MM-DD`
    day: str
    #: connected calls that ended on this day
    calls: int
    #: talked on them
    minutes: float
    #: credits spent on this day
    spent_paise: int


class Usage(TypedDict):
    #: `YYYY-MM`, in the zone asked for
    month: str
    #: talked on connected calls, with two decimals; waived calls are left out
    total_minutes: float
    #: connected calls that ended in the month; waived ones are left out
    total_calls: int
    #: credits spent on calls, prompts and tests; fees are in the ledger only
    spent_paise: int
    #: every day of the month that has begun, oldest first
    daily: list[UsageDailyItem]
    #: the month the workspace was made in
    first_month: str
    #: the billing currency of the workspace
    currency: Literal["INR", "USD"]


class Plan(TypedDict):
    #: for switching to it
    id: str
    #: for people
    name: str
    #: a name or an address of a picture; may be empty
    icon: str
    #: minimum price of a minute on the phone; a price agreed with the workspace holds on every plan
    price_per_minute_paise: int
    #: in a browser; null: as on the phone
    browser_price_per_minute_paise: int | None
    #: for 30 days; 0: none
    monthly_fee_paise: int
    #: of every 30 days that are paid
    included_minutes: int
    #: phone numbers without a fee
    included_numbers: int
    #: a shown caller id has no fee
    includes_caller_verification: bool
    #: live calls
    concurrency_limit: int
    #: null: no limit
    member_limit: int | None
    #: agreed with each workspace
    custom: bool
    #: the workspace is on it
    current: bool
    #: it can be switched to now
    can_switch: bool
    #: the billing currency of the workspace
    currency: Literal["INR", "USD"]


class OwnPlan(TypedDict):
    #: for switching to it
    id: str
    #: for people
    name: str
    #: a name or an address of a picture; may be empty
    icon: str
    #: minimum price of a minute on the phone; a price agreed with the workspace holds on every plan
    price_per_minute_paise: int
    #: in a browser; null: as on the phone
    browser_price_per_minute_paise: int | None
    #: for 30 days; 0: none
    monthly_fee_paise: int
    #: of every 30 days that are paid
    included_minutes: int
    #: phone numbers without a fee
    included_numbers: int
    #: a shown caller id has no fee
    includes_caller_verification: bool
    #: live calls
    concurrency_limit: int
    #: null: no limit
    member_limit: int | None
    #: agreed with each workspace
    custom: bool
    #: the workspace is on it
    current: bool
    #: it can be switched to now
    can_switch: bool
    #: the billing currency of the workspace
    currency: Literal["INR", "USD"]
    #: null: nothing is paid
    plan_paid_until: str | None
    #: the fee at the end of the cycle; 0: none
    next_charge_paise: int
    #: null: it was taken
    plan_past_due_since: str | None
    #: included seconds that are left in this cycle
    plan_minutes_left_seconds: int
    #: included seconds of the whole cycle
    plan_minutes_total_seconds: int
    #: null: the plan has neither a fee nor included minutes
    plan_minutes_cycle_end: str | None


class CreditPack(TypedDict):
    #: for buying it
    id: str
    #: for people
    name: str
    #: credits bought, and what they cost before tax
    amount_paise: int
    #: free credits on top
    bonus_paise: int
    #: the billing currency of the workspace
    currency: Literal["INR", "USD"]
    #: the most popular one
    popular: bool


class CallLines(TypedDict):
    #: lines beyond the limit of the plan
    extra_lines: int
    #: of one line for 30 days
    price_per_line_paise: int
    #: null: nothing is paid
    lines_paid_until: str | None
    #: of all lines at the end of the cycle
    next_charge_paise: int
    #: null: they were paid
    lines_past_due_since: str | None
    #: live calls, these lines included
    concurrency_limit: int
    #: lines that can still be bought
    can_add: int
    #: the billing currency of the workspace
    currency: Literal["INR", "USD"]


class RedeemedCouponPendingBonus(TypedDict):
    #: of the coupon
    code: str
    #: of the next top-up, as extra credits
    percent: int
    #: limit of the bonus; null: none
    max_paise: int | None
    #: smallest top-up that gets it, before GST
    min_topup_paise: int
    #: when the code was redeemed
    redeemed_at: str


class RedeemedCoupon(TypedDict):
    #: credits at once, or more of them with the next top-up
    kind: Literal["credit", "topup_bonus"]
    #: of a credit
    amount_paise: int | None
    #: of a bonus
    percent: int | None
    #: of a credit: the credits with it
    credits_paise: int | None
    #: a bonus that waits for the next top-up
    pending_bonus: RedeemedCouponPendingBonus | None
    #: the billing currency of the workspace
    currency: Literal["INR", "USD"]


class CallerIdRequest(TypedDict):
    #: 32 hex characters
    id: str
    #: E.164; own numbers that show the name
    numbers: list[str]
    #: what the called person reads; at most 32 characters
    display_name: str
    #: shown beside the name; at most 200 characters
    call_reason: str
    #: always true: a request needs one
    has_logo: bool
    #: where it stands
    status: Literal["submitted", "in_review", "active", "rejected", "withdrawn", "removed"]
    #: words of the service's team; empty unless rejected
    rejection_reason: str
    #: for 30 days; 0 when the plan includes it
    fee_paise: int
    #: of the fee
    currency: str
    #: null: nothing is paid for it
    paid_until: str | None
    #: a name
    created_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    decided_at: str | None


class AnalyticsTest(TypedDict):
    #: empty when it was not asked for
    summary: str
    #: one entry per extraction key, plus the keys of extraction_prompt's JSON
    extracted: dict[str, Any]
    #: what this run was charged
    cost_paise: int
    #: of cost_paise
    currency: Literal["INR", "USD"]


class LiveOrderDone(TypedDict):
    #: the engine of the call has taken the order
    done: Literal[True]
    #: how, in a line for people; mostly empty
    detail: str


class PingEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any


class PingEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["ping"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: PingEventData


class CallQueuedEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: in the queue of the workspace, from 1
    position: int
    #: who placed it
    by: str
    #: variables of the agent that got no value
    missing: NotRequired[list[str]]
    #: the call that this one is a call back of
    rescheduled_from: NotRequired[str]


class CallQueuedEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["call.queued"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CallQueuedEventData


class CallPlacedEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: the carrier
    provider: str


class CallPlacedEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["call.placed"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CallPlacedEventData


CallStartedEventData = TypedDict(
    "CallStartedEventData",
    {
        "message": "str",
        "level": "Literal[\"info\", \"warning\", \"error\"]",
        "latency_ms": "Any",
        "channel": "Literal[\"phone\", \"web\"]",
        "from": "str",
        "to": "str",
        "stt": "str",
        "llm": "str",
        "tts": "str",
        "started_by": "NotRequired[str]",
        "values": "list[str]",
    },
)


class CallStartedEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["call.started"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CallStartedEventData


class CallEndedEventDataUsage(TypedDict):
    """what the call consumed; connected calls only"""

    #: of the caller, and of people who spoke to them, that was transcribed
    stt_seconds: float
    #: of the agent that were played
    tts_characters: float
    #: read by the language model
    llm_input_tokens: float
    #: written by the language model
    llm_output_tokens: float
    #: requests to the language model
    llm_calls: float


class CallEndedEventDataTurnTaking(TypedDict):
    """how caller and agent took their turns, by the detector of voices"""

    #: caller and agent spoke at once, in milliseconds
    talk_over_ms: int
    #: the caller spoke over a reply for 2 s, and the agent spoke on
    missed_interruptions: int
    #: the agent fell silent for a voice, and went on with the same reply
    false_interruptions: int
    #: nobody spoke for 4 s
    long_silences: int


class CallEndedEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: live time, rounded up; connected calls only
    duration_seconds: NotRequired[int]
    #: from the caller's last word to the agent's first audio, on average; null without a turn
    avg_first_audio_ms: NotRequired[int | None]
    #: what the call consumed; connected calls only
    usage: NotRequired[CallEndedEventDataUsage]
    #: how caller and agent took their turns, by the detector of voices
    turn_taking: NotRequired[CallEndedEventDataTurnTaking]
    #: that got a value in the call
    variables: NotRequired[dict[str, Any]]
    #: who ended a call that the engine did not end
    hangup_by: NotRequired[str]
    #: the carrier's word for why it was not connected
    carrier_status: NotRequired[str]


class CallEndedEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["call.ended"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CallEndedEventData


class CallCompletedEventDataCallTransfer(TypedDict):
    #: of the target
    name: str
    #: of the target, E.164
    number: str
    #: why, as the agent gave it
    reason: str
    #: `ringing`, or its outcome
    status: str
    #: when the transfer began
    at: str


class CallCompletedEventDataCallUsage(TypedDict):
    #: of the caller, and of people who spoke to them, that was transcribed
    stt_seconds: float
    #: of the agent that were played
    tts_characters: float
    #: read by the language model
    llm_input_tokens: float
    #: written by the language model
    llm_output_tokens: float
    #: requests to the language model
    llm_calls: float


class CallCompletedEventDataCallCostBreakdownComponents(TypedDict):
    """amounts by component"""

    #: of this component
    transcriber: float
    #: of this component
    llm: float
    #: of this component
    voice: float
    #: of this component
    telephony: float
    #: of this component
    platform: float


class CallCompletedEventDataCallCostBreakdownLinesItem(TypedDict):
    #: what it is a part of
    component: Literal["transcriber", "llm", "voice", "telephony", "platform"]
    #: that served it
    provider: str
    #: that served it; `transfer` and `transfer-caller` for the legs of a transfer
    model: str
    #: of `unit`
    quantity: float
    #: what the rate is for
    unit: Literal["minute", "1k_characters", "1m_input_tokens", "1m_output_tokens", "1m_text_input_tokens", "1m_text_output_tokens", "1m_audio_input_tokens", "1m_audio_output_tokens", "1m_cached_text_input_tokens", "1m_cached_audio_input_tokens"]
    #: per unit
    rate_paise: float
    #: quantity × rate
    amount_paise: float


class CallCompletedEventDataCallCostBreakdownPlanMinutes(TypedDict):
    """what the plan covered"""

    #: included minutes that a minute of the call takes
    multiplier: float
    #: seconds taken from the plan's included minutes
    allowance_seconds_used: float


class CallCompletedEventDataCallCostBreakdown(TypedDict):
    """how `cost_paise` came about; empty until charged"""

    #: amounts by component
    components: NotRequired[CallCompletedEventDataCallCostBreakdownComponents]
    #: what was used, by provider and model
    lines: NotRequired[list[CallCompletedEventDataCallCostBreakdownLinesItem]]
    #: the sum of the lines, rounded up
    usage_paise: NotRequired[int]
    #: the least that a minute costs, by the plan
    floor_per_minute_paise: NotRequired[float]
    #: the least that the call costs, without what the plan covers
    floor_paise: NotRequired[int]
    #: the floor was charged
    floor_applied: NotRequired[bool]
    #: what was charged
    total_paise: NotRequired[int]
    #: live time, rounded up
    duration_seconds: NotRequired[int]
    #: which floor applies
    channel: NotRequired[Literal["phone", "web"]]
    #: what the plan covered
    plan_minutes: NotRequired[CallCompletedEventDataCallCostBreakdownPlanMinutes]
    #: `failed`: the call is free because the service ended it by a failure
    waived: NotRequired[Literal["failed"] | None]
    #: the cost without the waiver
    waived_paise: NotRequired[int]
    #: the exchange rate that prices in rupees were converted at; null: the workspace pays in rupees
    paise_per_dollar: NotRequired[Any]


class CallCompletedEventDataCallTranscriptItem(TypedDict):
    #: `user` is the caller, `human_agent` a person who spoke to the caller in a live call
    role: Literal["user", "agent", "human_agent"]
    #: what was said; of the agent, what was played
    text: str
    #: when it was said: of the agent when it began, of people when it was over
    at: str
    #: the caller spoke over the rest of it
    interrupted: bool


class CallCompletedEventDataCall(TypedDict):
    """the record of the call; times in UTC"""

    #: the id of the call
    id: str
    agent_id: str | None
    #: as when the call was placed
    agent_name: str
    #: the agent's version the call was placed with
    agent_version: int
    batch_id: str | None
    #: who called whom: `outbound` is placed by the service
    direction: Literal["outbound", "inbound"]
    #: `web`: from a browser, or over a client's stream
    channel: Literal["phone", "web"]
    #: moves forward only; live while `ringing` or `in-progress`; `ended` until analytics and transfers are over
    status: Literal["queued", "ringing", "in-progress", "ended", "completed", "no-answer", "busy", "canceled", "failed"]
    #: E.164; empty where `channel` is `web`
    from_number: str
    #: E.164; empty where `channel` is `web`
    to_number: str
    #: values of the variables in welcome message and prompt
    user_data: dict[str, Any]
    #: only while queued, 1 is next; 1001: a thousand or more are before it
    queue_position: int | None
    #: a person, the label of a key, `batch <name>`, or empty for inbound calls
    started_by: str
    #: the carrier; `stream` for a call over a client's stream, empty for browser calls
    provider: str
    #: when the call was placed or came in
    created_at: str
    not_before_at: str | None
    placed_at: str | None
    started_at: str | None
    ended_at: str | None
    completed_at: str | None
    #: live time, rounded up; 0 before the end
    duration_seconds: int
    #: who ended it: `caller` (the person at the other end), `agent` (it said goodbye, heard nothing, met an answering machine, or transferred the call), `member` (somebody of the workspace, or a key or an app of it), `carrier` (it could not connect or carry the call, also busy and no-answer), `service` (a limit, credits, or a failure of its own); null while live
    hangup_by: Literal["caller", "agent", "member", "carrier", "service"] | None
    #: why it ended, one of a closed list; empty while live
    hangup_reason: str
    #: null when not known
    answered_by: Literal["human", "machine"] | None
    #: of the post-call analytics; empty until analysed or when off
    summary: str
    #: a recording can be fetched
    recorded: bool
    #: from the caller's last word to the agent's first audio, on average; null without a turn
    avg_first_audio_ms: int | None
    #: the last transfer to a person; null when there was none
    transfer: CallCompletedEventDataCallTransfer | None
    rescheduled_from: str | None
    rescheduled_to: str | None
    #: what was charged for it, in the smallest unit of `currency`
    cost_paise: int
    #: seconds paid from the plan's included minutes
    plan_seconds_covered: int
    #: what its post-call analytics cost, charged apart
    analysis_cost_paise: int
    #: `INR` or `USD`
    currency: str
    #: of the post-call analytics: one entry per extraction key, and the keys of the extraction prompt
    extracted: dict[str, Any]
    #: what the call consumed; null when never connected
    usage: CallCompletedEventDataCallUsage | None
    #: how `cost_paise` came about; empty until charged
    cost_breakdown: CallCompletedEventDataCallCostBreakdown
    #: what was said, in order
    transcript: list[CallCompletedEventDataCallTranscriptItem]
    #: the same as text, one line each
    transcript_text: str


class CallCompletedEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: the record of the call; times in UTC
    call: CallCompletedEventDataCall


class CallCompletedEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["call.completed"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CallCompletedEventData


class CallVoicemailEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: what answered
    answered_by: Literal["machine"]
    #: the message for voicemail was said
    message_left: bool


class CallVoicemailEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["call.voicemail"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CallVoicemailEventData


class CallRescheduledEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: the call back; empty when none was booked
    call_id: str
    at: str | None
    #: the agent in the call, or the check after it
    source: Literal["tool", "post_call"]
    #: what the caller wants
    note: str


class CallRescheduledEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["call.rescheduled"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CallRescheduledEventData


class CallTransferredEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: of the target
    name: str
    #: of the target, E.164
    number: str
    #: why, as the agent gave it
    reason: str


class CallTransferredEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["call.transferred"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CallTransferredEventData


class CallTransferStatusEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: the outcome
    status: Literal["answered", "no-answer", "busy", "failed", "canceled"]
    #: of the target
    name: str
    #: of the target, E.164
    number: str
    #: the carrier's word for it, when not answered
    dial_status: NotRequired[str]


class CallTransferStatusEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["call.transfer_status"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CallTransferStatusEventData


class AgentHandoffEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: of the agent that goes on
    agent_id: str
    #: what the agent before calls it
    name: str
    #: why, as that agent gave it; may be empty
    reason: str


class AgentHandoffEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["agent.handoff"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: AgentHandoffEventData


class CallControlEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: what was ordered: `say`, `instruct`, `set_variables`, `mute`, `press_keys`, `transfer`, …
    action: str
    #: who ordered it
    by: str
    #: of the person or key; empty for the service
    by_id: str
    #: how a person takes part
    mode: NotRequired[str]
    #: of `say`
    interrupt: NotRequired[bool]
    #: variables of `set_variables`
    names: NotRequired[list[str]]
    #: of `mute`
    side: NotRequired[Literal["agent", "caller"]]
    #: of `mute`
    muted: NotRequired[bool]
    #: of `mute`
    max_seconds: NotRequired[int]
    #: of `press_keys`
    digits: NotRequired[str]
    #: of `transfer`
    target: NotRequired[str]
    #: of `transfer`
    number: NotRequired[str]
    #: of `transfer`
    reason: NotRequired[str]


class CallControlEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["call.control"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CallControlEventData


class CallDtmfEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: the keys
    digits: str


class CallDtmfEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["call.dtmf"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CallDtmfEventData


class UserTurnEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: said after the agent decided to hang up
    after_goodbye: NotRequired[bool]
    #: the words came after the reply to them
    late: NotRequired[bool]


class UserTurnEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["user.turn"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: UserTurnEventData


class HumanAgentTurnEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any


class HumanAgentTurnEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["human_agent.turn"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: HumanAgentTurnEventData


class AgentReplyEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any


class AgentReplyEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["agent.reply"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: AgentReplyEventData


class InterruptedEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: what was played of the reply
    heard: str


class InterruptedEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["interrupted"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: InterruptedEventData


class UserOnlineCheckEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any


class UserOnlineCheckEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["user.online_check"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: UserOnlineCheckEventData


class ToolCallEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: of the tool
    name: str
    #: as the model gave them; not of `end_call`
    args: NotRequired[Any]
    #: where the request goes; HTTP tools only
    url: NotRequired[str]


class ToolCallEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["tool.call"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: ToolCallEventData


class ToolResultEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: of the tool
    name: str
    #: HTTP status; 0: no answer
    status: int
    #: what the model received
    result: str
    #: that took a value of the answer
    variables: NotRequired[Any]


class ToolResultEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["tool.result"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: ToolResultEventData


class KbSearchEventDataTopItem(TypedDict):
    #: its title
    source: str
    score: float
    keyword_match: bool


class KbSearchEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: what was searched for
    query: str
    #: passages that fitted
    hits: int
    #: for the embedding of the query
    embed_ms: float
    #: for the search
    search_ms: float
    #: that the model received
    passages: int
    #: the passages
    top: list[KbSearchEventDataTopItem]
    #: why it failed, or empty
    error: str


class KbSearchEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["kb.search"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: KbSearchEventData


class FallbackUsedEventDataFrom(TypedDict):
    """what failed"""

    #: as in the catalog
    provider: str
    #: as in the catalog
    model: str
    #: of a voice
    voice_id: NotRequired[str]
    #: of a voice
    voice_name: NotRequired[str]
    #: where one is set
    language: NotRequired[str]


class FallbackUsedEventDataTo(TypedDict):
    """what took over"""

    #: as in the catalog
    provider: str
    #: as in the catalog
    model: str
    #: of a voice
    voice_id: NotRequired[str]
    #: of a voice
    voice_name: NotRequired[str]
    #: where one is set
    language: NotRequired[str]


FallbackUsedEventData = TypedDict(
    "FallbackUsedEventData",
    {
        "message": "str",
        "level": "Literal[\"info\", \"warning\", \"error\"]",
        "latency_ms": "Any",
        "component": "str",
        "reason": "str",
        "from": "FallbackUsedEventDataFrom",
        "to": "FallbackUsedEventDataTo",
    },
)


class FallbackUsedEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["fallback.used"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: FallbackUsedEventData


class CapacityFallbackEventDataFrom(TypedDict):
    """what is at its limit"""

    #: as in the catalog
    provider: str
    #: as in the catalog
    model: str
    #: of a voice
    voice_id: NotRequired[str]
    #: of a voice
    voice_name: NotRequired[str]
    #: where one is set
    language: NotRequired[str]


class CapacityFallbackEventDataTo(TypedDict):
    """what took over"""

    #: as in the catalog
    provider: str
    #: as in the catalog
    model: str
    #: of a voice
    voice_id: NotRequired[str]
    #: of a voice
    voice_name: NotRequired[str]
    #: where one is set
    language: NotRequired[str]


CapacityFallbackEventData = TypedDict(
    "CapacityFallbackEventData",
    {
        "message": "str",
        "level": "Literal[\"info\", \"warning\", \"error\"]",
        "latency_ms": "Any",
        "component": "str",
        "provider": "str",
        "from": "CapacityFallbackEventDataFrom",
        "to": "CapacityFallbackEventDataTo",
    },
)


class CapacityFallbackEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["capacity.fallback"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CapacityFallbackEventData


class CapacityExceededEventDataFrom(TypedDict):
    """what is at its limit"""

    #: as in the catalog
    provider: str
    #: as in the catalog
    model: str
    #: of a voice
    voice_id: NotRequired[str]
    #: of a voice
    voice_name: NotRequired[str]
    #: where one is set
    language: NotRequired[str]


CapacityExceededEventData = TypedDict(
    "CapacityExceededEventData",
    {
        "message": "str",
        "level": "Literal[\"info\", \"warning\", \"error\"]",
        "latency_ms": "Any",
        "component": "str",
        "provider": "str",
        "from": "CapacityExceededEventDataFrom",
    },
)


class CapacityExceededEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["capacity.exceeded"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: CapacityExceededEventData


class ErrorEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: the part it happened to: `stt`, `llm`, `tts`, `transcriber`, `voice`, `carrier`, …
    component: NotRequired[str]
    #: as in the catalog
    provider: NotRequired[str]
    #: the kind of failure
    kind: NotRequired[str]
    #: why
    reason: NotRequired[str]
    #: of speech without words
    speech_ms: NotRequired[int]
    #: of the recording
    lost_seconds: NotRequired[float]
    #: first event that is lost
    lost_from: NotRequired[int]
    #: last event that is lost
    lost_to: NotRequired[int]
    #: of a stream that did not open
    stream_id: NotRequired[str]


class ErrorEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["error"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: ErrorEventData


class GuardrailViolationEventData(TypedDict):
    """what happened"""

    #: one line for a person; for events with speech, the words
    message: str
    #: severity
    level: Literal["info", "warning", "error"]
    #: for events that measure something
    latency_ms: Any
    #: of the incident
    incident_id: str
    #: of the rule
    rule_id: str
    #: of the rule
    rule_name: str
    #: `violation` or `warning`
    severity: str
    #: what broke it
    quote: str
    #: 0 to 1
    confidence: float
    #: `notice`, `frozen` or `warning`
    action: str
    #: how many there were
    strike: int


class GuardrailViolationEvent(TypedDict):
    #: `evt_` and 32 hex characters; the same for every receiver
    id: str
    type: Literal["guardrail.violation"]
    #: when it happened, in UTC; sort by it
    created_at: str
    #: whose call it is
    workspace_id: str
    #: the call; empty for `ping`
    call_id: str
    #: the agent; empty for `ping`, and where the number has none
    agent_id: str
    #: what happened
    data: GuardrailViolationEventData


class CatalogEntry(TypedDict):
    #: as `llm.model`, `voice.model` or `transcriber.model` of an agent names it
    id: str
    #: whose model
    provider: Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom", "elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "local", "deepgram_flux", "deepgram", "soniox", "assemblyai"]
    #: for display
    name: str
    #: language model, text to speech or speech to text
    kind: Literal["llm", "tts", "stt"]
    #: what an agent gets that names neither provider nor model; one of each kind
    default: bool
    #: this workspace may use it: the service has credentials of its provider
    available: bool
    #: ISO 639 codes; empty: all
    languages: list[str]
    #: what `price_paise` buys: a minute of audio, characters spoken, or tokens read
    unit: Literal["minute", "1k_characters", "1m_input_tokens"]
    #: of one unit, in the smallest unit of `currency`, with fractions
    price_paise: float
    #: of a million tokens written; null for all but language models
    output_price_paise: Any
    #: median of the last week: of the first token, of the first audio, of finding the end of a turn; null: too few
    latency_ms: int | None
    #: what it is good at, and the settings it takes in part or not at all
    description: str
    #: an extension: a speech-to-speech model, which hears and speaks itself; its prices are of audio
    realtime: bool


class Language(TypedDict):
    #: ISO 639
    code: str
    #: in English
    name: str
    #: in the language itself
    native_name: str


class Catalog(TypedDict):
    #: language models; left out when `kind` leaves them out
    llm_models: NotRequired[list[CatalogEntry]]
    #: text to speech, likewise
    tts_models: NotRequired[list[CatalogEntry]]
    #: speech to text, likewise
    stt_models: NotRequired[list[CatalogEntry]]
    #: of all voices and transcribers, likewise
    languages: NotRequired[list[Language]]
    #: of all prices
    currency: Literal["INR", "USD"]


class Voice(TypedDict):
    #: as `voice.voice_id` of an agent names it
    id: str
    #: whose voice
    provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]
    #: for display
    name: str
    #: as the provider describes it
    gender: Literal["female", "male", "neutral"]
    #: ISO 639 codes it was made for; empty: any that its models speak
    languages: list[str]
    #: what `voice.model` can be with it
    models: list[str]
    #: may be empty
    accent: str
    #: the provider's own; may be empty
    description: str
    #: it can be listened to
    preview: bool


class WorkspaceExport(TypedDict):
    #: 32 hex characters
    id: str
    #: it can be downloaded when it is ready; one that failed is started again by a new one
    status: Literal["queued", "running", "ready", "failed"]
    #: whether it has the recordings of calls
    recordings: bool
    #: rows in it so far
    records: int
    #: recordings in it so far
    recording_count: int
    #: of the archive; 0 until it is ready
    size_bytes: int
    #: name of who started it
    created_by: str
    #: when it was started
    created_at: str
    #: when it was ready or failed
    finished_at: str | None
    #: when it is removed, seven days after it was ready
    expires_at: str | None


class CallErasure(TypedDict):
    #: with the person; deleted within minutes
    calls: int
    #: of these, those that are queued or go on: deleted when they are over
    going_on: int
    #: archives of the workspace, which had the calls
    exports_removed: int


class GuardrailRule(TypedDict):
    #: 32 hex characters
    id: str
    #: for display
    name: str
    #: what an agent must not do
    description: str
    #: kind of rule
    category: Literal["abuse", "fraud", "privacy", "regulated_advice", "impersonation", "other"]
    #: a warning never counts as a strike
    severity: Literal["violation", "warning"]
    #: the agent is frozen on that many violations within 30 days; 0: never
    strikes: int
    #: whether calls are checked against it
    enabled: bool
    #: ISO 8601 with the offset of the zone asked for
    updated_at: str


class GuardrailIncident(TypedDict):
    #: 32 hex characters
    id: str
    #: the rule that was broken
    rule_id: str
    #: as it was called then
    rule_name: str
    #: of the rule then
    category: Literal["abuse", "fraud", "privacy", "regulated_advice", "impersonation", "other"]
    #: of the rule then
    severity: Literal["violation", "warning"]
    #: who broke it
    agent_id: str
    #: as it was called then
    agent_name: str
    #: where it happened
    call_id: str
    #: what was said
    quote: str
    #: 0 to 1
    confidence: float
    #: what followed at once
    action: Literal["notice", "frozen", "warning"]
    #: running number within 30 days for the agent and the rule; 0 for warnings and when dismissed
    strike: int
    #: open until somebody of the workspace has seen it
    status: Literal["open", "acknowledged", "appealed", "upheld", "dismissed"]
    #: words of the workspace; empty without an appeal
    appeal_text: str
    #: of the service's team to an appeal
    answer: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    acknowledged_at: str | None
    appealed_at: str | None
    resolved_at: str | None
    #: a name, or empty
    acknowledged_by: str
    #: a name, or empty
    appealed_by: str


class GuardrailSummaryByRuleItem(TypedDict):
    #: the rule
    rule_id: str
    #: as it was called last
    rule_name: str
    #: incidents within 30 days
    count: int


class GuardrailSummary(TypedDict):
    #: seen by nobody yet
    open: int
    #: seen, and not appealed
    acknowledged: int
    #: waiting for an answer
    appealed: int
    #: without those that were dismissed
    violations_30_days: int
    #: without those that were dismissed
    warnings_30_days: int
    #: stopped by an incident now
    frozen_agents: int
    #: within 30 days, the most broken rule first
    by_rule: list[GuardrailSummaryByRuleItem]


class KycDocument(TypedDict):
    #: 32 hex characters
    id: str
    #: what paper it is
    kind: Literal["registration", "tax", "identity", "address", "authorization", "other"]
    #: as it was uploaded
    file_name: str
    #: of the PDF that is stored
    size_bytes: int
    #: a name
    uploaded_by: str
    #: ISO 8601 with the offset of the zone asked for
    uploaded_at: str


class KycAddress(TypedDict):
    """where the business is registered"""

    #: street and number
    line1: str
    #: further lines; may be empty
    line2: str
    #: town or city
    city: str
    #: in India its name or code
    state: str
    #: in India six digits
    pincode: str
    #: ISO 3166-1, two letters
    country: str


class Kyc(TypedDict):
    #: rejected details can be changed and submitted again
    status: Literal["not_submitted", "submitted", "approved", "rejected"]
    #: as registered
    legal_name: str
    #: empty until it is chosen
    business_type: str
    #: ten characters; India
    pan: str
    #: 15 characters, holds the PAN; India
    gstin: str
    #: of companies in India
    cin: str
    #: outside India
    tax_id: str
    #: address of the business's pages
    website: str
    #: where the business is registered
    address: KycAddress
    #: whom to ask
    contact_name: str
    #: of the person to ask
    contact_email: str
    #: of the person to ask
    contact_phone: str
    #: what the calls are for
    use_case: str
    #: what an agent would say
    sample_script: str
    #: newest first
    documents: list[KycDocument]
    submitted_at: str | None
    decided_at: str | None
    #: words of the service's team; empty unless rejected
    rejection_reason: str


class PhoneNumber(TypedDict):
    #: E.164; the number in paths, where the plus is `%2B`
    number: str
    #: two letters; empty for numbers of no country
    country: str
    #: `series_140` and `series_160` are the Indian series of promotions and of banks
    type: Literal["local", "mobile", "toll_free", "series_140", "series_160"]
    #: its carrier
    provider: Literal["twilio", "plivo", "telnyx", "exotel", "vonage", "asterisk"]
    #: `past_due`: its renewal could not be paid
    status: Literal["active", "past_due", "released"]
    #: who answers it; null: inbound calls are rejected
    agent_id: Any
    #: the name of that agent, or empty
    agent_name: str
    #: covered by the plan's included numbers
    included: bool
    #: for 30 days; 0 when included, or entered by the service
    monthly_fee_paise: int
    #: of the fee
    currency: str
    #: a caller-id request is active on it
    caller_verification: bool
    #: a name; empty when the service entered it
    bought_by: str
    #: when it was bought or entered
    bought_at: str
    #: null when nothing is charged, or the fee is not paid
    paid_until: str | None
    #: null unless `past_due`
    past_due_since: str | None


class AvailableNumber(TypedDict):
    #: E.164; buy it within an hour, or search again
    number: str
    #: two letters
    country: str
    #: as its carrier says
    type: Literal["local", "mobile", "toll_free"]
    #: its carrier
    provider: Literal["twilio", "plivo", "telnyx", "exotel", "vonage", "asterisk"]
    #: for 30 days; nothing while it is one of the plan's included numbers
    monthly_fee_paise: int
    #: once, when it is bought
    setup_fee_paise: int
    #: of both fees
    currency: str


class CallsSummaryTotals(TypedDict):
    """of the whole period"""

    #: created in this time
    calls: int
    #: of them answered
    connected: int
    #: with status `completed`
    completed: int
    #: with status `failed`
    failed: int
    #: with status `no-answer`
    no_answer: int
    #: with status `busy`
    busy: int
    #: with status `canceled`
    canceled: int
    #: connected ones among those that are over, 0 to 1
    answer_rate: float
    #: of connected calls that are over
    avg_duration_seconds: int
    #: from the caller's last word to the agent's first sound, median; at most 2.5 % off
    first_audio_p50_ms: int | None
    #: the same, 95th percentile
    first_audio_p95_ms: int | None
    #: charged for these calls, in the smallest unit of `currency`
    cost_paise: int
    #: answered by a machine
    voicemail: int


class CallsSummaryItemsItem(TypedDict):
    #: `YYYY-MM-DD`; of an hour its beginning, with the zone's offset
    day: str
    #: created in this time
    calls: int
    #: of them answered
    connected: int
    #: with status `completed`
    completed: int
    #: with status `failed`
    failed: int
    #: with status `no-answer`
    no_answer: int
    #: with status `busy`
    busy: int
    #: with status `canceled`
    canceled: int
    #: connected ones among those that are over, 0 to 1
    answer_rate: float
    #: of connected calls that are over
    avg_duration_seconds: int
    #: from the caller's last word to the agent's first sound, median; at most 2.5 % off
    first_audio_p50_ms: int | None
    #: the same, 95th percentile
    first_audio_p95_ms: int | None
    #: charged for these calls, in the smallest unit of `currency`
    cost_paise: int
    #: answered by a machine
    voicemail: int


class CallsSummaryHangupReasonsItem(TypedDict):
    #: as in a call's `hangup_reason`
    reason: str
    #: calls that ended so
    count: int


class CallsSummary(TypedDict):
    #: of the whole period
    totals: CallsSummaryTotals
    #: every day or hour of the period, oldest first
    items: list[CallsSummaryItemsItem]
    #: the fifty most frequent, those first
    hangup_reasons: list[CallsSummaryHangupReasonsItem]
    #: `INR` or `USD`
    currency: str


class LiveCallsCallsItem(TypedDict):
    #: the id of the call
    id: str
    #: its agent
    agent_id: Any
    #: as when the call was placed
    agent_name: str
    #: who called whom
    direction: Literal["outbound", "inbound"]
    #: `web`: from a browser, or over a client's stream
    channel: Literal["phone", "web"]
    #: the carrier; `stream` for a call over a client's stream, empty for browser calls
    provider: str
    #: E.164; empty where `channel` is `web`
    to_number: str
    #: E.164; empty where `channel` is `web`
    from_number: str
    #: where it is
    status: Literal["ringing", "in-progress"]
    started_at: str | None
    #: its batch
    batch_id: Any


class LiveCallsQueueItem(TypedDict):
    #: the id of the call
    id: str
    #: its agent
    agent_id: Any
    #: as when the call was placed
    agent_name: str
    #: E.164
    to_number: str
    #: E.164
    from_number: str
    #: a person, the label of a key, or `batch <name>`
    started_by: str
    #: since when it waits; for a call back the time it waits for
    queued_at: str
    #: its batch
    batch_id: Any


class LiveCalls(TypedDict):
    #: live calls at most, extra lines included
    concurrency_limit: int
    #: ringing or in progress
    active_calls: int
    #: waiting for their turn
    queued_calls: int
    oldest_queued_at: str | None
    #: the live ones, newest first
    calls: list[LiveCallsCallsItem]
    #: the first 100 that wait, in the order in which they are served, without those of paused agents and batches
    queue: list[LiveCallsQueueItem]


class AuditEventActor(TypedDict):
    """who did it"""

    #: a person, a key, a connected app, or the service itself
    kind: Literal["user", "api_key", "oauth_app", "service"]
    #: of the person, key or app
    id: str
    #: a person's name, or the label of a key
    name: str


class AuditEventTarget(TypedDict):
    """what was changed"""

    #: such as `agent`
    kind: str
    #: of what was changed
    id: str
    #: as it was called then
    name: str


class AuditEvent(TypedDict):
    #: 32 hex characters
    id: str
    #: ISO 8601 with the offset of the zone asked for
    at: str
    #: what happened to what, like `agent.updated`
    action: str
    #: who did it
    actor: AuditEventActor
    #: what was changed
    target: AuditEventTarget
    #: field → [old, new]; secrets and prompts as ["changed", "changed"]
    changes: dict[str, list[Any]]
    #: further facts
    data: dict[str, Any]
    #: where the request came from; empty for what the service did by itself
    address: str
    #: the `X-Request-ID` of that request, or empty
    request_id: str


class ServerLog(TypedDict):
    #: 32 hex characters
    id: str
    #: ISO 8601 with the offset of the zone asked for
    at: str
    #: how bad it is
    level: Literal["info", "warning", "error"]
    #: a fixed sentence; what varies is in `data`
    message: str
    #: which part of the service wrote it
    source: Literal["api", "call", "webhook", "batch", "test", "job"]
    #: the `X-Request-ID` of the request, or empty
    request_id: str
    #: the call it is about, or empty
    call_id: str
    #: the agent it is about, or empty
    agent_id: str
    #: of the request, or empty
    method: str
    #: of the endpoint, with names instead of values, or empty
    path: str
    #: of the response
    status: int | None
    #: until the response was sent
    duration_ms: int | None
    #: further facts
    data: dict[str, Any]


class Payment(TypedDict):
    #: 32 hex characters
    id: str
    #: `expired`: not paid within 30 minutes; money that arrives later is credited all the same
    status: Literal["created", "paid", "failed", "expired"]
    #: credits bought, and their price before tax
    amount_paise: int
    #: free credits on top: of the pack, and once it is paid of a coupon
    bonus_paise: int
    #: GST
    tax_paise: int
    #: what is paid
    total_paise: int
    #: what went back of it by refunds and disputes
    refunded_paise: int
    #: what it is paid in
    currency: Literal["INR", "USD"]
    #: the pack that was bought; null: an amount
    pack_id: Any
    #: how it was paid, in the words of the gateway, as `card` or `upi`; empty: not known
    method: str
    #: its invoice; null until it is paid
    invoice_id: Any
    #: who began it
    created_by: str
    #: when it began
    created_at: str
    #: null: it has not
    paid_at: str | None
    #: why it failed, or why the last attempt did; empty: it did not
    failure_reason: str


class StartedPaymentGateway(TypedDict):
    """what a page needs to let somebody pay"""

    #: the payment gateway of the currency
    name: Literal["razorpay", "stripe"]
    #: the gateway's id of what is to be paid
    order_id: str
    #: names the account in the checkout; may be empty
    public_key: str
    #: the gateway's checkout script for the page; empty: there is none
    script_url: str
    #: the page to send the browser to instead; empty: the script opens the checkout
    checkout_url: str


class StartedPayment(TypedDict):
    #: 32 hex characters
    id: str
    #: `expired`: not paid within 30 minutes; money that arrives later is credited all the same
    status: Literal["created", "paid", "failed", "expired"]
    #: credits bought, and their price before tax
    amount_paise: int
    #: free credits on top: of the pack, and once it is paid of a coupon
    bonus_paise: int
    #: GST
    tax_paise: int
    #: what is paid
    total_paise: int
    #: what went back of it by refunds and disputes
    refunded_paise: int
    #: what it is paid in
    currency: Literal["INR", "USD"]
    #: the pack that was bought; null: an amount
    pack_id: Any
    #: how it was paid, in the words of the gateway, as `card` or `upi`; empty: not known
    method: str
    #: its invoice; null until it is paid
    invoice_id: Any
    #: who began it
    created_by: str
    #: when it began
    created_at: str
    #: null: it has not
    paid_at: str | None
    #: why it failed, or why the last attempt did; empty: it did not
    failure_reason: str
    #: what a page needs to let somebody pay
    gateway: StartedPaymentGateway


class ToolResults(TypedDict):
    """what becomes of a JSON response of status 2xx"""

    #: where in the JSON what the model gets is; empty: all
    path: str
    #: variables of the call that take a value of the JSON: name to path, like `order.items[0].price`
    variables: dict[str, str]
    #: said after a success, in place of an answer of the model; `{variables}` are filled in
    message: str


class Tool(TypedDict):
    #: 32 hex characters
    id: str
    #: unique in the workspace; what the model and the timeline call it
    name: str
    #: when the model should use it
    description: str
    #: JSON Schema of the arguments
    parameters: dict[str, Any]
    #: client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it
    kind: Literal["http", "client"]
    #: GET sends the arguments as query parameters, POST as JSON
    method: Literal["GET", "POST"]
    #: called by the service; no private addresses; needed by an HTTP tool
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: dict[str, str]
    #: said while the request runs
    pre_call_message: str
    #: the request is abandoned after this long
    timeout_seconds: float
    #: what becomes of a JSON response of status 2xx
    results: ToolResults
    #: agents with a tool of this name and url
    used_by_agents: int
    #: a name
    created_by: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: ISO 8601 with the offset of the zone asked for
    updated_at: str


class ToolTestRequest(TypedDict):
    """what was sent"""

    #: as the tool says
    method: Literal["GET", "POST"]
    #: with the query, without user name and password
    url: str
    #: values of the tool's own headers are `***`
    headers: dict[str, str]
    #: the JSON that was sent; null for GET
    body: Any


class ToolTest(TypedDict):
    #: HTTP status of the response; 0 when there was none
    status: int
    #: milliseconds from the request to the end of the response
    latency_ms: int
    #: what was sent
    request: ToolTestRequest
    #: names in lower case; 100 at most, values cut to 1,000 characters; empty without a response
    response_headers: dict[str, str]
    #: what the model would receive, cut to 3,000 characters
    result: str
    #: what variables of the call would get of it
    variables: dict[str, Any]
    #: why there was no response, like `timeout`; empty for a response of any status
    error: str


class McpToolListToolsItem(TypedDict):
    #: as the server calls it
    name: str
    #: as the model would call it; empty for a tool that it does not get
    called: str
    #: cut to 1,000 characters
    description: str
    #: JSON Schema of the arguments
    parameters: dict[str, Any]
    #: why the model does not get it; empty when it does
    problem: str


class McpToolList(TypedDict):
    #: as the server calls itself; empty when it did not answer
    server_name: str
    #: revision of the protocol, such as `2025-11-25`; empty when it did not answer
    protocol: str
    #: milliseconds to connect and to list
    latency_ms: int
    #: what the server has
    tools: list[McpToolListToolsItem]
    #: why there is no list; empty when there is one
    error: str


class WebSessionIceServersItem(TypedDict):
    #: `stun:…` or `turn:…`
    urls: list[str]
    #: of a relay that requires one
    username: NotRequired[str]
    #: of a relay that requires one; expires after some hours
    credential: NotRequired[str]


class WebSession(TypedDict):
    #: `wss://…/web/<token>`: the socket that a browser opens
    url: str
    #: the token alone; works once
    token: str
    #: as RTCPeerConnection takes them; empty when browsers reach the engine directly
    ice_servers: list[WebSessionIceServersItem]
    #: the token is invalid after that, and once the call has ended, which it does after 30 seconds without audio
    expires_at: str


class StreamSession(TypedDict):
    #: `wss://…/stream/<token>`: the socket that the client opens
    url: str
    #: the token alone; works once, and again within 5 seconds where the connection broke
    token: str
    #: the token is invalid after that, and once the call has ended, which it does after 30 seconds without a stream
    expires_at: str


class WebhookDelivery(TypedDict):
    #: `whd_…`
    id: str
    #: the same for all deliveries of one event
    event_id: str
    #: such as `call.completed`
    event_type: str
    #: `we_…`, `agent` or `campaign`
    endpoint_id: str
    #: as at the last attempt
    url: str
    #: empty for a ping
    call_id: str
    #: whose call it is; may be empty
    agent_id: str
    #: retrying: it failed and is tried again
    status: Literal["pending", "delivered", "retrying", "failed"]
    #: automatic and manual
    attempts: int
    #: null when nothing answered
    last_status_code: int | None
    #: why the last attempt failed; empty when it did not
    last_error: str
    #: until the receiver answered; null before the first attempt
    last_latency_ms: int | None
    last_attempt_at: str | None
    next_attempt_at: str | None
    #: ISO 8601 with the offset of the zone asked for
    created_at: str


class WebhookDeliveryWithBodies(TypedDict):
    #: `whd_…`
    id: str
    #: the same for all deliveries of one event
    event_id: str
    #: such as `call.completed`
    event_type: str
    #: `we_…`, `agent` or `campaign`
    endpoint_id: str
    #: as at the last attempt
    url: str
    #: empty for a ping
    call_id: str
    #: whose call it is; may be empty
    agent_id: str
    #: retrying: it failed and is tried again
    status: Literal["pending", "delivered", "retrying", "failed"]
    #: automatic and manual
    attempts: int
    #: null when nothing answered
    last_status_code: int | None
    #: why the last attempt failed; empty when it did not
    last_error: str
    #: until the receiver answered; null before the first attempt
    last_latency_ms: int | None
    last_attempt_at: str | None
    next_attempt_at: str | None
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: of the last attempt, the signature hidden
    request_headers: dict[str, str]
    #: exactly what was sent
    request_body: str
    #: of the last answer
    response_headers: dict[str, str]
    #: the first 4096 bytes
    response_body: str


class WebhookEndpoint(TypedDict):
    #: `we_…`
    id: str
    #: https; where deliveries are sent
    url: str
    #: at most 200 characters; may be empty
    description: str
    #: `*`, or names of events
    events: list[str]
    #: an inactive endpoint gets nothing
    active: bool
    #: `whsec_`, and the first and last four characters of the secret
    secret_hint: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: a name
    created_by: str


class WebhookEndpointWithSecret(TypedDict):
    #: `we_…`
    id: str
    #: https; where deliveries are sent
    url: str
    #: at most 200 characters; may be empty
    description: str
    #: `*`, or names of events
    events: list[str]
    #: an inactive endpoint gets nothing
    active: bool
    #: `whsec_`, and the first and last four characters of the secret
    secret_hint: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str
    #: a name
    created_by: str
    #: `whsec_…`, shown only now
    secret: str


class WebhookDefaultSecret(TypedDict):
    #: `whsec_`, and the first and last four characters of the secret
    secret_hint: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str


class NewWebhookDefaultSecret(TypedDict):
    #: `whsec_…`, shown only now
    secret: str
    #: `whsec_`, and its first and last four characters
    secret_hint: str
    #: ISO 8601 with the offset of the zone asked for
    created_at: str


class WebhookEventType(TypedDict):
    #: as in the `type` of a delivery
    type: str
    #: when it is sent
    description: str
    #: one of those that `*` stands for
    lifecycle: bool


class SearchHit(TypedDict):
    #: as in the paths of its group
    id: str
    #: for display
    title: str
    #: a second line; may be empty
    subtitle: str
    at: str | None


class SearchResult(TypedDict):
    #: newest first, at most 5
    agents: list[SearchHit]
    #: newest first, at most 5
    calls: list[SearchHit]
    #: newest first, at most 5
    batches: list[SearchHit]
    #: newest first, at most 5
    knowledge_bases: list[SearchHit]
    #: newest first, at most 5
    numbers: list[SearchHit]


class State(TypedDict):
    #: two letters, ISO 3166-2:IN
    code: str
    #: as it is written
    name: str
    #: the first two digits of a GSTIN
    gst_code: str
    #: all of them, by name
    districts: list[str]


class Locations(TypedDict):
    #: states and union territories, by name
    states: list[State]


class PasskeyAdded(TypedDict):
    #: as it is listed
    passkey: Passkey
    #: ten, where two-step sign-in was off; otherwise empty
    recovery_codes: list[str]


class SuggestedTestScenarios(TypedDict):
    #: as they can be saved
    items: list[TestScenarioDraft]
    #: what it cost, taken from the credits
    cost_paise: int
    #: the billing currency of the workspace
    currency: Literal["INR", "USD"]


class WebCall(TypedDict):
    #: the call, `ringing`
    call: Call
    #: for the browser alone
    session: WebSession


class StreamCall(TypedDict):
    #: the call, `ringing`
    call: Call
    #: for the program that carries the audio alone
    session: StreamSession


class ListAuditEventsResult(TypedDict):
    #: this page
    items: list[AuditEvent]
    #: everything that matches the filters
    total: int
    #: there are more than `total`; only 10000 are counted
    total_is_estimate: NotRequired[Literal[True]]


class ListLogsResult(TypedDict):
    #: this page
    items: list[ServerLog]
    #: everything that matches the filters
    total: int
    #: there are more than `total`; only 10000 are counted
    total_is_estimate: NotRequired[Literal[True]]


class UpdateAccountBody(TypedDict):
    #: left out: stays
    name: NotRequired[str]
    #: left out: stays
    timezone: NotRequired[str]
    #: number of a drawing, or address of a picture; null: none
    avatar: NotRequired[int | str | None]


class DeleteAccountBody(TypedDict):
    #: the present one
    password: str


class ChangeEmailBody(TypedDict):
    #: the new address
    email: str
    #: the present one
    password: str


class ChangePasswordBody(TypedDict):
    #: as it was until now
    current_password: str
    #: 10 to 200 characters; ends all other sessions
    new_password: str


class ConfirmAccountBodyPasskeyClientExtensionResults(TypedDict):
    """not read, because no extension is asked for"""

    pass


class ConfirmAccountBodyPasskeyResponse(TypedDict):
    """the authenticator's part"""

    #: challenge and origin, base64url
    clientDataJSON: str
    #: site, flags and counter, base64url
    authenticatorData: str
    #: of both, base64url
    signature: str
    #: not read
    userHandle: NotRequired[str]


class ConfirmAccountBodyPasskey(TypedDict):
    """what a passkey signed of `POST /account/passkeys/challenge`; instead of `password`"""

    #: of the credential, base64url
    id: str
    #: the same, base64url
    rawId: str
    #: of the credential
    type: Literal["public-key"]
    #: `platform` or `cross-platform`; not read
    authenticatorAttachment: NotRequired[str]
    #: not read, because no extension is asked for
    clientExtensionResults: NotRequired[ConfirmAccountBodyPasskeyClientExtensionResults]
    #: the authenticator's part
    response: ConfirmAccountBodyPasskeyResponse


class ConfirmAccountBody(TypedDict):
    #: the present one; or `code` or `passkey`
    password: NotRequired[str]
    #: six digits, or a recovery code; instead of `password`
    code: NotRequired[str]
    #: what a passkey signed of `POST /account/passkeys/challenge`; instead of `password`
    passkey: NotRequired[ConfirmAccountBodyPasskey]


class ConfirmAccountResult(TypedDict):
    #: until when this session counts as confirmed
    confirmed_until: str


class RevokeOtherSessionsResult(TypedDict):
    #: how many ended
    revoked: int


class SetUpTwoFactorResult(TypedDict):
    #: base 32
    secret: str
    #: what the QR code holds
    otpauth_url: str


class EnableTwoFactorBody(TypedDict):
    #: six digits
    code: str


class EnableTwoFactorResult(TypedDict):
    #: ten; each works once, shown only now
    recovery_codes: list[str]


class DisableTwoFactorBody(TypedDict):
    #: the present one
    password: str
    #: or a recovery code
    code: str


class CreatePasskeyBodyResponseClientExtensionResults(TypedDict):
    """not read, because no extension is asked for"""

    pass


class CreatePasskeyBodyResponseResponse(TypedDict):
    """the authenticator's part"""

    #: challenge and origin, base64url
    clientDataJSON: str
    #: the public key and what the authenticator says of it, base64url
    attestationObject: str
    #: how the authenticator is reached
    transports: NotRequired[list[str]]


class CreatePasskeyBodyResponse(TypedDict):
    """what the browser made"""

    #: of the credential, base64url
    id: str
    #: the same, base64url
    rawId: str
    #: of the credential
    type: Literal["public-key"]
    #: `platform` or `cross-platform`; not read
    authenticatorAttachment: NotRequired[str]
    #: not read, because no extension is asked for
    clientExtensionResults: NotRequired[CreatePasskeyBodyResponseClientExtensionResults]
    #: the authenticator's part
    response: CreatePasskeyBodyResponseResponse


class CreatePasskeyBody(TypedDict):
    #: to tell passkeys apart
    name: str
    #: what the browser made
    response: CreatePasskeyBodyResponse


class UpdatePasskeyBody(TypedDict):
    #: to tell passkeys apart
    name: str


class CreateLoginChallengeBody(TypedDict):
    #: from the first step
    login_token: str


class LogInWithPasskeyBodyResponseClientExtensionResults(TypedDict):
    """not read, because no extension is asked for"""

    pass


class LogInWithPasskeyBodyResponseResponse(TypedDict):
    """the authenticator's part"""

    #: challenge and origin, base64url
    clientDataJSON: str
    #: site, flags and counter, base64url
    authenticatorData: str
    #: of both, base64url
    signature: str
    #: not read
    userHandle: NotRequired[str]


class LogInWithPasskeyBodyResponse(TypedDict):
    """what the browser made"""

    #: of the credential, base64url
    id: str
    #: the same, base64url
    rawId: str
    #: of the credential
    type: Literal["public-key"]
    #: `platform` or `cross-platform`; not read
    authenticatorAttachment: NotRequired[str]
    #: not read, because no extension is asked for
    clientExtensionResults: NotRequired[LogInWithPasskeyBodyResponseClientExtensionResults]
    #: the authenticator's part
    response: LogInWithPasskeyBodyResponseResponse


class LogInWithPasskeyBody(TypedDict):
    #: from the first step
    login_token: str
    #: what the browser made
    response: LogInWithPasskeyBodyResponse


class SetAgentCanaryBody(TypedDict):
    #: the version that a share of the new calls uses
    version: int
    #: of the agent's new calls, for a call decided when it is made
    percent: int


class CreateAgentShareBody(TypedDict):
    #: the agent to share
    agent_id: str
    #: null: never
    expires_in_days: NotRequired[int | None]


class CopySharedAgentBody(TypedDict):
    #: left out: the shared agent's name
    name: NotRequired[str]


class AgentDraftLlmRealtime(TypedDict):
    """of a speech-to-speech model"""

    #: the model's own voice; empty: the provider's default
    voice: NotRequired[str]
    #: text: the model hears the caller and writes, and the voice below speaks; not every provider can
    output: NotRequired[Literal["audio", "text"]]
    #: who decides that the caller's turn is over
    turn_detection: NotRequired[Literal["service", "model"]]
    #: whose model answers what is not spoken, and takes over with voice and transcriber when the session fails
    text_provider: NotRequired[Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]]
    #: empty: the provider's default
    text_model: NotRequired[str]


class AgentDraftLlm(TypedDict):
    """language model"""

    #: whose language model
    provider: NotRequired[Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]]
    #: empty: the provider's default
    model: NotRequired[str]
    #: higher is more varied
    temperature: NotRequired[float]
    #: the longest reply in tokens
    max_tokens: NotRequired[int]
    #: of a speech-to-speech model
    realtime: NotRequired[AgentDraftLlmRealtime]


class AgentDraftVoicePronunciationsItem(TypedDict):
    #: as it is written, one word or several
    word: str
    #: as it is to be said, in letters that the voice reads; empty: `ipa` alone
    say: NotRequired[str]
    #: the same in IPA, for voices that take it; others get `say`
    ipa: NotRequired[str]


class AgentDraftVoiceFallbacksItem(TypedDict):
    #: whose voice
    provider: NotRequired[Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider
    voice_id: str
    #: display name
    voice_name: NotRequired[str]
    #: empty: the voice's language
    language: NotRequired[str]


class AgentDraftVoiceByLanguageItem(TypedDict):
    #: whose voice
    provider: NotRequired[Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider; empty: the provider's default for the language
    voice_id: NotRequired[str]
    #: display name
    voice_name: NotRequired[str]
    #: ISO 639-1, with or without a region
    language: str


class AgentDraftVoice(TypedDict):
    """text to speech"""

    #: whose voice
    provider: NotRequired[Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]]
    #: empty: the provider's default
    model: NotRequired[str]
    #: a voice from the voices list; empty: the provider's default
    voice_id: NotRequired[str]
    #: display name
    voice_name: NotRequired[str]
    #: language the agent speaks
    language: NotRequired[str]
    #: 1 is normal
    speed: NotRequired[float]
    #: words that are said otherwise than they are written; transcripts keep the word
    pronunciations: NotRequired[list[AgentDraftVoicePronunciationsItem]]
    #: tried in order when the voice fails
    fallbacks: NotRequired[list[AgentDraftVoiceFallbacksItem]]
    #: voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice
    by_language: NotRequired[list[AgentDraftVoiceByLanguageItem]]


class AgentDraftTranscriberFallbacksItem(TypedDict):
    #: whose transcriber
    provider: NotRequired[Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]]
    #: empty: the provider's default
    model: NotRequired[str]
    #: language the caller speaks
    language: NotRequired[str]


class AgentDraftTranscriber(TypedDict):
    """speech to text"""

    #: whose transcriber
    provider: NotRequired[Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]]
    #: empty: the provider's default
    model: NotRequired[str]
    #: how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms
    turn_detection: NotRequired[Literal["responsive", "balanced", "patient"]]
    #: the caller's language, for a provider that needs to be told
    language: NotRequired[str]
    #: silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself
    endpointing_ms: NotRequired[int]
    #: words the recogniser should expect
    keyterms: NotRequired[list[str]]
    #: tried in order when the transcriber fails
    fallbacks: NotRequired[list[AgentDraftTranscriberFallbacksItem]]


class AgentDraftCallTransferTargetsItem(TypedDict):
    #: what the agent calls this person or team
    name: str
    #: E.164
    number: str
    #: when to transfer here
    description: NotRequired[str]


class AgentDraftCallHandoffsItem(TypedDict):
    #: an agent of the workspace
    agent_id: str
    #: what this agent calls it
    name: str
    #: when to hand the call to it
    description: NotRequired[str]
    #: how many of the last turns the other agent knows; null: all of them
    history_turns: NotRequired[int | None]
    #: what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in
    first_message: NotRequired[str]


class AgentDraftCall(TypedDict):
    """call behaviour"""

    #: the call ends after this long
    max_duration_seconds: NotRequired[int]
    #: the call ends when nobody speaks for so long
    hangup_after_silence_seconds: NotRequired[int]
    #: where the caller changes to another language that the service knows, the conversation goes on in it
    follow_language: NotRequired[bool]
    #: the caller can talk over the agent, which stops speaking
    allow_interruptions: NotRequired[bool]
    #: words of the caller that stop the agent
    interruption_min_words: NotRequired[int]
    #: outbound calls start only inside the hours below
    calling_hours: NotRequired[bool]
    #: in `timezone`
    call_start_hour: NotRequired[int]
    #: calls start before this hour
    call_end_hour: NotRequired[int]
    #: IANA zone of the calling hours
    timezone: NotRequired[str]
    #: keep a stereo recording
    record: NotRequired[bool]
    #: the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence
    filler_after_ms: NotRequired[int]
    #: what it says then, in turn; empty: phrases of the voice's language
    filler_phrases: NotRequired[list[str]]
    #: said before the agent hangs up when the conversation is over
    hangup_message: NotRequired[str]
    #: after each reply, ask the model whether the conversation is over
    hangup_on_prompt: NotRequired[bool]
    #: the question; must be answerable with Yes or No
    hangup_prompt: NotRequired[str]
    #: the caller can still talk over the last message
    hangup_interruptible: NotRequired[bool]
    #: ask a quiet caller once whether they are still there
    check_user_online: NotRequired[bool]
    #: what a quiet caller is asked
    user_online_message: NotRequired[str]
    #: silence before the question
    user_online_after_seconds: NotRequired[int]
    #: background sound; empty for none
    ambient_sound: NotRequired[str]
    #: percent
    ambient_volume: NotRequired[int]
    #: take noise out of the caller's sound
    noise_cancellation: NotRequired[bool]
    #: percent
    noise_cancellation_strength: NotRequired[int]
    #: end the call when a machine answers
    voicemail_detection: NotRequired[bool]
    #: how long is listened for a machine
    voicemail_detection_seconds: NotRequired[int]
    #: left on the machine; empty: nothing is left
    voicemail_message: NotRequired[str]
    #: shown on the called person's telephone
    caller_verification_call_reason: NotRequired[str]
    #: take keys the caller presses
    dtmf_input: NotRequired[bool]
    #: pause after the last key that ends the input
    dtmf_wait_seconds: NotRequired[float]
    #: book a call back when the caller asks for one, during the call or by a check after it
    auto_reschedule: NotRequired[bool]
    #: call backs are booked at most so far ahead
    reschedule_max_days: NotRequired[int]
    #: the agent may hand the call to a person
    transfer_enabled: NotRequired[bool]
    #: whom it may hand the call to
    transfer_targets: NotRequired[list[AgentDraftCallTransferTargetsItem]]
    #: other agents that it may let go on with the call
    handoffs: NotRequired[list[AgentDraftCallHandoffsItem]]
    #: said before the transfer
    transfer_message: NotRequired[str]
    #: the person hears a summary first
    transfer_summary: NotRequired[bool]
    #: music while a transfer rings, in place of the background
    hold_music: NotRequired[bool]
    #: said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in
    recording_notice: NotRequired[str]
    #: the agent may pause the recording, by the tools pause_recording and resume_recording
    recording_pause: NotRequired[bool]
    #: a pause of the recording, also one by the API, ends by itself after this long
    recording_pause_seconds: NotRequired[int]
    #: card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording
    redact_cards: NotRequired[bool]
    #: Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording
    redact_identity_numbers: NotRequired[bool]


class AgentDraftAnalyticsExtractionsItemChoicesItem(TypedDict):
    #: as it is saved
    value: str
    #: when this is the one
    when: NotRequired[str]


class AgentDraftAnalyticsExtractionsItem(TypedDict):
    #: its name in `extracted`
    key: str
    #: display name
    label: NotRequired[str]
    #: what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said
    type: NotRequired[Literal["text", "number", "boolean", "choice", "date", "list"]]
    #: what to look for in the call
    description: NotRequired[str]
    #: of a `choice`
    choices: NotRequired[list[AgentDraftAnalyticsExtractionsItemChoicesItem]]


class AgentDraftAnalytics(TypedDict):
    """run once the call ends"""

    #: write a summary of the call
    summarize: NotRequired[bool]
    #: what to find out from the call
    extractions: NotRequired[list[AgentDraftAnalyticsExtractionsItem]]
    #: its result is saved as JSON in `extracted`
    extraction_prompt: NotRequired[str]


class AgentDraftToolsItemResults(TypedDict):
    """what becomes of a JSON response of status 2xx"""

    #: where in the JSON what the model gets is; empty: all
    path: NotRequired[str]
    #: variables of the call that take a value of the JSON: name to path, like `order.items[0].price`
    variables: NotRequired[dict[str, str]]
    #: said after a success, in place of an answer of the model; `{variables}` are filled in
    message: NotRequired[str]


class AgentDraftToolsItem(TypedDict):
    #: what the model and the timeline call it
    name: str
    #: when the model should use it
    description: str
    #: JSON Schema of the arguments
    parameters: NotRequired[dict[str, Any]]
    #: client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it
    kind: NotRequired[Literal["http", "client"]]
    #: GET sends the arguments as query parameters, POST as JSON
    method: NotRequired[Literal["GET", "POST"]]
    #: called by the service; no private addresses; needed by an HTTP tool
    url: NotRequired[str]
    #: values are shown as `***` to callers who may not edit agents
    headers: NotRequired[dict[str, str]]
    #: said while the request runs
    pre_call_message: NotRequired[str]
    #: the request is abandoned after this long
    timeout_seconds: NotRequired[float]
    #: what becomes of a JSON response of status 2xx
    results: NotRequired[AgentDraftToolsItemResults]


class AgentDraftMcpServersItem(TypedDict):
    #: precedes the name of a tool where another tool has that name
    name: str
    #: called by the service; no private addresses
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: NotRequired[dict[str, str]]
    #: names of the server's tools that the model may call; empty: all of them
    tools: NotRequired[list[str]]
    #: the request is abandoned after this long
    timeout_seconds: NotRequired[float]


class AgentDraft(TypedDict):
    #: may be left out
    name: NotRequired[str]
    #: said first; `{variables}` are filled in
    welcome_message: NotRequired[str]
    #: instructions of the language model; `{variables}` are filled in
    system_prompt: NotRequired[str]
    #: language model
    llm: NotRequired[AgentDraftLlm]
    #: text to speech
    voice: NotRequired[AgentDraftVoice]
    #: speech to text
    transcriber: NotRequired[AgentDraftTranscriber]
    #: call behaviour
    call: NotRequired[AgentDraftCall]
    #: run once the call ends
    analytics: NotRequired[AgentDraftAnalytics]
    #: HTTP tools, and tools of the page, that the model can call
    tools: NotRequired[list[AgentDraftToolsItem]]
    #: servers of the Model Context Protocol whose tools the model can call
    mcp_servers: NotRequired[list[AgentDraftMcpServersItem]]
    #: what the agent may look into
    knowledge_base_ids: NotRequired[list[str]]
    #: auto: small bases stand in the prompt as a whole
    knowledge_mode: NotRequired[Literal["auto", "search"]]
    #: https; receives the lifecycle events of this agent's calls
    webhook_url: NotRequired[str]
    #: a paused agent takes and places no calls
    status: NotRequired[Literal["active", "paused"]]
    #: number of a drawing, or address of a picture; null: none
    avatar: NotRequired[int | str | None]


class GeneratePromptBody(TypedDict):
    #: what the agent is for, in your words
    brief: str
    #: language the agent speaks
    language: NotRequired[str]
    #: the agent whose prompt is to be improved
    agent_id: NotRequired[str]
    #: how it should sound
    tone: NotRequired[str]


class SaveAgentVersionBodyLlmRealtime(TypedDict):
    """of a speech-to-speech model"""

    #: the model's own voice; empty: the provider's default
    voice: NotRequired[str]
    #: text: the model hears the caller and writes, and the voice below speaks; not every provider can
    output: NotRequired[Literal["audio", "text"]]
    #: who decides that the caller's turn is over
    turn_detection: NotRequired[Literal["service", "model"]]
    #: whose model answers what is not spoken, and takes over with voice and transcriber when the session fails
    text_provider: NotRequired[Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]]
    #: empty: the provider's default
    text_model: NotRequired[str]


class SaveAgentVersionBodyLlm(TypedDict):
    """language model"""

    #: whose language model
    provider: NotRequired[Literal["openai", "anthropic", "google", "azure", "groq", "mistral", "custom"]]
    #: empty: the provider's default
    model: NotRequired[str]
    #: higher is more varied
    temperature: NotRequired[float]
    #: the longest reply in tokens
    max_tokens: NotRequired[int]
    #: of a speech-to-speech model
    realtime: NotRequired[SaveAgentVersionBodyLlmRealtime]


class SaveAgentVersionBodyVoicePronunciationsItem(TypedDict):
    #: as it is written, one word or several
    word: str
    #: as it is to be said, in letters that the voice reads; empty: `ipa` alone
    say: NotRequired[str]
    #: the same in IPA, for voices that take it; others get `say`
    ipa: NotRequired[str]


class SaveAgentVersionBodyVoiceFallbacksItem(TypedDict):
    #: whose voice
    provider: NotRequired[Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider
    voice_id: str
    #: display name
    voice_name: NotRequired[str]
    #: empty: the voice's language
    language: NotRequired[str]


class SaveAgentVersionBodyVoiceByLanguageItem(TypedDict):
    #: whose voice
    provider: NotRequired[Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]]
    #: left out: the provider's default
    model: NotRequired[str]
    #: a voice of the provider; empty: the provider's default for the language
    voice_id: NotRequired[str]
    #: display name
    voice_name: NotRequired[str]
    #: ISO 639-1, with or without a region
    language: str


class SaveAgentVersionBodyVoice(TypedDict):
    """text to speech"""

    #: whose voice
    provider: NotRequired[Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"]]
    #: empty: the provider's default
    model: NotRequired[str]
    #: a voice from the voices list; empty: the provider's default
    voice_id: NotRequired[str]
    #: display name
    voice_name: NotRequired[str]
    #: language the agent speaks
    language: NotRequired[str]
    #: 1 is normal
    speed: NotRequired[float]
    #: words that are said otherwise than they are written; transcripts keep the word
    pronunciations: NotRequired[list[SaveAgentVersionBodyVoicePronunciationsItem]]
    #: tried in order when the voice fails
    fallbacks: NotRequired[list[SaveAgentVersionBodyVoiceFallbacksItem]]
    #: voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice
    by_language: NotRequired[list[SaveAgentVersionBodyVoiceByLanguageItem]]


class SaveAgentVersionBodyTranscriberFallbacksItem(TypedDict):
    #: whose transcriber
    provider: NotRequired[Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]]
    #: empty: the provider's default
    model: NotRequired[str]
    #: language the caller speaks
    language: NotRequired[str]


class SaveAgentVersionBodyTranscriber(TypedDict):
    """speech to text"""

    #: whose transcriber
    provider: NotRequired[Literal["deepgram_flux", "deepgram", "sarvam", "soniox", "elevenlabs", "assemblyai", "openai", "azure_speech", "local"]]
    #: empty: the provider's default
    model: NotRequired[str]
    #: how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms
    turn_detection: NotRequired[Literal["responsive", "balanced", "patient"]]
    #: the caller's language, for a provider that needs to be told
    language: NotRequired[str]
    #: silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself
    endpointing_ms: NotRequired[int]
    #: words the recogniser should expect
    keyterms: NotRequired[list[str]]
    #: tried in order when the transcriber fails
    fallbacks: NotRequired[list[SaveAgentVersionBodyTranscriberFallbacksItem]]


class SaveAgentVersionBodyCallTransferTargetsItem(TypedDict):
    #: what the agent calls this person or team
    name: str
    #: E.164
    number: str
    #: when to transfer here
    description: NotRequired[str]


class SaveAgentVersionBodyCallHandoffsItem(TypedDict):
    #: an agent of the workspace
    agent_id: str
    #: what this agent calls it
    name: str
    #: when to hand the call to it
    description: NotRequired[str]
    #: how many of the last turns the other agent knows; null: all of them
    history_turns: NotRequired[int | None]
    #: what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in
    first_message: NotRequired[str]


class SaveAgentVersionBodyCall(TypedDict):
    """call behaviour"""

    #: the call ends after this long
    max_duration_seconds: NotRequired[int]
    #: the call ends when nobody speaks for so long
    hangup_after_silence_seconds: NotRequired[int]
    #: where the caller changes to another language that the service knows, the conversation goes on in it
    follow_language: NotRequired[bool]
    #: the caller can talk over the agent, which stops speaking
    allow_interruptions: NotRequired[bool]
    #: words of the caller that stop the agent
    interruption_min_words: NotRequired[int]
    #: outbound calls start only inside the hours below
    calling_hours: NotRequired[bool]
    #: in `timezone`
    call_start_hour: NotRequired[int]
    #: calls start before this hour
    call_end_hour: NotRequired[int]
    #: IANA zone of the calling hours
    timezone: NotRequired[str]
    #: keep a stereo recording
    record: NotRequired[bool]
    #: the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence
    filler_after_ms: NotRequired[int]
    #: what it says then, in turn; empty: phrases of the voice's language
    filler_phrases: NotRequired[list[str]]
    #: said before the agent hangs up when the conversation is over
    hangup_message: NotRequired[str]
    #: after each reply, ask the model whether the conversation is over
    hangup_on_prompt: NotRequired[bool]
    #: the question; must be answerable with Yes or No
    hangup_prompt: NotRequired[str]
    #: the caller can still talk over the last message
    hangup_interruptible: NotRequired[bool]
    #: ask a quiet caller once whether they are still there
    check_user_online: NotRequired[bool]
    #: what a quiet caller is asked
    user_online_message: NotRequired[str]
    #: silence before the question
    user_online_after_seconds: NotRequired[int]
    #: background sound; empty for none
    ambient_sound: NotRequired[str]
    #: percent
    ambient_volume: NotRequired[int]
    #: take noise out of the caller's sound
    noise_cancellation: NotRequired[bool]
    #: percent
    noise_cancellation_strength: NotRequired[int]
    #: end the call when a machine answers
    voicemail_detection: NotRequired[bool]
    #: how long is listened for a machine
    voicemail_detection_seconds: NotRequired[int]
    #: left on the machine; empty: nothing is left
    voicemail_message: NotRequired[str]
    #: shown on the called person's telephone
    caller_verification_call_reason: NotRequired[str]
    #: take keys the caller presses
    dtmf_input: NotRequired[bool]
    #: pause after the last key that ends the input
    dtmf_wait_seconds: NotRequired[float]
    #: book a call back when the caller asks for one, during the call or by a check after it
    auto_reschedule: NotRequired[bool]
    #: call backs are booked at most so far ahead
    reschedule_max_days: NotRequired[int]
    #: the agent may hand the call to a person
    transfer_enabled: NotRequired[bool]
    #: whom it may hand the call to
    transfer_targets: NotRequired[list[SaveAgentVersionBodyCallTransferTargetsItem]]
    #: other agents that it may let go on with the call
    handoffs: NotRequired[list[SaveAgentVersionBodyCallHandoffsItem]]
    #: said before the transfer
    transfer_message: NotRequired[str]
    #: the person hears a summary first
    transfer_summary: NotRequired[bool]
    #: music while a transfer rings, in place of the background
    hold_music: NotRequired[bool]
    #: said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in
    recording_notice: NotRequired[str]
    #: the agent may pause the recording, by the tools pause_recording and resume_recording
    recording_pause: NotRequired[bool]
    #: a pause of the recording, also one by the API, ends by itself after this long
    recording_pause_seconds: NotRequired[int]
    #: card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording
    redact_cards: NotRequired[bool]
    #: Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording
    redact_identity_numbers: NotRequired[bool]


class SaveAgentVersionBodyAnalyticsExtractionsItemChoicesItem(TypedDict):
    #: as it is saved
    value: str
    #: when this is the one
    when: NotRequired[str]


class SaveAgentVersionBodyAnalyticsExtractionsItem(TypedDict):
    #: its name in `extracted`
    key: str
    #: display name
    label: NotRequired[str]
    #: what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said
    type: NotRequired[Literal["text", "number", "boolean", "choice", "date", "list"]]
    #: what to look for in the call
    description: NotRequired[str]
    #: of a `choice`
    choices: NotRequired[list[SaveAgentVersionBodyAnalyticsExtractionsItemChoicesItem]]


class SaveAgentVersionBodyAnalytics(TypedDict):
    """run once the call ends"""

    #: write a summary of the call
    summarize: NotRequired[bool]
    #: what to find out from the call
    extractions: NotRequired[list[SaveAgentVersionBodyAnalyticsExtractionsItem]]
    #: its result is saved as JSON in `extracted`
    extraction_prompt: NotRequired[str]


class SaveAgentVersionBodyToolsItemResults(TypedDict):
    """what becomes of a JSON response of status 2xx"""

    #: where in the JSON what the model gets is; empty: all
    path: NotRequired[str]
    #: variables of the call that take a value of the JSON: name to path, like `order.items[0].price`
    variables: NotRequired[dict[str, str]]
    #: said after a success, in place of an answer of the model; `{variables}` are filled in
    message: NotRequired[str]


class SaveAgentVersionBodyToolsItem(TypedDict):
    #: what the model and the timeline call it
    name: str
    #: when the model should use it
    description: str
    #: JSON Schema of the arguments
    parameters: NotRequired[dict[str, Any]]
    #: client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it
    kind: NotRequired[Literal["http", "client"]]
    #: GET sends the arguments as query parameters, POST as JSON
    method: NotRequired[Literal["GET", "POST"]]
    #: called by the service; no private addresses; needed by an HTTP tool
    url: NotRequired[str]
    #: values are shown as `***` to callers who may not edit agents
    headers: NotRequired[dict[str, str]]
    #: said while the request runs
    pre_call_message: NotRequired[str]
    #: the request is abandoned after this long
    timeout_seconds: NotRequired[float]
    #: what becomes of a JSON response of status 2xx
    results: NotRequired[SaveAgentVersionBodyToolsItemResults]


class SaveAgentVersionBodyMcpServersItem(TypedDict):
    #: precedes the name of a tool where another tool has that name
    name: str
    #: called by the service; no private addresses
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: NotRequired[dict[str, str]]
    #: names of the server's tools that the model may call; empty: all of them
    tools: NotRequired[list[str]]
    #: the request is abandoned after this long
    timeout_seconds: NotRequired[float]


class SaveAgentVersionBody(TypedDict):
    #: for display; 1 to 120 characters
    name: str
    #: said first; `{variables}` are filled in
    welcome_message: NotRequired[str]
    #: instructions of the language model; `{variables}` are filled in
    system_prompt: NotRequired[str]
    #: language model
    llm: NotRequired[SaveAgentVersionBodyLlm]
    #: text to speech
    voice: NotRequired[SaveAgentVersionBodyVoice]
    #: speech to text
    transcriber: NotRequired[SaveAgentVersionBodyTranscriber]
    #: call behaviour
    call: NotRequired[SaveAgentVersionBodyCall]
    #: run once the call ends
    analytics: NotRequired[SaveAgentVersionBodyAnalytics]
    #: HTTP tools, and tools of the page, that the model can call
    tools: NotRequired[list[SaveAgentVersionBodyToolsItem]]
    #: servers of the Model Context Protocol whose tools the model can call
    mcp_servers: NotRequired[list[SaveAgentVersionBodyMcpServersItem]]
    #: what the agent may look into
    knowledge_base_ids: NotRequired[list[str]]
    #: auto: small bases stand in the prompt as a whole
    knowledge_mode: NotRequired[Literal["auto", "search"]]
    #: https; receives the lifecycle events of this agent's calls
    webhook_url: NotRequired[str]
    #: a paused agent takes and places no calls
    status: NotRequired[Literal["active", "paused"]]
    #: number of a drawing, or address of a picture; null: none
    avatar: NotRequired[int | str | None]


class UploadAmbientSoundBody(TypedDict):
    #: WAV or MP3, at most 5 MB, 1 to 120 seconds
    file: bytes
    #: for display
    name: str


class CreateWebhookBody(TypedDict):
    #: https on the public internet
    url: str
    #: for people
    description: NotRequired[str]
    #: `*` stands for the life of a call; the others are listed by GET /webhooks/events
    events: NotRequired[list[Literal["*", "call.queued", "call.placed", "call.started", "call.ended", "call.completed", "call.voicemail", "call.rescheduled", "call.transferred", "call.transfer_status", "agent.handoff", "call.control", "call.dtmf", "user.turn", "human_agent.turn", "agent.reply", "interrupted", "user.online_check", "tool.call", "tool.result", "kb.search", "fallback.used", "capacity.fallback", "capacity.exceeded", "error", "guardrail.violation"]]]
    #: an inactive endpoint gets nothing
    active: NotRequired[bool]


class ListWebhookDeliveriesResult(TypedDict):
    #: this page
    items: list[WebhookDelivery]
    #: everything that matches the filters
    total: int
    #: there are more than `total`; only 10000 are counted
    total_is_estimate: NotRequired[Literal[True]]


class UpdateWebhookBody(TypedDict):
    #: https on the public internet
    url: NotRequired[str]
    #: for people
    description: NotRequired[str]
    #: left out: stay
    events: NotRequired[list[Literal["*", "call.queued", "call.placed", "call.started", "call.ended", "call.completed", "call.voicemail", "call.rescheduled", "call.transferred", "call.transfer_status", "agent.handoff", "call.control", "call.dtmf", "user.turn", "human_agent.turn", "agent.reply", "interrupted", "user.online_check", "tool.call", "tool.result", "kb.search", "fallback.used", "capacity.fallback", "capacity.exceeded", "error", "guardrail.violation"]]]
    #: left out: stays
    active: NotRequired[bool]


class CreateKnowledgeBaseBody(TypedDict):
    #: for display
    name: str
    #: for people; agents do not read it
    description: NotRequired[str]


class UpdateKnowledgeBaseBody(TypedDict):
    #: for display
    name: NotRequired[str]
    #: for people; agents do not read it
    description: NotRequired[str]


class AddKnowledgeTextBody(TypedDict):
    #: for display
    name: str
    #: plain text
    text: str


class AddKnowledgeUrlBody(TypedDict):
    #: https or http on the public internet; at most 5 MB, 3 redirects
    url: str
    #: for display; the page title when left out
    name: NotRequired[str]
    #: above 1: links to pages of the same host are followed, nearest first, up to this number of pages
    max_pages: NotRequired[int]


class SearchKnowledgeBaseBody(TypedDict):
    #: a question or words
    query: str
    #: passages at most
    limit: NotRequired[int]


class UpdateWorkspaceBody(TypedDict):
    #: left out: stays
    name: NotRequired[str]
    #: IANA name; left out: stays
    timezone: NotRequired[str]
    #: an empty list: the owner
    alert_emails: NotRequired[list[str]]


class UpdateWorkspaceProfileBody(TypedDict):
    #: left out: stays; empty: forgotten
    company_name: NotRequired[str]
    #: left out: stays; empty: forgotten
    website: NotRequired[str]
    #: left out: stays; empty: forgotten
    industry: NotRequired[str]
    #: left out: stays; empty: forgotten
    use_case: NotRequired[str]
    #: left out: stays; empty: forgotten
    team_size: NotRequired[str]
    #: left out: stays; empty: forgotten
    monthly_calls: NotRequired[str]
    #: left out: stays; empty: forgotten
    phone: NotRequired[str]
    #: left out: stays; empty: forgotten
    country: NotRequired[str]


class UpdateSystemLogsBody(TypedDict):
    #: left out: stays
    enabled: NotRequired[bool]
    #: the lowest that is logged; left out: stays
    level: NotRequired[Literal["info", "warning", "error"]]


class UpdateWorkspaceSecurityBody(TypedDict):
    #: off: only people make and rotate API keys; on: keys without limits and connected apps as well
    keys_may_make_keys: NotRequired[bool]
    #: keys, members, invites, exports and these settings: the password or second factor of the last 15 minutes
    confirm_password: NotRequired[bool]


class CreateLimitRequestBody(TypedDict):
    #: above the present limit
    requested_limit: int
    #: why more are needed
    reason: str


class UpdateMemberBody(TypedDict):
    #: only owners make or unmake owners
    role: Literal["owner", "admin", "developer", "viewer"]


class CreateInviteBody(TypedDict):
    #: where the link is sent
    email: str
    #: owners are made, not invited
    role: Literal["admin", "developer", "viewer"]


class AcceptInviteBody(TypedDict):
    """a new user: both; a signed-in one: empty"""

    #: of a new user
    name: NotRequired[str]
    #: of a new user; 10 to 200 characters
    password: NotRequired[str]


class CreateKeyBody(TypedDict):
    #: a label
    name: str
    #: what it may do; left out: all that keys may
    scopes: NotRequired[list[Literal["agents:read", "agents:write", "agent_tests:read", "agent_tests:write", "batches:read", "batches:write", "billing:read", "calls:read", "calls:write", "catalog:read", "keys:read", "keys:write", "knowledge_bases:read", "knowledge_bases:write", "numbers:read", "observability:read", "tools:read", "tools:write", "webhooks:read", "webhooks:write", "workspace:read", "workspace:write"]]]
    #: when it stops working; left out: never
    expires_at: NotRequired[str]
    #: IP addresses and networks (CIDR) that it is accepted from; empty: any
    allowed_addresses: NotRequired[list[str]]


class RotateKeyBody(TypedDict):
    #: how long the present key goes on; 0: it stops at once
    overlap_hours: NotRequired[int]


class PlaceCallBody(TypedDict):
    #: whom to call, E.164
    to_number: str
    #: one of the workspace's active numbers
    from_number: NotRequired[str]
    #: values of the variables in welcome message and prompt
    user_data: NotRequired[dict[str, str | float | bool]]
    #: not called earlier; at most 7 days ahead
    not_before: NotRequired[str]


class ListCallsResult(TypedDict):
    #: this page
    items: list[CallSummary]
    #: everything that matches the filters
    total: int
    #: there are about `total` or more: with `number`, `min_duration` or `q` that many calls match
    total_is_estimate: NotRequired[Literal[True]]


class PauseCallRecordingResult(TypedDict):
    #: whether the recording is paused now
    paused: bool


class SayInCallBody(TypedDict):
    #: what the agent says to the caller
    text: str
    #: ends what the agent is saying now; else the text follows it. Never said over the caller
    interrupt: NotRequired[bool]


class InstructCallBody(TypedDict):
    #: added to the agent's prompt from the next reply on
    text: str


class SetCallVariablesBody(TypedDict):
    #: replace or add to the variables of the call, from the next reply or tool on
    values: dict[str, str | float | bool]


class MuteCallBody(TypedDict):
    #: who is muted
    side: Literal["agent", "caller"]
    #: false: heard again
    muted: bool
    #: the mute ends by itself after this long; another order to mute starts the time again
    max_seconds: NotRequired[int]


class SendCallDtmfBody(TypedDict):
    #: keys to press: 0 to 9, `*` and `#`; heard by the caller as tones
    digits: str


class TransferCallBody(TypedDict):
    #: one of the agent's transfer targets, by its name
    target: NotRequired[str]
    #: or a number, E.164
    number: NotRequired[str]
    #: why, for the summary that the person hears
    reason: NotRequired[str]


class HandBackCallBody(TypedDict):
    #: what the agent should know, in its prompt
    note: NotRequired[str]


class TestAgentAnalyticsBodyAnalyticsExtractionsItemChoicesItem(TypedDict):
    #: as it is saved
    value: str
    #: when this is the one
    when: NotRequired[str]


class TestAgentAnalyticsBodyAnalyticsExtractionsItem(TypedDict):
    #: its name in `extracted`
    key: str
    #: display name
    label: NotRequired[str]
    #: what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said
    type: NotRequired[Literal["text", "number", "boolean", "choice", "date", "list"]]
    #: what to look for in the call
    description: NotRequired[str]
    #: of a `choice`
    choices: NotRequired[list[TestAgentAnalyticsBodyAnalyticsExtractionsItemChoicesItem]]


class TestAgentAnalyticsBodyAnalytics(TypedDict):
    """left out: the agent's own"""

    #: write a summary of the call
    summarize: NotRequired[bool]
    #: what to find out from the call
    extractions: NotRequired[list[TestAgentAnalyticsBodyAnalyticsExtractionsItem]]
    #: its result is saved as JSON in `extracted`
    extraction_prompt: NotRequired[str]


class TestAgentAnalyticsBody(TypedDict):
    #: a connected call of the workspace
    call_id: str
    #: left out: the agent's own
    analytics: NotRequired[TestAgentAnalyticsBodyAnalytics]


class CreateBatchBodyContactsItem(TypedDict):
    #: E.164
    to_number: str
    #: values of the variables in welcome message and prompt
    user_data: NotRequired[dict[str, str | float | bool]]


class CreateBatchBody(TypedDict):
    #: who calls
    agent_id: str
    #: a file of contacts; or send `contacts`
    upload_id: NotRequired[str]
    #: a number that comes again is skipped
    contacts: NotRequired[list[CreateBatchBodyContactsItem]]
    #: default `Batch of <date>`
    name: NotRequired[str]
    #: the workspace's active numbers to call from, used in turn
    from_numbers: NotRequired[list[str]]
    #: https; receives the lifecycle events of its calls
    webhook_url: NotRequired[str]
    #: starts then, at most 30 days ahead; at once when it is past
    scheduled_at: NotRequired[str]
    #: at most this many of its calls live
    concurrency: NotRequired[int | None]
    #: calls to one contact at most
    max_attempts: NotRequired[int]
    #: until a contact is called again
    retry_after_minutes: NotRequired[int]
    #: outcomes after which a contact is called again
    retry_on: NotRequired[list[Literal["no-answer", "busy", "failed", "voicemail"]]]


class ListBatchesResult(TypedDict):
    #: this page
    items: list[Batch]
    #: everything that matches the filters
    total: int


class UpdateBatchBody(TypedDict):
    #: shown as `batch <name>` in `started_by` of its calls
    name: NotRequired[str]
    #: empty for none
    webhook_url: NotRequired[str]
    #: at most this many of its calls live
    concurrency: NotRequired[int | None]


class ListBatchContactsResult(TypedDict):
    #: this page
    items: list[BatchContact]
    #: everything that matches the filters
    total: int


class TestScenarioConfiguration(TypedDict):
    #: for display
    name: str
    #: who the caller is and what they want
    persona: str
    #: what the caller says first; empty: the caller waits
    first_message: NotRequired[str]
    #: values of the variables in welcome message and prompt
    user_data: NotRequired[dict[str, str | float | bool]]
    #: what must be true of the conversation; the run passes when all are
    criteria: list[str]
    #: the conversation ends after so many turns of the caller
    max_turns: NotRequired[int]
    #: language the caller speaks, a tag such as `hi` or `en-IN`; empty: the agent's
    language: NotRequired[str]
    #: tool name → text the model receives; a tool without an entry answers `ok`, and no request is sent. With an entry for `transfer_call` the caller comes back to the agent with this text
    tool_results: NotRequired[dict[str, str]]


class RunAllTestsBody(TypedDict):
    """optional: without it a run is in text"""

    #: `voice`: a synthesized caller speaks with the agent on a simulated line
    mode: NotRequired[Literal["text", "voice"]]
    #: behind the caller, some 20 dB below their voice; for `voice` only
    background_noise: NotRequired[Literal["none", "office", "call_centre", "cafe", "street"]]
    #: how many replies the caller talks over, the first that last long enough; for `voice` only
    interruptions: NotRequired[int]


class RunAllTestsResult(TypedDict):
    #: one per scenario, the newest scenario first
    runs: list[TestRun]


class SuggestTestScenariosBody(TypedDict):
    #: how many; fewer come when the model writes some that cannot be saved
    count: NotRequired[int]
    #: what they are to be about
    focus: NotRequired[str]


class CreateExportBody(TypedDict):
    #: the recordings of calls as well
    recordings: NotRequired[bool]


class EraseCallsBody(TypedDict):
    #: of the person, E.164
    number: str


class ListLedgerResult(TypedDict):
    #: this page
    items: list[LedgerItem]
    #: everything that matches the filters
    total: int
    #: there are more than `total`; only 10000 are counted
    total_is_estimate: NotRequired[Literal[True]]


class SwitchPlanBody(TypedDict):
    #: one whose `can_switch` is true
    plan_id: str


class BuyCallLinesBody(TypedDict):
    #: lines
    quantity: int


class RedeemCouponBody(TypedDict):
    #: upper or lower case
    code: str


class ReplaceKycBodyAddress(TypedDict):
    """where the business is registered"""

    #: street and number
    line1: NotRequired[str]
    #: further lines; may be empty
    line2: NotRequired[str]
    #: town or city
    city: NotRequired[str]
    #: in India: the name or the code of a state of `/locations/india`
    state: NotRequired[str]
    #: in India six digits
    pincode: NotRequired[str]
    #: ISO 3166-1, two letters
    country: NotRequired[str]


class ReplaceKycBody(TypedDict):
    #: as registered; 2 to 200 characters
    legal_name: NotRequired[str]
    #: empty until it is chosen
    business_type: NotRequired[Literal["proprietorship", "partnership", "llp", "private_limited", "public_limited", "trust", "individual", "foreign", ""]]
    #: ten characters, such as ABCDE1234F; India
    pan: NotRequired[str]
    #: holds the PAN; its check character must be right
    gstin: NotRequired[str]
    #: of companies in India
    cin: NotRequired[str]
    #: outside India
    tax_id: NotRequired[str]
    #: address of the business's pages
    website: NotRequired[str]
    #: where the business is registered
    address: NotRequired[ReplaceKycBodyAddress]
    #: whom to ask
    contact_name: NotRequired[str]
    #: of the person to ask
    contact_email: NotRequired[str]
    #: of the person to ask
    contact_phone: NotRequired[str]
    #: what the calls are for
    use_case: NotRequired[str]
    #: what an agent would say
    sample_script: NotRequired[str]


class CreateCallerIdRequestBody(TypedDict):
    #: E.164, active numbers of the workspace; the part may be repeated
    numbers: list[str]
    #: what the called person reads
    display_name: str
    #: shown beside the name
    call_reason: str
    #: PNG or JPG, at most 1 MB
    logo: bytes


class AppealGuardrailIncidentBody(TypedDict):
    #: why the incident is none
    text: str


class ToolConfigurationResults(TypedDict):
    """what becomes of a JSON response of status 2xx"""

    #: where in the JSON what the model gets is; empty: all
    path: NotRequired[str]
    #: variables of the call that take a value of the JSON: name to path, like `order.items[0].price`
    variables: NotRequired[dict[str, str]]
    #: said after a success, in place of an answer of the model; `{variables}` are filled in
    message: NotRequired[str]


class ToolConfiguration(TypedDict):
    #: what the model and the timeline call it
    name: str
    #: when the model should use it
    description: str
    #: JSON Schema of the arguments
    parameters: NotRequired[dict[str, Any]]
    #: client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it
    kind: NotRequired[Literal["http", "client"]]
    #: GET sends the arguments as query parameters, POST as JSON
    method: NotRequired[Literal["GET", "POST"]]
    #: called by the service; no private addresses; needed by an HTTP tool
    url: NotRequired[str]
    #: values are shown as `***` to callers who may not edit agents
    headers: NotRequired[dict[str, str]]
    #: said while the request runs
    pre_call_message: NotRequired[str]
    #: the request is abandoned after this long
    timeout_seconds: NotRequired[float]
    #: what becomes of a JSON response of status 2xx
    results: NotRequired[ToolConfigurationResults]


class TestToolBodyToolResults(TypedDict):
    """what becomes of a JSON response of status 2xx"""

    #: where in the JSON what the model gets is; empty: all
    path: NotRequired[str]
    #: variables of the call that take a value of the JSON: name to path, like `order.items[0].price`
    variables: NotRequired[dict[str, str]]
    #: said after a success, in place of an answer of the model; `{variables}` are filled in
    message: NotRequired[str]


class TestToolBodyTool(TypedDict):
    """the tool to test; left out: the saved one"""

    #: what the model and the timeline call it
    name: str
    #: when the model should use it
    description: str
    #: JSON Schema of the arguments
    parameters: NotRequired[dict[str, Any]]
    #: client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it
    kind: NotRequired[Literal["http", "client"]]
    #: GET sends the arguments as query parameters, POST as JSON
    method: NotRequired[Literal["GET", "POST"]]
    #: called by the service; no private addresses; needed by an HTTP tool
    url: NotRequired[str]
    #: values are shown as `***` to callers who may not edit agents
    headers: NotRequired[dict[str, str]]
    #: said while the request runs
    pre_call_message: NotRequired[str]
    #: the request is abandoned after this long
    timeout_seconds: NotRequired[float]
    #: what becomes of a JSON response of status 2xx
    results: NotRequired[TestToolBodyToolResults]


class TestToolBody(TypedDict):
    #: the tool to test; left out: the saved one
    tool: NotRequired[TestToolBodyTool]
    #: a saved tool; header values sent as `***` are taken from it
    tool_id: NotRequired[str]
    #: as the model would give them; checked against `parameters`; at most 100,000 characters of JSON
    arguments: NotRequired[dict[str, Any]]


class FindMcpToolsBodyServer(TypedDict):
    """an agent's `mcp_servers[]`"""

    #: precedes the name of a tool where another tool has that name
    name: str
    #: called by the service; no private addresses
    url: str
    #: values are shown as `***` to callers who may not edit agents
    headers: NotRequired[dict[str, str]]
    #: names of the server's tools that the model may call; empty: all of them
    tools: NotRequired[list[str]]
    #: the request is abandoned after this long
    timeout_seconds: NotRequired[float]


class FindMcpToolsBody(TypedDict):
    #: an agent's `mcp_servers[]`
    server: FindMcpToolsBodyServer
    #: header values sent as `***` are those of this agent's saved server of the same name
    agent_id: NotRequired[str]


class BuyNumberBody(TypedDict):
    #: as a search of the last hour found it, E.164
    number: str


class ConnectNumberBody(TypedDict):
    #: who answers inbound calls
    agent_id: str


class StartTopUpBody(TypedDict):
    #: a pack of `GET /billing/packs`
    pack_id: NotRequired[str]
    #: credits, before tax: 10000 to 50000000 in INR, 500 to 1000000 in USD
    amount_paise: NotRequired[int]


class CompletePaymentBody(TypedDict):
    #: what the checkout returned: Razorpay's payment id, Stripe's id of the checkout session
    gateway_payment_id: str
    #: what Razorpay signed; Stripe signs nothing
    gateway_signature: NotRequired[str]


class StartWebCallBody(TypedDict):
    #: values of the variables in welcome message and prompt
    user_data: NotRequired[dict[str, str | float | bool]]


class TakeOverCallBody(TypedDict):
    #: the agent goes on as well: a conference of three
    keep_agent: NotRequired[bool]


class UploadKnowledgeFileBody(TypedDict):
    #: PDF, DOCX, TXT, MD, HTML or CSV, at most 20 MB
    file: bytes


class UploadContactsBody(TypedDict):
    #: CSV in UTF-8 with a header, at most 5 MB and 10000 rows
    file: bytes
    #: the column with the numbers; else phone, phone_number, to_number, number, mobile or contact_number
    phone_column: NotRequired[str]
    #: of numbers without a plus
    country_code: NotRequired[str]


class UploadKycDocumentBody(TypedDict):
    #: PDF, PNG or JPG, at most 10 MB; an image becomes a PDF
    file: bytes
    #: what paper it is
    kind: Literal["registration", "tax", "identity", "address", "authorization", "other"]


WebhookEvent = PingEvent | CallQueuedEvent | CallPlacedEvent | CallStartedEvent | CallEndedEvent | CallCompletedEvent | CallVoicemailEvent | CallRescheduledEvent | CallTransferredEvent | CallTransferStatusEvent | AgentHandoffEvent | CallControlEvent | CallDtmfEvent | UserTurnEvent | HumanAgentTurnEvent | AgentReplyEvent | InterruptedEvent | UserOnlineCheckEvent | ToolCallEvent | ToolResultEvent | KbSearchEvent | FallbackUsedEvent | CapacityFallbackEvent | CapacityExceededEvent | ErrorEvent | GuardrailViolationEvent


class Client(_Transport):
    """A function for every operation of the API. Raises ApiError and ConnectionFailed."""

    def list_audit_events(self, *, action: str | None = None, actor_id: str | None = None, target_id: str | None = None, since: str | None = None, until: str | None = None, limit: int | None = None, skip: int | None = None) -> ListAuditEventsResult:
        """Who changed what, newest first; deleted after 2 years

        GET /api/v1/audit-events

        Permission: logs.view. Scope of a limited key: observability:read.
        """
        return cast("ListAuditEventsResult", self._send("GET", "/api/v1/audit-events", "json", query={"action": action, "actor_id": actor_id, "target_id": target_id, "since": since, "until": until, "limit": limit, "skip": skip}))

    def each_of_list_audit_events(self, *, action: str | None = None, actor_id: str | None = None, target_id: str | None = None, since: str | None = None, until: str | None = None, limit: int | None = None) -> Iterator[AuditEvent]:
        """Everything that list_audit_events lists, page after page."""
        skip = 0
        while True:
            page = self.list_audit_events(action=action, actor_id=actor_id, target_id=target_id, since=since, until=until, limit=limit, skip=skip)
            yield from page["items"]
            skip += len(page["items"])
            if not page["items"] or (skip >= page["total"] and not page.get("total_is_estimate")):
                return

    def list_logs(self, *, level: list[Literal["info", "warning", "error"]] | None = None, source: Literal["api", "call", "webhook", "batch", "test", "job"] | None = None, request_id: str | None = None, call_id: str | None = None, q: str | None = None, since: str | None = None, until: str | None = None, limit: int | None = None, skip: int | None = None) -> ListLogsResult:
        """What the service did for the workspace, newest first; deleted after 14 days

        GET /api/v1/logs

        Permission: logs.view. Scope of a limited key: observability:read.
        """
        return cast("ListLogsResult", self._send("GET", "/api/v1/logs", "json", query={"level": level, "source": source, "request_id": request_id, "call_id": call_id, "q": q, "since": since, "until": until, "limit": limit, "skip": skip}))

    def each_of_list_logs(self, *, level: list[Literal["info", "warning", "error"]] | None = None, source: Literal["api", "call", "webhook", "batch", "test", "job"] | None = None, request_id: str | None = None, call_id: str | None = None, q: str | None = None, since: str | None = None, until: str | None = None, limit: int | None = None) -> Iterator[ServerLog]:
        """Everything that list_logs lists, page after page."""
        skip = 0
        while True:
            page = self.list_logs(level=level, source=source, request_id=request_id, call_id=call_id, q=q, since=since, until=until, limit=limit, skip=skip)
            yield from page["items"]
            skip += len(page["items"])
            if not page["items"] or (skip >= page["total"] and not page.get("total_is_estimate")):
                return

    def get_calls_summary(self, *, since: str | None = None, until: str | None = None, agent_id: str | None = None, bucket: Literal["day", "hour"] | None = None) -> CallsSummary:
        """Calls, answer rate, failures, latency and cost, by day or hour

        GET /api/v1/observability/summary

        Permission: calls.view. Scope of a limited key: observability:read.
        """
        return cast("CallsSummary", self._send("GET", "/api/v1/observability/summary", "json", query={"since": since, "until": until, "agent_id": agent_id, "bucket": bucket}))

    def get_live_calls(self) -> LiveCalls:
        """Calls ringing or in progress now, and the queue

        GET /api/v1/observability/live

        Permission: calls.view. Scope of a limited key: observability:read.
        """
        return cast("LiveCalls", self._send("GET", "/api/v1/observability/live", "json"))

    def sign_up(self, body: SignupInput) -> AuthResult:
        """A new user with a new workspace; signs in

        POST /api/v1/auth/signup
        """
        return cast("AuthResult", self._send("POST", "/api/v1/auth/signup", "json", body=body))

    def log_in(self, body: LoginInput) -> AuthResult | TwoFactorRequired:
        """Sign in; with two-step sign-in on, the first step

        POST /api/v1/auth/login
        """
        return cast("AuthResult | TwoFactorRequired", self._send("POST", "/api/v1/auth/login", "json", body=body))

    def log_in_with_code(self, body: TwoFactorLoginInput) -> AuthResult:
        """The second step of signing in

        POST /api/v1/auth/login/2fa
        """
        return cast("AuthResult", self._send("POST", "/api/v1/auth/login/2fa", "json", body=body))

    def get_me(self) -> Me:
        """Who this credential stands for, and what it may do

        GET /api/v1/auth/me
        """
        return cast("Me", self._send("GET", "/api/v1/auth/me", "json"))

    def log_out(self) -> None:
        """Sign out: this session ends

        POST /api/v1/auth/logout
        """
        self._send("POST", "/api/v1/auth/logout", "none")

    def get_account(self) -> Account:
        """The signed-in user

        GET /api/v1/account
        """
        return cast("Account", self._send("GET", "/api/v1/account", "json"))

    def update_account(self, body: UpdateAccountBody) -> Account:
        """Change name, zone or avatar

        PATCH /api/v1/account
        """
        return cast("Account", self._send("PATCH", "/api/v1/account", "json", body=body))

    def delete_account(self, body: DeleteAccountBody) -> None:
        """Delete the account; workspaces where nobody else is are closed

        DELETE /api/v1/account
        """
        self._send("DELETE", "/api/v1/account", "none", body=body)

    def change_email(self, body: ChangeEmailBody) -> Account:
        """Ask for another email; it takes effect once the mailed link is followed

        POST /api/v1/account/email
        """
        return cast("Account", self._send("POST", "/api/v1/account/email", "json", body=body))

    def change_password(self, body: ChangePasswordBody) -> None:
        """Change the password; other sessions end

        POST /api/v1/account/password
        """
        self._send("POST", "/api/v1/account/password", "none", body=body)

    def confirm_account(self, body: ConfirmAccountBody) -> ConfirmAccountResult:
        """Enter the password or a second factor again, or use a passkey, for what asks for it within 15 minutes

        POST /api/v1/account/confirm
        """
        return cast("ConfirmAccountResult", self._send("POST", "/api/v1/account/confirm", "json", body=body))

    def list_sessions(self) -> list[Session]:
        """Where the user is signed in, the last 50

        GET /api/v1/account/sessions
        """
        return cast("list[Session]", self._send("GET", "/api/v1/account/sessions", "json"))

    def revoke_session(self, session_id: str) -> None:
        """End a session

        DELETE /api/v1/account/sessions/{session_id}
        """
        self._send("DELETE", f"/api/v1/account/sessions/{_quoted(session_id)}", "none")

    def revoke_other_sessions(self) -> RevokeOtherSessionsResult:
        """End every session but this one

        POST /api/v1/account/sessions/revoke-others
        """
        return cast("RevokeOtherSessionsResult", self._send("POST", "/api/v1/account/sessions/revoke-others", "json"))

    def set_up_two_factor(self, body: DeleteAccountBody) -> SetUpTwoFactorResult:
        """Begin two-step sign-in: the secret for an authenticator app, valid for 15 minutes

        POST /api/v1/account/2fa/setup
        """
        return cast("SetUpTwoFactorResult", self._send("POST", "/api/v1/account/2fa/setup", "json", body=body))

    def enable_two_factor(self, body: EnableTwoFactorBody) -> EnableTwoFactorResult:
        """Switch two-step sign-in on with a first code; the recovery codes are shown once

        POST /api/v1/account/2fa/enable
        """
        return cast("EnableTwoFactorResult", self._send("POST", "/api/v1/account/2fa/enable", "json", body=body))

    def disable_two_factor(self, body: DisableTwoFactorBody) -> None:
        """Switch two-step sign-in off

        POST /api/v1/account/2fa/disable
        """
        self._send("POST", "/api/v1/account/2fa/disable", "none", body=body)

    def list_passkeys(self) -> list[Passkey]:
        """The user's passkeys, oldest first

        GET /api/v1/account/passkeys
        """
        return cast("list[Passkey]", self._send("GET", "/api/v1/account/passkeys", "json"))

    def create_passkey(self, body: CreatePasskeyBody) -> PasskeyAdded:
        """Add a passkey; the first second factor switches two-step sign-in on and shows the recovery codes once

        POST /api/v1/account/passkeys

        Needs the password or second factor entered in the last 15 minutes.
        """
        return cast("PasskeyAdded", self._send("POST", "/api/v1/account/passkeys", "json", body=body))

    def set_up_passkey(self) -> PasskeySetup:
        """Begin to add a passkey: what the browser makes it of

        POST /api/v1/account/passkeys/setup

        Needs the password or second factor entered in the last 15 minutes.
        """
        return cast("PasskeySetup", self._send("POST", "/api/v1/account/passkeys/setup", "json"))

    def create_confirmation_challenge(self) -> PasskeyChallenge:
        """What a passkey has to sign for `POST /account/confirm`

        POST /api/v1/account/passkeys/challenge
        """
        return cast("PasskeyChallenge", self._send("POST", "/api/v1/account/passkeys/challenge", "json"))

    def update_passkey(self, passkey_id: str, body: UpdatePasskeyBody) -> Passkey:
        """Rename a passkey

        PATCH /api/v1/account/passkeys/{passkey_id}
        """
        return cast("Passkey", self._send("PATCH", f"/api/v1/account/passkeys/{_quoted(passkey_id)}", "json", body=body))

    def delete_passkey(self, passkey_id: str) -> None:
        """Remove a passkey; with the last second factor two-step sign-in goes off

        DELETE /api/v1/account/passkeys/{passkey_id}

        Needs the password or second factor entered in the last 15 minutes.
        """
        self._send("DELETE", f"/api/v1/account/passkeys/{_quoted(passkey_id)}", "none")

    def create_login_challenge(self, body: CreateLoginChallengeBody) -> PasskeyChallenge:
        """What a passkey has to sign as the second step of signing in

        POST /api/v1/auth/login/passkey/challenge
        """
        return cast("PasskeyChallenge", self._send("POST", "/api/v1/auth/login/passkey/challenge", "json", body=body))

    def log_in_with_passkey(self, body: LogInWithPasskeyBody) -> AuthResult:
        """The second step of signing in, with a passkey

        POST /api/v1/auth/login/passkey
        """
        return cast("AuthResult", self._send("POST", "/api/v1/auth/login/passkey", "json", body=body))

    def get_agent_canary(self, agent_id: str) -> AgentCanary:
        """The version that a share of the new calls uses, and how its calls went beside the others

        GET /api/v1/agents/{agent_id}/canary

        Permission: calls.view. Scope of a limited key: agents:read.
        """
        return cast("AgentCanary", self._send("GET", f"/api/v1/agents/{_quoted(agent_id)}/canary", "json"))

    def set_agent_canary(self, agent_id: str, body: SetAgentCanaryBody) -> AgentCanarySettings:
        """Give a version a share of the new calls, or its canary another share

        PUT /api/v1/agents/{agent_id}/canary

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        return cast("AgentCanarySettings", self._send("PUT", f"/api/v1/agents/{_quoted(agent_id)}/canary", "json", body=body))

    def drop_agent_canary(self, agent_id: str) -> None:
        """End the canary: all new calls use the version in use

        DELETE /api/v1/agents/{agent_id}/canary

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        self._send("DELETE", f"/api/v1/agents/{_quoted(agent_id)}/canary", "none")

    def promote_agent_canary(self, agent_id: str, *, if_match: str | None = None) -> SavedAgent:
        """End the canary by saving its configuration as the agent's new version; the status stays as it is

        POST /api/v1/agents/{agent_id}/canary/promote

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        return cast("SavedAgent", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/canary/promote", "json", headers={"if-match": if_match}))

    def create_agent_share(self, body: CreateAgentShareBody) -> AgentShare:
        """Share an agent as it is now

        POST /api/v1/agent-shares

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        return cast("AgentShare", self._send("POST", "/api/v1/agent-shares", "json", body=body))

    def list_agent_shares(self) -> list[AgentShare]:
        """What this workspace shares, newest first; expired shares are left out

        GET /api/v1/agent-shares

        Permission: agents.view. Scope of a limited key: agents:read.
        """
        return cast("list[AgentShare]", self._send("GET", "/api/v1/agent-shares", "json"))

    def get_shared_agent(self, token: str) -> SharedAgent:
        """A shared agent, of any workspace

        GET /api/v1/agent-shares/{token}

        Permission: agents.view. Scope of a limited key: agents:read.
        """
        return cast("SharedAgent", self._send("GET", f"/api/v1/agent-shares/{_quoted(token)}", "json"))

    def delete_agent_share(self, token: str) -> None:
        """Stop sharing; copies stay

        DELETE /api/v1/agent-shares/{token}

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        self._send("DELETE", f"/api/v1/agent-shares/{_quoted(token)}", "none")

    def copy_shared_agent(self, token: str, body: CopySharedAgentBody) -> SavedAgent:
        """Make an agent of this workspace from a shared one

        POST /api/v1/agent-shares/{token}/copy

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        return cast("SavedAgent", self._send("POST", f"/api/v1/agent-shares/{_quoted(token)}/copy", "json", body=body))

    def list_pinned_agents(self) -> list[str]:
        """The agents you pinned, newest pin first

        GET /api/v1/agents/pins

        Permission: agents.view.
        """
        return cast("list[str]", self._send("GET", "/api/v1/agents/pins", "json"))

    def pin_agent(self, agent_id: str) -> None:
        """Pin an agent for yourself

        PUT /api/v1/agents/{agent_id}/pin

        Permission: agents.view.
        """
        self._send("PUT", f"/api/v1/agents/{_quoted(agent_id)}/pin", "none")

    def unpin_agent(self, agent_id: str) -> None:
        """Take your pin off an agent

        DELETE /api/v1/agents/{agent_id}/pin

        Permission: agents.view.
        """
        self._send("DELETE", f"/api/v1/agents/{_quoted(agent_id)}/pin", "none")

    def get_agent_pricing(self, agent_id: str, *, channel: Literal["phone", "web"] | None = None) -> PriceEstimate:
        """What a minute with the agent will cost

        GET /api/v1/agents/{agent_id}/pricing

        Permission: agents.view. Scope of a limited key: agents:read.
        """
        return cast("PriceEstimate", self._send("GET", f"/api/v1/agents/{_quoted(agent_id)}/pricing", "json", query={"channel": channel}))

    def estimate_pricing(self, body: AgentDraft, *, channel: Literal["phone", "web"] | None = None) -> PriceEstimate:
        """What a minute would cost with this configuration; nothing is saved

        POST /api/v1/agents/pricing

        Permission: agents.view. Scope of a limited key: agents:read.
        """
        return cast("PriceEstimate", self._send("POST", "/api/v1/agents/pricing", "json", query={"channel": channel}, body=body))

    def get_agent_latency(self, agent_id: str, *, days: int | None = None) -> AgentLatency:
        """How quickly the agent answered in the last days, today included

        GET /api/v1/agents/{agent_id}/latency

        Permission: calls.view. Scope of a limited key: agents:read.
        """
        return cast("AgentLatency", self._send("GET", f"/api/v1/agents/{_quoted(agent_id)}/latency", "json", query={"days": days}))

    def generate_prompt(self, body: GeneratePromptBody) -> GeneratedPrompt:
        """Generate a welcome message and a prompt from a brief; nothing is saved

        POST /api/v1/agents/prompt/generate

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        return cast("GeneratedPrompt", self._send("POST", "/api/v1/agents/prompt/generate", "json", body=body))

    def list_agent_versions(self, agent_id: str) -> list[AgentVersion]:
        """The stored versions of an agent, newest first

        GET /api/v1/agents/{agent_id}/versions

        Permission: agents.view. Scope of a limited key: agents:read.
        """
        return cast("list[AgentVersion]", self._send("GET", f"/api/v1/agents/{_quoted(agent_id)}/versions", "json"))

    def save_agent_version(self, agent_id: str, body: SaveAgentVersionBody) -> AgentVersion:
        """Save a configuration as a version that no call uses until it is restored or gets a share of them

        POST /api/v1/agents/{agent_id}/versions

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        return cast("AgentVersion", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/versions", "json", body=body))

    def get_agent_version(self, agent_id: str, version: str) -> AgentVersionWithConfiguration:
        """One stored version with its configuration

        GET /api/v1/agents/{agent_id}/versions/{version}

        Permission: agents.view. Scope of a limited key: agents:read.
        """
        return cast("AgentVersionWithConfiguration", self._send("GET", f"/api/v1/agents/{_quoted(agent_id)}/versions/{_quoted(version)}", "json"))

    def restore_agent_version(self, agent_id: str, version: str, *, if_match: str | None = None) -> SavedAgent:
        """Save an earlier configuration as a new version; the status stays as it is

        POST /api/v1/agents/{agent_id}/versions/{version}/restore

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        return cast("SavedAgent", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/versions/{_quoted(version)}/restore", "json", headers={"if-match": if_match}))

    def list_agents(self) -> list[Agent]:
        """All agents, newest first

        GET /api/v1/agents

        Permission: agents.view. Scope of a limited key: agents:read.
        """
        return cast("list[Agent]", self._send("GET", "/api/v1/agents", "json"))

    def create_agent(self, body: SaveAgentVersionBody) -> SavedAgent:
        """Make an agent

        POST /api/v1/agents

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        return cast("SavedAgent", self._send("POST", "/api/v1/agents", "json", body=body))

    def get_agent(self, agent_id: str) -> Agent:
        """One agent

        GET /api/v1/agents/{agent_id}

        Permission: agents.view. Scope of a limited key: agents:read.
        """
        return cast("Agent", self._send("GET", f"/api/v1/agents/{_quoted(agent_id)}", "json"))

    def replace_agent(self, agent_id: str, body: SaveAgentVersionBody, *, if_match: str | None = None) -> SavedAgent:
        """Save the whole configuration; what is left out gets its default

        PUT /api/v1/agents/{agent_id}

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        return cast("SavedAgent", self._send("PUT", f"/api/v1/agents/{_quoted(agent_id)}", "json", headers={"if-match": if_match}, body=body))

    def delete_agent(self, agent_id: str) -> None:
        """Remove an agent: its queued calls fail, its number is disconnected, live calls go on

        DELETE /api/v1/agents/{agent_id}

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        self._send("DELETE", f"/api/v1/agents/{_quoted(agent_id)}", "none")

    def duplicate_agent(self, agent_id: str) -> SavedAgent:
        """Make another agent with the same configuration

        POST /api/v1/agents/{agent_id}/duplicate

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        return cast("SavedAgent", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/duplicate", "json"))

    def list_ambient_sounds(self) -> list[AmbientSound]:
        """Background sounds: the built-in ones and the uploads, newest first

        GET /api/v1/ambient

        Permission: agents.view. Scope of a limited key: agents:read.
        """
        return cast("list[AmbientSound]", self._send("GET", "/api/v1/ambient", "json"))

    def upload_ambient_sound(self, body: UploadAmbientSoundBody) -> AmbientSound:
        """Upload a background sound; it is stored as mono WAV at 16 kHz

        POST /api/v1/ambient

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        return cast("AmbientSound", self._send("POST", "/api/v1/ambient", "json", body=body, form=True))

    def get_ambient_sound_audio(self, sound: str) -> bytes:
        """A background sound as a WAV file

        GET /api/v1/ambient/{sound}/audio

        Permission: agents.view. Scope of a limited key: agents:read.
        """
        return cast("bytes", self._send("GET", f"/api/v1/ambient/{_quoted(sound)}/audio", "file"))

    def delete_ambient_sound(self, sound: str) -> None:
        """Remove an uploaded sound that no agent uses

        DELETE /api/v1/ambient/{sound}

        Permission: agents.edit. Scope of a limited key: agents:write.
        """
        self._send("DELETE", f"/api/v1/ambient/{_quoted(sound)}", "none")

    def get_catalog(self, *, kind: list[Literal["llm_models", "tts_models", "stt_models", "languages"]] | None = None) -> Catalog:
        """Models with their prices, and languages

        GET /api/v1/catalog

        Permission: agents.view. Scope of a limited key: catalog:read.
        """
        return cast("Catalog", self._send("GET", "/api/v1/catalog", "json", query={"kind": kind}))

    def list_voices(self, *, provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"] | None = None, model: str | None = None, language: str | None = None, gender: Literal["female", "male", "neutral"] | None = None, q: str | None = None) -> list[Voice]:
        """Voices of the providers that the service has credentials of

        GET /api/v1/voices

        Permission: agents.view. Scope of a limited key: catalog:read.
        """
        return cast("list[Voice]", self._send("GET", "/api/v1/voices", "json", query={"provider": provider, "model": model, "language": language, "gender": gender, "q": q}))

    def get_voice_preview(self, voice_id: str, *, provider: Literal["elevenlabs", "cartesia", "sarvam", "deepgram_aura", "azure_speech", "openai", "local"] | None = None, language: str | None = None) -> bytes:
        """The voice saying a sentence; made once by its provider, then stored

        GET /api/v1/voices/{voice_id}/preview

        Permission: agents.view. Scope of a limited key: catalog:read.
        """
        return cast("bytes", self._send("GET", f"/api/v1/voices/{_quoted(voice_id)}/preview", "file", query={"provider": provider, "language": language}))

    def create_webhook(self, body: CreateWebhookBody) -> WebhookEndpointWithSecret:
        """Create an endpoint; its secret is shown once

        POST /api/v1/webhooks

        Permission: keys.manage. Scope of a limited key: webhooks:write. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        return cast("WebhookEndpointWithSecret", self._send("POST", "/api/v1/webhooks", "json", body=body))

    def list_webhooks(self) -> list[WebhookEndpoint]:
        """All endpoints, newest first

        GET /api/v1/webhooks

        Permission: keys.manage. Scope of a limited key: webhooks:read.
        """
        return cast("list[WebhookEndpoint]", self._send("GET", "/api/v1/webhooks", "json"))

    def list_webhook_event_types(self) -> list[WebhookEventType]:
        """The types of events that can be subscribed to

        GET /api/v1/webhooks/events

        Permission: keys.manage. Scope of a limited key: webhooks:read.
        """
        return cast("list[WebhookEventType]", self._send("GET", "/api/v1/webhooks/events", "json"))

    def get_default_webhook_secret(self) -> WebhookDefaultSecret:
        """The hint of the secret that signs for agents and campaigns

        GET /api/v1/webhooks/default-secret

        Permission: keys.manage. Scope of a limited key: webhooks:read.
        """
        return cast("WebhookDefaultSecret", self._send("GET", "/api/v1/webhooks/default-secret", "json"))

    def rotate_default_webhook_secret(self) -> NewWebhookDefaultSecret:
        """A new default secret, shown once; the old one is invalid at once

        POST /api/v1/webhooks/default-secret/rotate

        Permission: keys.manage. Scope of a limited key: webhooks:write. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        return cast("NewWebhookDefaultSecret", self._send("POST", "/api/v1/webhooks/default-secret/rotate", "json"))

    def list_webhook_deliveries(self, *, endpoint_id: str | None = None, status: list[Literal["pending", "delivered", "retrying", "failed"]] | None = None, event_type: list[Literal["ping", "call.queued", "call.placed", "call.started", "call.ended", "call.completed", "call.voicemail", "call.rescheduled", "call.transferred", "call.transfer_status", "agent.handoff", "call.control", "call.dtmf", "user.turn", "human_agent.turn", "agent.reply", "interrupted", "user.online_check", "tool.call", "tool.result", "kb.search", "fallback.used", "capacity.fallback", "capacity.exceeded", "error", "guardrail.violation"]] | None = None, call_id: str | None = None, since: str | None = None, until: str | None = None, limit: int | None = None, skip: int | None = None) -> ListWebhookDeliveriesResult:
        """Deliveries of the last 30 days, newest first

        GET /api/v1/webhooks/deliveries

        Permission: keys.manage. Scope of a limited key: webhooks:read.
        """
        return cast("ListWebhookDeliveriesResult", self._send("GET", "/api/v1/webhooks/deliveries", "json", query={"endpoint_id": endpoint_id, "status": status, "event_type": event_type, "call_id": call_id, "since": since, "until": until, "limit": limit, "skip": skip}))

    def each_of_list_webhook_deliveries(self, *, endpoint_id: str | None = None, status: list[Literal["pending", "delivered", "retrying", "failed"]] | None = None, event_type: list[Literal["ping", "call.queued", "call.placed", "call.started", "call.ended", "call.completed", "call.voicemail", "call.rescheduled", "call.transferred", "call.transfer_status", "agent.handoff", "call.control", "call.dtmf", "user.turn", "human_agent.turn", "agent.reply", "interrupted", "user.online_check", "tool.call", "tool.result", "kb.search", "fallback.used", "capacity.fallback", "capacity.exceeded", "error", "guardrail.violation"]] | None = None, call_id: str | None = None, since: str | None = None, until: str | None = None, limit: int | None = None) -> Iterator[WebhookDelivery]:
        """Everything that list_webhook_deliveries lists, page after page."""
        skip = 0
        while True:
            page = self.list_webhook_deliveries(endpoint_id=endpoint_id, status=status, event_type=event_type, call_id=call_id, since=since, until=until, limit=limit, skip=skip)
            yield from page["items"]
            skip += len(page["items"])
            if not page["items"] or (skip >= page["total"] and not page.get("total_is_estimate")):
                return

    def get_webhook_delivery(self, delivery_id: str) -> WebhookDeliveryWithBodies:
        """One delivery with its request and response

        GET /api/v1/webhooks/deliveries/{delivery_id}

        Permission: keys.manage. Scope of a limited key: webhooks:read.
        """
        return cast("WebhookDeliveryWithBodies", self._send("GET", f"/api/v1/webhooks/deliveries/{_quoted(delivery_id)}", "json"))

    def retry_webhook_delivery(self, delivery_id: str) -> WebhookDeliveryWithBodies:
        """One extra attempt now; the schedule is not restarted

        POST /api/v1/webhooks/deliveries/{delivery_id}/retry

        Permission: keys.manage. Scope of a limited key: webhooks:write.
        """
        return cast("WebhookDeliveryWithBodies", self._send("POST", f"/api/v1/webhooks/deliveries/{_quoted(delivery_id)}/retry", "json"))

    def update_webhook(self, endpoint_id: str, body: UpdateWebhookBody) -> WebhookEndpoint:
        """Change an endpoint; fields that are not sent stay

        PATCH /api/v1/webhooks/{endpoint_id}

        Permission: keys.manage. Scope of a limited key: webhooks:write.
        """
        return cast("WebhookEndpoint", self._send("PATCH", f"/api/v1/webhooks/{_quoted(endpoint_id)}", "json", body=body))

    def delete_webhook(self, endpoint_id: str) -> None:
        """Delete an endpoint; its waiting deliveries fail

        DELETE /api/v1/webhooks/{endpoint_id}

        Permission: keys.manage. Scope of a limited key: webhooks:write.
        """
        self._send("DELETE", f"/api/v1/webhooks/{_quoted(endpoint_id)}", "none")

    def test_webhook(self, endpoint_id: str) -> WebhookDeliveryWithBodies:
        """Send one ping now, without retries; also to an inactive endpoint

        POST /api/v1/webhooks/{endpoint_id}/test

        Permission: keys.manage. Scope of a limited key: webhooks:write.
        """
        return cast("WebhookDeliveryWithBodies", self._send("POST", f"/api/v1/webhooks/{_quoted(endpoint_id)}/test", "json"))

    def rotate_webhook_secret(self, endpoint_id: str) -> WebhookEndpointWithSecret:
        """A new secret, shown once; the old one is invalid at once

        POST /api/v1/webhooks/{endpoint_id}/rotate-secret

        Permission: keys.manage. Scope of a limited key: webhooks:write. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        return cast("WebhookEndpointWithSecret", self._send("POST", f"/api/v1/webhooks/{_quoted(endpoint_id)}/rotate-secret", "json"))

    def list_knowledge_bases(self) -> list[KnowledgeBase]:
        """All knowledge bases, newest first

        GET /api/v1/knowledge-bases

        Permission: agents.view. Scope of a limited key: knowledge_bases:read.
        """
        return cast("list[KnowledgeBase]", self._send("GET", "/api/v1/knowledge-bases", "json"))

    def create_knowledge_base(self, body: CreateKnowledgeBaseBody) -> KnowledgeBase:
        """Make a knowledge base

        POST /api/v1/knowledge-bases

        Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
        """
        return cast("KnowledgeBase", self._send("POST", "/api/v1/knowledge-bases", "json", body=body))

    def get_knowledge_base(self, kb_id: str) -> KnowledgeBaseWithSources:
        """One knowledge base with its sources

        GET /api/v1/knowledge-bases/{kb_id}

        Permission: agents.view. Scope of a limited key: knowledge_bases:read.
        """
        return cast("KnowledgeBaseWithSources", self._send("GET", f"/api/v1/knowledge-bases/{_quoted(kb_id)}", "json"))

    def update_knowledge_base(self, kb_id: str, body: UpdateKnowledgeBaseBody) -> KnowledgeBase:
        """Rename or describe a knowledge base

        PATCH /api/v1/knowledge-bases/{kb_id}

        Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
        """
        return cast("KnowledgeBase", self._send("PATCH", f"/api/v1/knowledge-bases/{_quoted(kb_id)}", "json", body=body))

    def delete_knowledge_base(self, kb_id: str) -> None:
        """Remove a knowledge base that no agent uses

        DELETE /api/v1/knowledge-bases/{kb_id}

        Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
        """
        self._send("DELETE", f"/api/v1/knowledge-bases/{_quoted(kb_id)}", "none")

    def add_knowledge_text(self, kb_id: str, body: AddKnowledgeTextBody) -> KnowledgeSource:
        """Add a text; it is processed in the background

        POST /api/v1/knowledge-bases/{kb_id}/sources/text

        Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
        """
        return cast("KnowledgeSource", self._send("POST", f"/api/v1/knowledge-bases/{_quoted(kb_id)}/sources/text", "json", body=body))

    def add_knowledge_url(self, kb_id: str, body: AddKnowledgeUrlBody) -> KnowledgeSource:
        """Add a page, or a page and those of its host that it leads to; they are read in the background

        POST /api/v1/knowledge-bases/{kb_id}/sources/url

        Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
        """
        return cast("KnowledgeSource", self._send("POST", f"/api/v1/knowledge-bases/{_quoted(kb_id)}/sources/url", "json", body=body))

    def delete_knowledge_source(self, kb_id: str, source_id: str) -> None:
        """Remove a source and its passages

        DELETE /api/v1/knowledge-bases/{kb_id}/sources/{source_id}

        Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
        """
        self._send("DELETE", f"/api/v1/knowledge-bases/{_quoted(kb_id)}/sources/{_quoted(source_id)}", "none")

    def reprocess_knowledge_source(self, kb_id: str, source_id: str) -> KnowledgeSource:
        """Process a source again; its old passages stay searchable until then

        POST /api/v1/knowledge-bases/{kb_id}/sources/{source_id}/reprocess

        Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
        """
        return cast("KnowledgeSource", self._send("POST", f"/api/v1/knowledge-bases/{_quoted(kb_id)}/sources/{_quoted(source_id)}/reprocess", "json"))

    def search_knowledge_base(self, kb_id: str, body: SearchKnowledgeBaseBody) -> KnowledgeSearch:
        """What an agent would find here

        POST /api/v1/knowledge-bases/{kb_id}/search

        Permission: agents.view. Scope of a limited key: knowledge_bases:read.
        """
        return cast("KnowledgeSearch", self._send("POST", f"/api/v1/knowledge-bases/{_quoted(kb_id)}/search", "json", body=body))

    def get_workspace(self) -> Workspace:
        """The workspace

        GET /api/v1/workspace

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("Workspace", self._send("GET", "/api/v1/workspace", "json"))

    def update_workspace(self, body: UpdateWorkspaceBody) -> Workspace:
        """Rename the workspace, change its zone or who is alerted

        PATCH /api/v1/workspace

        Permission: members.manage.
        """
        return cast("Workspace", self._send("PATCH", "/api/v1/workspace", "json", body=body))

    def update_workspace_profile(self, body: UpdateWorkspaceProfileBody) -> Workspace:
        """Change the profile of the business; what is left out stays

        PATCH /api/v1/workspace/profile

        Permission: members.manage.
        """
        return cast("Workspace", self._send("PATCH", "/api/v1/workspace/profile", "json", body=body))

    def update_system_logs(self, body: UpdateSystemLogsBody) -> Workspace:
        """Switch server logs on or off, and choose the lowest level that is logged

        PATCH /api/v1/workspace/system-logs

        Permission: members.manage.
        """
        return cast("Workspace", self._send("PATCH", "/api/v1/workspace/system-logs", "json", body=body))

    def update_workspace_security(self, body: UpdateWorkspaceSecurityBody) -> Workspace:
        """Let keys make keys, or no longer ask for the password again; only by owners

        PATCH /api/v1/workspace/security

        Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        return cast("Workspace", self._send("PATCH", "/api/v1/workspace/security", "json", body=body))

    def get_limits(self) -> Limits:
        """What the workspace may use, and what of it is in use

        GET /api/v1/workspace/limits

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("Limits", self._send("GET", "/api/v1/workspace/limits", "json"))

    def list_limit_requests(self) -> list[LimitRequest]:
        """Requests for a higher limit, the last 50, newest first

        GET /api/v1/workspace/limits/requests

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("list[LimitRequest]", self._send("GET", "/api/v1/workspace/limits/requests", "json"))

    def create_limit_request(self, body: CreateLimitRequestBody) -> LimitRequest:
        """Ask for a higher limit of live calls

        POST /api/v1/workspace/limits/requests

        Permission: members.manage.
        """
        return cast("LimitRequest", self._send("POST", "/api/v1/workspace/limits/requests", "json", body=body))

    def list_members(self) -> list[Member]:
        """All members, newest first

        GET /api/v1/members

        Permission: members.view. Scope of a limited key: workspace:read.
        """
        return cast("list[Member]", self._send("GET", "/api/v1/members", "json"))

    def update_member(self, user_id: str, body: UpdateMemberBody) -> Member:
        """Change the role of a member; only owners make or unmake owners

        PATCH /api/v1/members/{user_id}

        Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        return cast("Member", self._send("PATCH", f"/api/v1/members/{_quoted(user_id)}", "json", body=body))

    def remove_member(self, user_id: str) -> None:
        """Remove a member; the keys they made go on

        DELETE /api/v1/members/{user_id}

        Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        self._send("DELETE", f"/api/v1/members/{_quoted(user_id)}", "none")

    def list_invites(self) -> list[Invite]:
        """Invites that were not accepted yet, newest first

        GET /api/v1/invites

        Permission: members.view. Scope of a limited key: workspace:read.
        """
        return cast("list[Invite]", self._send("GET", "/api/v1/invites", "json"))

    def create_invite(self, body: CreateInviteBody) -> NewInvite:
        """Invite somebody by mail

        POST /api/v1/invites

        Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        return cast("NewInvite", self._send("POST", "/api/v1/invites", "json", body=body))

    def delete_invite(self, invite: str) -> None:
        """Take an invite back, by its id

        DELETE /api/v1/invites/{invite}

        Permission: members.manage.
        """
        self._send("DELETE", f"/api/v1/invites/{_quoted(invite)}", "none")

    def get_invite(self, invite: str) -> InviteInfo:
        """What an invite is about, by the token of its link

        GET /api/v1/invites/{invite}
        """
        return cast("InviteInfo", self._send("GET", f"/api/v1/invites/{_quoted(invite)}", "json"))

    def accept_invite(self, invite: str, body: AcceptInviteBody) -> AuthResult:
        """Join by the token of the link: as a new user, or signed in as the invited one with an empty body

        POST /api/v1/invites/{invite}/accept
        """
        return cast("AuthResult", self._send("POST", f"/api/v1/invites/{_quoted(invite)}/accept", "json", body=body))

    def list_keys(self) -> list[ApiKey]:
        """All API keys, newest first

        GET /api/v1/keys

        Permission: agents.view. Scope of a limited key: keys:read.
        """
        return cast("list[ApiKey]", self._send("GET", "/api/v1/keys", "json"))

    def create_key(self, body: CreateKeyBody) -> NewApiKey:
        """Make an API key; it is shown this once

        POST /api/v1/keys

        Permission: keys.manage. Scope of a limited key: keys:write. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        return cast("NewApiKey", self._send("POST", "/api/v1/keys", "json", body=body))

    def rotate_key(self, key_id: str, body: RotateKeyBody) -> NewApiKey:
        """Replace an API key by one with the same limits, shown this once; the present one goes on for a while

        POST /api/v1/keys/{key_id}/rotate

        Permission: keys.manage. Scope of a limited key: keys:write. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        return cast("NewApiKey", self._send("POST", f"/api/v1/keys/{_quoted(key_id)}/rotate", "json", body=body))

    def revoke_key(self, key_id: str) -> None:
        """Revoke an API key; it stops working at once

        DELETE /api/v1/keys/{key_id}

        Permission: keys.manage. Scope of a limited key: keys:write.
        """
        self._send("DELETE", f"/api/v1/keys/{_quoted(key_id)}", "none")

    def search_workspace(self, *, q: str) -> SearchResult:
        """Find agents, calls, batches, knowledge bases and numbers

        GET /api/v1/search

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("SearchResult", self._send("GET", "/api/v1/search", "json", query={"q": q}))

    def get_masters(self) -> Masters:
        """Fixed lists for forms

        GET /api/v1/masters

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("Masters", self._send("GET", "/api/v1/masters", "json"))

    def get_indian_locations(self) -> Locations:
        """The states and union territories of India with their districts and GST codes

        GET /api/v1/locations/india

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("Locations", self._send("GET", "/api/v1/locations/india", "json"))

    def place_call(self, agent_id: str, body: PlaceCallBody, *, idempotency_key: str | None = None) -> Call:
        """Place a call: it joins the queue and is dialled when a slot is free

        POST /api/v1/agents/{agent_id}/call

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("Call", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/call", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def list_calls(self, *, agent_id: str | None = None, batch_id: str | None = None, status: list[Literal["queued", "ringing", "in-progress", "ended", "completed", "no-answer", "busy", "canceled", "failed"]] | None = None, direction: Literal["outbound", "inbound"] | None = None, channel: Literal["phone", "web"] | None = None, number: str | None = None, answered_by: Literal["human", "machine"] | None = None, since: str | None = None, until: str | None = None, min_duration: int | None = None, q: str | None = None, limit: int | None = None, skip: int | None = None, after: str | None = None) -> ListCallsResult:
        """Calls, newest first

        GET /api/v1/calls

        Permission: calls.view. Scope of a limited key: calls:read.
        """
        return cast("ListCallsResult", self._send("GET", "/api/v1/calls", "json", query={"agent_id": agent_id, "batch_id": batch_id, "status": status, "direction": direction, "channel": channel, "number": number, "answered_by": answered_by, "since": since, "until": until, "min_duration": min_duration, "q": q, "limit": limit, "skip": skip, "after": after}))

    def each_of_list_calls(self, *, agent_id: str | None = None, batch_id: str | None = None, status: list[Literal["queued", "ringing", "in-progress", "ended", "completed", "no-answer", "busy", "canceled", "failed"]] | None = None, direction: Literal["outbound", "inbound"] | None = None, channel: Literal["phone", "web"] | None = None, number: str | None = None, answered_by: Literal["human", "machine"] | None = None, since: str | None = None, until: str | None = None, min_duration: int | None = None, q: str | None = None, limit: int | None = None, after: str | None = None) -> Iterator[CallSummary]:
        """Everything that list_calls lists, page after page."""
        skip = 0
        while True:
            page = self.list_calls(agent_id=agent_id, batch_id=batch_id, status=status, direction=direction, channel=channel, number=number, answered_by=answered_by, since=since, until=until, min_duration=min_duration, q=q, limit=limit, after=after, skip=skip)
            yield from page["items"]
            skip += len(page["items"])
            if not page["items"] or (skip >= page["total"] and not page.get("total_is_estimate")):
                return

    def export_calls(self, *, agent_id: str | None = None, batch_id: str | None = None, status: list[Literal["queued", "ringing", "in-progress", "ended", "completed", "no-answer", "busy", "canceled", "failed"]] | None = None, direction: Literal["outbound", "inbound"] | None = None, channel: Literal["phone", "web"] | None = None, number: str | None = None, answered_by: Literal["human", "machine"] | None = None, since: str | None = None, until: str | None = None, min_duration: int | None = None, q: str | None = None) -> bytes:
        """The calls that match as CSV, newest first, at most 50000

        GET /api/v1/calls/export

        Permission: calls.view. Scope of a limited key: calls:read.
        """
        return cast("bytes", self._send("GET", "/api/v1/calls/export", "file", query={"agent_id": agent_id, "batch_id": batch_id, "status": status, "direction": direction, "channel": channel, "number": number, "answered_by": answered_by, "since": since, "until": until, "min_duration": min_duration, "q": q}))

    def get_call(self, call_id: str) -> Call:
        """One call with its transcript

        GET /api/v1/calls/{call_id}

        Permission: calls.view. Scope of a limited key: calls:read.
        """
        return cast("Call", self._send("GET", f"/api/v1/calls/{_quoted(call_id)}", "json"))

    def list_call_events(self, call_id: str) -> list[TimelineItem]:
        """The whole timeline of a call, in order

        GET /api/v1/calls/{call_id}/events

        Permission: calls.view. Scope of a limited key: calls:read.
        """
        return cast("list[TimelineItem]", self._send("GET", f"/api/v1/calls/{_quoted(call_id)}/events", "json"))

    def get_call_recording(self, call_id: str, *, format: Literal["wav", "opus"] | None = None) -> bytes:
        """The recording in stereo, caller left, agent right, as WAV or Opus; `Range` is understood for WAV

        GET /api/v1/calls/{call_id}/recording

        Permission: calls.view. Scope of a limited key: calls:read.
        """
        return cast("bytes", self._send("GET", f"/api/v1/calls/{_quoted(call_id)}/recording", "file", query={"format": format}))

    def hang_up_call(self, call_id: str) -> Call:
        """End a live call, or cancel a queued one

        POST /api/v1/calls/{call_id}/hangup

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("Call", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/hangup", "json"))

    def pause_call_recording(self, call_id: str) -> PauseCallRecordingResult:
        """Pause the recording of a live call: both sides are silent in it; ends by itself

        POST /api/v1/calls/{call_id}/recording/pause

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("PauseCallRecordingResult", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/recording/pause", "json"))

    def resume_call_recording(self, call_id: str) -> PauseCallRecordingResult:
        """Resume the recording of a live call

        POST /api/v1/calls/{call_id}/recording/resume

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("PauseCallRecordingResult", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/recording/resume", "json"))

    def say_in_call(self, call_id: str, body: SayInCallBody, *, idempotency_key: str | None = None) -> LiveOrderDone:
        """Have the agent of a live call say a text

        POST /api/v1/calls/{call_id}/say

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("LiveOrderDone", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/say", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def instruct_call(self, call_id: str, body: InstructCallBody, *, idempotency_key: str | None = None) -> LiveOrderDone:
        """Add an instruction to the agent's prompt, for the rest of a live call

        POST /api/v1/calls/{call_id}/instructions

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("LiveOrderDone", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/instructions", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def set_call_variables(self, call_id: str, body: SetCallVariablesBody, *, idempotency_key: str | None = None) -> LiveOrderDone:
        """Change variables of a live call

        POST /api/v1/calls/{call_id}/variables

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("LiveOrderDone", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/variables", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def mute_call(self, call_id: str, body: MuteCallBody, *, idempotency_key: str | None = None) -> LiveOrderDone:
        """Mute the agent or the caller of a live call, or unmute them; a muted caller is recorded, and not transcribed

        POST /api/v1/calls/{call_id}/mute

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("LiveOrderDone", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/mute", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def send_call_dtmf(self, call_id: str, body: SendCallDtmfBody, *, idempotency_key: str | None = None) -> LiveOrderDone:
        """Press keys in a live call, as into the menu of another service

        POST /api/v1/calls/{call_id}/dtmf

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("LiveOrderDone", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/dtmf", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def transfer_call(self, call_id: str, body: TransferCallBody, *, idempotency_key: str | None = None) -> LiveOrderDone:
        """Hand the caller of a live call over to a person, as the agent would

        POST /api/v1/calls/{call_id}/transfer

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("LiveOrderDone", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/transfer", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def hand_back_call(self, call_id: str, body: HandBackCallBody, *, idempotency_key: str | None = None) -> LiveOrderDone:
        """Leave the caller of a live call to the agent again, with a note for it

        POST /api/v1/calls/{call_id}/hand-back

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("LiveOrderDone", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/hand-back", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def analyze_call(self, call_id: str) -> Call:
        """Run post-call analytics again, by the agent's present configuration; charged

        POST /api/v1/calls/{call_id}/analyze

        Permission: agents.edit. Scope of a limited key: calls:write.
        """
        return cast("Call", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/analyze", "json"))

    def test_agent_analytics(self, agent_id: str, body: TestAgentAnalyticsBody) -> AnalyticsTest:
        """Run an analytics configuration on one finished call; nothing is saved, the run is charged

        POST /api/v1/agents/{agent_id}/analytics/test

        Permission: agents.edit. Scope of a limited key: calls:write.
        """
        return cast("AnalyticsTest", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/analytics/test", "json", body=body))

    def get_contact_upload(self, upload_id: str) -> ContactUpload:
        """An upload with its preview and its errors

        GET /api/v1/batches/uploads/{upload_id}

        Permission: calls.place. Scope of a limited key: batches:read.
        """
        return cast("ContactUpload", self._send("GET", f"/api/v1/batches/uploads/{_quoted(upload_id)}", "json"))

    def create_batch(self, body: CreateBatchBody, *, idempotency_key: str | None = None) -> Batch:
        """Call a list of people: at once, or at scheduled_at

        POST /api/v1/batches

        Permission: calls.place. Scope of a limited key: batches:write.
        """
        return cast("Batch", self._send("POST", "/api/v1/batches", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def list_batches(self, *, status: list[Literal["scheduled", "running", "paused", "completed", "canceled"]] | None = None, agent_id: str | None = None, limit: int | None = None, skip: int | None = None) -> ListBatchesResult:
        """Batches, newest first, with counts per contact status

        GET /api/v1/batches

        Permission: calls.view. Scope of a limited key: batches:read.
        """
        return cast("ListBatchesResult", self._send("GET", "/api/v1/batches", "json", query={"status": status, "agent_id": agent_id, "limit": limit, "skip": skip}))

    def each_of_list_batches(self, *, status: list[Literal["scheduled", "running", "paused", "completed", "canceled"]] | None = None, agent_id: str | None = None, limit: int | None = None) -> Iterator[Batch]:
        """Everything that list_batches lists, page after page."""
        skip = 0
        while True:
            page = self.list_batches(status=status, agent_id=agent_id, limit=limit, skip=skip)
            yield from page["items"]
            skip += len(page["items"])
            if not page["items"] or (skip >= page["total"] and not page.get("total_is_estimate")):
                return

    def get_batch(self, batch_id: str) -> Batch:
        """One batch

        GET /api/v1/batches/{batch_id}

        Permission: calls.view. Scope of a limited key: batches:read.
        """
        return cast("Batch", self._send("GET", f"/api/v1/batches/{_quoted(batch_id)}", "json"))

    def update_batch(self, batch_id: str, body: UpdateBatchBody) -> Batch:
        """Change name, webhook URL or concurrency of a batch that is not over

        PATCH /api/v1/batches/{batch_id}

        Permission: calls.place. Scope of a limited key: batches:write.
        """
        return cast("Batch", self._send("PATCH", f"/api/v1/batches/{_quoted(batch_id)}", "json", body=body))

    def delete_batch(self, batch_id: str) -> None:
        """Remove a batch that neither runs nor is paused; its calls stay

        DELETE /api/v1/batches/{batch_id}

        Permission: calls.place. Scope of a limited key: batches:write.
        """
        self._send("DELETE", f"/api/v1/batches/{_quoted(batch_id)}", "none")

    def list_batch_contacts(self, batch_id: str, *, status: list[Literal["pending", "queued", "in-progress", "retrying", "completed", "no-answer", "busy", "failed", "voicemail", "canceled", "skipped"]] | None = None, limit: int | None = None, skip: int | None = None) -> ListBatchContactsResult:
        """Its contacts in row order

        GET /api/v1/batches/{batch_id}/contacts

        Permission: calls.view. Scope of a limited key: batches:read.
        """
        return cast("ListBatchContactsResult", self._send("GET", f"/api/v1/batches/{_quoted(batch_id)}/contacts", "json", query={"status": status, "limit": limit, "skip": skip}))

    def each_of_list_batch_contacts(self, batch_id: str, *, status: list[Literal["pending", "queued", "in-progress", "retrying", "completed", "no-answer", "busy", "failed", "voicemail", "canceled", "skipped"]] | None = None, limit: int | None = None) -> Iterator[BatchContact]:
        """Everything that list_batch_contacts lists, page after page."""
        skip = 0
        while True:
            page = self.list_batch_contacts(status=status, limit=limit, batch_id=batch_id, skip=skip)
            yield from page["items"]
            skip += len(page["items"])
            if not page["items"] or (skip >= page["total"] and not page.get("total_is_estimate")):
                return

    def pause_batch(self, batch_id: str) -> Batch:
        """Dial nothing new: live calls go on, its queued calls wait

        POST /api/v1/batches/{batch_id}/pause

        Permission: calls.place. Scope of a limited key: batches:write.
        """
        return cast("Batch", self._send("POST", f"/api/v1/batches/{_quoted(batch_id)}/pause", "json"))

    def resume_batch(self, batch_id: str) -> Batch:
        """Resume a paused batch

        POST /api/v1/batches/{batch_id}/resume

        Permission: calls.place. Scope of a limited key: batches:write.
        """
        return cast("Batch", self._send("POST", f"/api/v1/batches/{_quoted(batch_id)}/resume", "json"))

    def cancel_batch(self, batch_id: str) -> Batch:
        """End it: waiting contacts and queued calls are canceled, live calls go on

        POST /api/v1/batches/{batch_id}/cancel

        Permission: calls.place. Scope of a limited key: batches:write.
        """
        return cast("Batch", self._send("POST", f"/api/v1/batches/{_quoted(batch_id)}/cancel", "json"))

    def get_batch_results(self, batch_id: str) -> bytes:
        """The result of each contact, as CSV

        GET /api/v1/batches/{batch_id}/results

        Permission: calls.view. Scope of a limited key: batches:read.
        """
        return cast("bytes", self._send("GET", f"/api/v1/batches/{_quoted(batch_id)}/results", "file"))

    def list_test_scenarios(self, agent_id: str) -> list[TestScenario]:
        """An agent's scenarios, newest first

        GET /api/v1/agents/{agent_id}/tests

        Permission: agents.view. Scope of a limited key: agent_tests:read.
        """
        return cast("list[TestScenario]", self._send("GET", f"/api/v1/agents/{_quoted(agent_id)}/tests", "json"))

    def create_test_scenario(self, agent_id: str, body: TestScenarioConfiguration) -> TestScenario:
        """Make a scenario: a caller, and what is expected of the agent

        POST /api/v1/agents/{agent_id}/tests

        Permission: agents.edit. Scope of a limited key: agent_tests:write.
        """
        return cast("TestScenario", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/tests", "json", body=body))

    def get_test_scenario(self, agent_id: str, scenario_id: str) -> TestScenario:
        """One scenario

        GET /api/v1/agents/{agent_id}/tests/{scenario_id}

        Permission: agents.view. Scope of a limited key: agent_tests:read.
        """
        return cast("TestScenario", self._send("GET", f"/api/v1/agents/{_quoted(agent_id)}/tests/{_quoted(scenario_id)}", "json"))

    def replace_test_scenario(self, agent_id: str, scenario_id: str, body: TestScenarioConfiguration) -> TestScenario:
        """Replace a scenario; what is left out gets its default, and runs keep it as it was

        PUT /api/v1/agents/{agent_id}/tests/{scenario_id}

        Permission: agents.edit. Scope of a limited key: agent_tests:write.
        """
        return cast("TestScenario", self._send("PUT", f"/api/v1/agents/{_quoted(agent_id)}/tests/{_quoted(scenario_id)}", "json", body=body))

    def delete_test_scenario(self, agent_id: str, scenario_id: str) -> None:
        """Remove a scenario; its runs stay readable

        DELETE /api/v1/agents/{agent_id}/tests/{scenario_id}

        Permission: agents.edit. Scope of a limited key: agent_tests:write.
        """
        self._send("DELETE", f"/api/v1/agents/{_quoted(agent_id)}/tests/{_quoted(scenario_id)}", "none")

    def run_all_tests(self, agent_id: str, body: RunAllTestsBody) -> RunAllTestsResult:
        """Queue a run of each of the agent's scenarios

        POST /api/v1/agents/{agent_id}/tests/run-all

        Permission: agents.edit. Scope of a limited key: agent_tests:write.
        """
        return cast("RunAllTestsResult", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/tests/run-all", "json", body=body))

    def list_test_runs(self, agent_id: str, scenario_id: str) -> list[TestRun]:
        """The last 50 runs of a scenario, newest first

        GET /api/v1/agents/{agent_id}/tests/{scenario_id}/runs

        Permission: agents.view. Scope of a limited key: agent_tests:read.
        """
        return cast("list[TestRun]", self._send("GET", f"/api/v1/agents/{_quoted(agent_id)}/tests/{_quoted(scenario_id)}/runs", "json"))

    def run_test(self, agent_id: str, scenario_id: str, body: RunAllTestsBody) -> TestRun:
        """Queue a run against the agent's saved version; two run at once, oldest first

        POST /api/v1/agents/{agent_id}/tests/{scenario_id}/runs

        Permission: agents.edit. Scope of a limited key: agent_tests:write.
        """
        return cast("TestRun", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/tests/{_quoted(scenario_id)}/runs", "json", body=body))

    def get_test_run(self, run_id: str) -> TestRun:
        """One run; poll it until its status is passed, failed or error

        GET /api/v1/test-runs/{run_id}

        Permission: agents.view. Scope of a limited key: agent_tests:read.
        """
        return cast("TestRun", self._send("GET", f"/api/v1/test-runs/{_quoted(run_id)}", "json"))

    def get_test_run_recording(self, run_id: str) -> bytes:
        """The recording of a run aloud: stereo WAV, caller left, agent right; `Range` is understood

        GET /api/v1/test-runs/{run_id}/recording

        Permission: agents.view. Scope of a limited key: agent_tests:read.
        """
        return cast("bytes", self._send("GET", f"/api/v1/test-runs/{_quoted(run_id)}/recording", "file"))

    def suggest_test_scenarios(self, agent_id: str, body: SuggestTestScenariosBody) -> SuggestedTestScenarios:
        """Draft scenarios from the configuration of the agent; nothing is saved

        POST /api/v1/agents/{agent_id}/tests/suggest

        Permission: agents.edit. Scope of a limited key: agent_tests:write.
        """
        return cast("SuggestedTestScenarios", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/tests/suggest", "json", body=body))

    def list_exports(self) -> list[WorkspaceExport]:
        """Exports of the workspace, newest first; only for owners

        GET /api/v1/workspace/exports

        Permission: members.manage.
        """
        return cast("list[WorkspaceExport]", self._send("GET", "/api/v1/workspace/exports", "json"))

    def create_export(self, body: CreateExportBody) -> WorkspaceExport:
        """Export all that the workspace has into an archive; poll the list until it is ready; only for owners

        POST /api/v1/workspace/exports

        Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        return cast("WorkspaceExport", self._send("POST", "/api/v1/workspace/exports", "json", body=body))

    def download_export(self, export_id: str) -> bytes:
        """The archive: JSON lines for each kind of record, and WAV files; only for owners

        GET /api/v1/workspace/exports/{export_id}/download

        Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        return cast("bytes", self._send("GET", f"/api/v1/workspace/exports/{_quoted(export_id)}/download", "file"))

    def delete_export(self, export_id: str) -> None:
        """Remove an export, or stop one that is being made; only for owners

        DELETE /api/v1/workspace/exports/{export_id}

        Permission: members.manage.
        """
        self._send("DELETE", f"/api/v1/workspace/exports/{_quoted(export_id)}", "none")

    def erase_calls(self, body: EraseCallsBody) -> CallErasure:
        """Erase all calls with one person: recordings, transcripts, timelines, deliveries and server logs; what they cost stays in the ledger; only for owners

        POST /api/v1/workspace/erasures

        Permission: members.manage. Unless the workspace waives it: signed in, the password or second factor entered in the last 15 minutes.
        """
        return cast("CallErasure", self._send("POST", "/api/v1/workspace/erasures", "json", body=body))

    def get_balance(self) -> Balance:
        """Credits, and how long they last

        GET /api/v1/billing

        Permission: billing.view. Scope of a limited key: billing:read.
        """
        return cast("Balance", self._send("GET", "/api/v1/billing", "json"))

    def list_ledger(self, *, kind: Literal["grant", "coupon", "topup", "call", "plan", "number", "caller_id", "lines", "composer", "test", "conversion", "adjustment"] | None = None, limit: int | None = None, skip: int | None = None) -> ListLedgerResult:
        """Every movement of credits, newest first

        GET /api/v1/billing/ledger

        Permission: billing.view. Scope of a limited key: billing:read.
        """
        return cast("ListLedgerResult", self._send("GET", "/api/v1/billing/ledger", "json", query={"kind": kind, "limit": limit, "skip": skip}))

    def each_of_list_ledger(self, *, kind: Literal["grant", "coupon", "topup", "call", "plan", "number", "caller_id", "lines", "composer", "test", "conversion", "adjustment"] | None = None, limit: int | None = None) -> Iterator[LedgerItem]:
        """Everything that list_ledger lists, page after page."""
        skip = 0
        while True:
            page = self.list_ledger(kind=kind, limit=limit, skip=skip)
            yield from page["items"]
            skip += len(page["items"])
            if not page["items"] or (skip >= page["total"] and not page.get("total_is_estimate")):
                return

    def get_usage(self, *, month: str | None = None) -> Usage:
        """Calls, minutes and credits of a month, day by day

        GET /api/v1/billing/usage

        Permission: billing.view. Scope of a limited key: billing:read.
        """
        return cast("Usage", self._send("GET", "/api/v1/billing/usage", "json", query={"month": month}))

    def list_plans(self) -> list[Plan]:
        """All plans, priced in the currency of the workspace

        GET /api/v1/billing/plans

        Permission: billing.view. Scope of a limited key: billing:read.
        """
        return cast("list[Plan]", self._send("GET", "/api/v1/billing/plans", "json"))

    def get_plan(self) -> OwnPlan:
        """The workspace's plan, and until when it is paid

        GET /api/v1/billing/plan

        Permission: billing.view. Scope of a limited key: billing:read.
        """
        return cast("OwnPlan", self._send("GET", "/api/v1/billing/plan", "json"))

    def switch_plan(self, body: SwitchPlanBody, *, idempotency_key: str | None = None) -> OwnPlan:
        """Switch to another plan at once; the first 30 days are paid from credits

        POST /api/v1/billing/plan

        Permission: billing.manage.
        """
        return cast("OwnPlan", self._send("POST", "/api/v1/billing/plan", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def list_credit_packs(self) -> list[CreditPack]:
        """Credit packs that can be bought

        GET /api/v1/billing/packs

        Permission: billing.view. Scope of a limited key: billing:read.
        """
        return cast("list[CreditPack]", self._send("GET", "/api/v1/billing/packs", "json"))

    def get_call_lines(self) -> CallLines:
        """Extra call lines

        GET /api/v1/billing/lines

        Permission: billing.view. Scope of a limited key: billing:read.
        """
        return cast("CallLines", self._send("GET", "/api/v1/billing/lines", "json"))

    def buy_call_lines(self, body: BuyCallLinesBody, *, idempotency_key: str | None = None) -> CallLines:
        """Buy extra call lines, paid from credits until the end of their cycle

        POST /api/v1/billing/lines

        Permission: billing.manage.
        """
        return cast("CallLines", self._send("POST", "/api/v1/billing/lines", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def remove_call_lines(self, body: BuyCallLinesBody) -> CallLines:
        """Remove extra call lines at once, without a refund

        POST /api/v1/billing/lines/remove

        Permission: billing.manage.
        """
        return cast("CallLines", self._send("POST", "/api/v1/billing/lines/remove", "json", body=body))

    def redeem_coupon(self, body: RedeemCouponBody) -> RedeemedCoupon:
        """Redeem a code: credits at once, or a bonus on the next top-up

        POST /api/v1/billing/coupons/redeem

        Permission: billing.manage.
        """
        return cast("RedeemedCoupon", self._send("POST", "/api/v1/billing/coupons/redeem", "json", body=body))

    def list_invoices(self) -> list[Invoice]:
        """The last 200 invoices, newest first

        GET /api/v1/billing/invoices

        Permission: billing.view. Scope of a limited key: billing:read.
        """
        return cast("list[Invoice]", self._send("GET", "/api/v1/billing/invoices", "json"))

    def get_invoice_pdf(self, invoice_id: str) -> bytes:
        """An invoice or a credit note as PDF

        GET /api/v1/billing/invoices/{invoice_id}/pdf

        Permission: billing.view. Scope of a limited key: billing:read.
        """
        return cast("bytes", self._send("GET", f"/api/v1/billing/invoices/{_quoted(invoice_id)}/pdf", "file"))

    def get_kyc(self) -> Kyc:
        """The business details and where they stand

        GET /api/v1/kyc

        Permission: kyc.manage.
        """
        return cast("Kyc", self._send("GET", "/api/v1/kyc", "json"))

    def replace_kyc(self, body: ReplaceKycBody) -> Kyc:
        """Save the business details; what is left out is empty

        PUT /api/v1/kyc

        Permission: kyc.manage.
        """
        return cast("Kyc", self._send("PUT", "/api/v1/kyc", "json", body=body))

    def get_kyc_document(self, doc_id: str) -> bytes:
        """A document as a PDF

        GET /api/v1/kyc/documents/{doc_id}

        Permission: kyc.manage.
        """
        return cast("bytes", self._send("GET", f"/api/v1/kyc/documents/{_quoted(doc_id)}", "file"))

    def delete_kyc_document(self, doc_id: str) -> None:
        """Remove a document

        DELETE /api/v1/kyc/documents/{doc_id}

        Permission: kyc.manage.
        """
        self._send("DELETE", f"/api/v1/kyc/documents/{_quoted(doc_id)}", "none")

    def submit_kyc(self) -> Kyc:
        """Ask the service to look at the business details

        POST /api/v1/kyc/submit

        Permission: kyc.manage.
        """
        return cast("Kyc", self._send("POST", "/api/v1/kyc/submit", "json"))

    def list_caller_id_requests(self) -> list[CallerIdRequest]:
        """Requests for a shown caller id, newest first

        GET /api/v1/caller-id

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("list[CallerIdRequest]", self._send("GET", "/api/v1/caller-id", "json"))

    def create_caller_id_request(self, body: CreateCallerIdRequestBody) -> CallerIdRequest:
        """Ask that phones show a name and a logo for numbers of the workspace

        POST /api/v1/caller-id

        Permission: numbers.manage.
        """
        return cast("CallerIdRequest", self._send("POST", "/api/v1/caller-id", "json", body=body, form=True))

    def get_caller_id_logo(self, request_id: str) -> bytes:
        """The logo of a request

        GET /api/v1/caller-id/{request_id}/logo

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("bytes", self._send("GET", f"/api/v1/caller-id/{_quoted(request_id)}/logo", "file"))

    def withdraw_caller_id_request(self, request_id: str) -> CallerIdRequest:
        """Take a request back that is not decided yet

        POST /api/v1/caller-id/{request_id}/withdraw

        Permission: numbers.manage.
        """
        return cast("CallerIdRequest", self._send("POST", f"/api/v1/caller-id/{_quoted(request_id)}/withdraw", "json"))

    def remove_caller_id(self, request_id: str) -> CallerIdRequest:
        """End a caller id that is shown

        POST /api/v1/caller-id/{request_id}/remove

        Permission: numbers.manage.
        """
        return cast("CallerIdRequest", self._send("POST", f"/api/v1/caller-id/{_quoted(request_id)}/remove", "json"))

    def list_guardrail_rules(self) -> list[GuardrailRule]:
        """The rules that agents are held to, newest first

        GET /api/v1/guardrails/rules

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("list[GuardrailRule]", self._send("GET", "/api/v1/guardrails/rules", "json"))

    def get_guardrail_summary(self) -> GuardrailSummary:
        """How many incidents there are, and of which rules

        GET /api/v1/guardrails/summary

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("GuardrailSummary", self._send("GET", "/api/v1/guardrails/summary", "json"))

    def list_guardrail_incidents(self, *, status: list[Literal["open", "acknowledged", "appealed", "upheld", "dismissed"]] | None = None, agent_id: str | None = None) -> list[GuardrailIncident]:
        """The last 200 incidents, newest first

        GET /api/v1/guardrails/incidents

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("list[GuardrailIncident]", self._send("GET", "/api/v1/guardrails/incidents", "json", query={"status": status, "agent_id": agent_id}))

    def get_guardrail_incident(self, incident_id: str) -> GuardrailIncident:
        """One incident

        GET /api/v1/guardrails/incidents/{incident_id}

        Permission: agents.view. Scope of a limited key: workspace:read.
        """
        return cast("GuardrailIncident", self._send("GET", f"/api/v1/guardrails/incidents/{_quoted(incident_id)}", "json"))

    def acknowledge_guardrail_incident(self, incident_id: str) -> GuardrailIncident:
        """Say that an open incident was seen

        POST /api/v1/guardrails/incidents/{incident_id}/acknowledge

        Permission: agents.edit. Scope of a limited key: workspace:write.
        """
        return cast("GuardrailIncident", self._send("POST", f"/api/v1/guardrails/incidents/{_quoted(incident_id)}/acknowledge", "json"))

    def appeal_guardrail_incident(self, incident_id: str, body: AppealGuardrailIncidentBody) -> GuardrailIncident:
        """Say why an incident is none

        POST /api/v1/guardrails/incidents/{incident_id}/appeal

        Permission: agents.edit.
        """
        return cast("GuardrailIncident", self._send("POST", f"/api/v1/guardrails/incidents/{_quoted(incident_id)}/appeal", "json", body=body))

    def list_tools(self) -> list[Tool]:
        """The workspace's saved tools, newest first

        GET /api/v1/tools

        Permission: agents.view. Scope of a limited key: tools:read.
        """
        return cast("list[Tool]", self._send("GET", "/api/v1/tools", "json"))

    def create_tool(self, body: ToolConfiguration) -> Tool:
        """Save a tool; adding it to an agent copies it

        POST /api/v1/tools

        Permission: agents.edit. Scope of a limited key: tools:write.
        """
        return cast("Tool", self._send("POST", "/api/v1/tools", "json", body=body))

    def replace_tool(self, tool_id: str, body: ToolConfiguration) -> Tool:
        """Replace a saved tool; agents that copied it stay as they are

        PUT /api/v1/tools/{tool_id}

        Permission: agents.edit. Scope of a limited key: tools:write.
        """
        return cast("Tool", self._send("PUT", f"/api/v1/tools/{_quoted(tool_id)}", "json", body=body))

    def delete_tool(self, tool_id: str) -> None:
        """Remove a saved tool; agents that copied it stay as they are

        DELETE /api/v1/tools/{tool_id}

        Permission: agents.edit. Scope of a limited key: tools:write.
        """
        self._send("DELETE", f"/api/v1/tools/{_quoted(tool_id)}", "none")

    def test_tool(self, body: TestToolBody) -> ToolTest:
        """Send one request of a tool and see what the model would receive; 200 also when the endpoint failed

        POST /api/v1/tools/test

        Permission: agents.edit. Scope of a limited key: tools:write.
        """
        return cast("ToolTest", self._send("POST", "/api/v1/tools/test", "json", body=body))

    def find_mcp_tools(self, body: FindMcpToolsBody) -> McpToolList:
        """List the tools of an MCP server and see which the model would get; 200 also when the server does not answer

        POST /api/v1/tools/mcp

        Permission: agents.edit. Scope of a limited key: tools:write.
        """
        return cast("McpToolList", self._send("POST", "/api/v1/tools/mcp", "json", body=body))

    def list_numbers(self) -> list[PhoneNumber]:
        """The workspace's numbers, newest first; released ones are left out

        GET /api/v1/numbers

        Permission: agents.view. Scope of a limited key: numbers:read.
        """
        return cast("list[PhoneNumber]", self._send("GET", "/api/v1/numbers", "json"))

    def buy_number(self, body: BuyNumberBody, *, idempotency_key: str | None = None) -> PhoneNumber:
        """Buy an available number: the fee of 30 days is taken at once; after a 502 look into the list before buying again

        POST /api/v1/numbers

        Permission: numbers.manage.
        """
        return cast("PhoneNumber", self._send("POST", "/api/v1/numbers", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def list_available_numbers(self, *, country: str | None = None, type: Literal["local", "mobile", "toll_free", "series_140", "series_160"] | None = None, contains: str | None = None, limit: int | None = None) -> list[AvailableNumber]:
        """Numbers that the carriers of this service rent out now

        GET /api/v1/numbers/available

        Permission: numbers.manage.
        """
        return cast("list[AvailableNumber]", self._send("GET", "/api/v1/numbers/available", "json", query={"country": country, "type": type, "contains": contains, "limit": limit}))

    def release_number(self, number: str) -> None:
        """Release a number at once, without a refund; calls that ring go on

        DELETE /api/v1/numbers/{number}

        Permission: numbers.manage.
        """
        self._send("DELETE", f"/api/v1/numbers/{_quoted(number)}", "none")

    def connect_number(self, number: str, body: ConnectNumberBody) -> PhoneNumber:
        """Have an agent answer the number; it is moved off any other agent

        POST /api/v1/numbers/{number}/connect

        Permission: numbers.manage.
        """
        return cast("PhoneNumber", self._send("POST", f"/api/v1/numbers/{_quoted(number)}/connect", "json", body=body))

    def disconnect_number(self, number: str) -> PhoneNumber:
        """Have nobody answer the number: inbound calls on it are rejected

        POST /api/v1/numbers/{number}/disconnect

        Permission: numbers.manage.
        """
        return cast("PhoneNumber", self._send("POST", f"/api/v1/numbers/{_quoted(number)}/disconnect", "json"))

    def start_top_up(self, body: StartTopUpBody, *, idempotency_key: str | None = None) -> StartedPayment:
        """Begin to buy credits: a payment, and what its checkout needs

        POST /api/v1/billing/topup

        Permission: billing.manage.
        """
        return cast("StartedPayment", self._send("POST", "/api/v1/billing/topup", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def list_payments(self) -> list[Payment]:
        """The last 100 payments, newest first

        GET /api/v1/billing/payments

        Permission: billing.view. Scope of a limited key: billing:read.
        """
        return cast("list[Payment]", self._send("GET", "/api/v1/billing/payments", "json"))

    def complete_payment(self, payment_id: str, body: CompletePaymentBody) -> Payment:
        """Report that the checkout is done; credits are there when the gateway confirms it

        POST /api/v1/billing/payments/{payment_id}/complete

        Permission: billing.manage.
        """
        return cast("Payment", self._send("POST", f"/api/v1/billing/payments/{_quoted(payment_id)}/complete", "json", body=body))

    def start_web_call(self, agent_id: str, body: StartWebCallBody, *, idempotency_key: str | None = None) -> WebCall:
        """Begin a call from a browser: it takes a slot at once, and rings until audio arrives, 30 seconds at most

        POST /api/v1/agents/{agent_id}/web-call

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("WebCall", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/web-call", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def start_stream_call(self, agent_id: str, body: StartWebCallBody, *, idempotency_key: str | None = None) -> StreamCall:
        """Begin a call over a WebSocket of the client's own telephony or device: it takes a slot at once, and rings until the stream is opened, 30 seconds at most

        POST /api/v1/agents/{agent_id}/stream-call

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("StreamCall", self._send("POST", f"/api/v1/agents/{_quoted(agent_id)}/stream-call", "json", body=body, idempotency_key=idempotency_key or str(uuid.uuid4())))

    def listen_to_call(self, call_id: str) -> WebSession:
        """Listen in on a live call from a browser; nobody in the call hears it

        POST /api/v1/calls/{call_id}/listen

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("WebSession", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/listen", "json"))

    def whisper_in_call(self, call_id: str) -> WebSession:
        """Speak from a browser to the person who took over or joined a live call; neither caller nor agent hears it

        POST /api/v1/calls/{call_id}/whisper

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("WebSession", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/whisper", "json"))

    def take_over_call(self, call_id: str, body: TakeOverCallBody) -> WebSession:
        """Speak to the caller of a live call from a browser, in the place of the agent or beside it

        POST /api/v1/calls/{call_id}/take-over

        Permission: calls.place. Scope of a limited key: calls:write.
        """
        return cast("WebSession", self._send("POST", f"/api/v1/calls/{_quoted(call_id)}/take-over", "json", body=body))

    def upload_knowledge_file(self, kb_id: str, body: UploadKnowledgeFileBody) -> KnowledgeSource:
        """Upload a document; it is read in the background

        POST /api/v1/knowledge-bases/{kb_id}/sources/file

        Permission: agents.edit. Scope of a limited key: knowledge_bases:write.
        """
        return cast("KnowledgeSource", self._send("POST", f"/api/v1/knowledge-bases/{_quoted(kb_id)}/sources/file", "json", body=body, form=True))

    def upload_contacts(self, body: UploadContactsBody) -> ContactUpload:
        """Send a file of contacts: it is parsed at once and stored for 24 hours

        POST /api/v1/batches/uploads

        Permission: calls.place. Scope of a limited key: batches:write.
        """
        return cast("ContactUpload", self._send("POST", "/api/v1/batches/uploads", "json", body=body, form=True))

    def upload_kyc_document(self, body: UploadKycDocumentBody) -> KycDocument:
        """Add a document

        POST /api/v1/kyc/documents

        Permission: kyc.manage.
        """
        return cast("KycDocument", self._send("POST", "/api/v1/kyc/documents", "json", body=body, form=True))
