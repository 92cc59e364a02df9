/**
 * Voice Agent Service
 * 1.0.0
 * DO NOT MODIFY - This file has been generated using oazapfts.
 * See https://www.npmjs.com/package/oazapfts
 */
import * as Oazapfts from "@oazapfts/runtime";
import * as QS from "@oazapfts/runtime/query";
export const defaults: Oazapfts.Defaults<Oazapfts.CustomHeaders> = {
    headers: {},
    baseUrl: "/"
};
const oazapfts = Oazapfts.runtime(defaults);
export const servers = {
    server1: "/"
};
export type AuditEvent = {
    /** 32 hex characters */
    id: string;
    /** ISO 8601 with the offset of the zone asked for */
    at: string;
    /** what happened to what, like `agent.updated` */
    action: string;
    /** who did it */
    actor: {
        /** a person, a key, a connected app, or the service itself */
        kind: "user" | "api_key" | "oauth_app" | "service";
        /** of the person, key or app */
        id: string;
        /** a person's name, or the label of a key */
        name: string;
    };
    /** what was changed */
    target: {
        /** such as `agent` */
        kind: string;
        /** of what was changed */
        id: string;
        /** as it was called then */
        name: string;
    };
    /** field → [old, new]; secrets and prompts as ["changed", "changed"] */
    changes: {
        [key: string]: any[];
    };
    /** further facts */
    data: {
        [key: string]: any;
    };
    /** where the request came from; empty for what the service did by itself */
    address: string;
    /** the `X-Request-ID` of that request, or empty */
    request_id: string;
};
export type ListAuditEventsResult = {
    /** this page */
    items: AuditEvent[];
    /** everything that matches the filters */
    total: number;
    /** there are more than `total`; only 10000 are counted */
    total_is_estimate?: true;
};
export type Error = {
    detail: string;
};
export type Forbidden = {
    detail: string;
    /** `workspace_inactive`, `confirmation_required`, `email_unverified`, or absent */
    code?: string;
};
export type ValidationError = {
    detail: {
        "type": string;
        loc: (string | number)[];
        msg: string;
        input: any;
    }[];
};
export type InternalError = {
    detail: string;
    /** the same as the header `X-Request-ID` */
    request_id?: string;
};
export type ServerLog = {
    /** 32 hex characters */
    id: string;
    /** ISO 8601 with the offset of the zone asked for */
    at: string;
    /** how bad it is */
    level: "info" | "warning" | "error";
    /** a fixed sentence; what varies is in `data` */
    message: string;
    /** which part of the service wrote it */
    source: "api" | "call" | "webhook" | "batch" | "test" | "job";
    /** the `X-Request-ID` of the request, or empty */
    request_id: string;
    /** the call it is about, or empty */
    call_id: string;
    /** the agent it is about, or empty */
    agent_id: string;
    /** of the request, or empty */
    method: string;
    /** of the endpoint, with names instead of values, or empty */
    path: string;
    /** of the response */
    status: number | null;
    /** until the response was sent */
    duration_ms: number | null;
    /** further facts */
    data: {
        [key: string]: any;
    };
};
export type ListLogsResult = {
    /** this page */
    items: ServerLog[];
    /** everything that matches the filters */
    total: number;
    /** there are more than `total`; only 10000 are counted */
    total_is_estimate?: true;
};
export type CallsSummary = {
    /** of the whole period */
    totals: {
        /** created in this time */
        calls: number;
        /** of them answered */
        connected: number;
        /** with status `completed` */
        completed: number;
        /** with status `failed` */
        failed: number;
        /** with status `no-answer` */
        no_answer: number;
        /** with status `busy` */
        busy: number;
        /** with status `canceled` */
        canceled: number;
        /** connected ones among those that are over, 0 to 1 */
        answer_rate: number;
        /** of connected calls that are over */
        avg_duration_seconds: number;
        /** from the caller's last word to the agent's first sound, median; at most 2.5 % off */
        first_audio_p50_ms: number | null;
        /** the same, 95th percentile */
        first_audio_p95_ms: number | null;
        /** charged for these calls, in the smallest unit of `currency` */
        cost_paise: number;
        /** answered by a machine */
        voicemail: number;
    };
    /** every day or hour of the period, oldest first */
    items: {
        /** `YYYY-MM-DD`; of an hour its beginning, with the zone's offset */
        day: string;
        /** created in this time */
        calls: number;
        /** of them answered */
        connected: number;
        /** with status `completed` */
        completed: number;
        /** with status `failed` */
        failed: number;
        /** with status `no-answer` */
        no_answer: number;
        /** with status `busy` */
        busy: number;
        /** with status `canceled` */
        canceled: number;
        /** connected ones among those that are over, 0 to 1 */
        answer_rate: number;
        /** of connected calls that are over */
        avg_duration_seconds: number;
        /** from the caller's last word to the agent's first sound, median; at most 2.5 % off */
        first_audio_p50_ms: number | null;
        /** the same, 95th percentile */
        first_audio_p95_ms: number | null;
        /** charged for these calls, in the smallest unit of `currency` */
        cost_paise: number;
        /** answered by a machine */
        voicemail: number;
    }[];
    /** the fifty most frequent, those first */
    hangup_reasons: {
        /** as in a call's `hangup_reason` */
        reason: string;
        /** calls that ended so */
        count: number;
    }[];
    /** `INR` or `USD` */
    currency: string;
};
export type LiveCalls = {
    /** live calls at most, extra lines included */
    concurrency_limit: number;
    /** ringing or in progress */
    active_calls: number;
    /** waiting for their turn */
    queued_calls: number;
    oldest_queued_at: string | null;
    /** the live ones, newest first */
    calls: {
        /** the id of the call */
        id: string;
        /** its agent */
        agent_id: string | null;
        /** as when the call was placed */
        agent_name: string;
        /** who called whom */
        direction: "outbound" | "inbound";
        /** `web`: from a browser, or over a client's stream */
        channel: "phone" | "web";
        /** the carrier; `stream` for a call over a client's stream, empty for browser calls */
        provider: string;
        /** E.164; empty where `channel` is `web` */
        to_number: string;
        /** E.164; empty where `channel` is `web` */
        from_number: string;
        /** where it is */
        status: "ringing" | "in-progress";
        started_at: string | null;
        /** its batch */
        batch_id: string | null;
    }[];
    /** the first 100 that wait, in the order in which they are served, without those of paused agents and batches */
    queue: {
        /** the id of the call */
        id: string;
        /** its agent */
        agent_id: string | null;
        /** as when the call was placed */
        agent_name: string;
        /** E.164 */
        to_number: string;
        /** E.164 */
        from_number: string;
        /** a person, the label of a key, or `batch <name>` */
        started_by: string;
        /** since when it waits; for a call back the time it waits for */
        queued_at: string;
        /** its batch */
        batch_id: string | null;
    }[];
};
export type SignupInput = {
    /** of the person */
    name: string;
    /** what one will sign in with */
    email: string;
    /** only a hash of it is stored */
    password: string;
    /** default `<name>'s workspace` */
    workspace_name?: string;
    /** IANA name */
    timezone?: string;
};
export type SignedInUser = {
    /** 32 hex characters */
    id: string;
    /** 1 to 80 characters */
    name: string;
    /** what one signs in with */
    email: string;
    /** sign-in takes two steps */
    two_factor: boolean;
};
export type WorkspaceOfUser = {
    /** 32 hex characters */
    id: string;
    /** for display */
    name: string;
    /** what one may do there */
    role: "owner" | "admin" | "developer" | "viewer";
    /** only an active one may place calls */
    state: "onboarding" | "active" | "suspended" | "closed";
};
export type AuthResult = {
    /** who signed in */
    user: SignedInUser;
    /** the one a session acts in unless another is chosen comes first */
    workspaces: WorkspaceOfUser[];
    /** only when the request has no `Origin`: browsers get a cookie */
    token?: string;
    /** 30 days after the last use, 90 days after signing in at the latest */
    expires_at: string;
};
export type LoginInput = {
    /** upper and lower case are the same */
    email: string;
    /** as it was chosen */
    password: string;
};
export type TwoFactorRequired = {
    /** distinguishes this response from a completed sign-in */
    two_factor_required: true;
    /** for the second step: 10 minutes, 5 tries */
    login_token: string;
    /** ISO 8601 with the offset of the zone asked for */
    expires_at: string;
    /** what the second step may be made with; left out where the user has no passkey: a code */
    methods?: ("passkey" | "authenticator" | "recovery_code")[];
};
export type TwoFactorLoginInput = {
    /** from the first step */
    login_token: string;
    /** six digits, or a recovery code */
    code: string;
};
export type Me = {
    /** what the request was made with */
    credential: "session" | "api_key" | "oauth_app";
    /** null for a key */
    user: SignedInUser | null;
    /** null unless the credential is a key */
    key: {
        /** 32 hex characters */
        id: string;
        /** its label */
        name: string;
        /** its first 12 characters */
        prefix: string;
        /** what it may do; null: all that keys may */
        scopes: string[] | null;
    } | null;
    /** the one that is acted in; null when none is open */
    workspace: {
        /** 32 hex characters */
        id: string;
        /** 1 to 120 characters */
        name: string;
        /** only an active one may place calls */
        state: "onboarding" | "active" | "suspended" | "closed";
        /** what credits and prices are counted in */
        currency: "INR" | "USD";
        /** IANA name */
        timezone: string;
    } | null;
    /** a key shows developer */
    role: ("owner" | "admin" | "developer" | "viewer") | null;
    /** what this credential may do here */
    permissions: ("agents.view" | "calls.view" | "logs.view" | "members.view" | "agents.edit" | "calls.place" | "keys.manage" | "billing.view" | "numbers.manage" | "members.manage" | "billing.manage" | "kyc.manage")[];
    /** for a key only its own */
    workspaces: WorkspaceOfUser[];
};
export type Account = {
    /** 32 hex characters */
    id: string;
    /** 1 to 80 characters */
    name: string;
    /** what one signs in with */
    email: string;
    /** waits for its link to be followed; empty when none does */
    pending_email: string;
    /** the link in the email was followed */
    email_verified: boolean;
    /** sign-in takes two steps */
    two_factor: boolean;
    /** the second step may be a code of an authenticator app */
    authenticator: boolean;
    /** of ten */
    recovery_codes_left: number;
    /** IANA name */
    timezone: string;
    /** number of a drawing, or address of a picture; null: none */
    avatar: (number | string) | null;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** those one is a member of */
    workspaces: WorkspaceOfUser[];
};
export type UpdateAccountBody = {
    /** left out: stays */
    name?: string;
    /** left out: stays */
    timezone?: string;
    /** number of a drawing, or address of a picture; null: none */
    avatar?: (number | string) | null;
};
export type DeleteAccountBody = {
    /** the present one */
    password: string;
};
export type ChangeEmailBody = {
    /** the new address */
    email: string;
    /** the present one */
    password: string;
};
export type ChangePasswordBody = {
    /** as it was until now */
    current_password: string;
    /** 10 to 200 characters; ends all other sessions */
    new_password: string;
};
export type ConfirmAccountBody = {
    /** the present one; or `code` or `passkey` */
    password?: string;
    /** six digits, or a recovery code; instead of `password` */
    code?: string;
    /** what a passkey signed of `POST /account/passkeys/challenge`; instead of `password` */
    passkey?: {
        /** of the credential, base64url */
        id: string;
        /** the same, base64url */
        rawId: string;
        /** of the credential */
        "type": "public-key";
        /** `platform` or `cross-platform`; not read */
        authenticatorAttachment?: string;
        /** not read, because no extension is asked for */
        clientExtensionResults?: {};
        /** the authenticator's part */
        response: {
            /** challenge and origin, base64url */
            clientDataJSON: string;
            /** site, flags and counter, base64url */
            authenticatorData: string;
            /** of both, base64url */
            signature: string;
            /** not read */
            userHandle?: string;
        };
    };
};
export type ConfirmAccountResult = {
    /** until when this session counts as confirmed */
    confirmed_until: string;
};
export type Session = {
    /** 32 hex characters */
    id: string;
    /** the one this request is made with */
    current: boolean;
    /** browser and system */
    client: string;
    /** where the client was last seen, an IP address */
    address: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** ISO 8601 with the offset of the zone asked for */
    last_seen_at: string;
    /** ISO 8601 with the offset of the zone asked for */
    expires_at: string;
};
export type RevokeOtherSessionsResult = {
    /** how many ended */
    revoked: number;
};
export type SetUpTwoFactorResult = {
    /** base 32 */
    secret: string;
    /** what the QR code holds */
    otpauth_url: string;
};
export type EnableTwoFactorBody = {
    /** six digits */
    code: string;
};
export type EnableTwoFactorResult = {
    /** ten; each works once, shown only now */
    recovery_codes: string[];
};
export type DisableTwoFactorBody = {
    /** the present one */
    password: string;
    /** or a recovery code */
    code: string;
};
export type Passkey = {
    /** 32 hex characters */
    id: string;
    /** 1 to 80 characters */
    name: string;
    /** it is on more than one of the user's devices */
    synced: boolean;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** null: never */
    last_used_at: string | null;
};
export type CreatePasskeyBody = {
    /** to tell passkeys apart */
    name: string;
    /** what the browser made */
    response: {
        /** of the credential, base64url */
        id: string;
        /** the same, base64url */
        rawId: string;
        /** of the credential */
        "type": "public-key";
        /** `platform` or `cross-platform`; not read */
        authenticatorAttachment?: string;
        /** not read, because no extension is asked for */
        clientExtensionResults?: {};
        /** the authenticator's part */
        response: {
            /** challenge and origin, base64url */
            clientDataJSON: string;
            /** the public key and what the authenticator says of it, base64url */
            attestationObject: string;
            /** how the authenticator is reached */
            transports?: string[];
        };
    };
};
export type PasskeyAdded = {
    /** as it is listed */
    passkey: Passkey;
    /** ten, where two-step sign-in was off; otherwise empty */
    recovery_codes: string[];
};
export type PasskeySetup = {
    /** for `navigator.credentials.create`, as JSON of Web Authentication level 3 */
    options: {
        [key: string]: any;
    };
    /** of the challenge, which is used once */
    expires_at: string;
};
export type PasskeyChallenge = {
    /** for `navigator.credentials.get`, as JSON of Web Authentication level 3 */
    options: {
        [key: string]: any;
    };
    /** of the challenge, which is used once */
    expires_at: string;
};
export type UpdatePasskeyBody = {
    /** to tell passkeys apart */
    name: string;
};
export type CreateLoginChallengeBody = {
    /** from the first step */
    login_token: string;
};
export type LogInWithPasskeyBody = {
    /** from the first step */
    login_token: string;
    /** what the browser made */
    response: {
        /** of the credential, base64url */
        id: string;
        /** the same, base64url */
        rawId: string;
        /** of the credential */
        "type": "public-key";
        /** `platform` or `cross-platform`; not read */
        authenticatorAttachment?: string;
        /** not read, because no extension is asked for */
        clientExtensionResults?: {};
        /** the authenticator's part */
        response: {
            /** challenge and origin, base64url */
            clientDataJSON: string;
            /** site, flags and counter, base64url */
            authenticatorData: string;
            /** of both, base64url */
            signature: string;
            /** not read */
            userHandle?: string;
        };
    };
};
export type AgentCanary = {
    /** the version that a share of the new calls uses */
    version: number;
    /** of the agent's new calls, for a call decided when it is made */
    percent: number;
    /** ISO 8601 with the offset of the zone asked for */
    started_at: string;
    /** a name */
    started_by: string;
    /** of calls made since the canary began, those that wait in the queue left out: of the newest 20000 finished ones, 2000 each at most */
    figures: {
        /** of the calls with this version */
        canary: {
            /** created in this time */
            calls: number;
            /** of them answered */
            connected: number;
            /** with status `completed` */
            completed: number;
            /** with status `failed` */
            failed: number;
            /** with status `no-answer` */
            no_answer: number;
            /** with status `busy` */
            busy: number;
            /** with status `canceled` */
            canceled: number;
            /** connected ones among those that are over, 0 to 1 */
            answer_rate: number;
            /** of connected calls that are over */
            avg_duration_seconds: number;
            /** from the caller's last word to the agent's first sound, median; at most 2.5 % off */
            first_audio_p50_ms: number | null;
            /** the same, 95th percentile */
            first_audio_p95_ms: number | null;
            /** charged for these calls, in the smallest unit of `currency` */
            cost_paise: number;
            /** answered by a machine */
            voicemail: number;
        };
        /** of the agent's other calls */
        others: {
            /** created in this time */
            calls: number;
            /** of them answered */
            connected: number;
            /** with status `completed` */
            completed: number;
            /** with status `failed` */
            failed: number;
            /** with status `no-answer` */
            no_answer: number;
            /** with status `busy` */
            busy: number;
            /** with status `canceled` */
            canceled: number;
            /** connected ones among those that are over, 0 to 1 */
            answer_rate: number;
            /** of connected calls that are over */
            avg_duration_seconds: number;
            /** from the caller's last word to the agent's first sound, median; at most 2.5 % off */
            first_audio_p50_ms: number | null;
            /** the same, 95th percentile */
            first_audio_p95_ms: number | null;
            /** charged for these calls, in the smallest unit of `currency` */
            cost_paise: number;
            /** answered by a machine */
            voicemail: number;
        };
    };
    /** `INR` or `USD` */
    currency: string;
};
export type SetAgentCanaryBody = {
    /** the version that a share of the new calls uses */
    version: number;
    /** of the agent's new calls, for a call decided when it is made */
    percent: number;
};
export type AgentCanarySettings = {
    /** the version that a share of the new calls uses */
    version: number;
    /** of the agent's new calls, for a call decided when it is made */
    percent: number;
    /** ISO 8601 with the offset of the zone asked for */
    started_at: string;
    /** a name */
    started_by: string;
};
export type SavedAgent = {
    /** 32 hex characters */
    id: string;
    /** for display; 1 to 120 characters */
    name: string;
    /** said first; `{variables}` are filled in */
    welcome_message: string;
    /** instructions of the language model; `{variables}` are filled in */
    system_prompt: string;
    /** language model */
    llm: {
        /** whose language model */
        provider: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
        /** empty: the provider's default */
        model: string;
        /** higher is more varied */
        temperature: number;
        /** the longest reply in tokens */
        max_tokens: number;
        /** of a speech-to-speech model */
        realtime?: {
            /** the model's own voice; empty: the provider's default */
            voice: string;
            /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
            output: "audio" | "text";
            /** who decides that the caller's turn is over */
            turn_detection: "service" | "model";
            /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
            text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
            /** empty: the provider's default */
            text_model: string;
        };
    };
    /** text to speech */
    voice: {
        /** whose voice */
        provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
        /** empty: the provider's default */
        model: string;
        /** a voice from the voices list; empty: the provider's default */
        voice_id: string;
        /** display name */
        voice_name: string;
        /** language the agent speaks */
        language: string;
        /** 1 is normal */
        speed: number;
        /** words that are said otherwise than they are written; transcripts keep the word */
        pronunciations: {
            /** as it is written, one word or several */
            word: string;
            /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
            say: string;
            /** the same in IPA, for voices that take it; others get `say` */
            ipa: string;
        }[];
        /** tried in order when the voice fails */
        fallbacks: {
            /** whose voice */
            provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
            /** left out: the provider's default */
            model?: string;
            /** a voice of the provider */
            voice_id: string;
            /** display name */
            voice_name: string;
            /** empty: the voice's language */
            language: string;
        }[];
        /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
        by_language: {
            /** whose voice */
            provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
            /** left out: the provider's default */
            model?: string;
            /** a voice of the provider; empty: the provider's default for the language */
            voice_id: string;
            /** display name */
            voice_name: string;
            /** ISO 639-1, with or without a region */
            language: string;
        }[];
    };
    /** speech to text */
    transcriber: {
        /** whose transcriber */
        provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
        /** empty: the provider's default */
        model: string;
        /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
        turn_detection: "responsive" | "balanced" | "patient";
        /** the caller's language, for a provider that needs to be told */
        language: string;
        /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
        endpointing_ms: number;
        /** words the recogniser should expect */
        keyterms: string[];
        /** tried in order when the transcriber fails */
        fallbacks: {
            /** whose transcriber */
            provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
            /** empty: the provider's default */
            model: string;
            /** language the caller speaks */
            language: string;
        }[];
    };
    /** call behaviour */
    call: {
        /** the call ends after this long */
        max_duration_seconds: number;
        /** the call ends when nobody speaks for so long */
        hangup_after_silence_seconds: number;
        /** where the caller changes to another language that the service knows, the conversation goes on in it */
        follow_language: boolean;
        /** the caller can talk over the agent, which stops speaking */
        allow_interruptions: boolean;
        /** words of the caller that stop the agent */
        interruption_min_words: number;
        /** outbound calls start only inside the hours below */
        calling_hours: boolean;
        /** in `timezone` */
        call_start_hour: number;
        /** calls start before this hour */
        call_end_hour: number;
        /** IANA zone of the calling hours */
        timezone: string;
        /** keep a stereo recording */
        record: boolean;
        /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
        filler_after_ms: number;
        /** what it says then, in turn; empty: phrases of the voice's language */
        filler_phrases: string[];
        /** said before the agent hangs up when the conversation is over */
        hangup_message: string;
        /** after each reply, ask the model whether the conversation is over */
        hangup_on_prompt: boolean;
        /** the question; must be answerable with Yes or No */
        hangup_prompt: string;
        /** the caller can still talk over the last message */
        hangup_interruptible: boolean;
        /** ask a quiet caller once whether they are still there */
        check_user_online: boolean;
        /** what a quiet caller is asked */
        user_online_message: string;
        /** silence before the question */
        user_online_after_seconds: number;
        /** background sound; empty for none */
        ambient_sound: string;
        /** percent */
        ambient_volume: number;
        /** take noise out of the caller's sound */
        noise_cancellation: boolean;
        /** percent */
        noise_cancellation_strength: number;
        /** end the call when a machine answers */
        voicemail_detection: boolean;
        /** how long is listened for a machine */
        voicemail_detection_seconds: number;
        /** left on the machine; empty: nothing is left */
        voicemail_message: string;
        /** shown on the called person's telephone */
        caller_verification_call_reason: string;
        /** take keys the caller presses */
        dtmf_input: boolean;
        /** pause after the last key that ends the input */
        dtmf_wait_seconds: number;
        /** book a call back when the caller asks for one, during the call or by a check after it */
        auto_reschedule: boolean;
        /** call backs are booked at most so far ahead */
        reschedule_max_days: number;
        /** the agent may hand the call to a person */
        transfer_enabled: boolean;
        /** whom it may hand the call to */
        transfer_targets: {
            /** what the agent calls this person or team */
            name: string;
            /** E.164 */
            "number": string;
            /** when to transfer here */
            description: string;
        }[];
        /** other agents that it may let go on with the call */
        handoffs: {
            /** an agent of the workspace */
            agent_id: string;
            /** what this agent calls it */
            name: string;
            /** when to hand the call to it */
            description: string;
            /** how many of the last turns the other agent knows; null: all of them */
            history_turns: number | null;
            /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
            first_message: string;
        }[];
        /** said before the transfer */
        transfer_message: string;
        /** the person hears a summary first */
        transfer_summary: boolean;
        /** music while a transfer rings, in place of the background */
        hold_music: boolean;
        /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
        recording_notice: string;
        /** the agent may pause the recording, by the tools pause_recording and resume_recording */
        recording_pause: boolean;
        /** a pause of the recording, also one by the API, ends by itself after this long */
        recording_pause_seconds: number;
        /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
        redact_cards: boolean;
        /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
        redact_identity_numbers: boolean;
    };
    /** run once the call ends */
    analytics: {
        /** write a summary of the call */
        summarize: boolean;
        /** what to find out from the call */
        extractions: {
            /** its name in `extracted` */
            key: string;
            /** display name */
            label: string;
            /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
            "type": "text" | "number" | "boolean" | "choice" | "date" | "list";
            /** what to look for in the call */
            description: string;
            /** of a `choice` */
            choices: {
                /** as it is saved */
                value: string;
                /** when this is the one */
                when: string;
            }[];
        }[];
        /** its result is saved as JSON in `extracted` */
        extraction_prompt: string;
    };
    /** HTTP tools, and tools of the page, that the model can call */
    tools: {
        /** what the model and the timeline call it */
        name: string;
        /** when the model should use it */
        description: string;
        /** JSON Schema of the arguments */
        parameters: {
            [key: string]: any;
        };
        /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
        kind: "http" | "client";
        /** GET sends the arguments as query parameters, POST as JSON */
        method: "GET" | "POST";
        /** called by the service; no private addresses; needed by an HTTP tool */
        url: string;
        /** values are shown as `***` to callers who may not edit agents */
        headers: {
            [key: string]: string;
        };
        /** said while the request runs */
        pre_call_message: string;
        /** the request is abandoned after this long */
        timeout_seconds: number;
        /** what becomes of a JSON response of status 2xx */
        results: {
            /** where in the JSON what the model gets is; empty: all */
            path: string;
            /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
            variables: {
                [key: string]: string;
            };
            /** said after a success, in place of an answer of the model; `{variables}` are filled in */
            message: string;
        };
    }[];
    /** servers of the Model Context Protocol whose tools the model can call */
    mcp_servers: {
        /** precedes the name of a tool where another tool has that name */
        name: string;
        /** called by the service; no private addresses */
        url: string;
        /** values are shown as `***` to callers who may not edit agents */
        headers: {
            [key: string]: string;
        };
        /** names of the server's tools that the model may call; empty: all of them */
        tools: string[];
        /** the request is abandoned after this long */
        timeout_seconds: number;
    }[];
    /** what the agent may look into */
    knowledge_base_ids: string[];
    /** auto: small bases stand in the prompt as a whole */
    knowledge_mode: "auto" | "search";
    /** https; receives the lifecycle events of this agent's calls */
    webhook_url: string;
    /** a frozen agent takes and places no calls */
    status: "active" | "paused" | "frozen";
    /** number of a drawing, or address of a picture; null: none */
    avatar: (number | string) | null;
    /** number that answers for this agent */
    phone_number: string;
    /** increases with every saved change */
    version: number;
    /** who made the last change */
    updated_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** ISO 8601 with the offset of the zone asked for */
    updated_at: string;
    frozen_at: string | null;
    /** the rule that was broken; set when frozen */
    frozen_reason: string;
    /** the incident that froze it; empty otherwise */
    frozen_incident_id: string;
    /** the status before */
    frozen_from: string;
    /** every `{variable}` used by the welcome message and prompt, in order */
    variables: string[];
    /** settings that its providers take in part or not at all; left out when there are none */
    warnings?: {
        /** the field, as in a 422 */
        loc: (string | number)[];
        /** what is saved instead, or has no effect */
        msg: string;
    }[];
};
export type CreateAgentShareBody = {
    /** the agent to share */
    agent_id: string;
    /** null: never */
    expires_in_days?: number | null;
};
export type AgentShare = {
    /** the share's name in paths; anyone who knows it can read and copy the agent */
    token: string;
    /** the agent that was shared */
    agent_id: string;
    /** as it was called then */
    agent_name: string;
    /** the version shared; later changes are not followed */
    version: number;
    /** page of the console */
    url: string;
    /** how often it was copied */
    copies: number;
    /** a name */
    created_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** null: never */
    expires_at: string | null;
};
export type SharedAgent = {
    /** its name in paths */
    token: string;
    /** as it was called then */
    agent_name: string;
    /** whose agent it is */
    workspace_name: string;
    /** the configuration without webhook address, header values, knowledge bases, transfer targets and uploads */
    agent: {
        /** for display; 1 to 120 characters */
        name: string;
        /** said first; `{variables}` are filled in */
        welcome_message: string;
        /** instructions of the language model; `{variables}` are filled in */
        system_prompt: string;
        /** language model */
        llm: {
            /** whose language model */
            provider: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
            /** empty: the provider's default */
            model: string;
            /** higher is more varied */
            temperature: number;
            /** the longest reply in tokens */
            max_tokens: number;
            /** of a speech-to-speech model */
            realtime?: {
                /** the model's own voice; empty: the provider's default */
                voice: string;
                /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
                output: "audio" | "text";
                /** who decides that the caller's turn is over */
                turn_detection: "service" | "model";
                /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
                text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
                /** empty: the provider's default */
                text_model: string;
            };
        };
        /** text to speech */
        voice: {
            /** whose voice */
            provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
            /** empty: the provider's default */
            model: string;
            /** a voice from the voices list; empty: the provider's default */
            voice_id: string;
            /** display name */
            voice_name: string;
            /** language the agent speaks */
            language: string;
            /** 1 is normal */
            speed: number;
            /** words that are said otherwise than they are written; transcripts keep the word */
            pronunciations: {
                /** as it is written, one word or several */
                word: string;
                /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
                say: string;
                /** the same in IPA, for voices that take it; others get `say` */
                ipa: string;
            }[];
            /** tried in order when the voice fails */
            fallbacks: {
                /** whose voice */
                provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
                /** left out: the provider's default */
                model?: string;
                /** a voice of the provider */
                voice_id: string;
                /** display name */
                voice_name: string;
                /** empty: the voice's language */
                language: string;
            }[];
            /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
            by_language: {
                /** whose voice */
                provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
                /** left out: the provider's default */
                model?: string;
                /** a voice of the provider; empty: the provider's default for the language */
                voice_id: string;
                /** display name */
                voice_name: string;
                /** ISO 639-1, with or without a region */
                language: string;
            }[];
        };
        /** speech to text */
        transcriber: {
            /** whose transcriber */
            provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
            /** empty: the provider's default */
            model: string;
            /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
            turn_detection: "responsive" | "balanced" | "patient";
            /** the caller's language, for a provider that needs to be told */
            language: string;
            /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
            endpointing_ms: number;
            /** words the recogniser should expect */
            keyterms: string[];
            /** tried in order when the transcriber fails */
            fallbacks: {
                /** whose transcriber */
                provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
                /** empty: the provider's default */
                model: string;
                /** language the caller speaks */
                language: string;
            }[];
        };
        /** call behaviour */
        call: {
            /** the call ends after this long */
            max_duration_seconds: number;
            /** the call ends when nobody speaks for so long */
            hangup_after_silence_seconds: number;
            /** where the caller changes to another language that the service knows, the conversation goes on in it */
            follow_language: boolean;
            /** the caller can talk over the agent, which stops speaking */
            allow_interruptions: boolean;
            /** words of the caller that stop the agent */
            interruption_min_words: number;
            /** outbound calls start only inside the hours below */
            calling_hours: boolean;
            /** in `timezone` */
            call_start_hour: number;
            /** calls start before this hour */
            call_end_hour: number;
            /** IANA zone of the calling hours */
            timezone: string;
            /** keep a stereo recording */
            record: boolean;
            /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
            filler_after_ms: number;
            /** what it says then, in turn; empty: phrases of the voice's language */
            filler_phrases: string[];
            /** said before the agent hangs up when the conversation is over */
            hangup_message: string;
            /** after each reply, ask the model whether the conversation is over */
            hangup_on_prompt: boolean;
            /** the question; must be answerable with Yes or No */
            hangup_prompt: string;
            /** the caller can still talk over the last message */
            hangup_interruptible: boolean;
            /** ask a quiet caller once whether they are still there */
            check_user_online: boolean;
            /** what a quiet caller is asked */
            user_online_message: string;
            /** silence before the question */
            user_online_after_seconds: number;
            /** background sound; empty for none */
            ambient_sound: string;
            /** percent */
            ambient_volume: number;
            /** take noise out of the caller's sound */
            noise_cancellation: boolean;
            /** percent */
            noise_cancellation_strength: number;
            /** end the call when a machine answers */
            voicemail_detection: boolean;
            /** how long is listened for a machine */
            voicemail_detection_seconds: number;
            /** left on the machine; empty: nothing is left */
            voicemail_message: string;
            /** shown on the called person's telephone */
            caller_verification_call_reason: string;
            /** take keys the caller presses */
            dtmf_input: boolean;
            /** pause after the last key that ends the input */
            dtmf_wait_seconds: number;
            /** book a call back when the caller asks for one, during the call or by a check after it */
            auto_reschedule: boolean;
            /** call backs are booked at most so far ahead */
            reschedule_max_days: number;
            /** the agent may hand the call to a person */
            transfer_enabled: boolean;
            /** whom it may hand the call to */
            transfer_targets: {
                /** what the agent calls this person or team */
                name: string;
                /** E.164 */
                "number": string;
                /** when to transfer here */
                description: string;
            }[];
            /** other agents that it may let go on with the call */
            handoffs: {
                /** an agent of the workspace */
                agent_id: string;
                /** what this agent calls it */
                name: string;
                /** when to hand the call to it */
                description: string;
                /** how many of the last turns the other agent knows; null: all of them */
                history_turns: number | null;
                /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
                first_message: string;
            }[];
            /** said before the transfer */
            transfer_message: string;
            /** the person hears a summary first */
            transfer_summary: boolean;
            /** music while a transfer rings, in place of the background */
            hold_music: boolean;
            /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
            recording_notice: string;
            /** the agent may pause the recording, by the tools pause_recording and resume_recording */
            recording_pause: boolean;
            /** a pause of the recording, also one by the API, ends by itself after this long */
            recording_pause_seconds: number;
            /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
            redact_cards: boolean;
            /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
            redact_identity_numbers: boolean;
        };
        /** run once the call ends */
        analytics: {
            /** write a summary of the call */
            summarize: boolean;
            /** what to find out from the call */
            extractions: {
                /** its name in `extracted` */
                key: string;
                /** display name */
                label: string;
                /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
                "type": "text" | "number" | "boolean" | "choice" | "date" | "list";
                /** what to look for in the call */
                description: string;
                /** of a `choice` */
                choices: {
                    /** as it is saved */
                    value: string;
                    /** when this is the one */
                    when: string;
                }[];
            }[];
            /** its result is saved as JSON in `extracted` */
            extraction_prompt: string;
        };
        /** HTTP tools, and tools of the page, that the model can call */
        tools: {
            /** what the model and the timeline call it */
            name: string;
            /** when the model should use it */
            description: string;
            /** JSON Schema of the arguments */
            parameters: {
                [key: string]: any;
            };
            /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
            kind: "http" | "client";
            /** GET sends the arguments as query parameters, POST as JSON */
            method: "GET" | "POST";
            /** called by the service; no private addresses; needed by an HTTP tool */
            url: string;
            /** values are shown as `***` to callers who may not edit agents */
            headers: {
                [key: string]: string;
            };
            /** said while the request runs */
            pre_call_message: string;
            /** the request is abandoned after this long */
            timeout_seconds: number;
            /** what becomes of a JSON response of status 2xx */
            results: {
                /** where in the JSON what the model gets is; empty: all */
                path: string;
                /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
                variables: {
                    [key: string]: string;
                };
                /** said after a success, in place of an answer of the model; `{variables}` are filled in */
                message: string;
            };
        }[];
        /** servers of the Model Context Protocol whose tools the model can call */
        mcp_servers: {
            /** precedes the name of a tool where another tool has that name */
            name: string;
            /** called by the service; no private addresses */
            url: string;
            /** values are shown as `***` to callers who may not edit agents */
            headers: {
                [key: string]: string;
            };
            /** names of the server's tools that the model may call; empty: all of them */
            tools: string[];
            /** the request is abandoned after this long */
            timeout_seconds: number;
        }[];
        /** what the agent may look into */
        knowledge_base_ids: string[];
        /** auto: small bases stand in the prompt as a whole */
        knowledge_mode: "auto" | "search";
        /** https; receives the lifecycle events of this agent's calls */
        webhook_url: string;
        /** a paused agent takes and places no calls */
        status: "active" | "paused";
        /** number of a drawing, or address of a picture; null: none */
        avatar: (number | string) | null;
    };
    expires_at: string | null;
};
export type CopySharedAgentBody = {
    /** left out: the shared agent's name */
    name?: string;
};
export type PriceEstimate = {
    /** the parts of the price */
    components: {
        /** what is paid for */
        key: "transcriber" | "llm" | "voice" | "telephony" | "platform";
        /** for display */
        label: string;
        /** who is paid */
        provider: string;
        /** which of its models; may be empty */
        model: string;
        /** with up to four decimals */
        paise_per_minute: number;
    }[];
    /** the components together, rounded up once */
    usage_paise_per_minute: number;
    /** the plan's price of a minute */
    floor_paise_per_minute: number;
    /** the greater of the two */
    total_paise_per_minute: number;
    /** the plan's price is the greater one */
    floor_applied: boolean;
    /** what the estimate takes for a usual minute */
    assumptions: {
        /** seconds of audio that are transcribed */
        caller_audio_seconds_per_minute: number;
        /** characters the voice speaks */
        tts_characters_per_minute: number;
        /** replies of the language model */
        llm_turns_per_minute: number;
        /** every turn reads the prompt, the service's instructions and the conversation so far */
        llm_input_tokens_per_minute: number;
        /** tokens of all replies */
        llm_output_tokens_per_minute: number;
        /** characters of the prompt and of the knowledge in it / 4 */
        prompt_tokens: number;
    };
    /** included minutes that one minute uses up; at least 1 */
    plan_minutes_multiplier: number;
    /** what the estimate is for */
    channel: "phone" | "web";
    /** of all amounts */
    currency: "INR" | "USD";
};
export type AgentDraft = {
    /** may be left out */
    name?: string;
    /** said first; `{variables}` are filled in */
    welcome_message?: string;
    /** instructions of the language model; `{variables}` are filled in */
    system_prompt?: string;
    /** language model */
    llm?: {
        /** whose language model */
        provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
        /** empty: the provider's default */
        model?: string;
        /** higher is more varied */
        temperature?: number;
        /** the longest reply in tokens */
        max_tokens?: number;
        /** of a speech-to-speech model */
        realtime?: {
            /** the model's own voice; empty: the provider's default */
            voice?: string;
            /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
            output?: "audio" | "text";
            /** who decides that the caller's turn is over */
            turn_detection?: "service" | "model";
            /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
            text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
            /** empty: the provider's default */
            text_model?: string;
        };
    };
    /** text to speech */
    voice?: {
        /** whose voice */
        provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
        /** empty: the provider's default */
        model?: string;
        /** a voice from the voices list; empty: the provider's default */
        voice_id?: string;
        /** display name */
        voice_name?: string;
        /** language the agent speaks */
        language?: string;
        /** 1 is normal */
        speed?: number;
        /** words that are said otherwise than they are written; transcripts keep the word */
        pronunciations?: {
            /** as it is written, one word or several */
            word: string;
            /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
            say?: string;
            /** the same in IPA, for voices that take it; others get `say` */
            ipa?: string;
        }[];
        /** tried in order when the voice fails */
        fallbacks?: {
            /** whose voice */
            provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
            /** left out: the provider's default */
            model?: string;
            /** a voice of the provider */
            voice_id: string;
            /** display name */
            voice_name?: string;
            /** empty: the voice's language */
            language?: string;
        }[];
        /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
        by_language?: {
            /** whose voice */
            provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
            /** left out: the provider's default */
            model?: string;
            /** a voice of the provider; empty: the provider's default for the language */
            voice_id?: string;
            /** display name */
            voice_name?: string;
            /** ISO 639-1, with or without a region */
            language: string;
        }[];
    };
    /** speech to text */
    transcriber?: {
        /** whose transcriber */
        provider?: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
        /** empty: the provider's default */
        model?: string;
        /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
        turn_detection?: "responsive" | "balanced" | "patient";
        /** the caller's language, for a provider that needs to be told */
        language?: string;
        /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
        endpointing_ms?: number;
        /** words the recogniser should expect */
        keyterms?: string[];
        /** tried in order when the transcriber fails */
        fallbacks?: {
            /** whose transcriber */
            provider?: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
            /** empty: the provider's default */
            model?: string;
            /** language the caller speaks */
            language?: string;
        }[];
    };
    /** call behaviour */
    call?: {
        /** the call ends after this long */
        max_duration_seconds?: number;
        /** the call ends when nobody speaks for so long */
        hangup_after_silence_seconds?: number;
        /** where the caller changes to another language that the service knows, the conversation goes on in it */
        follow_language?: boolean;
        /** the caller can talk over the agent, which stops speaking */
        allow_interruptions?: boolean;
        /** words of the caller that stop the agent */
        interruption_min_words?: number;
        /** outbound calls start only inside the hours below */
        calling_hours?: boolean;
        /** in `timezone` */
        call_start_hour?: number;
        /** calls start before this hour */
        call_end_hour?: number;
        /** IANA zone of the calling hours */
        timezone?: string;
        /** keep a stereo recording */
        record?: boolean;
        /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
        filler_after_ms?: number;
        /** what it says then, in turn; empty: phrases of the voice's language */
        filler_phrases?: string[];
        /** said before the agent hangs up when the conversation is over */
        hangup_message?: string;
        /** after each reply, ask the model whether the conversation is over */
        hangup_on_prompt?: boolean;
        /** the question; must be answerable with Yes or No */
        hangup_prompt?: string;
        /** the caller can still talk over the last message */
        hangup_interruptible?: boolean;
        /** ask a quiet caller once whether they are still there */
        check_user_online?: boolean;
        /** what a quiet caller is asked */
        user_online_message?: string;
        /** silence before the question */
        user_online_after_seconds?: number;
        /** background sound; empty for none */
        ambient_sound?: string;
        /** percent */
        ambient_volume?: number;
        /** take noise out of the caller's sound */
        noise_cancellation?: boolean;
        /** percent */
        noise_cancellation_strength?: number;
        /** end the call when a machine answers */
        voicemail_detection?: boolean;
        /** how long is listened for a machine */
        voicemail_detection_seconds?: number;
        /** left on the machine; empty: nothing is left */
        voicemail_message?: string;
        /** shown on the called person's telephone */
        caller_verification_call_reason?: string;
        /** take keys the caller presses */
        dtmf_input?: boolean;
        /** pause after the last key that ends the input */
        dtmf_wait_seconds?: number;
        /** book a call back when the caller asks for one, during the call or by a check after it */
        auto_reschedule?: boolean;
        /** call backs are booked at most so far ahead */
        reschedule_max_days?: number;
        /** the agent may hand the call to a person */
        transfer_enabled?: boolean;
        /** whom it may hand the call to */
        transfer_targets?: {
            /** what the agent calls this person or team */
            name: string;
            /** E.164 */
            "number": string;
            /** when to transfer here */
            description?: string;
        }[];
        /** other agents that it may let go on with the call */
        handoffs?: {
            /** an agent of the workspace */
            agent_id: string;
            /** what this agent calls it */
            name: string;
            /** when to hand the call to it */
            description?: string;
            /** how many of the last turns the other agent knows; null: all of them */
            history_turns?: number | null;
            /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
            first_message?: string;
        }[];
        /** said before the transfer */
        transfer_message?: string;
        /** the person hears a summary first */
        transfer_summary?: boolean;
        /** music while a transfer rings, in place of the background */
        hold_music?: boolean;
        /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
        recording_notice?: string;
        /** the agent may pause the recording, by the tools pause_recording and resume_recording */
        recording_pause?: boolean;
        /** a pause of the recording, also one by the API, ends by itself after this long */
        recording_pause_seconds?: number;
        /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
        redact_cards?: boolean;
        /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
        redact_identity_numbers?: boolean;
    };
    /** run once the call ends */
    analytics?: {
        /** write a summary of the call */
        summarize?: boolean;
        /** what to find out from the call */
        extractions?: {
            /** its name in `extracted` */
            key: string;
            /** display name */
            label?: string;
            /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
            "type"?: "text" | "number" | "boolean" | "choice" | "date" | "list";
            /** what to look for in the call */
            description?: string;
            /** of a `choice` */
            choices?: {
                /** as it is saved */
                value: string;
                /** when this is the one */
                when?: string;
            }[];
        }[];
        /** its result is saved as JSON in `extracted` */
        extraction_prompt?: string;
    };
    /** HTTP tools, and tools of the page, that the model can call */
    tools?: {
        /** what the model and the timeline call it */
        name: string;
        /** when the model should use it */
        description: string;
        /** JSON Schema of the arguments */
        parameters?: {
            [key: string]: any;
        };
        /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
        kind?: "http" | "client";
        /** GET sends the arguments as query parameters, POST as JSON */
        method?: "GET" | "POST";
        /** called by the service; no private addresses; needed by an HTTP tool */
        url?: string;
        /** values are shown as `***` to callers who may not edit agents */
        headers?: {
            [key: string]: string;
        };
        /** said while the request runs */
        pre_call_message?: string;
        /** the request is abandoned after this long */
        timeout_seconds?: number;
        /** what becomes of a JSON response of status 2xx */
        results?: {
            /** where in the JSON what the model gets is; empty: all */
            path?: string;
            /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
            variables?: {
                [key: string]: string;
            };
            /** said after a success, in place of an answer of the model; `{variables}` are filled in */
            message?: string;
        };
    }[];
    /** servers of the Model Context Protocol whose tools the model can call */
    mcp_servers?: {
        /** precedes the name of a tool where another tool has that name */
        name: string;
        /** called by the service; no private addresses */
        url: string;
        /** values are shown as `***` to callers who may not edit agents */
        headers?: {
            [key: string]: string;
        };
        /** names of the server's tools that the model may call; empty: all of them */
        tools?: string[];
        /** the request is abandoned after this long */
        timeout_seconds?: number;
    }[];
    /** what the agent may look into */
    knowledge_base_ids?: string[];
    /** auto: small bases stand in the prompt as a whole */
    knowledge_mode?: "auto" | "search";
    /** https; receives the lifecycle events of this agent's calls */
    webhook_url?: string;
    /** a paused agent takes and places no calls */
    status?: "active" | "paused";
    /** number of a drawing, or address of a picture; null: none */
    avatar?: (number | string) | null;
};
export type AgentLatency = {
    /** length of the period */
    days: number;
    /** answered calls of these days */
    calls: number;
    /** replies whose first audio was measured */
    turns: number;
    /** from the end of the caller's speech to the first audio of the reply, in milliseconds, at most 2.5 % off; null where nothing was measured */
    first_audio_ms: {
        /** milliseconds; null when nothing was measured */
        p50: number | null;
        /** milliseconds; null when nothing was measured */
        p90: number | null;
        /** milliseconds; null when nothing was measured */
        p95: number | null;
    };
    /** from the end of the caller's speech to the model's first token, in milliseconds, at most 2.5 % off; null where nothing was measured */
    llm_first_token_ms: {
        /** milliseconds; null when nothing was measured */
        p50: number | null;
        /** milliseconds; null when nothing was measured */
        p90: number | null;
        /** milliseconds; null when nothing was measured */
        p95: number | null;
    };
    /** from the start of the call to the first audio of the welcome message, in milliseconds, at most 2.5 % off; null where nothing was measured */
    welcome_ms: {
        /** milliseconds; null when nothing was measured */
        p50: number | null;
        /** milliseconds; null when nothing was measured */
        p90: number | null;
        /** milliseconds; null when nothing was measured */
        p95: number | null;
    };
    /** time of a tool's request, in milliseconds, at most 2.5 % off; null where nothing was measured */
    tool_ms: {
        /** milliseconds; null when nothing was measured */
        p50: number | null;
        /** milliseconds; null when nothing was measured */
        p90: number | null;
        /** milliseconds; null when nothing was measured */
        p95: number | null;
    };
    /** every day, oldest first; a call counts for the day it was created in */
    by_day: {
        /** YYYY-MM-DD in the zone of the request */
        day: string;
        /** replies measured on that day */
        turns: number;
        /** milliseconds; null when nothing was measured */
        first_audio_p50_ms: number | null;
        /** milliseconds; null when nothing was measured */
        first_audio_p95_ms: number | null;
    }[];
};
export type GeneratePromptBody = {
    /** what the agent is for, in your words */
    brief: string;
    /** language the agent speaks */
    language?: string;
    /** the agent whose prompt is to be improved */
    agent_id?: string;
    /** how it should sound */
    tone?: string;
};
export type GeneratedPrompt = {
    /** what the agent says first */
    welcome_message: string;
    /** its instructions */
    system_prompt: string;
    /** every `{variable}` used by them, in order */
    variables: string[];
    /** what it cost, taken from the credits */
    cost_paise: number;
    /** the billing currency of the workspace */
    currency: "INR" | "USD";
};
export type AgentVersion = {
    /** counts from 1 */
    version: number;
    /** the present version of the agent */
    current: boolean;
    /** the version it was restored from */
    restored_from: number | null;
    /** dotted names of the fields that differ from the version before */
    changes: string[];
    /** ISO 8601 with the offset of the zone asked for */
    saved_at: string;
    /** a name */
    saved_by: string;
};
export type SaveAgentVersionBody = {
    /** for display; 1 to 120 characters */
    name: string;
    /** said first; `{variables}` are filled in */
    welcome_message?: string;
    /** instructions of the language model; `{variables}` are filled in */
    system_prompt?: string;
    /** language model */
    llm?: {
        /** whose language model */
        provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
        /** empty: the provider's default */
        model?: string;
        /** higher is more varied */
        temperature?: number;
        /** the longest reply in tokens */
        max_tokens?: number;
        /** of a speech-to-speech model */
        realtime?: {
            /** the model's own voice; empty: the provider's default */
            voice?: string;
            /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
            output?: "audio" | "text";
            /** who decides that the caller's turn is over */
            turn_detection?: "service" | "model";
            /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
            text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
            /** empty: the provider's default */
            text_model?: string;
        };
    };
    /** text to speech */
    voice?: {
        /** whose voice */
        provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
        /** empty: the provider's default */
        model?: string;
        /** a voice from the voices list; empty: the provider's default */
        voice_id?: string;
        /** display name */
        voice_name?: string;
        /** language the agent speaks */
        language?: string;
        /** 1 is normal */
        speed?: number;
        /** words that are said otherwise than they are written; transcripts keep the word */
        pronunciations?: {
            /** as it is written, one word or several */
            word: string;
            /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
            say?: string;
            /** the same in IPA, for voices that take it; others get `say` */
            ipa?: string;
        }[];
        /** tried in order when the voice fails */
        fallbacks?: {
            /** whose voice */
            provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
            /** left out: the provider's default */
            model?: string;
            /** a voice of the provider */
            voice_id: string;
            /** display name */
            voice_name?: string;
            /** empty: the voice's language */
            language?: string;
        }[];
        /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
        by_language?: {
            /** whose voice */
            provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
            /** left out: the provider's default */
            model?: string;
            /** a voice of the provider; empty: the provider's default for the language */
            voice_id?: string;
            /** display name */
            voice_name?: string;
            /** ISO 639-1, with or without a region */
            language: string;
        }[];
    };
    /** speech to text */
    transcriber?: {
        /** whose transcriber */
        provider?: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
        /** empty: the provider's default */
        model?: string;
        /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
        turn_detection?: "responsive" | "balanced" | "patient";
        /** the caller's language, for a provider that needs to be told */
        language?: string;
        /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
        endpointing_ms?: number;
        /** words the recogniser should expect */
        keyterms?: string[];
        /** tried in order when the transcriber fails */
        fallbacks?: {
            /** whose transcriber */
            provider?: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
            /** empty: the provider's default */
            model?: string;
            /** language the caller speaks */
            language?: string;
        }[];
    };
    /** call behaviour */
    call?: {
        /** the call ends after this long */
        max_duration_seconds?: number;
        /** the call ends when nobody speaks for so long */
        hangup_after_silence_seconds?: number;
        /** where the caller changes to another language that the service knows, the conversation goes on in it */
        follow_language?: boolean;
        /** the caller can talk over the agent, which stops speaking */
        allow_interruptions?: boolean;
        /** words of the caller that stop the agent */
        interruption_min_words?: number;
        /** outbound calls start only inside the hours below */
        calling_hours?: boolean;
        /** in `timezone` */
        call_start_hour?: number;
        /** calls start before this hour */
        call_end_hour?: number;
        /** IANA zone of the calling hours */
        timezone?: string;
        /** keep a stereo recording */
        record?: boolean;
        /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
        filler_after_ms?: number;
        /** what it says then, in turn; empty: phrases of the voice's language */
        filler_phrases?: string[];
        /** said before the agent hangs up when the conversation is over */
        hangup_message?: string;
        /** after each reply, ask the model whether the conversation is over */
        hangup_on_prompt?: boolean;
        /** the question; must be answerable with Yes or No */
        hangup_prompt?: string;
        /** the caller can still talk over the last message */
        hangup_interruptible?: boolean;
        /** ask a quiet caller once whether they are still there */
        check_user_online?: boolean;
        /** what a quiet caller is asked */
        user_online_message?: string;
        /** silence before the question */
        user_online_after_seconds?: number;
        /** background sound; empty for none */
        ambient_sound?: string;
        /** percent */
        ambient_volume?: number;
        /** take noise out of the caller's sound */
        noise_cancellation?: boolean;
        /** percent */
        noise_cancellation_strength?: number;
        /** end the call when a machine answers */
        voicemail_detection?: boolean;
        /** how long is listened for a machine */
        voicemail_detection_seconds?: number;
        /** left on the machine; empty: nothing is left */
        voicemail_message?: string;
        /** shown on the called person's telephone */
        caller_verification_call_reason?: string;
        /** take keys the caller presses */
        dtmf_input?: boolean;
        /** pause after the last key that ends the input */
        dtmf_wait_seconds?: number;
        /** book a call back when the caller asks for one, during the call or by a check after it */
        auto_reschedule?: boolean;
        /** call backs are booked at most so far ahead */
        reschedule_max_days?: number;
        /** the agent may hand the call to a person */
        transfer_enabled?: boolean;
        /** whom it may hand the call to */
        transfer_targets?: {
            /** what the agent calls this person or team */
            name: string;
            /** E.164 */
            "number": string;
            /** when to transfer here */
            description?: string;
        }[];
        /** other agents that it may let go on with the call */
        handoffs?: {
            /** an agent of the workspace */
            agent_id: string;
            /** what this agent calls it */
            name: string;
            /** when to hand the call to it */
            description?: string;
            /** how many of the last turns the other agent knows; null: all of them */
            history_turns?: number | null;
            /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
            first_message?: string;
        }[];
        /** said before the transfer */
        transfer_message?: string;
        /** the person hears a summary first */
        transfer_summary?: boolean;
        /** music while a transfer rings, in place of the background */
        hold_music?: boolean;
        /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
        recording_notice?: string;
        /** the agent may pause the recording, by the tools pause_recording and resume_recording */
        recording_pause?: boolean;
        /** a pause of the recording, also one by the API, ends by itself after this long */
        recording_pause_seconds?: number;
        /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
        redact_cards?: boolean;
        /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
        redact_identity_numbers?: boolean;
    };
    /** run once the call ends */
    analytics?: {
        /** write a summary of the call */
        summarize?: boolean;
        /** what to find out from the call */
        extractions?: {
            /** its name in `extracted` */
            key: string;
            /** display name */
            label?: string;
            /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
            "type"?: "text" | "number" | "boolean" | "choice" | "date" | "list";
            /** what to look for in the call */
            description?: string;
            /** of a `choice` */
            choices?: {
                /** as it is saved */
                value: string;
                /** when this is the one */
                when?: string;
            }[];
        }[];
        /** its result is saved as JSON in `extracted` */
        extraction_prompt?: string;
    };
    /** HTTP tools, and tools of the page, that the model can call */
    tools?: {
        /** what the model and the timeline call it */
        name: string;
        /** when the model should use it */
        description: string;
        /** JSON Schema of the arguments */
        parameters?: {
            [key: string]: any;
        };
        /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
        kind?: "http" | "client";
        /** GET sends the arguments as query parameters, POST as JSON */
        method?: "GET" | "POST";
        /** called by the service; no private addresses; needed by an HTTP tool */
        url?: string;
        /** values are shown as `***` to callers who may not edit agents */
        headers?: {
            [key: string]: string;
        };
        /** said while the request runs */
        pre_call_message?: string;
        /** the request is abandoned after this long */
        timeout_seconds?: number;
        /** what becomes of a JSON response of status 2xx */
        results?: {
            /** where in the JSON what the model gets is; empty: all */
            path?: string;
            /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
            variables?: {
                [key: string]: string;
            };
            /** said after a success, in place of an answer of the model; `{variables}` are filled in */
            message?: string;
        };
    }[];
    /** servers of the Model Context Protocol whose tools the model can call */
    mcp_servers?: {
        /** precedes the name of a tool where another tool has that name */
        name: string;
        /** called by the service; no private addresses */
        url: string;
        /** values are shown as `***` to callers who may not edit agents */
        headers?: {
            [key: string]: string;
        };
        /** names of the server's tools that the model may call; empty: all of them */
        tools?: string[];
        /** the request is abandoned after this long */
        timeout_seconds?: number;
    }[];
    /** what the agent may look into */
    knowledge_base_ids?: string[];
    /** auto: small bases stand in the prompt as a whole */
    knowledge_mode?: "auto" | "search";
    /** https; receives the lifecycle events of this agent's calls */
    webhook_url?: string;
    /** a paused agent takes and places no calls */
    status?: "active" | "paused";
    /** number of a drawing, or address of a picture; null: none */
    avatar?: (number | string) | null;
};
export type AgentVersionWithConfiguration = {
    /** counts from 1 */
    version: number;
    /** the present version of the agent */
    current: boolean;
    /** the version it was restored from */
    restored_from: number | null;
    /** dotted names of the fields that differ from the version before */
    changes: string[];
    /** ISO 8601 with the offset of the zone asked for */
    saved_at: string;
    /** a name */
    saved_by: string;
    /** the configuration as it was */
    agent: {
        /** for display; 1 to 120 characters */
        name: string;
        /** said first; `{variables}` are filled in */
        welcome_message: string;
        /** instructions of the language model; `{variables}` are filled in */
        system_prompt: string;
        /** language model */
        llm: {
            /** whose language model */
            provider: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
            /** empty: the provider's default */
            model: string;
            /** higher is more varied */
            temperature: number;
            /** the longest reply in tokens */
            max_tokens: number;
            /** of a speech-to-speech model */
            realtime?: {
                /** the model's own voice; empty: the provider's default */
                voice: string;
                /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
                output: "audio" | "text";
                /** who decides that the caller's turn is over */
                turn_detection: "service" | "model";
                /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
                text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
                /** empty: the provider's default */
                text_model: string;
            };
        };
        /** text to speech */
        voice: {
            /** whose voice */
            provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
            /** empty: the provider's default */
            model: string;
            /** a voice from the voices list; empty: the provider's default */
            voice_id: string;
            /** display name */
            voice_name: string;
            /** language the agent speaks */
            language: string;
            /** 1 is normal */
            speed: number;
            /** words that are said otherwise than they are written; transcripts keep the word */
            pronunciations: {
                /** as it is written, one word or several */
                word: string;
                /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
                say: string;
                /** the same in IPA, for voices that take it; others get `say` */
                ipa: string;
            }[];
            /** tried in order when the voice fails */
            fallbacks: {
                /** whose voice */
                provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
                /** left out: the provider's default */
                model?: string;
                /** a voice of the provider */
                voice_id: string;
                /** display name */
                voice_name: string;
                /** empty: the voice's language */
                language: string;
            }[];
            /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
            by_language: {
                /** whose voice */
                provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
                /** left out: the provider's default */
                model?: string;
                /** a voice of the provider; empty: the provider's default for the language */
                voice_id: string;
                /** display name */
                voice_name: string;
                /** ISO 639-1, with or without a region */
                language: string;
            }[];
        };
        /** speech to text */
        transcriber: {
            /** whose transcriber */
            provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
            /** empty: the provider's default */
            model: string;
            /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
            turn_detection: "responsive" | "balanced" | "patient";
            /** the caller's language, for a provider that needs to be told */
            language: string;
            /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
            endpointing_ms: number;
            /** words the recogniser should expect */
            keyterms: string[];
            /** tried in order when the transcriber fails */
            fallbacks: {
                /** whose transcriber */
                provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
                /** empty: the provider's default */
                model: string;
                /** language the caller speaks */
                language: string;
            }[];
        };
        /** call behaviour */
        call: {
            /** the call ends after this long */
            max_duration_seconds: number;
            /** the call ends when nobody speaks for so long */
            hangup_after_silence_seconds: number;
            /** where the caller changes to another language that the service knows, the conversation goes on in it */
            follow_language: boolean;
            /** the caller can talk over the agent, which stops speaking */
            allow_interruptions: boolean;
            /** words of the caller that stop the agent */
            interruption_min_words: number;
            /** outbound calls start only inside the hours below */
            calling_hours: boolean;
            /** in `timezone` */
            call_start_hour: number;
            /** calls start before this hour */
            call_end_hour: number;
            /** IANA zone of the calling hours */
            timezone: string;
            /** keep a stereo recording */
            record: boolean;
            /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
            filler_after_ms: number;
            /** what it says then, in turn; empty: phrases of the voice's language */
            filler_phrases: string[];
            /** said before the agent hangs up when the conversation is over */
            hangup_message: string;
            /** after each reply, ask the model whether the conversation is over */
            hangup_on_prompt: boolean;
            /** the question; must be answerable with Yes or No */
            hangup_prompt: string;
            /** the caller can still talk over the last message */
            hangup_interruptible: boolean;
            /** ask a quiet caller once whether they are still there */
            check_user_online: boolean;
            /** what a quiet caller is asked */
            user_online_message: string;
            /** silence before the question */
            user_online_after_seconds: number;
            /** background sound; empty for none */
            ambient_sound: string;
            /** percent */
            ambient_volume: number;
            /** take noise out of the caller's sound */
            noise_cancellation: boolean;
            /** percent */
            noise_cancellation_strength: number;
            /** end the call when a machine answers */
            voicemail_detection: boolean;
            /** how long is listened for a machine */
            voicemail_detection_seconds: number;
            /** left on the machine; empty: nothing is left */
            voicemail_message: string;
            /** shown on the called person's telephone */
            caller_verification_call_reason: string;
            /** take keys the caller presses */
            dtmf_input: boolean;
            /** pause after the last key that ends the input */
            dtmf_wait_seconds: number;
            /** book a call back when the caller asks for one, during the call or by a check after it */
            auto_reschedule: boolean;
            /** call backs are booked at most so far ahead */
            reschedule_max_days: number;
            /** the agent may hand the call to a person */
            transfer_enabled: boolean;
            /** whom it may hand the call to */
            transfer_targets: {
                /** what the agent calls this person or team */
                name: string;
                /** E.164 */
                "number": string;
                /** when to transfer here */
                description: string;
            }[];
            /** other agents that it may let go on with the call */
            handoffs: {
                /** an agent of the workspace */
                agent_id: string;
                /** what this agent calls it */
                name: string;
                /** when to hand the call to it */
                description: string;
                /** how many of the last turns the other agent knows; null: all of them */
                history_turns: number | null;
                /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
                first_message: string;
            }[];
            /** said before the transfer */
            transfer_message: string;
            /** the person hears a summary first */
            transfer_summary: boolean;
            /** music while a transfer rings, in place of the background */
            hold_music: boolean;
            /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
            recording_notice: string;
            /** the agent may pause the recording, by the tools pause_recording and resume_recording */
            recording_pause: boolean;
            /** a pause of the recording, also one by the API, ends by itself after this long */
            recording_pause_seconds: number;
            /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
            redact_cards: boolean;
            /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
            redact_identity_numbers: boolean;
        };
        /** run once the call ends */
        analytics: {
            /** write a summary of the call */
            summarize: boolean;
            /** what to find out from the call */
            extractions: {
                /** its name in `extracted` */
                key: string;
                /** display name */
                label: string;
                /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
                "type": "text" | "number" | "boolean" | "choice" | "date" | "list";
                /** what to look for in the call */
                description: string;
                /** of a `choice` */
                choices: {
                    /** as it is saved */
                    value: string;
                    /** when this is the one */
                    when: string;
                }[];
            }[];
            /** its result is saved as JSON in `extracted` */
            extraction_prompt: string;
        };
        /** HTTP tools, and tools of the page, that the model can call */
        tools: {
            /** what the model and the timeline call it */
            name: string;
            /** when the model should use it */
            description: string;
            /** JSON Schema of the arguments */
            parameters: {
                [key: string]: any;
            };
            /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
            kind: "http" | "client";
            /** GET sends the arguments as query parameters, POST as JSON */
            method: "GET" | "POST";
            /** called by the service; no private addresses; needed by an HTTP tool */
            url: string;
            /** values are shown as `***` to callers who may not edit agents */
            headers: {
                [key: string]: string;
            };
            /** said while the request runs */
            pre_call_message: string;
            /** the request is abandoned after this long */
            timeout_seconds: number;
            /** what becomes of a JSON response of status 2xx */
            results: {
                /** where in the JSON what the model gets is; empty: all */
                path: string;
                /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
                variables: {
                    [key: string]: string;
                };
                /** said after a success, in place of an answer of the model; `{variables}` are filled in */
                message: string;
            };
        }[];
        /** servers of the Model Context Protocol whose tools the model can call */
        mcp_servers: {
            /** precedes the name of a tool where another tool has that name */
            name: string;
            /** called by the service; no private addresses */
            url: string;
            /** values are shown as `***` to callers who may not edit agents */
            headers: {
                [key: string]: string;
            };
            /** names of the server's tools that the model may call; empty: all of them */
            tools: string[];
            /** the request is abandoned after this long */
            timeout_seconds: number;
        }[];
        /** what the agent may look into */
        knowledge_base_ids: string[];
        /** auto: small bases stand in the prompt as a whole */
        knowledge_mode: "auto" | "search";
        /** https; receives the lifecycle events of this agent's calls */
        webhook_url: string;
        /** a paused agent takes and places no calls */
        status: "active" | "paused";
        /** number of a drawing, or address of a picture; null: none */
        avatar: (number | string) | null;
    };
};
export type Agent = {
    /** 32 hex characters */
    id: string;
    /** for display; 1 to 120 characters */
    name: string;
    /** said first; `{variables}` are filled in */
    welcome_message: string;
    /** instructions of the language model; `{variables}` are filled in */
    system_prompt: string;
    /** language model */
    llm: {
        /** whose language model */
        provider: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
        /** empty: the provider's default */
        model: string;
        /** higher is more varied */
        temperature: number;
        /** the longest reply in tokens */
        max_tokens: number;
        /** of a speech-to-speech model */
        realtime?: {
            /** the model's own voice; empty: the provider's default */
            voice: string;
            /** text: the model hears the caller and writes, and the voice below speaks; not every provider can */
            output: "audio" | "text";
            /** who decides that the caller's turn is over */
            turn_detection: "service" | "model";
            /** whose model answers what is not spoken, and takes over with voice and transcriber when the session fails */
            text_provider?: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom";
            /** empty: the provider's default */
            text_model: string;
        };
    };
    /** text to speech */
    voice: {
        /** whose voice */
        provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
        /** empty: the provider's default */
        model: string;
        /** a voice from the voices list; empty: the provider's default */
        voice_id: string;
        /** display name */
        voice_name: string;
        /** language the agent speaks */
        language: string;
        /** 1 is normal */
        speed: number;
        /** words that are said otherwise than they are written; transcripts keep the word */
        pronunciations: {
            /** as it is written, one word or several */
            word: string;
            /** as it is to be said, in letters that the voice reads; empty: `ipa` alone */
            say: string;
            /** the same in IPA, for voices that take it; others get `say` */
            ipa: string;
        }[];
        /** tried in order when the voice fails */
        fallbacks: {
            /** whose voice */
            provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
            /** left out: the provider's default */
            model?: string;
            /** a voice of the provider */
            voice_id: string;
            /** display name */
            voice_name: string;
            /** empty: the voice's language */
            language: string;
        }[];
        /** voices for other languages that callers change to, with `call.follow_language`; of a language that is not listed the agent speaks with its own voice */
        by_language: {
            /** whose voice */
            provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
            /** left out: the provider's default */
            model?: string;
            /** a voice of the provider; empty: the provider's default for the language */
            voice_id: string;
            /** display name */
            voice_name: string;
            /** ISO 639-1, with or without a region */
            language: string;
        }[];
    };
    /** speech to text */
    transcriber: {
        /** whose transcriber */
        provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
        /** empty: the provider's default */
        model: string;
        /** how quickly the agent answers once the caller pauses: for a provider that finds the end of turns itself its thresholds, for others what is added to endpointing_ms */
        turn_detection: "responsive" | "balanced" | "patient";
        /** the caller's language, for a provider that needs to be told */
        language: string;
        /** silence that ends a turn, before what turn_detection adds; for a provider that does not find the end of turns itself */
        endpointing_ms: number;
        /** words the recogniser should expect */
        keyterms: string[];
        /** tried in order when the transcriber fails */
        fallbacks: {
            /** whose transcriber */
            provider: "deepgram_flux" | "deepgram" | "sarvam" | "soniox" | "elevenlabs" | "assemblyai" | "openai" | "azure_speech" | "local";
            /** empty: the provider's default */
            model: string;
            /** language the caller speaks */
            language: string;
        }[];
    };
    /** call behaviour */
    call: {
        /** the call ends after this long */
        max_duration_seconds: number;
        /** the call ends when nobody speaks for so long */
        hangup_after_silence_seconds: number;
        /** where the caller changes to another language that the service knows, the conversation goes on in it */
        follow_language: boolean;
        /** the caller can talk over the agent, which stops speaking */
        allow_interruptions: boolean;
        /** words of the caller that stop the agent */
        interruption_min_words: number;
        /** outbound calls start only inside the hours below */
        calling_hours: boolean;
        /** in `timezone` */
        call_start_hour: number;
        /** calls start before this hour */
        call_end_hour: number;
        /** IANA zone of the calling hours */
        timezone: string;
        /** keep a stereo recording */
        record: boolean;
        /** the agent says a short phrase when its model or a tool takes longer than this; 0: it waits in silence */
        filler_after_ms: number;
        /** what it says then, in turn; empty: phrases of the voice's language */
        filler_phrases: string[];
        /** said before the agent hangs up when the conversation is over */
        hangup_message: string;
        /** after each reply, ask the model whether the conversation is over */
        hangup_on_prompt: boolean;
        /** the question; must be answerable with Yes or No */
        hangup_prompt: string;
        /** the caller can still talk over the last message */
        hangup_interruptible: boolean;
        /** ask a quiet caller once whether they are still there */
        check_user_online: boolean;
        /** what a quiet caller is asked */
        user_online_message: string;
        /** silence before the question */
        user_online_after_seconds: number;
        /** background sound; empty for none */
        ambient_sound: string;
        /** percent */
        ambient_volume: number;
        /** take noise out of the caller's sound */
        noise_cancellation: boolean;
        /** percent */
        noise_cancellation_strength: number;
        /** end the call when a machine answers */
        voicemail_detection: boolean;
        /** how long is listened for a machine */
        voicemail_detection_seconds: number;
        /** left on the machine; empty: nothing is left */
        voicemail_message: string;
        /** shown on the called person's telephone */
        caller_verification_call_reason: string;
        /** take keys the caller presses */
        dtmf_input: boolean;
        /** pause after the last key that ends the input */
        dtmf_wait_seconds: number;
        /** book a call back when the caller asks for one, during the call or by a check after it */
        auto_reschedule: boolean;
        /** call backs are booked at most so far ahead */
        reschedule_max_days: number;
        /** the agent may hand the call to a person */
        transfer_enabled: boolean;
        /** whom it may hand the call to */
        transfer_targets: {
            /** what the agent calls this person or team */
            name: string;
            /** E.164 */
            "number": string;
            /** when to transfer here */
            description: string;
        }[];
        /** other agents that it may let go on with the call */
        handoffs: {
            /** an agent of the workspace */
            agent_id: string;
            /** what this agent calls it */
            name: string;
            /** when to hand the call to it */
            description: string;
            /** how many of the last turns the other agent knows; null: all of them */
            history_turns: number | null;
            /** what the other agent says first; empty: it answers what the caller said; `{variables}` are filled in */
            first_message: string;
        }[];
        /** said before the transfer */
        transfer_message: string;
        /** the person hears a summary first */
        transfer_summary: boolean;
        /** music while a transfer rings, in place of the background */
        hold_music: boolean;
        /** said to the caller before the welcome where the call is recorded; the recording begins once it was played out; `{variables}` are filled in */
        recording_notice: string;
        /** the agent may pause the recording, by the tools pause_recording and resume_recording */
        recording_pause: boolean;
        /** a pause of the recording, also one by the API, ends by itself after this long */
        recording_pause_seconds: number;
        /** card numbers, expiry dates and security codes are replaced in all that is kept of a call but its recording */
        redact_cards: boolean;
        /** Aadhaar, PAN and US social security numbers are replaced in all that is kept of a call but its recording */
        redact_identity_numbers: boolean;
    };
    /** run once the call ends */
    analytics: {
        /** write a summary of the call */
        summarize: boolean;
        /** what to find out from the call */
        extractions: {
            /** its name in `extracted` */
            key: string;
            /** display name */
            label: string;
            /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
            "type": "text" | "number" | "boolean" | "choice" | "date" | "list";
            /** what to look for in the call */
            description: string;
            /** of a `choice` */
            choices: {
                /** as it is saved */
                value: string;
                /** when this is the one */
                when: string;
            }[];
        }[];
        /** its result is saved as JSON in `extracted` */
        extraction_prompt: string;
    };
    /** HTTP tools, and tools of the page, that the model can call */
    tools: {
        /** what the model and the timeline call it */
        name: string;
        /** when the model should use it */
        description: string;
        /** JSON Schema of the arguments */
        parameters: {
            [key: string]: any;
        };
        /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
        kind: "http" | "client";
        /** GET sends the arguments as query parameters, POST as JSON */
        method: "GET" | "POST";
        /** called by the service; no private addresses; needed by an HTTP tool */
        url: string;
        /** values are shown as `***` to callers who may not edit agents */
        headers: {
            [key: string]: string;
        };
        /** said while the request runs */
        pre_call_message: string;
        /** the request is abandoned after this long */
        timeout_seconds: number;
        /** what becomes of a JSON response of status 2xx */
        results: {
            /** where in the JSON what the model gets is; empty: all */
            path: string;
            /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
            variables: {
                [key: string]: string;
            };
            /** said after a success, in place of an answer of the model; `{variables}` are filled in */
            message: string;
        };
    }[];
    /** servers of the Model Context Protocol whose tools the model can call */
    mcp_servers: {
        /** precedes the name of a tool where another tool has that name */
        name: string;
        /** called by the service; no private addresses */
        url: string;
        /** values are shown as `***` to callers who may not edit agents */
        headers: {
            [key: string]: string;
        };
        /** names of the server's tools that the model may call; empty: all of them */
        tools: string[];
        /** the request is abandoned after this long */
        timeout_seconds: number;
    }[];
    /** what the agent may look into */
    knowledge_base_ids: string[];
    /** auto: small bases stand in the prompt as a whole */
    knowledge_mode: "auto" | "search";
    /** https; receives the lifecycle events of this agent's calls */
    webhook_url: string;
    /** a frozen agent takes and places no calls */
    status: "active" | "paused" | "frozen";
    /** number of a drawing, or address of a picture; null: none */
    avatar: (number | string) | null;
    /** number that answers for this agent */
    phone_number: string;
    /** increases with every saved change */
    version: number;
    /** who made the last change */
    updated_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** ISO 8601 with the offset of the zone asked for */
    updated_at: string;
    frozen_at: string | null;
    /** the rule that was broken; set when frozen */
    frozen_reason: string;
    /** the incident that froze it; empty otherwise */
    frozen_incident_id: string;
    /** the status before */
    frozen_from: string;
    /** every `{variable}` used by the welcome message and prompt, in order */
    variables: string[];
};
export type AmbientSound = {
    /** as `call.ambient_sound` of an agent names it */
    id: string;
    /** for display */
    name: string;
    /** uploads belong to the workspace */
    kind: "builtin" | "upload";
    /** until it begins again */
    duration_seconds: number;
    /** of the WAV file */
    size_bytes: number;
    /** agents whose calls it plays in */
    used_by_agents: number;
    /** a name; empty for a built-in one */
    created_by: string;
    created_at: string | null;
};
export type UploadAmbientSoundBody = {
    /** WAV or MP3, at most 5 MB, 1 to 120 seconds */
    file: Blob;
    /** for display */
    name: string;
};
export type CatalogEntry = {
    /** as `llm.model`, `voice.model` or `transcriber.model` of an agent names it */
    id: string;
    /** whose model */
    provider: "openai" | "anthropic" | "google" | "azure" | "groq" | "mistral" | "custom" | "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "local" | "deepgram_flux" | "deepgram" | "soniox" | "assemblyai";
    /** for display */
    name: string;
    /** language model, text to speech or speech to text */
    kind: "llm" | "tts" | "stt";
    /** what an agent gets that names neither provider nor model; one of each kind */
    "default": boolean;
    /** this workspace may use it: the service has credentials of its provider */
    available: boolean;
    /** ISO 639 codes; empty: all */
    languages: string[];
    /** what `price_paise` buys: a minute of audio, characters spoken, or tokens read */
    unit: "minute" | "1k_characters" | "1m_input_tokens";
    /** of one unit, in the smallest unit of `currency`, with fractions */
    price_paise: number;
    /** of a million tokens written; null for all but language models */
    output_price_paise: number | null;
    /** median of the last week: of the first token, of the first audio, of finding the end of a turn; null: too few */
    latency_ms: number | null;
    /** what it is good at, and the settings it takes in part or not at all */
    description: string;
    /** an extension: a speech-to-speech model, which hears and speaks itself; its prices are of audio */
    realtime: boolean;
};
export type Language = {
    /** ISO 639 */
    code: string;
    /** in English */
    name: string;
    /** in the language itself */
    native_name: string;
};
export type Catalog = {
    /** language models; left out when `kind` leaves them out */
    llm_models?: CatalogEntry[];
    /** text to speech, likewise */
    tts_models?: CatalogEntry[];
    /** speech to text, likewise */
    stt_models?: CatalogEntry[];
    /** of all voices and transcribers, likewise */
    languages?: Language[];
    /** of all prices */
    currency: "INR" | "USD";
};
export type Voice = {
    /** as `voice.voice_id` of an agent names it */
    id: string;
    /** whose voice */
    provider: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
    /** for display */
    name: string;
    /** as the provider describes it */
    gender: "female" | "male" | "neutral";
    /** ISO 639 codes it was made for; empty: any that its models speak */
    languages: string[];
    /** what `voice.model` can be with it */
    models: string[];
    /** may be empty */
    accent: string;
    /** the provider's own; may be empty */
    description: string;
    /** it can be listened to */
    preview: boolean;
};
export type CreateWebhookBody = {
    /** https on the public internet */
    url: string;
    /** for people */
    description?: string;
    /** `*` stands for the life of a call; the others are listed by GET /webhooks/events */
    events?: ("*" | "call.queued" | "call.placed" | "call.started" | "call.ended" | "call.completed" | "call.voicemail" | "call.rescheduled" | "call.transferred" | "call.transfer_status" | "agent.handoff" | "call.control" | "call.dtmf" | "user.turn" | "human_agent.turn" | "agent.reply" | "interrupted" | "user.online_check" | "tool.call" | "tool.result" | "kb.search" | "fallback.used" | "capacity.fallback" | "capacity.exceeded" | "error" | "guardrail.violation")[];
    /** an inactive endpoint gets nothing */
    active?: boolean;
};
export type WebhookEndpointWithSecret = {
    /** `we_…` */
    id: string;
    /** https; where deliveries are sent */
    url: string;
    /** at most 200 characters; may be empty */
    description: string;
    /** `*`, or names of events */
    events: string[];
    /** an inactive endpoint gets nothing */
    active: boolean;
    /** `whsec_`, and the first and last four characters of the secret */
    secret_hint: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** a name */
    created_by: string;
    /** `whsec_…`, shown only now */
    secret: string;
};
export type WebhookEndpoint = {
    /** `we_…` */
    id: string;
    /** https; where deliveries are sent */
    url: string;
    /** at most 200 characters; may be empty */
    description: string;
    /** `*`, or names of events */
    events: string[];
    /** an inactive endpoint gets nothing */
    active: boolean;
    /** `whsec_`, and the first and last four characters of the secret */
    secret_hint: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** a name */
    created_by: string;
};
export type WebhookEventType = {
    /** as in the `type` of a delivery */
    "type": string;
    /** when it is sent */
    description: string;
    /** one of those that `*` stands for */
    lifecycle: boolean;
};
export type WebhookDefaultSecret = {
    /** `whsec_`, and the first and last four characters of the secret */
    secret_hint: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
};
export type NewWebhookDefaultSecret = {
    /** `whsec_…`, shown only now */
    secret: string;
    /** `whsec_`, and its first and last four characters */
    secret_hint: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
};
export type WebhookDelivery = {
    /** `whd_…` */
    id: string;
    /** the same for all deliveries of one event */
    event_id: string;
    /** such as `call.completed` */
    event_type: string;
    /** `we_…`, `agent` or `campaign` */
    endpoint_id: string;
    /** as at the last attempt */
    url: string;
    /** empty for a ping */
    call_id: string;
    /** whose call it is; may be empty */
    agent_id: string;
    /** retrying: it failed and is tried again */
    status: "pending" | "delivered" | "retrying" | "failed";
    /** automatic and manual */
    attempts: number;
    /** null when nothing answered */
    last_status_code: number | null;
    /** why the last attempt failed; empty when it did not */
    last_error: string;
    /** until the receiver answered; null before the first attempt */
    last_latency_ms: number | null;
    last_attempt_at: string | null;
    next_attempt_at: string | null;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
};
export type ListWebhookDeliveriesResult = {
    /** this page */
    items: WebhookDelivery[];
    /** everything that matches the filters */
    total: number;
    /** there are more than `total`; only 10000 are counted */
    total_is_estimate?: true;
};
export type WebhookDeliveryWithBodies = {
    /** `whd_…` */
    id: string;
    /** the same for all deliveries of one event */
    event_id: string;
    /** such as `call.completed` */
    event_type: string;
    /** `we_…`, `agent` or `campaign` */
    endpoint_id: string;
    /** as at the last attempt */
    url: string;
    /** empty for a ping */
    call_id: string;
    /** whose call it is; may be empty */
    agent_id: string;
    /** retrying: it failed and is tried again */
    status: "pending" | "delivered" | "retrying" | "failed";
    /** automatic and manual */
    attempts: number;
    /** null when nothing answered */
    last_status_code: number | null;
    /** why the last attempt failed; empty when it did not */
    last_error: string;
    /** until the receiver answered; null before the first attempt */
    last_latency_ms: number | null;
    last_attempt_at: string | null;
    next_attempt_at: string | null;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** of the last attempt, the signature hidden */
    request_headers: {
        [key: string]: string;
    };
    /** exactly what was sent */
    request_body: string;
    /** of the last answer */
    response_headers: {
        [key: string]: string;
    };
    /** the first 4096 bytes */
    response_body: string;
};
export type UpdateWebhookBody = {
    /** https on the public internet */
    url?: string;
    /** for people */
    description?: string;
    /** left out: stay */
    events?: ("*" | "call.queued" | "call.placed" | "call.started" | "call.ended" | "call.completed" | "call.voicemail" | "call.rescheduled" | "call.transferred" | "call.transfer_status" | "agent.handoff" | "call.control" | "call.dtmf" | "user.turn" | "human_agent.turn" | "agent.reply" | "interrupted" | "user.online_check" | "tool.call" | "tool.result" | "kb.search" | "fallback.used" | "capacity.fallback" | "capacity.exceeded" | "error" | "guardrail.violation")[];
    /** left out: stays */
    active?: boolean;
};
export type KnowledgeBase = {
    /** 32 hex characters */
    id: string;
    /** 1 to 120 characters */
    name: string;
    /** at most 500 characters; may be empty */
    description: string;
    /** of its sources together */
    status: "empty" | "processing" | "ready" | "failed";
    /** texts, pages and files in it */
    source_count: number;
    /** of all sources, after processing */
    characters: number;
    /** small enough to be put whole into the prompt when knowledge_mode is `auto` */
    inline: boolean;
    /** agents that use it */
    agent_ids: string[];
    /** a name */
    created_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** ISO 8601 with the offset of the zone asked for */
    updated_at: string;
};
export type CreateKnowledgeBaseBody = {
    /** for display */
    name: string;
    /** for people; agents do not read it */
    description?: string;
};
export type KnowledgeSource = {
    /** 32 hex characters */
    id: string;
    /** how it came */
    kind: "file" | "url" | "text";
    /** file name, page title or given name */
    name: string;
    /** queued and processing become ready or failed */
    status: "queued" | "processing" | "ready" | "failed";
    /** why it failed */
    error: string;
    /** of a page; otherwise empty */
    url: string;
    /** as it was uploaded; otherwise empty */
    file_name: string;
    /** of what was given */
    size_bytes: number;
    /** after processing */
    characters: number;
    /** after processing */
    passages: number;
    /** a name */
    created_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** ISO 8601 with the offset of the zone asked for */
    updated_at: string;
};
export type KnowledgeBaseWithSources = {
    /** 32 hex characters */
    id: string;
    /** 1 to 120 characters */
    name: string;
    /** at most 500 characters; may be empty */
    description: string;
    /** of its sources together */
    status: "empty" | "processing" | "ready" | "failed";
    /** texts, pages and files in it */
    source_count: number;
    /** of all sources, after processing */
    characters: number;
    /** small enough to be put whole into the prompt when knowledge_mode is `auto` */
    inline: boolean;
    /** agents that use it */
    agent_ids: string[];
    /** a name */
    created_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** ISO 8601 with the offset of the zone asked for */
    updated_at: string;
    /** newest first */
    sources: KnowledgeSource[];
};
export type UpdateKnowledgeBaseBody = {
    /** for display */
    name?: string;
    /** for people; agents do not read it */
    description?: string;
};
export type AddKnowledgeTextBody = {
    /** for display */
    name: string;
    /** plain text */
    text: string;
};
export type AddKnowledgeUrlBody = {
    /** https or http on the public internet; at most 5 MB, 3 redirects */
    url: string;
    /** for display; the page title when left out */
    name?: string;
    /** above 1: links to pages of the same host are followed, nearest first, up to this number of pages */
    max_pages?: number;
};
export type SearchKnowledgeBaseBody = {
    /** a question or words */
    query: string;
    /** passages at most */
    limit?: number;
};
export type KnowledgeSearch = {
    /** best first */
    items: {
        /** where the passage is from */
        source_id: string;
        /** as the source is called */
        source_name: string;
        /** the passage itself */
        text: string;
        /** 0 to 1 */
        score: number;
        /** holds words of the query */
        keyword_match: boolean;
    }[];
    /** 0 without a provider of embeddings */
    embed_ms: number;
    /** time the search took */
    search_ms: number;
};
export type WorkspaceProfile = {
    /** empty until it was filled in */
    company_name: string;
    /** empty until it was filled in */
    website: string;
    /** empty until it was filled in */
    industry: string;
    /** empty until it was filled in */
    use_case: string;
    /** empty until it was filled in */
    team_size: string;
    /** empty until it was filled in */
    monthly_calls: string;
    /** empty until it was filled in */
    phone: string;
    /** empty until it was filled in */
    country: string;
};
export type WorkspaceSecurity = {
    /** off: only people make and rotate API keys; on: keys without limits and connected apps as well */
    keys_may_make_keys: boolean;
    /** keys, members, invites, exports and these settings: the password or second factor of the last 15 minutes */
    confirm_password: boolean;
};
export type Workspace = {
    /** 32 hex characters */
    id: string;
    /** 1 to 120 characters */
    name: string;
    /** onboarding until the business details are approved; only an active one may place calls */
    state: "onboarding" | "active" | "suspended" | "closed";
    /** where the business details stand */
    kyc_status: "not_submitted" | "submitted" | "approved" | "rejected";
    /** what credits and prices are counted in */
    currency: "INR" | "USD";
    /** IANA name */
    timezone: string;
    /** as in the list of plans */
    plan_id: string;
    /** for display */
    plan_name: string;
    /** who gets an email when something needs attention; unless set, the owner */
    alert_emails: string[];
    /** what the workspace entered about its business */
    profile: WorkspaceProfile;
    /** which lines are logged */
    system_logs: {
        /** off: nothing is written */
        enabled: boolean;
        /** the lowest that is logged */
        level: "info" | "warning" | "error";
    };
    /** what asks for more than the permission of a role */
    security: WorkspaceSecurity;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
};
export type UpdateWorkspaceBody = {
    /** left out: stays */
    name?: string;
    /** IANA name; left out: stays */
    timezone?: string;
    /** an empty list: the owner */
    alert_emails?: string[];
};
export type UpdateWorkspaceProfileBody = {
    /** left out: stays; empty: forgotten */
    company_name?: string;
    /** left out: stays; empty: forgotten */
    website?: string;
    /** left out: stays; empty: forgotten */
    industry?: string;
    /** left out: stays; empty: forgotten */
    use_case?: string;
    /** left out: stays; empty: forgotten */
    team_size?: string;
    /** left out: stays; empty: forgotten */
    monthly_calls?: string;
    /** left out: stays; empty: forgotten */
    phone?: string;
    /** left out: stays; empty: forgotten */
    country?: string;
};
export type UpdateSystemLogsBody = {
    /** left out: stays */
    enabled?: boolean;
    /** the lowest that is logged; left out: stays */
    level?: "info" | "warning" | "error";
};
export type UpdateWorkspaceSecurityBody = {
    /** off: only people make and rotate API keys; on: keys without limits and connected apps as well */
    keys_may_make_keys?: boolean;
    /** keys, members, invites, exports and these settings: the password or second factor of the last 15 minutes */
    confirm_password?: boolean;
};
export type LimitRequest = {
    /** 32 hex characters */
    id: string;
    /** live calls */
    requested_limit: number;
    /** why more are needed, in its own words */
    reason: string;
    /** open until the service's team has decided */
    status: "open" | "approved" | "declined";
    /** the service's team's words; empty until it is decided */
    answer: string;
    /** a name */
    requested_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    decided_at: string | null;
};
export type Limits = {
    /** live calls at most, extra lines included */
    concurrency_limit: number;
    /** ringing or in progress */
    active_calls: number;
    /** waiting for their turn */
    queued_calls: number;
    /** the open request; null when there is none */
    pending_request: LimitRequest | null;
    /** live calls of the plan */
    plan_limit: number;
    /** bought besides */
    extra_lines: number;
    /** of each key and connected app */
    api_requests_per_minute: number;
    /** of the workspace */
    agents: {
        /** how many there are */
        used: number;
        /** how many there may be */
        limit: number;
    };
    /** limit null: as many as you like */
    members: {
        /** members and pending invites */
        used: number;
        /** null: no limit */
        limit: number | null;
    };
};
export type CreateLimitRequestBody = {
    /** above the present limit */
    requested_limit: number;
    /** why more are needed */
    reason: string;
};
export type Member = {
    /** the id of the person */
    user_id: string;
    /** of the person */
    name: string;
    /** what they sign in with */
    email: string;
    /** what they may do here */
    role: "owner" | "admin" | "developer" | "viewer";
    /** signs in with two steps */
    two_factor: boolean;
    /** the one who asks */
    you: boolean;
    /** ISO 8601 with the offset of the zone asked for */
    joined_at: string;
    last_seen_at: string | null;
};
export type UpdateMemberBody = {
    /** only owners make or unmake owners */
    role: "owner" | "admin" | "developer" | "viewer";
};
export type Invite = {
    /** 32 hex characters */
    id: string;
    /** whom it was sent to */
    email: string;
    /** of the member to be */
    role: "admin" | "developer" | "viewer";
    /** expired after 7 days */
    status: "pending" | "expired";
    /** a name */
    invited_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** ISO 8601 with the offset of the zone asked for */
    expires_at: string;
};
export type CreateInviteBody = {
    /** where the link is sent */
    email: string;
    /** owners are made, not invited */
    role: "admin" | "developer" | "viewer";
};
export type NewInvite = {
    /** 32 hex characters */
    id: string;
    /** whom it was sent to */
    email: string;
    /** of the member to be */
    role: "admin" | "developer" | "viewer";
    /** expired after 7 days */
    status: "pending" | "expired";
    /** a name */
    invited_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** ISO 8601 with the offset of the zone asked for */
    expires_at: string;
    /** also mailed; shown this once */
    link: string;
};
export type InviteInfo = {
    /** where one is invited to */
    workspace_name: string;
    /** whom it was sent to */
    email: string;
    /** of the member to be */
    role: "admin" | "developer" | "viewer";
    /** a name */
    invited_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    expires_at: string;
};
export type AcceptInviteBody = {
    /** of a new user */
    name?: string;
    /** of a new user; 10 to 200 characters */
    password?: string;
};
export type ApiKey = {
    /** 32 hex characters */
    id: string;
    /** the label it was given */
    name: string;
    /** its first 12 characters */
    prefix: string;
    /** a person, or the key that made it */
    created_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    last_used_at: string | null;
    /** the IP address it was used from then; empty before */
    last_used_address: string;
    /** what it may do; null: all that keys may */
    scopes: ("agents:read" | "agents:write" | "agent_tests:read" | "agent_tests:write" | "batches:read" | "batches:write" | "billing:read" | "calls:read" | "calls:write" | "catalog:read" | "keys:read" | "keys:write" | "knowledge_bases:read" | "knowledge_bases:write" | "numbers:read" | "observability:read" | "tools:read" | "tools:write" | "webhooks:read" | "webhooks:write" | "workspace:read" | "workspace:write")[] | null;
    expires_at: string | null;
    /** where it is accepted from; empty: anywhere */
    allowed_addresses: string[];
    /** the id of the key that was made when it was rotated */
    replaced_by: string | null;
};
export type CreateKeyBody = {
    /** a label */
    name: string;
    /** what it may do; left out: all that keys may */
    scopes?: ("agents:read" | "agents:write" | "agent_tests:read" | "agent_tests:write" | "batches:read" | "batches:write" | "billing:read" | "calls:read" | "calls:write" | "catalog:read" | "keys:read" | "keys:write" | "knowledge_bases:read" | "knowledge_bases:write" | "numbers:read" | "observability:read" | "tools:read" | "tools:write" | "webhooks:read" | "webhooks:write" | "workspace:read" | "workspace:write")[];
    /** when it stops working; left out: never */
    expires_at?: string;
    /** IP addresses and networks (CIDR) that it is accepted from; empty: any */
    allowed_addresses?: string[];
};
export type NewApiKey = {
    /** 32 hex characters */
    id: string;
    /** the label it was given */
    name: string;
    /** its first 12 characters */
    prefix: string;
    /** a person, or the key that made it */
    created_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    last_used_at: string | null;
    /** the IP address it was used from then; empty before */
    last_used_address: string;
    /** what it may do; null: all that keys may */
    scopes: ("agents:read" | "agents:write" | "agent_tests:read" | "agent_tests:write" | "batches:read" | "batches:write" | "billing:read" | "calls:read" | "calls:write" | "catalog:read" | "keys:read" | "keys:write" | "knowledge_bases:read" | "knowledge_bases:write" | "numbers:read" | "observability:read" | "tools:read" | "tools:write" | "webhooks:read" | "webhooks:write" | "workspace:read" | "workspace:write")[] | null;
    expires_at: string | null;
    /** where it is accepted from; empty: anywhere */
    allowed_addresses: string[];
    /** the id of the key that was made when it was rotated */
    replaced_by: string | null;
    /** the whole key; shown this once */
    key: string;
};
export type RotateKeyBody = {
    /** how long the present key goes on; 0: it stops at once */
    overlap_hours?: number;
};
export type SearchHit = {
    /** as in the paths of its group */
    id: string;
    /** for display */
    title: string;
    /** a second line; may be empty */
    subtitle: string;
    at: string | null;
};
export type SearchResult = {
    /** newest first, at most 5 */
    agents: SearchHit[];
    /** newest first, at most 5 */
    calls: SearchHit[];
    /** newest first, at most 5 */
    batches: SearchHit[];
    /** newest first, at most 5 */
    knowledge_bases: SearchHit[];
    /** newest first, at most 5 */
    numbers: SearchHit[];
};
export type Choice = {
    /** what is sent */
    id: string;
    /** what people read */
    name: string;
};
export type Masters = {
    /** choices of a form, in their order */
    business_types: Choice[];
    /** choices of a form, in their order */
    industries: Choice[];
    /** choices of a form, in their order */
    use_cases: Choice[];
    /** choices of a form, in their order */
    team_sizes: Choice[];
    /** choices of a form, in their order */
    document_kinds: Choice[];
    /** ISO 3166-1, two letters */
    countries: Choice[];
    /** ISO 639-1 */
    languages: Choice[];
    /** IANA names */
    timezones: Choice[];
    /** choices of a form, in their order */
    roles: Choice[];
};
export type State = {
    /** two letters, ISO 3166-2:IN */
    code: string;
    /** as it is written */
    name: string;
    /** the first two digits of a GSTIN */
    gst_code: string;
    /** all of them, by name */
    districts: string[];
};
export type Locations = {
    /** states and union territories, by name */
    states: State[];
};
export type PlaceCallBody = {
    /** whom to call, E.164 */
    to_number: string;
    /** one of the workspace's active numbers */
    from_number?: string;
    /** values of the variables in welcome message and prompt */
    user_data?: {
        [key: string]: string | number | boolean;
    };
    /** not called earlier; at most 7 days ahead */
    not_before?: string;
};
export type Call = {
    /** the id of the call */
    id: string;
    agent_id: string | null;
    /** as when the call was placed */
    agent_name: string;
    /** the agent's version the call was placed with */
    agent_version: number;
    batch_id: string | null;
    /** who called whom: `outbound` is placed by the service */
    direction: "outbound" | "inbound";
    /** `web`: from a browser, or over a client's stream */
    channel: "phone" | "web";
    /** moves forward only; live while `ringing` or `in-progress`; `ended` until analytics and transfers are over */
    status: "queued" | "ringing" | "in-progress" | "ended" | "completed" | "no-answer" | "busy" | "canceled" | "failed";
    /** E.164; empty where `channel` is `web` */
    from_number: string;
    /** E.164; empty where `channel` is `web` */
    to_number: string;
    /** values of the variables in welcome message and prompt */
    user_data: {
        [key: string]: string | number | boolean;
    };
    /** only while queued, 1 is next; 1001: a thousand or more are before it */
    queue_position: number | null;
    /** a person, the label of a key, `batch <name>`, or empty for inbound calls */
    started_by: string;
    /** the carrier; `stream` for a call over a client's stream, empty for browser calls */
    provider: string;
    /** when the call was placed or came in */
    created_at: string;
    not_before_at: string | null;
    placed_at: string | null;
    started_at: string | null;
    ended_at: string | null;
    completed_at: string | null;
    /** live time, rounded up; 0 before the end */
    duration_seconds: number;
    /** who ended it: `caller` (the person at the other end), `agent` (it said goodbye, heard nothing, met an answering machine, or transferred the call), `member` (somebody of the workspace, or a key or an app of it), `carrier` (it could not connect or carry the call, also busy and no-answer), `service` (a limit, credits, or a failure of its own); null while live */
    hangup_by: ("caller" | "agent" | "member" | "carrier" | "service") | null;
    /** why it ended, one of a closed list; empty while live */
    hangup_reason: string;
    /** null when not known */
    answered_by: ("human" | "machine") | null;
    /** of the post-call analytics; empty until analysed or when off */
    summary: string;
    /** a recording can be fetched */
    recorded: boolean;
    /** from the caller's last word to the agent's first audio, on average; null without a turn */
    avg_first_audio_ms: number | null;
    /** the last transfer to a person; null when there was none */
    transfer: {
        /** of the target */
        name: string;
        /** of the target, E.164 */
        "number": string;
        /** why, as the agent gave it */
        reason: string;
        /** `ringing`, or its outcome */
        status: string;
        /** when the transfer began */
        at: string;
    } | null;
    rescheduled_from: string | null;
    rescheduled_to: string | null;
    /** what was charged for it, in the smallest unit of `currency` */
    cost_paise: number;
    /** seconds paid from the plan's included minutes */
    plan_seconds_covered: number;
    /** what its post-call analytics cost, charged apart */
    analysis_cost_paise: number;
    /** `INR` or `USD` */
    currency: string;
    /** what was said, in order */
    transcript: {
        /** `user` is the caller, `human_agent` a person who spoke to the caller in a live call */
        role: "user" | "agent" | "human_agent";
        /** what was said; of the agent, what was played */
        text: string;
        /** when it was said: of the agent when it began, of people when it was over */
        at: string;
        /** the caller spoke over the rest of it */
        interrupted: boolean;
        /** the same in milliseconds from the answer, where the recording begins; null when it was never answered */
        offset_ms: number | null;
    }[];
    /** of the post-call analytics: one entry per extraction key, and the keys of the extraction prompt */
    extracted: {
        [key: string]: any;
    };
    /** what the call consumed; null when never connected */
    usage: {
        /** of the caller, and of people who spoke to them, that was transcribed */
        stt_seconds: number;
        /** of the agent that were played */
        tts_characters: number;
        /** read by the language model */
        llm_input_tokens: number;
        /** written by the language model */
        llm_output_tokens: number;
        /** requests to the language model */
        llm_calls: number;
    } | null;
    /** how `cost_paise` came about; empty until charged */
    cost_breakdown: {
        /** amounts by component */
        components?: {
            /** of this component */
            transcriber: number;
            /** of this component */
            llm: number;
            /** of this component */
            voice: number;
            /** of this component */
            telephony: number;
            /** of this component */
            platform: number;
        };
        /** what was used, by provider and model */
        lines?: {
            /** what it is a part of */
            component: "transcriber" | "llm" | "voice" | "telephony" | "platform";
            /** that served it */
            provider: string;
            /** that served it; `transfer` and `transfer-caller` for the legs of a transfer */
            model: string;
            /** of `unit` */
            quantity: number;
            /** what the rate is for */
            unit: "minute" | "1k_characters" | "1m_input_tokens" | "1m_output_tokens" | "1m_text_input_tokens" | "1m_text_output_tokens" | "1m_audio_input_tokens" | "1m_audio_output_tokens" | "1m_cached_text_input_tokens" | "1m_cached_audio_input_tokens";
            /** per unit */
            rate_paise: number;
            /** quantity × rate */
            amount_paise: number;
        }[];
        /** the sum of the lines, rounded up */
        usage_paise?: number;
        /** the least that a minute costs, by the plan */
        floor_per_minute_paise?: number;
        /** the least that the call costs, without what the plan covers */
        floor_paise?: number;
        /** the floor was charged */
        floor_applied?: boolean;
        /** what was charged */
        total_paise?: number;
        /** live time, rounded up */
        duration_seconds?: number;
        /** which floor applies */
        channel?: "phone" | "web";
        /** what the plan covered */
        plan_minutes?: {
            /** included minutes that a minute of the call takes */
            multiplier: number;
            /** seconds taken from the plan's included minutes */
            allowance_seconds_used: number;
        };
        /** `failed`: the call is free because the service ended it by a failure */
        waived?: "failed" | null;
        /** the cost without the waiver */
        waived_paise?: number;
        /** the exchange rate that prices in rupees were converted at; null: the workspace pays in rupees */
        paise_per_dollar?: number | null;
        [key: string]: any;
    };
};
export type CallSummary = {
    /** the id of the call */
    id: string;
    agent_id: string | null;
    /** as when the call was placed */
    agent_name: string;
    /** the agent's version the call was placed with */
    agent_version: number;
    batch_id: string | null;
    /** who called whom: `outbound` is placed by the service */
    direction: "outbound" | "inbound";
    /** `web`: from a browser, or over a client's stream */
    channel: "phone" | "web";
    /** moves forward only; live while `ringing` or `in-progress`; `ended` until analytics and transfers are over */
    status: "queued" | "ringing" | "in-progress" | "ended" | "completed" | "no-answer" | "busy" | "canceled" | "failed";
    /** E.164; empty where `channel` is `web` */
    from_number: string;
    /** E.164; empty where `channel` is `web` */
    to_number: string;
    /** values of the variables in welcome message and prompt */
    user_data: {
        [key: string]: string | number | boolean;
    };
    /** only while queued, 1 is next; 1001: a thousand or more are before it */
    queue_position: number | null;
    /** a person, the label of a key, `batch <name>`, or empty for inbound calls */
    started_by: string;
    /** the carrier; `stream` for a call over a client's stream, empty for browser calls */
    provider: string;
    /** when the call was placed or came in */
    created_at: string;
    not_before_at: string | null;
    placed_at: string | null;
    started_at: string | null;
    ended_at: string | null;
    completed_at: string | null;
    /** live time, rounded up; 0 before the end */
    duration_seconds: number;
    /** who ended it: `caller` (the person at the other end), `agent` (it said goodbye, heard nothing, met an answering machine, or transferred the call), `member` (somebody of the workspace, or a key or an app of it), `carrier` (it could not connect or carry the call, also busy and no-answer), `service` (a limit, credits, or a failure of its own); null while live */
    hangup_by: ("caller" | "agent" | "member" | "carrier" | "service") | null;
    /** why it ended, one of a closed list; empty while live */
    hangup_reason: string;
    /** null when not known */
    answered_by: ("human" | "machine") | null;
    /** of the post-call analytics; empty until analysed or when off */
    summary: string;
    /** a recording can be fetched */
    recorded: boolean;
    /** from the caller's last word to the agent's first audio, on average; null without a turn */
    avg_first_audio_ms: number | null;
    /** the last transfer to a person; null when there was none */
    transfer: {
        /** of the target */
        name: string;
        /** of the target, E.164 */
        "number": string;
        /** why, as the agent gave it */
        reason: string;
        /** `ringing`, or its outcome */
        status: string;
        /** when the transfer began */
        at: string;
    } | null;
    rescheduled_from: string | null;
    rescheduled_to: string | null;
    /** what was charged for it, in the smallest unit of `currency` */
    cost_paise: number;
    /** seconds paid from the plan's included minutes */
    plan_seconds_covered: number;
    /** what its post-call analytics cost, charged apart */
    analysis_cost_paise: number;
    /** `INR` or `USD` */
    currency: string;
};
export type ListCallsResult = {
    /** this page */
    items: CallSummary[];
    /** everything that matches the filters */
    total: number;
    /** there are about `total` or more: with `number`, `min_duration` or `q` that many calls match */
    total_is_estimate?: true;
};
export type TimelineItem = {
    /** `evt_` and 32 hex characters; the same in webhooks */
    id: string;
    /** its position on the timeline, from 1 without a gap */
    seq: number;
    /** what happened */
    "type": string;
    /** one line for a person; what was said, for events that carry speech */
    message: string;
    /** severity */
    level: "info" | "warning" | "error";
    /** for events that measure something */
    latency_ms: number | null;
    /** fields of this type of event */
    data: {
        [key: string]: any;
    };
    /** when it happened */
    created_at: string;
    /** the same in milliseconds from the answer, where the recording begins; null when it was never answered */
    offset_ms: number | null;
};
export type PauseCallRecordingResult = {
    /** whether the recording is paused now */
    paused: boolean;
};
export type SayInCallBody = {
    /** what the agent says to the caller */
    text: string;
    /** ends what the agent is saying now; else the text follows it. Never said over the caller */
    interrupt?: boolean;
};
export type LiveOrderDone = {
    /** the engine of the call has taken the order */
    done: true;
    /** how, in a line for people; mostly empty */
    detail: string;
};
export type InstructCallBody = {
    /** added to the agent's prompt from the next reply on */
    text: string;
};
export type SetCallVariablesBody = {
    /** replace or add to the variables of the call, from the next reply or tool on */
    values: {
        [key: string]: string | number | boolean;
    };
};
export type MuteCallBody = {
    /** who is muted */
    side: "agent" | "caller";
    /** false: heard again */
    muted: boolean;
    /** the mute ends by itself after this long; another order to mute starts the time again */
    max_seconds?: number;
};
export type SendCallDtmfBody = {
    /** keys to press: 0 to 9, `*` and `#`; heard by the caller as tones */
    digits: string;
};
export type TransferCallBody = {
    /** one of the agent's transfer targets, by its name */
    target?: string;
    /** or a number, E.164 */
    "number"?: string;
    /** why, for the summary that the person hears */
    reason?: string;
};
export type HandBackCallBody = {
    /** what the agent should know, in its prompt */
    note?: string;
};
export type TestAgentAnalyticsBody = {
    /** a connected call of the workspace */
    call_id: string;
    /** left out: the agent's own */
    analytics?: {
        /** write a summary of the call */
        summarize?: boolean;
        /** what to find out from the call */
        extractions?: {
            /** its name in `extracted` */
            key: string;
            /** display name */
            label?: string;
            /** what cannot be read as one is null; a date is `YYYY-MM-DD`, with `THH:MM` when the time was said */
            "type"?: "text" | "number" | "boolean" | "choice" | "date" | "list";
            /** what to look for in the call */
            description?: string;
            /** of a `choice` */
            choices?: {
                /** as it is saved */
                value: string;
                /** when this is the one */
                when?: string;
            }[];
        }[];
        /** its result is saved as JSON in `extracted` */
        extraction_prompt?: string;
    };
};
export type AnalyticsTest = {
    /** empty when it was not asked for */
    summary: string;
    /** one entry per extraction key, plus the keys of extraction_prompt's JSON */
    extracted: {
        [key: string]: any;
    };
    /** what this run was charged */
    cost_paise: number;
    /** of cost_paise */
    currency: "INR" | "USD";
};
export type ContactUpload = {
    /** for `upload_id` of a batch */
    id: string;
    /** as it was sent */
    file_name: string;
    /** the header */
    columns: string[];
    /** the column with the numbers */
    phone_column: string;
    /** rows that are not empty */
    total_rows: number;
    /** contacts of a batch made from it */
    valid_rows: number;
    /** numbers of an earlier row */
    duplicate_rows: number;
    /** rows that cannot be called */
    invalid_rows: number;
    /** the first 100 */
    errors: {
        /** as a spreadsheet counts: the header is row 1 */
        row: number;
        /** empty when it is the row as a whole */
        column: string;
        /** what is wrong */
        msg: string;
    }[];
    /** the first 5 rows by column */
    preview: {
        [key: string]: string;
    }[];
    /** when it was sent */
    created_at: string;
    /** deleted then, 24 hours later */
    expires_at: string;
};
export type CreateBatchBody = {
    /** who calls */
    agent_id: string;
    /** a file of contacts; or send `contacts` */
    upload_id?: string;
    /** a number that comes again is skipped */
    contacts?: {
        /** E.164 */
        to_number: string;
        /** values of the variables in welcome message and prompt */
        user_data?: {
            [key: string]: string | number | boolean;
        };
    }[];
    /** default `Batch of <date>` */
    name?: string;
    /** the workspace's active numbers to call from, used in turn */
    from_numbers?: string[];
    /** https; receives the lifecycle events of its calls */
    webhook_url?: string;
    /** starts then, at most 30 days ahead; at once when it is past */
    scheduled_at?: string;
    /** at most this many of its calls live */
    concurrency?: number | null;
    /** calls to one contact at most */
    max_attempts?: number;
    /** until a contact is called again */
    retry_after_minutes?: number;
    /** outcomes after which a contact is called again */
    retry_on?: ("no-answer" | "busy" | "failed" | "voicemail")[];
};
export type Batch = {
    /** the id of the batch */
    id: string;
    /** who calls */
    agent_id: string;
    /** as the agent was called when the batch was made */
    agent_name: string;
    /** shown as `batch <name>` in `started_by` of its calls */
    name: string;
    /** `completed` and `canceled` are final */
    status: "scheduled" | "running" | "paused" | "completed" | "canceled";
    /** caller numbers, used in turn; none: as for a single call */
    from_numbers: string[];
    /** receives the lifecycle events of its calls; empty for none */
    webhook_url: string;
    /** when it starts, or started; null: at once */
    scheduled_at: string | null;
    /** at most this many of its calls live; null: no limit of its own */
    concurrency: number | null;
    /** calls to one contact at most */
    max_attempts: number;
    /** from the end of a call to the next one to the same contact */
    retry_after_minutes: number;
    /** outcomes after which a contact is called again */
    retry_on: ("no-answer" | "busy" | "failed" | "voicemail")[];
    /** contacts */
    total: number;
    /** how many contacts are in each status */
    counts: {
        /** contacts in this status */
        pending: number;
        /** contacts in this status */
        queued: number;
        /** contacts in this status */
        "in-progress": number;
        /** contacts in this status */
        retrying: number;
        /** contacts in this status */
        completed: number;
        /** contacts in this status */
        "no-answer": number;
        /** contacts in this status */
        busy: number;
        /** contacts in this status */
        failed: number;
        /** contacts in this status */
        voicemail: number;
        /** contacts in this status */
        canceled: number;
        /** contacts in this status */
        skipped: number;
    };
    /** percent of contacts in a final status, rounded down */
    progress: number;
    /** why it is paused: `by <person>`, `out of credits`, `too many failures`, `no caller number`, or empty */
    paused_reason: string;
    /** its calls so far, without their analyses */
    cost_paise: number;
    /** of cost_paise */
    currency: string;
    /** a person, or the label of a key */
    created_by: string;
    /** when it was made */
    created_at: string;
    /** when it began to call */
    started_at: string | null;
    /** when it was completed or canceled */
    completed_at: string | null;
};
export type ListBatchesResult = {
    /** this page */
    items: Batch[];
    /** everything that matches the filters */
    total: number;
};
export type UpdateBatchBody = {
    /** shown as `batch <name>` in `started_by` of its calls */
    name?: string;
    /** empty for none */
    webhook_url?: string;
    /** at most this many of its calls live */
    concurrency?: number | null;
};
export type BatchContact = {
    /** the id of the contact */
    id: string;
    /** as in the file, whose header is row 1; from 1 in a list */
    row: number;
    /** E.164 */
    to_number: string;
    /** values of the variables in welcome message and prompt */
    user_data: {
        [key: string]: string | number | boolean;
    };
    /** where it stands */
    status: "pending" | "queued" | "in-progress" | "retrying" | "completed" | "no-answer" | "busy" | "failed" | "voicemail" | "canceled" | "skipped";
    /** calls placed; what expired in the queue is not counted */
    attempts: number;
    /** while `retrying`: not called again before */
    next_attempt_at: string | null;
    /** the last call */
    call_id: string | null;
    /** of the last call */
    duration_seconds: number;
    /** of the last call, or why the contact was skipped */
    hangup_reason: string;
    /** of all its calls */
    cost_paise: number;
    /** when it last changed */
    updated_at: string;
};
export type ListBatchContactsResult = {
    /** this page */
    items: BatchContact[];
    /** everything that matches the filters */
    total: number;
};
export type TestScenario = {
    /** 32 hex characters */
    id: string;
    /** the agent that is tested */
    agent_id: string;
    /** for display */
    name: string;
    /** who the caller is and what they want */
    persona: string;
    /** what the caller says first; empty: the caller waits */
    first_message: string;
    /** values of the variables in welcome message and prompt */
    user_data: {
        [key: string]: string | number | boolean;
    };
    /** what must be true of the conversation; the run passes when all are */
    criteria: string[];
    /** the conversation ends after so many turns of the caller */
    max_turns: number;
    /** language the caller speaks, a tag such as `hi` or `en-IN`; empty: the agent's */
    language: string;
    /** tool name → text the model receives; a tool without an entry answers `ok`, and no request is sent. With an entry for `transfer_call` the caller comes back to the agent with this text */
    tool_results: {
        [key: string]: string;
    };
    /** the run that was queued last; null while there is none */
    last_run: {
        /** the id of the run */
        id: string;
        /** `passed`, `failed` and `error` are final */
        status: "queued" | "running" | "passed" | "failed" | "error";
        finished_at: string | null;
    } | null;
    /** a person or the label of a key */
    created_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** ISO 8601 with the offset of the zone asked for */
    updated_at: string;
};
export type TestScenarioConfiguration = {
    /** for display */
    name: string;
    /** who the caller is and what they want */
    persona: string;
    /** what the caller says first; empty: the caller waits */
    first_message?: string;
    /** values of the variables in welcome message and prompt */
    user_data?: {
        [key: string]: string | number | boolean;
    };
    /** what must be true of the conversation; the run passes when all are */
    criteria: string[];
    /** the conversation ends after so many turns of the caller */
    max_turns?: number;
    /** language the caller speaks, a tag such as `hi` or `en-IN`; empty: the agent's */
    language?: string;
    /** tool name → text the model receives; a tool without an entry answers `ok`, and no request is sent. With an entry for `transfer_call` the caller comes back to the agent with this text */
    tool_results?: {
        [key: string]: string;
    };
};
export type RunAllTestsBody = {
    /** `voice`: a synthesized caller speaks with the agent on a simulated line */
    mode?: "text" | "voice";
    /** behind the caller, some 20 dB below their voice; for `voice` only */
    background_noise?: "none" | "office" | "call_centre" | "cafe" | "street";
    /** how many replies the caller talks over, the first that last long enough; for `voice` only */
    interruptions?: number;
};
export type TestRunVoice = {
    /** as it was asked for */
    background_noise: string;
    /** of the call */
    duration_seconds: number;
    /** median from the end of the caller's speech to the first audio of the reply, in milliseconds; null where there is none */
    first_audio_p50_ms: number | null;
    /** the same, 95th percentile, in milliseconds; null where there is none */
    first_audio_p95_ms: number | null;
    /** replies that the caller talked over */
    interruptions: number;
    /** replies that the agent broke off */
    replies_interrupted: number;
    /** median from the beginning of the caller's interruption to the agent's silence, in milliseconds; null where there is none */
    stopped_after_p50_ms: number | null;
    /** the same, the longest, in milliseconds; null where there is none */
    stopped_after_max_ms: number | null;
    /** for how long both spoke at once, interruptions included */
    talk_over_ms: number;
    /** audio given to the agent's transcriber */
    stt_seconds: number;
    /** synthesized for the agent and the caller */
    tts_characters: number;
};
export type TestRun = {
    /** 32 hex characters */
    id: string;
    /** the scenario, which may be removed since */
    scenario_id: string;
    /** the agent that is tested */
    agent_id: string;
    /** as when the run was queued */
    scenario_name: string;
    /** the agent's saved version that is tested */
    agent_version: number;
    /** `queued`, then `running`, then `passed`, `failed` or `error` */
    status: "queued" | "running" | "passed" | "failed" | "error";
    /** what was said and done, in order; empty before the end */
    transcript: ({
        /** `user` is the simulated caller */
        role: "user" | "agent";
        /** what was said */
        text: string;
        /** when it was said */
        at: string;
        /** the agent was talked over, and the text is what was played; always false in text */
        interrupted: boolean;
        /** of the caller, aloud: what the agent's transcriber wrote; empty where it wrote nothing */
        transcribed?: string;
    } | {
        /** a tool that the agent called */
        role: "tool";
        /** of the tool */
        name: string;
        /** as the model wrote them */
        args: {
            [key: string]: any;
        };
        /** what the model received; empty for `end_call` */
        result: string;
        /** when it was called */
        at: string;
    })[];
    /** as it was asked for */
    mode: "text" | "voice";
    /** what was measured aloud; null in text, before the end and after an error */
    voice: TestRunVoice | null;
    /** path of the recording, for a year: stereo WAV, caller left, agent right; null where there is none */
    recording_url: string | null;
    /** as the judge decided them; empty before the end and after an error */
    criteria: {
        /** the criterion */
        text: string;
        /** whether it was met */
        passed: boolean;
        /** why, in one sentence */
        reason: string;
        /** words of the transcript that decide it; empty where none can */
        quote: string;
    }[];
    /** why there is no result; empty unless the status is `error` */
    error: string;
    /** what it took */
    usage: {
        /** of the agent, the caller and the judge together */
        llm_input_tokens: number;
        /** of the agent, the caller and the judge together */
        llm_output_tokens: number;
        /** requests to language models */
        llm_calls: number;
    };
    /** charged at the end; 0 after an error */
    cost_paise: number;
    /** the billing currency of the workspace */
    currency: "INR" | "USD";
    /** a person or the label of a key */
    started_by: string;
    /** when it was asked for */
    queued_at: string;
    started_at: string | null;
    finished_at: string | null;
};
export type RunAllTestsResult = {
    /** one per scenario, the newest scenario first */
    runs: TestRun[];
};
export type SuggestTestScenariosBody = {
    /** how many; fewer come when the model writes some that cannot be saved */
    count?: number;
    /** what they are to be about */
    focus?: string;
};
export type TestScenarioDraft = {
    /** for display */
    name: string;
    /** who the caller is and what they want */
    persona: string;
    /** what the caller says first; empty: the caller waits */
    first_message: string;
    /** values of the variables in welcome message and prompt */
    user_data: {
        [key: string]: string | number | boolean;
    };
    /** what must be true of the conversation; the run passes when all are */
    criteria: string[];
    /** the conversation ends after so many turns of the caller */
    max_turns: number;
    /** language the caller speaks, a tag such as `hi` or `en-IN`; empty: the agent's */
    language: string;
    /** tool name → text the model receives; a tool without an entry answers `ok`, and no request is sent. With an entry for `transfer_call` the caller comes back to the agent with this text */
    tool_results: {
        [key: string]: string;
    };
};
export type SuggestedTestScenarios = {
    /** as they can be saved */
    items: TestScenarioDraft[];
    /** what it cost, taken from the credits */
    cost_paise: number;
    /** the billing currency of the workspace */
    currency: "INR" | "USD";
};
export type WorkspaceExport = {
    /** 32 hex characters */
    id: string;
    /** it can be downloaded when it is ready; one that failed is started again by a new one */
    status: "queued" | "running" | "ready" | "failed";
    /** whether it has the recordings of calls */
    recordings: boolean;
    /** rows in it so far */
    records: number;
    /** recordings in it so far */
    recording_count: number;
    /** of the archive; 0 until it is ready */
    size_bytes: number;
    /** name of who started it */
    created_by: string;
    /** when it was started */
    created_at: string;
    /** when it was ready or failed */
    finished_at: string | null;
    /** when it is removed, seven days after it was ready */
    expires_at: string | null;
};
export type CreateExportBody = {
    /** the recordings of calls as well */
    recordings?: boolean;
};
export type EraseCallsBody = {
    /** of the person, E.164 */
    "number": string;
};
export type CallErasure = {
    /** with the person; deleted within minutes */
    calls: number;
    /** of these, those that are queued or go on: deleted when they are over */
    going_on: number;
    /** archives of the workspace, which had the calls */
    exports_removed: number;
};
export type Balance = {
    /** paid and free credits together; below 0: a debt */
    credits_paise: number;
    /** the plan's price of a minute */
    price_per_minute_paise: number;
    /** what the credits pay for at the plan's price; included minutes not counted */
    minutes_left: number;
    /** fewer than 10 minutes are left */
    low_balance: boolean;
    /** the billing currency of the workspace */
    currency: "INR" | "USD";
    /** of the present plan */
    plan_name: string;
    /** of the present plan */
    plan_id: string;
    /** a bonus that waits for the next top-up */
    pending_bonus: {
        /** of the coupon */
        code: string;
        /** of the next top-up, as extra credits */
        percent: number;
        /** limit of the bonus; null: none */
        max_paise: number | null;
        /** smallest top-up that gets it, before GST */
        min_topup_paise: number;
        /** when the code was redeemed */
        redeemed_at: string;
    } | null;
    /** included seconds that are left in this cycle */
    plan_minutes_left_seconds: number;
    /** included seconds of the whole cycle */
    plan_minutes_total_seconds: number;
    /** null: the plan has neither a fee nor included minutes */
    plan_minutes_cycle_end: string | null;
};
export type LedgerItem = {
    /** 32 hex characters */
    id: string;
    /** when the credits moved */
    at: string;
    /** why they moved */
    kind: "grant" | "coupon" | "topup" | "call" | "plan" | "number" | "caller_id" | "lines" | "composer" | "test" | "conversion" | "adjustment";
    /** negative: a charge; 0: included minutes paid for all of it */
    amount_paise: number;
    /** the credits after it */
    balance_after_paise: number;
    /** what it was for */
    note: string;
    /** the call it was for */
    call_id: string | null;
    /** the payment it came with */
    payment_id: string | null;
    /** who caused it; empty: the service */
    by_name: string;
    /** the billing currency of the workspace */
    currency: "INR" | "USD";
    /** `free`: it moved only free credits */
    funded: "paid" | "free";
    /** the part of it that moved paid credits */
    paid_paise: number;
    /** the part of it that moved free credits */
    free_paise: number;
};
export type ListLedgerResult = {
    /** this page */
    items: LedgerItem[];
    /** everything that matches the filters */
    total: number;
    /** there are more than `total`; only 10000 are counted */
    total_is_estimate?: true;
};
export type Usage = {
    /** `YYYY-MM`, in the zone asked for */
    month: string;
    /** talked on connected calls, with two decimals; waived calls are left out */
    total_minutes: number;
    /** connected calls that ended in the month; waived ones are left out */
    total_calls: number;
    /** credits spent on calls, prompts and tests; fees are in the ledger only */
    spent_paise: number;
    /** every day of the month that has begun, oldest first */
    daily: {
        /** `YYYY-MM-DD` */
        day: string;
        /** connected calls that ended on this day */
        calls: number;
        /** talked on them */
        minutes: number;
        /** credits spent on this day */
        spent_paise: number;
    }[];
    /** the month the workspace was made in */
    first_month: string;
    /** the billing currency of the workspace */
    currency: "INR" | "USD";
};
export type Plan = {
    /** for switching to it */
    id: string;
    /** for people */
    name: string;
    /** a name or an address of a picture; may be empty */
    icon: string;
    /** minimum price of a minute on the phone; a price agreed with the workspace holds on every plan */
    price_per_minute_paise: number;
    /** in a browser; null: as on the phone */
    browser_price_per_minute_paise: number | null;
    /** for 30 days; 0: none */
    monthly_fee_paise: number;
    /** of every 30 days that are paid */
    included_minutes: number;
    /** phone numbers without a fee */
    included_numbers: number;
    /** a shown caller id has no fee */
    includes_caller_verification: boolean;
    /** live calls */
    concurrency_limit: number;
    /** null: no limit */
    member_limit: number | null;
    /** agreed with each workspace */
    custom: boolean;
    /** the workspace is on it */
    current: boolean;
    /** it can be switched to now */
    can_switch: boolean;
    /** the billing currency of the workspace */
    currency: "INR" | "USD";
};
export type OwnPlan = {
    /** for switching to it */
    id: string;
    /** for people */
    name: string;
    /** a name or an address of a picture; may be empty */
    icon: string;
    /** minimum price of a minute on the phone; a price agreed with the workspace holds on every plan */
    price_per_minute_paise: number;
    /** in a browser; null: as on the phone */
    browser_price_per_minute_paise: number | null;
    /** for 30 days; 0: none */
    monthly_fee_paise: number;
    /** of every 30 days that are paid */
    included_minutes: number;
    /** phone numbers without a fee */
    included_numbers: number;
    /** a shown caller id has no fee */
    includes_caller_verification: boolean;
    /** live calls */
    concurrency_limit: number;
    /** null: no limit */
    member_limit: number | null;
    /** agreed with each workspace */
    custom: boolean;
    /** the workspace is on it */
    current: boolean;
    /** it can be switched to now */
    can_switch: boolean;
    /** the billing currency of the workspace */
    currency: "INR" | "USD";
    /** null: nothing is paid */
    plan_paid_until: string | null;
    /** the fee at the end of the cycle; 0: none */
    next_charge_paise: number;
    /** null: it was taken */
    plan_past_due_since: string | null;
    /** included seconds that are left in this cycle */
    plan_minutes_left_seconds: number;
    /** included seconds of the whole cycle */
    plan_minutes_total_seconds: number;
    /** null: the plan has neither a fee nor included minutes */
    plan_minutes_cycle_end: string | null;
};
export type SwitchPlanBody = {
    /** one whose `can_switch` is true */
    plan_id: string;
};
export type CreditPack = {
    /** for buying it */
    id: string;
    /** for people */
    name: string;
    /** credits bought, and what they cost before tax */
    amount_paise: number;
    /** free credits on top */
    bonus_paise: number;
    /** the billing currency of the workspace */
    currency: "INR" | "USD";
    /** the most popular one */
    popular: boolean;
};
export type CallLines = {
    /** lines beyond the limit of the plan */
    extra_lines: number;
    /** of one line for 30 days */
    price_per_line_paise: number;
    /** null: nothing is paid */
    lines_paid_until: string | null;
    /** of all lines at the end of the cycle */
    next_charge_paise: number;
    /** null: they were paid */
    lines_past_due_since: string | null;
    /** live calls, these lines included */
    concurrency_limit: number;
    /** lines that can still be bought */
    can_add: number;
    /** the billing currency of the workspace */
    currency: "INR" | "USD";
};
export type BuyCallLinesBody = {
    /** lines */
    quantity: number;
};
export type RedeemCouponBody = {
    /** upper or lower case */
    code: string;
};
export type RedeemedCoupon = {
    /** credits at once, or more of them with the next top-up */
    kind: "credit" | "topup_bonus";
    /** of a credit */
    amount_paise: number | null;
    /** of a bonus */
    percent: number | null;
    /** of a credit: the credits with it */
    credits_paise: number | null;
    /** a bonus that waits for the next top-up */
    pending_bonus: {
        /** of the coupon */
        code: string;
        /** of the next top-up, as extra credits */
        percent: number;
        /** limit of the bonus; null: none */
        max_paise: number | null;
        /** smallest top-up that gets it, before GST */
        min_topup_paise: number;
        /** when the code was redeemed */
        redeemed_at: string;
    } | null;
    /** the billing currency of the workspace */
    currency: "INR" | "USD";
};
export type Invoice = {
    /** 32 hex characters */
    id: string;
    /** `2026-27/000123`, without gaps in a financial year of India */
    "number": string;
    /** what was bought */
    kind: "topup" | "plan" | "lines" | "number" | "caller_id";
    /** what was bought, in words */
    description: string;
    /** before tax */
    amount_paise: number;
    /** all tax lines together */
    tax_paise: number;
    /** amount and tax */
    total_paise: number;
    /** empty for exports, and where credits paid: their tax was charged when they were bought */
    tax_lines: {
        /** the tax */
        name: "CGST" | "SGST" | "IGST";
        /** of the amount */
        rate_percent: number;
        /** the tax itself */
        amount_paise: number;
    }[];
    /** of all amounts */
    currency: "INR" | "USD";
    /** a payment, or the credits of the workspace */
    paid_from: "gateway" | "credits";
    /** the payment it is for */
    payment_id: string | null;
    /** as it was when the invoice was issued */
    buyer: {
        /** as in the business details, else the name of the workspace */
        name: string;
        /** lines; may be empty */
        address: string;
        /** empty: not registered for GST */
        gstin: string;
        /** in India its name */
        state: string;
    };
    /** empty unless it is an export of services, without GST */
    export_note: string;
    /** what of it was given back, oldest first */
    credit_notes: {
        /** its PDF is read like that of an invoice */
        id: string;
        /** `CN/26-27/000004`, without gaps in a financial year */
        "number": string;
        /** why it was issued */
        reason: string;
        /** what was given back, tax included */
        total_paise: number;
        /** when it was issued */
        issued_at: string;
    }[];
    /** when it was issued */
    issued_at: string;
};
export type KycDocument = {
    /** 32 hex characters */
    id: string;
    /** what paper it is */
    kind: "registration" | "tax" | "identity" | "address" | "authorization" | "other";
    /** as it was uploaded */
    file_name: string;
    /** of the PDF that is stored */
    size_bytes: number;
    /** a name */
    uploaded_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    uploaded_at: string;
};
export type Kyc = {
    /** rejected details can be changed and submitted again */
    status: "not_submitted" | "submitted" | "approved" | "rejected";
    /** as registered */
    legal_name: string;
    /** empty until it is chosen */
    business_type: string;
    /** ten characters; India */
    pan: string;
    /** 15 characters, holds the PAN; India */
    gstin: string;
    /** of companies in India */
    cin: string;
    /** outside India */
    tax_id: string;
    /** address of the business's pages */
    website: string;
    /** where the business is registered */
    address: {
        /** street and number */
        line1: string;
        /** further lines; may be empty */
        line2: string;
        /** town or city */
        city: string;
        /** in India its name or code */
        state: string;
        /** in India six digits */
        pincode: string;
        /** ISO 3166-1, two letters */
        country: string;
    };
    /** whom to ask */
    contact_name: string;
    /** of the person to ask */
    contact_email: string;
    /** of the person to ask */
    contact_phone: string;
    /** what the calls are for */
    use_case: string;
    /** what an agent would say */
    sample_script: string;
    /** newest first */
    documents: KycDocument[];
    submitted_at: string | null;
    decided_at: string | null;
    /** words of the service's team; empty unless rejected */
    rejection_reason: string;
};
export type ReplaceKycBody = {
    /** as registered; 2 to 200 characters */
    legal_name?: string;
    /** empty until it is chosen */
    business_type?: "proprietorship" | "partnership" | "llp" | "private_limited" | "public_limited" | "trust" | "individual" | "foreign" | "";
    /** ten characters, such as ABCDE1234F; India */
    pan?: string;
    /** holds the PAN; its check character must be right */
    gstin?: string;
    /** of companies in India */
    cin?: string;
    /** outside India */
    tax_id?: string;
    /** address of the business's pages */
    website?: string;
    /** where the business is registered */
    address?: {
        /** street and number */
        line1?: string;
        /** further lines; may be empty */
        line2?: string;
        /** town or city */
        city?: string;
        /** in India: the name or the code of a state of `/locations/india` */
        state?: string;
        /** in India six digits */
        pincode?: string;
        /** ISO 3166-1, two letters */
        country?: string;
    };
    /** whom to ask */
    contact_name?: string;
    /** of the person to ask */
    contact_email?: string;
    /** of the person to ask */
    contact_phone?: string;
    /** what the calls are for */
    use_case?: string;
    /** what an agent would say */
    sample_script?: string;
};
export type CallerIdRequest = {
    /** 32 hex characters */
    id: string;
    /** E.164; own numbers that show the name */
    numbers: string[];
    /** what the called person reads; at most 32 characters */
    display_name: string;
    /** shown beside the name; at most 200 characters */
    call_reason: string;
    /** always true: a request needs one */
    has_logo: boolean;
    /** where it stands */
    status: "submitted" | "in_review" | "active" | "rejected" | "withdrawn" | "removed";
    /** words of the service's team; empty unless rejected */
    rejection_reason: string;
    /** for 30 days; 0 when the plan includes it */
    fee_paise: number;
    /** of the fee */
    currency: string;
    /** null: nothing is paid for it */
    paid_until: string | null;
    /** a name */
    created_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    decided_at: string | null;
};
export type CreateCallerIdRequestBody = {
    /** E.164, active numbers of the workspace; the part may be repeated */
    numbers: string[];
    /** what the called person reads */
    display_name: string;
    /** shown beside the name */
    call_reason: string;
    /** PNG or JPG, at most 1 MB */
    logo: Blob;
};
export type GuardrailRule = {
    /** 32 hex characters */
    id: string;
    /** for display */
    name: string;
    /** what an agent must not do */
    description: string;
    /** kind of rule */
    category: "abuse" | "fraud" | "privacy" | "regulated_advice" | "impersonation" | "other";
    /** a warning never counts as a strike */
    severity: "violation" | "warning";
    /** the agent is frozen on that many violations within 30 days; 0: never */
    strikes: number;
    /** whether calls are checked against it */
    enabled: boolean;
    /** ISO 8601 with the offset of the zone asked for */
    updated_at: string;
};
export type GuardrailSummary = {
    /** seen by nobody yet */
    open: number;
    /** seen, and not appealed */
    acknowledged: number;
    /** waiting for an answer */
    appealed: number;
    /** without those that were dismissed */
    violations_30_days: number;
    /** without those that were dismissed */
    warnings_30_days: number;
    /** stopped by an incident now */
    frozen_agents: number;
    /** within 30 days, the most broken rule first */
    by_rule: {
        /** the rule */
        rule_id: string;
        /** as it was called last */
        rule_name: string;
        /** incidents within 30 days */
        count: number;
    }[];
};
export type GuardrailIncident = {
    /** 32 hex characters */
    id: string;
    /** the rule that was broken */
    rule_id: string;
    /** as it was called then */
    rule_name: string;
    /** of the rule then */
    category: "abuse" | "fraud" | "privacy" | "regulated_advice" | "impersonation" | "other";
    /** of the rule then */
    severity: "violation" | "warning";
    /** who broke it */
    agent_id: string;
    /** as it was called then */
    agent_name: string;
    /** where it happened */
    call_id: string;
    /** what was said */
    quote: string;
    /** 0 to 1 */
    confidence: number;
    /** what followed at once */
    action: "notice" | "frozen" | "warning";
    /** running number within 30 days for the agent and the rule; 0 for warnings and when dismissed */
    strike: number;
    /** open until somebody of the workspace has seen it */
    status: "open" | "acknowledged" | "appealed" | "upheld" | "dismissed";
    /** words of the workspace; empty without an appeal */
    appeal_text: string;
    /** of the service's team to an appeal */
    answer: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    acknowledged_at: string | null;
    appealed_at: string | null;
    resolved_at: string | null;
    /** a name, or empty */
    acknowledged_by: string;
    /** a name, or empty */
    appealed_by: string;
};
export type AppealGuardrailIncidentBody = {
    /** why the incident is none */
    text: string;
};
export type Tool = {
    /** 32 hex characters */
    id: string;
    /** unique in the workspace; what the model and the timeline call it */
    name: string;
    /** when the model should use it */
    description: string;
    /** JSON Schema of the arguments */
    parameters: {
        [key: string]: any;
    };
    /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
    kind: "http" | "client";
    /** GET sends the arguments as query parameters, POST as JSON */
    method: "GET" | "POST";
    /** called by the service; no private addresses; needed by an HTTP tool */
    url: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers: {
        [key: string]: string;
    };
    /** said while the request runs */
    pre_call_message: string;
    /** the request is abandoned after this long */
    timeout_seconds: number;
    /** what becomes of a JSON response of status 2xx */
    results: {
        /** where in the JSON what the model gets is; empty: all */
        path: string;
        /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
        variables: {
            [key: string]: string;
        };
        /** said after a success, in place of an answer of the model; `{variables}` are filled in */
        message: string;
    };
    /** agents with a tool of this name and url */
    used_by_agents: number;
    /** a name */
    created_by: string;
    /** ISO 8601 with the offset of the zone asked for */
    created_at: string;
    /** ISO 8601 with the offset of the zone asked for */
    updated_at: string;
};
export type ToolConfiguration = {
    /** what the model and the timeline call it */
    name: string;
    /** when the model should use it */
    description: string;
    /** JSON Schema of the arguments */
    parameters?: {
        [key: string]: any;
    };
    /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
    kind?: "http" | "client";
    /** GET sends the arguments as query parameters, POST as JSON */
    method?: "GET" | "POST";
    /** called by the service; no private addresses; needed by an HTTP tool */
    url?: string;
    /** values are shown as `***` to callers who may not edit agents */
    headers?: {
        [key: string]: string;
    };
    /** said while the request runs */
    pre_call_message?: string;
    /** the request is abandoned after this long */
    timeout_seconds?: number;
    /** what becomes of a JSON response of status 2xx */
    results?: {
        /** where in the JSON what the model gets is; empty: all */
        path?: string;
        /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
        variables?: {
            [key: string]: string;
        };
        /** said after a success, in place of an answer of the model; `{variables}` are filled in */
        message?: string;
    };
};
export type TestToolBody = {
    /** the tool to test; left out: the saved one */
    tool?: {
        /** what the model and the timeline call it */
        name: string;
        /** when the model should use it */
        description: string;
        /** JSON Schema of the arguments */
        parameters?: {
            [key: string]: any;
        };
        /** client: run by the page of a browser call, or the client of a stream that offers it, which gets name and arguments; other calls do not have it */
        kind?: "http" | "client";
        /** GET sends the arguments as query parameters, POST as JSON */
        method?: "GET" | "POST";
        /** called by the service; no private addresses; needed by an HTTP tool */
        url?: string;
        /** values are shown as `***` to callers who may not edit agents */
        headers?: {
            [key: string]: string;
        };
        /** said while the request runs */
        pre_call_message?: string;
        /** the request is abandoned after this long */
        timeout_seconds?: number;
        /** what becomes of a JSON response of status 2xx */
        results?: {
            /** where in the JSON what the model gets is; empty: all */
            path?: string;
            /** variables of the call that take a value of the JSON: name to path, like `order.items[0].price` */
            variables?: {
                [key: string]: string;
            };
            /** said after a success, in place of an answer of the model; `{variables}` are filled in */
            message?: string;
        };
    };
    /** a saved tool; header values sent as `***` are taken from it */
    tool_id?: string;
    /** as the model would give them; checked against `parameters`; at most 100,000 characters of JSON */
    arguments?: {
        [key: string]: any;
    };
};
export type ToolTest = {
    /** HTTP status of the response; 0 when there was none */
    status: number;
    /** milliseconds from the request to the end of the response */
    latency_ms: number;
    /** what was sent */
    request: {
        /** as the tool says */
        method: "GET" | "POST";
        /** with the query, without user name and password */
        url: string;
        /** values of the tool's own headers are `***` */
        headers: {
            [key: string]: string;
        };
        /** the JSON that was sent; null for GET */
        body: string | null;
    };
    /** names in lower case; 100 at most, values cut to 1,000 characters; empty without a response */
    response_headers: {
        [key: string]: string;
    };
    /** what the model would receive, cut to 3,000 characters */
    result: string;
    /** what variables of the call would get of it */
    variables: {
        [key: string]: string | number | boolean;
    };
    /** why there was no response, like `timeout`; empty for a response of any status */
    error: string;
};
export type FindMcpToolsBody = {
    /** an agent's `mcp_servers[]` */
    server: {
        /** precedes the name of a tool where another tool has that name */
        name: string;
        /** called by the service; no private addresses */
        url: string;
        /** values are shown as `***` to callers who may not edit agents */
        headers?: {
            [key: string]: string;
        };
        /** names of the server's tools that the model may call; empty: all of them */
        tools?: string[];
        /** the request is abandoned after this long */
        timeout_seconds?: number;
    };
    /** header values sent as `***` are those of this agent's saved server of the same name */
    agent_id?: string;
};
export type McpToolList = {
    /** as the server calls itself; empty when it did not answer */
    server_name: string;
    /** revision of the protocol, such as `2025-11-25`; empty when it did not answer */
    protocol: string;
    /** milliseconds to connect and to list */
    latency_ms: number;
    /** what the server has */
    tools: {
        /** as the server calls it */
        name: string;
        /** as the model would call it; empty for a tool that it does not get */
        called: string;
        /** cut to 1,000 characters */
        description: string;
        /** JSON Schema of the arguments */
        parameters: {
            [key: string]: any;
        };
        /** why the model does not get it; empty when it does */
        problem: string;
    }[];
    /** why there is no list; empty when there is one */
    error: string;
};
export type PhoneNumber = {
    /** E.164; the number in paths, where the plus is `%2B` */
    "number": string;
    /** two letters; empty for numbers of no country */
    country: string;
    /** `series_140` and `series_160` are the Indian series of promotions and of banks */
    "type": "local" | "mobile" | "toll_free" | "series_140" | "series_160";
    /** its carrier */
    provider: "twilio" | "plivo" | "telnyx" | "exotel" | "vonage" | "asterisk";
    /** `past_due`: its renewal could not be paid */
    status: "active" | "past_due" | "released";
    /** who answers it; null: inbound calls are rejected */
    agent_id: string | null;
    /** the name of that agent, or empty */
    agent_name: string;
    /** covered by the plan's included numbers */
    included: boolean;
    /** for 30 days; 0 when included, or entered by the service */
    monthly_fee_paise: number;
    /** of the fee */
    currency: string;
    /** a caller-id request is active on it */
    caller_verification: boolean;
    /** a name; empty when the service entered it */
    bought_by: string;
    /** when it was bought or entered */
    bought_at: string;
    /** null when nothing is charged, or the fee is not paid */
    paid_until: string | null;
    /** null unless `past_due` */
    past_due_since: string | null;
};
export type BuyNumberBody = {
    /** as a search of the last hour found it, E.164 */
    "number": string;
};
export type AvailableNumber = {
    /** E.164; buy it within an hour, or search again */
    "number": string;
    /** two letters */
    country: string;
    /** as its carrier says */
    "type": "local" | "mobile" | "toll_free";
    /** its carrier */
    provider: "twilio" | "plivo" | "telnyx" | "exotel" | "vonage" | "asterisk";
    /** for 30 days; nothing while it is one of the plan's included numbers */
    monthly_fee_paise: number;
    /** once, when it is bought */
    setup_fee_paise: number;
    /** of both fees */
    currency: string;
};
export type ConnectNumberBody = {
    /** who answers inbound calls */
    agent_id: string;
};
export type StartTopUpBody = {
    /** a pack of `GET /billing/packs` */
    pack_id?: string;
    /** credits, before tax: 10000 to 50000000 in INR, 500 to 1000000 in USD */
    amount_paise?: number;
};
export type StartedPayment = {
    /** 32 hex characters */
    id: string;
    /** `expired`: not paid within 30 minutes; money that arrives later is credited all the same */
    status: "created" | "paid" | "failed" | "expired";
    /** credits bought, and their price before tax */
    amount_paise: number;
    /** free credits on top: of the pack, and once it is paid of a coupon */
    bonus_paise: number;
    /** GST */
    tax_paise: number;
    /** what is paid */
    total_paise: number;
    /** what went back of it by refunds and disputes */
    refunded_paise: number;
    /** what it is paid in */
    currency: "INR" | "USD";
    /** the pack that was bought; null: an amount */
    pack_id: string | null;
    /** how it was paid, in the words of the gateway, as `card` or `upi`; empty: not known */
    method: string;
    /** its invoice; null until it is paid */
    invoice_id: string | null;
    /** who began it */
    created_by: string;
    /** when it began */
    created_at: string;
    /** null: it has not */
    paid_at: string | null;
    /** why it failed, or why the last attempt did; empty: it did not */
    failure_reason: string;
    /** what a page needs to let somebody pay */
    gateway: {
        /** the payment gateway of the currency */
        name: "razorpay" | "stripe";
        /** the gateway's id of what is to be paid */
        order_id: string;
        /** names the account in the checkout; may be empty */
        public_key: string;
        /** the gateway's checkout script for the page; empty: there is none */
        script_url: string;
        /** the page to send the browser to instead; empty: the script opens the checkout */
        checkout_url: string;
    };
};
export type Payment = {
    /** 32 hex characters */
    id: string;
    /** `expired`: not paid within 30 minutes; money that arrives later is credited all the same */
    status: "created" | "paid" | "failed" | "expired";
    /** credits bought, and their price before tax */
    amount_paise: number;
    /** free credits on top: of the pack, and once it is paid of a coupon */
    bonus_paise: number;
    /** GST */
    tax_paise: number;
    /** what is paid */
    total_paise: number;
    /** what went back of it by refunds and disputes */
    refunded_paise: number;
    /** what it is paid in */
    currency: "INR" | "USD";
    /** the pack that was bought; null: an amount */
    pack_id: string | null;
    /** how it was paid, in the words of the gateway, as `card` or `upi`; empty: not known */
    method: string;
    /** its invoice; null until it is paid */
    invoice_id: string | null;
    /** who began it */
    created_by: string;
    /** when it began */
    created_at: string;
    /** null: it has not */
    paid_at: string | null;
    /** why it failed, or why the last attempt did; empty: it did not */
    failure_reason: string;
};
export type CompletePaymentBody = {
    /** what the checkout returned: Razorpay's payment id, Stripe's id of the checkout session */
    gateway_payment_id: string;
    /** what Razorpay signed; Stripe signs nothing */
    gateway_signature?: string;
};
export type StartWebCallBody = {
    /** values of the variables in welcome message and prompt */
    user_data?: {
        [key: string]: string | number | boolean;
    };
};
export type WebSession = {
    /** `wss://…/web/<token>`: the socket that a browser opens */
    url: string;
    /** the token alone; works once */
    token: string;
    /** as RTCPeerConnection takes them; empty when browsers reach the engine directly */
    ice_servers: {
        /** `stun:…` or `turn:…` */
        urls: string[];
        /** of a relay that requires one */
        username?: string;
        /** of a relay that requires one; expires after some hours */
        credential?: string;
    }[];
    /** the token is invalid after that, and once the call has ended, which it does after 30 seconds without audio */
    expires_at: string;
};
export type WebCall = {
    /** the call, `ringing` */
    call: Call;
    /** for the browser alone */
    session: WebSession;
};
export type StreamSession = {
    /** `wss://…/stream/<token>`: the socket that the client opens */
    url: string;
    /** the token alone; works once, and again within 5 seconds where the connection broke */
    token: string;
    /** the token is invalid after that, and once the call has ended, which it does after 30 seconds without a stream */
    expires_at: string;
};
export type StreamCall = {
    /** the call, `ringing` */
    call: Call;
    /** for the program that carries the audio alone */
    session: StreamSession;
};
export type TakeOverCallBody = {
    /** the agent goes on as well: a conference of three */
    keep_agent?: boolean;
};
export type UploadKnowledgeFileBody = {
    /** PDF, DOCX, TXT, MD, HTML or CSV, at most 20 MB */
    file: Blob;
};
export type UploadContactsBody = {
    /** CSV in UTF-8 with a header, at most 5 MB and 10000 rows */
    file: Blob;
    /** the column with the numbers; else phone, phone_number, to_number, number, mobile or contact_number */
    phone_column?: string;
    /** of numbers without a plus */
    country_code?: string;
};
export type UploadKycDocumentBody = {
    /** PDF, PNG or JPG, at most 10 MB; an image becomes a PDF */
    file: Blob;
    /** what paper it is */
    kind: "registration" | "tax" | "identity" | "address" | "authorization" | "other";
};
/**
 * Who changed what, newest first; deleted after 2 years
 */
