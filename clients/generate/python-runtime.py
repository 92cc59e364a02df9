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
