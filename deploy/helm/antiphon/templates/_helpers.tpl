{{/* Pods are named after the release and their program. */}}
{{- define "antiphon.name" -}}
{{ .root.Release.Name }}-{{ .program }}
{{- end }}

{{- define "antiphon.selector" -}}
app.kubernetes.io/name: antiphon
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .program }}
{{- end }}

{{- define "antiphon.labels" -}}
{{ include "antiphon.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* The user node of the images, with no right to gain any. */}}
{{- define "antiphon.podSecurity" -}}
automountServiceAccountToken: false
{{- with .Values.images.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "antiphon.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* A setting from the Secret of what both programs need. */}}
{{- define "antiphon.coreSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.secrets.core }}
      key: {{ .name }}
{{- end }}

{{/* Settings of the bus and of the recordings, which both programs have. */}}
{{- define "antiphon.sharedEnv" -}}
{{ include "antiphon.coreSecret" (dict "root" .root "name" "MEDIA_TOKEN_SECRET") }}
- name: NATS_URL
  value: {{ .root.Values.nats.url | quote }}
{{- if .root.Values.secrets.bus }}
- name: NATS_NAME
  value: {{ .busUser | quote }}
- name: NATS_CREDENTIALS
  value: /bus/{{ .busUser }}.nk
{{- end }}
- name: RECORDINGS_BUCKET
  value: {{ .root.Values.recordings.bucket | quote }}
- name: RECORDINGS_ENDPOINT
  value: {{ .root.Values.recordings.endpoint | quote }}
- name: RECORDINGS_REGION
  value: {{ .root.Values.recordings.region | quote }}
- name: METRICS_HOST
  value: 0.0.0.0
- name: METRICS_PORT
  value: "9464"
{{- end }}

{{/* The key of one program's user of the bus. */}}
{{- define "antiphon.busVolume" -}}
{{- if .root.Values.secrets.bus }}
- name: bus
  secret:
    secretName: {{ .root.Values.secrets.bus }}
    defaultMode: 0440
    items:
      - key: {{ .busUser }}.nk
        path: {{ .busUser }}.nk
{{- end }}
{{- end }}