export function getAuditEvents({ action, actorId, targetId, since, until, limit, skip, timezone }: {
    action?: string;
    actorId?: string;
    targetId?: string;
    since?: string;
    until?: string;
    limit?: number;
    skip?: number;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ListAuditEventsResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/audit-events${QS.query(QS.explode({
        action,
        actor_id: actorId,
        target_id: targetId,
        since,
        until,
        limit,
        skip,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * What the service did for the workspace, newest first; deleted after 14 days
 */
export function getLogs({ level, source, requestId, callId, q, since, until, limit, skip, timezone }: {
    level?: ("info" | "warning" | "error")[];
    source?: "api" | "call" | "webhook" | "batch" | "test" | "job";
    requestId?: string;
    callId?: string;
    q?: string;
    since?: string;
    until?: string;
    limit?: number;
    skip?: number;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ListLogsResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/logs${QS.query(QS.form({
        level
    }), QS.explode({
        source,
        request_id: requestId,
        call_id: callId,
        q,
        since,
        until,
        limit,
        skip,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Calls, answer rate, failures, latency and cost, by day or hour
 */
export function getObservabilitySummary({ since, until, agentId, bucket, timezone }: {
    since?: string;
    until?: string;
    agentId?: string;
    bucket?: "day" | "hour";
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallsSummary;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/observability/summary${QS.query(QS.explode({
        since,
        until,
        agent_id: agentId,
        bucket,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Calls ringing or in progress now, and the queue
 */
export function getObservabilityLive({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LiveCalls;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/observability/live${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * A new user with a new workspace; signs in
 */
export function postAuthSignup(signupInput: SignupInput, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: AuthResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/auth/signup${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: signupInput
    }));
}
/**
 * Sign in; with two-step sign-in on, the first step
 */
export function postAuthLogin(loginInput: LoginInput, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AuthResult | TwoFactorRequired;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/auth/login${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: loginInput
    }));
}
/**
 * The second step of signing in
 */
export function postAuthLogin2Fa(twoFactorLoginInput: TwoFactorLoginInput, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AuthResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/auth/login/2fa${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: twoFactorLoginInput
    }));
}
/**
 * Who this credential stands for, and what it may do
 */
export function getAuthMe({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Me;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/auth/me${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Sign out: this session ends
 */
export function postAuthLogout({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/auth/logout${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * The signed-in user
 */
export function getAccount({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Account;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Change name, zone or avatar
 */
export function patchAccount(updateAccountBody: UpdateAccountBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Account;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateAccountBody
    }));
}
/**
 * Delete the account; workspaces where nobody else is are closed
 */
export function deleteAccount(deleteAccountBody: DeleteAccountBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "DELETE",
        body: deleteAccountBody
    }));
}
/**
 * Ask for another email; it takes effect once the mailed link is followed
 */
export function postAccountEmail(changeEmailBody: ChangeEmailBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Account;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/email${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: changeEmailBody
    }));
}
/**
 * Change the password; other sessions end
 */
export function postAccountPassword(changePasswordBody: ChangePasswordBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/password${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: changePasswordBody
    }));
}
/**
 * Enter the password or a second factor again, or use a passkey, for what asks for it within 15 minutes
 */
export function postAccountConfirm(confirmAccountBody: ConfirmAccountBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ConfirmAccountResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/confirm${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: confirmAccountBody
    }));
}
/**
 * Where the user is signed in, the last 50
 */
export function getAccountSessions({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Session[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/sessions${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * End a session
 */
export function deleteAccountSessionsSessionId(sessionId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/sessions/${encodeURIComponent(sessionId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * End every session but this one
 */
export function postAccountSessionsRevokeOthers({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RevokeOtherSessionsResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/sessions/revoke-others${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Begin two-step sign-in: the secret for an authenticator app, valid for 15 minutes
 */
export function postAccount2FaSetup(deleteAccountBody: DeleteAccountBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SetUpTwoFactorResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/2fa/setup${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: deleteAccountBody
    }));
}
/**
 * Switch two-step sign-in on with a first code; the recovery codes are shown once
 */
export function postAccount2FaEnable(enableTwoFactorBody: EnableTwoFactorBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EnableTwoFactorResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/2fa/enable${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: enableTwoFactorBody
    }));
}
/**
 * Switch two-step sign-in off
 */
export function postAccount2FaDisable(disableTwoFactorBody: DisableTwoFactorBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/2fa/disable${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: disableTwoFactorBody
    }));
}
/**
 * The user's passkeys, oldest first
 */
export function getAccountPasskeys({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Passkey[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/passkeys${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Add a passkey; the first second factor switches two-step sign-in on and shows the recovery codes once
 */
export function postAccountPasskeys(createPasskeyBody: CreatePasskeyBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: PasskeyAdded;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/passkeys${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: createPasskeyBody
    }));
}
/**
 * Begin to add a passkey: what the browser makes it of
 */
export function postAccountPasskeysSetup({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PasskeySetup;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/passkeys/setup${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * What a passkey has to sign for `POST /account/confirm`
 */
export function postAccountPasskeysChallenge({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PasskeyChallenge;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/passkeys/challenge${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Rename a passkey
 */
export function patchAccountPasskeysPasskeyId(passkeyId: string, updatePasskeyBody: UpdatePasskeyBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Passkey;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/passkeys/${encodeURIComponent(passkeyId)}${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updatePasskeyBody
    }));
}
/**
 * Remove a passkey; with the last second factor two-step sign-in goes off
 */
export function deleteAccountPasskeysPasskeyId(passkeyId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/account/passkeys/${encodeURIComponent(passkeyId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * What a passkey has to sign as the second step of signing in
 */
export function postAuthLoginPasskeyChallenge(createLoginChallengeBody: CreateLoginChallengeBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PasskeyChallenge;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/auth/login/passkey/challenge${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: createLoginChallengeBody
    }));
}
/**
 * The second step of signing in, with a passkey
 */
export function postAuthLoginPasskey(logInWithPasskeyBody: LogInWithPasskeyBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AuthResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/auth/login/passkey${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: logInWithPasskeyBody
    }));
}
/**
 * The version that a share of the new calls uses, and how its calls went beside the others
 */
export function getAgentsAgentIdCanary(agentId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentCanary;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/canary${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Give a version a share of the new calls, or its canary another share
 */
export function putAgentsAgentIdCanary(agentId: string, setAgentCanaryBody: SetAgentCanaryBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentCanarySettings;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/canary${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: setAgentCanaryBody
    }));
}
/**
 * End the canary: all new calls use the version in use
 */
export function deleteAgentsAgentIdCanary(agentId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/canary${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * End the canary by saving its configuration as the agent's new version; the status stays as it is
 */
export function postAgentsAgentIdCanaryPromote(agentId: string, { timezone, ifMatch }: {
    timezone?: string;
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SavedAgent;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/canary/promote${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    });
}
/**
 * Share an agent as it is now
 */
export function postAgentShares(createAgentShareBody: CreateAgentShareBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: AgentShare;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agent-shares${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: createAgentShareBody
    }));
}
/**
 * What this workspace shares, newest first; expired shares are left out
 */
export function getAgentShares({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentShare[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agent-shares${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * A shared agent, of any workspace
 */
export function getAgentSharesToken(token: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SharedAgent;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agent-shares/${encodeURIComponent(token)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Stop sharing; copies stay
 */
export function deleteAgentSharesToken(token: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agent-shares/${encodeURIComponent(token)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Make an agent of this workspace from a shared one
 */
export function postAgentSharesTokenCopy(token: string, copySharedAgentBody: CopySharedAgentBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: SavedAgent;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agent-shares/${encodeURIComponent(token)}/copy${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: copySharedAgentBody
    }));
}
/**
 * The agents you pinned, newest pin first
 */
export function getAgentsPins({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/pins${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Pin an agent for yourself
 */
export function putAgentsAgentIdPin(agentId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/pin${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "PUT"
    });
}
/**
 * Take your pin off an agent
 */
export function deleteAgentsAgentIdPin(agentId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/pin${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * What a minute with the agent will cost
 */
export function getAgentsAgentIdPricing(agentId: string, { channel, timezone }: {
    channel?: "phone" | "web";
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PriceEstimate;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/pricing${QS.query(QS.explode({
        channel,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * What a minute would cost with this configuration; nothing is saved
 */
export function postAgentsPricing(agentDraft: AgentDraft, { channel, timezone }: {
    channel?: "phone" | "web";
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PriceEstimate;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/pricing${QS.query(QS.explode({
        channel,
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: agentDraft
    }));
}
/**
 * How quickly the agent answered in the last days, today included
 */
export function getAgentsAgentIdLatency(agentId: string, { days, timezone }: {
    days?: number;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentLatency;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/latency${QS.query(QS.explode({
        days,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Generate a welcome message and a prompt from a brief; nothing is saved
 */
export function postAgentsPromptGenerate(generatePromptBody: GeneratePromptBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: GeneratedPrompt;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/prompt/generate${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: generatePromptBody
    }));
}
/**
 * The stored versions of an agent, newest first
 */
export function getAgentsAgentIdVersions(agentId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentVersion[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/versions${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Save a configuration as a version that no call uses until it is restored or gets a share of them
 */
export function postAgentsAgentIdVersions(agentId: string, saveAgentVersionBody: SaveAgentVersionBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: AgentVersion;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/versions${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: saveAgentVersionBody
    }));
}
/**
 * One stored version with its configuration
 */
export function getAgentsAgentIdVersionsVersion(agentId: string, version: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentVersionWithConfiguration;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/versions/${encodeURIComponent(version)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Save an earlier configuration as a new version; the status stays as it is
 */
export function postAgentsAgentIdVersionsVersionRestore(agentId: string, version: string, { timezone, ifMatch }: {
    timezone?: string;
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SavedAgent;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/versions/${encodeURIComponent(version)}/restore${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    });
}
/**
 * All agents, newest first
 */
export function getAgents({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Agent[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Make an agent
 */
export function postAgents(saveAgentVersionBody: SaveAgentVersionBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: SavedAgent;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: saveAgentVersionBody
    }));
}
/**
 * One agent
 */
export function getAgentsAgentId(agentId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Agent;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Save the whole configuration; what is left out gets its default
 */
export function putAgentsAgentId(agentId: string, saveAgentVersionBody: SaveAgentVersionBody, { timezone, ifMatch }: {
    timezone?: string;
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SavedAgent;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: saveAgentVersionBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    }));
}
/**
 * Remove an agent: its queued calls fail, its number is disconnected, live calls go on
 */
export function deleteAgentsAgentId(agentId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Make another agent with the same configuration
 */
export function postAgentsAgentIdDuplicate(agentId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: SavedAgent;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/duplicate${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Background sounds: the built-in ones and the uploads, newest first
 */
export function getAmbient({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AmbientSound[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/ambient${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Upload a background sound; it is stored as mono WAV at 16 kHz
 */
export function postAmbient(uploadAmbientSoundBody: UploadAmbientSoundBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: AmbientSound;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/ambient${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.multipart({
        ...opts,
        method: "POST",
        body: uploadAmbientSoundBody
    }));
}
/**
 * A background sound as a WAV file
 */
export function getAmbientSoundAudio(sound: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/ambient/${encodeURIComponent(sound)}/audio${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Remove an uploaded sound that no agent uses
 */
export function deleteAmbientSound(sound: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/ambient/${encodeURIComponent(sound)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Models with their prices, and languages
 */
export function getCatalog({ kind, timezone }: {
    kind?: ("llm_models" | "tts_models" | "stt_models" | "languages")[];
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Catalog;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/catalog${QS.query(QS.form({
        kind
    }), QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Voices of the providers that the service has credentials of
 */
export function getVoices({ provider, model, language, gender, q, timezone }: {
    provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
    model?: string;
    language?: string;
    gender?: "female" | "male" | "neutral";
    q?: string;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Voice[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/voices${QS.query(QS.explode({
        provider,
        model,
        language,
        gender,
        q,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * The voice saying a sentence; made once by its provider, then stored
 */
export function getVoicesVoiceIdPreview(voiceId: string, { provider, language, timezone }: {
    provider?: "elevenlabs" | "cartesia" | "sarvam" | "deepgram_aura" | "azure_speech" | "openai" | "local";
    language?: string;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/voices/${encodeURIComponent(voiceId)}/preview${QS.query(QS.explode({
        provider,
        language,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Create an endpoint; its secret is shown once
 */
export function postWebhooks(createWebhookBody: CreateWebhookBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: WebhookEndpointWithSecret;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: createWebhookBody
    }));
}
/**
 * All endpoints, newest first
 */
export function getWebhooks({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookEndpoint[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * The types of events that can be subscribed to
 */
export function getWebhooksEvents({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookEventType[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks/events${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * The hint of the secret that signs for agents and campaigns
 */
export function getWebhooksDefaultSecret({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookDefaultSecret;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks/default-secret${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * A new default secret, shown once; the old one is invalid at once
 */
export function postWebhooksDefaultSecretRotate({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NewWebhookDefaultSecret;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks/default-secret/rotate${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Deliveries of the last 30 days, newest first
 */
export function getWebhooksDeliveries({ endpointId, status, eventType, callId, since, until, limit, skip, timezone }: {
    endpointId?: string;
    status?: ("pending" | "delivered" | "retrying" | "failed")[];
    eventType?: ("ping" | "call.queued" | "call.placed" | "call.started" | "call.ended" | "call.completed" | "call.voicemail" | "call.rescheduled" | "call.transferred" | "call.transfer_status" | "agent.handoff" | "call.control" | "call.dtmf" | "user.turn" | "human_agent.turn" | "agent.reply" | "interrupted" | "user.online_check" | "tool.call" | "tool.result" | "kb.search" | "fallback.used" | "capacity.fallback" | "capacity.exceeded" | "error" | "guardrail.violation")[];
    callId?: string;
    since?: string;
    until?: string;
    limit?: number;
    skip?: number;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ListWebhookDeliveriesResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks/deliveries${QS.query(QS.explode({
        endpoint_id: endpointId,
        call_id: callId,
        since,
        until,
        limit,
        skip,
        timezone
    }), QS.form({
        status,
        event_type: eventType
    }))}`, {
        ...opts
    });
}
/**
 * One delivery with its request and response
 */
export function getWebhooksDeliveriesDeliveryId(deliveryId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookDeliveryWithBodies;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks/deliveries/${encodeURIComponent(deliveryId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * One extra attempt now; the schedule is not restarted
 */
export function postWebhooksDeliveriesDeliveryIdRetry(deliveryId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookDeliveryWithBodies;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks/deliveries/${encodeURIComponent(deliveryId)}/retry${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Change an endpoint; fields that are not sent stay
 */
export function patchWebhooksEndpointId(endpointId: string, updateWebhookBody: UpdateWebhookBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookEndpoint;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks/${encodeURIComponent(endpointId)}${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateWebhookBody
    }));
}
/**
 * Delete an endpoint; its waiting deliveries fail
 */
export function deleteWebhooksEndpointId(endpointId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks/${encodeURIComponent(endpointId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Send one ping now, without retries; also to an inactive endpoint
 */
export function postWebhooksEndpointIdTest(endpointId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookDeliveryWithBodies;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks/${encodeURIComponent(endpointId)}/test${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * A new secret, shown once; the old one is invalid at once
 */
export function postWebhooksEndpointIdRotateSecret(endpointId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookEndpointWithSecret;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/webhooks/${encodeURIComponent(endpointId)}/rotate-secret${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * All knowledge bases, newest first
 */
export function getKnowledgeBases({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: KnowledgeBase[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/knowledge-bases${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Make a knowledge base
 */
export function postKnowledgeBases(createKnowledgeBaseBody: CreateKnowledgeBaseBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: KnowledgeBase;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/knowledge-bases${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: createKnowledgeBaseBody
    }));
}
/**
 * One knowledge base with its sources
 */
export function getKnowledgeBasesKbId(kbId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: KnowledgeBaseWithSources;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/knowledge-bases/${encodeURIComponent(kbId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Rename or describe a knowledge base
 */
export function patchKnowledgeBasesKbId(kbId: string, updateKnowledgeBaseBody: UpdateKnowledgeBaseBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: KnowledgeBase;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/knowledge-bases/${encodeURIComponent(kbId)}${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateKnowledgeBaseBody
    }));
}
/**
 * Remove a knowledge base that no agent uses
 */
export function deleteKnowledgeBasesKbId(kbId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/knowledge-bases/${encodeURIComponent(kbId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Add a text; it is processed in the background
 */
export function postKnowledgeBasesKbIdSourcesText(kbId: string, addKnowledgeTextBody: AddKnowledgeTextBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: KnowledgeSource;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/knowledge-bases/${encodeURIComponent(kbId)}/sources/text${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: addKnowledgeTextBody
    }));
}
/**
 * Add a page, or a page and those of its host that it leads to; they are read in the background
 */
export function postKnowledgeBasesKbIdSourcesUrl(kbId: string, addKnowledgeUrlBody: AddKnowledgeUrlBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: KnowledgeSource;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/knowledge-bases/${encodeURIComponent(kbId)}/sources/url${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: addKnowledgeUrlBody
    }));
}
/**
 * Remove a source and its passages
 */
export function deleteKnowledgeBasesKbIdSourcesSourceId(kbId: string, sourceId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/knowledge-bases/${encodeURIComponent(kbId)}/sources/${encodeURIComponent(sourceId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Process a source again; its old passages stay searchable until then
 */
export function postKnowledgeBasesKbIdSourcesSourceIdReprocess(kbId: string, sourceId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: KnowledgeSource;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/knowledge-bases/${encodeURIComponent(kbId)}/sources/${encodeURIComponent(sourceId)}/reprocess${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * What an agent would find here
 */
export function postKnowledgeBasesKbIdSearch(kbId: string, searchKnowledgeBaseBody: SearchKnowledgeBaseBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: KnowledgeSearch;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/knowledge-bases/${encodeURIComponent(kbId)}/search${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: searchKnowledgeBaseBody
    }));
}
/**
 * The workspace
 */
export function getWorkspace({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Workspace;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Rename the workspace, change its zone or who is alerted
 */
export function patchWorkspace(updateWorkspaceBody: UpdateWorkspaceBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Workspace;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateWorkspaceBody
    }));
}
/**
 * Change the profile of the business; what is left out stays
 */
export function patchWorkspaceProfile(updateWorkspaceProfileBody: UpdateWorkspaceProfileBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Workspace;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace/profile${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateWorkspaceProfileBody
    }));
}
/**
 * Switch server logs on or off, and choose the lowest level that is logged
 */
export function patchWorkspaceSystemLogs(updateSystemLogsBody: UpdateSystemLogsBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Workspace;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace/system-logs${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateSystemLogsBody
    }));
}
/**
 * Let keys make keys, or no longer ask for the password again; only by owners
 */
export function patchWorkspaceSecurity(updateWorkspaceSecurityBody: UpdateWorkspaceSecurityBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Workspace;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace/security${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateWorkspaceSecurityBody
    }));
}
/**
 * What the workspace may use, and what of it is in use
 */
export function getWorkspaceLimits({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Limits;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace/limits${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Requests for a higher limit, the last 50, newest first
 */
export function getWorkspaceLimitsRequests({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LimitRequest[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace/limits/requests${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Ask for a higher limit of live calls
 */
export function postWorkspaceLimitsRequests(createLimitRequestBody: CreateLimitRequestBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: LimitRequest;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace/limits/requests${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: createLimitRequestBody
    }));
}
/**
 * All members, newest first
 */
export function getMembers({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Member[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/members${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Change the role of a member; only owners make or unmake owners
 */
export function patchMembersUserId(userId: string, updateMemberBody: UpdateMemberBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Member;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/members/${encodeURIComponent(userId)}${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateMemberBody
    }));
}
/**
 * Remove a member; the keys they made go on
 */
export function deleteMembersUserId(userId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/members/${encodeURIComponent(userId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Invites that were not accepted yet, newest first
 */
export function getInvites({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Invite[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/invites${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Invite somebody by mail
 */
export function postInvites(createInviteBody: CreateInviteBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: NewInvite;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/invites${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: createInviteBody
    }));
}
/**
 * Take an invite back, by its id
 */
export function deleteInvitesInvite(invite: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/invites/${encodeURIComponent(invite)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * What an invite is about, by the token of its link
 */
export function getInvitesInvite(invite: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: InviteInfo;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/invites/${encodeURIComponent(invite)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Join by the token of the link: as a new user, or signed in as the invited one with an empty body
 */
export function postInvitesInviteAccept(invite: string, acceptInviteBody: AcceptInviteBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AuthResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/invites/${encodeURIComponent(invite)}/accept${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: acceptInviteBody
    }));
}
/**
 * All API keys, newest first
 */
export function getKeys({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ApiKey[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/keys${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Make an API key; it is shown this once
 */
export function postKeys(createKeyBody: CreateKeyBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: NewApiKey;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/keys${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: createKeyBody
    }));
}
/**
 * Replace an API key by one with the same limits, shown this once; the present one goes on for a while
 */
export function postKeysKeyIdRotate(keyId: string, rotateKeyBody: RotateKeyBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: NewApiKey;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/keys/${encodeURIComponent(keyId)}/rotate${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: rotateKeyBody
    }));
}
/**
 * Revoke an API key; it stops working at once
 */
export function deleteKeysKeyId(keyId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/keys/${encodeURIComponent(keyId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Find agents, calls, batches, knowledge bases and numbers
 */
export function getSearch(q: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SearchResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/search${QS.query(QS.explode({
        q,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Fixed lists for forms
 */
export function getMasters({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Masters;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/masters${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * The states and union territories of India with their districts and GST codes
 */
export function getLocationsIndia({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Locations;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/locations/india${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Place a call: it joins the queue and is dialled when a slot is free
 */
export function postAgentsAgentIdCall(agentId: string, placeCallBody: PlaceCallBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Call;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/call${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: placeCallBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Calls, newest first
 */
export function getCalls({ agentId, batchId, status, direction, channel, $number, answeredBy, since, until, minDuration, q, limit, skip, after, timezone }: {
    agentId?: string;
    batchId?: string;
    status?: ("queued" | "ringing" | "in-progress" | "ended" | "completed" | "no-answer" | "busy" | "canceled" | "failed")[];
    direction?: "outbound" | "inbound";
    channel?: "phone" | "web";
    $number?: string;
    answeredBy?: "human" | "machine";
    since?: string;
    until?: string;
    minDuration?: number;
    q?: string;
    limit?: number;
    skip?: number;
    after?: string;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ListCallsResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls${QS.query(QS.explode({
        agent_id: agentId,
        batch_id: batchId,
        direction,
        channel,
        "number": $number,
        answered_by: answeredBy,
        since,
        until,
        min_duration: minDuration,
        q,
        limit,
        skip,
        after,
        timezone
    }), QS.form({
        status
    }))}`, {
        ...opts
    });
}
/**
 * The calls that match as CSV, newest first, at most 50000
 */
export function getCallsExport({ agentId, batchId, status, direction, channel, $number, answeredBy, since, until, minDuration, q, timezone }: {
    agentId?: string;
    batchId?: string;
    status?: ("queued" | "ringing" | "in-progress" | "ended" | "completed" | "no-answer" | "busy" | "canceled" | "failed")[];
    direction?: "outbound" | "inbound";
    channel?: "phone" | "web";
    $number?: string;
    answeredBy?: "human" | "machine";
    since?: string;
    until?: string;
    minDuration?: number;
    q?: string;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/export${QS.query(QS.explode({
        agent_id: agentId,
        batch_id: batchId,
        direction,
        channel,
        "number": $number,
        answered_by: answeredBy,
        since,
        until,
        min_duration: minDuration,
        q,
        timezone
    }), QS.form({
        status
    }))}`, {
        ...opts
    });
}
/**
 * One call with its transcript
 */
export function getCallsCallId(callId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Call;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * The whole timeline of a call, in order
 */
export function getCallsCallIdEvents(callId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TimelineItem[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/events${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * The recording in stereo, caller left, agent right, as WAV or Opus; `Range` is understood for WAV
 */
export function getCallsCallIdRecording(callId: string, { format, timezone }: {
    format?: "wav" | "opus";
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 501;
        data: Error;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/recording${QS.query(QS.explode({
        format,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * End a live call, or cancel a queued one
 */
export function postCallsCallIdHangup(callId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Call;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/hangup${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Pause the recording of a live call: both sides are silent in it; ends by itself
 */
export function postCallsCallIdRecordingPause(callId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PauseCallRecordingResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/recording/pause${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Resume the recording of a live call
 */
export function postCallsCallIdRecordingResume(callId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PauseCallRecordingResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/recording/resume${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Have the agent of a live call say a text
 */
export function postCallsCallIdSay(callId: string, sayInCallBody: SayInCallBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LiveOrderDone;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/say${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: sayInCallBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Add an instruction to the agent's prompt, for the rest of a live call
 */
export function postCallsCallIdInstructions(callId: string, instructCallBody: InstructCallBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LiveOrderDone;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/instructions${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: instructCallBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Change variables of a live call
 */
export function postCallsCallIdVariables(callId: string, setCallVariablesBody: SetCallVariablesBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LiveOrderDone;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/variables${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: setCallVariablesBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Mute the agent or the caller of a live call, or unmute them; a muted caller is recorded, and not transcribed
 */
export function postCallsCallIdMute(callId: string, muteCallBody: MuteCallBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LiveOrderDone;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/mute${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: muteCallBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Press keys in a live call, as into the menu of another service
 */
export function postCallsCallIdDtmf(callId: string, sendCallDtmfBody: SendCallDtmfBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LiveOrderDone;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/dtmf${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: sendCallDtmfBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Hand the caller of a live call over to a person, as the agent would
 */
export function postCallsCallIdTransfer(callId: string, transferCallBody: TransferCallBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LiveOrderDone;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/transfer${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: transferCallBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Leave the caller of a live call to the agent again, with a note for it
 */
export function postCallsCallIdHandBack(callId: string, handBackCallBody: HandBackCallBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LiveOrderDone;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/hand-back${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: handBackCallBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Run post-call analytics again, by the agent's present configuration; charged
 */
export function postCallsCallIdAnalyze(callId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Call;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/analyze${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Run an analytics configuration on one finished call; nothing is saved, the run is charged
 */
export function postAgentsAgentIdAnalyticsTest(agentId: string, testAgentAnalyticsBody: TestAgentAnalyticsBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AnalyticsTest;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/analytics/test${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: testAgentAnalyticsBody
    }));
}
/**
 * An upload with its preview and its errors
 */
export function getBatchesUploadsUploadId(uploadId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ContactUpload;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches/uploads/${encodeURIComponent(uploadId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Call a list of people: at once, or at scheduled_at
 */
export function postBatches(createBatchBody: CreateBatchBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Batch;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: createBatchBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Batches, newest first, with counts per contact status
 */
export function getBatches({ status, agentId, limit, skip, timezone }: {
    status?: ("scheduled" | "running" | "paused" | "completed" | "canceled")[];
    agentId?: string;
    limit?: number;
    skip?: number;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ListBatchesResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches${QS.query(QS.form({
        status
    }), QS.explode({
        agent_id: agentId,
        limit,
        skip,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * One batch
 */
export function getBatchesBatchId(batchId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Batch;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches/${encodeURIComponent(batchId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Change name, webhook URL or concurrency of a batch that is not over
 */
export function patchBatchesBatchId(batchId: string, updateBatchBody: UpdateBatchBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Batch;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches/${encodeURIComponent(batchId)}${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateBatchBody
    }));
}
/**
 * Remove a batch that neither runs nor is paused; its calls stay
 */
export function deleteBatchesBatchId(batchId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches/${encodeURIComponent(batchId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Its contacts in row order
 */
export function getBatchesBatchIdContacts(batchId: string, { status, limit, skip, timezone }: {
    status?: ("pending" | "queued" | "in-progress" | "retrying" | "completed" | "no-answer" | "busy" | "failed" | "voicemail" | "canceled" | "skipped")[];
    limit?: number;
    skip?: number;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ListBatchContactsResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches/${encodeURIComponent(batchId)}/contacts${QS.query(QS.form({
        status
    }), QS.explode({
        limit,
        skip,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Dial nothing new: live calls go on, its queued calls wait
 */
export function postBatchesBatchIdPause(batchId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Batch;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches/${encodeURIComponent(batchId)}/pause${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Resume a paused batch
 */
export function postBatchesBatchIdResume(batchId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Batch;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches/${encodeURIComponent(batchId)}/resume${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * End it: waiting contacts and queued calls are canceled, live calls go on
 */
export function postBatchesBatchIdCancel(batchId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Batch;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches/${encodeURIComponent(batchId)}/cancel${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * The result of each contact, as CSV
 */
export function getBatchesBatchIdResults(batchId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches/${encodeURIComponent(batchId)}/results${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * An agent's scenarios, newest first
 */
export function getAgentsAgentIdTests(agentId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TestScenario[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/tests${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Make a scenario: a caller, and what is expected of the agent
 */
export function postAgentsAgentIdTests(agentId: string, testScenarioConfiguration: TestScenarioConfiguration, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: TestScenario;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/tests${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: testScenarioConfiguration
    }));
}
/**
 * One scenario
 */
export function getAgentsAgentIdTestsScenarioId(agentId: string, scenarioId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TestScenario;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/tests/${encodeURIComponent(scenarioId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Replace a scenario; what is left out gets its default, and runs keep it as it was
 */
export function putAgentsAgentIdTestsScenarioId(agentId: string, scenarioId: string, testScenarioConfiguration: TestScenarioConfiguration, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TestScenario;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/tests/${encodeURIComponent(scenarioId)}${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: testScenarioConfiguration
    }));
}
/**
 * Remove a scenario; its runs stay readable
 */
export function deleteAgentsAgentIdTestsScenarioId(agentId: string, scenarioId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/tests/${encodeURIComponent(scenarioId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Queue a run of each of the agent's scenarios
 */
export function postAgentsAgentIdTestsRunAll(agentId: string, runAllTestsBody: RunAllTestsBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: RunAllTestsResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/tests/run-all${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: runAllTestsBody
    }));
}
/**
 * The last 50 runs of a scenario, newest first
 */
export function getAgentsAgentIdTestsScenarioIdRuns(agentId: string, scenarioId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TestRun[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/tests/${encodeURIComponent(scenarioId)}/runs${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Queue a run against the agent's saved version; two run at once, oldest first
 */
export function postAgentsAgentIdTestsScenarioIdRuns(agentId: string, scenarioId: string, runAllTestsBody: RunAllTestsBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: TestRun;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/tests/${encodeURIComponent(scenarioId)}/runs${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: runAllTestsBody
    }));
}
/**
 * One run; poll it until its status is passed, failed or error
 */
export function getTestRunsRunId(runId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TestRun;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/test-runs/${encodeURIComponent(runId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * The recording of a run aloud: stereo WAV, caller left, agent right; `Range` is understood
 */
export function getTestRunsRunIdRecording(runId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/test-runs/${encodeURIComponent(runId)}/recording${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Draft scenarios from the configuration of the agent; nothing is saved
 */
export function postAgentsAgentIdTestsSuggest(agentId: string, suggestTestScenariosBody: SuggestTestScenariosBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SuggestedTestScenarios;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/tests/suggest${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: suggestTestScenariosBody
    }));
}
/**
 * Exports of the workspace, newest first; only for owners
 */
export function getWorkspaceExports({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WorkspaceExport[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace/exports${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Export all that the workspace has into an archive; poll the list until it is ready; only for owners
 */
export function postWorkspaceExports(createExportBody: CreateExportBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: WorkspaceExport;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace/exports${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: createExportBody
    }));
}
/**
 * The archive: JSON lines for each kind of record, and WAV files; only for owners
 */
export function getWorkspaceExportsExportIdDownload(exportId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace/exports/${encodeURIComponent(exportId)}/download${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Remove an export, or stop one that is being made; only for owners
 */
export function deleteWorkspaceExportsExportId(exportId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace/exports/${encodeURIComponent(exportId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Erase all calls with one person: recordings, transcripts, timelines, deliveries and server logs; what they cost stays in the ledger; only for owners
 */
export function postWorkspaceErasures(eraseCallsBody: EraseCallsBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: CallErasure;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/workspace/erasures${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: eraseCallsBody
    }));
}
/**
 * Credits, and how long they last
 */
export function getBilling({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Balance;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Every movement of credits, newest first
 */
export function getBillingLedger({ kind, limit, skip, timezone }: {
    kind?: "grant" | "coupon" | "topup" | "call" | "plan" | "number" | "caller_id" | "lines" | "composer" | "test" | "conversion" | "adjustment";
    limit?: number;
    skip?: number;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ListLedgerResult;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/ledger${QS.query(QS.explode({
        kind,
        limit,
        skip,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Calls, minutes and credits of a month, day by day
 */
export function getBillingUsage({ month, timezone }: {
    month?: string;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Usage;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/usage${QS.query(QS.explode({
        month,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * All plans, priced in the currency of the workspace
 */
export function getBillingPlans({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Plan[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/plans${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * The workspace's plan, and until when it is paid
 */
export function getBillingPlan({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: OwnPlan;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/plan${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Switch to another plan at once; the first 30 days are paid from credits
 */
export function postBillingPlan(switchPlanBody: SwitchPlanBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: OwnPlan;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/plan${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: switchPlanBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Credit packs that can be bought
 */
export function getBillingPacks({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CreditPack[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/packs${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Extra call lines
 */
export function getBillingLines({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallLines;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/lines${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Buy extra call lines, paid from credits until the end of their cycle
 */
export function postBillingLines(buyCallLinesBody: BuyCallLinesBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallLines;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/lines${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: buyCallLinesBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Remove extra call lines at once, without a refund
 */
export function postBillingLinesRemove(buyCallLinesBody: BuyCallLinesBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallLines;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/lines/remove${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: buyCallLinesBody
    }));
}
/**
 * Redeem a code: credits at once, or a bonus on the next top-up
 */
export function postBillingCouponsRedeem(redeemCouponBody: RedeemCouponBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RedeemedCoupon;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/coupons/redeem${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: redeemCouponBody
    }));
}
/**
 * The last 200 invoices, newest first
 */
export function getBillingInvoices({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Invoice[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/invoices${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * An invoice or a credit note as PDF
 */
export function getBillingInvoicesInvoiceIdPdf(invoiceId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/invoices/${encodeURIComponent(invoiceId)}/pdf${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * The business details and where they stand
 */
export function getKyc({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Kyc;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/kyc${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Save the business details; what is left out is empty
 */
export function putKyc(replaceKycBody: ReplaceKycBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Kyc;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/kyc${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: replaceKycBody
    }));
}
/**
 * A document as a PDF
 */
export function getKycDocumentsDocId(docId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/kyc/documents/${encodeURIComponent(docId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Remove a document
 */
export function deleteKycDocumentsDocId(docId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/kyc/documents/${encodeURIComponent(docId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Ask the service to look at the business details
 */
export function postKycSubmit({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Kyc;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/kyc/submit${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Requests for a shown caller id, newest first
 */
export function getCallerId({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallerIdRequest[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/caller-id${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Ask that phones show a name and a logo for numbers of the workspace
 */
export function postCallerId(createCallerIdRequestBody: CreateCallerIdRequestBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: CallerIdRequest;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/caller-id${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.multipart({
        ...opts,
        method: "POST",
        body: createCallerIdRequestBody
    }));
}
/**
 * The logo of a request
 */
export function getCallerIdRequestIdLogo(requestId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/caller-id/${encodeURIComponent(requestId)}/logo${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Take a request back that is not decided yet
 */
export function postCallerIdRequestIdWithdraw(requestId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallerIdRequest;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/caller-id/${encodeURIComponent(requestId)}/withdraw${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * End a caller id that is shown
 */
export function postCallerIdRequestIdRemove(requestId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallerIdRequest;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/caller-id/${encodeURIComponent(requestId)}/remove${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * The rules that agents are held to, newest first
 */
export function getGuardrailsRules({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: GuardrailRule[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/guardrails/rules${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * How many incidents there are, and of which rules
 */
export function getGuardrailsSummary({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: GuardrailSummary;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/guardrails/summary${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * The last 200 incidents, newest first
 */
export function getGuardrailsIncidents({ status, agentId, timezone }: {
    status?: ("open" | "acknowledged" | "appealed" | "upheld" | "dismissed")[];
    agentId?: string;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: GuardrailIncident[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/guardrails/incidents${QS.query(QS.form({
        status
    }), QS.explode({
        agent_id: agentId,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * One incident
 */
export function getGuardrailsIncidentsIncidentId(incidentId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: GuardrailIncident;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/guardrails/incidents/${encodeURIComponent(incidentId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Say that an open incident was seen
 */
export function postGuardrailsIncidentsIncidentIdAcknowledge(incidentId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: GuardrailIncident;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/guardrails/incidents/${encodeURIComponent(incidentId)}/acknowledge${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Say why an incident is none
 */
export function postGuardrailsIncidentsIncidentIdAppeal(incidentId: string, appealGuardrailIncidentBody: AppealGuardrailIncidentBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: GuardrailIncident;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/guardrails/incidents/${encodeURIComponent(incidentId)}/appeal${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: appealGuardrailIncidentBody
    }));
}
/**
 * The workspace's saved tools, newest first
 */
export function getTools({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Tool[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/tools${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Save a tool; adding it to an agent copies it
 */
export function postTools(toolConfiguration: ToolConfiguration, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Tool;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/tools${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: toolConfiguration
    }));
}
/**
 * Replace a saved tool; agents that copied it stay as they are
 */
export function putToolsToolId(toolId: string, toolConfiguration: ToolConfiguration, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Tool;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/tools/${encodeURIComponent(toolId)}${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: toolConfiguration
    }));
}
/**
 * Remove a saved tool; agents that copied it stay as they are
 */
export function deleteToolsToolId(toolId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/tools/${encodeURIComponent(toolId)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Send one request of a tool and see what the model would receive; 200 also when the endpoint failed
 */
export function postToolsTest(testToolBody: TestToolBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ToolTest;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/tools/test${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: testToolBody
    }));
}
/**
 * List the tools of an MCP server and see which the model would get; 200 also when the server does not answer
 */
export function postToolsMcp(findMcpToolsBody: FindMcpToolsBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: McpToolList;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/tools/mcp${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: findMcpToolsBody
    }));
}
/**
 * The workspace's numbers, newest first; released ones are left out
 */
export function getNumbers({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PhoneNumber[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/numbers${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Buy an available number: the fee of 30 days is taken at once; after a 502 look into the list before buying again
 */
export function postNumbers(buyNumberBody: BuyNumberBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: PhoneNumber;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/numbers${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: buyNumberBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Numbers that the carriers of this service rent out now
 */
export function getNumbersAvailable({ country, $type, contains, limit, timezone }: {
    country?: string;
    $type?: "local" | "mobile" | "toll_free" | "series_140" | "series_160";
    contains?: string;
    limit?: number;
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AvailableNumber[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/numbers/available${QS.query(QS.explode({
        country,
        "type": $type,
        contains,
        limit,
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Release a number at once, without a refund; calls that ring go on
 */
export function deleteNumbersNumber($number: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 204;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/numbers/${encodeURIComponent($number)}${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Have an agent answer the number; it is moved off any other agent
 */
export function postNumbersNumberConnect($number: string, connectNumberBody: ConnectNumberBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PhoneNumber;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/numbers/${encodeURIComponent($number)}/connect${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: connectNumberBody
    }));
}
/**
 * Have nobody answer the number: inbound calls on it are rejected
 */
export function postNumbersNumberDisconnect($number: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PhoneNumber;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/numbers/${encodeURIComponent($number)}/disconnect${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Begin to buy credits: a payment, and what its checkout needs
 */
export function postBillingTopup(startTopUpBody: StartTopUpBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: StartedPayment;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/topup${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: startTopUpBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * The last 100 payments, newest first
 */
export function getBillingPayments({ timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Payment[];
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/payments${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts
    });
}
/**
 * Report that the checkout is done; credits are there when the gateway confirms it
 */
export function postBillingPaymentsPaymentIdComplete(paymentId: string, completePaymentBody: CompletePaymentBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Payment;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 502;
        data: Error;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/billing/payments/${encodeURIComponent(paymentId)}/complete${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: completePaymentBody
    }));
}
/**
 * Begin a call from a browser: it takes a slot at once, and rings until audio arrives, 30 seconds at most
 */
export function postAgentsAgentIdWebCall(agentId: string, startWebCallBody: StartWebCallBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: WebCall;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/web-call${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: startWebCallBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Begin a call over a WebSocket of the client's own telephony or device: it takes a slot at once, and rings until the stream is opened, 30 seconds at most
 */
export function postAgentsAgentIdStreamCall(agentId: string, startWebCallBody: StartWebCallBody, { timezone, idempotencyKey }: {
    timezone?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: StreamCall;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 402;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/agents/${encodeURIComponent(agentId)}/stream-call${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: startWebCallBody,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Listen in on a live call from a browser; nobody in the call hears it
 */
export function postCallsCallIdListen(callId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: WebSession;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/listen${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Speak from a browser to the person who took over or joined a live call; neither caller nor agent hears it
 */
export function postCallsCallIdWhisper(callId: string, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: WebSession;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/whisper${QS.query(QS.explode({
        timezone
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Speak to the caller of a live call from a browser, in the place of the agent or beside it
 */
export function postCallsCallIdTakeOver(callId: string, takeOverCallBody: TakeOverCallBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: WebSession;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/calls/${encodeURIComponent(callId)}/take-over${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: takeOverCallBody
    }));
}
/**
 * Upload a document; it is read in the background
 */
export function postKnowledgeBasesKbIdSourcesFile(kbId: string, uploadKnowledgeFileBody: UploadKnowledgeFileBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: KnowledgeSource;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 404;
        data: Error;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 414;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/knowledge-bases/${encodeURIComponent(kbId)}/sources/file${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.multipart({
        ...opts,
        method: "POST",
        body: uploadKnowledgeFileBody
    }));
}
/**
 * Send a file of contacts: it is parsed at once and stored for 24 hours
 */
export function postBatchesUploads(uploadContactsBody: UploadContactsBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: ContactUpload;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/batches/uploads${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.multipart({
        ...opts,
        method: "POST",
        body: uploadContactsBody
    }));
}
/**
 * Add a document
 */
export function postKycDocuments(uploadKycDocumentBody: UploadKycDocumentBody, { timezone }: {
    timezone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: KycDocument;
    } | {
        status: 400;
        data: Error;
    } | {
        status: 401;
        data: Error;
    } | {
        status: 403;
        data: Forbidden;
    } | {
        status: 409;
        data: Error;
    } | {
        status: 413;
        data: Error;
    } | {
        status: 415;
        data: Error;
    } | {
        status: 422;
        data: ValidationError;
    } | {
        status: 429;
        data: Error;
    } | {
        status: 500;
        data: InternalError;
    } | {
        status: 503;
        data: InternalError;
    }>(`/api/v1/kyc/documents${QS.query(QS.explode({
        timezone
    }))}`, oazapfts.multipart({
        ...opts,
        method: "POST",
        body: uploadKycDocumentBody
    }));
}
